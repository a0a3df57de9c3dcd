"""Every metric against scikit-learn, on populations whose every unit is labeled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

from fewlabels.estimators.measuring import measure
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally
from tests.identities.made import tally_of

Units = NDArray[np.int64]
SAME = 1e-12


def cost_by_unit(y: Units, predicted: Units) -> float:
    """scikit-learn has no cost; its confusion matrix is [[TN, FP], [FN, TP]]."""
    return float((sk.confusion_matrix(y, predicted, labels=[0, 1]) * [[0, 1], [5, 0]]).sum() / y.size)


REFERENCE: dict[str, Callable[[Units, Units], Any]] = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f2": lambda y, p: sk.fbeta_score(y, p, beta=2),
    "f0.5": lambda y, p: sk.fbeta_score(y, p, beta=0.5),
    "accuracy": sk.accuracy_score,
    "prevalence": lambda y, p: y.mean(),
    "specificity": lambda y, p: sk.recall_score(y, p, pos_label=0),
    "negative_predictive_value": lambda y, p: sk.precision_score(y, p, pos_label=0),
    "false_positive_rate": lambda y, p: 1 - sk.recall_score(y, p, pos_label=0),
    "false_omission_rate": lambda y, p: 1 - sk.precision_score(y, p, pos_label=0),
    "f1_negative": lambda y, p: sk.f1_score(y, p, pos_label=0),
    "macro_f1": lambda y, p: sk.f1_score(y, p, average="macro"),
    "weighted_f1": lambda y, p: sk.f1_score(y, p, average="weighted"),
    "balanced_accuracy": sk.balanced_accuracy_score,
    "informedness": lambda y, p: sk.balanced_accuracy_score(y, p, adjusted=True),
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "jaccard": sk.jaccard_score,
    "cost[0,1,5,0]": cost_by_unit,
}
# units, share of positives, chance that a positive and that a negative is flagged
POPULATIONS = {
    "usual": (5_000, 0.3, 0.8, 0.1),
    "even": (400, 0.5, 0.6, 0.4),
    "rare": (20_000, 0.002, 0.7, 0.001),
    "common": (20_000, 0.998, 0.999, 0.3),
    "hardly flagged": (20_000, 0.05, 0.01, 0.0005),
    "nearly all flagged": (20_000, 0.05, 0.999, 0.99),
    "worse than chance": (3_000, 0.2, 0.1, 0.6),
    "worthless": (3_000, 0.2, 0.4, 0.4),
}


def made(population: str) -> tuple[Units, Units, Tally]:
    """Truth, prediction and the census: each side in five groups of a guide that knows nothing."""
    N, share, hit, alarm = POPULATIONS[population]
    rng = np.random.default_rng(list(POPULATIONS).index(population))
    y = (rng.random(N) < share).astype(np.int64)
    predicted = (rng.random(N) < np.where(y == 1, hit, alarm)).astype(np.int64)
    group = predicted * 5 + rng.integers(0, 5, N)
    units, positives = np.bincount(group, minlength=10), np.bincount(group, weights=y, minlength=10)
    some = units > 0
    logit = np.tile(np.linspace(-3, 3, 5), 2)[some]
    tally = tally_of(
        (np.arange(10) >= 5)[some].tolist(), units[some].tolist(), units[some].tolist(), positives[some].tolist(), logit=logit.tolist()
    )
    assert {*y} == {*predicted} == {0, 1}  # else scikit-learn answers 0/0 with 0, and fewlabels with unknown
    return y, predicted, tally


def test_every_metric_has_a_reference() -> None:
    assert set(METRICS) <= set(REFERENCE)


@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("population", POPULATIONS)
def test_a_census_gives_the_value_of_scikit_learn(population: str, name: str) -> None:
    y, predicted, tally = made(population)
    wanted = float(REFERENCE[name](y, predicted))
    metric = metric_named(name)
    found = measure(metric, tally, tail=0.025)
    assert float(found.value) == pytest.approx(wanted, rel=0, abs=SAME)
    assert float(found.low) - SAME <= wanted <= float(found.high) + SAME
    TP, FP, FN, TN = (float(((predicted == p) & (y == t)).sum()) for p, t in ((1, 1), (1, 0), (0, 1), (0, 0)))
    assert float(metric.value(Totals(*map(np.asarray, (TP, FP, FN, TN))))) == pytest.approx(wanted, rel=0, abs=SAME)


def test_a_single_unit_judged_wrong_is_noticed() -> None:
    """The twin: one answer changed moves every metric by far more than the tolerance."""
    y, predicted, tally = made("usual")
    for name, reference in REFERENCE.items():
        metric = metric_named(name)
        moved = []
        for side in (1, 0):
            changed = y.copy()
            unit = np.flatnonzero(predicted == side)[0]
            changed[unit] = 1 - changed[unit]
            moved.append(abs(float(reference(changed, predicted)) - float(measure(metric, tally, tail=0.025).value)))
        assert max(moved) > 1e6 * SAME, name
