"""Several goals on one draw: parts that share no unit, and the labels that settle all goals, against whole studies."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.decision import widest
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.planning.apart import parts_of, shared_out
from fewlabels.planning.assumptions import at_their_word
from fewlabels.planning.forecasting import Forecast, Reach, settles, tails
from fewlabels.planning.goal_scope import Ask, ask_of, expand
from fewlabels.planning.shared_draw import design_together, own_design
from fewlabels.planning.simulated_draws import groups_for
from fewlabels.planning.sizing import labels_needed
from fewlabels.planning.together import NEAR, Outcome, forecast_together, labels_for_all, labels_settling_all, needs_together
from fewlabels.randomness import stream
from tests.unit.planning.made import SLICED

TOGETHER = 21  # the purpose of the streams below
SLICES = ("country", "channel")
REPS = 400
APART = ("recall +-0.1 by country",)
CROSSING = ("precision >= 0.5 by channel", "recall +-0.08", "f1 +-0.1 in country=at")
PLAIN = Design()


class Sized(NamedTuple):
    """The goals of a case, and what each needs alone and asks of one draw."""

    asks: Sequence[Ask]
    alone: tuple[int, ...]
    needs: tuple[int | None, ...]

    def design(self, labels: int) -> DrawDesign:
        return design_together(SLICED, self.asks, self.needs, labels=labels, choice=PLAIN, slices=SLICES)


@cache
def sized(texts: tuple[str, ...]) -> Sized:
    asks = [ask_of(SLICED, g, slices=SLICES) for g in expand(SLICED, [parse_goal(t) for t in texts], slices=SLICES)]
    alone = [labels_needed(ask) for ask in asks]
    known = tuple(n for n in alone if n is not None)
    assert len(known) == len(alone)
    return Sized(asks, known, needs_together(SLICED, asks, alone, slices=SLICES))


def all_settled(case: Sized, labels: int, rng: np.random.Generator) -> BoolArray:
    """Whether whole studies settle every goal: the answer of every unit, a draw of each band, and the intervals of each goal."""
    design = case.design(labels)
    take = takes_of(design, labels)
    share = np.zeros(SLICED.count.size)
    for ask in case.asks:
        share[ask.cells] = at_their_word(ask).share[0]
    n, k = (np.zeros((REPS, SLICED.count.size)) for _ in range(2))
    for band, size in enumerate(take):
        cells = np.flatnonzero(design.band == band)
        n[:, cells] = rng.multivariate_hypergeometric(SLICED.count[cells], size, size=REPS, method="marginals")
        k[:, cells] = rng.binomial(n[:, cells].astype(int), share[cells])
    found = np.ones(REPS, dtype=np.bool_)
    for ask in case.asks:
        groups = groups_for(ask, design, take=take)
        tally = groups.tally(groups.summed(n[:, ask.cells]), groups.summed(k[:, ask.cells]))
        wide, bound = (measure(ask.metric, tally, tail=tail) for tail in tails(ask.goal))
        found &= settles(ask.goal, wide, bound) & (wide.half_width <= widest(ask.metric))
    return found


def test_goals_that_share_a_unit_are_in_one_part() -> None:
    assert parts_of(sized(APART).asks) == [[0], [1], [2], [3]]
    assert parts_of(sized(CROSSING).asks) == [[0, 1, 2, 3]]  # the whole table joins all


def test_labels_are_shared_out_in_proportion_and_within_what_there_is() -> None:
    assert shared_out(np.array([10.0, 20.0, 30.0]), np.array([100, 100, 100]), 120).tolist() == [20, 40, 60]
    assert shared_out(np.array([10.0, 20.0, 30.0]), np.array([100, 25, 100]), 120).tolist() == [24, 25, 71]
    assert shared_out(np.array([1.0, 1.0]), np.array([3, 4]), 99).tolist() == [3, 4]


def test_slices_on_one_draw_cost_what_a_draw_for_each_costs() -> None:
    """Each slice has the bands of its own draw, with the same takes up to a label: one list rounds the takes of all bands."""
    case = sized(APART)
    assert case.needs == case.alone
    labels = labels_for_all(SLICED, case.asks, case.needs, slices=SLICES)
    assert labels == sum(case.alone)
    design = case.design(labels)
    take = takes_of(design, labels)
    assert take.sum() == labels
    for ask, need in zip(case.asks, case.alone, strict=True):
        own = own_design(ask.alone, need)
        bands = np.unique(design.band[ask.cells][design.band[ask.cells] >= 0])
        assert design.N[bands].tolist() == own.N.tolist()
        assert np.abs(take[bands] - takes_of(own, need)).max() <= 1
        assert int(take[bands].sum()) == pytest.approx(need, rel=0.03)


def test_goals_that_share_units_ask_for_just_enough() -> None:
    case = sized(CROSSING)
    labels = labels_for_all(SLICED, case.asks, case.needs, slices=SLICES)
    assert labels is not None
    assert labels <= 0.9 * sum(case.alone)
    seen = forecast_together(case.asks, case.design(labels), labels)
    assert max(one.short for one in seen.goals) <= NEAR * 1.02


@pytest.mark.parametrize("texts", [APART, CROSSING], ids=["apart", "crossing"])
def test_the_size_for_all_settles_all_goals_and_that_for_each_does_not(texts: tuple[str, ...], seed: int) -> None:
    """In whole studies, four times in five; the twin is the size with which each goal has its own chance."""
    case = sized(texts)
    each = labels_for_all(SLICED, case.asks, case.needs, slices=SLICES)
    assert each is not None

    def shows(labels: int) -> Outcome:
        return forecast_together(case.asks, case.design(labels), labels)

    for_all = labels_settling_all(each, lambda labels: case.design(labels).frame, shows)
    assert for_all is not None
    assert for_all > each
    settled = int(all_settled(case, for_all, stream(seed, TOGETHER, len(texts))).sum())
    assert binom.ppf(1e-3, REPS, 0.75) <= settled <= binom.isf(1e-3, REPS, 0.9)
    fewer = int(all_settled(case, each, stream(seed, TOGETHER, len(texts), 1)).sum())
    assert fewer < binom.ppf(1e-3, REPS, 0.75)


class Shown:
    """What so many labels show, made up: a chance, and whether a goal stays open all the same."""

    def __init__(self, chance: dict[int, float], open_below: int = 0, fewest: int = 1) -> None:
        """Chances at some numbers of labels; the line between them is followed, the last one kept."""
        self.chance, self.open_below, self.fewest, self.asked = chance, open_below, fewest, list[int]()

    def __call__(self, labels: int) -> Outcome:
        self.asked.append(labels)
        if labels < self.fewest:
            raise PlanError("too few labels")
        share = float(np.interp(labels, list(self.chance), list(self.chance.values())))
        ratio = np.where(np.arange(1000) < 1000 * share, 0.9, 1.2)
        one = Forecast(value=0.9, half_width=0.1, chance=share, settles=True, short=1.05, expected="pass")
        return Outcome((one._replace(expected="open") if labels < self.open_below else one,), (ratio,))


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (Shown({100: 0.5, 200: 0.9}), range(175, 191)),
        (Shown({100: 0.81, 200: 0.9}), range(100, 101)),
        (Shown({100: 0.81, 200: 0.9}, open_below=112), range(112, 125)),
        (Shown({100: 0.3, 9999: 0.31, 10_000: 1.0}), range(10_000, 10_001)),
        (Shown({100: 0.3, 10_000: 0.79}), None),
        (Shown({100: 0.9}, open_below=20_000), None),
        (Shown({1: 0.99}, fewest=40), range(40, 60)),
    ],
    ids=["between", "at once", "one is open", "a step", "too few units", "always open", "too few labels for its bands"],
)
def test_the_size_for_all_is_found_if_there_is_one(shown: Shown, wanted: range | None) -> None:
    """Also where a goal that must be sure stays open at a chance of 80 % of all, and where the law of the root does not hold."""
    found = labels_settling_all(100, lambda labels: 10_000, shown)
    assert found is None if wanted is None else found in wanted, (found, shown.asked)


def test_a_rare_excess_is_extrapolated() -> None:
    """The far end of a ratio whose logarithm is normal, from 200 of them; counting would say that it never happens."""
    ratio = np.exp(0.1 * stream(42, TOGETHER).standard_normal(200))
    assert (ratio > 1.33).mean() == 0
    assert Reach(ratio).within(1.33) == pytest.approx(0.9978, abs=1.5e-3)
    assert Reach(ratio).within(1.0) == (ratio <= 1).mean()
    assert Reach(np.ones(200)).within(2.0) == 1.0


def test_goals_that_are_settled_with_ease_tell_nothing_of_the_others() -> None:
    """Ten sets of goals, two of which are nearly a census: their ratios are 0 but for rounding. All of them a census: settled for sure."""
    rng = stream(42, TOGETHER, 9)
    near = [np.exp(rng.normal(-0.5, 0.15, 40)) for _ in range(8)]
    census = [10 ** rng.uniform(-12, -6, 40) for _ in range(10)]
    seen = Forecast(value=0.5, half_width=0.1, chance=1.0, settles=True, short=0.5, expected="pass")
    assert Outcome((seen,), tuple(census)).chance == 1.0
    mixed, alone = (Outcome((seen,), tuple(ratios)).chance for ratios in ([*near, *census[:2]], near))
    assert mixed == alone
    assert mixed is not None
    assert mixed > 0.9
