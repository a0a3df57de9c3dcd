"""Answers that arrive by themselves, such as chargebacks: until when, what a missing one means then, and how earlier ones arrived."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple, cast

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json

Meaning = Literal["unknown", "negative"]
MEANINGS: tuple[Meaning, ...] = ("unknown", "negative")
Delays = tuple[tuple[int, int], ...]  # days, and how many earlier positives arrived after so many; by days


class Arrived(NamedTuple):
    """Of so many earlier positives, how many had arrived by the same age; in a simulation one number for each replicate."""

    come: int | IntArray
    of: int


class Arrivals(NamedTuple):
    """The earlier positives of both sides; None on a side where no answer arrives by itself."""

    flagged: Arrived | None
    unflagged: Arrived | None


def day_of(text: str) -> date:
    """The day that a text names; raise PlanError if it names none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PlanError(f"a day is written YEAR-MONTH-DAY, got {text!r}: write 2025-12-31") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """What a study says beforehand about answers that arrive by themselves.

    until     the day until which answers may arrive; numbers are provisional before
    since     the day from which delays count, for this study's units as for the earlier positives
    missing   what a missing answer means then: unknown, or negative
    flagged, unflagged   how earlier positives of each side arrived; empty where no answer arrives by itself
    """

    until: str
    since: str
    missing: Meaning = "unknown"
    flagged: Delays = ()
    unflagged: Delays = ()

    def __post_init__(self) -> None:
        """Raise PlanError unless the days are in order and a missing answer that means something has earlier arrivals behind it."""
        if day_of(self.until) <= day_of(self.since):
            raise PlanError(f"answers arrive after the day from which delays count, got {self.since} until {self.until}: name a later day")
        if self.missing not in MEANINGS:
            raise PlanError(f"a missing answer means {' or '.join(MEANINGS)}, got {self.missing!r}: choose one of these")
        negative, known = self.missing == "negative", bool(self.flagged or self.unflagged)
        if negative != known:
            way = "hand in the delays of earlier positives" if negative else "leave the delays out, or say that a missing one is negative"
            raise PlanError(
                f"a missing answer is taken as negative by how earlier positives arrived, but missing means {self.missing} and there are "
                f"{'no ' if negative else ''}delays: {way}"
            )

    def arrivals(self, day: str) -> Arrivals | None:
        """How many of the earlier positives had arrived at the age that units have that day; None if a missing answer means nothing."""
        if self.missing != "negative":
            return None
        age = (day_of(day) - day_of(self.since)).days
        return Arrivals(*(_arrived(delays, age) for delays in (self.flagged, self.unflagged)))

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        sides = {name: [list(pair) for pair in delays] for name, delays in (("flagged", self.flagged), ("unflagged", self.unflagged))}
        return {"until": self.until, "since": self.since, "missing": self.missing, **cast("dict[str, Json]", sides)}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Late":
        """What `as_json` wrote."""
        sides = {name: tuple((days, count) for days, count in data[name]) for name in ("flagged", "unflagged")}
        return cls(until=data["until"], since=data["since"], missing=data["missing"], **sides)


def _arrived(delays: Delays, age: int) -> Arrived | None:
    if not delays:
        return None
    return Arrived(sum(count for days, count in delays if days <= age), sum(count for _, count in delays))
