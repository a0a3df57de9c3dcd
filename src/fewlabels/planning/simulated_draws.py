"""Simulated draws: the labels and answers that a draw may give, as they are counted in a study."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.joint import uncorrelated
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.tally import AnyTally, GapTally
from fewlabels.planning.goal_scope import Ask, GapAsk, JointAsk, PairAsk
from fewlabels.randomness import stream

WIDTH_REPS = 32  # simulated draws behind a mean half-width
SEED = 20_260  # the same simulated answers every time


def spread_labels(groups: Groups, design: DrawDesign, labels: int, take: IntArray | None = None) -> FloatArray:
    """Return the expected labels per group when `labels` are drawn.

    Each band's take, computed if not given, is split in proportion to group sizes.
    """
    take = takes_of(design, labels) if take is None else take
    return np.asarray(take[groups.band] * groups.N / design.N[groups.band])


def groups_for(ask: Ask, design: DrawDesign, classifier: int | None = None, *, take: IntArray | None = None) -> Groups:
    """The groups of an ask's part under a design of the whole profile; with the takes, parts of bands are grouped as in a study."""
    part, judged = replace(design, band=design.band[ask.cells]), ask.classifier if classifier is None else classifier
    return groups_of(ask.part, part, classifier=judged, weight=ask.metric.weight, take=take)


def expected_tally(ask: Ask, design: DrawDesign, labels: int) -> AnyTally:
    """The average tally of `labels` labels if scores are calibrated."""
    if ask.has_value or ask.part.claims is None:
        groups = groups_for(ask, design)
        n = spread_labels(groups, design, labels)
        return groups.tally(n, n * groups.expected)
    each = [groups_for(ask, design, j) for j in range(ask.part.claims.shape[1])]
    return uncorrelated(each, [spread_labels(g, design, labels) for g in each], [g.expected for g in each])


class Draws(NamedTuple):
    """Labels and positives of simulated draws, arrays of beliefs, replicates and groups, and how they are counted."""

    n: FloatArray
    k: FloatArray
    counted: Callable[[FloatArray, FloatArray], AnyTally]

    def tally(self, most: int | None = None) -> AnyTally:
        """The tallies of all draws, or of the first."""
        return self.counted(self.n[:, :most], self.k[:, :most])


class Labeled(NamedTuple):
    """The groups that labels are counted in, and how their counts become a tally."""

    groups: Groups
    counted: Callable[[FloatArray, FloatArray], AnyTally]


def groups_labeled(ask: Ask, design: DrawDesign, take: IntArray) -> Labeled:
    """Of a difference, the parts of bands that the two classifiers distinguish."""
    if isinstance(ask, PairAsk):
        pair = ask.contest.groups(replace(design, band=design.band[ask.cells]))
        return Labeled(pair.groups, pair.tally)
    if isinstance(ask, GapAsk):
        return _labeled_by_slice(ask, design, take)
    groups = groups_for(ask, design, take=take)
    return Labeled(groups, groups.tally)


def _labeled_by_slice(ask: GapAsk, design: DrawDesign, take: IntArray | None) -> Labeled:
    """The groups of every slice of a gap, one slice after the other."""
    each = [groups_for(part, design, take=take) for part in ask.parts]
    start = np.cumsum([0, *(groups.N.size for groups in each)]).tolist()
    home = np.full(ask.cells.shape, -1, dtype=np.int64)
    for part, groups, first in zip(ask.parts, each, start, strict=False):
        home[part.cells] = np.where(groups.of_cell >= 0, first + groups.of_cell, -1)
    joined = each[0]._replace(of_cell=home, band=np.concatenate([g.band for g in each]), N=np.concatenate([g.N for g in each]))

    def counted(n: FloatArray, k: FloatArray) -> GapTally:
        parts = [slice(a, b) for a, b in pairwise(start)]
        tallies = (groups.tally(n[..., mine], k[..., mine]) for groups, mine in zip(each, parts, strict=True))
        return GapTally(ask.slices, tuple(tallies))

    return Labeled(joined, counted)


class Pieces(NamedTuple):
    """The groups of a goal under a design, the labels that each is expected to have, and the positive share of each by every belief."""

    labeled: Labeled
    each: FloatArray
    p: FloatArray


