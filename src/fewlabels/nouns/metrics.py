"""The metrics, looked up by name. To add a metric, add an entry to METRICS and to the list of properties in its test."""

import re
from dataclasses import replace
from functools import lru_cache

import numpy as np

from fewlabels.errors import GoalError
from fewlabels.nearest import nearest
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.joint import AVERAGES, CLASS_ACCURACY, averaged, f1_of_averages
from fewlabels.nouns.metric import Coefficients, Metric, Totals, combination, gap_of, over, ratio

#                                            numerator      denominator
#                                            TP FP FN TN    TP FP FN TN
PRECISION = ratio("precision",              (1, 0, 0, 0),  (1, 1, 0, 0))  # fmt: skip
RECALL = ratio("recall",                    (1, 0, 0, 0),  (1, 0, 1, 0))  # fmt: skip
ACCURACY = ratio("accuracy",                (1, 0, 0, 1),  (1, 1, 1, 1))  # fmt: skip
PREVALENCE = ratio("prevalence",            (1, 0, 1, 0),  (1, 1, 1, 1), better="neither")  # fmt: skip
SPECIFICITY = ratio("specificity",          (0, 0, 0, 1),  (0, 1, 0, 1))  # fmt: skip
NPV = ratio("negative_predictive_value",    (0, 0, 0, 1),  (0, 0, 1, 1))  # fmt: skip
FALSE_POSITIVE_RATE = ratio("false_positive_rate", (0, 1, 0, 0),  (0, 1, 0, 1), better="lower")  # fmt: skip
FALSE_OMISSION_RATE = ratio("false_omission_rate", (0, 0, 1, 0),  (0, 0, 1, 1), better="lower")  # fmt: skip
F1_NEGATIVE = ratio("f1_negative",          (0, 0, 0, 2),  (0, 1, 1, 2))  # fmt: skip
JACCARD = ratio("jaccard",                  (1, 0, 0, 0),  (1, 1, 1, 0))  # fmt: skip


def plain(number: float) -> str:
    """Format a number in positional notation that reads back to the same value: 0.00005, never 5e-05."""
    return np.format_float_positional(number, trim="-")


def f_beta(beta: float) -> Metric:
    """The weighted harmonic mean of precision and recall: (1 + b2) TP / ((1 + b2) TP + b2 FN + FP) with b2 = beta^2."""
    b2 = beta * beta
    if not 0 < b2 < np.inf:
        raise GoalError(f"beta of an F metric and its square must be positive and finite, got {beta}: use f1 for equal weight")
    return ratio(f"f{plain(beta)}", (1 + b2, 0, 0, 0), (1 + b2, 1, b2, 0))


F1 = f_beta(1)
MACRO_F1 = combination("macro_f1", [(0.5, F1), (0.5, F1_NEGATIVE)])
BALANCED_ACCURACY = combination("balanced_accuracy", [(0.5, RECALL), (0.5, SPECIFICITY)])
INFORMEDNESS = combination("informedness", [(1, RECALL), (1, SPECIFICITY)], constant=-1, low=-1.0)


def _weighted_f1() -> Metric:
    """F1 of both classes, each weighted by its share of the units."""

    def value(t: Totals) -> FloatArray:
        share = PREVALENCE.value(t)
        return np.asarray(share * F1.value(t) + (1 - share) * F1_NEGATIVE.value(t))

    def gradient(t: Totals) -> Totals:
        share, difference = PREVALENCE.value(t), F1.value(t) - F1_NEGATIVE.value(t)
        parts = zip(PREVALENCE.gradient(t), F1.gradient(t), F1_NEGATIVE.gradient(t), strict=True)
        return Totals(*(np.asarray(p * difference + share * f + (1 - share) * g) for p, f, g in parts))

    return Metric(name="weighted_f1", value=value, gradient=gradient)


def _kappa() -> Metric:
    """Cohen's kappa: 2 (TP TN - FN FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))."""

    def parts(t: Totals) -> tuple[FloatArray, FloatArray]:
        return 2 * (t.TP * t.TN - t.FN * t.FP), (t.TP + t.FP) * (t.FP + t.TN) + (t.TP + t.FN) * (t.FN + t.TN)

    def value(t: Totals) -> FloatArray:
        return over(*parts(t))

    def gradient(t: Totals) -> Totals:
        C, D = parts(t)
        tops = (2 * t.TN, -2 * t.FN, -2 * t.FP, 2 * t.TP)
        flagged, unflagged = t.TP + t.FP, t.FN + t.TN
        positive, negative = t.TP + t.FN, t.FP + t.TN
        bottoms = (negative + unflagged, flagged + negative, unflagged + positive, flagged + positive)
        return Totals(*(over(c * D - d * C, D * D) for c, d in zip(tops, bottoms, strict=True)))

    return Metric(name="kappa", value=value, gradient=gradient, low=-1.0)


