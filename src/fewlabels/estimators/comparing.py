"""How much better one classifier is than another on the same units: the difference of a metric, with its limits.

Two classifiers divide the population into four cells by what the first and the second predict: 11, 10, 01, 00. Their sizes are known,
and both classifiers' totals are sums over them, so that any difference is a function of four positive shares, estimated from
disjoint units:

    theta_1 - theta_2 = f(p_11, p_10, p_01, p_00),      limits for each share, joined over the ellipsoid of their limits (`reached`)

What both get right or wrong cancels: 11 and 00 do not enter accuracy, and enter recall or F1 only through the denominator.
Derivation and coverage: docs/maths/comparing.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from fewlabels.errors import PlanError
from fewlabels.estimators.grouping import Groups, fill_empty, groups_of
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.process import Units, squares, widened
from fewlabels.estimators.sides import Measured, side_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.ellipsoid import reached
from fewlabels.intervals.registered import INTERVALS, interval_named
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import PairTally as PairTally
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import LabelSums, WeightSums
from fewlabels.nouns.works_with import require

CELLS = 4  # 2 * first predicts positive + second predicts positive: 0 neither, 1 the second alone, 2 the first alone, 3 both
FIRST = np.array([False, False, True, True])
SECOND = np.array([False, True, False, True])


def disagreement(profile: Profile, first: int, second: int) -> IntArray:
    """The disagreement cell (0 to 3) of every profile cell, for two classifiers by position."""
    return 2 * profile.predicted(first).astype(np.int64) + profile.predicted(second)


class PairGroups(NamedTuple):
    """Groups of two classifiers under one design: `groups.of_cell` is the group of each profile cell, -1 outside the frame."""

    groups: Groups
    cell: IntArray
    size: FloatArray

    def tally(self, n: FloatArray, k: FloatArray, sums: LabelSums | None = None) -> PairTally:
        """Labels and positives per group, as counted."""
        return self.of(self.groups.tally(n, k, sums))

    def of(self, tally: Tally) -> PairTally:
        """A tally of these groups, for the pair."""
        return PairTally(tally, self.cell, self.size)


def pair_groups(
    profile: Profile, design: DrawDesign, first: int, second: int, *, weight: str | None = None, guide: FloatArray | None = None
) -> PairGroups:
    """The groups of two classifiers (by position) under a design: every band divided by what the two predict."""
    cell = disagreement(profile, first, second)
    inside = design.band >= 0
    key = np.where(inside, design.band * CELLS + cell, -1)
    names, where = np.unique(key[inside], return_inverse=True)
    band = np.full(key.shape, -1, dtype=np.int64)
    band[inside] = where
    N = np.bincount(where, weights=profile.count[inside]).astype(np.int64)
    cut = DrawDesign(name=design.name, band=band, N=N, mass=np.ones(names.size))
    groups = groups_of(profile, cut, classifier=first, weight=weight, guide=guide)
    mine = names[groups.band]
    size = np.bincount(cell, weights=profile.amount(weight), minlength=CELLS).astype(np.float64)
    return PairGroups(groups._replace(band=mine // CELLS), mine % CELLS, size)


def fill_pair(tally: PairTally) -> PairTally:
    """The same labels, every group without one joined to its nearest labeled neighbor in the same disagreement cell (one study)."""
    cells = [c for c in range(CELLS) if (tally.cell == c).any()]
    parts = [fill_empty(tally.part(c)) for c in cells]
    kept = [part.weights for part in parts if part.weights is not None]
    sums = [part.expansions for part in parts if part.expansions is not None]
    chance, stratum, known = (
        None if getattr(tally.tally, name) is None else np.concatenate([getattr(part, name) for part in parts])
        for name in ("chance", "stratum", "known")
    )
    joined = replace(
        tally.tally,
        flagged=np.concatenate([part.flagged for part in parts]),
        N=np.concatenate([part.N for part in parts]),
        n=np.concatenate([part.n for part in parts]),
        k=np.concatenate([part.k for part in parts]),
        logit=np.concatenate([part.logit for part in parts]),
        expected=np.concatenate([part.expected for part in parts]),
        weights=WeightSums(*(np.concatenate(values) for values in zip(*kept, strict=True))) if kept else None,
        expansions=LabelSums(*(np.concatenate(values, axis=-1) for values in zip(*sums, strict=True))) if sums else None,
        chance=chance,
        stratum=stratum,
        known=known,
        control=None,
    )
    return PairTally(joined, np.repeat(cells, [part.N.size for part in parts]).astype(np.int64), tally.size)


def totals_of(T: Sequence[FloatArray] | FloatArray, size: FloatArray, flagged: BoolArray) -> Totals:
    """One classifier's totals from the positives of the four cells; `flagged` says which of them it flags."""
    A = np.asarray(sum(T[c] for c in range(CELLS) if flagged[c]))
    B = np.asarray(sum(T[c] for c in range(CELLS) if not flagged[c]))
    return Totals.of_sides(A, B, N1=float(size[flagged].sum()), N0=float(size[~flagged].sum()))


