"""Other columns make an estimate steadier without being trusted: a control of mean zero, learned from other labels.

    d_i = m(x_i) - (mean of m over the units of i's group)             m fitted to the other four fifths of the labels
    p'  = p - l sum_h W_h (mean of d over the labels of h)

x are the log-odds of the guide and of the other columns, known for every unit of the population by the counts of the profile's cells, so
that the mean of d over a group is exactly 0: p' has the expectation of p whatever m is. l is the slope of y on d inside groups, less one
standard error, between 0 and 1: columns that say nothing are left alone.

The interval is that of p with its arms shortened, except for what no label has shown:

    arm' = sqrt(r (arm^2 - none^2) + none^2),      r = V(y - l d) / V(y),      none: the arm if the labels had shown no error at all

A column that repeats the answers would otherwise leave no width. Columns by which the labeled units differ from all units (a join of
the labels themselves, say) are not used. Derivation and figures: docs/maths/assisting.md. Source: Cassel, Sarndal & Wretman 1976,
Biometrika 63:615, for the difference estimator.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.estimators.grouping import Groups
from fewlabels.estimators.logistic import ridge_mode
from fewlabels.estimators.weighted import expit
from fewlabels.intervals.placed import limits_of_bands
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.evidence import Bands, Evidence, Limits
from fewlabels.nouns.tally import ControlSums, Tally

FOLDS = 5
INTERCEPT_SD, OWN_SD, OTHER_SD = 5.0, 1.0, 1.0  # of the prior: own slope about 1, the others about 0, per standard deviation of a column
UNLIKE = 4.5  # standard errors: labeled units differ from all units


class Columns(NamedTuple):
    """The log-odds of the guide and of other columns by profile cell, shape (cells, columns), and how many units each cell has."""

    x: FloatArray
    units: FloatArray


def control(columns: Columns, groups: Groups, cell: IntArray, y: FloatArray) -> ControlSums | None:
    """The control of one study's labels, summed by group; None if a group has no label, or parts of bands are pooled.

    cell, y   the profile cell and the answer of each label, in the order asked: every fifth belongs to one fold
    """
    home, G = groups.of_cell[cell], groups.N.size
    n = np.bincount(home, minlength=G)
    if groups.pool is not None or (n == 0).any() or cell.size < 2 * FOLDS:
        return None
    z = _standardized(columns, groups)
    fold = np.arange(cell.size) % FOLDS
    inside = groups.of_cell >= 0
    center = np.zeros(z.shape[1])
    center[1] = _deviation(columns.x[:, 0], columns.units * inside)
    sd = np.array([INTERCEPT_SD, OWN_SD * max(center[1], 1e-9), *[OTHER_SD] * (z.shape[1] - 2)])
    d, known = np.empty(cell.size), np.empty(cell.size)
    for f in range(FOLDS):
        mine = fold == f
        predicted = expit(z @ ridge_mode(z[cell[~mine]], y[~mine], center, sd))
        mean, square = (
            np.bincount(groups.of_cell[inside], weights=(columns.units * m)[inside], minlength=G) / groups.N
            for m in (predicted, predicted**2)
        )
        d[mine] = predicted[cell[mine]] - mean[home[mine]]
        known[mine] = np.maximum(square - mean**2, 0)[home[mine]]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(home, weights=values, minlength=G).astype(np.float64)

    return ControlSums(total(d), total(d * d), total(d * y), total(known))


def _standardized(columns: Columns, groups: Groups) -> FloatArray:
    """1, and each column by its standard deviation in the frame; the guide stands for its group alone, which it hardly varies in."""
    inside = groups.of_cell >= 0
    count = columns.units * inside
    z = columns.x - (columns.x * count[:, None]).sum(0) / count.sum()
    z = z / np.maximum([_deviation(column, count) for column in columns.x.T], 1e-9)
    return np.column_stack([np.ones(count.size), z])


def _deviation(column: FloatArray, count: FloatArray) -> float:
    mean = (column * count).sum() / count.sum()
    return float(np.sqrt(((column - mean) ** 2 * count).sum() / count.sum()))


def assisted(side: Evidence, tally: Tally) -> Evidence:
    """The evidence about a side (a tally of that side only), steadied by its control; as it was where the control explains nothing."""
    if tally.control is None or not tally.N.size:
        return side
    n, k, (d, dd, dy, _) = tally.n, tally.k, tally.control
    W = tally.N / tally.N.sum()
    c = W**2 * np.maximum(1 - n / tally.N, 0) / (n * np.maximum(n - 1, 1))
    S_yy, S_dd, S_dy = np.maximum(k - k * k / n, 0), np.maximum(dd - d * d / n, 0), dy - d * k / n
    noise = (c * S_dd).sum(-1)
    shift = (W * d / n).sum(-1)
    slope = np.divide((c * S_dy).sum(-1), noise, out=np.zeros_like(noise), where=noise > 0)
    error = np.sqrt((c**2 * S_dd * S_yy / np.maximum(n - 1, 1)).sum(-1))
    slope = np.clip(slope - np.divide(error, noise, out=np.zeros_like(noise), where=noise > 0), 0, 1)
    slope = np.where(unlike(tally), 0.0, slope)
    V = (c * S_yy).sum(-1)
    kept = np.divide((c * (S_yy - 2 * slope[..., None] * S_dy + slope[..., None] ** 2 * S_dd)).sum(-1), V, out=np.ones_like(V), where=V > 0)
    kept = np.clip(kept, 0, 1)
    p = np.clip(side.p - slope * shift, 0, 1)
    return side._replace(p=p, raw=kept * side.raw, v=kept * side.v, alone=side)


def unlike(tally: Tally) -> BoolArray:
    """Whether the labeled units of a side (a tally of that side only) differ from all its units by their other columns."""
    if tally.control is None:
        return np.zeros(tally.n.shape[:-1], dtype=np.bool_)
    W, n = tally.N / tally.N.sum(), tally.n
    shift = (W * tally.control.d / n).sum(-1)
    expected = np.sqrt((W**2 * np.maximum(1 - n / tally.N, 0) * tally.control.known / n**2).sum(-1))
    return np.asarray(np.abs(shift) > UNLIKE * expected)


def assisted_limits(side: Evidence, limits: Limits, tail: float) -> Limits:
    """The limits of a steadied side, from those without other columns."""
    alone = side.alone
    assert alone is not None
    assert alone.bands is not None  # units are counted, and no rates are mixed
    kept = np.divide(side.raw, alone.raw, out=np.ones_like(side.raw), where=alone.raw > 0)
    N, n, k = (np.broadcast_to(counts, alone.bands.n.shape) for counts in alone.bands)
    shape = (-1, N.shape[-1])
    none = limits_of_bands(
        Bands(N.reshape(shape), n.reshape(shape), np.zeros_like(k).reshape(shape)), np.full(N.reshape(shape).shape[0], tail)
    )
    unseen = np.asarray(none.high.reshape(side.p.shape) / alone.N)

    def arm(whole: FloatArray) -> FloatArray:
        least = np.minimum(unseen, whole)
        return np.asarray(np.sqrt(kept * (whole**2 - least**2) + least**2))

    low, high = side.p - arm(alone.p - limits.low), side.p + arm(limits.high - alone.p)
    same = kept >= 1
    return Limits(np.where(same, limits.low, np.clip(low, 0, 1)), np.where(same, limits.high, np.clip(high, 0, 1)))
