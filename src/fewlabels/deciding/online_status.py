"""Where the goals of an online study stand: their confidence sequences (running bands), and whether they are decided.

    ship          every goal met, each tested at the whole error 1 - level (a single failing test prevents it: the error is not split)
    do not ship   some goal not met, each tested at (1 - level) / k of k goals
    bands         each at 1 - (1 - level) / k: all k hold together, at every look

A goal "at least m0" is met when the bet "above" has ever paid 1/error at m0 - tolerance, not met when the bet "below" has at m0 +
tolerance, whichever comes first. A half-width is met when the confidence sequence is that narrow. Derivation: docs/maths/anytime.md.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from fewlabels.designs.online import predicted
from fewlabels.estimators.online import point
from fewlabels.intervals.anytime import ABOVE, BELOW, Steps, Terms, after, band_of, last_best, walk
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.decision import GoalStatus
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.stopping import Stopping
from fewlabels.planning.online import Contested, Course

TIE = 1e-12
NEVER = -1  # the step at which something has not happened


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standpoint:
    """The state of one goal after some steps.

    value           the estimate from each band's labels; None if unknown
    low, high       the confidence sequence at `level`; the metric's whole range if only a sign is tested
    at_least, at_most   one-sided bounds, each at the goal's own level by itself
    empty           whether no value is left, which happens by chance with probability 1 - level at most
    n_eff           effective n: labels of a simple draw, read once, that would give as narrow an interval
    status          met, not met or open; decided at `decided_at` labels (NEVER if open)
    yes, no         the evidence that it is met, or not met, as a share of what decides: 1 decides
    """

    goal: Goal
    value: float | None
    low: float
    high: float
    at_least: float
    at_most: float
    level: float
    n_eff: float | None
    empty: bool
    status: GoalStatus
    decided_at: int
    yes: float
    no: float

    @property
    def half_width(self) -> float:
        """max(high - value, value - low); half the width if there is no value."""
        return (self.high - self.low) / 2 if self.value is None else max(self.high - self.value, self.value - self.low)


def standpoint(course: Course, one: Contested, steps: Steps, stopping: Stopping) -> Standpoint:
    """Where a goal stands after these steps of one path."""
    level = 1 - (1 - one.goal.level) / len(course.goals)
    value = _value(course, one, steps)
    (low, high), (at_least, at_most), empty = _limits(course, one, steps)
    found = Standpoint(
        goal=one.goal, value=value, low=low, high=high, at_least=at_least, at_most=at_most, level=level, empty=empty,
        n_eff=None if value is None else _as_narrow(course, one.terms, steps, value, reach=(high - low) / 2 / ndtri((1 + level) / 2)),
        status="open", decided_at=NEVER, yes=0.0, no=0.0,
    )  # fmt: skip
    return _decided(found, course, one, steps, stopping)


def _limits(course: Course, one: Contested, steps: Steps) -> tuple[tuple[float, float], tuple[float, float], bool]:
    """The confidence sequence, the one-sided bounds, and whether it is empty; the whole range if only a sign is tested or it is empty."""
    whole, error = one.goal.range, 1 - one.goal.level
    if one.sign:
        return whole, whole, False
    limit = -np.log(error / len(course.goals) / 2)
    best = last_best(one.terms, steps, one.grid, N=float(course.N.sum()), limit=limit, effects=one.effects)
    both, alone = (band_of(best, one.grid, tail=tail) for tail in (error / len(course.goals) / 2, error))
    if not np.isfinite(both.low):
        return whole, whole, True
    found = (float(both.low), float(both.high))
    return found, (float(alone.low), float(alone.high)) if np.isfinite(alone.low) else found, False


def status_of(course: Course, one: Contested, steps: Steps, stopping: Stopping) -> GoalStatus:
    """Whether a goal is decided; for a target, without computing its confidence sequence, which asking the next unit does not need."""
    if one.goal.kind == "+-":
        return standpoint(course, one, steps, stopping).status
    return _tested(course, one, steps, stopping)[0]


def _decided(found: Standpoint, course: Course, one: Contested, steps: Steps, stopping: Stopping) -> Standpoint:
    """The same with its status."""
    if one.goal.kind == "+-":
        met = found.value is not None and bool(one.goal.reached(found.value, found.low, found.high))
        half_width = found.half_width if found.value is None else float(one.goal.half_width(found.value, found.low, found.high))
        share = min(1.0, one.goal.value / max(half_width, 1e-12))
        return replace(found, status="met" if met else "open", decided_at=int(steps.band.size) if met else NEVER, yes=share)
    status, decided, shares = _tested(course, one, steps, stopping)
    return replace(found, status=status, decided_at=decided, yes=shares[0], no=shares[1])


def _tested(course: Course, one: Contested, steps: Steps, stopping: Stopping) -> tuple[GoalStatus, int, list[float]]:
    """The status of a target, the label that decided it, and the evidence for and against it as shares of what decides."""
    error = 1 - one.goal.level
    yes, no = evidence(course, one, steps, stopping)
    limits = (-np.log(error), -np.log(error / len(course.goals)))
    when = [int(np.argmax(e >= limit)) + 1 if (e >= limit).any() else NEVER for e, limit in zip((yes, no), limits, strict=True)]
    shares = [float(np.clip(e[-1] / limit, 0.0, 1.0)) if e.size else 0.0 for e, limit in zip((yes, no), limits, strict=True)]
    if max(when) == NEVER:
        return ("met", int(steps.band.size), [1.0, shares[1]]) if _is_tie(course, one, steps) else ("open", NEVER, shares)
    status: GoalStatus = "met" if when[1] == NEVER or 0 < when[0] <= when[1] else "not met"
    return status, when[0] if status == "met" else when[1], shares


def _is_tie(course: Course, one: Contested, steps: Steps) -> bool:
    """Whether every label is known and the metric equals the target, which meets it but which no bet can show."""
    if one.sign or not steps.band.size:
        return False
    last = after(steps)
    known = last.left[-1].sum() + last.missing[-1].sum() == 0
    value = _value(course, one, steps)
    return bool(known and value is not None and abs(value - one.goal.value) < TIE)


def tested_at(one: Contested, stopping: Stopping) -> FloatArray:
    """The values at which a target is tested: for being met and for not being met; for a sign, all values of the metric."""
    if one.sign:
        return one.grid[:: max(1, one.grid.size // 200)]
    toward = stopping.tolerance if one.goal.kind == ">=" else -stopping.tolerance
    return np.array([one.goal.value - toward, one.goal.value + toward])


def evidence(course: Course, one: Contested, steps: Steps, stopping: Stopping) -> tuple[FloatArray, FloatArray]:
    """The logarithm of the most that the bets for "met" and for "not met" have ever paid, after each step."""
    m = tested_at(one, stopping)
    parts = list(walk(one.terms, steps, m, N=float(course.N.sum()), effects=one.effects))
    best = np.concatenate(parts) if parts else np.empty((0, m.size, 2))
    for_met, against = (ABOVE, BELOW) if one.goal.kind == ">=" else (BELOW, ABOVE)
    if one.sign:
        return best[..., for_met].min(axis=-1), best[..., against].min(axis=-1)
    return best[:, 0, for_met], best[:, 1, against]


def _value(course: Course, one: Contested, steps: Steps) -> float | None:
    """The estimated metric; None if only a sign is tested."""
    if one.sign or not steps.band.size:
        return None
    last = after(steps)
    found = point(one.terms, course.N, course.prior, positives=last.positives[-1], negatives=last.negatives[-1])
    return float(found) if np.isfinite(found) else None


def _as_narrow(course: Course, terms: Terms, steps: Steps, value: float, *, reach: float) -> float:
    """The labels of a simple draw over the same units, read once, whose standard error at the same value would be `reach`."""
    h0, h1 = (h[0] for h in terms.at(np.array([value])))
    last = after(steps)
    p, N = predicted(last.positives[-1], last.positives[-1] + last.negatives[-1], course.prior), float(course.N.sum())
    G = terms.known_g + (course.N * (p * terms.g1 + (1 - p) * terms.g0)).sum()
    variance = (course.N * (p * h1 * h1 + (1 - p) * h0 * h0)).sum() / N * (N / max(G, 1e-300)) ** 2
    n = float(variance) / max(reach, 1e-12) ** 2
    return n / (1 + n / N)
