"""Agreement of labelers, against scikit-learn and by hand; and the answer that counts where a unit has several."""

import itertools
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from fewlabels.errors import LabelError
from fewlabels.estimators.agreement import Agreement, RateWithLimits, TruthRule, agreement, agreement_of_counts, truth_of
from fewlabels.nouns.label import Answer
from tests.identities.made import checked

TAIL = 0.025
counts4 = st.tuples(*[st.one_of(st.integers(0, 3), st.integers(0, 200))] * 4).filter(lambda c: sum(c) > 0)


def of(a: float, b: float, c: float, d: float, *, units: float | None = None) -> Agreement:
    """Both yes, the first alone, the second alone, both no."""
    both, first, second, none = map(np.asarray, (float(a), float(b), float(c), float(d)))
    return agreement_of_counts(both_yes=both, first_only=first, second_only=second, both_no=none, tail=TAIL, of=units)


@checked
@given(counts4)
def test_kappa_is_that_of_scikit_learn(counts: tuple[int, int, int, int]) -> None:
    first, second = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
    found = of(*counts).kappa.value
    if len(set(first) | set(second)) == 1:  # both always say the same one thing: 0/0
        assert np.isnan(found)
    else:
        assert found == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_ac1_by_hand() -> None:
    """118, 5, 2, 0 of 125: the case of high agreement in which kappa is below 0. pi = .972, chance = 2 (.972) (.028)."""
    found = of(118, 5, 2, 0)
    assert found.observed.value == pytest.approx(0.944)
    assert found.ac1.value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432), rel=1e-12)
    assert found.kappa.value == pytest.approx(-0.0234, abs=1e-4)


@checked
@given(counts4)
def test_limits_hold_the_value_stay_in_range_and_have_width(counts: tuple[int, int, int, int]) -> None:
    found = of(*counts)
    for rate, lowest in ((found.observed, 0), (found.kappa, -1), (found.ac1, -1)):
        assert lowest <= rate.low < rate.high <= 1
        assert np.isnan(rate.value) or rate.low <= rate.value <= rate.high


@checked
@given(counts4)
def test_neither_who_is_first_nor_what_is_called_yes_matters(counts: tuple[int, int, int, int]) -> None:
    a, b, c, d = counts
    one = of(a, b, c, d)
    for other in (of(a, c, b, d), of(d, b, c, a)):
        for name in ("observed", "kappa", "ac1"):  # the directions tried are even, not symmetric: limits agree to half a per cent
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=0.02)
            assert getattr(one, name).value == pytest.approx(getattr(other, name).value, abs=1e-12, nan_ok=True)


def test_perfect_agreement_is_not_certain() -> None:
    found = of(10, 0, 0, 30)
    assert found.kappa.value == found.ac1.value == 1
    assert found.observed.low == pytest.approx(TAIL ** (1 / 40), rel=1e-12)
    assert found.kappa.low < 0.85
    assert found.ac1.low < 0.9


def test_every_unit_read_is_certain_and_fewer_are_not() -> None:
    whole = of(10, 2, 3, 30, units=45)
    for rate in (whole.observed, whole.kappa, whole.ac1):
        assert rate.low == pytest.approx(rate.high, abs=1e-12)
    part, endless = of(10, 2, 3, 30, units=60).kappa, of(10, 2, 3, 30).kappa
    assert 0 < part.high - part.low < endless.high - endless.low


def test_always_the_same_answer_leaves_kappa_unknown() -> None:
    found = of(0, 0, 0, 50)
    assert np.isnan(found.kappa.value)
    assert found.kappa.low == -1
    assert found.kappa.high == 1
    assert found.ac1.value == 1


def test_three_labelers_are_the_mean_of_their_pairs() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(60) < 0.4
    words = [[("yes" if t ^ (rng.random() < 0.1) else "no") for t in truth] for _ in range(3)]
    rows: list[list[Answer | None]] = [[w[i] for w in words] for i in range(60)]
    found = agreement(rows, tail=TAIL)
    pairs = [agreement([[row[i], row[j]] for row in rows], tail=TAIL) for i, j in itertools.combinations(range(3), 2)]
    for name in ("observed", "kappa", "ac1"):
        mean: RateWithLimits = getattr(found, name)
        np.testing.assert_allclose(mean, np.mean([getattr(pair, name) for pair in pairs], axis=0))
    assert found.units == 180


def test_units_that_one_did_not_answer_are_left_out() -> None:
    rows: list[list[Answer | None]] = [["yes", "yes"], ["no", "no"], ["yes", None], ["yes", "cannot_tell"], ["skipped", "no"]]
    assert agreement(rows, tail=TAIL).units == 2


def test_nobody_read_twice_is_refused() -> None:
    for rows in ([["yes", None], [None, "no"]], [["yes"], ["no"]], []):
        with pytest.raises(LabelError, match="second labeler"):
            agreement(rows, tail=TAIL)
    with pytest.raises(LabelError, match="second labeler"):
        of(0, 0, 0, 0)
    with pytest.raises(LabelError, match="at most all 40 units"):
        of(10, 10, 10, 11, units=40)


@pytest.mark.parametrize(
    ("answers", "first", "majority", "unanimous"),
    [
        ([], "cannot_tell", "cannot_tell", "cannot_tell"),
        (["cannot_tell", "no"], "no", "no", "no"),
        (["yes", "no"], "yes", "cannot_tell", "cannot_tell"),
        (["no", "yes", "yes"], "no", "yes", "cannot_tell"),
        (["no", "skipped", "no", "yes"], "no", "no", "cannot_tell"),
        (["yes", "yes", "never_answered"], "yes", "yes", "yes"),
        (["skipped"], "cannot_tell", "cannot_tell", "cannot_tell"),
    ],
)
def test_truth_by_rule(answers: list[Answer], first: Answer, majority: Answer, unanimous: Answer) -> None:
    by_rule: dict[TruthRule, Answer] = {"first": first, "majority": majority, "unanimous": unanimous, "adjudicated": majority}
    for rule, expected in by_rule.items():
        assert truth_of(answers, rule) == expected
        gold = truth_of(answers, rule, gold="no")
        assert gold == ("no" if rule == "adjudicated" else expected)


def test_an_adjudicator_who_cannot_tell_settles_that() -> None:
    assert truth_of(["yes", "yes"], "adjudicated", gold="cannot_tell") == "cannot_tell"


def test_an_unknown_rule_is_refused() -> None:
    rule = cast("TruthRule", "loudest")
    with pytest.raises(LabelError, match="first, majority, unanimous, adjudicated"):
        truth_of(["yes"], rule)


@pytest.mark.parametrize(
    ("answers", "majority", "unanimous"),
    [
        (["cat", "cat", "dog"], "cat", "cannot_tell"),
        (["dog", "cat", "cat"], "cat", "cannot_tell"),
        (["eel", "eel", "cannot_tell"], "eel", "eel"),
        (["cat", "dog", "eel"], "cannot_tell", "cannot_tell"),
        (["cat", "cat", "dog", "eel"], "cannot_tell", "cannot_tell"),
    ],
)
def test_truth_by_rule_of_classes(answers: list[Answer], majority: Answer, unanimous: Answer) -> None:
    assert truth_of(answers, "first") == answers[0]
    assert truth_of(answers, "majority") == majority
    assert truth_of(answers, "unanimous") == unanimous
