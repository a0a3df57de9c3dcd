"""What passes over a labelers' desk: units given, answers to them, and acknowledgments."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from fewlabels.errors import LabelError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import refuse_reserved

MOST_NAME = 200  # characters of a labeler's name


class Given(NamedTuple):
    """A unit given to a labeler: what to show of it, when the lease ends, in seconds since 1970, and the labeler's own comment."""

    unit: str
    content: Mapping[str, str | None]
    until: float
    comment: str = ""

    def as_json(self) -> dict[str, Json]:
        """Plain data for the page."""
        return {"unit": self.unit, "content": dict(self.content), "until": self.until, "comment": self.comment}


class Said(NamedTuple):
    """A labeler's answers about one unit: one per question, when, and the seconds taken. `correct` replaces their earlier answers.

    note   why the unit is left out
    """

    unit: str
    answers: Mapping[str, str]
    at: str | None = None
    seconds: float | None = None
    correct: bool = False
    note: str | None = None


class Acknowledged(NamedTuple):
    """What became of an answer, by now on disk; or why it was refused."""

    unit: str
    status: Literal["recorded", "known", "corrected", "refused"]
    why: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Plain data for the page."""
        return {**self._asdict()}


class DeskProgress(NamedTuple):
    """Progress of the labeling: looks by this labeler, looks by all, looks planned, and turns that wait for somebody.

    It counts looks, not units: a count that rose with some answers and not with others would reveal which units somebody else has seen.
    """

    told: int
    resolved: int
    planned: int
    waiting: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for the page."""
        return {**self._asdict()}


Rest = Literal["no plan", "open", "waiting", "closed", "finished"]  # what is left for a labeler, in a word


def refuse_name(labeler: str) -> None:
    """Raise LabelError if a labeler's name is empty, too long, reserved, or contains characters that cannot be printed."""
    if not labeler.strip() or len(labeler) > MOST_NAME or not labeler.isprintable():
        raise LabelError(f"a labeler's name must have 1 to {MOST_NAME} visible characters, got {labeler!r:.60}: give another")
    refuse_reserved(labeler)
