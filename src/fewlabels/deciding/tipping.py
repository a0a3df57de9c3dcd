"""The tipping point of a verdict: how many positives may hide where the scores see none before it falls, and how many the labels rule out.

R is a region of the unflagged units, those scored below a value that the plan fixes; B of them are positive. From the labels alone, no
score believed:

    m*    the largest B with which the limit of the metric from the labels outside R, at half of the tail, still reaches the target
    U     the upper limit of B from the labels in R alone, at the other half

The target is reached whatever hides in R if U <= m*: each half is missed with at most its probability, so both are with at most the tail.
Otherwise the verdict stands unless more than m* hide there, and the labels rule out more than U. To rule out more than m* takes so many
labels in R, spread evenly over its bands, if none of them is positive:

    n(m*)  the smallest n for which U <= m*; in one band, with  C(N - m* - 1, n) / C(N, n) <= tail / 2

Derivation: docs/maths/tipping.md.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.sides import side_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.mover import mover
from fewlabels.intervals.weighted_sum import none_seen
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.tipping import TippingPoint

ROUNDING = 1e-6  # of a unit


class Hidden(NamedTuple):
    """A study's labels by group, one classifier's, and the groups of its unflagged units that are the region scored below a value."""

    tally: Tally
    region: BoolArray
    below: float


def tipping_point(goal: Goal, hidden: Hidden, *, tail: float) -> TippingPoint:
    """The tipping point of a target, which may be missed with probability `tail`."""
    tally, region = hidden.tally, hidden.region
    inside = tally.pick(region)
    units, labels, found = (round(float(counts.sum())) for counts in (inside.N, inside.n, inside.k))
    ruled_out = most_hidden(inside, tail=tail / 2)
    reached = _Reached(goal.definition, tally, region, tail=tail / 2)
    stands = _largest(lambda m: reached(m, target=goal.value, at_least=goal.kind == ">="), units)
    return TippingPoint(
        goal=str(goal),
        below=hidden.below,
        units=units,
        labels=labels,
        found=found,
        stands=stands,
        ruled_out=ruled_out,
        to_rule_out=None if stands is None or stands >= units or found else labels_to_rule_out(inside, stands, tail=tail / 2),
    )


class _Reached:
    """The limit of the metric for a number of positives in the region."""

    def __init__(self, metric: Metric, tally: Tally, region: BoolArray, *, tail: float) -> None:
        parts = (tally.pick(tally.flagged), tally.pick(~tally.flagged & ~region))
        self._metric, self._tally = metric, tally
        self._sides = [read_side(part) for part in parts]
        self._ends = [side_limits(side, tail, USUAL_INTERVAL, needed=bool(side.N), joined=True) for side in self._sides]

    def __call__(self, m: int, *, target: float, at_least: bool) -> bool:
        """Whether the target is reached if m positives are there."""
        N1, outside = (side.N for side in self._sides)
        N0 = self._tally.N0

        def theta(p1: FloatArray, p0: FloatArray) -> FloatArray:
            return self._metric.value(Totals.of_sides(N1 * p1, outside * p0 + m, N1=N1, N0=N0))

        points = [np.nan_to_num(side.p) for side in self._sides]
        found = mover(theta, points, self._ends, low=self._metric.low, high=self._metric.high)
        return bool(found.low >= target) if at_least else bool(found.high <= target)


def _largest(holds: Callable[[int], bool], most: int) -> int | None:
    """The largest m up to `most` with which it holds, if it holds for all smaller ones; None if not even for 0."""
    if not holds(0):
        return None
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def most_hidden(inside: Tally, *, tail: float) -> int:
    """U: the most positives that the labels of a region do not rule out."""
    return math.floor(float(inside.N.sum()) * float(side_limits(read_side(inside), tail, USUAL_INTERVAL).high) + ROUNDING)


def labels_to_rule_out(inside: Tally, most: int, *, tail: float) -> int:
    """How many labels, spread evenly over a region and none of them positive, rule out more than `most` positives."""
    alike = replace(inside, expansions=None)  # an even draw takes all units of a group at one rate

    def ruled_out(n: int) -> bool:
        return most_hidden(alike.counted(evenly(inside.N, n), np.zeros(inside.N.size)), tail=tail) <= most

    units = round(float(inside.N.sum()))
    low = labels_without(most + 1, units, tail=tail) - 1  # bands that do not divide evenly take a few more
    step = 1
    while low + step < units and not ruled_out(low + step):
        low, step = low + step, 2 * step
    high = min(low + step, units)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ruled_out(middle) else (middle, high)
    return high


def evenly(N: FloatArray, n: int) -> FloatArray:
    """Spread n labels over bands of N units, each at the same rate up to a label; the largest remainders get one more."""
    exact = n * N / N.sum()
    take = np.floor(exact)
    more = np.argsort(take - exact, kind="stable")[: round(n - float(take.sum()))]
    take[more] += 1
    return np.asarray(take)


def labels_without(m: int, units: int, *, tail: float) -> int:
    """How many labels of one band without a positive rule out m >= 1 positives among its units."""
    low, high = 0, units
    while high - low > 1:
        n = (low + high) // 2
        seen = none_seen(np.array([float(units)]), np.array([float(n)]), np.array([float(m)]))
        low, high = (low, n) if float(seen) <= np.log(tail) else (n, high)
    return high
