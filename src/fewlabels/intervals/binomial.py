"""Clopper-Pearson and Wilson: the limits of a share counted in a simple draw, x of m labels.

    Clopper-Pearson   lower = Beta^-1(alpha/2; x, m - x + 1),   upper = Beta^-1(1 - alpha/2; x + 1, m - x)
    Wilson            the p with |x/m - p| <= z sqrt(p (1 - p) / m)

A share counts the units of its domain that are inside: TP of TP + FP is precision. A metric may be a monotone function of one share:
f1 = 2u / (1 + u) with u = TP / (TP + FP + FN). Then its limits are those of the share, transformed. Both intervals use the counts as
they are: they ignore the known sizes of the sides and the finite population.
Formulas, sources and where they fail: docs/maths/baselines.md.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from fewlabels.errors import PlanError
from fewlabels.intervals.base import Interval, OfCounts
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.tally import Tally


class MetricShare(NamedTuple):
    """The share a metric is a function of: units counted `inside` among those inside and `outside`; by place in TP, FP, FN, TN."""

    metric: Metric
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    def counted(self, totals: Totals) -> tuple[FloatArray, FloatArray]:
        """How many units are inside (x), and how many the domain has (m)."""
        x = np.asarray(sum(totals[j] for j in self.inside))
        return x, np.asarray(x + sum(totals[j] for j in self.outside))

    def at(self, u: FloatArray) -> Totals:
        """Totals at which the share is u."""
        zero = np.zeros_like(u)
        return Totals(*(u if j == self.inside[0] else 1 - u if j == self.outside[0] else zero for j in range(4)))

    def value(self, u: FloatArray) -> FloatArray:
        """The metric if the share is u."""
        return self.metric.value(self.at(u))

    def slope(self, u: FloatArray) -> FloatArray:
        """The metric's derivative by the share."""
        gradient = self.metric.gradient(self.at(u))
        return np.asarray(gradient[self.inside[0]] - gradient[self.outside[0]])


def share_of(metric: Metric) -> MetricShare | None:
    """The share of which the metric is a monotone function; None if there is none.

    A ratio is one if its four totals enter in only two ways (or not at all):
    (c1 x + c0 (m - x)) / (d1 x + d0 (m - x)) is a monotone function of x / m.
    """
    ways = sorted({pair for pair in metric.terms if pair != (0, 0)}, reverse=True)
    if metric.weight is not None or len(ways) != 2:
        return None
    inside, outside = (tuple(j for j, pair in enumerate(metric.terms) if pair == way) for way in ways)
    return MetricShare(metric, inside, outside)


class Entering(NamedTuple):
    """Whether the labels of a side enter a metric as counted, also where only the size of the side matters, which counts do not know."""

    flagged: bool
    unflagged: bool


def entering(metric: Metric) -> Entering:
    """Which sides' labels enter the metric as counted: FN / n needs one side but counts the labels of both."""
    if not metric.terms:
        return Entering(metric.needs_flagged, metric.needs_unflagged)
    return Entering(*(any(pair != (0, 0) for pair in side) for side in (metric.terms[:2], metric.terms[2:])))


def is_simple(metric: Metric, tally: Tally) -> bool:
    """Whether the labels that enter the metric are one simple draw: from all units, or from the only group that enters."""
    counted = np.where(tally.flagged, *entering(metric))
    return tally.simple or int(counted.sum()) <= 1


def counted_share(metric: Metric, tally: Tally, kind: str) -> MetricShare:
    """The metric's share; raise PlanError if it has none, or the labels are not one simple draw."""
    share = share_of(metric)
    if share is None:
        raise PlanError(f"{kind} is for shares of a domain such as precision and f1, but {metric.name} is not one: use {USUAL_INTERVAL}")
    if not is_simple(metric, tally):
        raise PlanError(
            f"{kind} needs counts of a simple draw, but the labels of {metric.name} are from {tally.N.size} groups drawn separately: "
            f"use the simple design (--design simple), or the interval {USUAL_INTERVAL}"
        )
    return share


def counts_of(tally: Tally) -> Totals:
    """The labels themselves as totals."""
    k1, k0 = (tally.k[..., tally.flagged == side].sum(-1) for side in (True, False))
    n1, n0 = (tally.n[..., tally.flagged == side].sum(-1) for side in (True, False))
    return Totals(k1, n1 - k1, k0, n0 - k0)


def binomial(x: FloatArray, m: FloatArray, tail: float, *, limits: OfCounts) -> Limits:
    """The limits of a share with x of m labels inside; the whole range without labels."""
    low, high = limits(np.where(m > 0, x, 0.0), np.where(m > 0, m, 1.0), tail)
    return Limits(np.where(m > 0, low, 0.0), np.where(m > 0, high, 1.0))


def clopper_pearson(x: FloatArray, m: FloatArray, tail: float) -> Limits:
    """The exact limits: each is missed with probability at most `tail`. Source: Clopper & Pearson 1934, Biometrika 26:404."""
    none, all_of_them = x <= 0, x >= m
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, x), np.maximum(m - x, 0) + 1, tail))
    high = np.where(all_of_them, 1.0, betaincinv(x + 1, np.where(all_of_them, 1.0, m - x), 1 - tail))
    return Limits(low, high)


def wilson(x: FloatArray, m: FloatArray, tail: float) -> Limits:
    """The limits at which the score test just fails to reject. Source: Wilson 1927, JASA 22:209."""
    z = ndtri(1 - tail)
    p = x / m
    center = (x + z * z / 2) / (m + z * z)
    reach = z * np.sqrt(m * p * (1 - p) + z * z / 4) / (m + z * z)
    # at the ends the limit is the share itself, up to rounding
    return Limits(np.where(x <= 0, 0.0, np.clip(center - reach, 0, p)), np.where(x >= m, 1.0, np.clip(center + reach, p, 1)))


CLOPPER_PEARSON = Interval(name="clopper_pearson", of_counts=clopper_pearson)
WILSON = Interval(name="wilson", of_counts=wilson)
