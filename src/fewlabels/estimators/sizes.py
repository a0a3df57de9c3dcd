"""A sample whose groups have estimated sizes: the chance of the sizes, added to the chance of the labels inside the groups.

    T_a = sum_g N_g s_ga,   N_g = sum over the group's units of 1 / pi,   s_ga the share of type a (TP, FP, FN, TN) in group g

    strata of known size, w_g = n_hg / n_h:
        M_ab = sum_h N_h^2 (1 - f_h) / (n_h - 1) (sum_g w_g s_ga s_gb - sum_g w_g s_ga sum_g w_g s_gb)
    units that came in one by one:
        M_ab = sum_g s_ga s_gb sum over the group's units of (1 - pi) / pi^2

    V = V within groups + u' M u,    u = dtheta/dT

Given how many units each group has, its labels are a simple random sample of it: the ordinary tally. The two parts are uncorrelated, and
their arms are joined as those of the table and the process are. Where a stratum has one prediction, M is 0: its size is known.
Derivation and limits: docs/maths/samples.md.
"""

from dataclasses import replace

import numpy as np

from fewlabels.estimators.grouping import Groups
from fewlabels.estimators.process import TYPES, joined, units_at
from fewlabels.estimators.sides import Measured
from fewlabels.intervals.chance import Chance
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.elsewhere import Elsewhere
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import Sizes, Tally
from fewlabels.nouns.weights import LabelSums

ROUNDING = 1e-9  # of a metric's range: a standard error as small is rounding


def of_sample(groups: Groups, how: Elsewhere) -> Groups:
    """The groups with the units that the sample stands for. Parts of strata are pooled, parts at one probability are not.

    A side without a unit in the sample is not empty but unknown: it is given a unit that no group holds, so that nothing is said of it.
    """
    N = _by_group(groups, how.N)
    N1, N0 = (float(N[side].sum()) if side.any() else 1.0 for side in (groups.flagged, ~groups.flagged))
    pool = groups.pool
    if pool is not None:
        pool = pool._replace(expansion=N / _by_group(groups, how.n)) if how.strata else None
    return groups._replace(N=N, N1=N1, N0=N0, pool=pool, sample=how)


def sampled_tally(groups: Groups, how: Elsewhere, *, cell: IntArray, y: FloatArray) -> Tally:
    """The usable answers to units of a sample, counted by group, with the chance of the groups' sizes."""
    home = groups.of_cell[cell]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(home, weights=values, minlength=groups.N.size).astype(np.float64)

    n, k = total(np.ones(home.size)), total(y)
    w = 1 / how.pi[cell]
    counted = groups.tally(n, k)
    if _is_uneven(groups, how):
        counted = replace(counted, expansions=LabelSums(total(w), total(w * w), total(w * y), total(w * w * y)))
    share = np.divide(total(w * y), total(w), out=_side_share(groups, w * y, w, home), where=n > 0)
    return replace(counted, sizes=sizes_of(groups, how, share), usual=True)


def sizes_of(groups: Groups, how: Elsewhere, share: FloatArray) -> Sizes | None:
    """The chance of the sizes, given the positive share of each group; None if all of them are known."""
    types = _types(groups, share)
    n, N = _by_group(groups, how.n), groups.N
    if how.strata:
        drawn, size = (np.bincount(groups.band, weights=values)[groups.band] for values in (n, N))
        open_ = np.where(n < drawn, np.maximum(1 - drawn / size, 0), 0.0)  # 0 where a stratum has one prediction, or was taken whole
        factor = np.divide(size**2 * open_, drawn - 1, out=np.zeros(n.size), where=drawn > 1)
        mean = np.zeros((groups.band.max() + 1, TYPES))
        np.add.at(mean, groups.band, (n / drawn)[:, None] * types)
        once = np.bincount(groups.band, weights=factor * n / drawn)  # of each stratum: the factors of its groups are equal
        spread = np.einsum("g,ga,gb->ab", factor * n / drawn, types, types) - np.einsum("h,ha,hb->ab", once, mean, mean)
        squares = (open_ > 0) * n * (size / drawn) ** 2
    else:
        each = _by_group(groups, how.n * (1 - how.pi) / how.pi**2)
        spread, squares = np.einsum("g,ga,gb->ab", each, types, types), _by_group(groups, how.n / how.pi**2)
    return Sizes(spread, squares @ types) if spread.any() else None


def of_sizes(metric: Metric, tally: Tally, found: Measured, *, p1: FloatArray, p0: FloatArray, tail: float) -> Measured:
    """The metric with the chance of its groups' sizes; as found, if these are known."""
    if tally.sizes is None:
        return found
    T, _, u, d = units_at(metric, replace(tally, weights=None), p1, p0)
    v = np.maximum(np.einsum("...a,ab,...b->...", u, tally.sizes.spread, u), 0.0)
    held = (d * d * tally.sizes.squares).sum()
    carried = np.divide((d * T).sum(-1) ** 2, held, out=np.full(v.shape, 2.0), where=held > 0)
    moves = v > (ROUNDING * (metric.high - metric.low)) ** 2  # precision of one stratum does not depend on how many are flagged
    wider = joined(found, Chance(np.where(moves, v, 1.0), carried), moves, low=metric.low, high=metric.high, tail=tail, unseen=False)
    return Measured(*(np.where(moves, one, other) for one, other in zip(wider, found, strict=True)))


def _by_group(groups: Groups, values: FloatArray | IntArray) -> FloatArray:
    """Values of cells, summed by group."""
    inside = groups.of_cell >= 0
    return np.bincount(groups.of_cell[inside], weights=values[inside], minlength=groups.flagged.size).astype(np.float64)


def _types(groups: Groups, share: FloatArray) -> FloatArray:
    """s: the share of each type of unit in each group, shape (G, 4)."""
    both = np.stack([share, 1 - share], axis=-1)
    return np.concatenate([both * groups.flagged[:, None], both * ~groups.flagged[:, None]], axis=-1)


def _side_share(groups: Groups, top: FloatArray, bottom: FloatArray, home: IntArray) -> FloatArray:
    """The positive share of each group's side, which stands in for a group without a usable answer."""
    side = groups.flagged[home]
    found = [top[side == flagged].sum() / max(bottom[side == flagged].sum(), 1e-300) for flagged in (False, True)]
    return np.array(found)[groups.flagged.astype(np.int64)]


def _is_uneven(groups: Groups, how: Elsewhere) -> bool:
    """Whether probabilities differ within a group."""
    return any(bool(np.ptp(how.pi[groups.of_cell == g])) for g in range(groups.flagged.size))
