"""Standard errors of counts against statsmodels: one simple draw, and two draws of known size.

What testsampleR (manual of 2025, `se_srs`, `se_strat`, `ci_srs_wilson`) computes of precision, recall and F1 from a confusion matrix is
computed here by statsmodels; the manual states what is computed and leaves the formulas to its sources.
"""

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint, std_prop
from statsmodels.stats.weightstats import DescrStatsW

from fewlabels.estimators.counts import from_counts
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.multinomial import measure_counts
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import tally_of
from tests.references.surveyed import CELLS, SAME, TAIL, delta_method, share_function, usual_error

MATRICES = {"manual": (300, 100, 100, 500), "rare": (31, 9, 12, 948), "even": (260, 240, 230, 270), "poor": (20, 70, 60, 50)}
DOMAINS = {  # of a share: what is inside, and its domain
    "precision": ("tp", "tp fp"),
    "recall": ("tp", "tp fn"),
    "accuracy": ("tp tn", "tp fp fn tn"),
    "prevalence": ("tp fn", "tp fp fn tn"),
    "specificity": ("tn", "fp tn"),
    "negative_predictive_value": ("tn", "fn tn"),
    "false_positive_rate": ("fp", "fp tn"),
    "false_omission_rate": ("fn", "fn tn"),
    "jaccard": ("tp", "tp fp fn"),
}
NAMES = (*METRICS, "f2", "f0.5", "cost[0,1,5,0]")
each_matrix = pytest.mark.parametrize("matrix", MATRICES)


def of_one_draw(name: str, counts: tuple[int, ...]) -> float:
    """fewlabels' standard error of one simple draw from the usual variance."""
    totals = Totals(*(np.asarray(float(count)) for count in counts))
    found = measure_counts(metric_named(name), totals, tail=TAIL, interval="wald")
    return float(found.high - found.low) / 2 / float(norm.isf(TAIL))


def counted(counts: tuple[int, ...], cells: str) -> int:
    return sum(count for count, cell in zip(counts, CELLS, strict=True) if cell in cells.split())


@each_matrix
@pytest.mark.parametrize("name", DOMAINS)
def test_a_share_of_one_draw_has_the_standard_error_of_a_mean(name: str, matrix: str) -> None:
    """DescrStatsW(y).std_mean is sqrt(p (1 - p) / (m - 1)); std_prop divides by m, as testsampleR's se_srs does."""
    counts = MATRICES[matrix]
    x, m = (counted(counts, cells) for cells in DOMAINS[name])
    assert of_one_draw(name, counts) == pytest.approx(DescrStatsW(np.repeat([1.0, 0.0], [x, m - x])).std_mean, rel=SAME)
    assert of_one_draw(name, counts) * np.sqrt((m - 1) / m) == pytest.approx(std_prop(x / m, m), rel=SAME)


@each_matrix
def test_f1_of_one_draw_has_the_standard_error_of_a_function_of_jaccard(matrix: str) -> None:
    """f1 = 2u / (1 + u), u = TP / (TP + FP + FN): 2 / (1 + u)^2 times std_prop(u, m), up to m / (m - 1)."""
    tp, fp, fn, _ = MATRICES[matrix]
    m = tp + fp + fn
    u = tp / m
    assert of_one_draw("f1", MATRICES[matrix]) * np.sqrt((m - 1) / m) == pytest.approx(2 / (1 + u) ** 2 * std_prop(u, m), rel=SAME)


def multinomial(counts: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The shares of the four cells and the covariance of their estimates, (diag(pi) - pi pi') / n."""
    n = sum(counts)
    pi = np.array(counts) / n
    return pi, (np.diag(pi) - np.outer(pi, pi)) / n


@each_matrix
@pytest.mark.parametrize("name", NAMES)
def test_any_metric_of_a_large_draw_has_the_standard_error_of_the_multinomial(name: str, matrix: str) -> None:
    """NonlinearDeltaCov(metric, pi, cov): at 10^7 times the counts m / (m - 1) is 1 to 1e-8, whatever the part."""
    many = tuple(10**7 * count for count in MATRICES[matrix])
    pi, covariance = multinomial(many)
    reference = float(delta_method(share_function(name), pi, covariance).se_vectorized()[0])
    assert of_one_draw(name, many) == pytest.approx(reference, rel=SAME)


@each_matrix
def test_kappa_of_a_large_draw_has_the_standard_error_of_cohens_kappa(matrix: str) -> None:
    tp, fp, fn, tn = many = tuple(10**7 * count for count in MATRICES[matrix])
    reference = cohens_kappa(np.array([[tn, fp], [fn, tp]], dtype=float))
    assert from_counts(tp=tp, fp=fp, fn=fn, tn=tn)["kappa"].value == pytest.approx(reference.kappa, rel=SAME)
    assert of_one_draw("kappa", many) == pytest.approx(reference.std_kappa, rel=SAME)


@each_matrix
@pytest.mark.parametrize("name", NAMES)
def test_any_metric_of_two_large_sides_has_the_standard_error_of_two_means(name: str, matrix: str) -> None:
    """The two bins of testsampleR's se_strat: DescrStatsW(y).std_mean of each side, NonlinearDeltaCov over both."""
    tp, fp, fn, tn = MATRICES[matrix]
    n, N = (tp + fp, fn + tn), (3e12, 2.7e13)  # no finite population in statsmodels
    means = [DescrStatsW(np.repeat([1.0, 0.0], pair)) for pair in ((tp, fp), (fn, tn))]
    share = np.array(N) / sum(N)

    def of_sides(p: np.ndarray) -> np.ndarray:
        return share_function(name)(np.array([share[0] * p[0], share[0] * (1 - p[0]), share[1] * p[1], share[1] * (1 - p[1])]))

    delta = delta_method(of_sides, np.array([d.mean for d in means]), np.diag([d.std_mean**2 for d in means]))
    tally = tally_of([1, 0], N, n, [tp, fn])
    assert float(measure(metric_named(name), tally, tail=0.025).value) == pytest.approx(float(delta.predicted()[0]), rel=SAME)
    assert usual_error(name, tally) == pytest.approx(float(delta.se_vectorized()[0]), rel=SAME)


@each_matrix
def test_wilsons_interval_is_testsamplers_three(matrix: str) -> None:
    """ci_srs_wilson covers precision, recall and F1: proportion_confint(x, m, alpha=0.05, method="wilson"), for F1 of u = F1 / (2 - F1)."""
    tp, fp, fn, tn = MATRICES[matrix]
    found = from_counts(tp=tp, fp=fp, fn=fn, tn=tn, interval="wilson")
    for name, m in (("precision", tp + fp), ("recall", tp + fn), ("f1", tp + fp + fn)):
        low, high = proportion_confint(tp, m, alpha=0.05, method="wilson")
        if name == "f1":
            low, high = 2 * low / (1 + low), 2 * high / (1 + high)
        assert (found[name].low, found[name].high) == pytest.approx((low, high), rel=SAME)
