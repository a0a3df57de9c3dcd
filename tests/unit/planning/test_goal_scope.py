"""What a goal asks of a profile: its slice, its cells, its classifier."""

import numpy as np
import pytest

from fewlabels.engines.opening import open_engine
from fewlabels.errors import GoalError
from fewlabels.nouns.goal import parse_goal
from fewlabels.planning.design_choice import own_rates
from fewlabels.planning.goal_scope import ask_of, cells_of, domain_of, expand, left_out
from fewlabels.study.population.read import read_population
from tests.unit.planning.made import COUNTRIES, PROFILE, SLICED

SLICES = ("country", "channel")


def test_a_goal_by_a_column_becomes_one_a_value() -> None:
    found = expand(SLICED, [parse_goal("recall +-0.1 by country"), parse_goal("f1 +-0.1")], slices=SLICES)
    assert [str(g) for g in found] == [*(f"recall +-0.1 in country={c}" for c in COUNTRIES), "f1 +-0.1"]
    assert all(g.by is None for g in found)


def test_a_goal_said_twice_is_one() -> None:
    texts = ("recall +-0.1 in country=be", "recall +-0.1 by country", "recall +-0.1 in country=be")
    found = expand(SLICED, [parse_goal(text) for text in texts], slices=SLICES)
    assert [g.slice for g in found] == [("country", c) for c in ("be", "at", "ch", "de")]


def test_values_no_unit_has_are_not_asked_about() -> None:
    only = SLICED.part(cells_of(SLICED, ("country", "at"), SLICES))
    assert [g.slice for g in expand(only, [parse_goal("f1 +-0.1 by country")], slices=SLICES)] == [("country", "at")]


def test_the_cells_of_a_columns_values_are_all_cells_once() -> None:
    for position, column in enumerate(SLICES):
        values = sorted({v[position] for v in SLICED.slice_values})
        held = np.stack([cells_of(SLICED, (column, value), SLICES) for value in values])
        assert (held.sum(axis=0) == 1).all()
        for value, cells in zip(values, held, strict=True):
            assert {SLICED.slice_values[code][position] for code in SLICED.slice[cells]} == {value}
    assert cells_of(SLICED, None, ()).all()


def test_an_ask_of_a_slice_knows_its_units_alone() -> None:
    ask = ask_of(SLICED, parse_goal("precision +-0.1 in country=de"), slices=SLICES)
    cells = cells_of(SLICED, ("country", "de"), SLICES)
    assert SLICED.count[cells].sum() == ask.part.N
    assert ask.frame == SLICED.count[cells & SLICED.predicted(0)].sum()
    rates = ask.rates(40)
    assert not rates[~cells].any()
    assert (rates * SLICED.count).sum() == pytest.approx(40)
    assert (rates[cells] == own_rates(ask.part, [ask.metric], labels=40)).all()


def test_a_domain_tells_the_slices_of_goals_apart_and_no_others() -> None:
    def domains(*texts: str) -> int:
        found = domain_of(SLICED, [parse_goal(text) for text in texts], SLICES)
        assert found is not None
        return np.unique(found).size

    assert domains("f1 +-0.1 in country=at") == 4
    assert domains("f1 +-0.1 in country=at", "f1 +-0.1 in channel=web") == 8
    assert domain_of(SLICED, [parse_goal("f1 +-0.1")], SLICES) is None


def test_a_classifier_is_found_by_its_name() -> None:
    assert ask_of(PROFILE, parse_goal("f1 +-0.1 for b"), names=("a", "b")).classifier == 1
    assert ask_of(PROFILE, parse_goal("f1 +-0.1"), names=("a", "b")).classifier == 0


@pytest.mark.parametrize("text", ["f1 +-0.1 by city", "f1 +-0.1 in city=x"])
def test_an_unknown_column_is_refused(text: str) -> None:
    with pytest.raises(GoalError, match="'city' is not one and the population has country, channel: name it with --slice"):
        [ask_of(SLICED, g, slices=SLICES) for g in expand(SLICED, [parse_goal(text)], slices=SLICES)]
    with pytest.raises(GoalError, match="the population has none: name it with --slice"):
        [ask_of(PROFILE, g) for g in expand(PROFILE, [parse_goal(text)])]


def test_a_value_no_unit_has_is_refused() -> None:
    with pytest.raises(GoalError, match="the population has no units in that slice: check the slice value"):
        ask_of(SLICED, parse_goal("f1 +-0.1 in country=xx"), slices=SLICES)


def test_a_slice_without_units_to_judge_is_left_out_and_named() -> None:
    """Precision by country where one country has no flagged unit: the others are asked, and the plan says which is not."""
    units = range(40)
    score, country = [0.9 if i < 10 else 0.1 for i in units], ["DE" if i < 20 else "US" for i in units]
    table = {"id": list(units), "score": score, "country": country}
    profile = open_engine(read_population(table, score="score", threshold=0.5, slices=["country"])).profile()
    goal = parse_goal("precision +-0.3 by country")
    assert [str(g) for g in expand(profile, [goal], slices=["country"])] == ["precision +-0.3 in country=DE"]
    assert [str(g) for g in left_out(profile, [goal], slices=["country"])] == ["precision +-0.3 in country=US"]
    with pytest.raises(GoalError, match="leave this goal out"):
        ask_of(profile, parse_goal("precision +-0.3 in country=US"), slices=["country"])
