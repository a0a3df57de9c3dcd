"""Several goals on one draw: none is served worse than by its own."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from fewlabels.designs.base import takes_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.forecasting import forecast
from fewlabels.planning.goal_scope import Ask, ask_of, domain_of, expand
from fewlabels.planning.shared_draw import FLOOR, design_together, labels_together, optimum, rates_together
from fewlabels.planning.simulated_draws import WIDTH_REPS
from fewlabels.planning.sizing import labels_needed
from tests.unit.planning.made import PROFILE, SLICED

SLICES = ("country", "channel")
CASES: dict[str, tuple[Profile, tuple[str, ...]]] = {
    "two sides": (PROFILE, ("precision +-0.06", "recall +-0.06")),
    "overlapping": (PROFILE, ("f1 +-0.06", "recall +-0.07", "prevalence <= 0.2")),
    "by slice": (SLICED, ("recall +-0.1 by country",)),
    "slices that cross": (SLICED, ("precision +-0.08 by country", "precision +-0.06 by channel", "f1 +-0.05")),
}


@cache
def sized(case: str) -> tuple[Profile, list[Ask], list[int]]:
    """The asks of a case and what each needs alone."""
    profile, texts = CASES[case]
    asks = [ask_of(profile, g, slices=SLICES) for g in expand(profile, [parse_goal(t) for t in texts], slices=SLICES)]
    needs = [labels_needed(ask) for ask in asks]
    assert all(n is not None for n in needs)
    return profile, asks, [n for n in needs if n is not None]


def variance(ask: Ask, pi: FloatArray) -> float:
    """Linearised: sum of e^2 (1 / pi - 1) over the units the goal is about."""
    e, rate = ask.size, pi[ask.cells]
    mine = e > 0
    return float((ask.part.count[mine] * e[mine] ** 2 * (1 / rate[mine] - 1)).sum())


@pytest.mark.parametrize("case", CASES)
def test_the_largest_rate_is_no_goals_loss(case: str) -> None:
    """Safe by construction: at the labels all need together no unit is less likely than in any goal's own draw."""
    profile, asks, needs = sized(case)
    together = labels_together(asks, needs)
    pi = rates_together(asks, needs, labels=together)
    assert (pi * profile.count).sum() == pytest.approx(together, rel=2e-3)
    for ask, n in zip(asks, needs, strict=True):
        own = ask.rates(n)
        assert (pi >= own * (1 - 3e-3)).all()  # the scale is found to a thousandth of the labels
        assert variance(ask, pi) <= variance(ask, own) * 1.005


@pytest.mark.parametrize("case", CASES)
def test_the_optimum_needs_no_more_labels_and_starves_nothing(case: str) -> None:
    profile, asks, needs = sized(case)
    largest = np.maximum.reduce([ask.rates(n) for ask, n in zip(asks, needs, strict=True)])
    pi = optimum(asks, [float(n) for n in needs])
    assert (pi >= FLOOR * largest * (1 - 1e-9)).all()
    assert ((pi > 0) == (largest > 0)).all()
    assert (pi <= 1).all()
    assert (pi * profile.count).sum() <= (largest * profile.count).sum() * (1 + 1e-9)
    for ask, n in zip(asks, needs, strict=True):
        assert variance(ask, pi) <= 1.0101 * variance(ask, ask.rates(n))
    assert labels_together(asks, needs, several="optimum") <= labels_together(asks, needs)


@pytest.mark.parametrize("case", CASES)
def test_one_draw_for_all_needs_no_more_than_a_draw_for_each_and_no_less_than_the_neediest(case: str) -> None:
    _, asks, needs = sized(case)
    together = labels_together(asks, needs)
    assert max(needs) <= together <= sum(needs)
    assert labels_together(asks[:1], needs[:1]) == needs[0]


def test_goals_that_share_units_share_labels() -> None:
    """Crossing slices and the whole table: the same units serve three goals. Slices apart share nothing."""
    _, asks, needs = sized("slices that cross")
    assert labels_together(asks, needs) < 0.8 * sum(needs)
    _, asks, needs = sized("by slice")
    assert sum(needs) - len(needs) <= labels_together(asks, needs) <= sum(needs)


@pytest.mark.parametrize("several", ["largest", "optimum"])
@pytest.mark.parametrize("case", CASES)
def test_one_draw_of_that_size_shows_every_goal_what_its_own_would(case: str, several) -> None:
    """Half-widths at the labels all need together are those asked for, up to the imagined draws behind the sizes and coarser bands."""
    profile, asks, needs = sized(case)
    labels = labels_together(asks, needs, several=several)
    design = design_together(profile, asks, needs, labels=labels, choice=Design(several=several), slices=SLICES)
    assert takes_of(design, labels).sum() == labels
    for ask in asks:
        assert forecast(ask, design, labels).short <= 1 + 0.35 / math.sqrt(WIDTH_REPS) + 0.05, str(ask.goal)
    fewer = labels // 2
    coarse = design_together(profile, asks, needs, labels=fewer, choice=Design(several=several), slices=SLICES)
    assert any(forecast(ask, coarse, fewer).short > 1.1 for ask in asks)


def test_bands_keep_the_slices_of_goals_apart_where_there_are_labels_enough() -> None:
    profile, asks, needs = sized("by slice")
    domain = domain_of(profile, [ask.goal for ask in asks], SLICES)
    assert domain is not None

    def crossing(labels: int) -> list[int]:
        design = design_together(profile, asks, needs, labels=labels, choice=Design(), slices=SLICES)
        return [band for band in range(design.N.size) if np.unique(domain[design.band == band]).size > 1]

    assert not crossing(400)
    assert crossing(8)  # the twin: two labels a band are too few for four slices of two sides


def test_a_goal_in_one_slice_asks_for_no_unit_elsewhere() -> None:
    asks: Sequence[Ask] = [ask_of(SLICED, parse_goal("recall +-0.1 in country=de"), slices=SLICES)]
    design = design_together(SLICED, asks, [None], labels=100, choice=Design(), slices=SLICES)
    assert ((design.band >= 0) == asks[0].cells).all()
