"""The confusion matrix of several classes, with intervals: of the units given one class, the share that truly is of each."""

from dataclasses import dataclass

from fewlabels.errors import StudyError
from fewlabels.estimators.estimating import correct, estimate
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import PRECISION
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import groups_for, read_answers, with_gold


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """Units given one class (`predicted`, there are `units` of them) that truly are of another: share with interval."""

    predicted: str
    true: str
    units: int
    share: Estimate

    @property
    def count(self) -> float | None:
        """How many units of the population this is; None where the share is unknown."""
        return None if self.share.value is None else self.units * self.share.value

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        count: Json = self.count
        return {"predicted": self.predicted, "true": self.true, "units": self.units, "count": count, **self.share.as_json()}


def read_confusion(standing: Standing) -> tuple[ConfusionCell, ...]:
    """Every cell of the matrix, row by row, corrected by gold answers where there are some.

    Each interval stands for itself at the plan's level, not for all of them together.
    """
    if not standing.classes:
        raise StudyError(f"a confusion matrix is of several classes, but study {standing.name!r} asks yes or no: see its estimates")
    plan, answers, groups = standing.plan, read_answers(standing), groups_for(standing)
    level = standing.level_of()
    cells = []
    for i, predicted in enumerate(standing.classes):
        for j, true in enumerate(standing.classes):
            # the groups of the class given, the answers of the class that is true
            said = answers._replace(positive=answers.positive[:, [j]], gold=answers.gold[:, [j]])
            labels, gold = with_gold(said, groups[i])
            share = estimate(PRECISION, labels, classifier=predicted, level=level, planned=False, interval=plan.interval)
            share = share if gold is None else correct(share, PRECISION, labels, gold)
            cells.append(ConfusionCell(predicted=predicted, true=true, units=round(groups[i].N1), share=share))
    return tuple(cells)
