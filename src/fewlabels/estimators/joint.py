"""Several labels or classes evaluated on the same labeled units: one reading of a unit answers for all of them.

Each classifier has its own groups and its own limits on both sides. The estimates share their units, so they are correlated; the
covariance is estimated from the labels:

    Cov(T_a, T_b) = sum over bands of N_h^2 (1 - f_h) / (n_h (n_h - 1)) * sum of e_a e_b over the band's labels

e_a is a label's residual in its group, 0 for a unit on the other side. MOVER joins the limits with these correlations.
Derivation: docs/maths/joint.md.
"""

from collections.abc import Sequence

import numpy as np

from fewlabels.estimators.grouping import Groups, fill_empty
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.sides import Measured, limits_of_each, read_sides
from fewlabels.intervals.mover import mover
from fewlabels.intervals.registered import side_limits_of
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import JointTally


def joint_tally(groups: Sequence[Groups], design: DrawDesign, *, cell: IntArray, positive: FloatArray) -> JointTally:
    """The tally of one study from the profile cell of each unit and its answer to each classifier's question (1, 0, or NaN for none)."""
    tallies = []
    residuals = np.zeros((cell.size, 2 * len(groups)))
    for j, mine in enumerate(groups):
        home, answered = mine.of_cell[cell], np.isfinite(positive[:, j])
        n = np.bincount(home[answered], minlength=mine.N.size).astype(np.float64)
        k = np.bincount(home[answered], weights=positive[answered, j], minlength=mine.N.size).astype(np.float64)
        left = np.where(answered, positive[:, j] - (k / np.maximum(n, 1))[home], 0.0)
        residuals[:, 2 * j] = np.where(mine.flagged[home], left, 0.0)
        residuals[:, 2 * j + 1] = np.where(mine.flagged[home], 0.0, left)
        tallies.append(fill_empty(mine.tally(n, k)))
    return JointTally(tuple(tallies), correlate(residuals, design.band[cell], design.N))


def correlate(residuals: FloatArray, band: IntArray, N: IntArray) -> FloatArray:
    """The correlations of the estimated totals, from residuals of labels (rows) in each total (columns); 1 on the diagonal."""
    n = np.bincount(band, minlength=N.size)
    weight = N**2 * (1 - n / N) / (np.maximum(n, 1) * np.maximum(n - 1, 1))
    scaled = residuals * np.sqrt(np.maximum(weight, 0))[band][:, None]
    covariance = scaled.T @ scaled
    deviation = np.sqrt(np.diag(covariance))
    known = deviation > 0
    safe: FloatArray = np.where(known, deviation, 1.0)
    correlation = np.where(known[:, None] & known, covariance / safe / safe[:, None], 0.0)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def measure_joint(metric: Metric, joint: JointTally, *, tail: float, interval: IntervalKind = USUAL_INTERVAL) -> Measured:
    """A metric of all classifiers together, with its limits and standard error."""
    side_limits_of(interval, what="a metric of several labels or classes")  # raise for an interval that has none
    sides = [side for tally in joint.tallies for side in read_sides(tally)]
    N = np.array([size for tally in joint.tallies for size in (tally.N1, tally.N0)])

    def totals(shares: Sequence[FloatArray]) -> Totals:
        held = np.stack(np.broadcast_arrays(*shares), axis=-1) * N
        return Totals.of_sides(held[..., 0::2], held[..., 1::2], N1=N[0::2], N0=N[1::2])

    shares = [np.where(np.isfinite(side.p), side.p, np.nan if size else 0.0) for side, size in zip(sides, N, strict=True)]
    limits = limits_of_each(sides, tail, interval)
    value = np.clip(metric.value(totals(shares)), metric.low, metric.high)  # sums of huge totals round beyond the range
    low, high = mover(
        lambda *moved: metric.value(totals(moved)), shares, limits, low=metric.low, high=metric.high, correlation=joint.correlation
    )
    a1, a0 = influence(metric, totals(shares))
    slope = np.stack([a1, a0], axis=-1).reshape(*a1.shape[:-1], -1) * N
    reach = slope * np.sqrt(np.nan_to_num(np.stack(np.broadcast_arrays(*(side.v for side in sides)), axis=-1)))
    variance = np.einsum("...i,...ij,...j->...", reach, joint.correlation, reach)
    return Measured(value, low, high, np.where(np.isfinite(value), np.sqrt(np.maximum(variance, 0)), np.nan))


def uncorrelated(groups: Sequence[Groups], n: Sequence[FloatArray], share: Sequence[FloatArray]) -> JointTally:
    """The expected tally if the positive shares of the groups were these: a forecast, without correlations."""
    tallies = tuple(mine.tally(labels, labels * p) for mine, labels, p in zip(groups, n, share, strict=True))
    return JointTally(tallies, np.eye(2 * len(tallies)))
