"""Gradients against numeric differentiation, for every metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import EPS, checked, terms_of_gradient

NAMES = [*METRICS, "f2", "f0.5", "cost[0,1,5,0]"]
counts = st.tuples(*[st.floats(1, 1e4)] * 4)


def slope(metric: Metric, at: list[float], j: int, h: float) -> float:
    """The central difference by total j."""
    up, down = at.copy(), at.copy()
    up[j], down[j] = at[j] + h, at[j] - h
    return float(metric.value(Totals(*map(np.asarray, up))) - metric.value(Totals(*map(np.asarray, down)))) / (up[j] - down[j])


def agrees(metric: Metric, gradient: Totals, at: list[float]) -> bool:
    """Whether each derivative is the central difference, up to that difference's own error.

    The error is that of the series, at most twice what halving h changes, and of rounding: values below 1 known to a few EPS, over h.
    """
    for j, derivative in enumerate(gradient):
        h = 1e-3 * at[j]
        coarse, fine = slope(metric, at, j, h), slope(metric, at, j, h / 2)
        if abs(float(derivative) - fine) > 2 * abs(coarse - fine) + 16 * EPS / h:
            return False
    return True


@pytest.mark.parametrize("name", NAMES)
@checked
@given(at=counts)
def test_a_gradient_is_the_slope(name: str, at: tuple[float, ...]) -> None:
    metric = metric_named(name)
    assert agrees(metric, metric.gradient(Totals(*map(np.asarray, at))), list(at))


@pytest.mark.parametrize("name", NAMES)
def test_a_gradient_wrong_by_a_thousandth_is_noticed(name: str) -> None:
    """The twin: the same check must refuse a gradient that is off by 0.1 %."""
    metric, at = metric_named(name), [40.0, 10.0, 20.0, 130.0]
    gradient = metric.gradient(Totals(*map(np.asarray, at)))
    assert agrees(metric, gradient, at)
    assert not agrees(metric, Totals(*(1.001 * g for g in gradient)), at)


@pytest.mark.parametrize("name", NAMES)
@checked
@given(at=counts)
def test_a_share_does_not_change_when_the_population_is_doubled(name: str, at: tuple[float, ...]) -> None:
    """Euler: a metric is homogeneous of degree 0, so the derivative along the totals themselves is 0.

    Up to rounding, of the sum and inside each derivative: kappa near 0 is a difference of products far larger than itself.
    """
    totals = Totals(*map(np.asarray, at))
    along = sum(float(g) * t for g, t in zip(metric_named(name).gradient(totals), at, strict=True))
    assert abs(along) <= 16 * EPS * sum(float(g) * t for g, t in zip(terms_of_gradient(name, totals), at, strict=True))
