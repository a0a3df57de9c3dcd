"""The type of a metric: a smooth function of the four totals TP, FP, FN, TN, with its gradient.

All functions take and return arrays and broadcast; where a metric is undefined (0/0) they return NaN. The metrics themselves are in
`metrics`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.works_with import Trait

Better = Literal["higher", "lower", "neither"]
Coefficients = tuple[float, float, float, float]


class Totals(NamedTuple):
    """The numbers of true and false positives and negatives of one classifier in the population."""

    TP: FloatArray
    FP: FloatArray
    FN: FloatArray
    TN: FloatArray

    @classmethod
    def of_sides(cls, A: FloatArray, B: FloatArray, *, N1: float | FloatArray, N0: float | FloatArray) -> "Totals":
        """From the positives among flagged (A) and unflagged (B) units and the known sizes of the two sides."""
        return cls(A, N1 - A, B, N0 - B)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of one or several classifiers.

    name             its one name in code, goals, JSON and prose
    value            totals -> the metric
    gradient         totals -> its derivative by TP, FP, FN, TN
    low, high        its range
    needs_flagged, needs_unflagged   False where the other side alone determines it
    joint            whether it combines several classifiers; totals then have one entry per classifier on the last axis
    weight           the column that is summed instead of counting units, as in "precision by amount"; None if units are counted
    better           which values are better: lower for errors and costs, neither for a metric that judges nothing
    terms            for a ratio of two sums of totals: the coefficients of TP, FP, FN, TN in its numerator and denominator
    gap              for the largest difference between the values of a slice column: the column and the metric that differs; None for
                     a metric of the units together
    """

    name: str
    value: Callable[[Totals], FloatArray]
    gradient: Callable[[Totals], Totals]
    low: float = 0.0
    high: float = 1.0
    needs_flagged: bool = True
    needs_unflagged: bool = True
    joint: bool = False
    weight: str | None = None
    better: Better = "higher"
    terms: tuple[tuple[float, float], ...] = ()
    gap: "Gap | None" = None

    @property
    def traits(self) -> tuple[Trait, ...]:
        """The traits that set it apart from a metric that counts one classifier's units."""
        own = ((Trait.JOINT, self.joint), (Trait.WEIGHT, self.weight is not None), (Trait.GAP, self.gap is not None))
        return tuple(trait for trait, has in own if has)


class Gap(NamedTuple):
    """The largest difference of a metric between two values of a slice column."""

    column: str
    of: Metric


def over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient, NaN where the denominator is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64))
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0))


def ratio(name: str, top: Coefficients, bottom: Coefficients, *, low: float = 0.0, high: float = 1.0, better: Better = "higher") -> Metric:
    """A ratio of two sums of totals: most metrics are one.

        theta = (c . T) / (d . T),     dtheta/dT_j = sum_k (c_j d_k - d_j c_k) T_k / (d . T)^2

    A side is not needed if its totals enter neither sum, or enter both in such a way that its positives do not matter.
    """
    pairs = list(zip(top, bottom, strict=True))

    def value(t: Totals) -> FloatArray:
        return over(_dot(top, t), _dot(bottom, t))

    def gradient(t: Totals) -> Totals:
        D = _dot(bottom, t)
        return Totals(*(over(_dot([c * e - d * b for b, e in pairs], t), D * D) for c, d in pairs))

    return Metric(
        name=name,
        value=value,
        gradient=gradient,
        low=low,
        high=high,
        needs_flagged=pairs[0] != pairs[1],
        needs_unflagged=pairs[2] != pairs[3],
        better=better,
        terms=tuple(pairs),
    )


def combination(name: str, parts: Sequence[tuple[float, Metric]], *, constant: float = 0.0, low: float = 0.0) -> Metric:
    """A weighted sum of metrics plus a constant; undefined where a part is."""

    def value(t: Totals) -> FloatArray:
        return np.asarray(constant + sum(weight * metric.value(t) for weight, metric in parts))

    def gradient(t: Totals) -> Totals:
        each = [(weight, metric.gradient(t)) for weight, metric in parts]
        return Totals(*(np.asarray(sum(weight * g[j] for weight, g in each)) for j in range(4)))

    return Metric(name=name, value=value, gradient=gradient, low=low)


def gap_of(metric: Metric, column: str) -> Metric:
    """The largest difference of a metric between two values of a slice column. The totals of all units do not determine it: NaN."""

    def value(t: Totals) -> FloatArray:
        return np.full(np.shape(t.TP), np.nan)

    def gradient(t: Totals) -> Totals:
        return Totals(*(np.full(np.shape(total), np.nan) for total in t))

    return replace(
        metric, name=f"{metric.name} gap by {column}", value=value, gradient=gradient, low=0.0, high=metric.high - metric.low,
        better="lower", terms=(), gap=Gap(column, metric),
    )  # fmt: skip


def _dot(coefficients: Sequence[float], t: Totals) -> FloatArray:
    """The sum of the totals with these coefficients; exact for totals that are whole numbers."""
    return np.asarray(sum(c * total for c, total in zip(coefficients, t, strict=True)))
