"""Labels with errors: a side's positive share from noisy answers to all labeled units and gold answers to a random share of them.

For one side, with w the expansion of a labeled unit (N_h / n_h in its group) and sums over the adjudicated units with one noisy answer:

    a = sum w gold / sum w   among "yes"         b = the same among "no"
    k_h' = gold yes in h + a ("yes" in h without gold) + b ("no" in h without gold)

    p = sum_h W_h k_h' / n_h = P(yes) a + P(no) b            W_h = N_h / N_side
    v = v(k', all labeled units) + P(yes)^2 v(a) + P(no)^2 v(b)

This is the difference form (noisy total plus the expanded sum of gold - noisy), calibrated on the noisy answer. The limits of the
three parts are joined by MOVER. With gold for every labeled unit it is the ordinary estimate from the gold answers. Sensitivity and
specificity are never carried from one side to the other. Derivation: docs/maths/gold.md; coverage: docs/raters.md.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.errors import LabelError, PlanError
from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.process import of_process
from fewlabels.estimators.sides import Measured, limits_of_each, side_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.mover import mover
from fewlabels.intervals.registered import side_limits_of
from fewlabels.nouns.arrays import BoolArray, FloatArray, own_floats
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally

USUAL_SHARE = 0.2  # the default share of a side's labeled units
FEWEST = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GoldTally:
    """Adjudicated units by group: the noisy answer first, the gold answer second; shape (..., G), the groups those of the tally."""

    yes_yes: FloatArray
    yes_no: FloatArray
    no_yes: FloatArray
    no_no: FloatArray

    def __post_init__(self) -> None:
        """Take ownership of the arrays; raise LabelError for negative counts or different shapes."""
        for name in ("yes_yes", "yes_no", "no_yes", "no_no"):
            object.__setattr__(self, name, own_floats(getattr(self, name)))
        parts = (self.yes_yes, self.yes_no, self.no_yes, self.no_no)
        if len({part.shape for part in parts}) > 1 or any((part < 0).any() for part in parts):
            shapes = ", ".join(str(part.shape) for part in parts)
            raise LabelError(f"gold answers must be counted by group, none below 0 and all four of one shape, but the shapes are {shapes}")

    def of_groups(self, mine: BoolArray) -> "GoldTally":
        """The counts of some groups."""
        return GoldTally(
            yes_yes=self.yes_yes[..., mine], yes_no=self.yes_no[..., mine], no_yes=self.no_yes[..., mine], no_no=self.no_no[..., mine]
        )

    @property
    def yes(self) -> FloatArray:
        """Adjudicated units whose noisy answer is yes."""
        return self.yes_yes + self.yes_no

    @property
    def no(self) -> FloatArray:
        """Adjudicated units whose noisy answer is no."""
        return self.no_yes + self.no_no


class Corrected(NamedTuple):
    """A side's positive share after correction, its variance and its limits; arrays over replicates. NaN without gold answers."""

    p: FloatArray
    v: FloatArray
    limits: Limits


def measure_with_gold(metric: Metric, tally: Tally, gold: GoldTally, *, tail: float, interval: IntervalKind = USUAL_INTERVAL) -> Measured:
    """The metric of the gold answers, from a tally of noisy ones and the gold answers to a random share of each side's labeled units.

    Each limit is missed with probability about `tail`. If a side that the metric needs has no gold answer, its limits are the whole range,
    and `missing_gold` says what to do. The estimate from the noisy answers alone is `measure(metric, tally, tail=tail)`.
    """
    one, zero = (
        corrected_side(
            tally.side(flagged=is_flagged),
            gold.of_groups(tally.flagged == is_flagged),
            tail=tail,
            interval=interval,
            joined=metric.needs_flagged and metric.needs_unflagged,
        )
        for is_flagged in (True, False)
    )
    one, zero = _if_needed(one, metric.needs_flagged and tally.N1 > 0), _if_needed(zero, metric.needs_unflagged and tally.N0 > 0)
    totals = Totals.of_sides(tally.N1 * one.p, tally.N0 * zero.p, N1=tally.N1, N0=tally.N0)
    value, (a1, a0) = np.clip(metric.value(totals), metric.low, metric.high), influence(metric, totals)
    variance = (a1 * tally.N1) ** 2 * np.nan_to_num(one.v) + (a0 * tally.N0) ** 2 * np.nan_to_num(zero.v)

    def theta(p1: FloatArray, p0: FloatArray) -> FloatArray:
        return metric.value(Totals.of_sides(tally.N1 * p1, tally.N0 * p0, N1=tally.N1, N0=tally.N0))

    low, high = mover(theta, (one.p, zero.p), (one.limits, zero.limits), low=metric.low, high=metric.high)
    found = Measured(value, low, high, np.where(np.isfinite(value), np.sqrt(variance), np.nan))
    return of_process(metric, tally, found, p1=one.p, p0=zero.p, tail=tail)


