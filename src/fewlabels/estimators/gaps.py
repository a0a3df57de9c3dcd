"""The gap: the largest difference of a metric between slices, with its limits.

    G = max_{a,b} (theta_a - theta_b)

    U = max_{a,b} [ theta_a - theta_b + sqrt((U_a - theta_a)^2 + (theta_b - L_b)^2) ]                each pair at the full tail
    L = max(0, max_{a,b} [ theta_a - theta_b - sqrt((theta_a - L_a)^2 + (U_b - theta_b)^2) ])        each at tail / (m (m - 1))

Some pair has the difference G, so that U falls below G only if that pair's own limit does: an intersection-union test. L exceeds G only
if some pair's limit exceeds that pair's difference, so that the m (m - 1) ordered pairs share the tail. Slices share no unit: the
limits of two are joined by MOVER. The largest of several differences is too large on average, the more the less the slices differ; the
limits allow for that. Derivation and coverage: docs/maths/gaps.md.
"""

from collections.abc import Sequence

import numpy as np

from fewlabels.estimators.sides import Measured
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metric import Metric


def gap_between(metric: Metric, slices: Sequence[str], each: Sequence[Measured], rarer: Sequence[Measured]) -> Measured:
    """The gap of a metric between slices, measured at the tail and at `pair_tail` of it; arrays over replicates.

    Unknown while a slice has no value. Where a slice is there several times, in several ways to fill in its missing answers, the gap may be
    between any two ways of different slices, and nothing is known from below.
    """
    value, low, high, error = (np.stack(np.broadcast_arrays(*(one[i] for one in each))) for i in range(4))
    _, least, most, _ = (np.stack(np.broadcast_arrays(*(one[i] for one in rarer))) for i in range(4))
    known = np.isfinite(value).all(axis=0)
    value = np.nan_to_num(value)
    top, bottom = value.argmax(axis=0), value.argmin(axis=0)
    upper = _furthest(slices, value, high - value, value - low, sign=1.0)
    lower = _furthest(slices, value, value - least, most - value, sign=-1.0) if len({*slices}) == len(slices) else np.zeros_like(upper)
    both = np.hypot(_at(error, top), _at(error, bottom))
    return Measured(
        value=np.where(known, _at(value, top) - _at(value, bottom), np.nan),
        low=np.where(known, np.clip(lower, 0.0, metric.high), 0.0),
        high=np.where(known, np.clip(upper, 0.0, metric.high), metric.high),
        standard_error=np.where(known, both, np.nan),
    )


def pair_tail(tail: float, slices: Sequence[str]) -> float:
    """The tail of each ordered pair, for a lower limit of the gap."""
    m = len({*slices})
    return tail / (m * (m - 1))


def _furthest(slices: Sequence[str], value: FloatArray, of_first: FloatArray, of_second: FloatArray, *, sign: float) -> FloatArray:
    """The largest limit of theta_a - theta_b over pairs of slices, from the distances of a's and b's limits."""
    name = np.array([*slices])
    found = np.full(value.shape[1:], -np.inf)
    for a in range(name.size):
        others = name != name[a]
        each = value[a] - value[others] + sign * np.hypot(of_first[a], of_second[others])
        found = np.maximum(found, each.max(axis=0))
    return found


def _at(values: FloatArray, row: IntArray) -> FloatArray:
    """The values of the given row in each replicate."""
    return np.asarray(np.take_along_axis(values, row[None], axis=0)[0])
