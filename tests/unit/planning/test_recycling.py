"""What two classifiers save by sharing labels: Lemma 3 in expectation, and one draw for both."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom

from fewlabels.errors import PlanError
from fewlabels.planning.recycling import expected_savings, labels_shared, one_draw_savings, savings_given
from fewlabels.randomness import stream

ratios = st.floats(0.02, 1.0)
sizes = st.integers(1, 800)


@pytest.mark.parametrize(("parent", "child"), [(0.05, 0.85), (0.45, 0.85), (0.85, 0.25)])
def test_where_one_side_is_clearly_the_smaller_both_ways_save_it(parent: float, child: float) -> None:
    """The expected labels of one parent and one child are equal; on the diagonal chance takes a little from recycling."""
    shared = labels_shared(parent, child, parent_labels=1_100, child_labels=1_100)
    assert shared.separate == 2_200
    assert_allclose(shared.one_draw, 2_200 - 1_100 * min(parent, child))
    assert_allclose(shared.recycling, shared.one_draw, rtol=1e-6)


def test_on_the_diagonal_recycling_loses_the_mean_of_a_half_normal() -> None:
    """E max(0, X - E X) is sd / sqrt(2 pi): 0.6 % of 1,100 labels at 0.45, as in the paper's lower diagonal means."""
    loss = one_draw_savings(0.45, 0.45, parent_labels=1_100, child_labels=1_100) - expected_savings(
        0.45, 0.45, parent_labels=1_100, child_labels=1_100
    )
    assert_allclose(loss, np.sqrt(1_100 * 0.45 * 0.55 / (2 * np.pi)), rtol=0.02)


@given(parent=ratios, child=ratios, parent_labels=sizes, child_labels=sizes)
def test_one_draw_never_saves_less(parent: float, child: float, parent_labels: int, child_labels: int) -> None:
    """Jensen; half a label of slack, for recycling rounds |S-| and the minimum is then not exactly concave."""
    kept = expected_savings(parent, child, parent_labels=parent_labels, child_labels=child_labels)
    assert 0 <= kept <= one_draw_savings(parent, child, parent_labels=parent_labels, child_labels=child_labels) + 0.5


@given(child=ratios, x=st.integers(0, 300), n=sizes)
def test_no_more_is_kept_than_there_is_and_than_the_child_needs(child: float, x: int, n: int) -> None:
    kept = float(savings_given(np.array([x]), child, child_labels=n)[0])
    assert 0 <= kept <= min(x, n) + 1e-9
    if x <= n * child - 1:
        assert_allclose(kept, x)


def test_the_expectation_is_that_of_the_procedure(seed: int) -> None:
    """The steps of the algorithm played out: X, |S-| rounded at random, the first n_C of the shuffle; five standard errors."""
    rng, reps, n = stream(seed, 501), 40_000, 60
    X = rng.binomial(n, 0.3, reps)
    minus = np.floor(X * 0.7 / 0.3 + rng.random(reps)).astype(np.int64)
    kept = np.where(X + minus > n, rng.hypergeometric(X, minus, np.minimum(n, X + minus)), X)
    expected = expected_savings(0.3, 0.3, parent_labels=n, child_labels=n)
    assert abs(kept.mean() - expected) < 5 * kept.std() / np.sqrt(reps)
    assert abs(X.mean() - expected) > 5 * X.std() / np.sqrt(reps)  # the twin: case (b) alone is not the lemma


def test_a_census_of_the_parent_leaves_nothing_to_chance() -> None:
    whole = expected_savings(0.4, 0.4, parent_labels=500, child_labels=500, parent_units=500)
    assert_allclose(whole, 200)
    assert whole > expected_savings(0.4, 0.4, parent_labels=500, child_labels=500)


def test_disjoint_sets_share_nothing() -> None:
    assert expected_savings(0, 0, parent_labels=100, child_labels=100) == 0
    assert labels_shared(0, 0, parent_labels=100, child_labels=50) == (150, 150, 150)


def test_equal_sets_share_all_the_child_needs() -> None:
    assert_allclose(expected_savings(1, 1, parent_labels=300, child_labels=200), 200)
    assert_allclose(expected_savings(1, 1, parent_labels=100, child_labels=200), 100)


def test_the_mean_over_the_papers_grid() -> None:
    """361 cells, 1,100 labels each: 34.18 % by the lemma (the paper's trials: 33.68 %), 34.21 % by one draw."""
    grid = np.round(np.arange(0.05, 0.951, 0.05), 2)
    kept = [expected_savings(p, c, parent_labels=1_100, child_labels=1_100) for p in grid for c in grid]
    assert_allclose(np.mean(kept) / 11, 34.18, atol=0.01)
    assert_allclose(np.mean([min(p, c) for p in grid for c in grid]), 0.3421, atol=1e-4)


def test_case_b_is_the_binomial_mean_when_the_child_needs_more() -> None:
    x = np.arange(51)
    assert_allclose(expected_savings(0.2, 0.9, parent_labels=50, child_labels=500), (x * binom.pmf(x, 50, 0.2)).sum(), rtol=1e-12)


@pytest.mark.parametrize(("parent", "child"), [(0.0, 0.2), (0.2, 0.0), (1.2, 0.5), (0.5, -0.1)])
def test_ratios_that_cannot_be(parent: float, child: float) -> None:
    with pytest.raises(PlanError, match="overlap ratios"):
        expected_savings(parent, child, parent_labels=10, child_labels=10)


def test_labels_that_cannot_be() -> None:
    with pytest.raises(PlanError, match="numbers of labels must be at least 0"):
        one_draw_savings(0.5, 0.5, parent_labels=-1, child_labels=10)
