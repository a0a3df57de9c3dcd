"""Effective n: how many labels of a simple draw (simple random sample) would give an equally wide interval at the same value.

About units like these it is how many such units, each for itself and all labeled, would: a simple draw from the process is a table of them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from fewlabels.estimators.comparing import difference, matters, paired_units, positives_of
from fewlabels.estimators.measuring import measure, sides_of
from fewlabels.estimators.process import table_widths, units_at
from fewlabels.estimators.sides import Measured, Sides, prepare, read_sides
from fewlabels.estimators.weighted import read_side
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.process import Process
from fewlabels.nouns.tally import AnyTally, GapTally, JointTally, PairTally, PhasedTally, Tally
from fewlabels.nouns.weights import WeightSums

GRID = 240  # steps of each of the two passes; the answer is good to about 0.01 %
NEARBY = 3  # of these steps, on either side of where the second pass begins
TINY = 1e-300


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
    low, high = 1.0, frame_of(metric, tally)
    frame = high
    if not frame:  # a cost of a side that has no unit: known without a label
        return 0.0
    sides = sides or sides_of(tally)
    widths = partial(simple_widths, metric, tally, tail=tail, interval=read_alike(metric, sides, interval), sides=sides)
    n = np.geomspace(low, high, GRID)
    found = widths(n)
    wide_enough = found > width + 1e-9
    if wide_enough[-1]:
        return float(frame)
    if not wide_enough.any():
        return float(low)
    last = int(np.flatnonzero(wide_enough)[-1])
    return _crossing(widths, n[last : last + 2], found[last : last + 2], width + 1e-9)


def _crossing(widths: Callable[[FloatArray], FloatArray], ends: FloatArray, found: FloatArray, width: float) -> float:
    """The first of GRID sizes between two at which the interval is no wider: first where the widths at the ends say."""
    n = np.geomspace(ends[0], ends[1], GRID)
    share = np.log(found[0] / width) / np.log(found[0] / np.maximum(found[1], TINY))
    middle = int(np.clip(round(float(share) * (GRID - 1)), NEARBY, GRID - 1 - NEARBY))
    for some in (n[middle - NEARBY : middle + NEARBY + 1], n):
        wide_enough = widths(some) > width
        if wide_enough[0] and not wide_enough[-1]:
            break
    last = int(np.flatnonzero(wide_enough)[-1]) if wide_enough.any() else -1
    return float(some[min(last + 1, some.size - 1)])


def simple_widths(
    metric: Metric, tally: AnyTally, n: FloatArray, *, tail: float, interval: IntervalKind, sides: Sides | None
) -> FloatArray:
    """The widths of the intervals of simple draws of these sizes, if the shares were those estimated."""
    if process_of(tally) is not None:
        return _process_widths(metric, tally, n, tail=tail, sides=sides)
    drawn = _simple(metric, tally, n, sides=sides)
    key = (metric.needs_flagged, metric.needs_unflagged, float(n[0]), float(n[-1]))
    read = sides.of_simple(key, partial(read_sides, drawn)) if sides is not None and isinstance(drawn, Tally) else None
    if read is not None and not read.known:
        prepare([read], [tail], interval)
    simple = measure(metric, drawn, tail=tail, interval=interval, sides=read)
    return np.asarray(simple.high - simple.low)


def process_of(tally: AnyTally) -> Process | None:
    """What the table came from, if the tally is about that."""
    if isinstance(tally, JointTally | GapTally):  # refused about units like these
        return None
    one = tally.pilot if isinstance(tally, PhasedTally) else tally.tally if isinstance(tally, PairTally) else tally
    return one.process


def _process_widths(metric: Metric, tally: AnyTally, n: FloatArray, *, tail: float, sides: Sides | None) -> FloatArray:
    """The widths of the intervals of tables of so many units of the process, each for itself and all of them labeled."""
    if isinstance(tally, PairTally):
        T = positives_of(metric, tally)
        units, value, span = paired_units(metric, T, tally), difference(metric, T, tally.size), metric.high - metric.low
        return table_widths(value, units, n / frame_of(metric, tally), low=-span, high=span, tail=tail)
    assert sides is not None  # of one classifier
    one = tally.pilot if isinstance(tally, PhasedTally) else tally
    assert isinstance(one, Tally)  # joint ones are not about a process
    p1, p0 = (np.nan_to_num(side.p) for side in sides)
    value = metric.value(Totals.of_sides(one.N1 * p1, one.N0 * p0, N1=one.N1, N0=one.N0))
    units = units_at(metric, one, p1, p0)
    return table_widths(value, units, n / frame_of(metric, tally), low=metric.low, high=metric.high, tail=tail)


def read_alike(metric: Metric, sides: Sides | None, interval: IntervalKind) -> IntervalKind:
    """The interval that is read of the labels: strict takes the place of the usual one where they are not counted by band."""
    if sides is None or interval != USUAL_INTERVAL:
        return interval
    needed = [side for side, enters in ((sides.flagged, metric.needs_flagged), (sides.other, metric.needs_unflagged)) if enters]
    return "strict" if any(side.bands is None for side in needed) else interval


def frame_of(metric: Metric, tally: AnyTally) -> float:
    """The number of units the metric is about."""
    if isinstance(tally, JointTally):
        return tally.tallies[0].N1 + tally.tallies[0].N0
    if isinstance(tally, GapTally):
        return sum(frame_of(metric, one) for one in tally.tallies)
    if isinstance(tally, PairTally):
        return float(tally.tally.N[matters(metric, tally.size)[tally.cell]].sum())
    if isinstance(tally, PhasedTally):
        return frame_of(metric, tally.pilot)
    return sum(_units(tally, side) for side, needed in ((True, metric.needs_flagged), (False, metric.needs_unflagged)) if needed)


def _simple_gap(metric: Metric, like: GapTally, n: FloatArray) -> GapTally:
    """The expected tallies of n labels of a simple draw over all slices, each of which gets its share."""
    assert metric.gap is not None
    part, whole = metric.gap.of, frame_of(metric, like)
    tallies = []
    for one in like.tallies:
        p1, p0 = (float(np.nan_to_num(side.p)) for side in read_sides(one))
        tallies.append(simple_tally(part, one, p1=p1, p0=p0, n=n * (frame_of(part, one) / whole)))
    return GapTally(like.slices, tuple(tallies))


def _simple(metric: Metric, tally: AnyTally, n: FloatArray, *, sides: Sides | None) -> AnyTally:
    """The expected tallies of simple draws of these sizes if the shares were those estimated, with the same correlations."""
    if isinstance(tally, PairTally):
        return simple_pair(metric, tally, n)
    if isinstance(tally, GapTally):
        return _simple_gap(metric, tally, n)
    if isinstance(tally, JointTally):
        both = replace(metric, needs_flagged=True, needs_unflagged=True)
        parts = tuple(_simple(both, part, n, sides=sides_of(part)) for part in tally.tallies)
        return JointTally(tuple(part for part in parts if isinstance(part, Tally)), tally.correlation)
    assert sides is not None  # of one classifier
    like = tally.pilot if isinstance(tally, PhasedTally) else tally
    p1, p0 = float(np.nan_to_num(sides.flagged.p)), float(np.nan_to_num(sides.other.p))
    return simple_tally(metric, like, p1=p1, p0=p0, n=n)
