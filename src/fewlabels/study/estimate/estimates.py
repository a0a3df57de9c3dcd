"""Estimates from a study's labels: pure functions of its Standing, so that any number can be recomputed from the ledger alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fewlabels.deciding.verdict import Reading, decide
from fewlabels.estimators.agreement import agreement
from fewlabels.estimators.estimating import correct, estimate
from fewlabels.estimators.gold import GoldTally, corrected_tally
from fewlabels.estimators.grouping import Groups
from fewlabels.estimators.measuring import sides_of
from fewlabels.estimators.missing import WORST_FROM, fill_all, worst_limits
from fewlabels.estimators.sides import Sides
from fewlabels.nouns.agreement import Agreed, Share
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import Estimate, IntervalKind
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal, whose
from fewlabels.nouns.joint import AVERAGES, CLASS_ACCURACY, JOINT_PARTS
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.metric import Gap, Metric
from fewlabels.nouns.metrics import COMMON, METRICS, metric_named
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.tally import AnyTally, GapTally, Tally
from fewlabels.nouns.works_with import refusal_of
from fewlabels.planning.goal_scope import GapAsk, ask_of
from fewlabels.study.estimate.about import about_words, beyond_the_table, few_clusters
from fewlabels.study.estimate.atlas import caution_of, caution_of_goal, way_of
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.estimate.missing import BROKEN_PROMISE, read_missing, say_missing
from fewlabels.study.estimate.result import Estimates as Estimates
from fewlabels.study.estimate.tipping import read_tipping
from fewlabels.study.estimate.warnings import closed_after_a_peek, column_warnings, read_warnings
from fewlabels.study.plan.looks import holds_at_looks
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers, StudyCounts, groups_for, read_answers, tally

# What only some studies need is imported where it is used: confidence sequences, differences, forecasts of labels.
if TYPE_CHECKING:
    from fewlabels.deciding.more_labels import Ahead

ALL = "all"  # whose metric it is where several labels or classes are judged together


class EstimateSource(NamedTuple):
    """The inputs of one estimate: the metric, its classifier, the labels, and the labels with missing answers filled in."""

    metric: Metric
    classifier: str
    tally: AnyTally
    filled: Callable[[], tuple[AnyTally, ...]]
    gold: GoldTally | None
    slice: tuple[str, str] | None = None
    over: str | None = None

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifier of the metric, or the two of a difference."""
        return tuple(name for name in (self.classifier, self.over) if name is not None)


def name_of(metric: Metric, classifier: str) -> str:
    """The classifier of a metric, or ALL for a metric of all labels or classes together."""
    return ALL if metric.joint else classifier


def read_estimates(standing: Standing, *, peek: bool = False, goals_only: bool = False) -> Estimates:
    """Every metric the draw can estimate at the plan's look; before that, only progress unless peek=True.

    goals_only   only the metrics of the goals, without effective n, cautions and warnings
    """
    done, missing, plan = progress(standing), read_missing(standing), standing.plan
    empty = Estimates(
        progress=done,
        estimates=(),
        certified=False,
        promise=BROKEN_PROMISE if missing.differs else plan.promise,
        missing=missing,
        agreement=None,
        warnings=() if goals_only else read_warnings(standing, done, missing),
        about=about_words(standing),
    )
    if not done.complete and not peek:
        return empty
    wanted = [
        one
        for one in readable(standing, goals_only=goals_only)
        if not goals_only or any(is_goal(goal, one, standing) for goal in plan.goals)
    ]
    if not done.complete and not any(float(w.tally.labels) for w in wanted):
        return empty
    interval = interval_in_force(standing)
    tallies = {id(one.tally): one.tally for one in wanted}  # metrics of one classifier share one
    sides = {key: sides_of(tally) for key, tally in tallies.items()}
    found = tuple(read_one(standing, one, missing, interval, effective=not goals_only, sides=sides[id(one.tally)]) for one in wanted)
    certified = done.complete and not closed_after_a_peek(standing)
    cautions = tuple(None if goals_only else _caution(standing, one, e) for one, e in zip(wanted, found, strict=True))
    warned = (*empty.warnings, *(() if goals_only else column_warnings(plan, tallies.values())))
    shown = replace(empty, estimates=found, certified=certified, cautions=cautions, agreement=read_agreement(standing), warnings=warned)
    return shown if goals_only else replace(shown, tipping=read_tipping(standing, missing))


