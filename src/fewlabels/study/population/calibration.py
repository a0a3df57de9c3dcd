"""What a few answers say of the scores: two parameters a side, so that a plan need not take the scores at their word."""

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
    """Units with an answer: what the guide claims of each, which side it is on, and whether it is positive."""

    guide: FloatArray
    flagged: BoolArray
    positive: BoolArray


class Recalibration(NamedTuple):
    """Log-odds a + b x of the guide's x, on the flagged and on the other side, and how many answers made them."""

    flagged: tuple[float, float]
    other: tuple[float, float]
    answers: int


def read_answered(population: Population, answers: Mapping[str, bool]) -> Answered:
    """The scores of answered units. Refuses a population whose first classifier has no score with a threshold."""
    column, classifier = population.guide_column, population.classifiers[0]
    if column is None or classifier.score is None or classifier.threshold is None:
        raise PlanError("answers are held against a score with a threshold, but this population has none: leave --answers out")
    rows = open_engine(population).fetch(list(answers), columns=[column, classifier.score])
    scored = [(row, said) for row, said in zip(rows, answers.values(), strict=True) if None not in row.values()]
    low, high = population.guide_range
    guide = np.array([(float(row[column] or 0) - low) / (high - low) for row, _ in scored])
    flagged = np.array([float(row[classifier.score] or 0) >= classifier.threshold for row, _ in scored], dtype=np.bool_)
    return Answered(np.clip(guide, 0, 1), flagged, np.array([said for _, said in scored], dtype=np.bool_))


def recalibration(answered: Answered) -> Recalibration:
    """The two parameters of each side, by the ridge that estimates use; without an answer on a side its scores stay as they are."""
    s = np.clip(answered.guide, CLIP, 1 - CLIP)
    logit, y = np.log(s / (1 - s)), answered.positive.astype(np.float64)
    sides = []
    for mine in (answered.flagged, ~answered.flagged):
        ones = np.ones(int(mine.sum()))
        tally = Tally(flagged=mine[mine], N=ones, n=ones, k=y[mine], logit=logit[mine], expected=s[mine], N1=0.0, N0=0.0)
        a, b = calibration(tally)
        sides.append((float(a), float(b)))
    return Recalibration(sides[0], sides[1], int(y.size))
