"""Effective n: how many labels of a simple draw would have given an interval as wide, at the same value.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

import numpy as np

from assay.estimators.measuring import Measured, measure
from assay.nouns.arrays import FloatArray
from assay.nouns.estimate import IntervalKind
from assay.nouns.metric import Metric
from assay.nouns.tally import Tally

GRID = 240  # steps of each of the two passes; the answer is good to about 0.01 %


def simple_tally(metric: Metric, like: Tally, *, p1: float, p0: float, n: FloatArray) -> Tally:
    """What n labels of a simple draw would say on average if the positive shares were p1 and p0; n may be an array of sizes.

    The draw is made inside the side(s) the metric needs: the flagged units for precision, all units for recall.
    """
    both = ((True, like.N1, p1, metric.needs_flagged), (False, like.N0, p0, metric.needs_unflagged))
    sides = [(flagged, size, share) for flagged, size, share, needed in both if needed and size > 0]
    N = np.array([size for _, size, _ in sides])
    labels = n[..., None] * N / N.sum()
    return Tally(
        flagged=np.array([flagged for flagged, _, _ in sides]),
        N=N,
        n=labels,
        k=labels * np.array([share for _, _, share in sides]),
        logit=np.zeros(N.size),
        expected=np.full(N.size, 0.5),
        N1=like.N1,
        N0=like.N0,
    )


def effective_n(
    metric: Metric, tally: Tally, measured: Measured, *, p1: float, p0: float, tail: float, interval: IntervalKind = "rec"
) -> float | None:
    """The n of a simple draw whose interval of the same kind is as wide as the measured one at the same value; None without a value."""
    if not np.isfinite(measured.value):
        return None
    width = float(measured.high - measured.low)
    frame = tally.N1 * metric.needs_flagged + tally.N0 * metric.needs_unflagged
    low, high = 1.0, frame
    for _ in range(2):
        n = np.geomspace(low, high, GRID)
        simple = measure(metric, simple_tally(metric, tally, p1=p1, p0=p0, n=n), tail=tail, interval=interval)
        wide_enough = simple.high - simple.low > width + 1e-9
        if wide_enough.all():
            return float(frame)
        if not wide_enough.any():
            return float(low)
        last = int(np.flatnonzero(wide_enough)[-1])
        low, high = float(n[last]), float(n[min(last + 1, GRID - 1)])
    return float(high)
