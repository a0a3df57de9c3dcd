"""One plan draws the same 10,000 units, in the same order and with the same cuts, on every engine."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.design import DesignName
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import NumberRule
from fewlabels.study.draw.fixed import draw_plan
from fewlabels.study.plan.next_plan import PlanWays, next_plan
from fewlabels.study.state.standing import Standing
from tests.contracts.engines_under_test import SALT, UnderTest, assert_same_profile, assert_same_taken, on_engines, reference

N, UNITS = 60_000, 10_000
ONE = (Classifier("gbm", score="gbm", threshold=0.4),)
THREE = (*ONE, Classifier("lr", score="lr", threshold=0.3), Classifier("rules", predicted="rules"))


@functools.cache
def table() -> dict[str, Any]:
    rng = np.random.default_rng(11)
    risk = rng.random(N) ** 6
    return {
        "id": np.arange(N) * 977 - 3_000_000,
        "gbm": np.clip(risk + rng.normal(0, 0.02, N), 0, 1),
        "lr": np.clip(risk * 0.8 + rng.random(N) * 0.1, 0, 1).astype(np.float32),
        "rules": risk > 0.45,
        "country": [("US", "BR", "é", None)[i] for i in rng.integers(0, 4, N)],
    }


def how(classifiers: tuple[Classifier, ...]) -> dict[str, Any]:
    return {"id": "id", "classifiers": classifiers, "slices": ("country",)}


def plan_of(profile: Profile, classifiers: tuple[Classifier, ...], design: DesignName, rule: NumberRule) -> Plan:
    goals = tuple(parse_goal(f"f1 +-0.02 for {c.name}") for c in classifiers)
    population = Population(source=MEMORY, **how(classifiers))
    standing = Standing(name="same", population=population.as_json(), profile=profile, salt=SALT, goals=goals, number_rule=rule)
    return next_plan(standing, budget=UNITS, grow_to=None, ways=PlanWays(design, "rec", None))


@functools.cache
def expected(classifiers: tuple[Classifier, ...], design: DesignName, rule: NumberRule) -> tuple[Profile, Plan, Any]:
    memory = reference(table(), **how(classifiers))
    profile = memory.profile()
    plan = plan_of(profile, classifiers, design, rule)
    return profile, plan, draw_plan(memory, profile, plan)


@pytest.mark.parametrize("under", on_engines(without="float32"))
@pytest.mark.parametrize(
    ("classifiers", "design", "rule"),
    [
        pytest.param(ONE, "bands", "md5", id="one-bands-md5"),
        pytest.param(ONE, "bands", "fast", id="one-bands-fast"),
        pytest.param(THREE, "poisson", "md5", id="three-poisson-md5"),
    ],
)
def test_ten_thousand_units_are_the_same(
    under: UnderTest, tmp_path: Path, classifiers: tuple[Classifier, ...], design: DesignName, rule: NumberRule
) -> None:
    profile, plan, taken = expected(classifiers, design, rule)
    engine = under.build(table(), tmp_path, **how(classifiers))
    counted = engine.profile()
    assert_same_profile(counted, profile)
    found = draw_plan(engine, counted, plan)
    assert len(found.units) == UNITS
    assert_same_taken(found, taken)
    if design == "poisson":
        assert plan.design.poisson


def test_the_rules_draw_different_units() -> None:
    md5, fast = (set(expected(ONE, "bands", rule)[2].units.unit) for rule in ("md5", "fast"))
    assert len(md5 & fast) < 0.9 * UNITS
