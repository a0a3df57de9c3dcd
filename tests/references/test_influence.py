"""The influence of a unit against the closed forms of maths.md A5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.estimators.linearize import influence
from assay.nouns.metric import METRICS, Totals, metric_named
from tests.identities.made import EPS, checked


def closed_form(name: str, A: float, B: float, N1: float, N0: float) -> tuple[float, float]:
    """a1, a0 as the table prints them."""
    P, N = A + B, N1 + N0
    if name.startswith("f"):
        b2 = float(name[1:]) ** 2
        D = b2 * P + N1
        return (1 + b2) * (b2 * B + N1) / D**2, -(1 + b2) * b2 * A / D**2
    table = {"precision": (1 / N1, 0.0), "recall": (B / P**2, -A / P**2), "accuracy": (1 / N, -1 / N), "prevalence": (1 / N, 1 / N)}
    return table[name]


def test_every_metric_has_a_closed_form() -> None:
    for name in METRICS:
        assert len(closed_form(name, 1.0, 1.0, 2.0, 3.0)) == 2


@pytest.mark.parametrize("name", [*METRICS, "f2", "f0.5"])
@checked
@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.integers(1, 10**6), st.integers(1, 10**9))
def test_influence_is_the_printed_one(name: str, p1: float, p0: float, N1: int, N0: int) -> None:
    A, B = p1 * N1, p0 * N0
    found = influence(metric_named(name), Totals.of_sides(np.asarray(A), np.asarray(B), N1=N1, N0=N0))
    assert (float(found.a1), float(found.a0)) == pytest.approx(closed_form(name, A, B, N1, N0), rel=64 * EPS, abs=0)


def test_where_a_metric_is_undefined_no_unit_has_influence() -> None:
    zero = np.asarray(0.0)
    assert [*influence(METRICS["recall"], Totals.of_sides(zero, zero, N1=5, N0=5))] == [0, 0]
    assert [*influence(METRICS["precision"], Totals.of_sides(zero, zero, N1=0, N0=5))] == [0, 0]
