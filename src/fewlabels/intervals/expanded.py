"""The limits of a share where labeled units stand for different numbers of units, each 1 / pi, and nothing else is known of the draw.

    X = sum of w over the labels inside the share, Y = over those outside,  w = 1 / pi,      u = X / (X + Y)
    lower of X = (V / X) Gamma^-1(alpha/2; X^2 / V)                                          V = sum of w^2
    upper of X = (V+ / X+) Gamma^-1(1 - alpha/2; X+^2 / V+)                                  X+ = X + m, V+ = V + m^2

m is the most that one more label could stand for. The labels inside and outside are read as independent Poisson counts, which units drawn
one by one are; stratified draws vary less. The two are joined by MOVER. So a side of which no error was found is not taken to have none:
one error there may stand for m units. Derivation and coverage: docs/maths/expanded.md.
Source: Fay & Feuer 1997, Statistics in Medicine 16:791.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from fewlabels.errors import GoalError
from fewlabels.intervals.binomial import Share, share_of
from fewlabels.intervals.mover import mover
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals


class Expansions(NamedTuple):
    """What the labels of each of TP, FP, FN and TN stand for; arrays over replicates.

    total      sum of 1 / pi
    square     sum of 1 / pi^2
    heaviest   the most that one more label of it could stand for
    """

    total: Totals
    square: Totals
    heaviest: Totals


class ExpandedShare(NamedTuple):
    """A metric, its limits (each missed with probability about `tail` or less) and standard error; NaN and everything without a label."""

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
    """The metric from labels that stand for different numbers of units. Refuses a metric that is no share of a domain."""
    share = share_of(metric)
    if share is None:
        raise GoalError(
            f"unequal probabilities are read for shares of a domain such as precision, recall, f1 and accuracy, but {metric.name} is none: "
            "name one of these, or make a study, which reads it"
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
    """The limits of a sum of Poisson counts that are weighed differently; 0 below where nothing was counted."""
    seen = total > 0
    safe, spread = np.where(seen, total, 1.0), np.where(seen, square, 1.0)
    low = np.where(seen, spread / safe * gammaincinv(safe * safe / spread, tail), 0.0)
    more, wider = total + heaviest, square + heaviest * heaviest
    return Limits(low, wider / more * gammaincinv(more * more / wider, 1 - tail))


def _part(cells: Expansions, places: tuple[int, ...]) -> _Part:
    """The sums over some of the four cells."""
    total, square = (np.asarray(sum(kind[j] for j in places)) for kind in (cells.total, cells.square))
    return _Part(total, square, np.maximum.reduce([cells.heaviest[j] for j in places]))


def _theta(share: Share, inside: FloatArray, outside: FloatArray) -> FloatArray:
    """The metric where the share has these sums; NaN where both are 0."""
    whole = np.asarray(inside + outside)
    return share.value(np.divide(inside, whole, out=np.full(whole.shape, np.nan), where=whole > 0))


def _error(share: Share, inside: _Part, outside: _Part) -> FloatArray:
    """The delta method: the sums are independent and each has its sum of squares for a variance; NaN where one of them saw no label."""
    whole = inside.total + outside.total
    safe = np.where((inside.total > 0) & (outside.total > 0), whole, np.nan)
    variance = outside.total**2 * inside.square + inside.total**2 * outside.square
    return np.asarray(np.abs(share.slope(inside.total / safe)) * np.sqrt(variance) / safe**2)
