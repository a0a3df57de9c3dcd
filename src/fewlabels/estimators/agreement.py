"""Agreement between labelers, and which answer counts if a unit has several. Agreement is never a correction: see docs/maths/gold.md.

Two answers to each unit give four shares, which are functions of three independent ones:

    D = P(the two differ)     c = P(yes | they agree)     s = P(first says yes | they differ)
    p11 = (1 - D) c,  p10 = D s,  p01 = D (1 - s),  p00 = (1 - D)(1 - c)

    observed = 1 - D,     kappa = 1 - D / E,     E = p1. (1 - p.1) + (1 - p1.) p.1
    AC1 = 1 - D / (1 - 2 m (1 - m)),             m = (p1. + p.1) / 2

Each of the three has Clopper-Pearson limits; the limits of a function of them are its extremes over the ellipsoid these span, which
generalizes MOVER to nonlinear functions. Derivation: docs/maths/agreement.md.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.errors import LabelError
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.label import UNANSWERED, Answer
from fewlabels.nouns.metric import over

TruthRule = Literal["first", "majority", "unanimous", "adjudicated"]
TRUTH_RULES: tuple[TruthRule, ...] = ("first", "majority", "unanimous", "adjudicated")
DIRECTIONS = 512  # in which the three shares are moved together, each half way and all the way
Shape = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


class RateWithLimits(NamedTuple):
    """A value with its limits; NaN if it is 0/0. Arrays over replicates."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


class Agreement(NamedTuple):
    """Agreement of two labelers on the units both answered; for more than two, means over pairs, with `units` summed over them."""

    units: FloatArray
    observed: RateWithLimits
    kappa: RateWithLimits
    ac1: RateWithLimits


def observed(D: FloatArray, c: FloatArray, s: FloatArray) -> FloatArray:
    """The share of units on which the two agree."""
    return np.asarray(1 - D + 0 * (c + s))


def kappa(D: FloatArray, c: FloatArray, s: FloatArray) -> FloatArray:
    """Cohen's kappa; NaN where both always say the same one thing. Source: Cohen 1960, Educational and Psychological Measurement 20:37."""
    first, second = (1 - D) * c + D * s, (1 - D) * c + D * (1 - s)
    return 1 - over(D, first * (1 - second) + (1 - first) * second)


def ac1(D: FloatArray, c: FloatArray, s: FloatArray) -> FloatArray:
    """Gwet's AC1. Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61:29."""
    mean = (1 - D) * c + D / 2 + 0 * s
    return np.asarray(1 - D / (1 - 2 * mean * (1 - mean)))


def agreement_of_counts(
    *, both_yes: FloatArray, first_only: FloatArray, second_only: FloatArray, both_no: FloatArray, tail: float, of: float | None = None
) -> Agreement:
    """Agreement from the four counts of units that two labelers both answered; leading axes are replicates.

    `of` is the number of units in all, of which the units answered twice are a simple draw. Each limit is missed with probability at
    most about `tail`; the width is 0 only if all `of` units were answered twice.
    """
    alike, apart = both_yes + both_no, first_only + second_only
    n = alike + apart
    if (n == 0).any():
        raise LabelError("agreement needs units that two labelers answered, but there is none: give some units to a second labeler")
    if of is not None and (n > of).any():
        raise LabelError(f"at most all {of:,.0f} units can be answered twice, but {n.max():,.0f} were counted: check `of`")
    more = np.ones_like(n) if of is None else _worth(n / of)
    parts = [(apart, n), (both_yes, alike), (first_only, apart)]
    limits = [_exact(x, size, more=more, tail=tail) for x, size in parts]
    at = [np.where(size > 0, x / np.maximum(size, 1), 0.5) for x, size in parts]
    rates = (_rate(shape, at, limits, low=low) for shape, low in ((observed, 0.0), (kappa, -1.0), (ac1, -1.0)))
    return Agreement(n, *rates)


def agreement(answers: Sequence[Sequence[Answer | None]], *, tail: float, of: float | None = None) -> Agreement:
    """Agreement of labelers: one row per unit, one column per labeler, None where a labeler did not answer.

    With more than two labelers, value and limits are means over all pairs, weighted by the units a pair shares. The mean of the limits
    is valid however the pairs are correlated, because a mean varies no more than its parts.
    """
    table = np.array([[_code(answer) for answer in row] for row in answers], dtype=np.float64)
    pairs = []
    for i, j in combinations(range(table.shape[1] if table.ndim > 1 else 0), 2):
        x, y = table[:, i], table[:, j]
        usable = np.isfinite(x) & np.isfinite(y)
        if usable.any():
            pairs.append(_of_answers(x[usable] == 1, y[usable] == 1, tail=tail, of=of))
    if not pairs:
        raise LabelError("agreement needs units that two labelers answered, but there is none: give some units to a second labeler")
    weight = np.array([float(pair.units) for pair in pairs])
    merged = (_mean([getattr(pair, name) for pair in pairs], weight) for name in ("observed", "kappa", "ac1"))
    return Agreement(np.asarray(weight.sum()) if len(pairs) > 1 else pairs[0].units, *merged)


