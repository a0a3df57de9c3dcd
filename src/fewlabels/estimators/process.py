"""Units like these: the chance of having got just this table, added to the chance of having drawn just these labels.

    theta = g(T),   u = the unit's part of theta, by type (TP, FP, FN, TN): its gradient; sum over all units of u = 0
    C     = sum over clusters of (sum of u in the cluster)^2  =  sum_a u_a^2 T_a + sum_ab u_a u_b P_ab,     at least sum_a u_a^2 T_a
    P_ab  = sum over labeled pairs i != j of one cluster, of types a and b, of 1 / pi_ij
    G     = D^2 / sum over clusters of (their part of D)^2,     D the denominator: the number of clusters that carry the metric

The table's own limits and those of a share with variance C, one unseen cluster of weight 1 / G and G - 1 degrees of freedom are joined as
the arms of independent quantities are. Where no cluster is named, every unit is one. Derivation and limits: docs/maths/process.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.sides import Measured
from fewlabels.intervals.chance import Chance, share_limits
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.process import Process
from fewlabels.nouns.tally import Tally

ASSUMED = 0.1  # the correlation of errors in a cluster that sizes assume before there are labels
FEW, TOO_FEW = 50.0, 10.0  # effective clusters: a caution below the first, no interval below the second


TYPES = 4  # of the units of one classifier: TP, FP, FN, TN


class Labeled(NamedTuple):
    """Labeled units, one row each: its cluster, its group, its type, and its metric weight (1 where units are counted)."""

    cluster: IntArray
    group: IntArray
    type: IntArray
    weight: FloatArray


class Units(NamedTuple):
    """What a metric makes of units by type, arrays whose last axis is over types.

    T    how many there are, or their metric weight
    TT   the sum of the squares of their weights; T itself where units are counted
    u    a unit's part of the metric, per unit of weight
    d    its part of the metric's denominator
    """

    T: FloatArray
    TT: FloatArray
    u: FloatArray
    d: FloatArray


def types_of(flagged: BoolArray, positive: BoolArray) -> IntArray:
    """The types of units of one classifier, in the order of its totals."""
    return np.where(flagged, np.where(positive, 0, 1), np.where(positive, 2, 3))


def pairs_of(labeled: Labeled, *, N: FloatArray, n: FloatArray, types: int = TYPES) -> FloatArray:
    """P: products of weights over pairs of different units of one cluster, by type, each divided by the chance that both were drawn.

    N, n   units and labels of each group; 1 / pi_ij = N_g N_h / (n_g n_h) across groups, N (N - 1) / (n (n - 1)) within one
    """
    _, cluster = np.unique(labeled.cluster, return_inverse=True)
    share = np.divide(N, n, out=np.zeros(N.size), where=n > 0)
    across = _squared(cluster, labeled.type, labeled.weight * share[labeled.group], np.ones(cluster.size), types)
    within = np.divide(N * (N - 1), n * (n - 1), out=np.zeros(N.size), where=n > 1) - share**2
    _, both = np.unique(cluster.astype(np.int64) * N.size + labeled.group, return_inverse=True)
    return across + _squared(both, labeled.type, labeled.weight, within[labeled.group], types)


def _squared(home: IntArray, type_: IntArray, amount: FloatArray, times: FloatArray, types: int) -> FloatArray:
    """Sums over pairs of different units of one home of the products of their amounts, by type, times a factor that is one per home."""
    sums, factor = np.zeros((home.max(initial=-1) + 1, types)), np.zeros(home.max(initial=-1) + 1)
    np.add.at(sums, (home, type_), amount)
    factor[home] = times
    found = np.einsum("g,ga,gb->ab", factor, sums, sums)
    found[np.diag_indices(types)] -= np.bincount(type_, weights=times * amount**2, minlength=types)
    return np.asarray(found)


def denominator_of(metric: Metric) -> FloatArray:
    """A unit's part of the metric's denominator by type; for a metric that is no ratio, 1 on the sides that it needs."""
    if metric.terms:
        return np.array([bottom for _, bottom in metric.terms])
    return np.repeat([float(metric.needs_flagged), float(metric.needs_unflagged)], 2)


def chance_of(units: Units, process: Process) -> Chance:
    """The variance of the metric over tables like this one, and the clusters that carry it."""
    T, TT, u, d = units
    alone, held = (u * u * TT).sum(-1), (d * d * TT).sum(-1)
    whole = (d * T).sum(-1)
    if process.pairs is not None:
        both, parts = (_form(of, process.pairs) for of in (u, np.broadcast_to(d, u.shape)))
    else:
        beside = process.clusters.alike - 1 if process.clusters is not None else 0.0
        share = np.divide(whole, d.max() * T.sum(-1), out=np.zeros_like(whole), where=T.sum(-1) > 0)
        both, parts = ASSUMED * beside * alone, beside * share * held
    clusters = np.divide(whole**2, held + np.maximum(parts, 0), out=np.zeros_like(whole), where=held > 0)
    if process.clusters is not None:  # an estimate may say more than there are
        clusters = np.minimum(clusters, process.clusters.number)
    return Chance(alone + np.maximum(both, 0), clusters)


def _form(u: FloatArray, pairs: FloatArray) -> FloatArray:
    """U' P u."""
    return np.asarray(np.einsum("...a,...ab,...b->...", u, pairs, u))