def _caution(standing: Standing, one: EstimateSource, found: Estimate) -> str | None:
    """Why a reader should be careful with an interval, or with the verdict on a target that rests on it."""
    aimed = any(goal.kind != "+-" and is_goal(goal, one, standing) for goal in standing.plan.goals)
    return "; ".join(cautions_about(standing, one, found, aimed=aimed)) or None


def cautions_about(standing: Standing, one: EstimateSource, found: Estimate, *, aimed: bool) -> list[str]:
    """Why a reader should be careful with an estimate; aimed: with the verdict on a target, too."""
    plan = standing.plan
    design, labels = plan.design.name, plan.budget
    of_goal = caution_of_goal(found, way_of(plan), design=design, labels=labels) if aimed else None
    said = (caution_of(found, design=design, labels=labels), of_goal, few_clusters(one.metric, one.tally))
    return [caution for caution in said if caution is not None]


def of_look(found: Estimates, done: Progress) -> Estimates:
    """The estimates a planned look may show: metrics for which planned looks are valid."""
    kept = [(e, c) for e, c in zip(found.estimates, found.cautions, strict=True) if holds_at_looks(e.metric)]
    return replace(found, progress=done, estimates=tuple(e for e, _ in kept), cautions=tuple(c for _, c in kept), tipping=())


def readable(standing: Standing, *, goals_only: bool = False) -> list[EstimateSource]:
    """Every metric the draw can estimate, the goals' first, or only those, with the labels behind it."""
    names = standing.classifiers
    weight = standing.population["weight"]
    groups = {column: groups_for(standing, column) for column in ((None,) if weight is None else (None, weight))}
    reached = groups[None] if standing.plan.guide is None else groups_for(standing, design=standing.plans[0].design)
    answers = read_answers(standing)
    counts = StudyCounts(standing, answers, groups)
    counted: dict[tuple[bool, str | None, int], tuple[AnyTally, GoldTally | None]] = {}  # metrics of one classifier share a tally
    shown: dict[tuple[str, str], EstimateSource] = {}
    asked = _of_goals(standing, (*standing.goals, *standing.plan.goals) if goals_only else standing.goals)
    for metric, j in asked if goals_only else chain(asked, _common(standing, names)):
        name = name_of(metric, names[j])
        judged = name == ALL or (j < len(reached) and _answerable(metric, reached[j]))
        if (metric.name, name) not in shown and judged:
            key = (bool(metric.joint), metric.weight, j)
            if key not in counted:
                counted[key] = counts.labels(metric, j)
            labels, gold = counted[key]
            shown[metric.name, name] = EstimateSource(metric, name, labels, partial(counts.filled, metric, j), gold)
    slices, differences = [g for g in standing.goals if g.slice is not None], [g for g in standing.goals if g.is_difference]
    gaps = {(g.metric, g.classifier): g for g in standing.goals if g.definition.gap is not None}  # of several goals about one gap, one
    return [*shown.values(), *(shown_for(standing, answers, goal) for goal in (*slices, *differences, *gaps.values()))]


def shown_for(standing: Standing, answers: Answers, goal: Goal) -> EstimateSource:
    """The inputs of a goal's estimate, provided that the draw can estimate it."""
    metric, j = goal.definition, standing.position(goal.classifier)
    if goal.over is not None:
        from fewlabels.study.estimate.comparison import pair_tally

        count = partial(pair_tally, standing, metric, j, standing.position(goal.over))
        return EstimateSource(
            metric, standing.classifiers[j], count(answers), partial(_filled_pair, standing, answers, count), None, over=goal.over
        )
    if metric.gap is not None:
        return _gap_for(standing, answers, goal, metric.gap)
    groups = {column: groups_for(standing, column, goal.slice) for column in {None, metric.weight}}
    counts = StudyCounts(standing, answers, groups, goal.slice)
    labels, gold = counts.labels(metric, j)
    return EstimateSource(metric, name_of(metric, standing.classifiers[j]), labels, partial(counts.filled, metric, j), gold, goal.slice)


