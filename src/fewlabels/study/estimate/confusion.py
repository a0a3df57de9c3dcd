"""The confusion matrix of several classes, with intervals: of the units predicted as one class, the share truly in each."""

from dataclasses import dataclass

from fewlabels.errors import StudyError
from fewlabels.estimators.estimating import correct, estimate
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import PRECISION
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import groups_for, read_answers, with_gold


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """Of the `units` units predicted as one class, the share that is truly of another, with interval."""

    predicted: str
    true: str
    units: int
    share: Estimate

    @property
    def count(self) -> float | None:
        """Number of units in the population; None if the share is unknown."""
        return None if self.share.value is None else self.units * self.share.value

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        count: Json = self.count
        return {"predicted": self.predicted, "true": self.true, "units": self.units, "count": count, **self.share.as_json()}


def read_confusion(standing: Standing) -> tuple[ConfusionCell, ...]:
    """Every cell of the matrix, row by row, corrected by gold answers if there are any.

    Each interval is valid on its own at the plan's level; they are not simultaneous.
    """
    if not standing.classes:
        raise StudyError(f"a confusion matrix is of several classes, but study {standing.name!r} asks yes or no: see its estimates")
    answers, groups, interval = read_answers(standing), groups_for(standing), interval_in_force(standing)
    level = standing.level_of()
    cells = []
    for i, predicted in enumerate(standing.classes):
        for j, true in enumerate(standing.classes):
            # groups of the predicted class, answers of the true class
            said = answers._replace(positive=answers.positive[:, [j]], gold=answers.gold[:, [j]])
            labels, gold = with_gold(said, groups[i])
            share = estimate(PRECISION, labels, classifier=predicted, level=level, planned=False, interval=interval)
            share = share if gold is None else correct(share, PRECISION, labels, gold)
            cells.append(ConfusionCell(predicted=predicted, true=true, units=round(groups[i].N1), share=share))
    return tuple(cells)
