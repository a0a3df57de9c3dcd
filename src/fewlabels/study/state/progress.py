"""The progress of a study's labeling, in numbers that may be shown at any time."""

from typing import NamedTuple

from fewlabels.nouns.canonical import Json
from fewlabels.nouns.plan import Plan
from fewlabels.study.state.standing import Standing


class Progress(NamedTuple):
    """The progress of the labeling. `labels` of `planned` units are resolved; `unanswered` of those have no usable answer.

    gold_planned   units drawn for gold; `gold_told` of them are adjudicated, even if with cannot tell
    second_planned   units that two labelers must answer, if the rule counts votes; `second_told` of them are done
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
        """Whether every planned unit is resolved, twice where required, and every unit drawn for gold is adjudicated."""
        return self.is_labeled and self.gold_told == self.gold_planned

    @property
    def is_labeled(self) -> bool:
        """Whether labelers have answered every planned unit, and twice those that two must answer."""
        return self.planned > 0 and self.labels == self.planned and self.second_told == self.second_planned

    @property
    def waits_for_gold(self) -> bool:
        """Whether only gold answers are missing before the look."""
        return self.is_labeled and self.gold_told < self.gold_planned

    @property
    def waits_for_second(self) -> bool:
        """Whether every planned unit is resolved, but some second looks are missing."""
        return self.planned > 0 and self.labels == self.planned and self.second_told < self.second_planned

    @property
    def second_open(self) -> int:
        """Number of units that wait for a second labeler, or for a third where a majority needs one."""
        return self.second_planned - self.second_told

    @property
    def unanswered(self) -> int:
        """Number of resolved units without a usable answer: nonresponse."""
        return self.cannot_tell + self.skipped + self.never_answered

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict(), "complete": self.complete, "unanswered": self.unanswered}


def planned_labels(standing: Standing) -> int:
    """Number of labels of the current plan; for a pilot, those of both rounds, because its own are never read alone."""
    return labels_of(standing.plan) if standing.plans else 0


def labels_of(plan: Plan) -> int:
    """Number of labels of a plan; for a pilot, those of both rounds."""
    return plan.pilot.total if plan.pilot is not None and plan.is_pilot else plan.budget


def progress(standing: Standing) -> Progress:
    """The progress of the current plan's labeling. A unit with several questions counts by the one that is furthest behind."""
    counts, whole = standing.counts, standing.whole
    return Progress(
        planned=planned_labels(standing),
        asked=whole.handed,
        labels=counts.resolved,
        answered=counts.answered,
        cannot_tell=counts.cannot_tell,
        skipped=counts.skipped,
        never_answered=counts.never_answered,
        second_looks=counts.extra,
        disagreements=counts.disputed,
        gold_planned=len(standing.gold_units),
        gold_told=whole.adjudicated,
        second_planned=counts.second,
        second_told=counts.twice,
    )
