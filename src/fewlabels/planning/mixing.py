"""The draw made for the interval: which mixture makes the interval that decides shortest, whether or not the scores are to be trusted.

    loss = 1/2 log W(calibrated) + 1/2 log W(overconfident) + 1/10 log V,      V at most 1.1 times that of half the labels by the guide

W is the half-width of the interval on the answers that are expected: once if the scores are calibrated, once if their log-odds are twice
too large. V is the variance if they are calibrated. The smallest loss of ten mixtures is taken. Nothing is believed that the interval does
not believe: it is `placed`, which trusts no score, and a draw that trusts them leaves it wide. Why these weights:
docs/decisions/0019-draw-and-interval.md.
"""

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import MIXTURES, USUAL, Mixture, bands, rates, reference_of
from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.linearize import guided_totals, influence, sizes
from fewlabels.estimators.weighted import expit
from fewlabels.intervals.mover import mover
from fewlabels.intervals.placed import limits_of_bands
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.evidence import Bands, Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile, SameCounts

TAIL = 0.025
OVERCONFIDENT = 2.0  # how many times too large the log-odds may be
VARIANCE = 0.1  # the weight of the variance
MOST_VARIANCE = 1.1  # over that of the plain mixture: half of the labels by the guide, 30 % evenly, 20 % evenly over flagged units
OCTAVE = 100.0  # labels: a mixture is chosen for this many, or twice, four times as many ...
SUREST = 1e-7


def mixture_for(profile: Profile, metrics: Sequence[Metric], *, labels: float, classifier: int) -> Mixture:
    """The mixture for a draw of about `labels` for these metrics of one classifier; the usual one where no forecast can choose."""
    if not profile.guided or profile.weight is not None or profile.claims is not None:
        return USUAL
    octave = max(0, round(math.log2(max(labels, 1) / OCTAVE)))
    return _chosen(profile.counts, tuple(metrics), octave, classifier)


@lru_cache(maxsize=64)
def _chosen(counts: SameCounts, metrics: tuple[Metric, ...], octave: int, classifier: int) -> Mixture:
    profile = counts.profile
    flagged = profile.predicted(classifier)
    frame = np.zeros(flagged.shape, dtype=np.bool_)
    for metric in metrics:
        frame |= (flagged & metric.needs_flagged) | (~flagged & metric.needs_unflagged)
    units = int(profile.count[frame].sum())
    labels = min(round(OCTAVE * 2**octave), units)
    if labels >= units:
        return USUAL
    most = MOST_VARIANCE * _variance(profile, flagged, metrics, _plain_rates(profile, frame, flagged, metrics, labels))
    tried = [_tried(profile, frame, flagged, metrics, labels, mixture) for mixture in MIXTURES]
    V = np.array([_variance(profile, flagged, metrics, pi) for pi in tried])
    if (most < V).all():
        return MIXTURES[int(V.argmin())]
    loss = VARIANCE * np.log(V) + _log_widths(profile, flagged, metrics, tried, labels, classifier)
    return MIXTURES[int(np.where(most < V, np.inf, loss).argmin())]


def _tried(profile: Profile, frame: BoolArray, flagged: BoolArray, metrics: Sequence[Metric], labels: int, mixture: Mixture) -> FloatArray:
    """The rates of a mixture."""
    size = sizes(profile, flagged, metrics, floor=mixture.floor)
    reference = reference_of(labels, int(profile.count[frame].sum()))
    return rates(profile, frame=frame, flagged=flagged, size=size, labels=reference, mixture=mixture)


def _plain_rates(profile: Profile, frame: BoolArray, flagged: BoolArray, metrics: Sequence[Metric], labels: float) -> FloatArray:
    """The rates of the plain mixture, which trusts the guide for half of the labels."""
    plain = Mixture(0.0, 0.3, 0.2)
    return rates(profile, frame=frame, flagged=flagged, size=sizes(profile, flagged, metrics), labels=labels, mixture=plain)


