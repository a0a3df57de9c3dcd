"""MOVER: limits of a function of several totals from the limits of each, whatever the signs.

    d_j^- = theta - min(theta at T_j's low, at its high, theta)        the other totals at their estimates
    L = theta - sqrt(sum_j (d_j^-)^2),   U likewise, clipped to the metric's range

A corner where theta is undefined counts as the limit of the range. Where theta itself is undefined nothing is known of it but
what the totals' limits leave possible. Source: Zou & Donner 2008, Statistics in Medicine 27:1693, in the sign-free form of
docs/maths/rare.md.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

import numpy as np

from assay.nouns.arrays import FloatArray
from assay.nouns.evidence import Limits
from assay.nouns.metric import Metric, Totals


def mover(metric: Metric, *, N1: float, N0: float, share1: FloatArray, share0: FloatArray, limits1: Limits, limits0: Limits) -> Limits:
    """The metric's limits from those of the positive share of the flagged (1) and the other (0) side."""

    def theta(p1: FloatArray, p0: FloatArray) -> FloatArray:
        return metric.value(Totals.of_sides(N1 * p1, N0 * p0, N1=N1, N0=N0))

    point = theta(share1, share0)
    down, up = np.zeros_like(point), np.zeros_like(point)
    for corners in ((theta(limits1.low, share0), theta(limits1.high, share0)), (theta(share1, limits0.low), theta(share1, limits0.high))):
        lowest = np.minimum.reduce([np.where(np.isnan(c), metric.low, c) for c in corners])
        highest = np.maximum.reduce([np.where(np.isnan(c), metric.high, c) for c in corners])
        down += np.maximum(point - lowest, 0) ** 2
        up += np.maximum(highest - point, 0) ** 2
    known = np.isfinite(point)
    box = _possible(metric, [theta(a, b) for a in limits1 for b in limits0])
    low = np.where(known, point - np.sqrt(down), box.low)
    high = np.where(known, point + np.sqrt(up), box.high)
    return Limits(np.clip(low, metric.low, metric.high), np.clip(high, metric.low, metric.high))


def _possible(metric: Metric, corners: list[FloatArray]) -> Limits:
    """What the totals' limits leave possible; the whole range where a corner is undefined."""
    low = np.minimum.reduce([np.where(np.isnan(c), metric.low, c) for c in corners])
    high = np.maximum.reduce([np.where(np.isnan(c), metric.high, c) for c in corners])
    return Limits(low, high)
