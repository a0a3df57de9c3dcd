"""Delays of earlier positives, from a file with a row for each: the days after which it arrived, and optionally its side."""

from collections import Counter
from pathlib import Path

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import read_rows
from fewlabels.nouns.late import Delays

SIDES = ("flagged", "unflagged")


def read_delays(path: Path) -> dict[str, Delays]:
    """Return how many arrived after how many days, by side; a row without a side is of an unflagged unit."""
    found: dict[str, Counter[int]] = {side: Counter() for side in SIDES}
    for row, item in enumerate(read_rows(path), start=1):
        if "days" not in item:
            raise LabelError(f"{path}, row {row}: a column named days is needed, but the row has {', '.join(item)}: rename it")
        side = item.get("side", "").strip() or "unflagged"
        if side not in SIDES:
            raise LabelError(f"{path}, row {row}: a side is {' or '.join(SIDES)}, got {side!r}: correct it")
        found[side][_days(item["days"], path, row)] += 1
    if not any(found.values()):
        raise LabelError(f"{path} names no earlier positive: a row for each is needed, with the days after which it arrived")
    return {side: tuple(sorted(days.items())) for side, days in found.items()}


def _days(text: str, path: Path, row: int) -> int:
    """A delay; raise LabelError for what is none."""
    try:
        days = int(text)
    except ValueError:
        days = -1
    if days < 0:
        raise LabelError(f"{path}, row {row}: a delay is a whole number of days, 0 or more, got {text!r}: correct it")
    return days
