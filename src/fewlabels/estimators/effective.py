"""Effective n: how many labels of a simple draw (simple random sample) would give an equally wide interval at the same value."""

from dataclasses import replace
from functools import partial

import numpy as np

from fewlabels.estimators.comparing import matters
from fewlabels.estimators.measuring import measure, sides_of
from fewlabels.estimators.sides import Measured, Sides, read_sides
from fewlabels.estimators.weighted import read_side
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import AnyTally, JointTally, PairTally, PhasedTally, Tally
from fewlabels.nouns.weights import WeightSums

GRID = 240  # steps of each of the two passes; the answer is good to about 0.01 %


def simple_tally(metric: Metric, like: Tally, *, p1: float, p0: float, n: FloatArray) -> Tally:
    """The expected tally of n labels of a simple draw if the positive shares were p1 and p0; n may be an array of sizes.

    The draw is from the side(s) the metric needs: the flagged units for precision, all units for recall.
    """
    both = ((True, like.N1, p1, metric.needs_flagged), (False, like.N0, p0, metric.needs_unflagged))
    sides = [(flagged, size, share) for flagged, size, share, needed in both if needed and size > 0]
    N = np.array([_units(like, flagged) for flagged, _, _ in sides])
    labels = n[..., None] * N / N.sum()
    share = np.array([p for _, _, p in sides])
    return Tally(
        flagged=np.array([flagged for flagged, _, _ in sides]),
        N=N,
        n=labels,
        k=labels * share,
        logit=np.zeros(N.size),
        expected=np.full(N.size, 0.5),
        N1=like.N1,
        N0=like.N0,
        simple=True,
        weights=_simple_weights(like, [flagged for flagged, _, _ in sides], labels / N, share),
    )


def simple_pair(metric: Metric, like: PairTally, n: FloatArray) -> PairTally:
    """The expected tally of n labels of a simple draw over the cells the difference depends on, if the shares are as estimated."""
    cells = np.flatnonzero(matters(metric, like.size) & (np.bincount(like.cell, minlength=like.size.size) > 0))
    N = np.array([like.tally.N[like.cell == c].sum() for c in cells])
    share = np.array([float(np.nan_to_num(read_side(like.part(c)).p)) for c in cells.tolist()])
    labels = n[..., None] * N / N.sum()
    flagged = cells >= 2
    tally = Tally(
        flagged=flagged, N=N, n=labels, k=labels * share, logit=np.zeros(N.size), expected=np.full(N.size, 0.5), N1=like.tally.N1,
        N0=like.tally.N0, simple=True, weights=_simple_pair_weights(like, cells, labels / N, share),
    )  # fmt: skip
    return PairTally(tally, cells.astype(np.int64), like.size)


def _simple_pair_weights(like: PairTally, cells: IntArray, rate: FloatArray, share: FloatArray) -> WeightSums | None:
    w = like.tally.weights
    if w is None:
        return None
    mine = [like.cell == c for c in cells.tolist()]
    X, XX = (np.array([values[cell].sum() for cell in mine]) for values in (w.X, w.XX))
    return WeightSums(
        X, XX, np.array([w.top[cell].max() for cell in mine]), rate * X, rate * XX, rate * X * share, rate * XX * share
    )  # fmt: skip


def _units(like: Tally, flagged: bool) -> float:
    """The units on a side; those of its groups if the metric sums weights, which do not determine units."""
    if like.weights is None:
        return like.N1 if flagged else like.N0
    return float(like.N[like.flagged == flagged].sum())


def _simple_weights(like: Tally, sides: list[bool], rate: FloatArray, share: FloatArray) -> WeightSums | None:
    """The expected weight sums of a simple draw; None if units are counted."""
    if like.weights is None:
        return None
    mine = [like.flagged == flagged for flagged in sides]
    X, XX = (np.array([values[side].sum() for side in mine]) for values in (like.weights.X, like.weights.XX))
    top = np.array([like.weights.top[side].max() for side in mine])
    return WeightSums(X, XX, top, rate * X, rate * XX, rate * X * share, rate * XX * share)


def effective_n(
    metric: Metric, tally: AnyTally, measured: Measured, *, tail: float, interval: IntervalKind = USUAL_INTERVAL, sides: Sides | None = None
) -> float | None:
    """The n of a simple draw whose interval of the same kind is as wide as the measured one at the same value; None without a value.

    sides   the result of `sides_of` for this tally; computed if omitted
    """
    if not np.isfinite(measured.value):
        return None
    width = float(measured.high - measured.low)
    low, high = 1.0, _frame(metric, tally)
    frame = high
    if not frame:  # a cost of a side that has no unit: known without a label
        return 0.0
    sides = sides or sides_of(tally)
    for _ in range(2):
        n = np.geomspace(low, high, GRID)
        drawn = _simple(metric, tally, n, sides=sides)
        key = (metric.needs_flagged, metric.needs_unflagged, low, high)
        read = sides.of_simple(key, partial(read_sides, drawn)) if sides is not None and isinstance(drawn, Tally) else None
        simple = measure(metric, drawn, tail=tail, interval=interval, sides=read)
        wide_enough = simple.high - simple.low > width + 1e-9
        if wide_enough.all():
            return float(frame)
        if not wide_enough.any():
            return float(low)
        last = int(np.flatnonzero(wide_enough)[-1])
        low, high = float(n[last]), float(n[min(last + 1, GRID - 1)])
    return float(high)


def _frame(metric: Metric, tally: AnyTally) -> float:
    """The number of units the metric is about."""
    if isinstance(tally, JointTally):
        return tally.tallies[0].N1 + tally.tallies[0].N0
    if isinstance(tally, PairTally):
        return float(tally.tally.N[matters(metric, tally.size)[tally.cell]].sum())
    if isinstance(tally, PhasedTally):
        return _frame(metric, tally.pilot)
    return sum(_units(tally, side) for side, needed in ((True, metric.needs_flagged), (False, metric.needs_unflagged)) if needed)


def _simple(metric: Metric, tally: AnyTally, n: FloatArray, *, sides: Sides | None) -> AnyTally:
    """The expected tallies of simple draws of these sizes if the shares were those estimated, with the same correlations."""
    if isinstance(tally, PairTally):
        return simple_pair(metric, tally, n)
    if isinstance(tally, JointTally):
        both = replace(metric, needs_flagged=True, needs_unflagged=True)
        parts = tuple(_simple(both, part, n, sides=sides_of(part)) for part in tally.tallies)
        return JointTally(tuple(part for part in parts if isinstance(part, Tally)), tally.correlation)
    assert sides is not None  # of one classifier
    like = tally.pilot if isinstance(tally, PhasedTally) else tally
    p1, p0 = float(np.nan_to_num(sides.flagged.p)), float(np.nan_to_num(sides.other.p))
    return simple_tally(metric, like, p1=p1, p0=p0, n=n)
