"""Metrics of several labels or classes: their gradients, their ranges, and that the order of the classes does not matter."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.joint import AVERAGES
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from tests.identities.made import EPS, checked

PARTS = ("precision", "recall", "f1", "accuracy", "specificity", "mcc", "f2")
AVERAGED = [f"{average}[{part}]" for average in AVERAGES for part in PARTS]
NAMES = [*AVERAGED, "class_accuracy"]
USUAL = Totals(*map(np.array, ([40.0, 3.0, 9.0], [10.0, 2.0, 5.0], [20.0, 8.0, 1.0], [130.0, 187.0, 185.0])))
amounts = st.integers(1, 4).flatmap(lambda J: st.lists(st.tuples(*[st.floats(1, 1e4)] * 4), min_size=J, max_size=J))


def totals_of(rows: list[tuple[float, ...]]) -> Totals:
    """Totals of a few classifiers, one a row, whose units are the same N: the true negatives make up the rest."""
    TP, FP, FN, TN = np.array(rows, dtype=np.float64).T
    N = (TP + FP + FN + TN).max()
    return Totals(TP, FP, FN, N - TP - FP - FN)


def moved(t: Totals, total: int, classifier: int, h: float) -> Totals:
    parts = [x.copy() for x in t]
    parts[total][classifier] += h
    return Totals(*parts)


def slope(metric: Metric, t: Totals, total: int, classifier: int, h: float) -> float:
    """The central difference by one total of one classifier."""
    up, down = moved(t, total, classifier, h), moved(t, total, classifier, -h)
    return float(metric.value(up) - metric.value(down)) / float(up[total][classifier] - down[total][classifier])


def agrees(metric: Metric, gradient: Totals, t: Totals) -> bool:
    """Whether each derivative is the central difference, up to its series (what halving h changes) and rounding (a few EPS over h)."""
    largest = max(1.0, abs(metric.low), abs(metric.high))
    for total in range(4):
        for j in range(t.TP.size):
            h = 1e-3 * float(t[total][j])
            coarse, fine = slope(metric, t, total, j, h), slope(metric, t, total, j, h / 2)
            if abs(float(gradient[total][j]) - fine) > 2 * abs(coarse - fine) + 32 * EPS * largest / h:
                return False
    return True


# Of classes N is known: class_accuracy divides by that of the first, and its gradient holds N still.
@pytest.mark.parametrize("name", AVERAGED)
@checked
@given(rows=amounts)
def test_a_gradient_is_the_slope(name: str, rows: list[tuple[float, ...]]) -> None:
    metric, t = metric_named(name), totals_of(rows)
    assert agrees(metric, metric.gradient(t), t)


@pytest.mark.parametrize("name", AVERAGED)
def test_a_gradient_wrong_by_a_thousandth_is_noticed(name: str) -> None:
    """The twin."""
    metric = metric_named(name)
    gradient = metric.gradient(USUAL)
    assert agrees(metric, gradient, USUAL)
    assert not agrees(metric, Totals(*(1.001 * g for g in gradient)), USUAL)


@checked
@given(rows=amounts)
def test_the_influence_of_class_accuracy_is_that_of_a_unit_moved_inside_its_side(rows: list[tuple[float, ...]]) -> None:
    """TP up and FP down by as much, FN up and TN down: what a label can change, since the sizes of the sides are known."""
    metric, t = metric_named("class_accuracy"), totals_of(rows)
    g = metric.gradient(t)
    for j in range(t.TP.size):
        for rising, falling in ((0, 1), (2, 3)):
            h = 1e-3 * float(min(t[rising][j], t[falling][j]))
            up = float(metric.value(moved(moved(t, rising, j, h), falling, j, -h)) - metric.value(t)) / h if h else 0.0
            assert up == pytest.approx(float(g[rising][j] - g[falling][j]), abs=32 * EPS * t.TP.size / h if h else EPS)


@pytest.mark.parametrize("name", NAMES)
@checked
@given(rows=amounts, order=st.randoms(use_true_random=False))
def test_the_order_of_classes_does_not_matter(name: str, rows: list[tuple[float, ...]], order: Random) -> None:
    metric, t = metric_named(name), totals_of(rows)
    chosen = list(range(t.TP.size))
    order.shuffle(chosen)
    mixed = Totals(*(x[chosen] for x in t))
    rounding = 64 * EPS * max(1.0, abs(metric.high))
    assert float(metric.value(mixed)) == pytest.approx(float(metric.value(t)), rel=rounding, abs=rounding)
    for before, after in zip(metric.gradient(t), metric.gradient(mixed), strict=True):
        assert after == pytest.approx(before[chosen], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", AVERAGED)
@checked
@given(rows=amounts)
def test_a_value_is_in_its_range_and_an_average_between_its_parts(name: str, rows: list[tuple[float, ...]]) -> None:
    metric, t = metric_named(name), totals_of(rows)
    value, rounding = float(metric.value(t)), 16 * EPS * max(1.0, metric.high)
    assert metric.low - rounding <= value <= metric.high + rounding
    own = part_of(name).value(t)
    if not name.startswith("micro"):
        assert own.min() - rounding <= value <= own.max() + rounding


def part_of(name: str) -> Metric:
    return metric_named(name.partition("[")[2][:-1])


def test_micro_is_not_always_between_its_parts() -> None:
    """Why it is left out above: pooled totals may favor the better half of each classifier (Simpson)."""
    t = Totals(*map(np.array, ([1.0, 1.0], [0.0, 98.0], [98.0, 0.0], [1.0, 1.0])))
    assert float(metric_named("micro[mcc]").value(t)) < METRICS["mcc"].value(t).max()
    assert metric_named("micro[f1]").value(t) == pytest.approx(4 / 200)


@pytest.mark.parametrize("name", AVERAGED)
@checked
@given(row=st.tuples(*[st.floats(1, 1e4)] * 4), copies=st.integers(1, 4))
def test_copies_of_one_classifier_have_its_metric(name: str, row: tuple[float, ...], copies: int) -> None:
    t = totals_of([row])
    many = Totals(*(np.repeat(x, copies) for x in t))
    assert float(metric_named(name).value(many)) == pytest.approx(float(part_of(name).value(t)[0]), rel=64 * EPS, abs=64 * EPS)


def test_classes_that_share_out_all_units_have_micro_f1_of_their_accuracy() -> None:
    """Every unit has one class and is given one: each error is one false positive and one false negative."""
    confusion = np.array([[50.0, 3.0, 2.0], [4.0, 30.0, 1.0], [0.0, 5.0, 5.0]])
    TP = np.diag(confusion)
    t = Totals(TP, confusion.sum(0) - TP, confusion.sum(1) - TP, 100 - confusion.sum(0) - confusion.sum(1) + TP)
    assert metric_named("micro[f1]").value(t) == pytest.approx(0.85)
    assert metric_named("class_accuracy").value(t) == pytest.approx(0.85)


def test_a_class_nobody_has_is_unknown_and_so_is_the_average() -> None:
    """Recall of a class without a true unit is 0/0: macro must not count it as 0 or 1, micro does not need it."""
    t = Totals(*map(np.array, ([4.0, 0.0], [1.0, 2.0], [1.0, 0.0], [94.0, 98.0])))
    assert np.isnan(metric_named("macro[recall]").value(t))
    assert metric_named("micro[recall]").value(t) == pytest.approx(0.8)


def test_leading_axes_are_replicates() -> None:
    stacked = Totals(*(np.stack([x, x + 1, x + 2]) for x in USUAL))
    for name in NAMES:
        metric = metric_named(name)
        values: FloatArray = metric.value(stacked)
        assert values.shape == (3,)
        assert values[0] == pytest.approx(float(metric.value(USUAL)))
        assert all(g.shape == (3, 3) for g in metric.gradient(stacked)), name
