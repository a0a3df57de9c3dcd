"""Which group a unit's label counts in: the part of its band on one side of the classifier judged.

Groups are fixed by the profile and the design, never by labels. A group left with fewer than two labels by non-response is merged
with its neighbor on the same side, again without looking at what the labels say.

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


def merge_thin(tally: Tally) -> Tally:
    """The same labels with every group that holds fewer than two joined to its neighbor on the same side (one study, no replicates).

    A group that was taken whole may hold a single label. A side without any label stays as it is: nothing can be said of it.
    """
    groups = [[g] for g in range(tally.N.size)]
    i = 0
    while i < len(groups):
        held, whole = tally.n[groups[i]].sum(), tally.N[groups[i]].sum()
        alone = [j for j in (i - 1, i + 1) if 0 <= j < len(groups) and tally.flagged[groups[j][0]] == tally.flagged[groups[i][0]]]
        if held >= 2 or held == whole or not alone:
            i += 1
            continue
        first, second = sorted((i, alone[0]))
        groups[first : second + 1] = [groups[first] + groups[second]]
        i = first
    if len(groups) == tally.N.size:
        return tally

    def joined(values: FloatArray) -> FloatArray:
        return np.array([values[g].sum() for g in groups])

    N = joined(tally.N)
    return Tally(
        flagged=np.array([bool(tally.flagged[g[0]]) for g in groups]),
        N=N,
        n=joined(tally.n),
        k=joined(tally.k),
        logit=joined(tally.N * tally.logit) / N,
        expected=joined(tally.N * tally.expected) / N,
        N1=tally.N1,
        N0=tally.N0,
    )