def _pieces(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, take: IntArray | None) -> Pieces:
    take = takes_of(design, labels) if take is None else take
    labeled = groups_labeled(ask, design, take)
    groups = labeled.groups
    inside = groups.of_cell >= 0
    home, size = groups.of_cell[inside], groups.N.size
    p = np.stack([np.bincount(home, weights=row, minlength=size) for row in (share * ask.part.count)[:, inside]]) / groups.N
    return Pieces(labeled, spread_labels(groups, design, labels, take), p)


def imagined(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    """`reps` simulated draws for each row of `share`, the assumed positive shares of the part's cells."""
    (groups, counted), each, p = _pieces(ask, design, labels, share, take)
    return Draws(*draw_pieces(groups.N, each, p, labels=labels, reps=reps, poisson=design.poisson), counted)


def expected_draws(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, take: IntArray | None = None) -> Draws:
    """The answers that are expected of one draw for each row of `share`, in fractions."""
    (_, counted), each, p = _pieces(ask, design, labels, share, take)
    n = np.broadcast_to(each, p.shape)[:, None]
    return Draws(n, n * p[:, None], counted)


def draw_pieces(N: FloatArray, each: FloatArray, p: FloatArray, *, labels: int, reps: int, poisson: bool) -> tuple[FloatArray, FloatArray]:
    """Labels and positives of simulated draws, of which the first WIDTH_REPS are the same however many there are."""
    blocks = []
    for block, some in enumerate((min(reps, WIDTH_REPS), reps - WIDTH_REPS)):
        if some <= 0:
            continue
        shape = (len(p), some, N.size)
        if poisson or (each != np.floor(each)).any():  # or a band spans sides or slices: then the labels per group are random too
            rng = stream(SEED, labels, block)
            whole, rate = N.astype(np.int64), np.minimum(each / N, 1.0)  # at a census all come, nothing is random
            n = rng.binomial(whole, rate, size=shape)
            n = np.maximum(n, 1) if poisson else n  # an empty band joins its neighbor
            k = rng.binomial(n, np.clip(p, 0, 1)[:, None, :])
        else:
            n = np.broadcast_to(each, shape).astype(np.int64)
            k = _spread_evenly(each.astype(np.int64), np.clip(p, 0, 1), some, stream(SEED, block))
        blocks.append((n, k))
    labeled, positive = (np.concatenate(parts, axis=1).astype(np.float64) for parts in zip(*blocks, strict=True))
    return labeled, positive


def _spread_evenly(n: IntArray, p: FloatArray, reps: int, rng: np.random.Generator) -> IntArray:
    """Binomial counts of n labels with chance p by draw, each count's chances spread evenly over the draws (a Latin hypercube).

    Chances do not depend on n, so that draws of about as many labels are alike: averages are steadier, and fall with the labels.
    """
    k = np.empty((len(p), reps, n.size), dtype=np.int64)
    at = np.arange(reps)
    for g, labels in enumerate(n.tolist()):
        u = (rng.permutation(at) + rng.random(reps)) / reps
        for row, chance in enumerate(p[:, g].tolist()):
            k[row, :, g] = _quantile(u, labels, chance)
    return k


def _quantile(u: FloatArray, n: int, p: float) -> IntArray:
    """The binomial counts at these probabilities; of many labels, within nine standard deviations of the mean."""
    reach = 9 * math.sqrt(n * p * (1 - p)) + 9
    low, high = max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach))
    counts = np.arange(low, high + 1)
    return low + np.minimum(np.searchsorted(bdtr(counts, n, p), u, side="right"), high - low)


def imagined_tally(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    """Tallies of these draws."""
    return imagined(ask, design, labels, share, reps=reps, take=take).tally()


@singledispatch
def imagine(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    """The draws for the goal, by its type: simulated for each row of `share`, or the expected answers."""
    return imagined(ask, design, labels, share, reps=reps, take=take)


@imagine.register
def _(ask: JointAsk, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    found, none = expected_tally(ask, design, labels), np.zeros((1, 1))
    return Draws(none, none, lambda n, k: found)
