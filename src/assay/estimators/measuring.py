"""From a tally to a metric with its limits: the one path every number takes, in a study as in a simulation.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

from typing import NamedTuple

import numpy as np

from assay.estimators.linearize import influence
from assay.estimators.weighted import read_side
from assay.intervals.asymptotic import wald
from assay.intervals.mover import mover
from assay.intervals.rare import rec
from assay.nouns.arrays import FloatArray
from assay.nouns.estimate import IntervalKind
from assay.nouns.evidence import Evidence, Limits
from assay.nouns.metric import Metric, Totals
from assay.nouns.tally import Tally


class Measured(NamedTuple):
    """A metric as measured; arrays over replicates. NaN: unknown."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray

    @property
    def half_width(self) -> FloatArray:
        """max(high - value, value - low); half the width where there is no value."""
        reach = np.maximum(self.high - self.value, self.value - self.low)
        return np.where(np.isfinite(self.value), reach, (self.high - self.low) / 2)


class Sides(NamedTuple):
    """What the labels say of the flagged and of the other side."""

    flagged: Evidence
    other: Evidence


def read_sides(tally: Tally) -> Sides:
    """Both sides of a tally."""
    return Sides(read_side(tally.side(flagged=True)), read_side(tally.side(flagged=False)))


def measure(metric: Metric, tally: Tally, *, tail: float, interval: IntervalKind = "rec") -> Measured:
    """The metric, its limits (each missed with probability `tail`: alpha/2, or alpha for a one-sided bound) and standard error."""
    return measure_sides(metric, read_sides(tally), tally=tally, tail=tail, interval=interval)


def measure_sides(metric: Metric, sides: Sides, *, tally: Tally, tail: float, interval: IntervalKind = "rec") -> Measured:
    """The same from sides already read, for several metrics of one tally."""
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
    value = metric.value(totals)
    a1, a0 = influence(metric, totals)
    variance = (a1 * tally.N1) ** 2 * np.nan_to_num(one.v) + (a0 * tally.N0) ** 2 * np.nan_to_num(zero.v)
    standard_error = np.where(np.isfinite(value), np.sqrt(variance), np.nan)
    if interval == "wald":
        raw = (a1 * tally.N1) ** 2 * np.nan_to_num(one.raw) + (a0 * tally.N0) ** 2 * np.nan_to_num(zero.raw)
        low, high = wald(metric, value, np.sqrt(raw), tail)
        return Measured(value, low, high, standard_error)
    strict = interval == "strict"
    low, high = mover(
        metric,
        N1=tally.N1,
        N0=tally.N0,
        share1=p1,
        share0=p0,
        limits1=_side_limits(one, tail, needed=metric.needs_flagged, strict=strict),
        limits0=_side_limits(zero, tail, needed=metric.needs_unflagged, strict=strict),
    )
    return Measured(value, low, high, standard_error)


def _side_limits(side: Evidence, tail: float, *, needed: bool, strict: bool) -> Limits:
    """REC of a side; a point where the metric does not depend on it."""
    return rec(side, tail, strict=strict) if needed else Limits(np.zeros_like(side.p), np.zeros_like(side.p))
