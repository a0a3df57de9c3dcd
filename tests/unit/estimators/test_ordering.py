"""Whether the labels have shown that positives rise with the guide."""

import numpy as np
import pytest
from scipy.stats import norm

from fewlabels.estimators.weighted import ORDER_Z, order_z, read_side
from fewlabels.nouns.tally import Tally
from tests.identities.made import tally_of


def labeled(k: list[float], x: list[float]) -> Tally:
    """Twenty labels in each of three groups of 100 units."""
    return tally_of([1, 1, 1], [100, 100, 100], [20, 20, 20], k, logit=x)


def test_a_guide_in_the_right_order_is_proven_and_a_reversed_one_is_not() -> None:
    assert read_side(labeled([2, 10, 18], [-2, 0, 2])).ordered
    assert not read_side(labeled([18, 10, 2], [-2, 0, 2])).ordered


@pytest.mark.parametrize("k", [[0, 0, 0], [20, 20, 20]])
def test_answers_all_alike_prove_nothing(k: list[float]) -> None:
    assert order_z(labeled(k, [-2, 0, 2])) == 0


def test_a_guide_of_one_value_proves_nothing() -> None:
    assert order_z(labeled([2, 10, 18], [1, 1, 1])) == 0


def test_the_statistic_is_the_correlation_times_the_root_of_the_labels() -> None:
    x: list[float] = [-2, 0, 2]
    k: list[float] = [2, 10, 18]
    scores = np.repeat(x, 20)
    answers = np.concatenate([np.arange(20) < positive for positive in k])
    assert order_z(labeled(k, x)) == pytest.approx(np.corrcoef(scores, answers)[0, 1] * np.sqrt(60), rel=1e-12)


def test_a_worthless_guide_is_proven_once_in_a_hundred() -> None:
    assert pytest.approx(norm.isf(0.01), abs=5e-4) == ORDER_Z