def _code(answer: Answer | None) -> float:
    """1 for yes, 0 for no, NaN for none."""
    return np.nan if answer is None or answer in UNANSWERED else float(answer == "yes")


def _of_answers(x: BoolArray, y: BoolArray, *, tail: float, of: float | None) -> Agreement:
    """Agreement of two labelers from their answers."""
    counts = (np.asarray(float(part.sum())) for part in (x & y, x & ~y, ~x & y, ~x & ~y))
    both, first, second, none = counts
    return agreement_of_counts(both_yes=both, first_only=first, second_only=second, both_no=none, tail=tail, of=of)


def _mean(rates: Sequence[RateWithLimits], weight: FloatArray) -> RateWithLimits:
    """The means over pairs; that of the value over the pairs that have one."""
    value = np.array([rate.value for rate in rates])
    known = np.isfinite(value)
    low, high = (np.asarray(np.average([float(rate[i]) for rate in rates], weights=weight)) for i in (1, 2))
    return RateWithLimits(over(np.asarray(np.sum(np.where(known, value, 0) * weight)), np.asarray(np.sum(known * weight))), low, high)


def _worth(f: FloatArray) -> FloatArray:
    """-ln(1 - f) / f: the worth of a label in a finite population, see docs/maths/rare.md; infinite for a census."""
    inside = np.where(f < 1, f, 0.5)
    return np.where(f < 1, -np.log1p(-inside) / inside, np.inf)


def _exact(x: FloatArray, n: FloatArray, *, more: FloatArray, tail: float) -> Limits:
    """Clopper-Pearson limits for x of n, each unit worth `more`; the whole range without a unit, a point for a census."""
    from scipy.special import betaincinv  # a quarter of a second, which nobody waits for who only asks whose answer counts

    census = np.isinf(more)
    scale = np.where(census, 1.0, more)
    a, b = x * scale, (n - x) * scale
    low = np.where(a > 0, betaincinv(np.maximum(a, 1e-12), b + 1, tail), 0.0)
    high = np.where(b > 0, betaincinv(a + 1, np.maximum(b, 1e-12), 1 - tail), 1.0)
    point = np.where(n > 0, x / np.maximum(n, 1), 0.5)
    return Limits(np.where(census, point, low), np.where(census, point, high))


def _directions() -> FloatArray:
    """Directions spread evenly over the sphere (a Fibonacci lattice) and its six axes, at half and at full length: shape (M, 3)."""
    i = np.arange(DIRECTIONS) + 0.5
    height, turn = 1 - 2 * i / DIRECTIONS, np.pi * (1 + 5**0.5) * i
    flat = np.sqrt(1 - height**2)
    sphere = np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=1)
    whole = np.concatenate([sphere, np.eye(3), -np.eye(3)])
    return np.concatenate([whole, whole / 2])


def _rate(shape: Shape, at: Sequence[FloatArray], limits: Sequence[Limits], *, low: float) -> RateWithLimits:
    """The function at the three shares, and its extremes over the ellipsoid that their limits span.

    For a linear function this is MOVER. Kappa is nonlinear: moving one share at a time would miss how they interact.
    """
    value = shape(*at)
    moved = []
    for along, point, part in zip(_directions().T, at, limits, strict=True):
        step = along.reshape((-1,) + (1,) * value.ndim)
        moved.append(point + np.where(step > 0, step * (part.high - point), step * (point - part.low)))
    found = shape(*moved)
    known = np.isfinite(value)
    lowest, highest = np.fmin(np.fmin.reduce(found, axis=0), value), np.fmax(np.fmax.reduce(found, axis=0), value)
    return RateWithLimits(value, np.where(known, np.clip(lowest, low, 1), low), np.where(known, np.clip(highest, low, 1), 1.0))


def truth_of(answers: Sequence[Answer], rule: TruthRule, *, gold: Answer | None = None) -> Answer:
    """The answer that counts for one unit, from its answers in the order recorded; cannot_tell if the rule finds none.

    first        the first usable one: yes, no or the name of a class
    majority     the answer of more than half of the usable ones
    unanimous    the answer of all usable ones
    adjudicated  the gold answer, whatever it is; without one, the majority
    """
    if rule not in TRUTH_RULES:
        raise LabelError(f"a truth rule must be one of {', '.join(TRUTH_RULES)}, got {rule!r}: choose one of these")
    if rule == "adjudicated" and gold is not None:
        return gold
    usable = [answer for answer in answers if answer not in UNANSWERED]
    if not usable:
        return "cannot_tell"
    if rule == "first":
        return usable[0]
    says, voices = Counter(usable).most_common(1)[0]
    return says if voices >= (len(usable) if rule == "unanimous" else len(usable) // 2 + 1) else "cannot_tell"
