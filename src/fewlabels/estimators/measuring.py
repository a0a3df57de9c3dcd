"""From a tally to a metric with its limits: the one path of every estimate, in a study as in a simulation."""

from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import compare, paired_units, positives_of
from fewlabels.estimators.gaps import gap_between, pair_tail
from fewlabels.estimators.joint import measure_joint
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.phases import read_phases, refuse_unphased
from fewlabels.estimators.process import chance_of, of_process, units_at
from fewlabels.estimators.sides import Measured as Measured
from fewlabels.estimators.sides import Sides as Sides
from fewlabels.estimators.sides import prepare, with_ends
from fewlabels.estimators.sides import read_sides as read_sides
from fewlabels.estimators.sizes import of_sizes
from fewlabels.intervals.base import End, Interval, OfCounts
from fewlabels.intervals.binomial import binomial, counted_share, counts_of, entering
from fewlabels.intervals.mover import mover
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import AnyTally, GapTally, JointTally, PairTally, PhasedTally, Tally


class Point(NamedTuple):
    """A metric without its limits. raw_error: the standard error from the usual variance, 0 where no band saw both answers."""

    p1: FloatArray
    p0: FloatArray
    value: FloatArray
    standard_error: FloatArray
    raw_error: FloatArray


def measure(
    metric: Metric,
    tally: AnyTally,
    *,
    tail: float,
    interval: IntervalKind = USUAL_INTERVAL,
    rng: np.random.Generator | None = None,
    sides: Sides | None = None,
) -> Measured:
    """The metric, its limits (each missed with probability `tail`: alpha/2, or alpha for a one-sided bound) and standard error.

    rng     the random generator of an interval that resamples; the others need none
    sides   the result of `sides_of` for this tally, if it is measured several times; computed if omitted
    """
    if isinstance(tally, PairTally):
        return compare(metric, tally, tail=tail, interval=interval)
    if isinstance(tally, GapTally):
        return gap_of_slices(metric, tally, tail=tail, interval=interval)
    if isinstance(tally, JointTally):
        return measure_joint(metric, tally, tail=tail, interval=interval)
    if isinstance(tally, PhasedTally):
        refuse_unphased(interval)
        return measure_sides(metric, sides or read_phases(tally), tally=tally.pilot, tail=tail, interval=interval)
    return measure_sides(metric, sides or read_sides(tally), tally=tally, tail=tail, interval=interval, rng=rng)


def gap_of_slices(metric: Metric, tally: GapTally, *, tail: float, interval: IntervalKind, end: End | None = None) -> Measured:
    """The gap between slices, each measured by itself; if only the upper limit is wanted, the lower one costs nothing and says nothing."""
    assert metric.gap is not None  # counted by slice for a gap only
    rarer = tail if end == "high" else pair_tail(tail, tally.slices)
    read = [read_sides(one) for one in tally.tallies]
    prepare(read, sorted({tail, rarer}), interval)
    each, rare = (
        [measure_sides(metric.gap.of, sides, tally=one, tail=t, interval=interval) for one, sides in zip(tally.tallies, read, strict=True)]
        for t in (tail, rarer)
    )
    found = gap_between(metric, tally.slices, each, rare)
    return found._replace(low=np.zeros_like(found.low)) if end == "high" else found


def sides_of(tally: AnyTally) -> Sides | None:
    """The evidence about the two sides of one classifier; None if a tally is of several classifiers, or of cells."""
    if isinstance(tally, PhasedTally):
        return read_phases(tally)
    return read_sides(tally) if isinstance(tally, Tally) else None


def measure_sides(
    metric: Metric,
    sides: Sides,
    *,
    tally: Tally,
    tail: float,
    interval: IntervalKind = USUAL_INTERVAL,
    rng: np.random.Generator | None = None,
) -> Measured:
    """The same from sides already computed, for several metrics of one tally."""
    kind, point = interval_named(interval), _point(metric, sides, tally)
    found = _of_table(metric, sides, point, tally=tally, tail=tail, kind=kind, rng=rng)
    found = of_sizes(metric, tally, found, p1=point.p1, p0=point.p0, tail=tail)
    return of_process(metric, tally, found, p1=point.p1, p0=point.p0, tail=tail)


def bound_of(metric: Metric, sides: Sides, *, tally: Tally, tail: float, interval: IntervalKind, end: End) -> FloatArray:
    """The lower or the upper limit alone: of an interval that can, each side's limit is computed in the one direction that it needs."""
    ends = ends_needed(metric, sides, tally, end)
    sided = None if ends is None else with_ends(sides, tail, interval, ends)
    found = measure_sides(metric, sided or sides, tally=tally, tail=tail, interval=interval)
    return found.low if end == "low" else found.high


def ends_needed(metric: Metric, sides: Sides, tally: Tally, end: End) -> dict[bool, End] | None:
    """The end of each side's limits that one end of the metric's depends on; None if it may be either."""
    if tally.process is not None or tally.sizes is not None:
        return None
    point = _point(metric, sides, tally)
    totals = Totals.of_sides(tally.N1 * point.p1, tally.N0 * point.p0, N1=tally.N1, N0=tally.N0)
    slopes = dict(zip((True, False), map(np.nan_to_num, influence(metric, totals)), strict=True))
    needed = {flagged: slopes[flagged] for flagged in slopes if (metric.needs_flagged if flagged else metric.needs_unflagged)}
    if not all((slope >= 0).all() or (slope <= 0).all() for slope in needed.values()):
        return None
    falls: End = "low" if end == "high" else "high"
    return {flagged: end if (slope >= 0).all() else falls for flagged, slope in needed.items()}