def _variance(profile: Profile, flagged: BoolArray, metrics: Sequence[Metric], pi: FloatArray) -> float:
    """The product of the metrics' variances, each sum a^2 s (1 - s) (1 / pi - 1), if scores are calibrated; its root for several."""
    noise = profile.count * profile.guide * (1 - profile.guide) * (1 / np.maximum(pi, 1e-12) - 1) * (pi > 0)
    logs = []
    for metric in metrics:
        a1, a0 = influence(metric, guided_totals(profile, flagged))
        logs.append(math.log(max(float((np.where(flagged, a1, a0) ** 2 * noise).sum()), 1e-30)))
    return math.exp(sum(logs) / len(logs))


def _log_widths(
    profile: Profile, flagged: BoolArray, metrics: Sequence[Metric], tried: Sequence[FloatArray], labels: int, classifier: int
) -> FloatArray:
    """For each of the rates, the mean log half-width over metrics, and over scores that are calibrated and overconfident ones."""
    s = np.clip(profile.guide, SUREST, 1 - SUREST)
    beliefs = (s, expit((np.log(s) - np.log1p(-s)) / OVERCONFIDENT))
    drawn = [_expected(profile, bands(profile, flagged=flagged, pi=pi, labels=labels), beliefs, labels, classifier) for pi in tried]
    one, zero = (_side([sides[j] for sides in drawn]) for j in range(2))
    N1 = float(profile.count[flagged].sum())
    N0 = float(profile.count.sum()) - N1
    widths = []
    for metric in metrics:
        none = _Side(np.zeros_like(one.p), Limits(np.zeros_like(one.p), np.zeros_like(one.p)))
        sides = (one if metric.needs_flagged else none, zero if metric.needs_unflagged else none)
        theta = partial(_value, metric, N1, N0)
        points = [side.p for side in sides]
        found = mover(theta, points, [side.limits for side in sides], low=metric.low, high=metric.high)
        value = theta(*points)
        widths.append(np.maximum(found.high - value, value - found.low))
    logs: FloatArray = np.log(np.maximum(widths, 1e-12)).mean(axis=0)
    return np.asarray(logs.reshape(len(tried), len(beliefs)).mean(axis=1))


def _value(metric: Metric, N1: float, N0: float, p1: FloatArray, p0: FloatArray) -> FloatArray:
    return metric.value(Totals.of_sides(N1 * p1, N0 * p0, N1=N1, N0=N0))


class _Side(NamedTuple):
    """The share of positives on one side, and its limits; one for each of the rates and beliefs."""

    p: FloatArray
    limits: Limits


def _expected(profile: Profile, design: DrawDesign, beliefs: Sequence[FloatArray], labels: int, classifier: int) -> tuple[Bands, Bands]:
    """The labels and positives that are expected in the bands of the flagged side and of the other; one row for each belief."""
    groups = groups_of(profile, design, classifier=classifier)
    n = takes_of(design, labels)[groups.band] * groups.N / design.N[groups.band]
    inside = groups.of_cell >= 0
    home, size = groups.of_cell[inside], groups.N.size
    p = np.stack([np.bincount(home, weights=(share * profile.count)[inside], minlength=size) for share in beliefs]) / groups.N
    one, zero = (
        Bands(*(np.broadcast_to(counts, p.shape)[:, groups.flagged == side] for counts in (groups.N, n, n * p))) for side in (True, False)
    )
    return one, zero


def _side(drawn: Sequence[Bands]) -> _Side:
    """One side of all draws at once; those with fewer bands are filled up with empty ones."""
    most = max(1, *(bands.N.shape[1] for bands in drawn))
    N, n, k = (
        np.concatenate([np.pad(counts, ((0, 0), (0, most - counts.shape[1]))) for counts in each]) for each in zip(*drawn, strict=True)
    )
    units = np.maximum(N.sum(axis=1), 1)
    p = np.divide(N * k, n, out=np.zeros_like(N), where=n > 0).sum(axis=1) / units
    low, high = limits_of_bands(Bands(N, n, k), np.full(p.size, TAIL))
    return _Side(p, Limits(np.minimum(low / units, p), np.maximum(high / units, p)))
