"""What a study's labels show: pure functions of its Standing, so that any number can be recomputed from the ledger alone.

Main path: population > profile > plan > draw > labels > [estimate] > [decision] > report
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.deciding.topping import more_labels
from assay.deciding.verdict import Reading, decide
from assay.errors import StudyError
from assay.estimators.calibration import FALSE_ALARM, check_guide
from assay.estimators.estimating import estimate
from assay.estimators.grouping import Groups, fill_empty, groups_of
from assay.estimators.measuring import read_sides
from assay.nouns import ladder
from assay.nouns.arrays import IntArray
from assay.nouns.canonical import Json
from assay.nouns.decision import Decision
from assay.nouns.estimate import Estimate
from assay.nouns.label import CLOSER, UNANSWERED
from assay.nouns.metrics import METRICS, metric_named
from assay.nouns.tally import Tally
from assay.study.replay import Standing


class Progress(NamedTuple):
    """How far the labeling is. `labels` of `planned` units are resolved; `unanswered` of those carry no usable answer."""

    planned: int
    asked: int
    labels: int
    answered: int
    cannot_tell: int
    skipped: int
    never_answered: int
    second_looks: int
    disagreements: int

    @property
    def complete(self) -> bool:
        """Whether every planned unit is resolved."""
        return self.planned > 0 and self.labels == self.planned

    @property
    def unanswered(self) -> int:
        """Resolved units without a usable answer: non-response."""
        return self.cannot_tell + self.skipped + self.never_answered

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "complete": self.complete, "unanswered": self.unanswered}


def progress(standing: Standing) -> Progress:
    """How far the labeling of the plan in force is."""
    counts = dict.fromkeys(("answered", "cannot_tell", "skipped", "never_answered"), 0)
    second = disagreements = 0
    for unit in standing.units.unit if standing.units else ():
        label = standing.answer_of(unit)
        if label is None:
            continue
        counts[label.answer if label.answer in UNANSWERED else "answered"] += 1
        usable = [other.answer for other in standing.answers[unit].values() if other.answer not in UNANSWERED]
        second += max(0, len(usable) - 1)
        disagreements += len(set(usable)) > 1
    return Progress(
        planned=standing.plan.budget if standing.plans else 0,
        asked=len(standing.asked),
        labels=sum(counts.values()),
        second_looks=second,
        disagreements=disagreements,
        **counts,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Every metric the draw can answer for, or how far the labeling is if it is too early to say.

    estimates   empty before the look the plan names
    certified   False for a peek: the intervals are then not at their stated level
    warnings    what a reader must know: scores that do not predict as they claim, non-response, disagreement
    """

    progress: Progress
    estimates: tuple[Estimate, ...]
    certified: bool
    promise: str
    warnings: tuple[str, ...]

    def __getitem__(self, metric: str) -> Estimate:
        """The estimate of a metric."""
        for found in self.estimates:
            if found.metric == metric_named(metric).name:
                return found
        p = self.progress
        if not self.estimates:
            raise StudyError(f"no interval before all {p.planned:,} planned units are resolved, {p.labels:,} are: label on, or peek")
        raise StudyError(f"this draw cannot answer for {metric}: it has {', '.join(e.metric for e in self.estimates)}")

    def __str__(self) -> str:
        """One line a metric."""
        head = [f"{self.progress.labels:,} of {self.progress.planned:,} labels"]
        if not self.estimates:
            head.append("no interval before the last one: it would not hold at its level")
        elif not self.certified:
            head.append(f"A PEEK: not a {self.estimates[0].level:.0%} interval, recorded as a look")
        return "\n".join([*head, *(str(e) for e in self.estimates), *(f"warning: {w}" for w in self.warnings)])

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "progress": self.progress.as_json(),
            "certified": self.certified,
            "promise": self.promise,
            "estimates": [e.as_json() for e in self.estimates],
            "warnings": list(self.warnings),
        }


def prefix(standing: Standing) -> IntArray:
    """Rows of the longest run of resolved units in asking order: the part of the draw that is itself a draw."""
    units = standing.units.unit if standing.units else ()
    end = next((i for i, unit in enumerate(units) if unit not in standing.answers), len(units))
    return np.arange(end)


def tally_labels(standing: Standing, groups: Groups, rows: IntArray) -> Tally:
    """The usable answers of these rows of the draw, counted by group."""
    if standing.units is None:
        raise StudyError(f"study {standing.name!r} has no units drawn yet: draw some first")
    profile = standing.profile
    cell_of = {
        key: i for i, key in enumerate(zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), strict=True))
    }
    n, k = np.zeros(groups.N.size), np.zeros(groups.N.size)
    for row in rows.tolist():
        label = standing.answer_of(standing.units.unit[row])
        if label is None or label.answer in UNANSWERED:
            continue
        cell = cell_of[int(standing.units.pattern[row]), int(standing.units.guide_bin[row]), int(standing.units.slice[row])]
        n[groups.of_cell[cell]] += 1
        k[groups.of_cell[cell]] += label.answer == "yes"
    return groups.tally(n, k)


