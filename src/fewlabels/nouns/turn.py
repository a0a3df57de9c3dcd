"""A turn: one look that one labeler has, or is to have, at one unit; leased, and open to others when the lease is over."""

from typing import Literal, NamedTuple

TurnKind = Literal["label", "double", "again", "check", "adjudication"]


class Turn(NamedTuple):
    """One look at a unit. `number` counts the looks at it from 1; a `labeler` named beforehand is the only one to have it.

    kind   label: the first look; double: a second by design; again: of a unit that nobody could tell, by whomever; check: at a unit whose
           gold answer is known; adjudication: where two disagree
    told   when it was told, of a look that took place elsewhere
    """

    unit: str
    number: int
    kind: TurnKind = "label"
    labeler: str | None = None
    told: float | None = None


class Finished(NamedTuple):
    """A unit that a labeler has answered, when, and the seconds the look took."""

    unit: str
    labeler: str
    at: float
    seconds: float | None = None


class Held(NamedTuple):
    """A unit leased to a labeler, and until when, in seconds since 1970."""

    unit: str
    until: float


class UnitTurns(NamedTuple):
    """The turns of one unit: the number of the newest, and how many are not told yet."""

    newest: int = 0
    waiting: int = 0


class TurnCounts(NamedTuple):
    """Turns that wait for a labeler, are leased, and are told."""

    open: int
    held: int
    told: int
