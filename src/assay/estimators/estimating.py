"""From a tally to an Estimate: the measured metric with its effective n, for one study.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

import numpy as np

from assay.estimators.effective import effective_n
from assay.estimators.measuring import Sides, measure_sides
from assay.nouns.estimate import Estimate, IntervalKind
from assay.nouns.metric import Metric
from assay.nouns.tally import Tally


def estimate(
    metric: Metric, tally: Tally, sides: Sides, *, classifier: str, level: float, planned: bool, interval: IntervalKind = "rec"
) -> Estimate:
    """The metric with a two-sided interval at `level`. Labels counted are those of the side(s) the metric needs."""
    tail = (1 - level) / 2
    measured = measure_sides(metric, sides, tally=tally, tail=tail, interval=interval)
    strict = measure_sides(metric, sides, tally=tally, tail=tail, interval="strict")
    value = float(measured.value)
    known = bool(np.isfinite(value))
    p1, p0 = float(np.nan_to_num(sides.flagged.p)), float(np.nan_to_num(sides.other.p))
    counted = tally.n[np.where(tally.flagged, metric.needs_flagged, metric.needs_unflagged)]
    return Estimate(
        metric=metric.name,
        classifier=classifier,
        value=value if known else None,
        low=float(measured.low),
        high=float(measured.high),
        strict_low=float(strict.low),
        strict_high=float(strict.high),
        level=level,
        standard_error=float(measured.standard_error) if known else None,
        n_eff=effective_n(metric, tally, measured, p1=p1, p0=p0, tail=tail, interval=interval),
        labels=round(float(counted.sum())),
        interval=interval,
        planned=planned,
        why=None if known else _why(metric, tally, sides),
    )


def _why(metric: Metric, tally: Tally, sides: Sides) -> str:
    """Why there is no value."""
    if metric.needs_flagged and tally.N1 and not np.isfinite(sides.flagged.p):
        return "no flagged unit is labeled: label some, or plan a goal that needs them"
    if metric.needs_unflagged and tally.N0 and not np.isfinite(sides.other.p):
        return "no unflagged unit is labeled: the draw was made for the flagged side only, plan a goal that needs both"
    return f"{metric.name} is 0/0 on these labels: no unit that it is a share of was found yet"