def read_estimates(standing: Standing, *, peek: bool = False) -> Estimates:
    """Every metric the draw can answer for at the plan's look; before it only progress, unless one peeks."""
    done = progress(standing)
    plan = standing.plan
    empty = Estimates(progress=done, estimates=(), certified=False, promise=plan.promise, warnings=read_warnings(standing, done))
    if not done.complete and not peek:
        return empty
    groups = groups_of(standing.profile, plan.design)
    tally = fill_empty(tally_labels(standing, groups, prefix(standing)))
    if not tally.labels and not done.complete:
        return empty
    sides = read_sides(tally)
    planned = {goal.definition.name for goal in plan.goals}
    classifier = standing.population["classifiers"][0]["name"]
    level = 1 - (1 - plan.goals[0].level) * plan.share
    wanted = [*(g.definition for g in plan.goals), *METRICS.values()]
    drawn1, drawn0 = bool(tally.flagged.any()) or tally.N1 == 0, bool((~tally.flagged).any()) or tally.N0 == 0
    metrics = {m.name: m for m in wanted if (drawn1 or not m.needs_flagged) and (drawn0 or not m.needs_unflagged)}
    found = tuple(
        estimate(m, tally, sides, classifier=classifier, level=level, planned=name in planned, interval=plan.interval)
        for name, m in metrics.items()
    )
    certified = done.complete and not closed_after_a_peek(standing)
    return Estimates(progress=done, estimates=found, certified=certified, promise=plan.promise, warnings=empty.warnings)


def closed_after_a_peek(standing: Standing) -> bool:
    """Whether the labeling was ended by hand after numbers of this plan had been seen: the moment was chosen knowing them."""
    peeked = any(look.plan == standing.plan.number and not look.certified for look in standing.looks)
    closed = any(CLOSER in by_labeler for by_labeler in standing.answers.values())
    return peeked and closed


def look_body(standing: Standing, shown: Estimates) -> dict[str, Json]:
    """What the ledger keeps of a look."""
    return {
        "plan": standing.plan.number,
        "labels": shown.progress.labels,
        "certified": shown.certified,
        "estimates": [e.as_json() for e in shown.estimates],
    }


def read_decision(standing: Standing, shown: Estimates) -> Decision:
    """The verdict on the goals from estimates already read."""
    plan = standing.plan
    groups = groups_of(standing.profile, plan.design)
    labels = tally_labels(standing, groups, prefix(standing))
    readings = [Reading(goal, shown[goal.metric], fill_empty(labels)) for goal in plan.goals]
    first = decide(readings, share=plan.share, more=None, certified=shown.certified)
    if first.outcome != "label more" or plan.budget >= plan.design.frame:
        return first
    answered = shown.progress.answered / max(1, shown.progress.labels)
    more = more_labels(standing.plans, groups, readings, labels, shown=standing.shown_plans | {plan.number}, answered=answered)
    return decide(readings, share=plan.share, more=more, certified=shown.certified)


def read_warnings(standing: Standing, done: Progress) -> tuple[str, ...]:
    """What a reader must know beside the numbers."""
    warnings: list[str] = []
    if standing.profile.guided and done.answered:
        warnings += _guide_warnings(standing, counts=done.complete)
    if done.unanswered:
        warnings.append(
            f"{done.unanswered:,} of {done.labels:,} resolved units have no usable answer ({done.cannot_tell} cannot tell, {done.skipped} "
            f"skipped, {done.never_answered} never answered): the numbers assume they are like the others of their band"
        )
    if standing.changed_after_look:
        warnings.append(
            f"{standing.changed_after_look:,} answers were corrected after numbers were shown: the level takes no account of that"
        )
    if closed_after_a_peek(standing):
        warnings.append("the labeling was closed after a peek: these numbers are not certified, label on with a larger plan")
    if done.disagreements:
        warnings.append(f"labelers disagree on {done.disagreements:,} units seen by two or more: the first answer counts")
    return tuple(warnings)


def _guide_warnings(standing: Standing, *, counts: bool) -> list[str]:
    """The calibration check in words; the counts only at the look, because before it they would tell what the labels say."""
    units = standing.units
    if units is None:
        return []
    answers = [label.answer if (label := standing.answer_of(u)) else "never_answered" for u in units.unit]
    rows = np.flatnonzero([answer not in UNANSWERED for answer in answers])
    positive = np.array([answers[i] == "yes" for i in rows], dtype=np.bool_)
    alarms = check_guide(ladder.MIDDLES[units.guide_bin[rows]], (units.pattern[rows] & 1).astype(np.bool_), positive)
    if not alarms:
        return []
    where = str(alarms[0]) if counts else f"{alarms[0].side} units, {alarms[0].part} by score"
    return [
        f"the scores do not predict as they claim ({where}; false-alarm rate {FALSE_ALARM:.0%} a look): labels were "
        "not placed as well as planned. The strict interval holds whatever the scores are; recalibrate them or name a better guide"
    ]