def clusters_behind(metric: Metric, tally: AnyTally) -> float | None:
    """The number of clusters that carry a metric, as the labels show it; None where units come in none."""
    if isinstance(tally, GapTally):  # refused about units like these
        return None
    if isinstance(tally, PairTally):
        clustered = tally.tally.process
        if clustered is None or clustered.clusters is None:
            return None
        return float(chance_of(paired_units(metric, positives_of(metric, tally), tally), clustered).clusters)
    sides = sides_of(tally)
    one = tally.pilot if isinstance(tally, PhasedTally) else tally
    if sides is None or not isinstance(one, Tally) or one.process is None or one.process.clusters is None:
        return None
    point = _point(metric, sides, one)
    return float(chance_of(units_at(metric, one, point.p1, point.p0), one.process).clusters)


def _of_table(
    metric: Metric, sides: Sides, point: Point, *, tally: Tally, tail: float, kind: Interval, rng: np.random.Generator | None
) -> Measured:
    """The metric of the units in the table, with its limits."""
    if kind.of_counts is not None:
        return _measure_counts(metric, tally, tail=tail, kind=kind.name, limits=kind.of_counts)
    if kind.of_error is not None:
        limits = kind.of_error(metric, point.value, point.raw_error, tail)
    elif kind.of_labels is not None:
        limits = _resampled(kind, metric, tally, point.value, tail=tail, rng=rng)
    else:
        limits = _both_sides(metric, sides, point, tally=tally, tail=tail, interval=kind.name)
    return Measured(point.value, limits.low, limits.high, point.standard_error)


def _resampled(kind: Interval, metric: Metric, tally: Tally, value: FloatArray, *, tail: float, rng: np.random.Generator | None) -> Limits:
    """The limits from resampled labels."""
    if rng is None:
        raise PlanError(f"{kind.name} resamples labels, but no rng was given: pass rng=, or use {USUAL_INTERVAL}")
    assert kind.of_labels is not None  # asked of such intervals only
    return kind.of_labels(metric, tally, value, tail=tail, rng=rng)


def _point(metric: Metric, sides: Sides, tally: Tally) -> Point:
    """The metric at the estimated shares of the sides, with its standard errors."""
    one, zero = sides
    p1, p0 = one.p, zero.p
    if not metric.needs_unflagged:  # its value does not depend on that side, labeled or not
        p0 = np.zeros_like(p1)
    if not metric.needs_flagged:
        p1 = np.zeros_like(p0)
    if not tally.N1:
        p1 = np.zeros_like(p0)
    if not tally.N0:
        p0 = np.zeros_like(p1)
    totals = Totals.of_sides(tally.N1 * p1, tally.N0 * p0, N1=tally.N1, N0=tally.N0)
    value = np.clip(metric.value(totals), metric.low, metric.high)  # huge totals round beyond the range
    a1, a0 = influence(metric, totals)
    variances = ((one.v, zero.v), (one.raw, zero.raw))
    both = [(a1 * tally.N1) ** 2 * np.nan_to_num(v1) + (a0 * tally.N0) ** 2 * np.nan_to_num(v0) for v1, v0 in variances]
    smoothed, raw = (np.where(np.isfinite(value), np.sqrt(np.maximum(variance, 0.0)), np.nan) for variance in both)  # rounding at a census
    return Point(p1, p0, value, raw if tally.usual else smoothed, raw)


def _both_sides(metric: Metric, sides: Sides, point: Point, *, tally: Tally, tail: float, interval: IntervalKind) -> Limits:
    """The interval of each side, joined by MOVER."""

    def theta(p1: FloatArray, p0: FloatArray) -> FloatArray:
        return metric.value(Totals.of_sides(tally.N1 * p1, tally.N0 * p0, N1=tally.N1, N0=tally.N0))

    joined = metric.needs_flagged and metric.needs_unflagged and min(tally.N1, tally.N0) > 0
    limits = [
        sides.limits(tail, interval, flagged=True, needed=metric.needs_flagged, joined=joined),
        sides.limits(tail, interval, flagged=False, needed=metric.needs_unflagged, joined=joined),
    ]
    return mover(theta, (point.p1, point.p0), limits, low=metric.low, high=metric.high)


def _measure_counts(metric: Metric, tally: Tally, *, tail: float, kind: str, limits: OfCounts) -> Measured:
    """A share as counted, x of m labels, without the known sizes of the sides."""
    share = counted_share(metric, tally, kind)
    x, m = share.counted(counts_of(tally))
    enters = entering(metric)
    sides = ((True, enters.flagged and tally.N1 > 0), (False, enters.unflagged and tally.N0 > 0))
    if not all((tally.flagged == side).any() for side, needed in sides if needed):  # a side that was never drawn from
        m = np.zeros_like(m)
    u = np.divide(x, m, out=np.full(x.shape, np.nan), where=m > 0)
    ends = [share.value(end) for end in binomial(x, m, tail, limits=limits)]
    low, high = (np.where(m > 0, end, whole) for end, whole in ((np.minimum(*ends), metric.low), (np.maximum(*ends), metric.high)))
    error = np.abs(share.slope(u)) * np.sqrt(u * (1 - u) / np.where(m > 0, m, 1.0))
    value = np.clip(share.value(u), metric.low, metric.high)
    return Measured(value, np.clip(low, metric.low, metric.high), np.clip(high, metric.low, metric.high), error)
