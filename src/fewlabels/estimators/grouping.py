"""The group in which a unit's label is counted: the part of its band on one side of the judged classifier.

Groups are determined by the profile and the design, never by labels. Parts of bands that expect few labels are pooled (`pooling`).
A group that nonresponse left without a label is joined to its neighbor on the same side, again without looking at the labels' values.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.pooling import Pool, pool_parts, pooled
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.elsewhere import Elsewhere
from fewlabels.nouns.known import KnownCounts
from fewlabels.nouns.late import Arrivals
from fewlabels.nouns.process import Process
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import NO_LAYER, QUANTA, LabelSums, WeightSums


class KnownGroups(NamedTuple):
    """Groups of units whose answers were known beforehand: one per prediction pattern and answer, in the order of `KnownCounts`.

    n, k      labels and positives: all units as they are known, or those that a check gave
    share     the positive share that the known answer implies
    missing   labels of the check without a usable answer
    checked   whether there is a check
    """

    flagged: BoolArray
    N: FloatArray
    n: FloatArray
    k: FloatArray
    share: FloatArray
    missing: FloatArray
    checked: bool

    @classmethod
    def of(cls, known: KnownCounts, classifier: int) -> "KnownGroups":
        """The groups of a classifier (by position); of a check, with the answers that are expected of it."""
        N = known.N.astype(np.float64)
        n = known.n.astype(np.float64) if known.is_checked else N
        return cls(known.flagged(classifier), N, n, n * known.share, known.share, np.zeros(N.size), known.is_checked)

    def answered(self, n: FloatArray, k: FloatArray, missing: FloatArray) -> "KnownGroups":
        """The groups with the answers of a check."""
        return self._replace(n=n, k=k, missing=missing)

    def filled(self, *, flagged: bool, other: bool) -> "KnownGroups":
        """The groups with every missing answer of the check replaced by that of its side."""
        positive = np.where(self.flagged, flagged, other)
        return self._replace(n=self.n + self.missing, k=self.k + self.missing * positive, missing=np.zeros(self.N.size))

    def on(self, *, flagged: bool) -> float:
        """The units on one side."""
        return float(self.N[self.flagged == flagged].sum())

    def joined(self, drawn: Tally) -> Tally:
        """The tally with these groups."""
        s = np.clip(self.share, CLIP, 1 - CLIP)
        none = np.zeros(self.N.size, dtype=np.int64)
        sums = (self.n, self.n, self.k, self.k)  # one rate within each of these groups
        return replace(
            drawn,
            flagged=np.concatenate([drawn.flagged, self.flagged]),
            N=_beside(drawn.N, self.N),
            n=_beside(drawn.n, self.n),
            k=_beside(drawn.k, self.k),
            logit=_beside(drawn.logit, np.log(s / (1 - s))),
            expected=_beside(drawn.expected, self.share),
            simple=False,
            expansions=None if drawn.expansions is None else LabelSums(*map(_beside, drawn.expansions, sums)),
            chance=None if drawn.chance is None else np.concatenate([drawn.chance, none > 0]),
            stratum=None if drawn.stratum is None else np.concatenate([drawn.stratum, none]),
            known=np.arange(drawn.N.size + self.N.size) >= drawn.N.size,
            checked=self.checked,
        )


def _beside(drawn: FloatArray, known: FloatArray) -> FloatArray:
    """Values of groups, which may have replicate axes, and of further ones."""
    return np.concatenate([drawn, np.broadcast_to(known, (*drawn.shape[:-1], known.shape[-1]))], axis=-1)


class Groups(NamedTuple):
    """Groups of one classifier under one design, ordered by side and then by guide.

    of_cell   the group of each profile cell; -1 outside the frame
    band      the band each group is part of
    N         units; N1, N0 are the units, or the metric weight, on the two sides
    X, XX, top   sums of metric weights and of their squares, and the largest possible weight, for a metric by a column; else None
    pool      which groups are pooled; None if none are
    stratum   whether another classifier that the design was made for flags most of each group; None if there is none
    process   what the table came from, if the question is about that
    arrivals  how earlier positives had arrived, where answers arrive by themselves
    sample    how the units were drawn, if that was elsewhere
    known     groups of units whose answers were known beforehand, which every tally has too; None if there are none
    """

    of_cell: IntArray
    band: IntArray
    flagged: BoolArray
    N: FloatArray
    logit: FloatArray
    expected: FloatArray
    N1: float
    N0: float
    X: FloatArray | None = None
    XX: FloatArray | None = None
    top: FloatArray | None = None
    pool: Pool | None = None
    stratum: IntArray | None = None
    process: Process | None = None
    arrivals: Arrivals | None = None
    sample: Elsewhere | None = None
    known: KnownGroups | None = None

    def tally(self, n: FloatArray, k: FloatArray, sums: LabelSums | None = None) -> Tally:
        """A tally of labels and positives per group, with the sums of the labels' metric weights, or their expected values."""
        parts = Tally(
            flagged=self.flagged,
            N=self.N,
            n=n,
            k=k,
            logit=self.logit,
            expected=self.expected,
            N1=self.N1,
            N0=self.N0,
            simple=bool((self.band == self.band[0]).all()),
            weights=self._weights(n, k, sums),
            stratum=self.stratum,
            process=self.process,
            arrivals=self.arrivals,
        )
        found = parts if self.pool is None else pooled(parts, self.pool)
        return found if self.known is None else self.known.joined(found)

    def units_on(self, *, flagged: bool) -> float:
        """The units on one side that have been drawn from, or whose answers were known."""
        return float(self.N[self.flagged == flagged].sum()) + (0.0 if self.known is None else self.known.on(flagged=flagged))

    def summed(self, by_cell: FloatArray) -> FloatArray:
        """Labels (or positive labels) by profile cell, on the last axis, summed by group; cells outside the frame are ignored."""
        inside = self.of_cell >= 0
        member = (self.of_cell[inside, None] == np.arange(self.N.size)).astype(np.float64)
        return np.asarray(by_cell[..., inside] @ member)

    def spread(self, values: FloatArray) -> FloatArray:
        """The values of the groups of a tally, repeated for each part that was pooled into them."""
        return values if self.pool is None else values[..., self.pool.home]

    def _weights(self, n: FloatArray, k: FloatArray, sums: LabelSums | None) -> WeightSums | None:
        if self.X is None or self.XX is None or self.top is None:
            return None
        x, xx = self.X / self.N, self.XX / self.N
        known = sums if sums is not None else LabelSums(n * x, n * xx, k * x, k * xx)
        return WeightSums(self.X, self.XX, self.top, *known)


