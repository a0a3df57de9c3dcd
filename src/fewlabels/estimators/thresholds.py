"""Precision and recall at every threshold of a classifier from one set of labels, each with an interval.

The guide is the classifier's own score, so the flagged set of a threshold is the cells from a bin of the ladder up, and its number of
units is known. A band that a threshold cuts is split: given the counts, the labels of each part are a simple random sample of it.
Thresholds are chosen before any label, such that every part expects labels; what lies between two of them follows from both,
because positives found never decrease as the threshold does.

Ribbons, which are valid at all thresholds together, are in `ribbons`. Derivation: docs/maths/thresholds.md.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.errors import GoalError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.pooling import pool_parts, pooled
from fewlabels.estimators.sides import limits_of_each
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.mover import mover
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally

STEP = 5.0  # labels expected between two thresholds, and in each part of a band that one cuts
PATIENCE = 4.0  # steps after which a threshold is accepted although a part has fewer
MOST = 250  # maximum number of thresholds of one classifier


def score_of(bins: IntArray) -> FloatArray:
    """The lowest score of each bin: `score >= it` flags exactly the units of that bin and above."""
    edge = np.zeros(ladder.HALF_BINS + 2)  # of a half: the t at which each of its bins begins
    for rung in ladder.RUNGS:
        steps = np.arange(int(rung.low * rung.scale), int(rung.high * rung.scale) + 1)
        edge[steps + rung.offset] = steps / rung.scale
    edge[ladder.HALF_BINS + 1] = 0.5
    lower = edge[np.minimum(bins, ladder.HALF_BINS)]
    upper = np.nextafter(1 - edge[np.clip(ladder.BINS - bins, 0, ladder.HALF_BINS + 1)], 2.0)  # bins of 1 - s are closed above
    return np.where(bins <= ladder.HALF_BINS, lower, upper)


class Thresholds(NamedTuple):
    """Thresholds of one classifier, from the highest down, fixed before any label.

    bin      a unit is flagged if its bin is at least this
    score    the same as a score
    units    flagged units of the population
    planned  labels expected among them
    """

    bin: IntArray
    score: FloatArray
    units: FloatArray
    planned: FloatArray

    def pick(self, which: IntArray) -> "Thresholds":
        """These of the thresholds."""
        return Thresholds(self.bin[which], self.score[which], self.units[which], self.planned[which])


def rank_of(profile: Profile) -> IntArray:
    """The bin of each cell; -1 if its units have no score, so that no threshold flags them."""
    return np.where(profile.unscored, -1, profile.guide_bin)


def thresholds_of(profile: Profile, design: DrawDesign, take: IntArray) -> Thresholds:
    """The thresholds that labels can support: at least STEP expected between two of them, and in both parts of a band that one cuts.

    take   labels planned in each band. No threshold flags a unit outside the design.
    """
    if not profile.guided or (bins := np.unique(rank_of(profile))[::-1])[0] < 0:
        raise GoalError("thresholds need a score, but the classifier has none that guides the draw: name its score column")
    bins = bins[bins >= 0]
    where = np.searchsorted(-bins, -rank_of(profile))  # 0 is the highest; the unscored are below all
    inside = design.band >= 0
    rate = np.where(inside, (take / design.N)[design.band], 0.0)
    by_bin = [np.bincount(where, weights=w, minlength=bins.size)[: bins.size] for w in (rate * profile.count, profile.count)]
    labels, units = (each.astype(np.float64) for each in by_bin)
    reach = int(np.append(where[~inside], bins.size).min())  # the first bin that holds a unit outside the frame
    chosen = _walk(labels[:reach], _smallest_part(profile, design, rate, where, bins.size)[:reach])
    if chosen.size == 0:
        raise GoalError(f"a threshold needs {STEP:g} labels flagged, but the draw plans {labels[:reach].sum():.1f}: label more")
    return Thresholds(bins[chosen], score_of(bins[chosen]), np.cumsum(units)[chosen], np.cumsum(labels)[chosen])


def _smallest_part(profile: Profile, design: DrawDesign, rate: FloatArray, where: IntArray, bins: int) -> FloatArray:
    """The fewest labels expected in a part of any band that a threshold at each bin would cut; infinite if it cuts none."""
    least = np.full(bins, np.inf)
    for band in range(design.N.size):
        mine = design.band == band
        above = np.cumsum(np.bincount(where[mine], weights=(rate * profile.count)[mine], minlength=bins + 1))
        cut = slice(int(where[mine].min()), int(where[mine].max()))
        least[cut] = np.minimum(least[cut], np.minimum(above, above[-1] - above)[cut])
    return least


def _walk(labels: FloatArray, part: FloatArray) -> IntArray:
    """The bins to cut at, from the top: the first one that leaves enough labels in every part, or any after PATIENCE steps."""
    step = max(STEP, float(labels.sum()) / MOST)
    chosen: list[int] = []
    held = 0.0
    for j, more in enumerate(labels):
        held += more
        clean = part[j] >= STEP - 1e-9
        if (held >= step - 1e-9 and clean) or held >= PATIENCE * step or (j == labels.size - 1 and clean and held > 0 and chosen):
            chosen.append(j)
            held = 0.0
    return np.array(chosen, dtype=np.int64)


class PartAt(NamedTuple):
    """The evidence about the flagged or the unflagged part at a threshold; None if no label was drawn there."""

    flagged: bool
    N: float
    evidence: Evidence | None


class Pieces(NamedTuple):
    """Bands cut at every threshold: the pieces that make up all thresholds.

    of_cell   the piece of each profile cell; -1 outside the frame
    side      whether the draw treated the piece as flagged; rates are higher there, and the two are estimated separately
    first     the first threshold (by position, from the highest) that flags each piece; one beyond the last if none does
    outside   units the design does not draw from
    """

    thresholds: Thresholds
    of_cell: IntArray
    band: IntArray
    side: IntArray
    first: IntArray
    N: FloatArray
    planned: FloatArray
    logit: FloatArray
    expected: FloatArray
    outside: int

    def summed(self, by_cell: FloatArray) -> FloatArray:
        """Labels (or positive labels) by cell, on the last axis, summed by piece."""
        order = np.argsort(self.of_cell, kind="stable")[np.count_nonzero(self.of_cell < 0) :]
        starts = np.searchsorted(self.of_cell[order], np.arange(self.N.size))
        return np.asarray(np.add.reduceat(by_cell[..., order], starts, axis=-1))

    def parts(self, j: int, n: FloatArray, k: FloatArray, *, flagged_only: bool = False) -> Iterator[PartAt]:
        """The evidence about every part at threshold j; n and k are by piece."""
        for flagged in (True,) if flagged_only else (True, False):
            for side in (1, 0):
                mine = np.flatnonzero(((self.first <= j) == flagged) & (self.side == side))
                if mine.size:
                    tally = self._tally(mine, n[..., mine], k[..., mine])
                    yield PartAt(flagged, float(tally.N.sum()), read_side(tally))
            if not flagged and self.outside:
                yield PartAt(False, float(self.outside), None)

    def _tally(self, mine: IntArray, n: FloatArray, k: FloatArray) -> Tally:
        """The tally of these pieces by band; parts of bands that expect few labels are pooled with others of similar rates."""
        names, home = np.unique(self.band[mine], return_inverse=True)
        into = np.eye(names.size)[home]
        N, planned = self.N[mine] @ into, self.planned[mine] @ into
        logit, expected = ((self.N * x)[mine] @ into / N for x in (self.logit, self.expected))
        side = np.ones(N.shape, dtype=np.bool_)
        parts = Tally(flagged=side, N=N, n=n @ into, k=k @ into, logit=logit, expected=expected, N1=float(N.sum()), N0=0.0)
        whole = np.bincount(self.band, weights=self.N)[names] <= N
        pool = pool_parts(side, logit, expected=planned, whole=whole, expansion=N / np.maximum(planned, 1e-9))
        return parts if pool is None else pooled(parts, pool)


def pieces_of(profile: Profile, design: DrawDesign, thresholds: Thresholds, take: IntArray, *, classifier: int = 0) -> Pieces:
    """The pieces of a design's bands under these thresholds, for a classifier (by position) whose score is the guide."""
    inside = design.band >= 0
    first = np.searchsorted(-thresholds.bin, -rank_of(profile))
    key = design.band * (thresholds.bin.size + 1) + first
    names, home = np.unique(key[inside], return_inverse=True)
    of_cell = np.full(key.shape, -1, dtype=np.int64)
    of_cell[inside] = home
    count, s = profile.count[inside].astype(np.float64), np.clip(profile.guide[inside], CLIP, 1 - CLIP)
    N = np.bincount(home, weights=count).astype(np.float64)
    band = names // (thresholds.bin.size + 1)
    logit, expected = (np.bincount(home, weights=count * x) / N for x in (np.log(s / (1 - s)), profile.guide[inside]))
    return Pieces(
        thresholds=thresholds,
        of_cell=of_cell,
        band=band,
        side=_sides(profile, design, classifier)[band],
        first=names % (thresholds.bin.size + 1),
        N=N,
        planned=N * (take / design.N)[band],
        logit=logit,
        expected=expected,
        outside=profile.N - design.frame,
    )


