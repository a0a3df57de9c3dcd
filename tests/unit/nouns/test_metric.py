"""Metrics against confusion matrices counted by hand, and the properties every metric has to state."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np
import pytest

from fewlabels.errors import GoalError
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import METRICS, cost, f_beta, metric_named

# TP FP FN TN counted by hand; None where the metric is 0/0
HAND: dict[tuple[int, int, int, int], dict[str, Fraction | float | None]] = {
    (40, 10, 20, 130): {
        "precision": Fraction(4, 5),
        "recall": Fraction(2, 3),
        "f1": Fraction(8, 11),
        "f2": Fraction(20, 29),
        "f0.5": Fraction(10, 13),
        "accuracy": Fraction(17, 20),
        "prevalence": Fraction(3, 10),
        "specificity": Fraction(13, 14),
        "negative_predictive_value": Fraction(13, 15),
        "false_positive_rate": Fraction(1, 14),
        "false_omission_rate": Fraction(2, 15),
        "f1_negative": Fraction(26, 29),
        "macro_f1": Fraction(259, 319),
        "weighted_f1": Fraction(1349, 1595),
        "balanced_accuracy": Fraction(67, 84),
        "informedness": Fraction(25, 42),
        "mcc": 5 / sqrt(63),
        "kappa": Fraction(5, 8),
        "jaccard": Fraction(4, 7),
        "cost[0,1,5,0]": Fraction(11, 20),
        "cost[-2,0,0,1]": Fraction(1, 4),
    },
    (1, 3, 0, 0): {
        "precision": Fraction(1, 4),
        "recall": Fraction(1),
        "f1": Fraction(2, 5),
        "f2": Fraction(5, 8),
        "f0.5": Fraction(5, 17),
        "accuracy": Fraction(1, 4),
        "prevalence": Fraction(1, 4),
        "specificity": Fraction(0),
        "negative_predictive_value": None,
        "false_positive_rate": Fraction(1),
        "false_omission_rate": None,
        "f1_negative": Fraction(0),
        "macro_f1": Fraction(1, 5),
        "weighted_f1": Fraction(1, 10),
        "balanced_accuracy": Fraction(1, 2),
        "informedness": Fraction(0),
        "mcc": None,
        "kappa": Fraction(0),
        "jaccard": Fraction(1, 4),
        "cost[0,1,5,0]": Fraction(3, 4),
        "cost[-2,0,0,1]": Fraction(-1, 2),
    },
    (0, 2, 3, 5): {
        "precision": Fraction(0),
        "recall": Fraction(0),
        "f1": Fraction(0),
        "f2": Fraction(0),
        "f0.5": Fraction(0),
        "accuracy": Fraction(1, 2),
        "prevalence": Fraction(3, 10),
        "specificity": Fraction(5, 7),
        "negative_predictive_value": Fraction(5, 8),
        "false_positive_rate": Fraction(2, 7),
        "false_omission_rate": Fraction(3, 8),
        "f1_negative": Fraction(2, 3),
        "macro_f1": Fraction(1, 3),
        "weighted_f1": Fraction(7, 15),
        "balanced_accuracy": Fraction(5, 14),
        "informedness": Fraction(-2, 7),
        "mcc": -6 / sqrt(336),
        "kappa": Fraction(-6, 19),
        "jaccard": Fraction(0),
        "cost[0,1,5,0]": Fraction(17, 10),
        "cost[-2,0,0,1]": Fraction(1, 2),
    },
}


class Property(NamedTuple):
    """What a metric promises; a metric of METRICS without an entry below fails the registry test."""

    A: int | None  # its direction in the flagged positives: 1 up, -1 down, 0 does not depend on them, None goes both ways
    B: int | None  # its direction in the unflagged positives
    undefined: Callable[[int, int, int, int], bool]  # of A, B, N1, N0


PROPERTIES = {
    "precision": Property(1, 0, lambda A, B, N1, N0: N1 == 0),
    "recall": Property(1, -1, lambda A, B, N1, N0: A + B == 0),
    "f1": Property(1, -1, lambda A, B, N1, N0: N1 + B == 0),
    "accuracy": Property(1, -1, lambda A, B, N1, N0: N1 + N0 == 0),
    "prevalence": Property(1, 1, lambda A, B, N1, N0: N1 + N0 == 0),
    "specificity": Property(1, -1, lambda A, B, N1, N0: A + B == N1 + N0),
    "negative_predictive_value": Property(0, -1, lambda A, B, N1, N0: N0 == 0),
    "false_positive_rate": Property(-1, 1, lambda A, B, N1, N0: A + B == N1 + N0),
    "false_omission_rate": Property(0, 1, lambda A, B, N1, N0: N0 == 0),
    "f1_negative": Property(1, -1, lambda A, B, N1, N0: N0 + N1 - A == 0),
    "macro_f1": Property(1, -1, lambda A, B, N1, N0: N1 + B == 0 or N0 + N1 - A == 0),
    "weighted_f1": Property(None, None, lambda A, B, N1, N0: N1 + B == 0 or N0 + N1 - A == 0),
    "balanced_accuracy": Property(1, -1, lambda A, B, N1, N0: A + B in (0, N1 + N0)),
    "informedness": Property(1, -1, lambda A, B, N1, N0: A + B in (0, N1 + N0)),
    "mcc": Property(1, -1, lambda A, B, N1, N0: 0 in (N1, N0) or A + B in (0, N1 + N0)),
    "kappa": Property(1, -1, lambda A, B, N1, N0: N1 * (N1 + N0 - A - B) + N0 * (A + B) == 0),
    "jaccard": Property(1, -1, lambda A, B, N1, N0: N1 + B == 0),
}
MADE = {
    "f2": PROPERTIES["f1"],
    "f0.5": PROPERTIES["f1"],
    "cost[0,1,5,0]": Property(-1, 1, lambda A, B, N1, N0: N1 + N0 == 0),
    "cost[-2,0,0,1]": Property(-1, -1, lambda A, B, N1, N0: N1 + N0 == 0),
    "cost[0,3,0,0]": Property(-1, 0, lambda A, B, N1, N0: N1 + N0 == 0),
    "cost[2,2,1,0]": Property(0, 1, lambda A, B, N1, N0: N1 + N0 == 0),
}
# Sums of parts of at most 1: each part is rounded, and what is left after subtracting may be small.
SUMS = {"macro_f1", "weighted_f1", "balanced_accuracy", "informedness"}
ALL = [*PROPERTIES.items(), *MADE.items()]


def at(metric: Metric, A: int, B: int, N1: int, N0: int) -> float:
    return float(metric.value(Totals.of_sides(np.asarray(float(A)), np.asarray(float(B)), N1=N1, N0=N0)))


SMALL = tuple(product(range(5), range(5)))  # N1, N0
TURNING = ((10, 24), (24, 10))  # weighted_f1 turns here; on sides of fewer than five it rises with A and falls with B throughout


def follows(metric: Metric, promise: Property, sides: tuple[tuple[int, int], ...] = SMALL) -> bool:
    """Whether the metric moves as promised on every pair of neighboring matrices with sides of these sizes."""
    for N1, N0 in sides:
        for A, B in product(range(N1 + 1), range(N0 + 1)):
            here = at(metric, A, B, N1, N0)
            for up, sign, room in (((A + 1, B), promise.A, A < N1), ((A, B + 1), promise.B, B < N0)):
                moved = at(metric, *up, N1, N0) - here if room else np.nan
                if sign is not None and (moved * sign < 0 or (sign == 0 and abs(moved) > 0)):
                    return False
    return True


@pytest.mark.parametrize("counts", HAND, ids=str)
def test_values_are_those_counted_by_hand(counts: tuple[int, int, int, int]) -> None:
    for name, value in HAND[counts].items():
        wanted = pytest.approx(np.nan if value is None else float(value), rel=4e-16, abs=4e-16 if name in SUMS else 0, nan_ok=True)
        assert float(metric_named(name).value(Totals(*map(np.asarray, counts)))) == wanted, name


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
    """The twin: the opposite direction must fail, and any direction of a metric that promises none."""
    metric = metric_named(name)
    if promise.A is None or promise.B is None:
        for sign in (-1, 0, 1):
            assert not follows(metric, promise._replace(A=sign), TURNING)
            assert not follows(metric, promise._replace(B=sign), TURNING)
    elif promise.A == 0:
        assert not follows(metric, promise._replace(B=-promise.B))
    else:
        assert not follows(metric, promise._replace(A=-promise.A))


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_a_metric_is_undefined_exactly_where_it_says_and_else_in_range(name: str, promise: Property) -> None:
    metric = metric_named(name)
    for N1, N0 in product(range(4), repeat=2):
        for A, B in product(range(N1 + 1), range(N0 + 1)):
            value = at(metric, A, B, N1, N0)
            assert np.isnan(value) == promise.undefined(A, B, N1, N0)
            assert np.isnan(value) or metric.low <= value <= metric.high


@pytest.mark.parametrize(("name", "promise"), ALL)
def test_only_a_metric_without_direction_on_a_side_does_without_it(name: str, promise: Property) -> None:
    assert metric_named(name).needs_flagged == (promise.A != 0)
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


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("cost[0,1,5,0]", "cost[0,1,5,0]"),
        (" COST[ 0, 1.0 ,5e0,-0] ", "cost[0,1,5,0]"),
        ("cost[-2,0,0,1]", "cost[-2,0,0,1]"),
        ("cost[0,.5,0.00001,0]", "cost[0,0.5,0.00001,0]"),
    ],
)
def test_a_cost_is_found_by_its_name(asked: str, name: str) -> None:
    assert metric_named(asked).name == name
    assert metric_named(name).name == name


def test_a_cost_lies_between_the_least_and_the_most_of_an_outcome() -> None:
    assert (cost(-2, 0, 0, 1).low, cost(-2, 0, 0, 1).high) == (-2, 1)


@pytest.mark.parametrize(
    "name",
    [
        "cost", "cost[]", "cost[0,1,5]", "cost[0,1,5,0,0]", "cost[0,1,5,x]", "cost[0,1,5,]", "cost[0,1,nan,0]", "cost[0,inf,5,0]",
        "cost[1,1,1,1]", "cost[0,1,5,0", "cost(0,1,5,0)", "cost[0,1,5,0]]", "cost[0;1;5;0]",
    ],
)  # fmt: skip
def test_what_is_no_cost_is_refused(name: str) -> None:
    with pytest.raises(GoalError):
        metric_named(name)


def test_a_cost_that_no_label_can_change_is_refused() -> None:
    """Flagged units cost 1 and others 2, right or wrong: known from the sizes of the sides."""
    with pytest.raises(GoalError, match="do not depend on the labels"):
        metric_named("cost[1,1,2,2]")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("cost[0,1,5,0] <= 0.2", "cost[0,1,5,0] <= 0.2"),
        ("Cost[0, 1, 5, 0]<=20%  for gbm at 0.9", "cost[0,1,5,0] <= 0.2 for gbm at 0.9"),
        ("cost[0,1,5,0] +-1.5", "cost[0,1,5,0] +-1.5"),
        ("cost[-2,0,0,1] >= -1.75", "cost[-2,0,0,1] >= -1.75"),
        ("mcc >= -0.1", "mcc >= -0.1"),
        ("kappa ≥ -10%", "kappa >= -0.1"),
        ("informedness <= -.25 for gbm", "informedness <= -0.25 for gbm"),
        ("mcc +-1.5", "mcc +-1.5"),
    ],
)
def test_a_goal_of_these_metrics_is_read_and_printed(text: str, printed: str) -> None:
    goal = parse_goal(text)
    assert str(goal) == printed
    assert parse_goal(printed) == goal


@pytest.mark.parametrize(
    "text",
    ["mcc >= -1", "mcc <= 1", "mcc >= -1.5", "mcc +--0.1", "mcc +-2", "mcc >= --0.1", "recall >= -0.1", "macro_f1 >= -0.1",
     "cost[0,1,5,0] <= 0", "cost[0,1,5,0] <= 5", "cost[0,1,5,0] <= -1", "cost[0,1,5,0] +-5", "cost[0,1,5] <= 0.2", "cost[1,1,2,2] <= 1.5"],
)  # fmt: skip
def test_a_target_outside_the_range_of_its_metric_is_refused(text: str) -> None:
    with pytest.raises(GoalError):
        parse_goal(text)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("precision", "higher"),
        ("kappa", "higher"),
        ("prevalence", "neither"),
        ("false_positive_rate", "lower"),
        ("false_omission_rate by amount", "lower"),
        ("macro[false_positive_rate]", "lower"),
        ("cost[0,1,5,0]", "lower"),
        ("weighted[f1]", "higher"),
    ],
)
def test_a_metric_says_which_values_are_better(name: str, better: str) -> None:
    assert metric_named(name).better == better