def groups_of(
    profile: Profile,
    design: DrawDesign,
    *,
    classifier: int = 0,
    weight: str | None = None,
    guide: FloatArray | None = None,
    take: IntArray | None = None,
) -> Groups:
    """The groups of a classifier (by position) under a design, for metrics of counts or by the weight column.

    guide   the guide of each cell, if another than the profile's steered the draw
    take    labels of each band, if parts of bands may be too small to stand alone; None if no band spans both sides of the classifier
    """
    flagged = profile.predicted(classifier)
    inside = design.band >= 0
    key = np.where(inside, design.band * 2 + flagged, -1)
    names, of_cell = np.unique(key[inside], return_inverse=True)
    claimed = profile.claimed(classifier) if guide is None else guide
    s = np.clip(claimed, CLIP, 1 - CLIP)
    amount = profile.amount(weight)
    summed = np.maximum(amount[inside], 1e-9)  # a group without weight has a guide all the same

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(of_cell, weights=summed * values[inside]) / np.bincount(of_cell, weights=summed))

    logit = mean(np.log(s / (1 - s)))
    order = np.lexsort((logit, names % 2))
    where = np.full(profile.count.size, -1, dtype=np.int64)
    where[inside] = np.argsort(order)[of_cell]
    aside = profile.aside(classifier)
    N1 = float(amount[flagged].sum()) + aside.N1
    groups = Groups(
        of_cell=where,
        band=(names // 2)[order],
        flagged=(names % 2 == 1)[order],
        N=np.bincount(of_cell, weights=profile.count[inside]).astype(np.float64)[order],
        logit=logit[order],
        expected=mean(claimed)[order],
        N1=N1,
        N0=float(amount[~flagged].sum()) + aside.N0 if profile.known is not None else float(amount.sum()) - N1,
        process=profile.process,
        known=None if profile.known is None else KnownGroups.of(profile.known, classifier),
    )
    groups = groups._replace(stratum=_stratum(profile, groups, [j for j in design.judged if j != classifier]))
    groups = groups if take is None else groups._replace(pool=_pool(groups, design, take))
    return groups if weight is None else _weighted(groups, profile)


def _stratum(profile: Profile, groups: Groups, others: Sequence[int]) -> IntArray | None:
    """Whether any of these classifiers flags most of each group's units: their goals may have raised the rates there."""
    if not others or profile.claims is not None:
        return None
    inside = groups.of_cell >= 0
    flagged = np.logical_or.reduce([profile.predicted(j) for j in others])
    held = np.bincount(groups.of_cell[inside], weights=(profile.count * flagged)[inside], minlength=groups.N.size)
    return np.asarray(held > groups.N / 2).astype(np.int64)


def _pool(groups: Groups, design: DrawDesign, take: IntArray) -> Pool | None:
    """Which parts of bands are pooled when each band gets its take."""
    N = design.N[groups.band]
    rate = np.maximum(take, 1e-9)[groups.band] / N  # a band without a label expands to nothing that is read
    return pool_parts(groups.flagged, groups.logit, expected=rate * groups.N, whole=groups.N >= N, expansion=1 / rate)


def _weighted(groups: Groups, profile: Profile) -> Groups:
    """The groups with the sums of their units' metric weights."""
    inside = groups.of_cell >= 0
    home, mass, count = groups.of_cell[inside], profile.mass[inside], profile.count[inside]
    top = np.zeros(groups.N.size)
    np.maximum.at(top, home, np.where(profile.layer[inside] == NO_LAYER, 0.0, 2.0 ** (profile.layer[inside] + 1) / QUANTA))
    X = np.bincount(home, weights=mass, minlength=groups.N.size).astype(np.float64)
    XX = np.bincount(home, weights=mass * mass / count, minlength=groups.N.size).astype(np.float64)
    return groups._replace(X=X, XX=XX, top=top)


def fill_empty(tally: Tally) -> Tally:
    """The same labels, every group left without one joined to its nearest labeled neighbor on the same side (one study, no replicates).

    The neighbor's labels then stand for both. Completely labeled groups are not joined: their labels stand only for their own units. If
    there is no such neighbor, the group stays empty, and the interval is widened by all it could hold; so do parts of bands, whose
    neighbors may have been drawn at other rates.
    """
    apart = np.zeros(tally.N.shape, dtype=np.bool_) if tally.chance is None else tally.chance
    apart = apart if tally.known is None else apart | tally.known
    open_groups = (tally.n > 0) & (tally.n < tally.N) & ~apart
    home = np.arange(tally.N.size)
    for g in np.flatnonzero((tally.n == 0) & ~apart):
        near = np.flatnonzero(open_groups & (tally.flagged == tally.flagged[g]))
        if near.size:
            home[g] = near[np.argmin(np.abs(near - g))]
    kept, joined = np.unique(home, return_inverse=True)
    if kept.size == tally.N.size:
        return tally

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(joined, weights=values).astype(np.float64)

    N = total(tally.N)
    weights = tally.weights
    if weights is not None:
        top = np.zeros(kept.size)
        np.maximum.at(top, joined, weights.top)
        X, XX, _, *sums = (total(values) for values in weights)
        weights = WeightSums(X, XX, top, *sums)
    return replace(
        tally,
        flagged=tally.flagged[kept],
        N=N,
        n=total(tally.n),
        k=total(tally.k),
        logit=total(tally.N * tally.logit) / N,
        expected=total(tally.N * tally.expected) / N,
        weights=weights,
        expansions=None if tally.expansions is None else LabelSums(*(total(values) for values in tally.expansions)),
        chance=None if tally.chance is None else tally.chance[kept],
        stratum=None if tally.stratum is None else tally.stratum[kept],
        control=None,
        known=None if tally.known is None else tally.known[kept],
    )
