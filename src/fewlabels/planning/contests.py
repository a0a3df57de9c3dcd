"""Two classifiers against each other: which units their difference depends on, and how often each should be drawn.

    size_i = |a_c| sqrt(s_i (1 - s_i))       a_c = a^1 - a^2: what a positive in the unit's disagreement cell does to the difference
    pi     = fill(0.5 fill(size, n) + 0.2 n/N + 0.3 [disagree] min(n, D)/D, n)            D = units the two disagree on

The frame is the cells that the difference depends on: for accuracy only the disagreements, for precision all that either flags. Where
both agree, a unit matters only through the denominator, but the guide may be wrong about how little: |a_c| is taken to be at least a
tenth of the largest. Derivation: docs/maths/comparing.md.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import with_heavy
from fewlabels.designs.base import water_fill
from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import CELLS, PairGroups, difference, disagreement, matters, pair_groups, slopes
from fewlabels.estimators.linearize import CLIP, DOUBT, SUREST
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.profile import Profile

OPTIMAL, EVEN, EVEN_DISAGREED = 0.5, 0.2, 0.3
LEAST_SLOPE = 0.1  # of the largest: the least slope of a cell that matters at all


class Contest(NamedTuple):
    """Difference in a metric between two classifiers, given by their positions in the profile: first minus second."""

    profile: Profile
    metric: Metric
    first: int
    second: int

    @property
    def cell(self) -> IntArray:
        """The disagreement cell of every profile cell."""
        return disagreement(self.profile, self.first, self.second)

    @property
    def size(self) -> FloatArray:
        """The units, or the metric weight, in each disagreement cell."""
        amount = self.profile.amount(self.metric.weight)
        return np.bincount(self.cell, weights=amount, minlength=CELLS).astype(np.float64)

    @property
    def needed(self) -> BoolArray:
        """The profile cells the difference depends on; raise PlanError if it is 0 whatever the labels say."""
        need = matters(self.metric, self.size)
        if not need.any():
            raise PlanError(
                f"the two classifiers have the same {self.metric.name} whatever the labels say, because they agree or because it does not "
                "depend on them: there is nothing to label"
            )
        return np.asarray(need[self.cell])

    def groups(self, design: DrawDesign) -> PairGroups:
        """The groups of the two classifiers under a design."""
        return pair_groups(self.profile, design, self.first, self.second, weight=self.metric.weight)

    def slopes(self, share: FloatArray) -> FloatArray:
        """The effect of one more positive in each profile cell on the difference, if these are the shares."""
        held = self.profile.amount(self.metric.weight) * share
        T = np.bincount(self.cell, weights=held, minlength=CELLS).astype(np.float64)
        return np.array([float(a) for a in slopes(self.metric, [np.asarray(t) for t in T], self.size)])[self.cell]

    def value(self, share: FloatArray) -> float:
        """The difference if these are the positive shares of the profile's cells."""
        held = self.profile.amount(self.metric.weight) * share
        T = np.bincount(self.cell, weights=held, minlength=CELLS).astype(np.float64)
        return float(difference(self.metric, [np.asarray(t) for t in T], self.size))


def difference_sizes(contest: Contest) -> FloatArray:
    """How much a unit of each profile cell matters to the difference; 0 where it does not."""
    profile, cell = contest.profile, contest.cell
    s = profile.guide.copy()
    for c in np.unique(cell):
        mine = cell == c
        s[mine] = (1 - DOUBT) * s[mine] + DOUBT * np.average(s[mine], weights=profile.count[mine])
    s = np.clip(s, CLIP, SUREST)
    amount = profile.amount(contest.metric.weight)
    T = np.bincount(cell, weights=amount * s, minlength=CELLS).astype(np.float64)
    a = np.abs([float(slope) for slope in slopes(contest.metric, [np.asarray(t) for t in T], contest.size)])
    a = np.maximum(a, LEAST_SLOPE * a.max())
    return np.asarray(np.where(contest.needed, a[cell] * amount / profile.count * np.sqrt(s * (1 - s)), 0.0))


def difference_rates(contest: Contest, labels: float) -> FloatArray:
    """The inclusion probability of every profile cell's units in a draw of `labels` made for the difference; 0 where it needs none."""
    profile, frame = contest.profile, contest.needed
    count = profile.count[frame].astype(np.float64)
    pi = np.zeros(profile.count.shape)
    if labels >= count.sum():
        pi[frame] = 1.0
        return pi
    apart = np.isin(contest.cell[frame], (1, 2))
    D = count[apart].sum()
    size = difference_sizes(contest)[frame]
    best = water_fill(size, count, labels) if (size > 0).any() else np.full_like(count, labels / count.sum())
    even = np.where(apart, min(labels, D) / D, 0.0) if D else np.zeros_like(count)
    pi[frame] = water_fill(OPTIMAL * best + EVEN * labels / count.sum() + EVEN_DISAGREED * even, count, labels)
    if profile.weight is not None:
        pi[frame] = with_heavy(pi[frame], profile.mass[frame] / count, count, labels)
    return pi