def _if_needed(side: Corrected, needed: bool) -> Corrected:
    """The side; a known zero if the metric does not depend on it."""
    nothing = np.zeros_like(side.p)
    return side if needed else Corrected(nothing, nothing, Limits(nothing, nothing))


def corrected_side(
    tally: Tally, gold: GoldTally, *, tail: float, interval: IntervalKind = USUAL_INTERVAL, joined: bool = False
) -> Corrected:
    """The positive share of one side (a tally of that side only) by its gold answers, with variance and limits.

    joined: the limits are for MOVER, with those of the other side. If the units with one noisy answer have no gold, that answer is used
    for the value, and the limits allow for any truth behind it.
    """
    _check(tally, gold)
    w, yes, no, a, b = _behind(tally, gold)
    whole = read_side(replace(tally, k=_true_counts(tally, gold, a=a, b=b)))
    labeled = (w * tally.n).sum(-1)
    share = np.divide((w * tally.k).sum(-1), labeled, out=np.zeros_like(labeled), where=labeled > 0)

    def moved(p: FloatArray, of_yes: FloatArray, of_no: FloatArray) -> FloatArray:
        return np.asarray(p + share * (of_yes - a) + (1 - share) * (of_no - b))

    side_limits_of(interval, what="a corrected estimate")  # raise for an interval that has none
    whole_side, *answers = limits_of_each((whole, yes, no), tail, interval)  # no order is assumed for the answers
    limits = Limits(*mover(moved, (whole.p, a, b), (whole_side, *answers), low=0.0, high=1.0))
    v = share**2 * yes.v + (1 - share) ** 2 * no.v
    settled, known = v == 0, np.isfinite(whole.p) & (yes.n + no.n > 0)
    if settled.any():  # by gold for every answer: the ordinary limits
        ordinary = whole_side if joined else side_limits(whole, tail, interval)
        limits = Limits(*(np.where(settled, at, end) for at, end in zip(ordinary, limits, strict=True)))
    return Corrected(
        np.where(known, whole.p, np.nan),
        np.where(known, whole.v + v, np.nan),
        Limits(np.where(known, limits.low, 0.0), np.where(known, limits.high, 1.0)),
    )


class Behind(NamedTuple):
    """The truth behind the answers of one side: expansions w, the evidence on yes and no, and the shares a and b that stand for them."""

    w: FloatArray
    yes: Evidence
    no: Evidence
    a: FloatArray
    b: FloatArray


def _behind(tally: Tally, gold: GoldTally) -> Behind:
    """The truth behind each answer of one side; an answer without gold is taken as recorded."""
    w = np.divide(tally.N, tally.n, out=np.zeros(tally.n.shape), where=tally.n > 0)
    yes = _truth_behind(gold.yes, gold.yes_yes, labeled=tally.k, w=w)
    no = _truth_behind(gold.no, gold.no_yes, labeled=tally.n - tally.k, w=w)
    return Behind(w, yes, no, np.where(np.isfinite(yes.p), yes.p, 1.0), np.where(np.isfinite(no.p), no.p, 0.0))


def _true_counts(tally: Tally, gold: GoldTally, *, a: FloatArray, b: FloatArray) -> FloatArray:
    """k': the positives among the labeled units of each group, those without gold by the truth behind their answer."""
    k = gold.yes_yes + gold.no_yes + a[..., None] * (tally.k - gold.yes) + b[..., None] * (tally.n - tally.k - gold.no)
    return np.asarray(np.clip(k, 0, tally.n))


def corrected_tally(tally: Tally, gold: GoldTally) -> Tally:
    """The tally with k' instead of the noisy positives, each side by its own gold answers; without any, the answers as recorded."""
    k = tally.k.copy()
    for is_flagged in (True, False):
        mine = tally.flagged == is_flagged
        side, part = tally.side(flagged=is_flagged), gold.of_groups(mine)
        behind = _behind(side, part)
        k[..., mine] = _true_counts(side, part, a=behind.a, b=behind.b)
    return replace(tally, k=k)


def _check(tally: Tally, gold: GoldTally) -> None:
    """Raise LabelError if the tally cannot be corrected."""
    if tally.weights is not None:
        raise LabelError("gold answers are counted in units, but this tally sums a metric weight: correct the metric that counts units")
    if (gold.yes > tally.k + 1e-9).any() or (gold.no > tally.n - tally.k + 1e-9).any():
        raise LabelError("only labeled units are adjudicated, but a group has more gold answers than noisy ones: count both by the groups")


