"""How many labels a goal needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nouns.goal import parse_goal
from assay.nouns.ladder import bin_of
from assay.nouns.profile import Profile
from assay.planning.choosing import DESIGNS, DesignName, choose_design
from assay.planning.sizing import forecast_plan, labels_needed, smallest, tails, uniform_labels
from assay.randomness import stream
from tests.identities.made import checked, profile_of


def calibrated(N: int) -> Profile:
    bins, units = np.unique(bin_of(stream(42, 2).beta(0.4, 2.5, N)), return_counts=True)
    half = int(bin_of(np.array([0.5]))[0])
    return profile_of({(int(b >= half), int(b)): int(c) for b, c in zip(bins, units, strict=True)})


PROFILE = calibrated(20_000)


@checked
@given(st.integers(1, 50), st.integers(0, 5000), st.integers(1, 6000))
def test_the_smallest_enough_is_found(low: int, spread: int, first: int) -> None:
    high = low + spread
    asked: list[int] = []

    def enough(n: int) -> bool:
        asked.append(n)
        return n >= first

    assert smallest(enough, low=low, high=high) == (max(low, first) if first <= high else None)
    assert all(low <= n <= high for n in asked)
    assert len(asked) <= 2 * np.log2(high + 1) + 3


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "prevalence"])
def test_a_narrower_goal_needs_more_labels(metric: str, name: DesignName) -> None:
    needed = [labels_needed(PROFILE, [parse_goal(f"{metric} +-{w}")], name=name) for w in (0.1, 0.05, 0.03)]
    sizes = [n for n in needed if n is not None]
    assert len(sizes) == 3
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("text", ["recall +-0.05", "precision +-0.05", "recall >= 0.3"])
def test_the_number_needed_settles_the_goal_and_half_of_it_does_not(text: str) -> None:
    goal = parse_goal(text)
    n = labels_needed(PROFILE, [goal])
    assert n is not None
    shown = [forecast_plan(PROFILE, goal, labels=m, design=choose_design(PROFILE, [goal.definition], labels=m)) for m in (n, n // 2)]
    assert [f.settles for f in shown] == [True, False]


def test_goals_together_need_at_least_what_the_neediest_needs() -> None:
    goals = [parse_goal("recall +-0.08"), parse_goal("precision +-0.08")]
    together = labels_needed(PROFILE, goals)
    alone = labels_needed(PROFILE, goals[:1])
    assert together is not None
    assert alone is not None
    assert together >= 0.95 * alone  # the bands of two goals are cut elsewhere, so not exactly


@pytest.mark.parametrize("units", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("name", DESIGNS)
def test_a_tiny_population_is_labeled_whole_or_less(units: int, name: DesignName) -> None:
    profile = profile_of({(1, 3000): units})
    for text in ("precision +-0.05", "prevalence +-0.05"):
        n = labels_needed(profile, [parse_goal(text)], name=name)
        assert n is not None
        assert n <= units


def test_a_class_of_exactly_half_a_flagged_label_in_the_first_guess_is_sized() -> None:
    """5 % flagged and a first guess of ten labels: the simple draw expects half a flagged label."""
    assert labels_needed(profile_of({(0, 10): 9500, (1, 3000): 500}), [parse_goal("recall +-0.1")], name="simple") is not None


def test_an_even_draw_pays_for_units_the_goal_does_not_need() -> None:
    """55 flagged labels at 4 % flagged: 1,375 of the table."""
    profile = profile_of({(0, 10): 96_000, (1, 3000): 4_000})
    assert uniform_labels(profile, parse_goal("precision +-0.05"), 55) == 1375
    assert uniform_labels(profile, parse_goal("recall +-0.05"), 55) == 55
    assert uniform_labels(profile, parse_goal("precision +-0.05"), None) is None
    assert uniform_labels(profile, parse_goal("precision +-0.05"), 4_000) == 100_000
    assert uniform_labels(profile_of({(0, 10): 7, (1, 3000): 3}), parse_goal("precision +-0.05"), 2) == 7  # 6.67 rounded up


def test_a_target_spends_its_error_on_one_side() -> None:
    assert tails(parse_goal("recall >= 0.9")) == pytest.approx((0.025, 0.05))
    assert tails(parse_goal("recall >= 0.9 at 0.9"), share=0.5) == pytest.approx((0.025, 0.05))
