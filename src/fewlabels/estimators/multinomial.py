"""A metric from the four counts of one simple draw, if not even the sizes of the sides are known.

A share of a domain (precision, recall, f1, ...) is estimated by itself: given the number of labels in its domain, those inside are
binomial.
Any other metric is a function of three shares whose estimates are uncorrelated,

    psi = (TP + FN) / n    positive among all             TP = psi r,              FN = psi (1 - r)
    r   = TP / (TP + FN)   flagged among the positive     FP = (1 - psi)(1 - s),   TN = (1 - psi) s
    s   = TN / (FP + TN)   not flagged among the others

with the limits of each joined by MOVER. Standard error: the delta method on the same parts, which for n labels is that of the
multinomial up to n / (n - 1); if no positive was found, r is unknown and the standard error is the largest that any r gives. The
population is assumed to be infinite. Derivation and coverage: docs/maths/counts.md.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.sides import Measured, side_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.binomial import share_of
from fewlabels.intervals.mover import mover
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric, Totals, over
from fewlabels.nouns.tally import Tally

ENDLESS, TIMES = 1e12, 1e6  # units, and times as many as labels: as good as infinitely many, and no digit of a label is lost beside them


class ShareParts(NamedTuple):
    """The shares of which a metric is a function: the evidence about each, and the metric's derivative by it."""

    theta: Callable[..., FloatArray]
    read: tuple[Evidence, ...]
    slopes: tuple[FloatArray, ...]

    def error(self, *, raw: bool) -> FloatArray:
        """The standard error by the delta method, from the usual variance if `raw`, else from the smoothed one."""
        variances = [part.raw if raw else part.v for part in self.read]
        return np.asarray(np.sqrt(np.sum([slope**2 * v for slope, v in zip(self.slopes, variances, strict=True)], axis=0)))


def measure_counts(metric: Metric, counts: Totals, *, tail: float, interval: IntervalKind) -> Measured:
    """The metric of a simple draw with these counts, arrays over replicates; for intervals from sides or a standard error."""
    parts = _parts(metric, counts)
    value = np.clip(metric.value(counts), metric.low, metric.high)  # huge counts round beyond the range
    of_error = interval_named(interval).of_error
    if of_error is not None:
        labeled = np.isfinite([part.p for part in parts.read]).all(axis=0)  # else their variance is unknown, not 0
        limits = of_error(metric, np.where(labeled, value, np.nan), parts.error(raw=True), tail)
    else:
        each = [side_limits(part, tail, interval) for part in parts.read]
        limits = mover(parts.theta, [part.p for part in parts.read], each, low=metric.low, high=metric.high)
    # of a part without a label MOVER gives what its corners leave possible; a metric that turns between them may be outside
    low, high = Limits(np.fmin(limits.low, value), np.fmax(limits.high, value))
    return Measured(value, low, high, np.where(np.isfinite(value), parts.error(raw=False), np.nan))


def _parts(metric: Metric, counts: Totals) -> ShareParts:
    """The share of which the metric is a function, or else the three shares of the draw."""
    share = share_of(metric)
    if share is not None:
        x, m = share.counted(counts)
        return ShareParts(share.value, (_read(x, m),), (share.slope(over(x, m)),))
    positive, negative = counts.TP + counts.FN, counts.FP + counts.TN
    n = positive + negative
    psi, r, s = positive / n, over(counts.TP, positive), over(counts.TN, negative)
    g = metric.gradient(_totals(psi, np.nan_to_num(r), np.nan_to_num(s)))
    ends = [(np.where(np.isnan(r), end, r), np.where(np.isnan(s), end, s)) for end in (0.0, 1.0)]  # a share without a label: the worst one
    by_psi = np.maximum.reduce([np.abs(g.TP * a + g.FN * (1 - a) - g.FP * (1 - b) - g.TN * b) for a, b in ends])
    read = (_read(positive, n), _read(counts.TP, positive), _read(counts.TN, negative))
    return ShareParts(lambda *three: metric.value(_totals(*three)), read, (by_psi, psi * (g.TP - g.FN), (1 - psi) * (g.TN - g.FP)))


def _totals(psi: FloatArray, r: FloatArray, s: FloatArray) -> Totals:
    """The four shares of all units."""
    return Totals(psi * r, (1 - psi) * (1 - s), psi * (1 - r), (1 - psi) * s)


def endless(most: float) -> float:
    """The units of a population of which so many labels are next to nothing."""
    return max(ENDLESS, TIMES * most)


def _read(k: FloatArray, n: FloatArray) -> Evidence:
    """The evidence of n labels, k of them inside, about a share of an infinite population."""
    one, units = np.ones(1), endless(float(np.max(n)))
    return read_side(
        Tally(
            flagged=np.array([True]),
            N=units * one,
            n=np.asarray(n, dtype=np.float64)[..., None],
            k=np.asarray(k, dtype=np.float64)[..., None],
            logit=0 * one,
            expected=0.5 * one,
            N1=units,
            N0=0.0,
            simple=True,
        )
    )
