"""Bootstraps: quantiles of the metric over resampled labels. Two baselines by name.

    bootstrap   within each band n_h labels with replacement; the usual variance without its finite-population factor and with n_h for
                n_h - 1
    rao_wu      within each band n_h - 1 labels with replacement, with the deviation shrunk:  p*_h = p_h + sqrt(1 - f_h) (mean - p_h),
                so that the variance of p*_h is the usual one, (1 - f_h) p_h (1 - p_h) / (n_h - 1)

A simple draw is one band: the side a label falls on is then resampled too. Resamples in which the metric is undefined are left out;
the limits always include the value. Resamples of labels without an error have none, so both fail where errors are rare.
Sources: Efron 1979, Annals of Statistics 7:1; Rao & Wu 1988, JASA 83:231, section 2 with m_h = n_h - 1. Figures:
docs/maths/baselines.md.
"""

from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.intervals.base import Interval
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally

BootstrapKind = Literal["bootstrap", "rao_wu"]
RESAMPLES = 1_000


class GroupCounts(NamedTuple):
    """Labels and positive labels by group; fractional after Rao and Wu's shrinkage."""

    n: FloatArray
    k: FloatArray


def percentile(metric: Metric, tally: Tally, value: FloatArray, *, tail: float, kind: BootstrapKind, rng: np.random.Generator) -> Limits:
    """The `tail` and 1 - `tail` quantiles over RESAMPLES; the whole range if the metric has no value."""
    if metric.weight is not None:
        raise PlanError(f"{kind} counts units, but {metric.name} sums weights: use {USUAL_INTERVAL}")
    low, high = (np.full(value.shape, end, dtype=np.float64) for end in (metric.low, metric.high))
    for at in np.ndindex(value.shape):
        if np.isfinite(value[at]):
            found = resample(metric, _alone(tally, at), RESAMPLES, kind=kind, rng=rng)
            found = np.append(found[np.isfinite(found)], value[at])  # the labels themselves are one more resample
            low[at] = np.minimum(np.quantile(found, tail), value[at])
            high[at] = np.maximum(np.quantile(found, 1 - tail), value[at])
    return Limits(np.clip(low, metric.low, metric.high), np.clip(high, metric.low, metric.high))


def resample(metric: Metric, tally: Tally, times: int, *, kind: BootstrapKind, rng: np.random.Generator) -> FloatArray:
    """The metric of `times` resamples of one tally; NaN where it is undefined."""
    again = _redraw(tally, times, fewer=kind == "rao_wu", rng=rng)
    if kind == "rao_wu":
        f = np.full(tally.N.shape, tally.n.sum() / tally.N.sum()) if tally.simple else tally.n / tally.N
        pull = np.sqrt(np.clip(1 - f, 0, 1))
        again = GroupCounts(tally.n + pull * (again.n - tally.n), tally.k + pull * (again.k - tally.k))
    p1, p0 = (_side_share(tally, again, flagged=side) for side in (True, False))
    if not metric.needs_flagged or not tally.N1:
        p1 = np.zeros(times)
    if not metric.needs_unflagged or not tally.N0:
        p0 = np.zeros(times)
    return metric.value(Totals.of_sides(tally.N1 * p1, tally.N0 * p0, N1=tally.N1, N0=tally.N0))


def _redraw(tally: Tally, times: int, *, fewer: bool, rng: np.random.Generator) -> GroupCounts:
    """Labels resampled within bands, one fewer per band if `fewer`, rescaled to the number of the band."""
    n = np.rint(tally.n).astype(np.int64)
    p = np.divide(tally.k, tally.n, out=np.zeros_like(tally.n), where=tally.n > 0)
    if tally.simple:
        size = max(int(n.sum()) - fewer, 1)
        drawn = rng.multinomial(size, n / max(n.sum(), 1), size=times)
        scale = np.full(n.shape, n.sum() / size)
    else:
        one = np.maximum(n - fewer, np.minimum(n, 1))
        drawn = np.broadcast_to(one, (times, n.size))
        scale = np.divide(n, one, out=np.ones(n.shape), where=one > 0)
    return GroupCounts(drawn * scale, rng.binomial(drawn, np.clip(p, 0, 1)) * scale)


def _side_share(tally: Tally, counts: GroupCounts, *, flagged: bool) -> FloatArray:
    """The positive share of a side by resample, over the groups that have labels; NaN if none has."""
    mine = tally.flagged == flagged
    n, k, N = counts.n[..., mine], counts.k[..., mine], tally.N[mine]
    seen = n > 0
    top = (np.divide(k, n, out=np.zeros_like(n), where=seen) * N).sum(-1)
    bottom = (seen * N).sum(-1)
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def _alone(tally: Tally, at: tuple[int, ...]) -> Tally:
    """One replicate of a tally."""
    return replace(tally, n=tally.n[at], k=tally.k[at])


BOOTSTRAP = Interval(
    name="bootstrap",
    of_labels=partial(percentile, kind="bootstrap"),
    is_baseline=True,
    caution="bootstrap is a baseline: resampling never shows an error that was not drawn, so where errors are rare it misses as wald "
    "does; it also leaves out that units are drawn without replacement",
)
RAO_WU = Interval(
    name="rao_wu",
    of_labels=partial(percentile, kind="rao_wu"),
    is_baseline=True,
    caution="rao_wu is a baseline: its variance is right, but resampling never shows an error that was not drawn, so where errors are "
    "rare it misses as wald does",
)
