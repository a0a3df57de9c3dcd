"""Search for a threshold: the order in which thresholds are tried, and how many labels the search needs.

    the lowest threshold at which precision is at least the target     tried from a start downward
    the highest threshold at which recall is at least the target       tried from a start upward

Each is tested by its one-sided bound at the full level, and the first failure ends the search. Because the order was fixed before any
label, the guarantee survives the search: a wrong threshold is reached only by wrongly passing the first wrong one (fixed-sequence
testing). A start with few labels fails by bad luck, one far down because precision is too low; simulated draws tell how likely each is
to pass, under scores that are off by various amounts. Derivation and figures: docs/maths/thresholds.md.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.errors import GoalError
from fewlabels.estimators.linearize import CLIP, SUREST
from fewlabels.estimators.thresholds import Pieces, limits_of, pieces_of, rank_of, read_thresholds, thresholds_of
from fewlabels.estimators.weighted import expit
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import PRECISION
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import stream

STRIDE = 1.1  # ratio of the labels flagged at a threshold to those at the one tried before it
MOST_TRIED = 20  # thresholds of a search for recall
IMAGINED, SEED = 200, 20_262  # simulated draws behind a probability, the same every time
POWER = 0.8
SHIFTS = ((-3.5, 1), (-2.0, 2), (-1.0, 2), (0.0, 3), (1.0, 2), (2.0, 1))  # possible shifts of the log-odds, and their weights
TIE = 0.01  # orders whose values differ by less are tied


class Search(NamedTuple):
    """A search for the last threshold in order whose metric is shown to be at least the target, one-sided at the level."""

    metric: Metric
    target: float
    level: float = 0.95
    interval: IntervalKind = USUAL_INTERVAL

    @property
    def imagined(self) -> IntervalKind:
        """The interval of imagined draws, by which the order is chosen: strict stands for the usual one, which takes ten times as long."""
        return "strict" if self.interval == USUAL_INTERVAL else self.interval

    @property
    def fewest(self) -> float:
        """The number of labels that show the target if none of them is an error: ln(1 - level) / ln(target)."""
        return math.log(1 - self.level) / math.log(self.target)


def search_of(metric: Metric, target: float, level: float = 0.95, *, interval: IntervalKind = USUAL_INTERVAL) -> Search:
    """A valid search; raise GoalError for a metric other than precision and recall, or a target that no labels can show."""
    if metric.name not in ("precision", "recall") or not 0 < target < 1 or not 0.5 <= level < 1:
        raise GoalError(
            f"a search must be for precision or recall of at least a target in (0, 1), at a level in [0.5, 1), got {metric.name} >= "
            f"{target:g} at {level:g}: write precision 0.9 at 0.95"
        )
    return Search(metric, target, level, interval)


class Belief(NamedTuple):
    """A possible truth: the positive share of every cell, and its weight."""

    share: FloatArray
    weight: float


def beliefs(profile: Profile) -> list[Belief]:
    """The scores shifted up and down by up to three and a half log-odds."""
    s = np.clip(profile.guide, CLIP, SUREST)
    x = np.log(s / (1 - s))
    return [Belief(expit(x + a), w / sum(v for _, v in SHIFTS)) for a, w in SHIFTS]


def search_order(pieces: Pieces, profile: Profile, search: Search) -> IntArray:
    """The thresholds (by position) in the order they are tried, fixed before any label: from a start downward, or upward for recall.

    The start is the one whose search ends best on average over the possible truths. For precision, every threshold has enough labels to
    show the target, and at least STRIDE times the labels of the one before.
    """
    order = _candidates(pieces, search)
    if order.size == 0:
        return order
    down = search.metric is PRECISION
    picked = _only(pieces, np.sort(order))
    worlds = [_imagined(picked, profile, b.share, search, purpose=i) for i, b in enumerate(beliefs(profile))]
    units = pieces.thresholds.units[order]
    gain = units if down else profile.N - units
    return order[_best_path([w if down else w[:, ::-1] for w in worlds], gain, [w for _, w in SHIFTS])]


def _candidates(pieces: Pieces, search: Search) -> IntArray:
    """The thresholds worth trying, in order: down from the fewest labels that could suffice, or up from the lowest."""
    planned = pieces.thresholds.planned
    if search.metric is not PRECISION:
        some = np.flatnonzero(pieces.thresholds.units < pieces.N.sum() + pieces.outside)  # flagging all units is not a result
        return some[np.unique(np.linspace(0, some.size - 1, min(some.size, MOST_TRIED)).round().astype(np.int64))[::-1]]
    chosen: list[int] = []
    for j in np.flatnonzero(planned >= search.fewest).tolist():
        if not chosen or planned[j] >= STRIDE * planned[chosen[-1]]:
            chosen.append(j)
    return np.array(chosen, dtype=np.int64)


def _best_path(worlds: Sequence[BoolArray], gain: FloatArray, weights: Sequence[float]) -> IntArray:
    """The thresholds (by place) to try: a start, and those after it that do not end a search that would otherwise go on.

    The value of a path is half the chance to find any threshold and half the gain at its end (units flagged; for recall, units not
    flagged), relative to the best start.
    """
    starts = [np.arange(i, gain.size) for i in range(gain.size)]
    ends = np.array([[_ends(passed, path, gain).mean() for path in starts] for passed in worlds])
    most = np.maximum(ends.max(axis=1), 1e-9)

    def worth(path: IntArray) -> float:
        each = [_ends(passed, path, gain) for passed in worlds]
        worths = [float(np.mean(e > 0) + np.mean(e) / m) / 2 for e, m in zip(each, most, strict=True)]
        return float(np.average(worths, weights=weights))

    gains = np.array([worth(path) for path in starts])
    path = starts[int(np.argmax(gains >= gains.max() - TIE))]
    for place in path[1:]:
        without = path[path != place]
        if worth(without) > worth(path) + TIE:
            path = without
    return path


def _ends(passed: BoolArray, path: IntArray, gain: FloatArray) -> FloatArray:
    """The gain where each simulated search ends; 0 if it finds no threshold."""
    place = last_passed(passed[:, path])
    return np.where(place < 0, 0.0, gain[path[np.maximum(place, 0)]])


def _only(pieces: Pieces, order: IntArray) -> Pieces:
    """The pieces restricted to some of their thresholds, in ascending positions."""
    return pieces._replace(thresholds=pieces.thresholds.pick(order), first=np.searchsorted(order, pieces.first))


def _imagined(pieces: Pieces, profile: Profile, share: FloatArray, search: Search, *, purpose: int) -> BoolArray:
    """Which thresholds pass in simulated draws if these are the positive shares of the cells."""
    n, k = imagined_counts(pieces, profile, share, reps=IMAGINED, rng=stream(SEED, purpose))
    return passes(pieces, n, k, search._replace(interval=search.imagined))


def imagined_counts(
    pieces: Pieces, profile: Profile, share: FloatArray, *, reps: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Labels and positive labels by piece in simulated draws; the planned labels are rounded at random."""
    p = np.clip(pieces.summed(share * profile.count) / pieces.N, 0, 1)
    whole = np.floor(pieces.planned + rng.random((reps, p.size)))
    n = np.minimum(whole, pieces.N)
    return n, rng.binomial(n.astype(np.int64), p).astype(np.float64)


