"""The contents of a tool's export: answers that can be read, and those refused with the reason."""

from collections.abc import Sequence
from typing import NamedTuple

from fewlabels.errors import LabelError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import Label

FEW = 5  # refused answers named in one message


class Refused(NamedTuple):
    """An answer that is not recorded: its unit, its place in the file or tool, and why."""

    unit: str | None
    why: str
    where: str

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"unit": self.unit, "why": self.why, "where": self.where}

    def __str__(self) -> str:
        """Return one line for a person; a hostile id cannot break it."""
        return f"{self.where}: {'no unit' if self.unit is None else f'unit {self.unit!r}'}: {self.why}"


class Found(NamedTuple):
    """The answers of a file or tool, those refused, and how many of its rows have none yet. `place` says what Label.row counts."""

    labels: list[Label]
    refused: list[Refused]
    blank: int = 0
    place: str = "row"

    def where(self, label: Label) -> str:
        """Return the place of a label."""
        return f"{self.place} {label.row}" if label.row is not None else self.place


def refuse_all(refused: Sequence[Refused]) -> LabelError:
    """Return the error for a whole file because of some of its answers."""
    named = "; ".join(map(str, refused[:FEW])) + ("; ..." if len(refused) > FEW else "")
    return LabelError(
        f"a file is recorded whole or not at all, but {len(refused):,} of its answers cannot be recorded ({named}): correct them, "
        "or leave them out with --leave-out"
    )