def _gap_for(standing: Standing, answers: Answers, goal: Goal, gap: Gap) -> EstimateSource:
    """The inputs of the gap of a metric: its labels in every slice. Missing answers may be filled in differently in each."""
    j = standing.position(goal.classifier)
    values = slices_of(standing, goal)
    each = [
        StudyCounts(standing, answers, {None: groups_for(standing, None, (gap.column, value))}, (gap.column, value)) for value in values
    ]

    def counted(of: Callable[[StudyCounts], Sequence[AnyTally]]) -> GapTally:
        found = [(value, tally) for value, counts in zip(values, each, strict=True) for tally in of(counts)]
        return GapTally(tuple(value for value, _ in found), tuple(tally for _, tally in found if isinstance(tally, Tally)))

    labels = counted(lambda counts: [counts.labels(gap.of, j)[0]])
    return EstimateSource(
        goal.definition, standing.classifiers[j], labels, lambda: (counted(lambda counts: counts.filled(gap.of, j)),), None
    )


def slices_of(standing: Standing, goal: Goal) -> tuple[str, ...]:
    """The slices that a gap is between."""
    ask = ask_of(standing.profile, goal, names=standing.classifiers, slices=standing.population["slices"])
    assert isinstance(ask, GapAsk)  # asked of gaps only
    return ask.slices


def _filled_pair(standing: Standing, answers: Answers, count: Callable[[Answers], AnyTally]) -> tuple[AnyTally, ...]:
    """A difference with missing answers filled in each way that may be the worst case."""
    groups = groups_for(standing)
    return fill_all(lambda fill: count(answers.filled(fill, groups)))


def _of_goals(standing: Standing, goals: Sequence[Goal]) -> Iterator[tuple[Metric, int]]:
    """The metrics of goals, each with its classifier."""
    for goal in goals:
        if goal.slice is None and not goal.is_difference and goal.definition.gap is None:
            yield goal.definition, standing.position(goal.classifier)


def _common(standing: Standing, names: Sequence[str]) -> Iterator[tuple[Metric, int]]:
    """The metrics shown of every study, each with its classifier."""
    if standing.profile.claims is None:
        yield from ((metric, 0) for metric in METRICS.values())
        yield from ((METRICS[name], j) for j in range(1, len(names)) for name in COMMON if name != "prevalence")  # the same for all
        if standing.population["weight"] is not None:
            yield from ((metric_named(f"{name} by {standing.population['weight']}"), 0) for name in COMMON)
        return
    yield from ((metric_named(f"{average}[{part}]"), 0) for average in AVERAGES for part in JOINT_PARTS)
    if standing.classes:
        yield CLASS_ACCURACY, 0
    yield from ((METRICS[name], j) for j in range(len(names)) for name in COMMON)


def _answerable(metric: Metric, groups: Groups) -> bool:
    """Whether every unit on every side that the metric needs could be drawn."""
    drawn1, drawn0 = (groups.units_on(flagged=side) > N - 0.5 for side, N in ((True, groups.N1), (False, groups.N0)))
    return (drawn1 or not metric.needs_flagged) and (drawn0 or not metric.needs_unflagged)


def read_one(
    standing: Standing,
    one: EstimateSource,
    missing: Missing,
    interval: IntervalKind,
    *,
    effective: bool = True,
    sides: Sides | None = None,
) -> Estimate:
    """An estimate, corrected by gold answers if there are any, with the worst case if too many answers are missing."""
    plan = standing.plan
    level = standing.level_of(*one.classifiers)
    planned = any(is_goal(goal, one, standing) for goal in plan.goals)
    found = estimate(
        one.metric, one.tally, classifier=one.classifier, level=level, planned=planned, interval=interval, effective=effective, sides=sides
    )
    found = replace(found, slice=one.slice, over=one.over)
    base: Tally | None = None
    if one.gold is not None and isinstance(one.tally, Tally):
        base = corrected_tally(one.tally, one.gold)
        found = correct(found, one.metric, one.tally, one.gold, effective=effective)
    share = missing.share_for(one.metric)
    if not share or (share <= WORST_FROM and not missing.differs):
        return found
    plain = Limits(np.asarray(found.low), np.asarray(found.high))
    low, high = worst_limits(one.metric, plain, one.filled(), tail=(1 - level) / 2, interval=found.interval, base=base)
    return replace(found, worst_low=float(low), worst_high=float(high))


def is_goal(goal: Goal, one: EstimateSource, standing: Standing) -> bool:
    """Whether an estimate is of a goal's metric, classifier and slice."""
    first = standing.population["classifiers"][0]["name"]
    return (
        (goal.slice, goal.over) == (one.slice, one.over)
        and goal.definition.name == one.metric.name
        and name_of(goal.definition, goal.classifier or first) == one.classifier
    )


