"""Ribbons (simultaneous bands): precision and recall of a classifier at all thresholds together, from one set of labels.

A ribbon is the interval at a level at which all thresholds are covered at once. Estimates at neighboring thresholds share labels, so their
errors are correlated; the distribution of the largest one is found by simulating errors of the pieces, each as large as its labels
indicate. The positives found never decrease as the threshold does, which narrows the ribbon and extends it to all thresholds between.
Derivation: docs/maths/thresholds.md.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.errors import GoalError
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.thresholds import PartAt, Pieces, Thresholds, limits_of, read_thresholds
from fewlabels.estimators.weighted import PRIOR_LABELS, recalibrate
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream

ERRORS, SEED = 2_000, 20_261  # simulated errors behind a ribbon's level, the same every time


class Curve(NamedTuple):
    """A metric at every threshold; arrays over replicates, the last axis over thresholds. NaN if unknown.

    low, high                the interval at each threshold alone
    ribbon_low, ribbon_high  limits that are valid at all thresholds together
    tail                     the probability that a limit of the ribbon misses at its own threshold, one per replicate
    """

    metric: str
    thresholds: Thresholds
    value: FloatArray
    low: FloatArray
    high: FloatArray
    ribbon_low: FloatArray
    ribbon_high: FloatArray
    tail: FloatArray


def measure_thresholds(
    pieces: Pieces, n: FloatArray, k: FloatArray, *, metrics: Sequence[Metric], level: float, interval: IntervalKind = USUAL_INTERVAL
) -> tuple[Curve, ...]:
    """Each metric at every threshold with intervals and ribbon at the level; n and k are labels and positive labels by profile cell."""
    by_piece = pieces.summed(n), pieces.summed(k)
    read = read_thresholds(pieces, *by_piece)
    variance = _variances(pieces, *by_piece)
    curves = []
    for metric in metrics:
        alone = limits_of(metric, read, tail=(1 - level) / 2, interval=interval)
        tail = _ribbon_tail(metric, read, variance, level)
        ribbon = limits_of(metric, read, tail=cast(float, tail), interval=interval)  # REC accepts one tail per replicate
        ends = _monotone(metric, pieces.thresholds.units, ribbon.low, ribbon.high)
        curves.append(Curve(metric.name, pieces.thresholds, *alone, *ends, tail))
    return tuple(curves)


def _variances(pieces: Pieces, n: FloatArray, k: FloatArray) -> FloatArray:
    """The variance of the positives between neighboring thresholds, shape (..., thresholds + 1), by smoothed shares and planned labels."""
    whole = Tally(
        flagged=np.ones(pieces.N.shape, dtype=np.bool_), N=pieces.N, n=n, k=k, logit=pieces.logit, expected=pieces.expected,
        N1=float(pieces.N.sum()), N0=0.0,
    )  # fmt: skip
    q = (k + PRIOR_LABELS * recalibrate(whole)) / (n + PRIOR_LABELS)
    labels = np.maximum(pieces.planned, 0.5)
    v = pieces.N**2 * np.maximum(1 - pieces.planned / pieces.N, 0) * q * (1 - q) / labels
    return np.asarray(v @ np.eye(pieces.thresholds.bin.size + 1)[pieces.first])


def _ribbon_tail(metric: Metric, read: Sequence[Sequence[PartAt]], variance: FloatArray, level: float) -> FloatArray:
    """The tail of each limit at which all are valid together: at most that of one threshold alone, at least Bonferroni's.

    Errors e of the segments are independent; a threshold's error is a1 (those above) + a0 (those below), the metric's influences.
    """
    A, B, N1, N0 = (np.stack(each, axis=-1) for each in zip(*(_totals(parts) for parts in read), strict=True))
    a1, a0 = influence(metric, Totals.of_sides(A, B, N1=N1, N0=N0))
    noise = stream(SEED).standard_normal((ERRORS, variance.shape[-1]))
    flat = [np.broadcast_to(x, A.shape).reshape(-1, A.shape[-1]) for x in (a1, a0)]
    rows = zip(*flat, np.sqrt(variance).reshape(-1, variance.shape[-1]), strict=True)
    z = np.array([_largest_error(noise * sd, one, zero, sd * sd, level) for one, zero, sd in rows]).reshape(A.shape[:-1])
    alpha = 1 - level
    return np.clip(ndtr(-z), alpha / 2 / len(read), alpha / 2)


def _totals(parts: Sequence[PartAt]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Positives found and missed, and the units flagged and not; a part without labels counts as having no positives."""
    shape = next(p.evidence.p.shape for p in parts if p.evidence is not None)
    A, B, N1, N0 = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for part in parts:
        found = 0.0 if part.evidence is None else part.N * np.nan_to_num(part.evidence.p)
        if part.flagged:
            A, N1 = A + found, N1 + part.N
        else:
            B, N0 = B + found, N0 + part.N
    return A, B, N1, N0


def _largest_error(e: FloatArray, a1: FloatArray, a0: FloatArray, variance: FloatArray, level: float) -> float:
    """The level's quantile of the largest standardized error over thresholds."""
    above = np.cumsum(e, axis=1)
    V = np.cumsum(variance)
    error = (a1 - a0) * above[:, :-1] + a0 * above[:, -1:]
    v = a1**2 * V[:-1] + a0**2 * (V[-1] - V[:-1])
    known = v > 1e-12 * v.max(initial=0)
    if not known.any():
        return float(-ndtri((1 - level) / 2))
    return float(np.quantile(np.max(np.abs(error[:, known]) / np.sqrt(v[known]), axis=1), level))


def _monotone(metric: Metric, units: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ribbon narrowed by monotonicity: positives found do not decrease as the threshold does (precision, recall)."""
    if metric.name not in ("precision", "recall"):
        return low, high
    scale = units if metric.name == "precision" else np.ones(units.shape)
    found = np.maximum.accumulate(low * scale, axis=-1) / scale
    most = np.minimum.accumulate((high * scale)[..., ::-1], axis=-1)[..., ::-1] / scale
    return np.maximum(found, low), np.minimum(most, high)


def between(curve: Curve, units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ribbon at any thresholds, given the units they flag: the sets they flag lie between those of two thresholds of the curve.

    precision: found above <= found <= found below, and no more change than units between. recall: that of the neighbors.
    """
    known = curve.thresholds.units
    if units.min() < known[0] or units.max() > known[-1]:
        raise GoalError(f"the curve reaches from {known[0]:,.0f} to {known[-1]:,.0f} flagged units: ask for a threshold between them")
    below = np.searchsorted(known, units)
    above = np.searchsorted(known, units, side="right") - 1
    low, high = curve.ribbon_low, curve.ribbon_high
    if curve.metric != "precision":
        return low[..., above], high[..., below]
    found, most = low * known, high * known
    least = np.maximum(found[..., above], found[..., below] - (known[below] - units))
    greatest = np.minimum(most[..., below], most[..., above] + units - known[above])
    return least / units, np.minimum(greatest / units, 1.0)
