"""Pooling of parts of bands that expect too few labels: for classifiers and slices for which the bands were not cut.

A band on one side of the judged classifier is a group of its own. If a band spans sides (of another classifier, or of an unplanned
slice), the size of each part is known, but the number of labels in it is random. Parts that expect fewer than five are joined, in the
order of their rates and only with rates that differ by a factor of at most three, without looking at labels:

    p = sum(w k) / sum(w n),      w = N_band / take_band          (Hajek inside the joined group, whose units are counted exactly)

A group that receives no label stays open: the interval is widened by all it could hold.

Derivation and coverage: docs/maths/pooling.md.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import LabelSums, WeightSums

FEWEST = 5.0  # labels a joined group expects
ALIKE = 3.0  # pooled rates differ by at most this factor: a label that stands for few units says nothing about unlike ones


class Pool(NamedTuple):
    """Which parts are pooled.

    home       the group of each part
    expansion  units that one label of each part's band stands for
    whole      whether the part is its whole band: its number of labels is not random
    """

    home: IntArray
    expansion: FloatArray
    whole: BoolArray


def pool_parts(flagged: BoolArray, logit: FloatArray, *, expected: FloatArray, whole: BoolArray, expansion: FloatArray) -> Pool | None:
    """The pool of these parts; None if every part is a whole band.

    expected   labels each part should receive
    """
    if whole.all():
        return None
    home = np.arange(flagged.size)
    small = ~whole & (expected < FEWEST)
    for side in (True, False):
        mine = np.flatnonzero(small & (flagged == side))
        if mine.size:
            ordered = mine[np.lexsort((logit[mine], expansion[mine]))]
            _join(home, ordered, expected, others=np.flatnonzero(~small & (flagged == side)), expansion=expansion)
    first = {name: part for part, name in reversed(list(enumerate(home.tolist())))}  # groups stay in the order of their first part
    rank = {name: place for place, name in enumerate(sorted(first, key=lambda name: first[name]))}
    return Pool(np.array([rank[name] for name in home.tolist()], dtype=np.int64), expansion, whole)


def _join(home: IntArray, ordered: IntArray, expected: FloatArray, *, others: IntArray, expansion: FloatArray) -> None:
    """Join neighbors of similar rates until each group expects enough labels.

    What is left over joins the last group, or another part, of a similar rate; otherwise it stands alone.
    """
    runs: list[list[int]] = []
    for part in ordered.tolist():  # from high to low rates
        full = bool(runs) and float(expected[runs[-1]].sum()) >= FEWEST
        if not runs or full or expansion[part] > ALIKE * expansion[runs[-1][0]]:
            runs.append([])
        runs[-1].append(part)
    settled = others
    for run in runs:
        home[run] = run[0]
        if float(expected[run].sum()) < FEWEST and settled.size:
            gap = np.abs(np.log(expansion[settled] / expansion[run[-1]]))
            if gap.min() <= np.log(ALIKE):
                home[run] = home[settled[np.argmin(gap)]]
                continue
        settled = np.append(settled, run[0])


def pooled(parts: Tally, pool: Pool) -> Tally:
    """The labels of the parts, summed by the groups of their pool; counts may have replicate axes."""
    if pool.home.max() + 1 == pool.home.size:  # none is joined to another: each has one rate
        return replace(parts, chance=~pool.whole)
    member = (pool.home[:, None] == np.arange(pool.home.max() + 1)).astype(np.float64)
    w, N = pool.expansion, parts.N @ member
    stands = (w * parts.n, w * w * parts.n, w * parts.k, w * w * parts.k)
    return Tally(
        flagged=parts.flagged[member.argmax(axis=0)],
        N=N,
        n=parts.n @ member,
        k=parts.k @ member,
        logit=(parts.N * parts.logit) @ member / N,
        expected=(parts.N * parts.expected) @ member / N,
        N1=parts.N1,
        N0=parts.N0,
        simple=parts.simple,
        weights=_weights(parts, w, member),
        expansions=None if parts.weights is not None else LabelSums(*(values @ member for values in stands)),
        chance=~pool.whole @ member > 0,
        stratum=None if parts.stratum is None else ((parts.N * parts.stratum) @ member > N / 2).astype(np.int64),
        process=parts.process,
        arrivals=parts.arrivals,
    )


def _weights(parts: Tally, w: FloatArray, member: FloatArray) -> WeightSums | None:
    """The sums of metric weights, each label's weight times its expansion relative to the mean of its group."""
    if parts.weights is None:
        return None
    mean = (parts.N @ member) / ((parts.N / w) @ member)
    share = w / (member @ mean)
    X, XX, top, x, xx, xy, xxy = parts.weights
    largest = np.max(np.where(member > 0, (top * share)[:, None], 0.0), axis=0)
    sums = (share * x, share**2 * xx, share * xy, share**2 * xxy)
    return WeightSums(X @ member, XX @ member, largest, *(values @ member for values in sums))
