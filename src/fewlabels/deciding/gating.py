"""A rule of a policy checked against the labels, and how often a gate errs where the truth is known.

    ship          the one-sided bound at the rule's level meets the target, and the reading is not too thin
    do not ship   the opposite bound at 1 - (1 - level)/k lies on the wrong side, k rules sharing the error
    label more    else

The gate ships only if every rule does, so it ships wrongly no more often than the rule that should have stopped it: at most 1 - level.
Rates observed in a simulation have exact Clopper-Pearson limits. Derivation: docs/maths/gating.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.deciding.verdict import Reading, decide, judge, thinness
from fewlabels.intervals.binomial import clopper_pearson
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision, GoalVerdict, MoreLabels
from fewlabels.nouns.gate import Verdict

RATE_TAIL = 0.025  # of each limit of a rate: two-sided at 95 %
BROKEN_TAIL = 1e-3  # the probability of calling a gate broken that errs no more often than it may
OUTCOMES: dict[str, Verdict] = {"ship": "ship", "do not ship": "do_not_ship", "label more": "label_more", "undecided": "label_more"}


class Rated(NamedTuple):
    """The verdict on one rule, and why."""

    verdict: Verdict
    judged: GoalVerdict
    reasons: tuple[str, ...]


def rate_rule(reading: Reading, *, share: float, among: int) -> Rated:
    """The verdict on one of `among` rules, by the tests of a decision."""
    shared = judge(reading, share=share, among=among)
    if shared.status == "not met":
        return Rated("do_not_ship", shared, (shared.reason,))
    alone, thin = judge(reading, share=share), thinness(reading.estimate, fewest=reading.fewest, allowed=reading.widest)
    verdict: Verdict = "ship" if alone.status == "met" and thin is None else "label_more"
    return Rated(verdict, alone, (alone.reason,) if thin is None else (alone.reason, thin))


def decide_rules(readings: Sequence[Reading], *, share: float, more: MoreLabels | None = None) -> Decision:
    """The decision on all rules, made as a study decides on its goals."""
    return decide(readings, share=share, more=more, certified=True)


class Rate(NamedTuple):
    """How often something occurred in a simulation, with exact limits at 95 %."""

    seen: int
    reps: int

    @property
    def share(self) -> float:
        """The share of replicates in which it occurred."""
        return self.seen / self.reps

    @property
    def limits(self) -> tuple[float, float]:
        """Clopper-Pearson limits at 95 %."""
        low, high = clopper_pearson(np.asarray(float(self.seen)), np.asarray(float(self.reps)), RATE_TAIL)
        return float(low), float(high)

    def exceeds(self, allowed: float) -> bool:
        """Whether the rate is higher than chance explains if the true one is at most `allowed`: exact binomial test at 1e-3."""
        low, _ = clopper_pearson(np.asarray(float(self.seen)), np.asarray(float(self.reps)), BROKEN_TAIL)
        return bool(low > allowed)

    def __str__(self) -> str:
        """For people."""
        low, high = self.limits
        return f"{self.share:.1%} ({low:.1%} to {high:.1%})"

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        low, high = self.limits
        return {"seen": self.seen, "reps": self.reps, "share": self.share, "low": low, "high": high}
