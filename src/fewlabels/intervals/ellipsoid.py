"""The smallest and largest value of a function over the ellipsoid spanned by the limits of several independent quantities.

    E = { T : sum_j ((T_j - t_j) / d_j)^2 <= 1 },    d_j = high_j - t_j above the estimate t_j, t_j - low_j below it
    L = min of theta over E,   U = max of theta over E

For a linear theta this is MOVER. For a ratio it is better: MOVER moves one quantity at a time and leaves the denominator at its
estimate, so that a denominator that is too large by chance makes the whole interval too narrow; here both move together.

The extreme of a smooth theta over E lies where z is parallel to the slopes scaled by d; found by iterating that from the estimate.
Derivation: docs/maths/comparing.md.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.evidence import Limits

STEPS = 12
WITHIN = (0.0, 0.03, 0.2, 0.6, 1.0)  # the points between its limits at which a quantity is evaluated if there is no estimate

Function = Callable[[Sequence[FloatArray]], FloatArray]
Slopes = Callable[[Sequence[FloatArray]], Sequence[FloatArray]]


def reached(
    theta: Function, slopes: Slopes, points: Sequence[FloatArray], limits: Sequence[Limits], *, low: float, high: float, known: BoolArray
) -> Limits:
    """The limits of theta(points), whose range is low to high; slopes are its derivatives by each of the points.

    known   where the points are estimates; elsewhere, and where theta is undefined, the limits are its extremes on a grid over all limits
    """
    defined = known & np.isfinite(theta(points))
    bottom = np.where(defined, -_furthest(theta, slopes, points, limits, sign=-1.0), low)
    top = np.where(defined, _furthest(theta, slopes, points, limits, sign=1.0), high)
    if not defined.all():
        box_low, box_high = np.full(defined.shape, np.inf), np.full(defined.shape, -np.inf)
        between = [[end.low + part * (end.high - end.low) for part in WITHIN] for end in limits]
        for corner in product(*between):  # not only the ends: a difference of ratios may not be monotone between them
            found = theta(list(corner))
            box_low, box_high = (
                np.fmin(box_low, np.where(np.isnan(found), low, found)),
                np.fmax(box_high, np.where(np.isnan(found), high, found)),
            )
        bottom, top = np.where(defined, bottom, box_low), np.where(defined, top, box_high)
    return Limits(np.clip(bottom, low, high), np.clip(top, low, high))


def _furthest(theta: Function, slopes: Slopes, points: Sequence[FloatArray], limits: Sequence[Limits], *, sign: float) -> FloatArray:
    """The largest sign * theta over the ellipsoid; infinite if theta is undefined on the way to it."""
    t = np.stack(np.broadcast_arrays(*points))
    down, up = (np.stack(np.broadcast_arrays(*ends)) for ends in zip(*limits, strict=True))
    at, best = t, sign * theta(list(t))
    for _ in range(STEPS):
        slope = sign * np.stack(np.broadcast_arrays(*slopes(list(at))))
        reach = np.where(slope > 0, up - t, t - down)
        step = slope * reach
        length = np.sqrt((step**2).sum(axis=0))
        at = t + reach * np.divide(step, length, out=np.zeros_like(step), where=length > 0)
        found = sign * theta(list(at))
        best = np.fmax(best, np.where(np.isnan(found), np.inf, found))
    return best
