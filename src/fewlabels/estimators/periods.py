"""Two periods, and a window of several: the change of a metric between them, and the estimate from their pooled labels.

A unit in both periods has one permanent number, so it is likely to be drawn in both, and its one label enters both estimates. They are
correlated:

    Var(change) = V1 + V2 - 2 C,      C = sum over units in both of e1 e2 (1 / max(pi1, pi2) - 1)

The limits of each period are those of the interval; MOVER joins them with the correlation C / sqrt(V1 V2). A window counts every unit once,
in the last period that contains it. Derivation: docs/maths/periods.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fewlabels.errors import PlanError
from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.sides import Measured, read_sides, side_limits
from fewlabels.estimators.weighted import PRIOR_LABELS, recalibrate
from fewlabels.intervals.mover import mover
from fewlabels.intervals.registered import INTERVALS, interval_named
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.works_with import Trait, require


class Shared(NamedTuple):
    """Labeled units that both periods drew, counted by the pair of groups they are in.

    before, after   the group of each pair in the two tallies, shape (P,)
    n, k            units and positives among them, shape (..., P)
    """

    before: IntArray
    after: IntArray
    n: FloatArray
    k: FloatArray


def shared_units(before: IntArray, after: IntArray, positive: BoolArray) -> Shared:
    """The pairs of one study: the group in each period, and the label, of every labeled unit that both drew."""
    pairs, where = np.unique(np.stack([before, after]), axis=1, return_inverse=True)
    n = np.bincount(where.ravel(), minlength=pairs.shape[1]).astype(np.float64)
    k = np.bincount(where.ravel(), weights=positive.astype(np.float64), minlength=pairs.shape[1]).astype(np.float64)
    return Shared(pairs[0], pairs[1], n, k)


def change(
    metric: Metric, before: Tally, after: Tally, shared: Shared | None = None, *, tail: float, interval: IntervalKind = USUAL_INTERVAL
) -> Measured:
    """The metric after minus the metric before, its limits and standard error; arrays over replicates.

    shared     units that both periods drew; None if the periods have no unit in common
    interval   placed, rec, strict or midp; wald is for comparison and is not valid where errors are rare
    """
    _refuse(metric, before, after, shared, interval)
    sides = [side for tally in (before, after) for side in read_sides(fill_empty(tally) if tally.n.ndim == 1 else tally)]
    N = (before.N1, before.N0, after.N1, after.N0)
    needed = [metric.needs_flagged, metric.needs_unflagged] * 2
    p = [s.p if need and size else np.zeros_like(s.p) for s, need, size in zip(sides, needed, N, strict=True)]

    def theta(*p: FloatArray) -> FloatArray:
        first, second = (metric.value(_totals(p[j : j + 2], N[j : j + 2])) for j in (0, 2))
        return np.asarray(second - first)

    raw = interval_named(interval).symmetric
    slope = [a * size for j, sign in ((0, -1), (2, 1)) for a, size in zip(_slopes(metric, p, N, j, sign), N[j : j + 2], strict=True)]
    correlation = correlate_periods(before, after, shared, slope=slope, raw=raw)
    error = _length(slope, [side.raw if raw else side.v for side in sides], correlation)
    value, whole = theta(*p), metric.high - metric.low
    if raw:
        return Measured(value, *_wald(value, error, tail, whole), error)
    ends = [side_limits(side, tail, interval, needed=need, joined=True) for side, need in zip(sides, needed, strict=True)]
    low, high = mover(theta, p, ends, low=-whole, high=whole, correlation=correlation)
    return Measured(value, low, high, np.where(np.isfinite(value), error, np.nan))


def _refuse(metric: Metric, before: Tally, after: Tally, shared: Shared | None, interval: IntervalKind) -> None:
    """Raise PlanError for an interval or a metric for which changes are not supported."""
    if not (kind := interval_named(interval)).of_side and not kind.symmetric:
        known = ", ".join(one.name for one in INTERVALS if one.of_side or one.symmetric)
        raise PlanError(f"a change needs one of the intervals {known}, got {interval}: choose one of these")
    if Trait.JOINT in metric.traits:
        require("periods", metric.traits, subject=f"{metric.name} is")
    if shared is not None and any(t.weights is not None or t.expansions is not None for t in (before, after)):
        raise PlanError(
            f"a change with shared units counts units by part of a band, but {metric.name} is by a weight column, or parts were joined: "
            "count each part separately"
        )


def _totals(shares: Sequence[FloatArray], N: Sequence[float]) -> Totals:
    """The totals of one period."""
    return Totals.of_sides(N[0] * shares[0], N[1] * shares[1], N1=N[0], N0=N[1])


def _slopes(metric: Metric, p: Sequence[FloatArray], N: Sequence[float], start: int, sign: int) -> list[FloatArray]:
    """The effect of one more positive on each side of one period on the change."""
    return [sign * a for a in influence(metric, _totals(p[start : start + 2], N[start : start + 2]))]


def _length(slope: Sequence[FloatArray], variance: Sequence[FloatArray], correlation: FloatArray) -> FloatArray:
    """The standard error of a sum of correlated parts."""
    d = np.stack(np.broadcast_arrays(*(s * np.sqrt(np.nan_to_num(v)) for s, v in zip(slope, variance, strict=True))), axis=-1)
    return np.asarray(np.sqrt(np.maximum(np.einsum("...i,...ij,...j->...", d, correlation, d), 0)))


def _wald(value: FloatArray, error: FloatArray, tail: float, whole: float) -> Limits:
    """The value minus and plus a multiple of its standard error; the whole range without a value."""
    reach = float(-ndtri(tail)) * error
    low, high = np.nan_to_num(value - reach, nan=-whole), np.nan_to_num(value + reach, nan=whole)
    return Limits(np.clip(low, -whole, whole), np.clip(high, -whole, whole))


def correlate_periods(
    before: Tally, after: Tally, shared: Shared | None, *, slope: Sequence[FloatArray] = (), raw: bool = False
) -> FloatArray:
    """The correlations of the four estimated totals: flagged and other side before, flagged and other side after; shape (..., 4, 4).

    slope   the effect of each total on the quantity of interest: of the two estimates below, the one that gives the larger variance is
            used; without slopes, the smaller correlation
    raw     use only the raw residuals. Otherwise also the spread that the guide and all labels of a group give each of its labels: two
            errors in the same unit must not make the two periods look perfectly correlated.
    """
    found = np.zeros((*np.broadcast_shapes(before.n.shape[:-1], after.n.shape[:-1]), 4, 4))
    found[..., np.arange(4), np.arange(4)] = 1.0
    if shared is None or shared.before.size == 0:
        return found
    block = _block(before, after, shared, raw=True)
    if not raw:
        other = _block(before, after, shared, raw=False)
        block = np.where(_push_alike(slope, block.shape), np.maximum(block, other), np.minimum(block, other))
    found[..., :2, 2:] = block
    found[..., 2:, :2] = np.swapaxes(block, -1, -2)
    return found


def _push_alike(slope: Sequence[FloatArray], shape: tuple[int, ...]) -> BoolArray:
    """Whether a total before and one after push the change the same way: a unit that left the flagged side, for recall or F1."""
    if not slope:
        return np.zeros(shape, dtype=np.bool_)
    d = np.sign(np.stack(np.broadcast_arrays(*slope), axis=-1))
    return np.broadcast_to(d[..., :2, None] * d[..., None, 2:] > 0, shape)


class _Spread(NamedTuple):
    """The variance of a label in each group, and the factor that a group of few labels adds to it."""

    share: FloatArray
    spread: FloatArray
    few: FloatArray


def _spread(tally: Tally, *, raw: bool) -> _Spread:
    """The share p and p (1 - p) of each group, as counted or with the guide counting as two more labels."""
    n = np.maximum(tally.n, 1e-12)
    share, spare = tally.k / n, 1.0
    if not raw:
        spare = 0.5
        share = np.empty(tally.k.shape)
        for flagged in (True, False):
            mine, side = tally.flagged == flagged, tally.side(flagged=flagged)
            share[..., mine] = (side.k + PRIOR_LABELS * recalibrate(side)) / (side.n + PRIOR_LABELS)
    return _Spread(share, share * (1 - share), n / np.maximum(n - spare, 0.5))


def _block(before: Tally, after: Tally, shared: Shared, *, raw: bool) -> FloatArray:
    """Correlations of the totals before (rows: flagged, other) and after (columns), from the shared units; 0 where nothing varied."""
    i, j = shared.before, shared.after
    one, two = _spread(before, raw=raw), _spread(after, raw=raw)
    f1, f2 = (np.minimum(t.n / t.N, 1.0) for t in (before, after))
    p1, p2 = one.share[..., i], two.share[..., j]
    product = shared.k * (1 - p1) * (1 - p2) + (shared.n - shared.k) * p1 * p2
    if not raw:
        product = shared.n * np.sqrt(one.spread[..., i] * two.spread[..., j])
    few = np.sqrt(one.few[..., i] * two.few[..., j])
    both = f1[..., i] * f2[..., j]
    left = 1 - np.maximum(f1[..., i], f2[..., j])
    covariance = np.divide(product * few * left, both, out=np.zeros(product.shape), where=both > 0)
    sides = [np.stack([t.flagged, ~t.flagged]).astype(np.float64) for t in (before, after)]
    C = np.einsum("...p,ap,bp->...ab", covariance, sides[0][:, i], sides[1][:, j])
    V1, V2 = (_variances(t, s, side) for t, s, side in zip((before, after), (one, two), sides, strict=True))
    scale = np.sqrt(V1[..., :, None] * V2[..., None, :])
    return np.asarray(np.clip(np.divide(C, scale, out=np.zeros(C.shape), where=scale > 0), -1.0, 1.0))


def _variances(tally: Tally, group: _Spread, sides: FloatArray) -> FloatArray:
    """The variance of the estimated total of each side."""
    n = np.maximum(tally.n, 1e-12)
    each = np.where(tally.n > 0, tally.N**2 * np.maximum(1 - n / tally.N, 0.0) * group.spread * group.few / n, 0.0)
    return np.asarray(np.einsum("...g,sg->...s", each, sides))


def without(tally: Tally, *, N: FloatArray, n: FloatArray, k: FloatArray, N1: float, N0: float) -> Tally:
    """The same groups without the units that another period counts: the labels left are a simple draw of the units left.

    N, n, k   units removed from each group, labels and positives among them
    N1, N0    units removed from the two sides of the whole population
    """
    if tally.weights is not None or tally.expansions is not None:
        raise PlanError("cannot remove units from parts of bands that are joined or summed by a column: count each part separately")
    left = replace(tally, N=tally.N - N, n=tally.n - n, k=tally.k - k, N1=tally.N1 - N1, N0=tally.N0 - N0)
    if (left.n < 0).any() or (left.k < 0).any() or (left.k > left.n).any() or (left.n > left.N).any() or min(left.N1, left.N0) < 0:
        raise PlanError("units removed from a period must be among its units and labels: count them by the period's own groups")
    kept = left.N > 0
    return replace(
        left,
        flagged=left.flagged[kept],
        N=left.N[kept],
        n=left.n[..., kept],
        k=left.k[..., kept],
        logit=left.logit[kept],
        expected=left.expected[kept],
    )


def window(tallies: Sequence[Tally]) -> Tally:
    """The labels of several periods as those of one population, with separate groups for each period.

    No unit may be in two of the tallies: remove repeated units from all but the last period that contains them (`without`). A group
    without a label joins its neighbor in its own period (one study, no replicates): another period's units may differ from it.
    """
    return side_by_side([fill_empty(tally) if tally.n.ndim == 1 else tally for tally in tallies])


def side_by_side(tallies: Sequence[Tally]) -> Tally:
    """The groups of several tallies in one tally, unchanged, ordered by side and then by guide."""
    if not tallies or any(t.weights is not None or t.expansions is not None for t in tallies):
        raise PlanError("a window counts the units of at least one period by part of a band: ask for a metric of counts, by separate parts")

    def joined(name: str) -> FloatArray:
        return np.concatenate([getattr(t, name) for t in tallies], axis=-1)

    flagged, logit = np.concatenate([t.flagged for t in tallies]), joined("logit")
    order = np.lexsort((logit, flagged))
    return Tally(
        flagged=flagged[order],
        N=joined("N")[order],
        n=joined("n")[..., order],
        k=joined("k")[..., order],
        logit=logit[order],
        expected=joined("expected")[order],
        N1=float(sum(t.N1 for t in tallies)),
        N0=float(sum(t.N0 for t in tallies)),
        simple=len(tallies) == 1 and tallies[0].simple,
    )
