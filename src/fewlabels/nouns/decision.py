"""A decision: each goal met, not met or open, and overall ship, do not ship, label more or, once the budget is used up, undecided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Metric

GoalStatus = Literal["met", "not met", "open"]
Outcome = Literal["ship", "do not ship", "label more", "undecided"]
THIN_N_EFF = 30
THIN_HALF_WIDTH = 0.12
NO_TARGET = "no goal has a target: the number is known as exactly as was asked, and whether it is good enough is yours to say"


def without_target(goals: Sequence[Goal]) -> list[str]:
    """The reason to add where every goal is a half-width: such a study can ship whatever the value is."""
    return [NO_TARGET] if all(goal.kind == "+-" for goal in goals) else []


def widest(metric: Metric, *, unlimited: bool = False) -> float:
    """The largest half-width that may ship: 12 points for a share, in proportion for a wider range; unlimited for a difference or a gap."""
    return math.inf if unlimited else THIN_HALF_WIDTH * (metric.high - metric.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalVerdict:
    """The verdict on one goal. `bound` is the one-sided limit that decided it, None for a half-width."""

    goal: Goal
    status: GoalStatus
    estimate: Estimate
    bound: float | None
    reason: str

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "goal": str(self.goal),
            "status": self.status,
            "bound": self.bound,
            "reason": self.reason,
            "estimate": self.estimate.as_json(),
        }


class Declared(NamedTuple):
    """A growth that was declared: the labels it adds, and which of the open goals they should settle."""

    labels: int
    settles: tuple[str, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"labels": self.labels, "settles": list(self.settles)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreLabels:
    """How many more labels should settle the open goals, and on which side. `enough` is False if even labeling all units would not do.

    declared   a growth that was declared and is not enough; more than that ends its promise
    """

    labels: int
    flagged: int
    unflagged: int
    enough: bool
    declared: Declared | None = None

    def __str__(self) -> str:
        """For people."""
        said = f"about {self.labels:,} more label{'' if self.labels == 1 else 's'}, {self.flagged:,} of them flagged"
        if self.declared is None:
            return said
        settles = ", ".join(self.declared.settles) or "none of the open goals"
        return (
            f"{said}: more than the {self.declared.labels:,} that were declared, which should settle {settles}; growing beyond them ends "
            "the promise that all looks together err no more often than the level says"
        )

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        declared = None if self.declared is None else self.declared.as_json()
        return {"labels": self.labels, "flagged": self.flagged, "unflagged": self.unflagged, "enough": self.enough, "declared": declared}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Decision(Displayed):
    """What to do, and why. `certified` is False for a peek, whose intervals do not hold at their stated level.

    about   what every number is about: the units of the table, or units like these

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> print(small_study().decide())
        SHIP
        - precision >= 0.6: shown, one-sided bound 0.7500 at 0.95
        - f1 >= 0 for new over old: shown, one-sided bound 0.3478 at 0.95
        - precision >= 0.6: exact for these 12 units; it says nothing about others: --about process
        - f1 >= 0 for new over old: exact for these 40 units; it says nothing about others: --about process
    """

    outcome: Outcome
    reasons: tuple[str, ...]
    goals: tuple[GoalVerdict, ...]
    more: MoreLabels | None
    certified: bool
    about: str = ""

    def __str__(self) -> str:
        """The verdict and its reasons, one per line."""
        head = self.outcome.upper() if self.certified else f"{self.outcome.upper()} (a peek, not certified)"
        return "\n".join([head, *(f"- {reason}" for reason in self.reasons)])

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json.

        Examples:
            >>> import fewlabels
            >>> decision = fewlabels.Decision(outcome="ship", reasons=(), goals=(), more=None, certified=True)
            >>> decision.as_json()["outcome"]
            'ship'
        """
        return {
            "outcome": self.outcome,
            "reasons": list(self.reasons),
            "goals": [g.as_json() for g in self.goals],
            "more": None if self.more is None else self.more.as_json(),
            "certified": self.certified,
            "about": self.about,
        }
