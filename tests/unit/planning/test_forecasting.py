"""What labels are expected to show, against the labels that come."""

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.decision import widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.planning.assumptions import at_their_word
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.planning.forecasting import CHANCE_REPS, forecast, settles, tails
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.simulated_draws import WIDTH_REPS
from fewlabels.planning.sizing import CLOSE, labels_needed
from fewlabels.randomness import stream
from tests.unit.planning.made import PROFILE, SLICED

FORECAST = 15  # the purpose of the streams below
REPS = 600
TARGETS = ["precision >= 0.6", "recall >= 0.4 with 90 % power if 0.5", "prevalence <= 0.2 with 0.6 power"]


def studies(ask: Ask, design: DrawDesign, labels: int, rng: np.random.Generator) -> tuple[Measured, Measured]:
    """Whole studies on populations made as the goal believes: every unit's answer, then a draw of each band, then the intervals."""
    share = at_their_word(ask).share[0]
    groups = groups_of(ask.part, design)
    take = takes_of(design, labels)
    n, k = np.zeros((REPS, groups.N.size)), np.zeros((REPS, groups.N.size))
    for band, size in enumerate(take):
        cells = np.flatnonzero(design.band == band)
        of_cell = rng.multivariate_hypergeometric(ask.part.count[cells], size, size=REPS, method="marginals")
        positive = rng.binomial(of_cell, share[cells])
        for cell, drawn, found in zip(cells, of_cell.T, positive.T, strict=True):
            n[:, groups.of_cell[cell]] += drawn
            k[:, groups.of_cell[cell]] += found
    tally = groups.tally(n, k)
    two, one = tails(ask.goal)
    return measure(ask.metric, tally, tail=two), measure(ask.metric, tally, tail=one)


def asked(text: str) -> Ask:
    return ask_of(PROFILE, parse_goal(text))


def slack(chance: float, reps: int) -> float:
    """Five standard errors of a share seen in so many."""
    return 5 * float(np.sqrt(max(chance * (1 - chance), 1 / reps) / reps))


@pytest.mark.parametrize("labels", [150, 500])
@pytest.mark.parametrize("text", [*TARGETS, "recall +-0.1"])
def test_a_chance_is_that_of_whole_studies(text: str, labels: int, seed: int) -> None:
    ask = asked(text)
    design = choose_design(PROFILE, [ask.metric], labels=labels)
    shown = forecast(ask, design, labels)
    wide, bound = studies(ask, design, labels, stream(seed, FORECAST, labels))
    seen = float((settles(ask.goal, wide, bound) & (wide.half_width <= widest(ask.metric))).mean())
    reps = WIDTH_REPS if ask.goal.kind == "+-" else CHANCE_REPS
    assert abs(shown.chance - seen) <= slack(seen, reps) + slack(seen, REPS)
    mean, spread = float(wide.half_width.mean()), float(wide.half_width.std())
    assert abs(shown.half_width - mean) <= 5 * spread * (reps**-0.5 + REPS**-0.5)


def test_a_share_of_the_value_is_planned_by_power(seed: int) -> None:
    """Reached in four studies of five; the twin, the same number read as points, is reached with far fewer labels."""
    ask, points = asked("prevalence +-20% of it"), asked("prevalence +-20%")
    needed, fewer = labels_needed(ask), labels_needed(points)
    assert needed is not None
    assert fewer is not None
    assert fewer < needed / 4
    found = []
    for part, n in enumerate((needed, needed // 2)):
        wide, bound = studies(ask, choose_design(PROFILE, [ask.metric], labels=n), n, stream(seed, FORECAST, 2, part))
        found.append(int(settles(ask.goal, wide, bound).sum()))
    assert binom.ppf(1e-6, REPS, 0.8 - slack(0.8, CHANCE_REPS) / 2) <= found[0] <= binom.isf(1e-6, REPS, 0.8 + slack(0.8, CHANCE_REPS) / 2)
    assert found[1] < binom.ppf(1e-6, REPS, 0.8)


@pytest.mark.parametrize("text", TARGETS)
def test_the_number_needed_settles_a_target_with_its_power_and_half_of_it_does_not(text: str, seed: int) -> None:
    ask = asked(text)
    needed = labels_needed(ask)
    assert needed is not None
    found = []
    for part, n in enumerate((needed, needed // 2)):
        design = choose_design(PROFILE, [ask.metric], labels=n)
        wide, bound = studies(ask, design, n, stream(seed, FORECAST, 1, part))
        found.append(int(settles(ask.goal, wide, bound).sum()))
    least = ask.goal.power - slack(ask.goal.power, CHANCE_REPS) / 2  # the size itself was found from 200 imagined studies
    assert found[0] >= binom.ppf(1e-6, REPS, least)
    assert found[1] < binom.ppf(1e-6, REPS, ask.goal.power)


@pytest.mark.parametrize("text", ["precision +-0.06", "recall +-0.07", "f1 +-0.06"])
def test_the_number_needed_has_the_half_width_and_15_percent_fewer_do_not(text: str, seed: int) -> None:
    ask = asked(text)
    needed = labels_needed(ask)
    assert needed is not None
    means = []
    for part, n in enumerate((needed, round(0.85 * needed))):
        wide, _ = studies(ask, choose_design(PROFILE, [ask.metric], labels=n), n, stream(seed, FORECAST, 2, part))
        error = 5 * float(wide.half_width.std()) * (WIDTH_REPS**-0.5 + REPS**-0.5)
        means.append((float(wide.half_width.mean()), error))
    assert means[0][0] <= ask.goal.value + means[0][1]
    assert means[0][0] >= CLOSE * ask.goal.value - means[0][1]
    assert means[1][0] > ask.goal.value


def test_a_forecast_is_the_same_every_time() -> None:
    ask = asked("recall >= 0.4")
    design = choose_design(PROFILE, [ask.metric], labels=200)
    assert forecast(ask, design, 200) == forecast(ask, design, 200)


@pytest.mark.parametrize("name", ["bands", "simple", "poisson", "importance", "neyman"])
def test_a_census_is_exact_and_settles(name: DesignName) -> None:
    ask = asked("recall +-0.01")
    design = choose_design(PROFILE, [ask.metric], labels=PROFILE.N, name=name)
    shown = forecast(ask, design, PROFILE.N)
    assert shown.half_width == pytest.approx(0, abs=1e-9)
    assert shown.settles


def test_less_error_to_spend_needs_more_labels() -> None:
    ask = asked("recall +-0.06")
    design = choose_design(PROFILE, [ask.metric], labels=400)
    assert forecast(ask, design, 400, share=0.2).half_width > forecast(ask, design, 400).half_width


def test_a_slice_in_bands_of_the_whole_table_is_less_sure_than_in_bands_of_its_own() -> None:
    """How many of a band's labels fall into the slice is chance, and fewer do."""
    ask = ask_of(SLICED, parse_goal("recall +-0.1 in country=de"), slices=("country", "channel"))
    whole = choose_design(SLICED, [ask.metric], labels=400)
    own = choose_design(ask.part, [ask.metric], labels=400)
    assert forecast(ask, whole, 400).half_width > forecast(ask.alone, own, 400).half_width
