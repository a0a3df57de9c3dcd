"""A turn: one labeler's reading of one unit, done or still to do; leased, and open to others once the lease expires."""

from typing import Literal, NamedTuple

TurnKind = Literal["label", "double", "again", "check", "adjudication"]


class Turn(NamedTuple):
    """One reading of a unit. `number` counts its readings from 1; if `labeler` is set, only that labeler may take the turn.

    kind   label: the first reading; double: a second one by design; again: one more, by anyone, of a unit that nobody could tell;
           check: of a unit whose gold answer is known; adjudication: where two labelers disagree
    told   when the answer was recorded, for a reading that took place elsewhere
    """

    unit: str
    number: int
    kind: TurnKind = "label"
    labeler: str | None = None
    told: float | None = None


class Finished(NamedTuple):
    """A unit that a labeler has answered, when, and how many seconds it took."""

    unit: str
    labeler: str
    at: float
    seconds: float | None = None


class Leased(NamedTuple):
    """A unit leased to a labeler, and when the lease expires, in seconds since 1970."""

    unit: str
    until: float


class UnitTurns(NamedTuple):
    """The turns of one unit: the number of the newest, and how many have no recorded answer yet."""

    newest: int = 0
    waiting: int = 0


class TurnCounts(NamedTuple):
    """How many turns wait for a labeler, are leased, and have a recorded answer."""

    open: int
    held: int
    told: int
