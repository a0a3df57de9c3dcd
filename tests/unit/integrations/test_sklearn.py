"""Scorers: scikit-learn's values to 1e-12, an interval that holds, a float that forgets it when it is computed with."""

import copy
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn import metrics as reference
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

import fewlabels
from benchmarks.expanded import rows
from fewlabels.errors import FewlabelsError
from fewlabels.integrations import sklearn as scoring
from fewlabels.integrations.sklearn import EstimateDisplay, MeasuredFloat, f1_score, make_scorer, precision_score, recall_score, score
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream
from tests.unit.integrations.made import finished

PAIRS = (
    (precision_score, reference.precision_score),
    (recall_score, reference.recall_score),
    (f1_score, reference.f1_score),
)


def made(units: int = 400, *, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, prediction and unequal probabilities."""
    rng = stream(seed)
    true = rng.random(units) < 0.3
    predicted = np.where(rng.random(units) < 0.8, true, rng.random(units) < 0.5)
    return true.astype(int), predicted.astype(int), rng.uniform(0.02, 1.0, units)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_values_are_those_of_scikit_learn(ours, theirs) -> None:
    for seed in range(6):
        true, predicted, pi = made(seed=seed)
        assert float(ours(true, predicted)) == pytest.approx(theirs(true, predicted), abs=1e-12)
        weighted = theirs(true, predicted, sample_weight=1 / pi)
        assert float(ours(true, predicted, inclusion_prob=pi)) == pytest.approx(weighted, abs=1e-12)
        even = np.full(true.size, 0.25)
        assert float(ours(true, predicted, inclusion_prob=even)) == pytest.approx(theirs(true, predicted), abs=1e-12)


def test_other_metrics_are_scored_too() -> None:
    true, predicted, pi = made()
    found = score(true, predicted, metric="accuracy", inclusion_prob=pi)
    assert float(found) == pytest.approx(reference.accuracy_score(true, predicted, sample_weight=1 / pi), abs=1e-12)
    even = score(true, predicted, metric="mcc")
    assert float(even) == pytest.approx(reference.matthews_corrcoef(true, predicted), abs=1e-12)
    with pytest.raises(FewlabelsError, match="mcc is not one"):
        score(true, predicted, metric="mcc", inclusion_prob=pi)


def test_equal_probabilities_are_a_simple_draw() -> None:
    true, predicted, _ = made()
    found = precision_score(true, predicted)
    tp, fp, fn, tn = (int(((true == t) & (predicted == p)).sum()) for t, p in ((1, 1), (0, 1), (1, 0), (0, 0)))
    same = fewlabels.from_counts(tp=tp, fp=fp, fn=fn, tn=tn)["precision"]
    assert (found.confidence_interval, found.n_labels, found.n_eff) == ((same.low, same.high), same.labels, same.n_eff)
    assert (found.standard_error, found.method, found.confidence_level) == (same.standard_error, "placed", 0.95)
    assert found.caution is not None
    even = precision_score(true, predicted, inclusion_prob=np.full(true.size, 0.1))
    assert even.confidence_interval == found.confidence_interval
    assert even.caution is None


def test_a_wider_level_has_a_wider_interval() -> None:
    true, predicted, pi = made()
    for how in ({}, {"inclusion_prob": pi}):
        low, high = recall_score(true, predicted, confidence_level=0.8, **how).confidence_interval
        wide = recall_score(true, predicted, confidence_level=0.99, **how).confidence_interval
        assert wide.low < low < high < wide.high


def test_nothing_found_where_labels_stand_for_much_is_no_proof() -> None:
    """50 of 50 positives are flagged, but the unflagged units were drawn at 1 in 1000: a missed one would stand for a thousand."""
    true, predicted = np.repeat([1, 0], [50, 100]), np.repeat([1, 0], [50, 100])
    pi = np.repeat([1.0, 0.001], [50, 100])
    found = recall_score(true, predicted, inclusion_prob=pi)
    assert float(found) == 1.0
    assert found.confidence_interval.low < 0.02
    assert recall_score(true, predicted).confidence_interval.low > 0.9
    assert math.isnan(found.standard_error)


def test_arithmetic_forgets_the_interval() -> None:
    found = precision_score([1, 1, 0, 1], [1, 1, 1, 0])
    signs = (-found, +found, abs(found), round(found, 6))
    for computed in (found + 0, found * 1, found / 1, 1 - found, found**2, found // 1, sum([found]), *signs):
        assert type(computed) is float
    assert type(1.0 * found) is type(2 * found) is type(True * found) is float
    assert 1 * found is found  # scikit-learn's "greater is better"
    assert type(np.mean([found, found])) is np.float64
    assert not hasattr(found + 0.0, "confidence_interval")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_score_crosses_processes_whole(again) -> None:
    found = f1_score(*made()[:2], inclusion_prob=made()[2])
    other = again(found)
    assert type(other) is MeasuredFloat
    assert (float(other), other.__dict__) == (float(found), found.__dict__)


def test_zero_by_zero_is_unknown_not_zero() -> None:
    for pi in (None, [0.5, 0.2, 0.1]):
        found = precision_score([1, 0, 1], [0, 0, 0], inclusion_prob=pi)
        assert math.isnan(found)
        assert found.confidence_interval == (0.0, 1.0)
        assert math.isnan(found.n_eff)


def test_the_positive_class_may_have_any_name() -> None:
    true, predicted = ["spam", "ham", "spam"], ["spam", "spam", "ham"]
    assert precision_score(true, predicted, pos_label="spam") == 0.5
    with pytest.raises(FewlabelsError, match="pos_label=1"):
        precision_score(true, predicted)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"inclusion_prob": [0.5, 0.5]}, "3 labeled units"),
        ({"inclusion_prob": [0.5, 0.0, 0.5]}, r"\(0, 1\]"),
        ({"inclusion_prob": [0.5, 2.0, 0.5]}, "not weights"),
        ({"inclusion_prob": [0.5, np.nan, 0.5]}, r"\(0, 1\]"),
        ({"sample_weight": [1, 1, 1]}, "inclusion_prob=1 / weight"),
        ({"confidence_level": 95}, "0.95 is usual"),
    ],
)
def test_what_cannot_be_read_is_refused(how, said: str) -> None:
    with pytest.raises(FewlabelsError, match=said):
        precision_score([1, 0, 1], [1, 1, 0], **how)


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FewlabelsError, match="two classes"):
        precision_score([0, 1, 2], [0, 1, 2])
    with pytest.raises(FewlabelsError, match="align them"):
        precision_score([0, 1], [0, 1, 1])
    with pytest.raises(FewlabelsError, match="align them"):
        precision_score([], [])


class Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts by the first feature."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


def data(units: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = stream(8)
    X = rng.normal(size=(units, 2))
    return X, (X[:, 0] + rng.normal(0, 0.5, units) > 0).astype(int), rng.uniform(0.05, 0.9, units)


def test_a_scorer_works_in_cross_validation() -> None:
    X, y, _ = data()
    ours = cross_validate(LogisticRegression(), X, y, scoring={"f1": make_scorer("f1")}, cv=3)["test_f1"]
    assert ours == pytest.approx(cross_val_score(LogisticRegression(), X, y, scoring="f1", cv=3), abs=1e-12)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=make_scorer("recall"), cv=3).fit(X, y)
    assert np.isfinite(search.best_score_)


def test_probabilities_are_routed_to_the_scorer() -> None:
    import sklearn

    X, y, pi = data()
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer("recall").set_score_request(inclusion_prob=True)
        found = cross_validate(Given(), X, y, scoring=scorer, cv=3, params={"inclusion_prob": pi}, return_indices=True)
        parts = found["indices"]["test"]
        wanted = [reference.recall_score(y[part], Given().predict(X[part]), sample_weight=1 / pi[part]) for part in parts]
        assert found["test_score"] == pytest.approx(wanted, abs=1e-12)
        whole = make_scorer("recall")(Given().fit(X, y), X, y, inclusion_prob=pi)
    assert whole.method == "gamma"
    assert whole.confidence_interval.low < whole < whole.confidence_interval.high


def test_a_scorer_crosses_processes() -> None:
    X, y, _ = data(200)
    again = pickle.loads(pickle.dumps(make_scorer("precision")))
    assert again(Given().fit(X, y), X, y) == make_scorer("precision")(Given().fit(X, y), X, y)


def test_an_unknown_metric_is_refused_when_the_scorer_is_made() -> None:
    with pytest.raises(FewlabelsError, match="no metric"):
        make_scorer("area under everything")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(FewlabelsError, match=r"\[sklearn\]"):
        make_scorer()


def test_effective_n_is_the_number_of_labels_where_weights_hardly_differ() -> None:
    true, predicted, _ = made(600)
    pi = np.where(np.arange(600) % 2, 0.1, 0.1001)
    for name in ("precision", "recall", "f1"):
        found = score(true, predicted, metric=name, inclusion_prob=pi)
        simple = score(true, predicted, metric=name)
        assert found.n_eff == pytest.approx(simple.n_eff, rel=0.12)
        assert found.n_labels == simple.n_labels


def test_the_display_follows_scikit_learn() -> None:
    from matplotlib import pyplot

    display = EstimateDisplay.from_study(finished(), metrics=["precision", "recall"])
    assert display.plot() is display
    assert display.figure_ is display.ax_.figure
    ax = pyplot.subplots()[1]
    assert EstimateDisplay.from_result(fewlabels.from_counts(tp=3, fp=1, fn=0, tn=9)).plot(ax).ax_ is ax
    pyplot.close("all")
    with pytest.raises(FewlabelsError, match="none before the planned look"):
        EstimateDisplay.from_result([])


# ---------------------------------------------------------------- whether the interval for unequal probabilities holds

DRAWS = {  # of each part of the population: TP, FP, FN, TN and the probability
    "by side": (((3200, 800, 0, 0), 0.02), ((0, 0, 384, 95616), 0.003)),
    "by another score": (((1500, 300, 300, 900), 0.05), ((970, 1940, 1940, 92150), 0.003)),
    "rare misses": (((950, 50, 0, 0), 0.1), ((0, 0, 99, 98901), 0.004)),
}


def drawn(parts, rng, reps: int):
    """Arrays (cells, probabilities) of so many draws, unit by unit."""
    for _ in range(reps):
        counts = [rng.binomial(cells, pi) for cells, pi in parts]
        cell = np.concatenate([np.repeat(np.arange(4), n) for n in counts])
        pi = np.concatenate([np.full(n.sum(), p) for n, (_, p) in zip(counts, parts, strict=True)])
        yield (cell == 0) | (cell == 2), cell < 2, pi


def coverage(name: str, metric: str, *, reps: int, seed: int) -> tuple[int, int]:
    """How often the interval, and how often the value with two standard errors, hold the truth."""
    parts = DRAWS[name]
    totals = np.sum([cells for cells, _ in parts], axis=0).astype(float)
    truth = float(metric_named(metric).value(Totals(*totals)))
    hits = wald = 0
    for true, predicted, pi in drawn(parts, stream(seed, 70), reps):
        found = score(true.astype(int), predicted.astype(int), metric=metric, inclusion_prob=pi)
        low, high = found.confidence_interval
        hits += low <= truth <= high
        wald += abs(found - truth) <= 1.96 * found.standard_error
    return hits, wald


@pytest.mark.statistics
@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_the_interval_holds_for_unequal_probabilities(metric: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_effective", lambda *args, **how: 1.0)  # it takes longer than all else
    reps = 400
    for name in DRAWS:
        assert coverage(name, metric, reps=reps, seed=seed)[0] >= binom.ppf(1e-6, reps, 0.95)


@pytest.mark.statistics
def test_two_standard_errors_would_not_hold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: what people compute by hand fails the same test by far."""
    monkeypatch.setattr(scoring, "_effective", lambda *args, **how: 1.0)
    assert coverage("rare misses", "recall", reps=400, seed=seed)[1] < binom.ppf(1e-6, 400, 0.95)


def test_the_page_has_the_figures_of_its_benchmark() -> None:
    page = (Path(__file__).parents[3] / "docs" / "maths" / "expanded.md").read_text()
    assert "\n".join(rows(4_000, 1)) in page
