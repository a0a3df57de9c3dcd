"""Metrics against confusion matrices counted by hand, and the properties every metric has to state."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from assay.errors import GoalError
from assay.nouns.metric import METRICS, Metric, Totals, f_beta, metric_named

# TP FP FN TN counted by hand
HAND = {
    (40, 10, 20, 130): {
        "precision": Fraction(4, 5),
        "recall": Fraction(2, 3),
        "f1": Fraction(8, 11),
        "f2": Fraction(20, 29),
        "f0.5": Fraction(10, 13),
        "accuracy": Fraction(17, 20),
        "prevalence": Fraction(3, 10),
    },
    (1, 3, 0, 0): {
        "precision": Fraction(1, 4),
        "recall": Fraction(1),
        "f1": Fraction(2, 5),
        "f2": Fraction(5, 8),
        "f0.5": Fraction(5, 17),
        "accuracy": Fraction(1, 4),
        "prevalence": Fraction(1, 4),
    },
    (0, 2, 3, 5): {
        "precision": Fraction(0),
        "recall": Fraction(0),
        "f1": Fraction(0),
        "f2": Fraction(0),
        "f0.5": Fraction(0),
        "accuracy": Fraction(1, 2),
        "prevalence": Fraction(3, 10),
    },
}


class Property(NamedTuple):
    """What a metric promises; a metric of METRICS without an entry below fails the registry test."""

    A: int  # its direction in the flagged positives: 1 up, -1 down, 0 none
    B: int  # its direction in the unflagged positives
    undefined: Callable[[int, int, int, int], bool]  # of A, B, N1, N0


PROPERTIES = {
    "precision": Property(1, 0, lambda A, B, N1, N0: N1 == 0),
    "recall": Property(1, -1, lambda A, B, N1, N0: A + B == 0),
    "f1": Property(1, -1, lambda A, B, N1, N0: N1 + B == 0),
    "accuracy": Property(1, -1, lambda A, B, N1, N0: N1 + N0 == 0),
    "prevalence": Property(1, 1, lambda A, B, N1, N0: N1 + N0 == 0),
}
MADE = {"f2": PROPERTIES["f1"], "f0.5": PROPERTIES["f1"]}
ALL = [*PROPERTIES.items(), *MADE.items()]


def at(metric: Metric, A: int, B: int, N1: int, N0: int) -> float:
    return float(metric.value(Totals.of_sides(np.float64(A), np.float64(B), N1=N1, N0=N0)))  # type: ignore[arg-type]


def follows(metric: Metric, promise: Property) -> bool:
    """Whether the metric moves as promised on every pair of neighboring small matrices."""
    for N1, N0 in product(range(5), repeat=2):
        for A, B in product(range(N1 + 1), range(N0 + 1)):
            here = at(metric, A, B, N1, N0)
            for up, sign, room in (((A + 1, B), promise.A, A < N1), ((A, B + 1), promise.B, B < N0)):
                moved = at(metric, *up, N1, N0) - here if room else np.nan
                if moved * sign < 0 or (sign == 0 and abs(moved) > 0):
                    return False
    return True


@pytest.mark.parametrize("counts", HAND, ids=str)
def test_values_are_those_counted_by_hand(counts: tuple[int, int, int, int]) -> None:
    for name, value in HAND[counts].items():
        assert float(metric_named(name).value(Totals(*map(np.asarray, counts)))) == pytest.approx(float(value), rel=4e-16), name


def test_values_are_those_counted_unit_by_unit() -> None:
    rng = np.random.default_rng(11)
    predicted, truth = rng.random(500) < 0.3, rng.random(500) < 0.2
    cells = {
        (p, y): sum(1 for a, b in zip(predicted, truth, strict=True) if (a, b) == (p, y)) for p in (True, False) for y in (True, False)
    }
    TP, FP, FN, TN = cells[True, True], cells[True, False], cells[False, True], cells[False, False]
    precision, recall = Fraction(TP, TP + FP), Fraction(TP, TP + FN)
    wanted = {
        "precision": precision,
        "recall": recall,
        "f1": 2 / (1 / precision + 1 / recall),
        "f2": 5 / (1 / precision + 4 / recall),
        "accuracy": Fraction(TP + TN, 500),
        "prevalence": Fraction(TP + FN, 500),
    }
    for name, value in wanted.items():
        assert float(metric_named(name).value(Totals(*map(np.asarray, (TP, FP, FN, TN))))) == pytest.approx(float(value), rel=1e-15)


def test_every_metric_states_its_properties() -> None:
    assert set(PROPERTIES) == set(METRICS)
    assert all(set(METRICS) <= set(values) for values in HAND.values())


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_a_metric_moves_as_it_promises(name: str, promise: Property) -> None:
    assert follows(metric_named(name), promise)


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_a_false_promise_is_noticed(name: str, promise: Property) -> None:
    """The twin: the opposite direction must fail."""
    assert not follows(metric_named(name), promise._replace(A=-promise.A))


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_a_metric_is_undefined_exactly_where_it_says_and_else_in_range(name: str, promise: Property) -> None:
    metric = metric_named(name)
    for N1, N0 in product(range(4), repeat=2):
        for A, B in product(range(N1 + 1), range(N0 + 1)):
            value = at(metric, A, B, N1, N0)
            assert np.isnan(value) == promise.undefined(A, B, N1, N0)
            assert np.isnan(value) or metric.low <= value <= metric.high


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_only_a_metric_without_direction_in_B_does_without_the_other_side(name: str, promise: Property) -> None:
    assert metric_named(name).needs_unflagged == (promise.B != 0)


@pytest.mark.parametrize("name", [name for name, _ in ALL])
def test_a_gradient_is_unknown_where_the_metric_is(name: str) -> None:
    zero = np.asarray(0.0)
    gradient = metric_named(name).gradient(Totals(zero, zero, zero, zero))
    assert np.isnan(gradient.TP)


def test_metrics_broadcast_over_replicates() -> None:
    A = np.array([[1.0, 2.0], [3.0, 0.0]])
    for metric in METRICS.values():
        assert metric.value(Totals.of_sides(A, A, N1=5, N0=7)).shape == A.shape


@pytest.mark.parametrize(
    ("asked", "name"), [("F1", "f1"), (" f2 ", "f2"), ("f.5", "f0.5"), ("f1.0", "f1"), ("f0.333333333", "f0.333333333")]
)
def test_a_metric_is_found_by_its_name(asked: str, name: str) -> None:
    assert metric_named(asked).name == name


@pytest.mark.parametrize("beta", [1e-7, 0.1 + 0.2, 1 / 3, 1e7, 123456.789])
def test_the_name_of_an_f_metric_is_that_metric(beta: float) -> None:
    totals = Totals(*map(np.asarray, (40, 10, 20, 130)))
    assert metric_named(f_beta(beta).name).value(totals) == f_beta(beta).value(totals)


@pytest.mark.parametrize(
    "name", ["", "f", "f0", "f-1", "f1e3", "fnan", "finf", "f" + "9" * 200, "f" + "9" * 400, "auc", "f1 f2", "f\u0662"]
)
def test_what_is_no_metric_is_refused(name: str) -> None:
    with pytest.raises(GoalError):
        metric_named(name)
