"""The limits of a share where labeled units stand for different numbers of units, each 1 / pi, and nothing else is known about the draw.

    X = sum of w over the labels inside the share, Y = over those outside,  w = 1 / pi,      u = X / (X + Y)
    lower of X = (V / X) Gamma^-1(alpha/2; X^2 / V)                                          V = sum of w^2
    upper of X = (V+ / X+) Gamma^-1(1 - alpha/2; X+^2 / V+)                                  X+ = X + m, V+ = V + m^2

m is the most that one more label could stand for. The labels inside and outside are treated as independent Poisson counts, which they
are if units are drawn one by one; stratified draws vary less. The two are joined by MOVER. So a side without an error found is not
assumed to have none: one error there may stand for m units. Derivation and coverage: docs/maths/expanded.md.
Source: Fay & Feuer 1997, Statistics in Medicine 16:791.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from fewlabels.errors import GoalError
from fewlabels.intervals.binomial import MetricShare, share_of
from fewlabels.intervals.mover import mover
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals


class Expansions(NamedTuple):
    """The expansion sums of the labels in each of TP, FP, FN and TN; arrays over replicates.

    total      sum of 1 / pi
    square     sum of 1 / pi^2
    heaviest   the most that one more label of it could stand for
    """

    total: Totals
    square: Totals
    heaviest: Totals


class ExpandedShare(NamedTuple):
    """A metric, its limits (each missed with probability at most about `tail`) and standard error; NaN and the whole range if unlabeled."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray


class _Part(NamedTuple):
    """One of the two sums of a share."""

    total: FloatArray
    square: FloatArray
    heaviest: FloatArray


def measure_expanded(metric: Metric, cells: Expansions, *, tail: float) -> ExpandedShare:
    """The metric from labels that stand for different numbers of units; raise GoalError unless it is a share of a domain."""
    share = share_of(metric)
    if share is None:
        raise GoalError(
            f"unequal probabilities need a share of a domain such as precision, recall, f1 and accuracy, but {metric.name} is not one: "
            "name one of these, or make a study, which can estimate it"
        )
    inside, outside = (_part(cells, places) for places in (share.inside, share.outside))
    value = _theta(share, inside.total, outside.total)
    limits = mover(
        lambda x, y: _theta(share, x, y),
        (inside.total, outside.total),
        [gamma_limits(*part, tail=tail) for part in (inside, outside)],
        low=metric.low,
        high=metric.high,
    )
    return ExpandedShare(value, limits.low, limits.high, _error(share, inside, outside))


def gamma_limits(total: FloatArray, square: FloatArray, heaviest: FloatArray, *, tail: float) -> Limits:
    """The limits of a weighted sum of Poisson counts; the lower limit is 0 if nothing was counted."""
    seen = total > 0
    safe, spread = np.where(seen, total, 1.0), np.where(seen, square, 1.0)
    low = np.where(seen, spread / safe * gammaincinv(safe * safe / spread, tail), 0.0)
    more, wider = total + heaviest, square + heaviest * heaviest
    return Limits(low, wider / more * gammaincinv(more * more / wider, 1 - tail))


def _part(cells: Expansions, places: tuple[int, ...]) -> _Part:
    """The sums over some of the four cells."""
    total, square = (np.asarray(sum(kind[j] for j in places)) for kind in (cells.total, cells.square))
    return _Part(total, square, np.maximum.reduce([cells.heaviest[j] for j in places]))


def _theta(share: MetricShare, inside: FloatArray, outside: FloatArray) -> FloatArray:
    """The metric if the share has these sums; NaN if both are 0."""
    whole = np.asarray(inside + outside)
    return share.value(np.divide(inside, whole, out=np.full(whole.shape, np.nan), where=whole > 0))


def _error(share: MetricShare, inside: _Part, outside: _Part) -> FloatArray:
    """The delta-method standard error: the sums are independent, each with its sum of squares as variance; NaN if one has no label."""
    whole = inside.total + outside.total
    safe = np.where((inside.total > 0) & (outside.total > 0), whole, np.nan)
    variance = outside.total**2 * inside.square + inside.total**2 * outside.square
    return np.asarray(np.abs(share.slope(inside.total / safe)) * np.sqrt(variance) / safe**2)