def of_process(metric: Metric, tally: Tally, found: Measured, *, p1: FloatArray, p0: FloatArray, tail: float) -> Measured:
    """The metric of the process at these positive shares of the sides, if that is what the tally is about; else of the table, as found."""
    if tally.process is None:
        return found
    return widened(found, units_at(metric, tally, p1, p0), tally.process, low=metric.low, high=metric.high, tail=tail)


def units_at(metric: Metric, tally: Tally, p1: FloatArray, p0: FloatArray) -> Units:
    """The four types of unit of one classifier at these positive shares of its sides."""
    totals = Totals.of_sides(tally.N1 * p1, tally.N0 * p0, N1=tally.N1, N0=tally.N0)
    T = np.stack(np.broadcast_arrays(*totals), axis=-1).astype(np.float64)
    u = np.nan_to_num(np.stack(np.broadcast_arrays(*metric.gradient(totals)), axis=-1).astype(np.float64))
    of_squares = squares(tally, [tally.flagged, ~tally.flagged])
    return Units(T, T if of_squares is None else of_squares, u, denominator_of(metric))


def squares(tally: Tally, parts: Sequence[BoolArray]) -> FloatArray | None:
    """The sums of squared metric weights of positive and negative units of each part, as the labels divide them; None without weights.

    parts   which groups belong to each
    """
    w = tally.weights
    if w is None:
        return None
    share = np.divide(w.xxy, w.xx, out=np.zeros(np.shape(w.xx)), where=w.xx > 0)
    each = [(w.XX * some * part).sum(-1) for part in parts for some in (share, 1 - share)]
    return np.stack(np.broadcast_arrays(*each), axis=-1)


def too_few_clusters(carrying: float | None) -> str | None:
    """Why so many clusters are too few for a number; None if they are not, or if units come in none."""
    if carrying is None or not 0 < carrying < TOO_FEW:
        return None
    return (
        f"{carrying:.3g} clusters' worth of units carry it, and a number about units like these needs at least {TOO_FEW:g}: add units of "
        "other clusters, or ask about the table"
    )


def widened(found: Measured, units: Units, process: Process, *, low: float, high: float, tail: float) -> Measured:
    """The metric of the process, from that of the table: its limits are missed with about the same probability `tail`.

    low, high   the range of the metric; all of it, and no value, where hardly any cluster carries the metric
    """
    chance = chance_of(units, process)
    enough = (chance.clusters >= TOO_FEW) | (process.clusters is None)
    return joined(found, chance, enough, low=low, high=high, tail=tail)


def joined(
    found: Measured, chance: Chance, enough: BoolArray, *, low: float, high: float, tail: float, unseen: bool = True
) -> Measured:  # fmt: skip
    """The limits found and those of one more, independent chance, their arms joined; nothing is known where that is not known enough.

    unseen   whether an error may be as heavy as a whole cluster although none was seen
    """
    span = high - low
    limits = share_limits((found.value - low) / span, Chance(chance.v / span**2, chance.clusters), tail, unseen=unseen)
    known = np.isfinite(found.value)
    down = np.hypot(found.value - found.low, found.value - (low + span * limits.low))
    up = np.hypot(found.high - found.value, low + span * limits.high - found.value)
    low_end, high_end = np.maximum(found.value - down, low), np.minimum(found.value + up, high)
    return Measured(
        np.where(enough, found.value, np.nan),
        np.where(known, np.where(enough, low_end, low), found.low),
        np.where(known, np.where(enough, high_end, high), found.high),
        np.where(enough, np.sqrt(found.standard_error**2 + chance.v), np.nan),
    )


def table_widths(value: FloatArray, units: Units, times: FloatArray, *, low: float, high: float, tail: float) -> FloatArray:
    """The widths of intervals about the process from tables so many times as large, all units labeled and each for itself."""
    alone = chance_of(units, Process())
    span = high - low
    found = share_limits(
        np.broadcast_to((value - low) / span, times.shape), Chance(alone.v / span**2 / times, alone.clusters * times), tail
    )
    return np.asarray(span * (np.minimum(found.high, 1) - np.maximum(found.low, 0)))
