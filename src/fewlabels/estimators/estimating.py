"""From a tally to an Estimate: the measured metric with its effective n, for one study."""

from dataclasses import replace

import numpy as np

from fewlabels.estimators.comparing import matters
from fewlabels.estimators.effective import effective_n
from fewlabels.estimators.gold import GoldTally, corrected_tally, measure_with_gold, missing_gold
from fewlabels.estimators.measuring import clusters_behind, measure, sides_of
from fewlabels.estimators.phases import read_phases
from fewlabels.estimators.process import too_few_clusters
from fewlabels.estimators.sides import Sides, prepare, read_sides
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.estimate import USUAL_INTERVAL, Estimate, IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import AnyTally, GapTally, JointTally, PairTally, PhasedTally, Tally

LARGEST_TAIL = 0.49


def estimate(
    metric: Metric,
    tally: AnyTally,
    *,
    classifier: str,
    level: float,
    planned: bool,
    interval: IntervalKind = USUAL_INTERVAL,
    effective: bool = True,
    sides: Sides | None = None,
) -> Estimate:
    """The metric with a two-sided interval at `level`. The labels counted are those of the side(s) the metric needs.

    effective   False leaves out the effective n, which takes most of the time
    sides       the result of `sides_of` for this tally, if several metrics are read from it; computed if omitted
    """
    tail, sides = (1 - level) / 2, sides or sides_of(tally)
    if sides is not None and not sides.known:
        prepare([sides], (tail, one_sided_tail(level)), interval)
    measured = measure(metric, tally, tail=tail, interval=interval, sides=sides)
    beside = untrusting(interval)
    strict = measured if beside == interval else measure(metric, tally, tail=tail, interval=beside, sides=sides)
    bound = measure(metric, tally, tail=one_sided_tail(level), interval=interval, sides=sides)
    value = float(measured.value)
    known = bool(np.isfinite(value))
    return Estimate(
        metric=metric.name,
        classifier=classifier,
        value=value if known else None,
        low=float(measured.low),
        high=float(measured.high),
        at_least=max(float(bound.low), float(measured.low)),
        at_most=min(float(bound.high), float(measured.high)),
        strict_low=min(float(strict.low), float(measured.low)),
        strict_high=max(float(strict.high), float(measured.high)),
        level=level,
        standard_error=float(measured.standard_error) if known else None,
        n_eff=effective_n(metric, tally, measured, tail=tail, interval=interval, sides=sides) if effective else None,
        labels=round(_labels(metric, tally)),
        interval=interval,
        planned=planned,
        why=None if known else _why(metric, tally),
    )


def untrusting(interval: IntervalKind) -> IntervalKind:
    """The interval beside one that trusts the scores, which does not; one that trusts nothing has none beside it."""
    return "strict" if interval_named(interval).believes_guide else interval


def one_sided_tail(level: float) -> float:
    """The tail of a one-sided bound: 1 - level, or slightly less at a level of one half, where the bound would be the value itself."""
    return min(1 - level, LARGEST_TAIL)


def correct(told: Estimate, metric: Metric, tally: Tally, gold: GoldTally, *, effective: bool = True) -> Estimate:
    """The estimate corrected by gold answers, counted by the groups of the tally; the estimate from the labels as recorded is kept.

    If a side the metric needs has no gold answer, there is no value, and the estimate says why.
    """
    lacking = missing_gold(metric, tally, gold)
    tail = (1 - told.level) / 2
    measured = measure_with_gold(metric, tally, gold, tail=tail, interval=told.interval)
    beside = untrusting(told.interval)
    strict = measured if beside == told.interval else measure_with_gold(metric, tally, gold, tail=tail, interval=beside)
    bound = measure_with_gold(metric, tally, gold, tail=one_sided_tail(told.level), interval=told.interval)
    needed = np.where(tally.flagged, metric.needs_flagged, metric.needs_unflagged)
    known = bool(np.isfinite(measured.value))
    return replace(
        told,
        value=float(measured.value) if known else None,
        low=float(measured.low),
        high=float(measured.high),
        at_least=float(bound.low),
        at_most=float(bound.high),
        strict_low=float(strict.low),
        strict_high=float(strict.high),
        standard_error=float(measured.standard_error) if known else None,
        n_eff=effective_n(metric, corrected_tally(tally, gold), measured, tail=tail, interval=told.interval) if effective else None,
        why=None if known else lacking or told.why or f"{metric.name} is 0/0 on the gold answers",
        told_value=told.value,
        told_low=told.low,
        told_high=told.high,
        gold=round(float((gold.yes + gold.no)[needed].sum())),
    )


def _labels(metric: Metric, tally: AnyTally) -> float:
    """The number of labels on the side(s) the metric needs; for several labels or classes, the number of labeled units."""
    if isinstance(tally, JointTally):
        return float(tally.labels)
    if isinstance(tally, PairTally):
        return float(tally.tally.n[matters(metric, tally.size)[tally.cell]].sum())
    if isinstance(tally, GapTally):
        return sum(_labels(metric, one) for one in tally.tallies)
    if isinstance(tally, PhasedTally):
        return _labels(metric, tally.pilot) + _labels(metric, tally.rest)
    return float(tally.pick(np.where(tally.flagged, metric.needs_flagged, metric.needs_unflagged)).labels)


def _why(metric: Metric, tally: AnyTally) -> str:
    """Why there is no value."""
    if (few := too_few_clusters(clusters_behind(metric, tally))) is not None:
        return few
    if isinstance(tally, JointTally):
        return f"{metric.name} needs a value of every label or class, and one has none on these labels: label more"
    if isinstance(tally, PairTally):
        return f"{metric.name} of one of the two is 0/0 on these labels, or a part they tell apart has no label: label more"
    if isinstance(tally, GapTally):
        assert metric.gap is not None
        part = metric.gap.of
        unknown = next(at for at, one in enumerate(tally.tallies) if not np.isfinite(measure(part, one, tail=LARGEST_TAIL).value))
        return f"in {metric.gap.column}={tally.slices[unknown]}: {_why(part, tally.tallies[unknown])}"
    if isinstance(tally, PhasedTally):
        return _why_not(metric, tally.pilot, read_phases(tally))
    return _why_not(metric, tally, read_sides(tally))


def _why_not(metric: Metric, tally: Tally, sides: Sides) -> str:
    if metric.needs_flagged and tally.N1 and not np.isfinite(sides.flagged.p):
        return "no flagged unit is labeled: label some, or plan a goal that needs them"
    if metric.needs_unflagged and tally.N0 and not np.isfinite(sides.other.p):
        return "no unflagged unit is labeled: the draw was made for the flagged side only, plan a goal that needs both"
    return f"{metric.name} is 0/0 on these labels: no unit that it is a share of was found yet"