def _mcc() -> Metric:
    """Matthews' correlation: (TP TN - FP FN) / sqrt of the product of the four margins; undefined where a margin is 0."""

    def margins(t: Totals) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        return t.TP + t.FP, t.FN + t.TN, t.TP + t.FN, t.FP + t.TN

    def value(t: Totals) -> FloatArray:
        root = np.asarray(1.0)
        for margin in margins(t):  # one root at a time, as in the gradient
            root = root * np.sqrt(np.maximum(margin, 0))
        return np.clip(over(t.TP * t.TN - t.FP * t.FN, root), -1, 1)

    def gradient(t: Totals) -> Totals:
        flagged, unflagged, positive, negative = margins(t)
        theta = value(t)
        root = np.sqrt(np.maximum(flagged, 0)) * np.sqrt(np.maximum(unflagged, 0)) * np.sqrt(np.maximum(positive, 0))
        root = root * np.sqrt(np.maximum(negative, 0))
        one = np.ones_like(theta)

        def slope(top: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
            return np.asarray(over(top, root) - theta / 2 * (over(one, first) + over(one, second)))

        return Totals(
            slope(t.TN, flagged, positive),
            slope(-t.FN, flagged, negative),
            slope(-t.FP, unflagged, positive),
            slope(t.TP, unflagged, negative),
        )

    return Metric(name="mcc", value=value, gradient=gradient, low=-1.0)


def cost(tp: float, fp: float, fn: float, tn: float) -> Metric:
    """The mean cost per unit, given the cost of each outcome: cost[0,1,5,0] if a miss costs as much as five false alarms."""
    costs: Coefficients = (tp + 0.0, fp + 0.0, fn + 0.0, tn + 0.0)  # no -0.0, which would be a second name
    if not (np.isfinite(costs).all() and np.isfinite(max(costs) - min(costs))):
        raise GoalError(f"costs of tp, fp, fn, tn must be finite, got {costs}: write cost[0,1,5,0]")
    if tp == fp and fn == tn:  # the sizes of the sides are known before any label
        raise GoalError(f"costs of {costs} do not depend on the labels: let tp and fp differ, or fn and tn, as in cost[0,1,5,0]")
    name = f"cost[{','.join(plain(c) for c in costs)}]"
    return ratio(name, costs, (1, 1, 1, 1), low=min(costs), high=max(costs), better="lower")


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        PRECISION,
        RECALL,
        F1,
        ACCURACY,
        PREVALENCE,
        SPECIFICITY,
        NPV,
        FALSE_POSITIVE_RATE,
        FALSE_OMISSION_RATE,
        F1_NEGATIVE,
        MACRO_F1,
        _weighted_f1(),
        BALANCED_ACCURACY,
        INFORMEDNESS,
        _mcc(),
        _kappa(),
        JACCARD,
    )
}
JOINT: dict[str, Metric] = {metric.name: metric for metric in (CLASS_ACCURACY, f1_of_averages(PRECISION, RECALL))}
COMMON = ("precision", "recall", "f1", "accuracy", "prevalence")  # shown to people beside the goals


ALIASES = {  # other names people use, spaces and hyphens written as _
    "sensitivity": "recall",
    "tpr": "recall",
    "true_positive_rate": "recall",
    "hit_rate": "recall",
    "detection_rate": "recall",
    "ppv": "precision",
    "positive_predictive_value": "precision",
    "npv": "negative_predictive_value",
    "tnr": "specificity",
    "true_negative_rate": "specificity",
    "selectivity": "specificity",
    "fpr": "false_positive_rate",
    "false_alarm_rate": "false_positive_rate",
    "fall_out": "false_positive_rate",
    "fallout": "false_positive_rate",
    "elusion": "false_omission_rate",
    "base_rate": "prevalence",
    "positive_rate": "prevalence",
    "positive_share": "prevalence",
    "share_of_positives": "prevalence",
    "f_score": "f1",
    "f_measure": "f1",
    "dice": "f1",
    "f1_macro": "macro_f1",
    "f1_weighted": "weighted_f1",
    "youden": "informedness",
    "youdens_j": "informedness",
    "matthews_correlation": "mcc",
    "matthews_correlation_coefficient": "mcc",
    "cohen_kappa": "kappa",
    "cohens_kappa": "kappa",
    "iou": "jaccard",
}
OPPOSITES = {  # one minus a metric, which is asked for instead
    "fnr": "recall",
    "false_negative_rate": "recall",
    "miss_rate": "recall",
    "fdr": "precision",
    "false_discovery_rate": "precision",
    "error": "accuracy",
    "error_rate": "accuracy",
    "misclassification_rate": "accuracy",
}
LONG_ENOUGH = 5  # letters of a name before a typo in it can be told
OFFERED = {  # beside the names themselves, to those who misspell one
    **{alias: metric for alias, metric in ALIASES.items() if len(alias) >= LONG_ENOUGH},
    "micro_f1": "micro[f1]",
}


