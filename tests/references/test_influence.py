"""The influence of a unit against the closed forms of docs/maths/linearize.md."""

import re
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.estimators.linearize import influence
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import EPS, checked, terms_of_gradient


def closed_form(name: str, A: float, B: float, N1: float, N0: float) -> tuple[float, float]:
    """a1, a0 as the table prints them, in exact fractions; MCC alone has a root, taken last."""
    a1, a0 = exact(name, Fraction(A), Fraction(B), Fraction(N1), Fraction(N0))
    return float(a1), float(a0)


def exact(name: str, A: Fraction, B: Fraction, N1: Fraction, N0: Fraction) -> tuple[Fraction | float, Fraction | float]:
    P, N = A + B, N1 + N0
    M, T, E = N - P, N0 * A - N1 * B, N + N0 - P
    Q = N1 * N + P * (N0 - N1)
    if match := re.fullmatch(r"f([0-9.]+)", name):
        b2 = Fraction(match[1]) ** 2
        D = b2 * P + N1
        return (1 + b2) * (b2 * B + N1) / D**2, -(1 + b2) * b2 * A / D**2
    if name == "mcc":
        S, bend = sqrt(N1 * N0 * P * M), T * (N - 2 * P) / (2 * P * M)
        return float(N0 - bend) / S, float(-N1 - bend) / S
    f1, f0 = 2 * (B + N1) / (P + N1) ** 2, -2 * A / (P + N1) ** 2
    g1, g0 = 2 * (N0 - B) / E**2, -2 * (N - A) / E**2
    lead = 2 * A / (P + N1) - 2 * (N0 - B) / E  # of F1 over that of the negatives
    zero = Fraction(0)
    table = {
        "precision": (1 / N1, zero),
        "recall": (B / P**2, -A / P**2),
        "accuracy": (1 / N, -1 / N),
        "prevalence": (1 / N, 1 / N),
        "specificity": ((N0 - B) / M**2, -(N1 - A) / M**2),
        "negative_predictive_value": (zero, -1 / N0),
        "false_positive_rate": (-(N0 - B) / M**2, (N1 - A) / M**2),
        "false_omission_rate": (zero, 1 / N0),
        "f1_negative": (g1, g0),
        "macro_f1": ((f1 + g1) / 2, (f0 + g0) / 2),
        "weighted_f1": ((lead + P * f1 + M * g1) / N, (lead + P * f0 + M * g0) / N),
        "balanced_accuracy": ((B / P**2 + (N0 - B) / M**2) / 2, -(A / P**2 + (N1 - A) / M**2) / 2),
        "informedness": (B / P**2 + (N0 - B) / M**2, -A / P**2 - (N1 - A) / M**2),
        "kappa": (2 * (N0 - T * (N0 - N1) / Q) / Q, 2 * (-N1 - T * (N0 - N1) / Q) / Q),
        "jaccard": (1 / (N1 + B), -A / (N1 + B) ** 2),
    }
    return table[name]


def test_every_metric_has_a_closed_form() -> None:
    for name in METRICS:
        assert len(closed_form(name, 1.0, 1.0, 2.0, 3.0)) == 2


@pytest.mark.parametrize("name", [*METRICS, "f2", "f0.5"])
@checked
@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.integers(1, 10**6), st.integers(1, 10**9))
def test_influence_is_the_printed_one(name: str, p1: float, p0: float, N1: int, N0: int) -> None:
    A, B = p1 * N1, p0 * N0
    totals = Totals.of_sides(np.asarray(A), np.asarray(B), N1=N1, N0=N0)
    found, terms = influence(metric_named(name), totals), terms_of_gradient(name, totals)
    a1, a0 = closed_form(name, A, B, N1, N0)
    assert abs(float(found.a1) - a1) <= 64 * EPS * float(terms.TP + terms.FP)  # the terms that a1 adds and subtracts
    assert abs(float(found.a0) - a0) <= 64 * EPS * float(terms.FN + terms.TN)


def test_where_a_metric_is_undefined_no_unit_has_influence() -> None:
    zero = np.asarray(0.0)
    assert [*influence(METRICS["recall"], Totals.of_sides(zero, zero, N1=5, N0=5))] == [0, 0]
    assert [*influence(METRICS["precision"], Totals.of_sides(zero, zero, N1=0, N0=5))] == [0, 0]
