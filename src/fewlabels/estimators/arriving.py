"""Answers that arrive by themselves: positives so far, corrected by the share that earlier positives had arrived at the same age.

    p = q / c          q: the share of arrived positives, every other unit of the side counted as negative;   c = x / m
    V = v(q) / c^2 + p (1 - c) / (c N) + p^2 (1 - c) / (c m)

x of m earlier positives had arrived at the age that the units have now. Of A positives among the N units of the side a binomial number has
arrived: that chance is there even if every unit is drawn. The limits of q are those of the interval in force, with the arms of that chance
(exact binomial limits of A) joined to theirs; those of c are Clopper-Pearson's; MOVER joins both. It holds if the positives of these units
arrive as the earlier ones did, and independently of each other and of the draw. Derivation and what happens if they do not:
docs/maths/arriving.md.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import betainc

from fewlabels.intervals.binomial import clopper_pearson
from fewlabels.intervals.mover import mover
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.late import Arrived

LEAST = 1e-12  # of a share that has arrived
STEPS = 60  # of bisection, over at most all units


def arriving(side: Evidence, arrived: Arrived | None) -> Evidence:
    """The evidence about a side whose positives are still arriving; as it was if answers do not arrive by themselves."""
    if arrived is None:
        return side
    c = _share(side, arrived)
    known = np.maximum(c, LEAST)
    p = np.where(c > 0, _behind(side.p, known), np.nan)
    most = np.nan_to_num(p)
    more = most * (1 - c) / known * (1 / max(side.N, 1.0) + most / arrived.of)
    return side._replace(p=p, raw=side.raw / known**2 + more, v=side.v / known**2 + more, bands=None, alone=side, arrived=arrived)


def _share(side: Evidence, arrived: Arrived) -> FloatArray:
    """The share of earlier positives that had arrived."""
    return np.broadcast_to(np.asarray(arrived.come) / arrived.of, side.p.shape)


def _behind(q: FloatArray, c: FloatArray) -> FloatArray:
    """The share behind a share q of which c has arrived."""
    return np.asarray(np.minimum(q / np.maximum(c, LEAST), 1.0))


def arriving_limits(side: Evidence, limits: Limits, tail: float) -> Limits:
    """The limits of a side whose positives are still arriving, from those of what has arrived."""
    assert side.alone is not None  # what has arrived
    assert side.arrived is not None
    q, c = side.alone.p, _share(side, side.arrived)
    x, m = (np.broadcast_to(np.asarray(count, dtype=np.float64), side.p.shape) for count in side.arrived)
    found = mover(_behind, (q, x / m), (_with_chance(q, c, limits, side.N, tail), clopper_pearson(x, m, tail)), low=0.0, high=1.0)
    known = np.isfinite(side.p)
    return Limits(np.where(known, found.low, np.minimum(limits.low, 1.0)), np.where(known, found.high, 1.0))


def _with_chance(q: FloatArray, c: FloatArray, limits: Limits, N: float, tail: float) -> Limits:
    """The limits of the share expected to have arrived: those of what has, and the chance that so many did, their arms joined.

    Of A positives a or fewer have arrived with probability I_{1-c}(A - a, a + 1), and a or more with I_c(a, A - a + 1).
    """
    open_, known = (c > 0) & (c < 1) & np.isfinite(q), np.clip(c, LEAST, 1 - LEAST)
    a, units = np.nan_to_num(q) * N, max(N, 1.0)
    most = _bisected(lambda A: betainc(np.maximum(A - a, LEAST), a + 1, 1 - known) > tail, a, np.full(a.shape, units))
    least = _bisected(lambda A: betainc(np.maximum(a, LEAST), A - a + 1, known) < tail, a, np.maximum(a / known, a))
    down, up = np.hypot(q - limits.low, q - known * least / units), np.hypot(limits.high - q, known * most / units - q)
    return Limits(np.where(open_, np.maximum(q - down, 0), limits.low), np.where(open_, np.minimum(q + up, 1), limits.high))


def _bisected(is_below: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """Where a condition that holds from `low` on ends; `high` if it does not end before, `low` if it does not hold there."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
