"""What goals of several labels or classes need, and what steers their draw."""

import pytest

from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.study.plan.one_draw import ColumnNames
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.profile import profile_for
from fewlabels.study.population.read import read_population
from tests.unit.study.test_joint import JUDGED, SORTED, TABLE, UNITS


@pytest.mark.parametrize(
    ("judged", "texts"),
    [(JUDGED, ("macro[f1] +-0.15", "recall +-0.2 for awe")), (SORTED, ("class_accuracy +-0.05", "weighted[recall] +-0.1"))],
    ids=["labels", "classes"],
)
def test_sizes_are_finite_and_a_larger_budget_shows_more(judged: list[Classifier], texts: tuple[str, ...]) -> None:
    goals = [parse_goal(text) for text in texts]
    _, profile = profile_for(read_population(TABLE, classifiers=judged), goals)
    names = ColumnNames([c.name for c in judged])
    small, large = (size_goals(profile, goals, budget=n, names=names) for n in (120, 500))
    assert small.together is not None
    for one, other in zip(small.goals, large.goals, strict=True):
        assert one.labels is not None
        assert 10 <= one.labels <= small.together + 10 <= UNITS + 10
        assert one.forecast is not None
        assert other.forecast is not None
        assert 0 < other.forecast.half_width < one.forecast.half_width <= 1


def test_the_risk_follows_the_goals() -> None:
    """A goal of one label steers the draw to that label's doubtful units; one of all to everybody's."""
    population = read_population(TABLE, classifiers=JUDGED)
    one, _ = profile_for(population, [parse_goal("recall >= 0.5 for fear")])
    both, _ = profile_for(population, [parse_goal("macro[f1] +-0.1")])
    assert one.risk is not None
    assert both.risk is not None
    assert one.risk[0] == one.risk[2] == (0.0, 0.0)
    assert max(one.risk[1]) > 0
    assert all(max(pair) > 0 for pair in both.risk)
    assert sum(max(pair) for pair in both.risk) == pytest.approx(1)  # so that a risk is at most 1/4
