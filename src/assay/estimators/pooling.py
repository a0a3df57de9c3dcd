"""Parts of bands that expect too few labels, read together: for classifiers and slices that a band was not cut for.

A band that lies on one side of the classifier judged is a group of its own. Of a band that crosses sides (another classifier's, or a
slice nobody planned) each part is known by its size, but how many labels fall into it is chance. Parts that expect fewer than five are
joined, in the order of their rates, without looking at labels:

    p = sum(w k) / sum(w n),      w = N_band / take_band          (Hajek inside the joined group, whose units are counted exactly)

Derivation and coverage: docs/maths/pooling.md.

Main path: population > profile > plan > draw > [labels] > [estimate] > decision > report
"""

from typing import NamedTuple

import numpy as np

from assay.nouns.arrays import BoolArray, FloatArray, IntArray
from assay.nouns.tally import Tally
from assay.nouns.weights import LabelSums, WeightSums

FEWEST = 5.0  # labels a joined group expects


class Pool(NamedTuple):
    """Which parts are read together.

    home       the group of each part
    expansion  units that one label of each part's band stands for
    """

    home: IntArray
    expansion: FloatArray


def pool_parts(flagged: BoolArray, logit: FloatArray, *, expected: FloatArray, whole: BoolArray, expansion: FloatArray) -> Pool | None:
    """The pool of these parts; None where every part stands alone.

    expected   labels each part should receive
    whole      whether the part is its whole band: its labels are not left to chance
    """
    home = np.arange(flagged.size)
    small = ~whole & (expected < FEWEST)
    for side in (True, False):
        mine = np.flatnonzero(small & (flagged == side))
        if mine.size:
            ordered = mine[np.lexsort((logit[mine], expansion[mine]))]
            _join(home, ordered, expected, others=np.flatnonzero(~small & (flagged == side)), expansion=expansion)
    if (home == np.arange(home.size)).all():
        return None
    first = {name: part for part, name in reversed(list(enumerate(home.tolist())))}  # groups stay in the order of their first part
    rank = {name: place for place, name in enumerate(sorted(first, key=lambda name: first[name]))}
    return Pool(np.array([rank[name] for name in home.tolist()], dtype=np.int64), expansion)


def _join(home: IntArray, ordered: IntArray, expected: FloatArray, *, others: IntArray, expansion: FloatArray) -> None:
    """Gives neighbors one home until each has labels enough; what is left over goes to the last home, or to the part of nearest rate."""
    held, first, last = 0.0, int(ordered[0]), None
    for part in ordered.tolist():
        first = part if not held else first
        home[part] = first
        held += float(expected[part])
        if held >= FEWEST:
            last, held = first, 0.0
    if held and last is not None:
        home[home == first] = last
    elif held and others.size:
        nearest = others[np.argmin(np.abs(np.log(expansion[others] / expansion[first])))]
        home[home == first] = nearest


def pooled(parts: Tally, pool: Pool) -> Tally:
    """The labels of the parts, read in their pool's groups; counts may carry replicates."""
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
