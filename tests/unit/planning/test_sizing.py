"""How many labels a goal needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.planning.forecasting import forecast, tails
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.sizing import CLOSE, labels_needed, nearly_smallest, smallest, uniform_labels
from tests.identities.made import checked, profile_of
from tests.unit.planning.made import PROFILE

SIZED: tuple[DesignName, ...] = ("bands", "simple", "poisson", "importance")


def asked(text: str, profile: Profile = PROFILE) -> Ask:
    return ask_of(profile, parse_goal(text))


@checked
@given(st.integers(1, 50), st.integers(0, 5000), st.integers(1, 6000))
def test_the_smallest_enough_is_found(low: int, spread: int, first: int) -> None:
    high = low + spread
    tried: list[int] = []

    def enough(n: int) -> bool:
        tried.append(n)
        return n >= first

    assert smallest(enough, low=low, high=high) == (max(low, first) if first <= high else None)
    assert all(low <= n <= high for n in tried)
    assert len(tried) <= 2 * np.log2(high + 1) + 3


@checked
@given(st.integers(1, 50), st.integers(0, 2_000_000), st.integers(1, 3_000_000), st.floats(0.3, 0.8))
def test_nearly_the_smallest_is_found_where_what_is_short_falls_with_a_power_of_the_labels(
    low: int, spread: int, first: int, power: float
) -> None:
    """The exact one is `first`; what is found is enough, and at most two per cent of the width or one and a half of the labels above."""
    high = low + spread
    tried: list[int] = []

    def short(n: int) -> float:
        tried.append(n)
        return (first / n) ** power

    found = nearly_smallest(short, low=low, high=high)
    assert (found is None) == (first > high)
    if found is not None:
        exact = max(low, first)
        assert exact <= found <= max(exact + 1, exact * CLOSE ** (-1 / power) * 1.016)
    assert all(low <= n <= high for n in tried)
    assert len(tried) <= 14


def test_nothing_is_found_where_nothing_is_enough() -> None:
    assert nearly_smallest(lambda _: np.inf, low=10, high=100_000) is None
    assert nearly_smallest(lambda n: 2.0 if n < 5_000 else 0.5, low=10, high=100_000) in range(5_000, 5_100)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "prevalence"])
def test_a_narrower_goal_needs_more_labels(metric: str, name: DesignName) -> None:
    needed = [labels_needed(asked(f"{metric} +-{w}"), name=name) for w in (0.1, 0.05, 0.03)]
    sizes = [n for n in needed if n is not None]
    assert len(sizes) == 3
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("text", ["recall +-0.05", "precision +-0.05", "recall >= 0.3", "f1 >= 0.5 with 90 % power"])
def test_the_number_needed_settles_the_goal_and_half_of_it_does_not(text: str) -> None:
    ask = asked(text)
    n = labels_needed(ask)
    assert n is not None
    shown = [forecast(ask, choose_design(PROFILE, [ask.metric], labels=m), m) for m in (n, n // 2)]
    assert [f.settles for f in shown] == [True, False]


def test_a_surer_plan_needs_more_labels() -> None:
    needed = [labels_needed(asked(f"recall >= 0.3 with {power} power")) for power in (0.5, 0.8, 0.95)]
    sizes = [n for n in needed if n is not None]
    assert len(sizes) == 3
    assert sizes == sorted(set(sizes))


def test_a_target_the_scores_say_is_the_truth_is_never_settled() -> None:
    exact = forecast(asked("recall +-0.05"), choose_design(PROFILE, [asked("recall +-0.05").metric], labels=100), 100).value
    assert labels_needed(asked(f"recall >= {exact:.12f}")) is None


@pytest.mark.parametrize("units", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("name", SIZED)
def test_a_tiny_population_is_labeled_whole_or_less(units: int, name: DesignName) -> None:
    profile = profile_of({(1, 3000): units})
    for text in ("precision +-0.05", "prevalence +-0.05"):
        n = labels_needed(asked(text, profile), name=name)
        assert n is not None
        assert n <= units


def test_a_class_of_exactly_half_a_flagged_label_in_the_first_guess_is_sized() -> None:
    """5 % flagged and a first guess of ten labels: the simple draw expects half a flagged label."""
    assert labels_needed(asked("recall +-0.1", profile_of({(0, 10): 9500, (1, 3000): 500})), name="simple") is not None


def test_an_even_draw_pays_for_units_the_goal_does_not_need() -> None:
    """55 flagged labels at 4 % flagged: 1,375 of the table."""
    profile = profile_of({(0, 10): 96_000, (1, 3000): 4_000})
    precision, recall = (asked(f"{name} +-0.05", profile) for name in ("precision", "recall"))
    assert uniform_labels(profile, precision, 55) == 1375
    assert uniform_labels(profile, recall, 55) == 55
    assert uniform_labels(profile, precision, None) is None
    assert uniform_labels(profile, precision, 4_000) == 100_000
    tiny = profile_of({(0, 10): 7, (1, 3000): 3})
    assert uniform_labels(tiny, asked("precision +-0.05", tiny), 2) == 7  # 6.67 rounded up


def test_a_target_spends_its_error_on_one_side() -> None:
    assert tails(parse_goal("recall >= 0.9")) == pytest.approx((0.025, 0.05))
    assert tails(parse_goal("recall >= 0.9 at 0.9"), share=0.5) == pytest.approx((0.025, 0.05))
