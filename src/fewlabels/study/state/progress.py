"""How far the labeling of a study is, in numbers that may be shown at any time."""

from typing import NamedTuple

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.plan import Plan
from fewlabels.study.state.standing import Standing


class Progress(NamedTuple):
    """How far the labeling is. `labels` of `planned` units are resolved; `unanswered` of those carry no usable answer.

    gold_planned   units drawn for gold; `gold_told` of them are adjudicated, if only with cannot tell
    second_planned   units that two labelers are to answer, where the rule counts voices; `second_told` of them are
    """

    planned: int
    asked: int
    labels: int
    answered: int
    cannot_tell: int
    skipped: int
    never_answered: int
    second_looks: int
    disagreements: int
    gold_planned: int = 0
    gold_told: int = 0
    second_planned: int = 0
    second_told: int = 0

    @property
    def complete(self) -> bool:
        """Whether every planned unit is resolved, by two where the plan says so, and every unit drawn for gold adjudicated."""
        return self.is_labeled and self.gold_told == self.gold_planned

    @property
    def is_labeled(self) -> bool:
        """Whether labelers have answered every planned unit, and those twice that two are to answer."""
        return self.planned > 0 and self.labels == self.planned and self.second_told == self.second_planned

    @property
    def waits_for_gold(self) -> bool:
        """Whether only gold answers are missing for the look."""
        return self.is_labeled and self.gold_told < self.gold_planned

    @property
    def waits_for_second(self) -> bool:
        """Whether every planned unit is resolved, but not every second look is there."""
        return self.planned > 0 and self.labels == self.planned and self.second_told < self.second_planned

    @property
    def unanswered(self) -> int:
        """Resolved units without a usable answer: non-response."""
        return self.cannot_tell + self.skipped + self.never_answered

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "complete": self.complete, "unanswered": self.unanswered}


def planned_labels(standing: Standing) -> int:
    """Labels of the plan in force; of a pilot those of both rounds, because its own are never read alone."""
    return labels_of(standing.plan) if standing.plans else 0


def labels_of(plan: Plan) -> int:
    """Labels a plan is made for; of a pilot those of both rounds."""
    return plan.pilot.total if plan.pilot is not None and plan.is_pilot else plan.budget


def progress(standing: Standing) -> Progress:
    """How far the labeling of the plan in force is. A unit of several questions is as far as the one that is furthest behind."""
    counts = dict.fromkeys(("answered", "cannot_tell", "skipped", "never_answered"), 0)
    second = disagreements = 0
    for unit in standing.units.unit if standing.units else ():
        if not standing.is_resolved(unit):
            continue
        counted = [label.answer for q in standing.questions if (label := standing.answer_of(unit, q)) is not None]
        counts[next((answer for answer in counted if answer in UNANSWERED), "answered")] += 1
        usable = [[label.answer for label in standing.told(unit, q) if label.answer not in UNANSWERED] for q in standing.questions]
        second += max(0, max(map(len, usable)) - 1)
        disagreements += any(len(set(said)) > 1 for said in usable)
    return Progress(
        planned=planned_labels(standing),
        asked=len(standing.asked),
        labels=sum(counts.values()),
        second_looks=second,
        disagreements=disagreements,
        gold_planned=len(standing.gold_units),
        gold_told=len(standing.gold_units) - len(standing.gold_waiting),
        second_planned=len(standing.second_looks),
        second_told=sum(map(standing.was_seen_twice, standing.second_looks)),
        **counts,
    )
