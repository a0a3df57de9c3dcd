"""The fitted guide of a study, cell by cell: fitted to a pilot's labels from the guide and the candidates."""

from collections.abc import Sequence

import numpy as np

from fewlabels.nouns.arrays import FloatArray
from fewlabels.planning.guiding import FittedGuide, columns_by_cell
from fewlabels.study.state.standing import Standing


def columns_of(standing: Standing) -> FloatArray:
    """The log-odds of the guide and of each candidate, by cell: the predictors of a fitted guide."""
    slices, candidates = len(standing.population["slices"]), len(standing.population.get("candidates", ()))
    return columns_by_cell(standing.profile, slices=slices, candidates=candidates)


def guide_of(standing: Standing, coefficients: Sequence[float]) -> FloatArray:
    """The fitted guide of every cell, rounded to nine digits so that it is the same on every machine."""
    x = columns_of(standing)
    belief = (1.0,) + (0.0,) * (x.shape[1] - 1)
    fitted = FittedGuide(intercept=coefficients[0], slopes=tuple(coefficients[1:]), belief=belief)
    return np.asarray(fitted.probability(x).round(9))