def _sides(profile: Profile, design: DrawDesign, classifier: int) -> IntArray:
    """Which bands are on the side that the draw treated as flagged; all on one side if a band spans both."""
    inside = design.band >= 0
    flagged = profile.predicted(classifier)[inside].astype(np.int64)
    most, least = np.zeros(design.N.size, dtype=np.int64), np.ones(design.N.size, dtype=np.int64)
    np.maximum.at(most, design.band[inside], flagged)
    np.minimum.at(least, design.band[inside], flagged)
    return most if (most == least).all() else np.zeros_like(most)


class MeasuredAt(NamedTuple):
    """A metric at thresholds: value and limits; arrays over replicates, the last axis over thresholds. NaN if unknown."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


def read_thresholds(pieces: Pieces, n: FloatArray, k: FloatArray, *, flagged_only: bool = False) -> list[list[PartAt]]:
    """The evidence from labels (by piece) at every threshold, from the highest down."""
    return [list(pieces.parts(j, n, k, flagged_only=flagged_only)) for j in range(pieces.thresholds.bin.size)]


def limits_of(metric: Metric, read: Sequence[Sequence[PartAt]], *, tail: float, interval: IntervalKind = USUAL_INTERVAL) -> MeasuredAt:
    """The metric at every threshold; each limit is missed with probability `tail` at its threshold alone."""
    needed = [[part for part in parts if (metric.needs_flagged if part.flagged else metric.needs_unflagged)] for parts in read]
    ends = iter(limits_of_each([part.evidence for parts in needed for part in parts if part.evidence is not None], tail, interval))
    each = [_joined(metric, parts, mine, ends) for parts, mine in zip(read, needed, strict=True)]
    return MeasuredAt(*(np.stack(found, axis=-1) for found in zip(*each, strict=True)))


def _joined(
    metric: Metric, parts: Sequence[PartAt], needed: Sequence[PartAt], limits: Iterator[Limits]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The parts the metric needs, joined by MOVER; `limits`: the next are those of the parts with evidence."""
    N1, N0 = (sum(p.N for p in parts if p.flagged == flagged) for flagged in (True, False))

    def theta(*shares: FloatArray) -> FloatArray:
        A, B = (sum((p.N * s for p, s in zip(needed, shares, strict=True) if p.flagged == f), np.zeros(())) for f in (True, False))
        return np.clip(metric.value(Totals.of_sides(A, B, N1=N1, N0=N0)), metric.low, metric.high)

    shape = next(p.evidence.p.shape for p in parts if p.evidence is not None)
    points = [np.full(shape, np.nan) if p.evidence is None else p.evidence.p for p in needed]
    ends = [Limits(np.zeros(shape), np.ones(shape)) if p.evidence is None else next(limits) for p in needed]
    low, high = mover(theta, points, ends, low=metric.low, high=metric.high)
    return theta(*points), low, high
