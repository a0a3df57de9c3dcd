"""The filters of the templates: how pages show numbers, times and names. Text is always escaped, never turned into markup."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fewlabels.reports.sections import target_of, trust_scores
from fewlabels.service.showing import FILTERS
from fewlabels.service.wording import for_browser

UNKNOWN = "–"  # noqa: RUF001 - a dash, as the eye expects it in a table


def environment() -> Environment:
    """Return the template environment of the pages. Every value is escaped."""
    made = Environment(loader=PackageLoader("fewlabels.service"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals["static"] = static
    made.filters.update(
        about=about, ago=ago, cautions=cautions, data=data, goal_bar=goal_bar, hours=hours, level=level, moment=moment, number=number,
        of_slice=of_slice, part=part,
        remaining=remaining, seconds=seconds, sentence=sentence, share=share, trust_scores=trust_scores, value=value,
    )  # fmt: skip
    made.filters.update(FILTERS)
    return made


def static(path: str) -> str:
    """Return the address of a static file."""
    return f"/static/{path}"


def part(text: str) -> str:
    """Format a name as one part of an address."""
    return quote(text, safe="")


def number(count: float | None) -> str:
    """Format a count with commas."""
    return UNKNOWN if count is None else f"{count:,.0f}"


def value(amount: float | None) -> str:
    """Format a metric's value or bound, to three decimals."""
    return UNKNOWN if amount is None else f"{amount:.3f}"


def level(share: float) -> str:
    """Format a level as short as possible."""
    return f"{share:.4g}"


def seconds(amount: float | None) -> str:
    """Format seconds to a tenth."""
    return UNKNOWN if amount is None else f"{amount:.1f}"


def share(found: Mapping[str, Any]) -> str:
    """Format a share with its interval and count, such as 0.94 (0.88 .. 0.98, n 50)."""
    if found["value"] is None:
        return UNKNOWN
    return f"{found['value']:.2f} ({found['low']:.2f} .. {found['high']:.2f}, n {found['units']:,})"


def sentence(text: str) -> str:
    """Format a line of the ledger as a sentence, in the words of the workbench."""
    text = for_browser(text)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}" if text else ""


def of_slice(where: Sequence[str]) -> str:
    """Return the value of a slice, without its column."""
    return str(where[1])


def moment(at: str | float | None) -> str:
    """Format a time to the minute, in UTC."""
    if at is None:
        return UNKNOWN
    try:
        when = datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return str(at)
    return when.strftime("%Y-%m-%d %H:%M UTC")


def ago(at: float, now: float) -> str:
    """Format how long ago something happened."""
    passed = max(0.0, now - at)
    for seconds_each, words in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if passed >= seconds_each:
            count = int(passed // seconds_each)
            return f"{count:,} {words}{'' if count == 1 else 's'} ago"
    return "just now"


def hours(amount: float) -> str:
    """Format hours, as minutes where they are few."""
    return f"{max(1, round(60 * amount))} min" if amount < 1.5 else f"{amount:.1f} h" if amount < 24 else f"{amount / 24:.1f} days"


def goal_bar(goal: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return where the interval, value and target of a goal lie on a bar 240 wide; None without a value."""
    found, target = goal["estimate"], target_of(goal["goal"])
    if found["value"] is None:
        return None
    line = target.line if target else None
    ends = [found["low"], found["high"], *([] if line is None else [line])]
    low, high = min(0.0, *ends), 1.0 if max(ends) > 0.5 else _round_above(max(ends))

    def place(amount: float) -> float:
        return float(round(238 * (amount - low) / (high - low), 2))

    words = f"{goal['goal']}: {value(found['value'])}, interval {value(found['low'])} to {value(found['high'])}"
    left = place(found["low"])
    return {
        "left": left, "width": max(2.0, round(place(found["high"]) - left, 2)), "at": place(found["value"]),
        "target": None if line is None else place(line), "words": words,
    }  # fmt: skip


def _round_above(amount: float) -> float:
    """Return the end of an axis: the next of 0.05, 0.1, 0.2 and 0.5."""
    return next((end for end in (0.05, 0.1, 0.2, 0.5) if amount <= end), 1.0)


def about(entry: Mapping[str, Any]) -> str:
    """Return the details of a recorded act, in one line."""
    if entry["kind"] == "plan":
        return f"{number(entry.get('budget'))} labels: {entry.get('promise') or ''}"
    if entry["kind"] == "look":
        return f"{entry.get('asked') or 'estimates'} at {number(entry.get('labels'))} labels, plan {entry.get('plan')}"
    if entry["kind"] == "sheet":
        columns = ", ".join(one["column"] for one in entry.get("show") or ()) or "ids alone"
        return f"{entry.get('place')}: {entry.get('ask') or 'no question in words'}; shown: {columns}{_routed(entry)}{_by(entry)}"
    if entry["kind"] == "access":
        what = entry.get("act") if entry.get("act") != "role" else f"role: {entry.get('role') or 'none'}"
        return f"{entry.get('person')}: {what}{_by(entry)}"
    known = {"fingerprint": entry.get("fingerprint"), "salt": entry.get("salt")}
    return ", ".join(f"{name} {text}" for name, text in known.items() if text)


def _routed(entry: Mapping[str, Any]) -> str:
    """Who labels which units, by the form of an entry."""
    if not entry.get("route_by"):
        return ""
    parts = [f"{value} by {', '.join(names)}" for value, names in (entry.get("routes") or {}).items()]
    return f"; divided by {entry['route_by']}" + (f": {'; '.join(parts)}" if parts else "")


def _by(entry: Mapping[str, Any]) -> str:
    return f"; by {entry['by']}" if entry.get("by") else ""


def cautions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return why some of these intervals were not shown to hold: each reason once, with the metrics it is about."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if text := row.get("caution"):
            found.setdefault(text, []).append(row["metric"])
    return [f"{', '.join(dict.fromkeys(metrics))}: {for_browser(text)}" for text, metrics in found.items()]


def remaining(ahead: Mapping[str, Any]) -> str:
    """Say how many more labels an online study should take; a forecast, never a promise."""
    if ahead["middle"] is None:
        return f"No end in sight within {number(ahead['within'])} more labels."
    return f"About {number(ahead['middle'])} more labels should settle it ({number(ahead['low'])} to {number(ahead['high'])})."


def data(found: object) -> Markup:
    """Return plain data for a script, as JSON that cannot close its script block."""
    return Markup(json.dumps(found, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026"))