def read_agreement(standing: Standing) -> Agreed | None:
    """Agreement of labelers on the first question, at 95 %; None for classes, or if no unit was answered by two or more."""
    rows = [] if standing.classes else [standing.told(unit) for unit in standing.shared]
    shared = [row for row in rows if sum(label.answer not in UNANSWERED for label in row) > 1]
    if not shared:
        return None
    labelers = sorted({label.labeler for row in shared for label in row if label.answer not in UNANSWERED})
    said = [[next((label.answer for label in row if label.labeler == who), None) for who in labelers] for row in shared]
    found = agreement(said, tail=(1 - DEFAULT_LEVEL) / 2)
    rates = [Share(float(r.value) if np.isfinite(r.value) else None, float(r.low), float(r.high)) for r in found[1:]]
    return Agreed(units=len(shared), observed=rates[0], kappa=rates[1], ac1=rates[2])


def look_body(standing: Standing, shown: Estimates) -> dict[str, Json]:
    """The ledger entry of a look."""
    return {
        "plan": standing.plan.number,
        "labels": shown.progress.labels,
        "certified": shown.certified,
        "estimates": [e.as_json() for e in shown.estimates],
    }


def read_decision(standing: Standing, shown: Estimates, *, forecast: bool = True) -> Decision:
    """The verdict on the goals, given their estimates; with a forecast of the labels that would settle what is open."""
    plan = standing.plan
    sources = readable(standing, goals_only=True)
    feared = shown.missing.differs
    notes = [f"{shown.missing.whole.missing:,} answers are missing: {say_missing(shown.missing)}"] if feared else []
    readings = []
    for goal in plan.goals:
        one = next(one for one in sources if is_goal(goal, one, standing))
        if standing.gold and one.gold is None:
            notes.append(f"{goal}: judged on the labels as recorded, gold answers do not correct it")
        if (few := few_clusters(one.metric, one.tally)) is not None:
            notes.append(f"{goal}: {few}")
        filled = one.filled() if feared else ()
        found = shown.of(goal.metric, whose(one.classifier, one.over), slice=goal.slice)
        readings.append(Reading(goal, found, one.tally, filled, one.gold, plan.share_of(*one.classifiers) / plan.share))
    notes += [str(point) for point in shown.tipping if point.stands is not None]
    first = replace(decide(readings, share=plan.share, more=None, certified=shown.certified, notes=notes), about=shown.about)
    if first.outcome == "label more" and standing.about == "process" and plan.by_bands >= plan.design.frame:
        first = replace(first, reasons=(*first.reasons, *beyond_the_table(standing, first)))
    settled = first.outcome != "label more" or plan.by_bands >= plan.design.frame
    if not forecast or settled or feared or refusal_of("forecast", standing.traits):
        return first
    from fewlabels.deciding.more_labels import more_labels

    answered = shown.progress.answered / max(1, shown.progress.labels)
    shown_plans = standing.shown_plans | {plan.number}
    more = more_labels(standing.plans, ahead_of(standing, readings), readings, shown=shown_plans, answered=answered)
    return replace(decide(readings, share=plan.share, more=more, certified=shown.certified, notes=notes), about=shown.about)


def ahead_of(standing: Standing, readings: Sequence[Reading]) -> "Ahead":
    """What a larger draw of the same design should show if further labels are like those so far."""
    from fewlabels.deciding.more_labels import Ahead, Kind
    from fewlabels.planning.sizing import smoothed_shares
    from fewlabels.study.estimate.comparison import pair_ahead

    answers = read_answers(standing)
    kinds: set[Kind] = {(None, None), *((reading.goal.definition.weight, reading.goal.slice) for reading in readings)}
    gaps = [(gap.column, slices_of(standing, r.goal)) for r in readings if (gap := r.goal.definition.gap) is not None]
    kinds |= {(None, (column, value)) for column, values in gaps for value in values}
    groups = {kind: groups_for(standing, *kind) for kind in kinds}
    shares = {kind: [smoothed_shares(tally(answers, g, j).drawn) for j, g in enumerate(mine)] for kind, mine in groups.items()}
    pairs = {r.goal.whose: pair_ahead(standing, answers, r.goal) for r in readings if r.goal.is_difference}
    return Ahead(groups, shares, [standing.position(r.goal.classifier) for r in readings], pairs)