def difference(metric: Metric, T: Sequence[FloatArray] | FloatArray, size: FloatArray) -> FloatArray:
    """The first's metric minus the second's, from the positives of the four cells; NaN if one of the two is undefined."""
    return np.asarray(metric.value(totals_of(T, size, FIRST)) - metric.value(totals_of(T, size, SECOND)))


def slopes(metric: Metric, T: Sequence[FloatArray] | FloatArray, size: FloatArray) -> list[FloatArray]:
    """The effect of one more positive in each cell on the difference: a_c = a^1 - a^2, each by the side the cell is on."""
    one, two = (influence(metric, totals_of(T, size, flagged)) for flagged in (FIRST, SECOND))
    return [np.asarray((one.a1 if f else one.a0) - (two.a1 if s else two.a0)) for f, s in zip(FIRST, SECOND, strict=True)]


def matters(metric: Metric, size: FloatArray) -> BoolArray:
    """Which of the four cells the difference depends on, whatever the labels say.

    Evaluated at two points in general position: the slopes are smooth functions of the totals, and one that is 0 at both is 0 everywhere.
    """
    found = np.zeros(CELLS, dtype=np.bool_)
    for shares in ((0.11, 0.29, 0.37, 0.83), (0.23, 0.71, 0.47, 0.31)):
        T = [np.asarray(s * held) for s, held in zip(shares, size, strict=True)]
        whole = max(float(np.abs(influence(metric, totals_of(T, size, flagged))).max()) for flagged in (FIRST, SECOND))
        found |= np.array([abs(float(a)) > 1e-9 * whole for a in slopes(metric, T, size)])  # anything smaller is rounding
    return found & (size > 0)


def compare(metric: Metric, tally: PairTally, *, tail: float, interval: IntervalKind = USUAL_INTERVAL) -> Measured:
    """The metric of the first minus that of the second, its limits (each missed with probability `tail`) and standard error.

    If the labels leave one of the two undefined, there is no value, and the limits are the extremes that the shares' limits allow.
    """
    refuse_unpaired(metric, interval)
    need = matters(metric, tally.size)
    cells = [read_side(tally.part(c)) if need[c] else None for c in range(CELLS)]
    nothing = np.zeros(tally.tally.n.shape[:-1])
    by_error = interval_named(interval).symmetric
    kind = USUAL_INTERVAL if by_error else interval
    p = [nothing if e is None else e.p for e in cells]
    ends = [Limits(nothing, nothing) if e is None else side_limits(e, tail, kind, joined=True) for e in cells]
    T = _positives(p, tally.size)
    value = np.where(np.all([np.isfinite(share) for share in p], axis=0), difference(metric, T, tally.size), np.nan)
    known = np.isfinite(value)
    limits = _limits(metric, T, ends, tally.size, known)
    if by_error:
        reach = ndtri(1 - tail) * _error(metric, T, tally.size, cells, "raw")
        limits = Limits(np.where(known, value - reach, limits.low), np.where(known, value + reach, limits.high))
    error = np.where(known, _error(metric, T, tally.size, cells, "v"), np.nan)
    found = Measured(value, limits.low, limits.high, error)
    process = tally.tally.process
    if process is None:
        return found
    span = metric.high - metric.low
    return widened(found, paired_units(metric, T, tally), process, low=-span, high=span, tail=tail)


