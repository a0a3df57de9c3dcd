"""A larger budget only adds units: for budgets from 50 to 5,000, each with the next and one of 60 more, and in studies that grow."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.designs.base import seats_of, takes_of
from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.opening import open_engine
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from fewlabels.study.draw.fixed import draw_plan
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

FIRST, LAST = 50, 5_000
GROWING = 17  # the purpose of the streams below
GOAL = "recall +-0.05"


def usual() -> dict[str, Any]:
    """50,000 units, a tenth of them doubtful."""
    return {"id": np.arange(50_000), "s": stream(42, GROWING).beta(0.4, 2.5, 50_000)}


def fraud() -> dict[str, Any]:
    """30,000 units, nearly all of them surely good, a few of them flagged."""
    rng = stream(42, GROWING, 1)
    score = np.where(rng.random(30_000) < 0.01, rng.beta(2, 2, 30_000), 10 ** rng.uniform(-6, -2, 30_000))
    return {"id": np.arange(30_000), "s": score}


MADE = {"usual": usual, "fraud": fraud}


def population(name: str) -> Population:
    return read_population(MADE[name](), score="s", threshold=0.5)


def plan_of(first: Plan, budget: int) -> Plan:
    """What the study would plan for another budget, from the first plan's bands."""
    return replace(first, budget=budget, take=takes_of(first.design, budget))


def first_plan(design: DesignName, profile: Profile, *, labels: int = FIRST) -> Plan:
    chosen = choose_design(profile, [parse_goal(GOAL).definition], labels=labels, name=design)
    return Plan(
        number=1, goals=(parse_goal(GOAL),), design=chosen, budget=labels, take=takes_of(chosen, labels), salt="00ff" * 8,
        grow_to=None, change="first", share=1.0, promise="",
    )  # fmt: skip


def budgets(seed: int, purpose: int, *, count: int) -> list[int]:
    """The smallest budget and others at random, each 60 or more below the largest."""
    return [FIRST, *sorted(stream(seed, GROWING, purpose).choice(np.arange(FIRST + 1, LAST - 60), count, replace=False).tolist())]


@pytest.mark.lengthy
@pytest.mark.parametrize("design", ["bands", "neyman", "poisson"])
@pytest.mark.parametrize("name", MADE)
def test_the_units_of_a_budget_are_among_those_of_the_next(name: str, design: DesignName, seed: int) -> None:
    """The largest draw in asking order holds every smaller one at its head: seat by seat, and for budgets drawn by themselves."""
    engine = open_engine(population(name))
    assert isinstance(engine, MemoryEngine)
    profile = engine.profile()
    first = first_plan(design, profile)
    last = draw_plan(engine, profile, plan_of(first, LAST)).units
    assert len(set(last.unit)) == LAST
    if not first.design.poisson:
        order = seats_of(first.design, LAST)
        for n in (start + more for start in budgets(seed, 4, count=30) for more in (0, 1, 60)):
            assert (takes_of(first.design, n) == np.bincount(order[:n], minlength=first.design.N.size)).all()
        assert (order == last.band).all()
    for n in budgets(seed, 2, count=4):
        assert draw_plan(engine, profile, plan_of(first, n)).units.unit == last.unit[:n]


@pytest.mark.lengthy
@pytest.mark.parametrize("name", MADE)
def test_a_study_grown_through_eight_budgets_keeps_every_unit_in_its_place(name: str, seed: int, tmp_path: Path) -> None:
    """Bands are split on the way; units are only added, after those that were drawn before."""
    study = Study.create("s", population(name), goals=[GOAL], ledger=SqliteLedger(f"sqlite:///{tmp_path}/ledger.db"))
    bands = {study.plan(FIRST).design.N.size}
    before: tuple[str, ...] = ()
    for budget in (*budgets(seed, 3, count=6), LAST):
        bands.add(study.plan(budget).design.N.size)
        study.ask(1, more=True)
        drawn = study.standing.units
        assert drawn is not None
        assert (drawn.unit[: len(before)], len(set(drawn.unit))) == (before, budget)
        before = drawn.unit
    assert len(bands) > 1


@pytest.mark.lengthy
@pytest.mark.parametrize("name", MADE)
def test_strata_that_are_not_split_have_the_units_of_one_draw(name: str, seed: int, tmp_path: Path) -> None:
    study = Study.create("s", population(name), goals=[GOAL], ledger=SqliteLedger(f"sqlite:///{tmp_path}/ledger.db"))
    first = study.plan(FIRST, design="neyman")
    engine = open_engine(population(name))
    whole = draw_plan(engine, engine.profile(), plan_of(first, LAST)).units.unit
    for budget in (*budgets(seed, 3, count=3), LAST):
        study.plan(budget)
        study.ask(1, more=True)
        drawn = study.standing.units
        assert drawn is not None
        assert drawn.unit == whole[:budget]


@pytest.mark.lengthy
def test_bands_cut_anew_for_a_larger_budget_lose_units() -> None:
    """The twin: a design made for 300 labels does not hold the units of one made for 250."""
    engine = open_engine(population("usual"))
    profile = engine.profile()
    small, large = (first_plan("bands", profile, labels=n) for n in (250, 300))
    assert not set(draw_plan(engine, profile, small).units.unit) <= set(draw_plan(engine, profile, large).units.unit)
