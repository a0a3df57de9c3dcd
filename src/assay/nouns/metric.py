"""Metrics: smooth functions of the four totals TP, FP, FN, TN, each with its gradient. A new metric is one more entry of METRICS.

All functions take and give arrays and broadcast; where a metric is undefined (0/0) they give NaN, never a number.

Main path: population > profile > [plan] > draw > labels > [estimate] > decision > report
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.errors import GoalError
from assay.nouns.arrays import FloatArray


class Totals(NamedTuple):
    """How many units of the population are true and false positives and negatives of one classifier."""

    TP: FloatArray
    FP: FloatArray
    FN: FloatArray
    TN: FloatArray

    @classmethod
    def of_sides(cls, A: FloatArray, B: FloatArray, *, N1: float, N0: float) -> "Totals":
        """From the positives among flagged (A) and unflagged (B) units and the known sizes of the two sides."""
        return cls(A, N1 - A, B, N0 - B)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A quantity people report.

    name             its one name in code, goals, JSON and prose
    value            totals -> the metric
    gradient         totals -> its derivative by TP, FP, FN, TN
    low, high        its range
    needs_unflagged  False where flagged units alone determine it
    """

    name: str
    value: Callable[[Totals], FloatArray]
    gradient: Callable[[Totals], Totals]
    low: float = 0.0
    high: float = 1.0
    needs_unflagged: bool = True


def _over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient, NaN where the denominator is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64))
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0))


def _precision(t: Totals) -> FloatArray:
    return _over(t.TP, t.TP + t.FP)


def _precision_gradient(t: Totals) -> Totals:
    flagged = t.TP + t.FP
    zero = np.zeros_like(flagged)
    return Totals(_over(t.FP, flagged**2), _over(-t.TP, flagged**2), zero, zero)


def _recall(t: Totals) -> FloatArray:
    return _over(t.TP, t.TP + t.FN)


def _recall_gradient(t: Totals) -> Totals:
    positive = t.TP + t.FN
    zero = np.zeros_like(positive)
    return Totals(_over(t.FN, positive**2), zero, _over(-t.TP, positive**2), zero)


def _accuracy(t: Totals) -> FloatArray:
    return _over(t.TP + t.TN, t.TP + t.FP + t.FN + t.TN)


def _accuracy_gradient(t: Totals) -> Totals:
    N = t.TP + t.FP + t.FN + t.TN
    right, wrong = _over(t.FP + t.FN, N**2), _over(-(t.TP + t.TN), N**2)
    return Totals(right, wrong, wrong, right)


def _prevalence(t: Totals) -> FloatArray:
    return _over(t.TP + t.FN, t.TP + t.FP + t.FN + t.TN)


def _prevalence_gradient(t: Totals) -> Totals:
    N = t.TP + t.FP + t.FN + t.TN
    positive, negative = _over(t.FP + t.TN, N**2), _over(-(t.TP + t.FN), N**2)
    return Totals(positive, negative, positive, negative)


def plain(number: float) -> str:
    """The shortest digits that read back as the number, without an exponent: goals and names are typed by people."""
    return np.format_float_positional(number, trim="-")


def f_beta(beta: float) -> Metric:
    """The weighted harmonic mean of precision and recall: (1 + b2) TP / ((1 + b2) TP + b2 FN + FP) with b2 = beta^2."""
    b2 = beta * beta
    if not 0 < b2 < np.inf:
        raise GoalError(f"beta of an F metric and its square must be positive and finite, but got {beta}: use f1 for equal weight")

    def value(t: Totals) -> FloatArray:
        return _over((1 + b2) * t.TP, (1 + b2) * t.TP + b2 * t.FN + t.FP)

    def gradient(t: Totals) -> Totals:
        D = (1 + b2) * t.TP + b2 * t.FN + t.FP
        return Totals(
            _over((1 + b2) * (b2 * t.FN + t.FP), D**2),
            _over(-(1 + b2) * t.TP, D**2),
            _over(-(1 + b2) * b2 * t.TP, D**2),
            np.zeros_like(D),
        )

    return Metric(name=f"f{plain(beta)}", value=value, gradient=gradient)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(name="precision", value=_precision, gradient=_precision_gradient, needs_unflagged=False),
        Metric(name="recall", value=_recall, gradient=_recall_gradient),
        f_beta(1),
        Metric(name="accuracy", value=_accuracy, gradient=_accuracy_gradient),
        Metric(name="prevalence", value=_prevalence, gradient=_prevalence_gradient),
    )
}


def metric_named(name: str) -> Metric:
    """The metric of that name; f2, f0.5 and the like are made as asked."""
    key = name.strip().lower()
    if key in METRICS:
        return METRICS[key]
    if match := re.fullmatch(r"f([0-9]*\.?[0-9]+)", key):
        return f_beta(float(match[1]))
    raise GoalError(f"no metric {name!r}: assay knows {', '.join(METRICS)} and f followed by a number, as f2 or f0.5")