def _truth_behind(m: FloatArray, g: FloatArray, *, labeled: FloatArray, w: FloatArray) -> Evidence:
    """The share of gold yes among the labeled units with one noisy answer; m of them adjudicated by group, g with gold yes.

    With equal expansions the resulting limits are close to Clopper-Pearson. The finite number of labeled units is taken into account:
    a noisy answer that is completely adjudicated has no variance left.
    """
    units, total = m.sum(-1), labeled.sum(-1)
    sum1, sum2 = (w * m).sum(-1), (w**2 * m).sum(-1)
    seen, is_open = units > 0, units < total
    share = np.divide((w * g).sum(-1), sum1, out=np.full(units.shape, np.nan), where=seen)
    a = np.nan_to_num(share)[..., None]
    even = np.divide(sum2, sum1**2, out=np.ones_like(sum1), where=seen)  # 1 / Kish's effective n
    f = np.divide(units, total, out=np.zeros_like(units), where=is_open)
    squares = even * np.divide((w**2 * (g * (1 - a) ** 2 + (m - g) * a**2)).sum(-1), sum2, out=np.zeros_like(sum2), where=seen)
    raw = (1 - f) * squares * units / np.maximum(units - 1, 1)
    left = np.divide(f, -np.log1p(-f), out=np.ones_like(f), where=f > 0)
    spread = np.where(is_open, np.maximum(even * left, 1 / np.maximum(total, 1)), 0.0)
    a = a[..., 0]
    v = np.maximum.reduce([raw, (1 - f) * a * (1 - a) * even, (spread / 10) ** 2])  # answers all alike are no census
    return Evidence(
        N=0.0,  # how many units there are is in v and spread: here it differs between replicates
        n=units,
        p=share,
        raw=np.where(is_open, raw, 0.0),
        v=np.where(is_open, np.where(seen, v, 0.25), 0.0),
        df=np.full(units.shape, 1e6),
        spread=spread,
        ordered=np.zeros(units.shape, dtype=np.bool_),
        unlabeled=np.zeros(units.shape),
    )


def fill_empty_gold(tally: Tally, gold: GoldTally) -> tuple[Tally, GoldTally]:
    """`fill_empty`, the gold answers counted by the same groups (one study, no replicates): a group without a label has no gold either."""
    filled = fill_empty(tally)
    if filled is tally:
        return tally, gold
    open_groups = (tally.n > 0) & (tally.n < tally.N)
    joins = (tally.n == 0) & np.array([bool((open_groups & (tally.flagged == side)).any()) for side in tally.flagged])
    return filled, gold.of_groups(~joins)


def missing_gold(metric: Metric, tally: Tally, gold: GoldTally) -> str | None:
    """Why the metric cannot be corrected, and the way out (one study); None if it can."""
    for is_flagged, needed, side in ((True, metric.needs_flagged, "flagged"), (False, metric.needs_unflagged, "unflagged")):
        mine = tally.flagged == is_flagged
        labels = int(tally.n[mine].sum())
        if needed and labels and not (gold.yes + gold.no)[mine].any():
            few = min(labels, max(FEWEST, math.ceil(USUAL_SHARE * labels)))
            return f"none of the {labels:,} labeled {side} units is adjudicated: adjudicate {few:,} of them, chosen at random"
    return None


def gold_needed(*, labels: int, told_yes: float, true_of_yes: float, true_of_no: float, inflation: float) -> int:
    """How many of a side's labeled units to adjudicate so that the interval is `inflation` times as wide as with perfect labels.

        V1 = p (1 - p) / n,   R = P(yes) a (1 - a) + P(no) b (1 - b),   p = P(yes) a + P(no) b
        V1 + R (1/m - 1/n) = inflation^2 V1

    labels       n, on this side                            told_yes     P(yes): share of noisy yes
    true_of_yes  a: share of gold yes among noisy yes       true_of_no   b: share of gold yes among noisy no

    An approximation: equal expansions, and enough gold answers to see errors at all. At least FEWEST, at most all labels.
    """
    if labels < 1 or inflation <= 1 or not all(0 <= x <= 1 for x in (told_yes, true_of_yes, true_of_no)):
        raise PlanError(
            f"labels must be at least 1, inflation above 1 and the shares in [0, 1], got {labels}, {inflation:g}, {told_yes:g}, "
            f"{true_of_yes:g}, {true_of_no:g}: an inflation of 1.5 is usual"
        )
    a, b = true_of_yes, true_of_no
    p = told_yes * a + (1 - told_yes) * b
    R = told_yes * a * (1 - a) + (1 - told_yes) * b * (1 - b)
    few = R * labels / ((inflation**2 - 1) * p * (1 - p) + R) if R > 0 else 0.0
    return min(labels, max(FEWEST, math.ceil(few - 1e-9)))
