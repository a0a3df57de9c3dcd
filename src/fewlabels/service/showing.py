"""How the pages of results show things: bars of intervals, shades of a matrix, and texts without words of the command line."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fewlabels.errors import FewlabelsError
from fewlabels.nouns.goal import parse_goal
from fewlabels.service.wording import for_browser

WIDE = 160  # units of a bar's picture
SHADES = 5
OUTCOMES = {"ship": "good", "do not ship": "bad", "label more": "warn", "undecided": "warn"}
STATUSES = {"met": "good", "not met": "bad", "open": "warn"}


class Ends(NamedTuple):
    """The values at both ends of a column of bars."""

    low: float
    high: float


def resolved(progress: Mapping[str, Any]) -> str:
    """Return how far the labeling is: the same words wherever a page says it."""
    return f"{progress['labels']:,} of {progress['planned']:,} planned units resolved"


def tone(word: str) -> str:
    """Return the class of a verdict or of a goal's status."""
    return OUTCOMES.get(word) or STATUSES.get(word) or "info"


def target(goal: str) -> float | None:
    """Return the target of a goal as text; None for a half-width."""
    try:
        read = parse_goal(goal)
    except FewlabelsError:
        return None
    return None if read.kind == "+-" else read.value


def ends(rows: Sequence[Mapping[str, Any]], targets: Sequence[float | None] = ()) -> Ends:
    """Return the ends of bars that fit these intervals and targets, with a little room, inside [0, 1] if all of them are."""
    found = [row[end] for row in rows for end in ("low", "high") if row.get(end) is not None] + [one for one in targets if one is not None]
    if not found:
        return Ends(0.0, 1.0)
    low, high = min(found), max(found)
    room = 0.06 * (high - low) or 0.05
    return Ends(max(low - room, 0.0) if low >= 0 else low - room, min(high + room, 1.0) if high <= 1 else high + room)


def place(value: float, between: Ends) -> str:
    """Return where a value stands in the picture of a bar."""
    share = (value - between.low) / ((between.high - between.low) or 1.0)
    return f"{WIDE * min(1.0, max(0.0, share)):.1f}"


def reach(row: Mapping[str, Any], between: Ends) -> str:
    """Return how wide a bar's interval is in its picture; one without width is still seen."""
    return f"{max(2.0, float(place(row['high'], between)) - float(place(row['low'], between))):.1f}"


def shade(cell: Mapping[str, Any]) -> int:
    """Return how dark a cell of a matrix is: from 0 to 5, by its share of its row."""
    return 0 if cell["share"] is None else round(SHADES * min(1.0, max(0.0, float(cell["share"]))))


def with_query(asked: Mapping[str, Any], **changed: Any) -> str:
    """Return the query of a table's link: what was asked for, with changes; what is empty is left out."""
    found = {name: value for name, value in {**asked, **changed}.items() if value not in ("", False, None)}
    return "?" + urlencode({name: "true" if value is True else value for name, value in found.items()})


FILTERS = {
    "ends": ends, "for_browser": for_browser, "place": place, "reach": reach, "resolved": resolved, "shade": shade, "target": target,
    "tone": tone,
    "with_query": with_query,
}  # fmt: skip