def passes(pieces: Pieces, n: FloatArray, k: FloatArray, search: Search) -> BoolArray:
    """Whether each threshold's one-sided bound reaches the target; n and k by piece."""
    read = read_thresholds(pieces, n, k, flagged_only=search.metric is PRECISION)
    return np.asarray(limits_of(search.metric, read, tail=1 - search.level, interval=search.interval).low >= search.target)


def last_passed(passed: BoolArray) -> IntArray:
    """The place in the order of the last threshold before the first failure, by replicate; -1 if the first one failed."""
    return np.asarray(np.logical_and.accumulate(passed, axis=-1).sum(axis=-1) - 1)


def find(pieces: Pieces, order: IntArray, n: FloatArray, k: FloatArray, search: Search) -> IntArray:
    """The threshold (by position) at which the search ends, by replicate; -1 if it finds none. n and k are by piece."""
    if order.size == 0:
        return np.full(n.shape[:-1], -1, dtype=np.int64)
    downward = bool(order[0] <= order[-1])
    passed = passes(_only(pieces, order if downward else order[::-1]), n, k, search)
    place = last_passed(passed if downward else passed[..., ::-1])
    return np.where(place < 0, -1, order[np.maximum(place, 0)])


class Prospect(NamedTuple):
    """What a number of labels is expected to find: the chance to find a threshold, and the mean units flagged if one is found."""

    chance: float
    units: float


def prospect(profile: Profile, search: Search, share: FloatArray, *, design: DrawDesign, labels: int, classifier: int = 0) -> Prospect:
    """What a draw of `labels` is expected to find if these are the positive shares of the cells."""
    take = takes_of(design, labels)
    pieces = pieces_of(profile, design, thresholds_of(profile, design, take), take, classifier=classifier)
    n, k = imagined_counts(pieces, profile, share, reps=IMAGINED, rng=stream(SEED, labels))
    imagined = search._replace(interval=search.imagined)
    at = find(pieces, search_order(pieces, profile, search), n, k, imagined)
    found = at >= 0
    units = float(pieces.thresholds.units[at[found]].mean()) if found.any() else 0.0
    return Prospect(float(found.mean()), units)


def labels_to_find(
    profile: Profile, search: Search, share: FloatArray, *, design: DrawDesign, labels: int, classifier: int = 0, power: float = POWER
) -> int | None:
    """About how many labels of the same design find a threshold with probability `power`, if these are the shares; None if no number does.

    labels   those drawn already, which are not enough; the search doubles them, then narrows to about a fifth
    """
    if search.metric is PRECISION and not _is_there(profile, search, share):
        return None

    def chance(n: int) -> float:
        return prospect(profile, search, share, design=design, labels=n, classifier=classifier).chance

    low, high = labels, min(2 * labels, design.frame)
    while high > low and chance(high) < power:
        low, high = high, min(2 * high, design.frame)
    if high <= low:
        return None
    while high > 1.2 * low:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if chance(middle) >= power else (middle, high)
    return high


def _is_there(profile: Profile, search: Search, share: FloatArray) -> bool:
    """Whether some threshold meets the target and flags enough units to show it."""
    where = np.unique(rank_of(profile), return_inverse=True)[1]
    scored = rank_of(profile) >= 0
    units, found = (np.cumsum(np.bincount(where[scored], weights=w[scored])[::-1]) for w in (profile.count, profile.count * share))
    return bool(((found >= search.target * units) & (units >= search.fewest)).any())
