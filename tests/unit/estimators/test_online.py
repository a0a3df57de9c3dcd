"""An online path as the running band reads it: terms, influences, what was known when, and the point."""

import numpy as np
import pytest

from fewlabels.designs.online import PRIOR
from fewlabels.estimators.online import difference_terms, influences, path, point, terms_of
from fewlabels.intervals.anytime import MISSING, Terms
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import ACCURACY, F1, METRICS, PRECISION, RECALL

FLAGGED = np.array([True, True, False])
N, K = np.array([100.0, 50.0, 850.0]), np.array([90.0, 20.0, 17.0])
RATIOS = [metric for metric in METRICS.values() if metric.terms]


def totals(flagged: BoolArray, positives: FloatArray) -> Totals:
    A, B, N1 = (np.asarray(x) for x in (positives[flagged].sum(), positives[~flagged].sum(), N[flagged].sum()))
    return Totals.of_sides(A, B, N1=float(N1), N0=float(N.sum() - N1))


def sums(terms: Terms, positives: FloatArray = K) -> tuple[float, float]:
    f, g = ((one * positives + none * (N - positives)).sum() for none, one in ((terms.f0, terms.f1), (terms.g0, terms.g1)))
    return float(f), float(g)


@pytest.mark.parametrize("metric", RATIOS, ids=lambda m: m.name)
def test_the_two_sums_give_the_metric(metric: Metric) -> None:
    f, g = sums(terms_of(metric, FLAGGED))
    assert f / g == pytest.approx(float(metric.value(totals(FLAGGED, K))))


def test_outside_its_slice_a_band_adds_nothing() -> None:
    terms = terms_of(PRECISION, FLAGGED, inside=np.array([True, False, True]))
    f, g = sums(terms)
    assert f / g == pytest.approx(0.9)


@pytest.mark.parametrize("metric", [PRECISION, RECALL, F1, ACCURACY], ids=lambda m: m.name)
def test_an_influence_is_what_one_more_positive_does(metric: Metric) -> None:
    terms = terms_of(metric, FLAGGED)
    f, g = sums(terms)
    found = influences([terms], [f / g], [g])
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-4
        more, less = (float(metric.value(totals(FLAGGED, K + s))) for s in (step, -step))
        assert found[k] == pytest.approx(abs(more - less) / 2e-4, rel=1e-5, abs=1e-12)


def test_influences_on_several_goals_add_as_squares() -> None:
    terms = [terms_of(metric, FLAGGED) for metric in (PRECISION, RECALL)]
    values, parts = zip(*((f / g, g) for f, g in map(sums, terms)), strict=True)
    single = [influences([t], [v], [g]) for t, v, g in zip(terms, values, parts, strict=True)]
    np.testing.assert_allclose(influences(terms, values, parts), np.hypot(*single))


@pytest.mark.parametrize("metric", [PRECISION, RECALL, F1, ACCURACY], ids=lambda m: m.name)
def test_a_difference_is_the_first_less_the_second_at_every_value(metric: Metric) -> None:
    second = np.array([True, False, True])
    h = difference_terms(metric, FLAGGED, second)
    for m in (0.0, 0.4, 1.0):
        at = np.array([m])
        for mine, a, b in zip(h.at(at), terms_of(metric, FLAGGED).at(at), terms_of(metric, second).at(at), strict=True):
            np.testing.assert_allclose(mine, a - b)
            assert mine[0, 0] == 0  # where they agree no label counts


@pytest.mark.parametrize("metric", [RECALL, F1, ACCURACY], ids=lambda m: m.name)
def test_the_sign_of_a_difference_is_that_of_its_sum_at_the_second_ones_value(metric: Metric) -> None:
    second = np.array([True, False, True])
    for positives in (K, np.array([90.0, 5.0, 800.0]), np.array([10.0, 49.0, 3.0])):
        first, other = (float(metric.value(totals(flags, positives))) for flags in (FLAGGED, second))
        terms = difference_terms(metric, FLAGGED, second)
        f, g = sums(terms, positives)
        assert np.sign(f - other * g) == np.sign(first - other)


def test_a_step_knows_all_earlier_ones_and_not_itself() -> None:
    band, label = np.array([0, 1, 0, 0, 1]), np.array([1, MISSING, 0, 1, 1])
    steps = path(np.array([10.0, 5.0]), np.array([0.5, 0.2]), band=band, label=label, rate=np.full((5, 2), 0.5))
    np.testing.assert_array_equal(steps.left, [[10, 5], [9, 5], [9, 4], [8, 4], [7, 4]])
    np.testing.assert_array_equal(steps.positives, [[0, 0], [1, 0], [1, 0], [1, 0], [2, 0]])
    np.testing.assert_array_equal(steps.negatives, [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0]])
    np.testing.assert_array_equal(steps.missing, [[0, 0], [0, 0], [0, 1], [0, 1], [0, 1]])
    np.testing.assert_allclose(steps.share[0], [0.5, 0.2])
    np.testing.assert_allclose(steps.share[4], [(2 + PRIOR / 2) / (3 + PRIOR), 0.2])


def test_later_labels_never_change_an_earlier_step() -> None:
    band, label, rate = np.array([0, 1, 0, 1]), np.array([1, 0, 0, 1]), np.full((4, 2), 0.5)
    whole = path(np.array([10.0, 5.0]), np.array([0.5, 0.2]), band=band, label=label, rate=rate)
    changed = path(np.array([10.0, 5.0]), np.array([0.5, 0.2]), band=band, label=np.array([1, 0, 1, 0]), rate=rate)
    for one, other in zip(whole[:6], changed[:6], strict=True):
        np.testing.assert_array_equal(one[:3], other[:3])


@pytest.mark.parametrize("metric", [PRECISION, RECALL, F1, ACCURACY], ids=lambda m: m.name)
def test_the_point_of_a_census_is_the_truth(metric: Metric) -> None:
    found = point(terms_of(metric, FLAGGED), N, np.full(3, 0.5), positives=K, negatives=N - K)
    assert found == pytest.approx(float(metric.value(totals(FLAGGED, K))))


def test_a_band_without_labels_counts_as_the_guide_says() -> None:
    found = point(terms_of(PRECISION, FLAGGED), N, np.array([0.9, 0.4, 0.0]), positives=np.zeros(3), negatives=np.zeros(3))
    assert found == pytest.approx((90 + 20) / 150)


def test_the_point_of_nothing_is_unknown() -> None:
    assert np.isnan(point(terms_of(RECALL, FLAGGED), N, np.zeros(3), positives=np.zeros(3), negatives=np.zeros(3)))
