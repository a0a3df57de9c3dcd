"""MOVER: limits of a function of several quantities from the limits of each, whatever the signs.

    d_j^- = theta - min(theta at quantity j's low, at its high, theta)        the others at their estimates
    L = theta - sqrt(d^-' R d^-),   U likewise, clipped to theta's range

R is the identity for independent estimates. Otherwise it holds their correlations, with the signs of the corners: two correlated
quantities reach further if both ends push theta the same way.

A corner where theta is undefined counts as the limit of the range. If theta itself is undefined, the limits are the extremes that the
limits of the quantities allow. Source: Zou & Donner 2008, Statistics in Medicine 27:1693, in the sign-free form of docs/maths/rare.md.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits

MOST_CORNERS = 6  # with more quantities, an undefined theta is simply unknown


def mover(
    theta: Callable[..., FloatArray],
    points: Sequence[FloatArray],
    limits: Sequence[Limits],
    *,
    low: float,
    high: float,
    correlation: FloatArray | None = None,
) -> Limits:
    """The limits of theta(*points), whose range is low to high, from the limits of each point.

    correlation   of the points' estimates, shape (..., points, points); None if they are independent
    """
    whole = Limits(np.asarray(low), np.asarray(high))
    point = theta(*points)
    known = np.isfinite(point)
    moved = [[theta(*points[:j], end, *points[j + 1 :]) for end in ends] for j, ends in enumerate(limits)]
    reach = [_possible(corners, whole) for corners in moved]
    down = [np.maximum(point - r.low, 0) for r in reach]
    up = [np.maximum(r.high - point, 0) for r in reach]
    if correlation is not None:  # a reach to the left by a point's low end has the sign of one to the right by its high end
        rises = [np.where(np.nan_to_num(at_low) <= np.nan_to_num(at_high), 1.0, -1.0) for at_low, at_high in moved]
        down, up = ([sign * part for sign, part in zip(rises, parts, strict=True)] for parts in (down, up))
    box = whole if known.all() or len(limits) > MOST_CORNERS else _possible([theta(*corner) for corner in product(*limits)], whole)
    lower = np.where(known, point - _length(down, correlation), box.low)
    upper = np.where(known, point + _length(up, correlation), box.high)
    return Limits(np.clip(lower, low, high), np.clip(upper, low, high))


def _length(parts: Sequence[FloatArray], correlation: FloatArray | None) -> FloatArray:
    """The square root of d' R d; of the sum of squares if nothing is correlated."""
    if correlation is None:
        return np.sqrt(sum(part**2 for part in parts))
    d = np.stack(np.broadcast_arrays(*parts), axis=-1)
    return np.asarray(np.sqrt(np.maximum(np.einsum("...i,...ij,...j->...", d, correlation, d), 0)))


def _possible(corners: Sequence[FloatArray], whole: Limits) -> Limits:
    """The smallest and the largest theta at these corners; an undefined one may be anything."""
    least = np.minimum.reduce([np.where(np.isnan(c), whole.low, c) for c in corners])
    greatest = np.maximum.reduce([np.where(np.isnan(c), whole.high, c) for c in corners])
    return Limits(least, greatest)
