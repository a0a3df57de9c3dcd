"""Every metric that the sources of fewlabels name, under fewlabels' name."""

import numpy as np
import pytest

from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named

# testsampleR 0.1.0 (Tomas-Valiente 2025), manual, `do_metrics` and `stratified_metrics`: "The following metrics are supported"
TESTSAMPLER = {
    "precision": "precision",
    "recall": "recall",
    "F1 score for the positive class": "f1",
    "precision of negative class": "negative_predictive_value",
    "recall of negative class": "specificity",
    "F1 score for the negative class": "f1_negative",
    "accuracy": "accuracy",
    "MCC (Matthews correlation coefficient)": "mcc",
    "Cohen's kappa": "kappa",
    "(unweighted) macro-averaged F1 score": "macro_f1",
    "weighted F1 score": "weighted_f1",
    "BM (bookmaker's informedness)": "informedness",
    "proportion of true positives": "cost[1,0,0,0]",
    "proportion of false positives": "cost[0,1,0,0]",
    "proportion of false negatives": "cost[0,0,1,0]",
    "proportion of true negatives": "cost[0,0,0,1]",
}
# Yilmaz, Hayes, Habib, Burgess & Barber 2021, "Sample efficient model evaluation": sections 1, 5.1 and appendix D
YILMAZ = {
    "accuracy": "accuracy",
    "F_1/2, the F1 score (eq. 2)": "f1",
    "F_0, recall (eq. 2)": "recall",
    "F_1, precision (eq. 2)": "precision",
    "F_alpha (eq. 2), alpha = 1 / (1 + beta^2)": "f2",
    "sensitivity": "recall",
    "specificity": "specificity",
    "micro F1 (eq. 90)": "micro[f1]",
    "micro F_alpha (eq. 90)": "micro[f2]",
    "macro precision (eq. 101)": "macro[precision]",
    "macro recall (eq. 101)": "macro[recall]",
    "macro F1 (eq. 102)": "f1_of_averages",
}
COUNTS = Totals(*map(np.array, ([30.0, 8.0], [10.0, 1.0], [5.0, 7.0], [55.0, 84.0])))  # TP, FP, FN, TN of two labels


@pytest.mark.parametrize(("source", "name"), [*TESTSAMPLER.items(), *YILMAZ.items()])
def test_fewlabels_knows_every_metric_of_its_sources(source: str, name: str) -> None:
    metric = metric_named(name)
    assert metric.name == name, source
    one = COUNTS if metric.joint else Totals(*(total[0] for total in COUNTS))
    assert np.isfinite(metric.value(one)).all()


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
def test_an_f_metric_is_that_of_yilmaz(alpha: float) -> None:
    """TP / (alpha flagged + (1 - alpha) positive), beta = sqrt((1 - alpha) / alpha)."""
    TP, FP, FN, _ = (total[0] for total in COUNTS)
    wanted = TP / (alpha * (TP + FP) + (1 - alpha) * (TP + FN))
    beta = float(np.sqrt((1 - alpha) / alpha))
    assert metric_named(f"f{beta:.15f}").value(Totals(*(total[0] for total in COUNTS))) == pytest.approx(wanted, rel=1e-12)


def test_f1_of_averages_is_that_of_yilmaz_and_not_the_average_of_f1() -> None:
    TP, FP, FN, _ = COUNTS
    P, R = (TP / (TP + FP)).mean(), (TP / (TP + FN)).mean()
    found = float(metric_named("f1_of_averages").value(COUNTS))
    assert found == pytest.approx(2 * P * R / (P + R), rel=1e-12)
    assert found > float(metric_named("macro[f1]").value(COUNTS)) + 1e-3


def test_the_gradient_of_f1_of_averages_is_its_derivative() -> None:
    metric = metric_named("f1_of_averages")
    for j, slope in enumerate(metric.gradient(COUNTS)):
        for c in (0, 1):
            up, down = ([total.copy() for total in COUNTS] for _ in range(2))
            up[j][c] += 1e-4
            down[j][c] -= 1e-4
            numeric = float(metric.value(Totals(*up)) - metric.value(Totals(*down))) / 2e-4
            assert float(slope[c]) == pytest.approx(numeric, abs=1e-10)
