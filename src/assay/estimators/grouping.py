"""Which group a unit's label counts in: the part of its band on one side of the classifier judged.

Groups are fixed by the profile and the design, never by labels. A group that non-response left without a label is joined to its
neighbor on the same side, again without looking at what the labels say.

Main path: population > profile > plan > draw > [labels] > [estimate] > decision > report
"""

from typing import NamedTuple

import numpy as np

from assay.estimators.linearize import CLIP
from assay.nouns.arrays import BoolArray, FloatArray, IntArray
from assay.nouns.design import Design
from assay.nouns.profile import Profile
from assay.nouns.tally import Tally


class Groups(NamedTuple):
    """Groups of one classifier under one design, ordered by side and then by guide.

    of_cell   the group of each profile cell; -1 outside the frame
    band      the band each group is part of
    """

    of_cell: IntArray
    band: IntArray
    flagged: BoolArray
    N: FloatArray
    logit: FloatArray
    expected: FloatArray
    N1: float
    N0: float

    def tally(self, n: FloatArray, k: FloatArray) -> Tally:
        """Labels and positives per group, as counted."""
        return Tally(
            flagged=self.flagged, N=self.N, n=n, k=k, logit=self.logit, expected=self.expected, N1=self.N1, N0=self.N0
        )  # fmt: skip


def groups_of(profile: Profile, design: Design, *, classifier: int = 0) -> Groups:
    """The groups of a classifier (by position) under a design."""
    flagged = profile.predicted(classifier)
    inside = design.band >= 0
    key = np.where(inside, design.band * 2 + flagged, -1)
    names, of_cell = np.unique(key[inside], return_inverse=True)
    s = np.clip(profile.guide, CLIP, 1 - CLIP)
    count = profile.count[inside].astype(np.float64)
    N = np.bincount(of_cell, weights=count).astype(np.float64)
    logit = np.bincount(of_cell, weights=count * np.log(s / (1 - s))[inside]) / N
    expected = np.bincount(of_cell, weights=count * profile.guide[inside]) / N
    order = np.lexsort((logit, names % 2))
    rank = np.argsort(order)
    where = np.full(profile.count.size, -1, dtype=np.int64)
    where[inside] = rank[of_cell]
    N1 = float(profile.count[flagged].sum())
    return Groups(
        of_cell=where,
        band=(names // 2)[order],
        flagged=(names % 2 == 1)[order],
        N=N[order],
        logit=logit[order],
        expected=expected[order],
        N1=N1,
        N0=profile.N - N1,
    )


def fill_empty(tally: Tally) -> Tally:
    """The same labels, every group left without one joined to its nearest labeled neighbor on the same side (one study, no replicates).

    The neighbor's labels then stand for both. Groups taken whole join with none: their labels stand for their own units only. Where
    there is no such neighbor the group stays empty, and the interval is widened by all it could hold.
    """
    open_groups = (tally.n > 0) & (tally.n < tally.N)
    home = np.arange(tally.N.size)
    for g in np.flatnonzero(tally.n == 0):
        near = np.flatnonzero(open_groups & (tally.flagged == tally.flagged[g]))
        if near.size:
            home[g] = near[np.argmin(np.abs(near - g))]
    kept, joined = np.unique(home, return_inverse=True)
    if kept.size == tally.N.size:
        return tally

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(joined, weights=values).astype(np.float64)

    N = total(tally.N)
    return Tally(
        flagged=tally.flagged[kept],
        N=N,
        n=total(tally.n),
        k=total(tally.k),
        logit=total(tally.N * tally.logit) / N,
        expected=total(tally.N * tally.expected) / N,
        N1=tally.N1,
        N0=tally.N0,
    )
