"""The correction of labels that err: identities, edges, refusals. That its intervals cover is judged in tests/statistics/test_gold.py."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from fewlabels.errors import LabelError, PlanError
from fewlabels.estimators.gold import GoldTally, corrected_side, fill_empty_gold, gold_needed, measure_with_gold, missing_gold
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.rare import rec
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import WeightSums
from tests.identities.made import checked, tallies, tally_of

TAIL = 0.025
NAMES = ("yes_yes", "yes_no", "no_yes", "no_no")


def gold_of(*counts: list[float] | FloatArray) -> GoldTally:
    return GoldTally(**dict(zip(NAMES, map(np.array, counts), strict=True)))


@st.composite
def adjudicated(draw: st.DrawFn, *, census: bool = False) -> tuple[Tally, GoldTally]:
    """Any tally of whole-number labels with any gold answers to some, or all, of its units."""
    tally = draw(tallies())
    counts = np.zeros((4, tally.N.size))
    for h, (n, k) in enumerate(zip(tally.n, tally.k, strict=True)):
        for row, labeled in ((0, k), (2, n - k)):
            m = int(labeled) if census else draw(st.integers(0, int(labeled)))
            counts[row, h] = draw(st.integers(0, m))
            counts[row + 1, h] = m - counts[row, h]
    return tally, gold_of(*counts)


@checked
@given(adjudicated(census=True), st.sampled_from(sorted(METRICS)), st.sampled_from(["rec", "strict", "midp"]))
def test_gold_for_every_label_is_the_ordinary_estimate(made: tuple[Tally, GoldTally], name: str, interval: IntervalKind) -> None:
    tally, gold = made
    corrected = measure_with_gold(metric_named(name), tally, gold, tail=TAIL, interval=interval)
    ordinary = measure(metric_named(name), replace(tally, k=gold.yes_yes + gold.no_yes), tail=TAIL, interval=interval)
    for mine, theirs in zip(corrected, ordinary, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@checked
@given(adjudicated(), st.sampled_from(sorted(METRICS)))
def test_limits_hold_the_value_and_stay_in_range(made: tuple[Tally, GoldTally], name: str) -> None:
    metric, (tally, gold) = metric_named(name), made
    value, low, high, error = measure_with_gold(metric, tally, gold, tail=TAIL)
    assert metric.low <= low <= high <= metric.high
    if np.isfinite(value):
        assert low - 1e-9 <= value <= high + 1e-9
        assert error >= 0


@checked
@given(adjudicated())
def test_answers_turned_round_turn_the_limits_round(made: tuple[Tally, GoldTally]) -> None:
    tally, gold = made
    turned = replace(tally, k=tally.n - tally.k, logit=-tally.logit, expected=1 - tally.expected)
    mirrored = gold_of(gold.no_no, gold.no_yes, gold.yes_no, gold.yes_yes)
    w = tally.N / np.maximum(tally.n, 1)
    for side in (True, False):
        mine = tally.flagged == side
        a = corrected_side(tally.side(flagged=side), gold.of_groups(mine), tail=TAIL, interval="strict")
        b = corrected_side(turned.side(flagged=side), mirrored.of_groups(mine), tail=TAIL, interval="strict")
        np.testing.assert_allclose(a.p, 1 - b.p, atol=1e-9)
        parts = [(w * x)[mine].sum() / (w * m)[mine].sum() for x, m in ((gold.yes_yes, gold.yes), (gold.no_yes, gold.no)) if m[mine].any()]
        if all(abs(part - 0.5) > 1e-9 for part in (*parts, a.p)):  # at exactly one half neither answer is the rarer
            np.testing.assert_allclose([a.limits.low, a.limits.high], [1 - b.limits.high, 1 - b.limits.low], atol=1e-6)


@checked
@given(adjudicated(), st.randoms(use_true_random=False))
def test_order_of_groups_does_not_matter(made: tuple[Tally, GoldTally], chance: Random) -> None:
    tally, gold = made
    order = list(range(tally.N.size))
    chance.shuffle(order)
    names = ("flagged", "N", "n", "k", "logit", "expected")
    shuffled = replace(tally, **{name: getattr(tally, name)[order] for name in names})
    moved = gold_of(*(getattr(gold, name)[order] for name in NAMES))
    for mine, theirs in zip(
        measure_with_gold(METRICS["f1"], tally, gold, tail=TAIL), measure_with_gold(METRICS["f1"], shuffled, moved, tail=TAIL), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


def test_value_is_the_difference_form_calibrated_on_the_answer() -> None:
    tally = tally_of([1, 1], [600, 3_000], [60, 100], [30, 10])
    gold = gold_of([8, 1], [2, 2], [3, 1], [7, 20])
    w = np.array([10.0, 30.0])
    a, b = (8 * 10 + 1 * 30) / (10 * 10 + 3 * 30), (3 * 10 + 1 * 30) / (10 * 10 + 21 * 30)
    told = (w * tally.k).sum() / 3_600
    p = corrected_side(tally, gold, tail=TAIL).p
    assert p == pytest.approx(told * a + (1 - told) * b, rel=1e-12)


def test_gold_that_agrees_moves_nothing_and_still_widens() -> None:
    tally = tally_of([1], [10_000], [500], [200])
    agreed = corrected_side(tally, gold_of([40], [0], [0], [60]), tail=TAIL)
    alone = rec(read_side(tally), TAIL)
    assert agreed.p == pytest.approx(0.4)
    assert agreed.limits.low < alone.low
    assert agreed.limits.high > alone.high


def test_limits_of_the_truth_behind_an_answer_are_those_of_clopper_and_pearson() -> None:
    """A census of noisy answers, all no: what is left is the share of yes behind them, from 40 of 100,000 units with equal weight."""
    tally = tally_of([1], [100_000], [100_000], [0])
    for x in (0, 1, 4, 10):
        limits = corrected_side(tally, gold_of([0], [0], [x], [40 - x]), tail=TAIL).limits
        exact = beta.ppf(TAIL, x, 41 - x) if x else 0.0, beta.ppf(1 - TAIL, x + 1, 40 - x)
        np.testing.assert_allclose([limits.low, limits.high], exact, rtol=0.09)


def test_no_noisy_yes_is_no_obstacle() -> None:
    found = corrected_side(tally_of([1], [1_000], [100], [0]), gold_of([0], [0], [2], [18]), tail=TAIL)
    assert found.p == pytest.approx(0.1)
    assert 0 < found.limits.low < 0.1 < found.limits.high < 0.5


def test_an_answer_never_adjudicated_may_hide_anything() -> None:
    found = corrected_side(tally_of([1], [1_000], [100], [30]), gold_of([0], [0], [0], [20]), tail=TAIL)
    assert found.p == pytest.approx(0.3)
    assert found.limits.low == pytest.approx(0, abs=0.02)
    assert found.v > 0.3**2 / 4


def test_a_side_without_gold_is_unknown_and_says_what_to_do() -> None:
    tally = tally_of([1, 0], [1_000, 9_000], [100, 400], [30, 20])
    gold = gold_of([5, 0], [1, 0], [1, 0], [13, 0])
    recall = measure_with_gold(METRICS["recall"], tally, gold, tail=TAIL)
    assert np.isnan(recall.value)
    assert recall.low < 0.1
    assert recall.high == 1
    assert "none of the 400 labeled unflagged units is adjudicated: adjudicate 80" in str(missing_gold(METRICS["recall"], tally, gold))
    assert missing_gold(METRICS["precision"], tally, gold) is None
    assert np.isfinite(measure_with_gold(METRICS["precision"], tally, gold, tail=TAIL).value)


def test_replicates_are_read_as_one_by_one() -> None:
    n, k = np.array([[50.0, 80], [60, 70]]), np.array([[20.0, 5], [25, 0]])
    counts = [np.array([[4.0, 0], [5, 0]]), np.array([[1.0, 1], [0, 0]]), np.array([[1.0, 0], [2, 1]]), np.array([[4.0, 15], [5, 13]])]
    base = tally_of([1, 0], [500, 5_000], [50, 80], [20, 5])
    together = measure_with_gold(
        METRICS["f1"], replace(base, n=n, k=k), GoldTally(**dict(zip(NAMES, counts, strict=True))), tail=TAIL
    )  # fmt: skip
    for r in range(2):
        alone = measure_with_gold(METRICS["f1"], replace(base, n=n[r], k=k[r]), gold_of(*(c[r] for c in counts)), tail=TAIL)
        np.testing.assert_allclose([field[r] for field in together], [float(field) for field in alone], rtol=1e-12)


def test_groups_left_without_a_label_are_joined_with_their_gold() -> None:
    tally = tally_of([1, 1, 0], [100, 50, 900], [10, 0, 20], [4, 0, 1], logit=[0, 1, 0])
    filled, gold = fill_empty_gold(tally, gold_of([2, 0, 0], [0, 0, 1], [1, 0, 0], [2, 0, 5]))
    assert filled.N.tolist() == [150, 900]
    assert gold.yes_yes.tolist() == [2, 0]
    assert np.isfinite(measure_with_gold(METRICS["f1"], filled, gold, tail=TAIL).value)
    full = tally_of([1], [100], [10], [4])
    same = gold_of([1], [1], [0], [1])
    assert fill_empty_gold(full, same) == (full, same)


def test_impossible_counts_are_refused() -> None:
    tally = tally_of([1], [100], [10], [4])
    with pytest.raises(LabelError, match="more gold answers than noisy ones"):
        corrected_side(tally, gold_of([5], [0], [0], [0]), tail=TAIL)
    with pytest.raises(LabelError, match="none below 0"):
        gold_of([-1], [0], [0], [0])
    sums = WeightSums(*([np.ones(1)] * 7))
    with pytest.raises(LabelError, match="metric weight"):
        corrected_side(replace(tally, weights=sums), gold_of([1], [0], [0], [1]), tail=TAIL)
    with pytest.raises(PlanError, match="rec, strict, placed, midp"):
        corrected_side(tally, gold_of([1], [0], [0], [1]), tail=TAIL, interval="wald")


def test_gold_needed_gives_the_width_asked_for() -> None:
    n, told, a, b = 2_000, 0.4, 0.75, 0.15
    m = gold_needed(labels=n, told_yes=told, true_of_yes=a, true_of_no=b, inflation=1.5)
    tally = tally_of([1], [1_000_000], [n], [told * n])
    yes, no = told * m, (1 - told) * m
    v = corrected_side(tally, gold_of([yes * a], [yes * (1 - a)], [no * b], [no * (1 - b)]), tail=TAIL).v
    p = told * a + (1 - told) * b
    assert np.sqrt(v / (p * (1 - p) / n)) == pytest.approx(1.5, rel=0.01)


def test_gold_needed_at_its_ends() -> None:
    assert gold_needed(labels=400, told_yes=0.3, true_of_yes=1, true_of_no=0, inflation=1.5) == 5
    assert gold_needed(labels=400, told_yes=0.3, true_of_yes=0.5, true_of_no=0.5, inflation=1.0001) == 400
    assert gold_needed(labels=3, told_yes=0.3, true_of_yes=1, true_of_no=0, inflation=2) == 3
    with pytest.raises(PlanError, match="inflation above 1"):
        gold_needed(labels=400, told_yes=0.3, true_of_yes=1, true_of_no=0, inflation=1)
