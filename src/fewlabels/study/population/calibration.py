"""Recalibrate scores by a few answers: two parameters per side, so that a plan need not assume calibrated scores."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fewlabels.engines.opening import open_engine
from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.weighted import calibration
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.population import Population
from fewlabels.nouns.tally import Tally


class Answered(NamedTuple):
    """Units with an answer: the probability the guide claims, the side, and whether the unit is positive."""

    guide: FloatArray
    flagged: BoolArray
    positive: BoolArray


class Recalibration(NamedTuple):
    """Log-odds a + b x of the guide's log-odds x, as (a, b) on the flagged and on the other side, and the number of answers used."""

    flagged: tuple[float, float]
    other: tuple[float, float]
    answers: int


def read_answered(population: Population, answers: Mapping[str, bool]) -> Answered:
    """The scores of answered units. Raise PlanError unless the first classifier has a score with a threshold."""
    column, classifier = population.guide_column, population.classifiers[0]
    if column is None or classifier.score is None or classifier.threshold is None:
        raise PlanError("answers are compared with a score that has a threshold, but this population has none: leave --answers out")
    rows = open_engine(population).fetch(list(answers), columns=[column, classifier.score])
    scored = [(row, said) for row, said in zip(rows, answers.values(), strict=True) if None not in row.values()]
    low, high = population.guide_range
    guide = np.array([(float(row[column] or 0) - low) / (high - low) for row, _ in scored])
    flagged = np.array([float(row[classifier.score] or 0) >= classifier.threshold for row, _ in scored], dtype=np.bool_)
    return Answered(np.clip(guide, 0, 1), flagged, np.array([said for _, said in scored], dtype=np.bool_))


def recalibration(answered: Answered) -> Recalibration:
    """Fit the two parameters of each side by the ridge that estimates use; a side without answers keeps its scores."""
    s = np.clip(answered.guide, CLIP, 1 - CLIP)
    logit, y = np.log(s / (1 - s)), answered.positive.astype(np.float64)
    sides = []
    for mine in (answered.flagged, ~answered.flagged):
        ones = np.ones(int(mine.sum()))
        tally = Tally(flagged=mine[mine], N=ones, n=ones, k=y[mine], logit=logit[mine], expected=s[mine], N1=0.0, N0=0.0)
        a, b = calibration(tally)
        sides.append((float(a), float(b)))
    return Recalibration(sides[0], sides[1], int(y.size))
