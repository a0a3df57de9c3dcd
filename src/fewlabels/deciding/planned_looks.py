"""Looks planned before the first label, at most ten, that together err no more often than a single look: O'Brien-Fleming.

The estimates at the looks, each divided by its standard error and times the root of its information t, behave as a Brownian motion B:
what a later look adds is independent of what was seen. O'Brien and Fleming use the same boundary c for B at every look:

    P(|B(t_l)| >= c at some look) = error (two-sided),       P(B(t_l) >= c at some look) = error (one-sided)
    tail of look l = P(normal >= c / sqrt(t_l))

Early looks spend almost nothing, the last almost all. c is found by integrating the density of the paths that have not crossed, look
by look. t is the information of a look as a share of the last one's: n_l / n_L; for a frame of N units, n_l (N - n_L) / (n_L (N - n_l)).
The interval of a look uses the first n_l units of the asking order. Only for metrics whose denominator needs no label: those are
means, and nearly normal. Source: O'Brien & Fleming 1979; Jennison & Turnbull 2000. Derivation: docs/maths/planned-looks.md.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, sqrt
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.works_with import require

MOST_LOOKS, USUAL_LOOKS = 10, 5
SMALLEST_TAIL = 1e-12  # the smallest tail of an interval; rarer crossings are not integrated
FAR = 9.0  # standard deviations beyond which the density is neglected
CLOSEST = 1e-3  # the least difference in information between two looks, as a share of the last one's
NODES = 3.0  # integration points per standard deviation of the shortest step
Sides = Literal[1, 2]
SIDES: tuple[Sides, Sides] = (2, 1)


class PlannedLook(NamedTuple):
    """One planned look.

    number       counted from 1
    labels       how many units of the asking order it uses
    information  as a share of the last look's
    two_sided    the share of the error 1 - level that its interval spends
    one_sided    the share that its one-sided bounds spend, which settle targets
    """

    number: int
    labels: int
    information: float
    two_sided: float
    one_sided: float

    def tails(self, level: float = DEFAULT_LEVEL) -> tuple[float, float]:
        """The tail of each end of the interval, and of a one-sided bound."""
        return (1 - level) * self.two_sided / 2, (1 - level) * self.one_sided


def planned_looks(
    budget: int,
    *,
    looks: int | Sequence[float] = USUAL_LOOKS,
    level: float = DEFAULT_LEVEL,
    frame: int | None = None,
    fewest: int = 1,
) -> tuple[PlannedLook, ...]:
    """The looks for a budget and what each may spend. `looks` is their number, evenly spaced, or fractions of the budget ending in 1.

    frame    units the draw can hold; None if the budget is a negligible part of them. A last look at all of them is exact and never errs:
             its shares are given as 1, and the information of the others is relative to the last look before it
    fewest   labels before which no interval can be shown: those that give every band its smallest take
    """
    sizes = look_sizes(budget, looks)
    if sizes[0] < fewest:
        raise PlanError(
            f"the first look needs at least {fewest:,} labels to give every band its minimum, but has only {sizes[0]:,}: "
            "plan fewer looks, or a larger budget"
        )
    if not 0.5 <= level < 1:
        raise PlanError(f"a level must lie in [0.5, 1), got {level:g}: 0.95 is usual")
    open_sizes = sizes[:-1] if sizes[-1] == frame else sizes  # a census is exact: the looks before it share the error
    t = information(open_sizes, frame)
    two, one = (np.maximum(tails_of(t, 1 - level, sides), SMALLEST_TAIL) for sides in SIDES)
    spent = [*np.stack([t, 2 * two / (1 - level), one / (1 - level)], axis=1).tolist(), [1.0, 1.0, 1.0]]
    return tuple(PlannedLook(i + 1, n, *row) for i, (n, row) in enumerate(zip(sizes, spent, strict=False)))


def look_sizes(budget: int, looks: int | Sequence[float] = USUAL_LOOKS) -> tuple[int, ...]:
    """The labels at each look, rounded up; the last is the budget."""
    many = looks if isinstance(looks, int) else len(looks)
    if not 1 <= many <= MOST_LOOKS:
        raise PlanError(
            f"the number of looks must be 1 to {MOST_LOOKS}, got {many}: to look as often as you like, stop by decision or width"
        )
    parts = [(i + 1) / many for i in range(many)] if isinstance(looks, int) else list(looks)
    if sorted(set(parts)) != parts or not parts[0] > 0 or parts[-1] != 1:
        raise PlanError(f"looks must be at increasing fractions of the budget, the last being 1, got {parts}: write 0.25, 0.5, 1")
    sizes = tuple(ceil(part * budget - 1e-9) for part in parts)
    if len(set(sizes)) < many:
        raise PlanError(f"every look needs labels of its own, but {many} looks at a budget of {budget:,} are at {sizes}: plan fewer")
    return sizes


def information(sizes: Sequence[int], frame: int | None = None) -> FloatArray:
    """The information of each look, one over its variance, as a share of the last one's; the last must not be a census.

    A draw without replacement of n from N has a variance in proportion to 1/n - 1/N.
    """
    n = np.asarray(sizes, dtype=np.float64)
    if frame is None or not n.size:
        return np.asarray(n / n[-1:])
    if n[-1] >= frame:
        raise PlanError(
            f"a look before a census must hold fewer than all {frame:,} units, but it is planned at {sizes[-1]:,}: lower the budget"
        )
    return np.asarray(n / n[-1] * (1 - n[-1] / frame) / (1 - n / frame))


def tails_of(t: FloatArray, error: float, sides: Sides) -> FloatArray:
    """The one-sided tail at each look; with two sides, that of each end."""
    return np.asarray(ndtr(-boundaries(t, error, sides)))


def boundaries(t: FloatArray, error: float, sides: Sides) -> FloatArray:
    """How many standard errors the estimate may be off at each look: c / sqrt(t)."""
    if not t.size:
        return t
    return np.asarray(height(tuple(float(x) for x in t), error, sides) / np.sqrt(t))


@lru_cache(maxsize=256)
def height(t: tuple[float, ...], error: float, sides: Sides) -> float:
    """The boundary c that the motion reaches at some look with probability `error`, on either side or on one."""
    from scipy.optimize import brentq  # takes a fifth of a second to import, needed only for planned looks

    low, high = (float(ndtri(1 - error / (sides * looks))) for looks in (1, len(t)))  # only the last look; Bonferroni
    if len(t) == 1:
        return low
    return float(brentq(lambda c: crossing(c, t, sides) - error, low, high + 1e-9, xtol=1e-10))


def crossing(c: float, t: Sequence[float], sides: Sides) -> float:
    """The probability that B(t_l), or |B(t_l)| with two sides, reaches c at some look.

    Integrates the density of the paths still inside, at Gauss-Legendre points: f_1 is normal, and

        f_l+1(x) = integral over the inside of f_l(u) normal density of x - u with variance t_l+1 - t_l
    """
    kept = [x for x in t if ndtr(-c / sqrt(x)) >= SMALLEST_TAIL / 1e3]  # before that nothing ever crosses
    steps = np.diff([0.0, *kept])
    if (steps < CLOSEST * kept[-1]).any():
        raise PlanError(f"two looks have almost equal information, {[round(x, 4) for x in t]}: plan fewer looks, or further apart")
    bottom = -c if sides == 2 else -FAR * sqrt(kept[-1])
    points, weights = np.polynomial.legendre.leggauss(ceil(60 + NODES * (c - bottom) / sqrt(float(steps[1:].min(initial=1.0)))))
    x, w = bottom + (points + 1) * (c - bottom) / 2, weights * (c - bottom) / 2
    f = _normal(x, float(steps[0]))
    for step in steps[1:]:
        f = _normal(x[:, None] - x, float(step)) @ (w * f)
    return 1 - float((w * f).sum())


def _normal(x: FloatArray, variance: float) -> FloatArray:
    """The density of a normal distribution with mean 0."""
    return np.asarray(np.exp(-(x**2) / (2 * variance)) / sqrt(2 * np.pi * variance))


def due(looks: Sequence[PlannedLook], labels: int) -> PlannedLook | None:
    """The last look that `labels` labels allow, which uses only its own first labels; None before the first."""
    return max((look for look in looks if look.labels <= labels), default=None)


def promise_of(looks: Sequence[PlannedLook], level: float = DEFAULT_LEVEL) -> str:
    """What the looks guarantee, in words."""
    at = ", ".join(f"{look.labels:,}" for look in looks)
    if len(looks) == 1:
        return f"one look, at {at} labels: the interval holds at its level"
    return (
        f"{len(looks)} looks were planned before the first label, at {at} labels (O'Brien-Fleming): the intervals of all of them "
        f"hold together in {level:.4g} of studies, and so do the bounds; no look may be added"
    )


def refuse_unplannable(metric: Metric, *, adaptive: bool = False) -> None:
    """Raise PlanError if the metric's denominator is itself estimated from labels, or the draw learns from labels."""
    terms = metric.terms
    known = bool(terms) and terms[0][1] == terms[1][1] and terms[2][1] == terms[3][1]
    require("planned looks", metric.traits, subject=f"{metric.name} is")
    if not known:
        raise PlanError(
            f"planned looks are for metrics whose denominator is known without labels, such as precision and accuracy, and for "
            f"differences of these, got {metric.name}: stop by decision or width (confidence sequences), or plan one look"
        )
    if adaptive:
        raise PlanError(
            "planned looks are for draws that are fixed before the first label, but this one learns from labels: stop by decision or "
            "width (confidence sequences)"
        )
