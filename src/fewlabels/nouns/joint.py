"""Metrics of several labels or classes evaluated together. Their totals have one entry per classifier on the last axis.

    micro[f1]      the metric of the summed totals
    macro[f1]      the mean of the classifiers' own metrics
    weighted[f1]   their mean, weighted by the number of units that truly have each label or class
    f1_of_averages the harmonic mean of macro[precision] and macro[recall]: what some papers call macro F1
    class_accuracy the share of units given their true class (several classes, one answer)

A metric is undefined where one of its parts is: the value for a class without a known unit is unknown, not zero.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Metric, Totals, over

Functions = tuple[Callable[[Totals], FloatArray], Callable[[Totals], Totals]]
Average = Literal["micro", "macro", "weighted"]
AVERAGES: tuple[Average, ...] = ("micro", "macro", "weighted")
JOINT_PARTS = ("precision", "recall", "f1")  # what is shown of each average beside the goals


def averaged(average: Average, part: Metric) -> Metric:
    """The average of a metric over several classifiers."""
    value, gradient = {"micro": _micro, "macro": _macro, "weighted": _weighted}[average](part)
    needs = average == "weighted" or part.needs_unflagged
    name = f"{average}[{part.name}]"
    return Metric(
        name=name, value=value, gradient=gradient, low=part.low, high=part.high, needs_unflagged=needs, joint=True, better=part.better
    )


def _micro(part: Metric) -> Functions:
    def summed(t: Totals) -> Totals:
        return Totals(*(np.asarray(x.sum(-1)) for x in t))

    def value(t: Totals) -> FloatArray:
        return part.value(summed(t))

    def gradient(t: Totals) -> Totals:
        slopes = part.gradient(summed(t))
        return Totals(*(np.broadcast_to(g[..., None], x.shape) for g, x in zip(slopes, t, strict=True)))

    return value, gradient


def _macro(part: Metric) -> Functions:
    def value(t: Totals) -> FloatArray:
        return np.asarray(part.value(t).mean(-1))

    def gradient(t: Totals) -> Totals:
        return Totals(*(g / t.TP.shape[-1] for g in part.gradient(t)))

    return value, gradient


def _weighted(part: Metric) -> Functions:
    def shares(t: Totals) -> FloatArray:
        true = t.TP + t.FN
        return over(true, true.sum(-1)[..., None])

    def value(t: Totals) -> FloatArray:
        return np.asarray((shares(t) * part.value(t)).sum(-1))

    def gradient(t: Totals) -> Totals:
        share, own = shares(t), part.value(t)
        by_share = over(own - value(t)[..., None], (t.TP + t.FN).sum(-1)[..., None])  # a further true unit of a class shifts the shares
        slopes = part.gradient(t)
        return Totals(share * slopes.TP + by_share, share * slopes.FP, share * slopes.FN + by_share, share * slopes.TN)

    return value, gradient


def _class_accuracy() -> Metric:
    def value(t: Totals) -> FloatArray:
        return over(t.TP.sum(-1), (t.TP + t.FP + t.FN + t.TN)[..., 0])

    def gradient(t: Totals) -> Totals:
        N = t.TP + t.FP + t.FN + t.TN
        one, zero = over(np.ones_like(t.TP), N), np.zeros_like(t.TP)
        return Totals(one, zero, zero, zero)

    return Metric(name="class_accuracy", value=value, gradient=gradient, joint=True, needs_unflagged=False)


def f1_of_averages(precision: Metric, recall: Metric) -> Metric:
    """2 P R / (P + R) of the macro-averaged precision P and recall R.

    Source: Yilmaz, Hayes, Habib, Burgess & Barber 2021, "Sample efficient model evaluation", eq. 102. macro[f1], the mean of the classes'
    own F1, is never larger.
    """
    parts = [_macro(part) for part in (precision, recall)]

    def value(t: Totals) -> FloatArray:
        P, R = (of_part(t) for of_part, _ in parts)
        return over(2 * P * R, P + R)

    def gradient(t: Totals) -> Totals:
        (P, R), (p, r) = (of_part(t)[..., None] for of_part, _ in parts), (slopes(t) for _, slopes in parts)
        return Totals(*(over(2 * (R * R * by_p + P * P * by_r), (P + R) ** 2) for by_p, by_r in zip(p, r, strict=True)))

    return Metric(name="f1_of_averages", value=value, gradient=gradient, joint=True)


CLASS_ACCURACY = _class_accuracy()