def positives_of(metric: Metric, tally: PairTally) -> list[FloatArray]:
    """The estimated positives of the four cells; 0 where the difference does not depend on them."""
    need, nothing = matters(metric, tally.size), np.zeros(tally.tally.n.shape[:-1])
    return _positives([read_side(tally.part(c)).p if need[c] else nothing for c in range(CELLS)], tally.size)


def _positives(p: Sequence[FloatArray], size: FloatArray) -> list[FloatArray]:
    return [np.asarray(held * np.nan_to_num(share)) for held, share in zip(size, p, strict=True)]


def paired_units(metric: Metric, T: Sequence[FloatArray], tally: PairTally) -> Units:
    """The types of unit of two classifiers: positive and negative units of each cell."""
    amount = [part for t, size in zip(T, tally.size, strict=True) for part in (t, size - t)]
    one, two = (metric.gradient(totals_of(T, tally.size, flagged)) for flagged in (FIRST, SECOND))
    u = [
        (a[0] if f else a[2]) - (b[0] if s else b[2])
        for f, s in zip(FIRST, SECOND, strict=True) for a, b in ((one, two), (one[1:], two[1:]))
    ]  # fmt: skip
    matter = np.repeat(matters(metric, tally.size).astype(np.float64), 2)
    held, parts = np.stack(np.broadcast_arrays(*amount), axis=-1), np.nan_to_num(np.stack(np.broadcast_arrays(*u), axis=-1))
    of_squares = squares(tally.tally, [tally.cell == c for c in range(CELLS)])
    return Units(held, held if of_squares is None else of_squares, np.asarray(parts), matter)


def refuse_unpaired(metric: Metric, interval: IntervalKind) -> None:
    """Raise PlanError unless the metric is of one question and the interval works for a difference of two classifiers."""
    require("comparison", metric.traits, subject=f"{metric.name} is")
    if not (kind := interval_named(interval)).of_side and not kind.symmetric:
        known = ", ".join(one.name for one in INTERVALS if one.of_side or one.symmetric)
        raise PlanError(f"a difference needs one of the intervals {known}, got {interval!r}: {USUAL_INTERVAL} is the default")


def _error(
    metric: Metric, T: Sequence[FloatArray], size: FloatArray, cells: Sequence[Evidence | None], variance: Literal["v", "raw"]
) -> FloatArray:
    """The linearized standard error: the root of sum_c (a_c N_c)^2 v_c."""
    found = np.zeros(np.shape(T[0]))
    for a, held, e in zip(slopes(metric, T, size), size, cells, strict=True):
        if e is not None:
            found = found + (a * held) ** 2 * np.nan_to_num(e.v if variance == "v" else e.raw)
    return np.sqrt(found)


def _limits(metric: Metric, T: Sequence[FloatArray], ends: Sequence[Limits], size: FloatArray, known: BoolArray) -> Limits:
    """The smallest and the largest difference that the shares' limits reach together."""
    span = metric.high - metric.low
    return reached(
        lambda at: difference(metric, at, size),
        lambda at: slopes(metric, at, size),
        T,
        [Limits(held * end.low, held * end.high) for held, end in zip(size, ends, strict=True)],
        low=-span,
        high=span,
        known=known,
    )
