"""What other budgets would show of each goal, chosen and uniform, if further labels are like those so far: the draggable report curve.

Expected answers follow the shares the labels show and are read by the interval the study reports. This is a forecast, not a guarantee.
"""

from dataclasses import replace

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.estimators.effective import simple_tally
from fewlabels.estimators.grouping import Groups
from fewlabels.estimators.measuring import measure
from fewlabels.intervals.binomial import is_simple, share_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import Estimate, IntervalKind
from fewlabels.nouns.goal import Goal, whose
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.works_with import require
from fewlabels.planning.simulated_draws import spread_labels
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.study.estimate.estimates import Estimates
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import groups_for, read_answers, tally

POINTS, REACH = 14, 8  # a curve up to eight times the budget


def uniform_labels(found: Estimate, standing: Standing) -> int | None:
    """Labels drawn uniformly over the whole table that would give an interval as narrow; None if the effective n is unknown."""
    if found.n_eff is None or found.slice is not None or found.may_be_wide or found.interval == "anytime":
        return None  # a running band is wider than the interval of one look, and guarantees more
    metric, N, process = metric_named(found.metric), standing.profile.N, standing.profile.process
    if metric.traits or (process is not None and process.clusters is not None):  # effective n counts units that stand for themselves
        return None
    flagged = standing.profile.predicted(standing.position(found.classifier))
    needed = (flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)
    frame = int(standing.profile.count[needed].sum())
    return min(N, int(np.ceil(found.n_eff * N / frame))) if frame else None


def read_budgets(standing: Standing, shown: Estimates) -> list[Json]:
    """For each goal of one classifier over the whole population: half-widths at several budgets, chosen and uniform."""
    require("other budgets", standing.traits)
    answered = shown.progress.answered / max(1, shown.progress.labels)
    found = (_budgets_of(standing, shown, goal, answered) for goal in standing.plan.goals)
    return [one for one in found if one is not None]


def _budgets_of(standing: Standing, shown: Estimates, goal: Goal, answered: float) -> Json:
    metric = goal.definition
    if goal.traits or goal.slice is not None:
        return None
    plan, j = standing.plan, standing.position(goal.classifier)
    found = shown.of(goal.metric, whose(standing.classifiers[j], None))
    groups = groups_for(standing)[j]
    told = tally(read_answers(standing), groups, j)
    share = groups.spread(smoothed_shares(told))
    groups = groups._replace(process=told.process)  # with the clustering that the labels have shown
    sizes = _sizes(plan)
    tail = (1 - standing.level_of(standing.classifiers[j])) / 2
    chosen = [_chosen(metric, groups, plan, share, labels=n, answered=answered, tail=tail, interval=found.interval) for n in sizes]
    uniform = [_uniform(metric, groups, share, labels=n * answered, tail=tail, interval=found.interval) for n in sizes]
    return {
        "goal": str(goal), "kind": goal.kind, "target": goal.in_points(found.value), "value": found.value, "half_width": found.half_width,
        "low_end": metric.low, "high_end": metric.high, "now": plan.budget, "labels": sizes,
        "chosen": [round(w, 5) for w in chosen], "uniform": [round(w, 5) for w in uniform],
    }  # fmt: skip


def _sizes(plan: Plan) -> list[int]:
    """Budgets from half the plan's to several times as many, the plan's included; far below, the design would differ."""
    wide = np.geomspace(max(1, plan.budget / 2), min(plan.design.frame, REACH * plan.budget), POINTS).round().astype(np.int64)
    return [n for n in np.unique(np.append(wide, plan.budget)).tolist() if n >= plan.budget or takes_of(plan.design, n).min() >= 1]


def _chosen(
    metric: Metric, groups: Groups, plan: Plan, share: FloatArray, *, labels: int, answered: float, tail: float, interval: IntervalKind
) -> float:  # fmt: skip
    """The half-width from the expected answers of a draw by the study's own design, a share of them usable."""
    n = answered * spread_labels(groups, plan.design, labels)
    return float(measure(metric, groups.tally(n, n * share), tail=tail, interval=interval).half_width)


def _uniform(metric: Metric, groups: Groups, share: FloatArray, *, labels: float, tail: float, interval: IntervalKind) -> float:
    """The half-width from the expected answers of as many labels drawn uniformly over the whole table.

    The narrower of fewlabels' interval, which uses the sizes of both sides, and Clopper-Pearson, the usual choice for such a draw.
    """
    positives = [float((groups.N * share)[groups.flagged == side].sum()) for side in (True, False)]
    p1, p0 = (found / max(1.0, size) for found, size in zip(positives, (groups.N1, groups.N0), strict=True))
    frame = groups.N1 * metric.needs_flagged + groups.N0 * metric.needs_unflagged
    n = np.asarray(labels * frame / (groups.N1 + groups.N0))
    like = replace(simple_tally(metric, groups.tally(groups.N, groups.N * share), p1=p1, p0=p0, n=n), process=groups.process)
    own = float(measure(metric, like, tail=tail, interval=interval).half_width)
    counted = groups.process is None and share_of(metric) is not None and is_simple(metric, like)
    return min(own, float(measure(metric, like, tail=tail, interval="clopper_pearson").half_width)) if counted else own