def spelled(name: str) -> str:
    """A metric's name in lower case, with _ for spaces and hyphens, and without apostrophes, "score" or "measure" at its end."""
    found = re.sub(r"[\s_-]+", "_", name.strip().lower().replace("'", ""))
    return re.sub(r"(?<=\d)_(?:score|measure)$", "", found)


def without_alias(name: str) -> str:
    """The metric's own name where it is called by another one; any other name as it is, in its capitals.

    Examples:
        >>> without_alias("true positive rate"), without_alias("PPV by amount"), without_alias("f2")
        ('recall', 'precision by amount', 'f2')
    """
    head = name.partition(" by ")[0]
    return name if _is_own(head.strip().lower()) else metric_named(name).name


def _is_own(key: str) -> bool:
    """Whether a name in lower case is a metric's own, not an alias."""
    if match := re.fullmatch(r"(?:micro|macro|weighted)\[([^\[\]]+)\]", key):
        return _is_own(match[1])
    return key in METRICS or key in JOINT or re.fullmatch(r"f[0-9]*\.?[0-9]+|cost\[.*\]", key) is not None


_GAP = re.compile(r"\s*(?P<of>\S.*?)\s+gap\s+(?:by|across|between)\s+(?P<column>\S(?:.*\S)?)\s*")


@lru_cache(maxsize=256)
def metric_named(name: str) -> Metric:
    """The metric with that name or alias; f2, cost[tp,fp,fn,tn], "recall by COLUMN" and "recall gap by COLUMN" are made on request."""
    if match := _GAP.fullmatch(name):
        return _gap_between(name, match["column"], metric_named(match["of"]))
    if match := re.fullmatch(r"\s*(\S(?:.*?\S)??)\s+by\s+(\S(?:.*\S)?)\s*", name):
        return _weighted_by(name, match[2], metric_named(match[1]))
    key, alike = name.strip().lower(), spelled(name)
    if found := METRICS.get(ALIASES.get(alike, alike)) or JOINT.get(alike):
        return found
    if match := re.fullmatch(r"(micro|macro|weighted)\[([^\[\]]+)\]", key):
        return _averaged(name, match[1], metric_named(match[2]))
    if match := re.fullmatch(r"f([0-9]*\.?[0-9]+)", alike):
        return f_beta(float(match[1]))
    if match := re.fullmatch(r"cost\[([^\]]*)\]", key):
        return _cost_of(name, match[1])
    if alike in OPPOSITES:
        raise GoalError(f"no metric {name!r}: it is 1 - {OPPOSITES[alike]}, so ask for {OPPOSITES[alike]}")
    raise GoalError(f"no metric {name!r}: {_instead(alike)}")


def _instead(alike: str) -> str:
    """The nearest metrics to a name that is none; else the common ones and where the others are listed."""
    if re.search(r"(?:\b|_)gap\b", alike):
        return "a gap is between the values of a slice column, so write it like 'recall gap by country'"
    own = {**{metric: metric for metric in (*METRICS, *JOINT)}, **OFFERED}
    close = list(dict.fromkeys(own[one] for one in nearest(alike, own)))
    return f"did you mean {' or '.join(close)}?" if close else f"use {', '.join(COMMON)}, or another that `fewlabels estimate --all` shows"


def _cost_of(name: str, costs: str) -> Metric:
    try:
        tp, fp, fn, tn = (float(text) for text in costs.split(","))
    except ValueError:
        raise GoalError(f"a cost must be written cost[tp,fp,fn,tn] with four numbers, got {name!r}: write cost[0,1,5,0]") from None
    return cost(tp, fp, fn, tn)


def _weighted_by(name: str, column: str, counted: Metric) -> Metric:
    """The metric by a weight column; raise GoalError for a metric of several labels or classes, or one that already has a column."""
    if counted.traits:
        raise GoalError(f"only a metric of one classifier can be weighted, and by only one column, got {name!r}: write 'recall by amount'")
    return replace(counted, name=f"{counted.name} by {column}", weight=column)


def _gap_between(name: str, column: str, part: Metric) -> Metric:
    """The gap of a metric between slices; raise GoalError for one that does not count the units of one classifier."""
    if part.traits:
        raise GoalError(f"a gap must be of a metric that counts the units of one classifier, got {name!r}: write 'recall gap by country'")
    return gap_of(part, column)


def _averaged(name: str, average: str, part: Metric) -> Metric:
    """The average over labels or classes; raise GoalError for an average or a metric by a column, which cannot be averaged."""
    if part.traits:
        raise GoalError(f"an average must be of a metric that counts the units of one classifier, got {name!r}: write macro[f1]")
    return averaged(next(a for a in AVERAGES if a == average), part)
