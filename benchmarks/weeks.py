"""Two periods whose units partly come again: populations with known truth, and draws coordinated by one permanent number a unit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.made import known
from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.periods import Shared, without
from fewlabels.nouns import ladder
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design

Rows = NDArray[np.int64]


class Units(NamedTuple):
    """All units of both periods: the truth, and for each period who is in it and what the classifier scores."""

    y: NDArray[np.bool_]
    member: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    score: tuple[NDArray[np.float64], NDArray[np.float64]]
    threshold: float = 0.5


def two_weeks(rng: np.random.Generator, *, share: float, separation: float, again: float, N: int = 10_000, odd: bool = False) -> Units:
    """N units a week, `again` of them in both; the classifier of the second week separates a little less.

    odd   units that come again are positive ten times as seldom, and look the same
    """
    M = round(N * (2 - again))
    member = (np.arange(M) < N, np.arange(M) >= M - N)
    y = rng.random(M) < np.where(member[0] & member[1] & odd, share / 10, share)
    lasting = rng.normal(0, 1, M)
    scores = []
    for fades in (1.0, 0.9):
        signal = np.sqrt(0.8) * lasting + np.sqrt(0.2) * rng.normal(0, 1, M) + fades * separation * y
        scores.append(1 / (1 + np.exp(separation**2 / 2 - separation * signal - np.log(share / (1 - share)))))
    return Units(y, member, (scores[0], scores[1]))


class Period:
    """One period with a draw made for one metric."""

    def __init__(self, units: Units, which: int, metric: Metric, labels: int) -> None:
        """Makes the profile and the design as a study would, and sorts the units by band once."""
        self.unit: Rows = np.flatnonzero(units.member[which])
        self.y = units.y[self.unit]
        score = units.score[which][self.unit]
        flagged = score >= units.threshold
        at = known("", self.y, score, flagged)
        names = at.profile.pattern * ladder.BINS + at.profile.guide_bin
        cell = np.searchsorted(names, flagged * ladder.BINS + ladder.bin_of(score))
        design = choose_design(at.profile, [metric], labels=labels)
        self.groups: Groups = groups_of(at.profile, design)
        self.home: Rows = self.groups.of_cell[cell]
        self.take = takes_of(design, min(labels, design.frame))
        band = design.band[cell]
        inside = np.flatnonzero(band >= 0)
        self.order = inside[np.argsort(band[inside], kind="stable")]
        self.start = np.concatenate([[0], np.cumsum(design.N)])
        self.flagged = flagged
        self.truth = _value(metric, self.y, flagged)

    def draw(self, u: NDArray[np.float64]) -> Rows:
        """The rows with the smallest numbers of every band; u is by unit of both periods."""
        mine, found = u[self.unit], []
        for a, b, n in zip(self.start[:-1], self.start[1:], self.take, strict=True):
            rows = self.order[a:b]
            found.append(rows if n >= b - a else rows[np.argpartition(mine[rows], n)[:n]])
        return np.concatenate(found)

    def count(self, rows: Rows) -> NDArray[np.float64]:
        """Labels (first row) and positives (second) by group."""
        G = self.groups.N.size
        each = [np.bincount(self.home[rows], weights=values, minlength=G) for values in (np.ones(rows.size), self.y[rows])]
        return np.stack(each).astype(np.float64)


class Both(NamedTuple):
    """Replicates of both draws: each period's tally, the units both drew, and the first period without the units that come again."""

    before: Tally
    after: Tally
    shared: Shared
    left: Tally


def draw_both(before: Period, after: Period, *, units: int, reps: int, rng: np.random.Generator) -> Both:
    """Draws of both periods from the same permanent numbers, `reps` times."""
    G1, G2 = before.groups.N.size, after.groups.N.size
    counts = [np.zeros((2, reps, size)) for size in (G1, G2, G1 * G2, G1)]
    came = np.isin(before.unit, after.unit)
    seat = np.full(units, -1)
    for r in range(reps):
        u = rng.random(units)
        rows, later = before.draw(u), after.draw(u)
        counts[0][:, r], counts[1][:, r] = before.count(rows), after.count(later)
        counts[3][:, r] = before.count(rows[came[rows]])
        seat[:] = -1
        seat[before.unit[rows]] = before.home[rows]
        first = seat[after.unit[later]]
        pair = first[first >= 0] * G2 + after.home[later[first >= 0]]
        counts[2][0, r] = np.bincount(pair, minlength=G1 * G2)
        counts[2][1, r] = np.bincount(pair, weights=after.y[later[first >= 0]], minlength=G1 * G2)
    used = np.flatnonzero(counts[2][0].sum(axis=0))
    tally = before.groups.tally(*counts[0])
    inside = came & (before.home >= 0)
    N = np.bincount(before.home[inside], minlength=G1).astype(float)
    left = without(tally, N=N, n=counts[3][0], k=counts[3][1], N1=float(came[before.flagged].sum()), N0=float(came[~before.flagged].sum()))
    return Both(tally, after.groups.tally(*counts[1]), Shared(used // G2, used % G2, *counts[2][:, :, used]), left)


def pooled_truth(metric: Metric, before: Period, after: Period) -> float:
    """The metric over the units of both periods, each counted once, as the last period that holds it has it."""
    alone = ~np.isin(before.unit, after.unit)
    y = np.concatenate([before.y[alone], after.y])
    return _value(metric, y, np.concatenate([before.flagged[alone], after.flagged]))


def _value(metric: Metric, y: NDArray[np.bool_], flagged: NDArray[np.bool_]) -> float:
    A, B = (np.asarray(float((y & side).sum())) for side in (flagged, ~flagged))
    return float(metric.value(Totals.of_sides(A, B, N1=float(flagged.sum()), N0=float((~flagged).sum()))))
