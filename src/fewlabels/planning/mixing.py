"""The draw made for the default interval: which mixture makes it shortest, whether or not the scores are to be trusted.

    loss = 1/2 log W(calibrated) + 1/2 log W(overconfident) + 1/10 log V,      V at most 1.1 times that of half the labels by the guide

W is the half-width of the interval on the answers that are expected: once if the scores are calibrated, once if their log-odds are twice
too large. V is the variance if they are calibrated. The smallest loss of ten mixtures is taken. If its W is longer than that of a simple
draw, V has no limit: the smallest loss is taken of all mixtures, even rates among them, whose W is not. Nothing is believed that the
interval does not believe: it is `placed`, which trusts no score, and a draw that trusts them leaves it wide. Why these weights:
docs/decisions/0019-draw-and-interval.md.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from fewlabels.designs.bands import EVEN, MIXTURES, USUAL, Mixture, bands, rates, reference_of
from fewlabels.designs.base import takes_of
from fewlabels.designs.simple import simple
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.linearize import guided_totals, influence, sizes
from fewlabels.estimators.weighted import expit
from fewlabels.intervals.mover import mover
from fewlabels.intervals.placed import limits_of_bands
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.evidence import Bands, Limits
from fewlabels.nouns.known import KnownTotals
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile, SameCounts
from fewlabels.planning.frames import frame_of
from fewlabels.planning.guiding import log_odds

TAIL = 0.025
OVERCONFIDENT = 2.0  # how many times too large the log-odds may be
BELIEFS = (1.0, OVERCONFIDENT)
TRIED = (*MIXTURES, EVEN)
VARIANCE = 0.1  # the weight of the variance
MOST_VARIANCE = 1.1  # over that of the plain mixture: half of the labels by the guide, 30 % evenly, 20 % evenly over flagged units
HAIR = 0.03  # of the log half-width: so much longer than a simple draw's the forecast may be
OCTAVE = 100.0  # labels: a mixture is chosen for this many, or twice, four times as many ...
KEPT = 4_096  # choices: of each slice of many, and of a few octaves


def mixture_for(profile: Profile, metrics: Sequence[Metric], *, labels: float, classifier: int) -> Mixture:
    """The mixture for a draw of about `labels` for these metrics of one classifier; the usual one where no forecast can choose."""
    return choose_mixtures([Drawing(profile, tuple(metrics), labels, classifier)])[0]


class Drawing(NamedTuple):
    """A draw of about so many labels for some metrics of one classifier."""

    profile: Profile
    metrics: tuple[Metric, ...]
    labels: float
    classifier: int


class _Choice(NamedTuple):
    """What a choice depends on: draws of about as many labels from the same counts have the same."""

    counts: SameCounts
    metrics: tuple[Metric, ...]
    octave: int
    classifier: int

    @classmethod
    def of(cls, drawing: Drawing) -> "_Choice | None":
        profile = drawing.profile
        if not profile.guided or profile.weight is not None or profile.claims is not None:
            return None
        octave = max(0, round(math.log2(max(drawing.labels, 1) / OCTAVE)))
        return cls(profile.counts, drawing.metrics, octave, drawing.classifier)


_made: dict[_Choice, Mixture] = {}  # the choices used last
_making = Lock()


def choose_mixtures(drawings: Sequence[Drawing]) -> list[Mixture]:
    """The mixture for each of many draws: together they take a fraction of the time of one after the other."""
    wanted = [_Choice.of(drawing) for drawing in drawings]
    each = [choice for choice in dict.fromkeys(wanted) if choice is not None]
    with _making:
        found = {choice: _made[choice] for choice in each if choice in _made}
    new = [choice for choice in each if choice not in found]
    found |= dict(zip(new, _chosen(new), strict=True))
    with _making:
        for choice in each:
            _made.pop(choice, None)
            _made[choice] = found[choice]
        for old in list(_made)[: max(0, len(_made) - KEPT)]:
            del _made[old]
    return [USUAL if choice is None else found[choice] for choice in wanted]


def _chosen(choices: Sequence[_Choice]) -> list[Mixture]:
    """The mixture of each choice."""
    tried = [_Tried.of(choice) for choice in choices]
    forecast = _log_widths([one for one in tried if one is not None])
    return [USUAL if one is None else one.best(next(forecast)) for one in tried]


class _Tried(NamedTuple):
    """The mixtures tried for a choice, with the draws that they make and a simple one."""

    choice: _Choice
    flagged: BoolArray
    labels: int
    rates: Sequence[FloatArray]
    drawn: Sequence[DrawDesign]
    most: float

    @classmethod
    def of(cls, choice: _Choice) -> "_Tried | None":
        profile, metrics = choice.counts.profile, choice.metrics
        flagged = profile.predicted(choice.classifier)
        frame = frame_of(profile, metrics, classifier=choice.classifier)
        units = int(profile.count[frame].sum())
        labels = min(round(OCTAVE * 2**choice.octave), units)
        if labels >= units:
            return None
        most = MOST_VARIANCE * _variance(profile, flagged, metrics, _plain_rates(profile, frame, flagged, metrics, labels))
        tried = [_tried(profile, frame, flagged, metrics, labels, mixture) for mixture in TRIED]
        drawn = [*(bands(profile, flagged=flagged, pi=pi, labels=labels) for pi in tried), simple(profile, frame=frame)]
        return cls(choice, flagged, labels, tried, drawn, most)

    def best(self, forecast: FloatArray) -> Mixture:
        """The mixture with the least loss, by the log half-widths of all draws."""
        widths, longest = forecast[:-1], forecast[-1] + HAIR
        V = np.array([_variance(self.choice.counts.profile, self.flagged, self.choice.metrics, pi) for pi in self.rates])
        loss = VARIANCE * np.log(V) + widths
        best = _least(loss, max(self.most, V.min()) >= V)
        if widths[best] > longest:
            best = _least(loss, widths <= max(longest, widths.min()))
        return TRIED[best]

    def expected(self) -> tuple[Bands, Bands]:
        """The labels and positives that are expected in the bands of the flagged side and of the other: a row for each draw and belief."""
        profile = self.choice.counts.profile
        beliefs = [expit(log_odds(profile.guide) / times) for times in BELIEFS]
        each = [_expected(profile, design, beliefs, self.labels, self.choice.classifier) for design in self.drawn]
        one, zero = (_stacked([sides[j] for sides in each]) for j in range(2))
        return one, zero


def _least(loss: FloatArray, allowed: BoolArray) -> int:
    """The position of the least loss among those that are allowed."""
    return int(np.where(allowed, loss, np.inf).argmin())


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


def _log_widths(tried: Sequence[_Tried]) -> Iterator[FloatArray]:
    """For each of the draws tried, the mean log half-width over metrics, and over scores that are calibrated and overconfident ones."""
    expected = [one.expected() for one in tried]
    sides = [_sides([each[j] for each in expected]) for j in range(2)]
    for (choice, flagged, *_, drawn, _), one, zero in zip(tried, *sides, strict=True):
        profile = choice.counts.profile
        N1 = float(profile.count[flagged].sum())
        theta = partial(_value, N1=N1, N0=float(profile.count.sum()) - N1, aside=profile.aside(choice.classifier))
        logs: FloatArray = np.log([np.maximum(_widths(metric, partial(theta, metric), one, zero), 1e-12) for metric in choice.metrics])
        yield np.asarray(logs.mean(axis=0).reshape(len(drawn), len(BELIEFS)).mean(axis=1))


def _widths(metric: Metric, theta: Callable[[FloatArray, FloatArray], FloatArray], one: "_Side", zero: "_Side") -> FloatArray:
    """The half-widths of a metric."""
    none = _Side(np.zeros_like(one.p), Limits(np.zeros_like(one.p), np.zeros_like(one.p)))
    sides = (one if metric.needs_flagged else none, zero if metric.needs_unflagged else none)
    points = [side.p for side in sides]
    found = mover(theta, points, [side.limits for side in sides], low=metric.low, high=metric.high)
    value = theta(*points)
    return np.maximum(found.high - value, value - found.low)


def _value(metric: Metric, p1: FloatArray, p0: FloatArray, *, N1: float, N0: float, aside: KnownTotals) -> FloatArray:
    return metric.value(Totals.of_sides(N1 * p1 + aside.A, N0 * p0 + aside.B, N1=N1 + aside.N1, N0=N0 + aside.N0))


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


def _stacked(drawn: Sequence[Bands]) -> Bands:
    """The rows of all; those with fewer bands are filled up with empty ones."""
    most = max(1, *(bands.N.shape[1] for bands in drawn))
    return Bands(
        *(np.concatenate([np.pad(counts, ((0, 0), (0, most - counts.shape[1]))) for counts in each]) for each in zip(*drawn, strict=True))
    )


def _sides(each: Sequence[Bands]) -> list[_Side]:
    """One side of all choices; those with about as many bands at once."""
    alike: dict[int, list[int]] = {}
    for at, held in enumerate(each):
        alike.setdefault(held.magnitude, []).append(at)
    found: dict[int, _Side] = {}
    for some in alike.values():
        ends = np.cumsum([each[at].N.shape[0] for at in some])[:-1]
        side = _side(_stacked([each[at] for at in some]))
        parts = zip(*(np.split(values, ends) for values in (side.p, *side.limits)), strict=True)
        found |= {at: _Side(p, Limits(low, high)) for at, (p, low, high) in zip(some, parts, strict=True)}
    return [found[at] for at in range(len(each))]


def _side(drawn: Bands) -> _Side:
    """One side of many draws."""
    N, n, k = drawn
    units = np.maximum(N.sum(axis=1), 1)
    p = np.divide(N * k, n, out=np.zeros_like(N), where=n > 0).sum(axis=1) / units
    low, high = limits_of_bands(drawn, np.full(p.size, TAIL))
    return _Side(p, Limits(np.minimum(low / units, p), np.maximum(high / units, p)))
