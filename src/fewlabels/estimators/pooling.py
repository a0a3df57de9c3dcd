"""Parts of bands that expect too few labels, read together: for classifiers and slices that a band was not cut for.

A band that lies on one side of the classifier judged is a group of its own. Of a band that crosses sides (another classifier's, or a
slice nobody planned) each part is known by its size, but how many labels fall into it is chance. Parts that expect fewer than five are
joined, in the order of their rates and only with rates at most three times apart, without looking at labels:

    p = sum(w k) / sum(w n),      w = N_band / take_band          (Hajek inside the joined group, whose units are counted exactly)

A group that no label came into stays open: the interval is widened by all it could hold.

Derivation and coverage: docs/maths/pooling.md.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import LabelSums, WeightSums

FEWEST = 5.0  # labels a joined group expects
ALIKE = 3.0  # rates that are read together differ by at most this factor: a label that stands for few says nothing of those it is not like


class Pool(NamedTuple):
    """Which parts are read together.

    home       the group of each part
    expansion  units that one label of each part's band stands for
    whole      whether the part is its whole band: its labels are not left to chance
    """

    home: IntArray
    expansion: FloatArray
    whole: BoolArray


def pool_parts(flagged: BoolArray, logit: FloatArray, *, expected: FloatArray, whole: BoolArray, expansion: FloatArray) -> Pool | None:
    """The pool of these parts; None where every part is a whole band.

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
    """Gives neighbors of like rates one home until each expects labels enough.

    What is left over goes to the last home, or to another part, of like rate; else it stands alone.
    """
    runs: list[list[int]] = []
    for part in ordered.tolist():  # from dense to thin
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
    """The labels of the parts, read in their pool's groups; counts may carry replicates."""
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
    )


def _weights(parts: Tally, w: FloatArray, member: FloatArray) -> WeightSums | None:
    """The sums of metric weights, each label's weight times what it stands for over the mean of its group."""
    if parts.weights is None:
        return None
    mean = (parts.N @ member) / ((parts.N / w) @ member)
    share = w / (member @ mean)
    X, XX, top, x, xx, xy, xxy = parts.weights
    largest = np.max(np.where(member > 0, (top * share)[:, None], 0.0), axis=0)
    sums = (share * x, share**2 * xx, share * xy, share**2 * xxy)
    return WeightSums(X @ member, XX @ member, largest, *(values @ member for values in sums))
