"""Labels that cost differently by slice: units that cost less are drawn more often, and a budget may be money."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import fewlabels
from fewlabels.designs.base import by_price, takes_of
from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.design import Design, Prices
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.simulated_draws import groups_for
from fewlabels.randomness import stream
from fewlabels.study.plan.one_draw import ColumnNames, OneDraw, PlanOptions
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.profile import profile_for

N = 20_000
PRICES = 83  # of the random streams
REPS = 400
PER = Prices("language", (("de", 2.0), ("fi", 8.0)), 0.5)
NAMES = ColumnNames(["classifier"], ["language"])
GOALS = ("recall +-0.08", "precision +-0.06")


def table(seed: int) -> tuple[dict[str, Any], dict[str, bool]]:
    rng = stream(seed, PRICES)
    score = rng.beta(0.3, 3, N)
    units = [str(i) for i in range(N)]
    truth = dict(zip(units, (rng.random(N) < score).tolist(), strict=True))
    return {"id": units, "score": score, "language": rng.choice(["en", "de", "fi"], N, p=[0.6, 0.3, 0.1])}, truth


def population(seed: int) -> Any:
    return fewlabels.read_population(table(seed)[0], score="score", threshold=0.5, slices=["language"])


def draw_for(seed: int, texts: tuple[str, ...], prices: Prices | None = PER, *, interval: str = "rec") -> OneDraw:
    goals = [parse_goal(text) for text in texts]
    _, profile = profile_for(population(seed), goals)
    return OneDraw(profile, goals, PlanOptions(Design(prices=prices), interval), NAMES)


def test_the_default_interval_is_not_shorter_where_cheap_units_are_drawn_more_often(seed: int) -> None:
    """So its draw does not know the prices, only the bill does. The twin, an interval that trusts the scores, saves a tenth or more."""
    for interval, saves in (("placed", False), ("rec", True)):
        mine, other = (draw_for(seed, ("recall +-0.1",), prices, interval=interval) for prices in (PER, None))
        assert mine.together is not None
        assert other.together is not None
        assert (mine.together == other.together) is not saves


def test_rates_follow_the_root_of_the_price_and_keep_the_labels() -> None:
    count, price = np.array([100, 100, 5]), np.array([1.0, 4.0, 4.0])
    found = by_price(np.array([0.2, 0.2, 1.0]), count, price)
    assert found @ count == pytest.approx(45)
    assert found[0] / found[1] == pytest.approx(2.0)
    assert found[2] == 1.0


@pytest.mark.parametrize("texts", [GOALS, ("recall +-0.1",), ("recall +-0.15 by language",)], ids=["two", "one", "slices"])
def test_every_band_has_one_price_and_money_buys_that_many_labels(texts: tuple[str, ...], seed: int) -> None:
    draw = draw_for(seed, texts)
    design = draw.design(400)
    price = np.array([PER.of(values[0]) for values in draw.fine.slice_values])[draw.fine.slice]
    assert all(np.ptp(price[design.band == band]) == 0 for band in range(design.N.size))
    money = draw.money(400)
    assert money is not None
    found = draw.labels_for(money)
    assert found is not None
    assert found == pytest.approx(400, rel=0.01)  # a label more may cost less: it may be of another slice
    assert (draw.money(found) or 0.0) <= money


def test_goals_cost_less_than_with_one_price(seed: int) -> None:
    """The twin is the draw that does not know the prices: each of its labels costs what the units it draws cost on average."""
    mine, other = draw_for(seed, GOALS), draw_for(seed, (*GOALS, "precision +-0.9 in language=de"), None)  # its cells know the language
    labels = draw_for(seed, GOALS, None).together
    assert labels is not None
    assert mine.together is not None
    money = mine.money(mine.together)
    assert money is not None
    band, cells = other.design(labels).band, other.fine
    price = np.array([PER.of(values[0]) for values in cells.slice_values])[cells.slice]
    design = other.design(labels)
    each = np.bincount(band[band >= 0], weights=(cells.count * price)[band >= 0]) / design.N
    assert money <= 0.9 * float(takes_of(design, labels) @ each)


def test_the_prices_are_locked_with_the_plan_and_the_draw_is_checked(seed: int, tmp_path: Path) -> None:
    said, truth = table(seed)
    study = fewlabels.Study.create("s", population(seed), goals=list(GOALS), ledger=f"sqlite:///{tmp_path}/l.db")
    plan = study.plan(300, design=Design(prices=PER), interval="rec")
    assert plan.choice is not None
    assert plan.choice.prices == PER
    language = dict(zip(said["id"], said["language"].tolist(), strict=True))
    spent = 0.0
    while batch := study.ask(300):
        spent += sum(PER.of(language[unit]) for unit in batch.units)
        study.tell([{"unit": unit, "answer": truth[unit]} for unit in batch.units])
    draw = draw_for(seed, GOALS)
    assert spent == pytest.approx(draw.money(300))
    assert study.verify(population=True).passed
    grown = study.plan(500)
    assert grown.choice == plan.choice


@pytest.mark.parametrize("tail", [0.025, 0.05])
def test_intervals_of_a_priced_draw_are_true_to_their_word(tail: float, seed: int) -> None:
    """Exact binomial limits; the twin is the share of positives found, which does not know the rates."""
    said, truth = table(seed)
    draw = draw_for(seed, ("recall +-0.1",))
    ask, design, cells = draw._drawn[0], draw.design(200), draw.fine
    home = profile_cells(cells, said)
    y = np.array([truth[unit] for unit in said["id"]])
    K = np.bincount(home, weights=y, minlength=cells.count.size).astype(int)
    take, rng = takes_of(design, 200), stream(seed, PRICES, 1)
    n, k = (np.zeros((REPS, cells.count.size)) for _ in range(2))
    for band, size in enumerate(take):
        mine = np.flatnonzero(design.band == band)
        both = rng.multivariate_hypergeometric(np.concatenate([K[mine], cells.count[mine] - K[mine]]), size, size=REPS, method="marginals")
        k[:, mine], n[:, mine] = both[:, : mine.size], both[:, : mine.size] + both[:, mine.size :]
    groups = groups_for(ask, design, take=take)
    found = measure(ask.metric, groups.tally(groups.summed(n), groups.summed(k)), tail=tail)
    flagged = cells.predicted(0)
    recall = K[flagged].sum() / K.sum()
    assert ((found.low > recall).sum(), (found.high < recall).sum()) <= (binom.isf(1e-4, REPS, tail),) * 2
    plain = k[:, flagged].sum(axis=1) / k.sum(axis=1)
    assert abs(plain.mean() - recall) > 0.02


def profile_cells(profile: Profile, said: dict[str, Any]) -> Any:
    """The cell of every unit."""
    code = {values[0]: i for i, values in enumerate(profile.slice_values)}
    part = np.array([code[value] for value in said["language"].tolist()])
    return profile.cells((said["score"] >= 0.5).astype(np.int64), ladder.bin_of(said["score"]), part)


@pytest.mark.parametrize(
    ("prices", "how", "said"),
    [
        (Prices("language", ()), {}, "must be a positive number, got none"),
        (Prices("language", (("de", -1.0),), 1.0), {}, "must be a positive number"),
        (Prices("language", (("de", float("nan")),), 1.0), {}, "must be a positive number"),
        (PER, {"name": "simple"}, "for the design bands"),
        (PER, {"several": "optimum"}, "for the design bands and several='largest'"),
    ],
)
def test_prices_that_are_none_are_refused(prices: Prices, how: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Design(prices=prices, **how)


def test_a_value_without_a_price_and_a_price_without_a_value_are_refused(seed: int) -> None:
    with pytest.raises(PlanError, match="'en' has none: name it"):
        draw_for(seed, GOALS, PER._replace(other=None))
    with pytest.raises(PlanError, match="'language' has no value 'xx'"):
        draw_for(seed, GOALS, Prices("language", (("xx", 1.0),), 1.0))
    with pytest.raises(PlanError, match="needs the price of a label"):
        fewlabels.size(population(seed), list(GOALS), spend=100.0)


def test_the_bill_is_that_of_the_draw(seed: int) -> None:
    goals = [parse_goal(text) for text in GOALS]
    _, profile = profile_for(population(seed), goals)
    ways = PlanOptions(Design(prices=PER), "rec")
    found = size_goals(profile, goals, spend=300.0, ways=ways, names=NAMES)
    assert found.budget is not None
    money = OneDraw(profile, goals, ways, NAMES).money(found.budget)
    assert found.money("budget") == money
    assert money is not None
    assert 290 <= money <= 300
    assert Design.of_json(Design(prices=PER).as_json()) == Design(prices=PER)
