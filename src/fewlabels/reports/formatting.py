"""How numbers and untrusted text are shown, the same on a page, in Markdown and as plain text.

Names, slice values and sources come from others: characters that reorder or hide text are replaced here, once, before anything is
shown, and text that is too long to read is cut.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fewlabels.errors import FileError
from fewlabels.nouns.canonical import Json
from fewlabels.reports.plain_names import one_line

FORMAT, VERSION = "fewlabels report", 1
LONGEST, LONGEST_NAME = 1_000, 64
UNKNOWN = "unknown"
BREAKS = str.maketrans(dict.fromkeys("\n\r\t\v\f\x85\u2028\u2029", " "))


def readable(report: Mapping[str, Json]) -> Mapping[str, Any]:
    """Return the report with every text made safe to show; raise an error if it is not a report of this version."""
    found = report.get("format"), report.get("version")
    if found != (FORMAT, VERSION):
        raise FileError(
            f"a report must have format {FORMAT!r} and version {VERSION}, got {found[0]!r} and {found[1]!r}: write it again with this "
            f"fewlabels"
        )
    held = cleaned(report)
    assert isinstance(held, Mapping)
    return held


def cleaned(value: Json) -> Json:
    """Return plain data with every text in it made safe to show."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): cleaned(held) for key, held in value.items()}
    return [cleaned(held) for held in value] if isinstance(value, Sequence) else value


def clean(text: str) -> str:
    """Return one line of text without hidden characters, cut to a readable length."""
    line = one_line(text.translate(BREAKS))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}… ({len(line):,} characters)"


def name(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name for a table or a picture, shortened if it is too long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def share(value: float | None) -> str:
    """Format a metric's value with three decimals, or four if it is small."""
    if value is None:
        return UNKNOWN
    return f"{value:.4f}" if 5e-5 <= abs(value) < 0.01 else f"{round(value, 3) + 0.0:,.3f}"


def interval(low: float | None, high: float | None) -> str:
    """Format two limits."""
    return UNKNOWN if low is None or high is None else f"{share(low)} to {share(high)}"


def count(value: float | None) -> str:
    """Format a whole number with thousands separators."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def ratio(value: float | None) -> str:
    """Format a design effect."""
    return UNKNOWN if value is None else f"{value:,.2f}"


def percent(value: float | None) -> str:
    """Format a share of a count, in percent."""
    return UNKNOWN if value is None else f"{100 * value:.1f} %"


def level(value: float) -> str:
    """Format a level with as many digits as it needs, six at most."""
    return f"{round(value, 6):.6g}"


def chance(value: float | None) -> str:
    """Format a p-value."""
    return UNKNOWN if value is None else f"{value:.2g}"


def moment(at: str) -> str:
    """Format a time of the ledger (ISO 8601, UTC) to the minute."""
    return f"{at[:10]} {at[11:16]} UTC" if len(at) >= 16 and at[10:11] == "T" else at


def plural(number: int, one: str, more: str | None = None) -> str:
    """Format a count with its noun."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
