"""A guide that combines several score columns, fitted to the labels of a pilot.

    logit guide = b_0 + sum_j b_j x_j,      x_j = log-odds of column j

Each column gives two candidates: the column as it is (b_j = 1, all else 0), and a ridge fit centered on it,

    b_0 ~ N(0, 2^2),   b_j ~ N(1, 0.25^2),   every other b ~ N(0, 0.1^2)

The guide's coefficients are the mean over these candidates, weighted by the fourth root of the marginal likelihood of the pilot's labels
(Laplace); the judged classifier's own score has e^2 times the prior weight. So few labels leave the own score as it is, and no single
fit is trusted without support from the labels. A bad guide costs labels, not validity. Derivation and what was tried:
docs/maths/guiding.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.logistic import hessian, likelihood, penalty, ridge_mode
from fewlabels.estimators.weighted import expit
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.profile import Profile

PILOT_SHARE = 0.25  # of the labels
PILOT_COUNTS = 0.75  # the weight of the pilot's expansion, relative to what it would be if the second draw were no better
SMALLEST_BUDGET = 200  # smaller budgets were not tested
SUREST = 1e-7  # scores nearer to 0 or 1 have the log-odds of this: 16
INTERCEPT_SD, CENTER_SD, OTHER_SD = 2.0, 0.25, 0.1
OWN_BELIEF = 2.0  # natural log of the own score's prior odds over the others
EVIDENCE_COUNTS = 0.25  # a high likelihood is not yet a good draw: columns about as likely as the best keep their weight


class Phases(NamedTuple):
    """How a budget is divided: labels of the pilot and of the second phase, and the weight of the pilot's expansion."""

    pilot: int
    rest: int
    weight: float


def divide(labels: int, *, frame: int) -> Phases:
    """Give a quarter of the labels to the pilot, with 3/4 of the weight it would have if all labels were alike.

        w = 3/4 (1/n - 1/F) / (1/n1 - 1/F)        n labels in all, n1 of the pilot, F units in the frame

    w is 3/16 for a large frame and 0 for a census, which does not need the pilot. Raise PlanError if the budget is too small to fit a
    guide.
    """
    if labels < SMALLEST_BUDGET:
        raise PlanError(f"a guide is fitted from {SMALLEST_BUDGET} labels up, but the budget is {labels}: name one column as the guide")
    if labels > frame:
        raise PlanError(f"a draw can hold at most the {frame:,} units its goals need, but {labels:,} were requested: lower the budget")
    pilot = round(PILOT_SHARE * labels)
    return Phases(pilot, labels - pilot, pilot_weight(pilot, labels, frame=frame))


def pilot_weight(pilot: int, labels: int, *, frame: int) -> float:
    """The weight of the expansion of `pilot` of the `labels`: 3/4 of what it would be if all labels were alike."""
    return PILOT_COUNTS * (1 / labels - 1 / frame) / (1 / pilot - 1 / frame)


def log_odds(score: FloatArray) -> FloatArray:
    """The log-odds of scores in [0, 1], finite."""
    s = np.clip(score, SUREST, 1 - SUREST)
    return np.asarray(np.log(s) - np.log1p(-s))


def columns_by_cell(profile: Profile, *, slices: int, candidates: int) -> FloatArray:
    """The log-odds of the guide and of each candidate, by cell; the steps of candidates follow the values of so many slice columns."""
    steps = np.array([[int(values[slices + j]) for j in range(candidates)] for values in profile.slice_values], dtype=np.int64)
    others = ladder.step_middle(steps.reshape(len(profile.slice_values), candidates)[profile.slice])
    return log_odds(np.column_stack([profile.guide, others]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedGuide:
    """A guide as a formula over score columns: plain data, so that every engine computes the same.

    slopes   one per column, for its log-odds
    belief   the posterior weight of each column, as it is or as a center; they sum to 1
    """

    intercept: float
    slopes: tuple[float, ...]
    belief: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raise PlanError unless there is one finite slope and belief per column."""
        if len(self.slopes) != len(self.belief) or not np.isfinite([self.intercept, *self.slopes, *self.belief]).all():
            raise PlanError(f"a guide must have one finite slope and belief per column, got {self.slopes} and {self.belief}: fit it again")

    def probability(self, x: FloatArray) -> FloatArray:
        """The guide for units with log-odds x, one score per column on the last axis."""
        if x.shape[-1] != len(self.slopes):
            raise PlanError(f"the guide was fitted on {len(self.slopes)} columns, got {x.shape[-1]}: give the same, in the same order")
        return expit(self.intercept + x @ np.array(self.slopes))

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {"intercept": self.intercept, "slopes": list(self.slopes), "belief": list(self.belief)}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "FittedGuide":
        """The guide that `as_json` wrote."""
        return cls(intercept=float(data["intercept"]), slopes=tuple(data["slopes"]), belief=tuple(data["belief"]))


class Candidate(NamedTuple):
    """Coefficients (intercept first), the column they are based on, and their log marginal likelihood."""

    b: FloatArray
    column: int
    evidence: float


def fit_guide(x: FloatArray, y: FloatArray, *, own: int) -> FittedGuide:
    """The guide fitted to the pilot's labels from several score columns; `own` is the judged classifier's.

    x   log-odds of the labeled units, shape (labels, columns)
    y   their answers, 0 or 1

    All labels have equal weight, whatever their pi: the pilot's bands follow from a column that is in the fit. Weighting by 1 / pi was
    tried and is worse. Without labels the guide favors the own score, and all others equally.
    """
    if x.ndim != 2 or x.shape[0] != y.shape[0] or not 0 <= own < x.shape[1] or not np.isfinite(x).all():
        raise PlanError(f"a fit needs finite log-odds of {y.shape[0]} units and its own column among them, got {x.shape} and {own}")
    z = np.column_stack([np.ones(y.size), x])
    found = [c for j in range(x.shape[1]) for c in _candidates(z, y, j)]
    believed = np.array([EVIDENCE_COUNTS * c.evidence + OWN_BELIEF * (c.column == own) for c in found])
    share = np.exp(believed - believed.max())
    share /= share.sum()
    b = share @ np.stack([c.b for c in found])
    belief = np.array([share[[c.column == j for c in found]].sum() for j in range(x.shape[1])])
    return FittedGuide(intercept=float(b[0]), slopes=_plain(b[1:]), belief=_plain(belief))


def _plain(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


def _candidates(z: FloatArray, y: FloatArray, column: int) -> Sequence[Candidate]:
    """The column as it is, and the fit that starts from it."""
    center = np.zeros(z.shape[1])
    center[1 + column] = 1.0
    sd = np.full(z.shape[1], OTHER_SD)
    sd[0], sd[1 + column] = INTERCEPT_SD, CENTER_SD
    b = ridge_mode(z, y, center, sd)
    # Laplace: log posterior at its mode - 1/2 log det(Hessian) + the prior's own constant; 2 pi cancels
    volume = -0.5 * np.linalg.slogdet(hessian(z, b, sd))[1] - float(np.log(sd).sum())
    fitted = Candidate(b, column, likelihood(z, y, b) - penalty(b, center, sd) + volume)
    return Candidate(center, column, likelihood(z, y, center)), fitted
