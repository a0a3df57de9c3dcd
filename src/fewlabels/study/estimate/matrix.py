"""The confusion matrix of each classifier: what was counted among the labeled units, and what that says of the table.

Of yes or no, its shares are the study's own precision and negative predictive value and what they leave, so that no two numbers of a page
differ; of several classes they are those of `confusion`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.metrics import NPV, PRECISION
from fewlabels.study.estimate.confusion import ConfusionCell
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import prefix


class MatrixCell(NamedTuple):
    """Units predicted as one thing and truly that or another: the labeled ones, and how many there are by estimate.

    right   whether prediction and truth are the same
    share   of all units of its row, estimated; None like `total` (units in the table), `low` and `high` if the draw says nothing of the row
    """

    predicted: str
    true: str
    right: bool
    labeled: int
    share: float | None
    total: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One confusion matrix, row by row. `classifier` is None for that of several classes."""

    classifier: str | None
    level: float
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[int, ...]
    cells: tuple[MatrixCell, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        return {
            "classifier": self.classifier, "level": self.level, "rows": list(self.rows), "columns": list(self.columns),
            "units": list(self.units), "cells": [{**cell._asdict()} for cell in self.cells],
        }  # fmt: skip


def read_matrices(standing: Standing, shown: Estimates, confusion: Sequence[ConfusionCell] = ()) -> tuple[Matrix, ...]:
    """The matrix of each classifier, from the estimates that are shown; of classes, one from the cells of `confusion`."""
    if not shown.estimates:
        return ()
    if standing.classes:
        return (_of_classes(standing, confusion),) if confusion else ()
    return tuple(_of_one(standing, shown, j) for j in range(len(standing.classifiers)))


def _of_one(standing: Standing, shown: Estimates, j: int) -> Matrix:
    name, profile = standing.classifiers[j], standing.counted_profile
    flagged = round(float(profile.flagged(j)))
    units = (flagged, profile.whole - flagged)
    counted = _counted(standing, j)
    cells = []
    for row, (metric, side) in enumerate(((PRECISION.name, "flagged"), (NPV.name, "not flagged"))):
        found = _shown(shown, metric, name)
        for true in (1, 0):
            right = true == 1 - row  # what the metric counts
            estimate = None if found is None else (found.value, found.low, found.high)
            cells.append(_cell(side, "yes" if true else "no", right, int(counted[row, true]), estimate, units[row]))
    return Matrix(
        classifier=name, level=standing.level_of(name), rows=("flagged", "not flagged"), columns=("yes", "no"), units=units,
        cells=tuple(cells),
    )  # fmt: skip


def _shown(shown: Estimates, metric: str, classifier: str) -> Estimate | None:
    wanted = (metric, classifier, None, None)
    return next((one for one in shown.estimates if (one.metric, one.classifier, one.slice, one.over) == wanted), None)


def _cell(
    predicted: str, true: str, right: bool, labeled: int, share: tuple[float | None, float, float] | None, units: int
) -> MatrixCell:  # fmt: skip
    """A cell, given the share of its row that is right."""
    value, low, high = share or (None, None, None)
    if value is None or low is None or high is None:
        return MatrixCell(predicted, true, right, labeled, None, None, None, None)
    if not right:
        value, low, high = 1 - value, 1 - high, 1 - low
    return MatrixCell(predicted, true, right, labeled, value, units * value, units * low, units * high)


def _counted(standing: Standing, j: int) -> IntArray:
    """The labeled units by side (flagged first) and answer (no, yes)."""
    units, rows, counted = standing.units, prefix(standing), np.zeros((2, 2), dtype=np.int64)
    if units is None:
        return counted
    classifier = standing.read_population().classifiers[j]
    codes = standing.counted(classifier.question)[rows]
    usable = codes > UNUSABLE
    np.add.at(counted, (1 - ((units.pattern[rows] >> j) & 1)[usable], (codes == standing.code_of("yes"))[usable].astype(np.int64)), 1)
    return counted


def _of_classes(standing: Standing, confusion: Sequence[ConfusionCell]) -> Matrix:
    """The matrix of several classes."""
    classes, units, rows = standing.classes, standing.units, prefix(standing)
    assert units is not None  # there are numbers
    codes = standing.counted()[rows]
    cells = []
    for cell in confusion:
        of_row = (units.pattern[rows] >> classes.index(cell.predicted)) & 1 > 0
        labeled, share = int((of_row & (codes == standing.code_of(cell.true))).sum()), cell.share
        value = share.value
        found = (None, None, None) if value is None else (cell.units * value, cell.units * share.low, cell.units * share.high)
        cells.append(MatrixCell(cell.predicted, cell.true, cell.predicted == cell.true, labeled, value, *found))
    sizes = {cell.predicted: cell.units for cell in confusion}
    return Matrix(
        classifier=None, level=standing.level_of(), rows=classes, columns=classes, units=tuple(sizes[c] for c in classes),
        cells=tuple(cells),
    )  # fmt: skip
