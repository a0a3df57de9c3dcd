"""Budgets, growth, and what a look may spend."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import PlanError, StudyError
from fewlabels.planning.design_choice import DesignName
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, finished, kinds, label_all, ledger_in, population, rows


def drawn(study: Study) -> tuple[str, ...]:
    study.ask(1)
    units = study.standing.units
    assert units is not None
    return units.unit


@pytest.mark.parametrize("design", ["bands", "simple"])
def test_growth_only_adds_units_and_keeps_the_asking_order(tmp_path: Path, design: DesignName) -> None:
    study = create(tmp_path)
    earlier: tuple[str, ...] = ()
    for budget in (12, 13, 40, 41, 150, 400):
        study.plan(budget, design=design)
        units = drawn(study)
        assert len(units) == len(set(units)) == budget
        assert units[: len(earlier)] == earlier
        earlier = units
    assert set(earlier) == set(TRUTH)
    assert study.verify(population=True).passed


def test_a_grown_study_draws_what_a_large_one_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "cd" * 16)
    grown, fresh = create(tmp_path, "grown"), create(tmp_path, "fresh")
    grown.plan(220)
    drawn(grown)
    grown.plan(300)
    fresh.plan(220)
    fresh.plan(300)  # nothing was drawn in between
    assert drawn(grown) == drawn(fresh)


def test_a_plan_is_fixed_and_planning_it_again_is_the_same(tmp_path: Path) -> None:
    study = create(tmp_path)
    plan = study.plan(40)
    before = rows(tmp_path)
    assert study.plan(40).hash == plan.hash
    assert rows(tmp_path) == before
    assert study.standing.plan.hash == plan.hash
    assert int(plan.take.sum()) == 40


@pytest.mark.parametrize("budget", [39, 1, 0, -5])
def test_a_smaller_budget_is_refused(tmp_path: Path, budget: int) -> None:
    study = create(tmp_path)
    study.plan(40)
    before = rows(tmp_path)
    with pytest.raises(PlanError, match="a later plan can only add labels"):
        study.plan(budget)
    assert rows(tmp_path) == before


@pytest.mark.parametrize("budget", [0, -1, 1, 3])
def test_a_first_budget_too_small_for_bands_is_refused(tmp_path: Path, budget: int) -> None:
    study = create(tmp_path)
    with pytest.raises(PlanError):
        study.plan(budget)
    assert kinds(study, tmp_path) == ["population", "study"]


@pytest.mark.parametrize("budget", [0, -1])
def test_a_simple_draw_of_nothing_is_refused(tmp_path: Path, budget: int) -> None:
    study = create(tmp_path)
    with pytest.raises(PlanError):
        study.plan(budget, design="simple")
    assert kinds(study, tmp_path) == ["population", "study"]


def test_a_budget_beyond_the_population_is_refused(tmp_path: Path) -> None:
    study = create(tmp_path)
    with pytest.raises(PlanError, match="at most the 400 units they are about, but the budget is 401"):
        study.plan(401)
    study.plan(400)
    with pytest.raises(PlanError, match="at most the 400"):
        study.plan(401)


def test_a_budget_beyond_what_the_goals_are_about_is_refused(tmp_path: Path) -> None:
    flagged = int((TABLE["score"] >= 0.5).sum())
    study = create(tmp_path, goals=["precision +-0.1"])
    with pytest.raises(PlanError, match=f"at most the {flagged} units they are about"):
        study.plan(flagged + 1)
    study.plan(flagged)
    assert all(bits & 1 for bits in study_patterns(study))


def study_patterns(study: Study) -> list[int]:
    drawn(study)
    units = study.standing.units
    assert units is not None
    return [int(p) for p in units.pattern]


@pytest.mark.parametrize("grow_to", [40, 39, 0, -1])
def test_growth_is_declared_upward(tmp_path: Path, grow_to: int) -> None:
    with pytest.raises(PlanError, match="grow_to must exceed the budget"):
        create(tmp_path).plan(40, grow_to=grow_to)


def test_growth_beyond_the_population_cannot_be_declared(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="at most the 400 units they are about, but grow_to is 401"):
        create(tmp_path).plan(40, grow_to=401)


def test_growth_is_declared_with_the_first_plan_or_not_at_all(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    with pytest.raises(PlanError, match="declared with the first plan"):
        study.plan(60, grow_to=80)


def test_an_undrawn_study_has_no_plan_to_ask_from(tmp_path: Path) -> None:
    study = create(tmp_path)
    for act in (study.ask, study.close, study.estimate, study.decide):
        with pytest.raises(StudyError, match="no plan yet"):
            act()
    assert study.status().plan is None


def levels(study: Study) -> set[float]:
    shown = study.estimate()
    assert shown.certified
    return {round(e.level, 12) for e in shown.estimates}


def test_one_look_has_the_whole_level(tmp_path: Path) -> None:
    study = finished(tmp_path)
    assert levels(study) == {0.95}
    assert study.standing.plan.change == "first"


def test_growth_with_nothing_shown_costs_nothing(tmp_path: Path) -> None:
    study = finished(tmp_path)
    plan = study.plan(60)
    assert (plan.change, plan.share) == ("growth, nothing shown", 1.0)
    label_all(study)
    assert levels(study) == {0.95}


def test_growth_after_a_look_has_level_0975_and_says_so(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate()
    plan = study.plan(60)
    assert (plan.change, plan.share) == ("growth after a look", 0.5)
    assert "numbers were shown before this growth was decided" in plan.promise
    assert "1.5 of it (7.50% at level 0.95)" in plan.promise
    label_all(study)
    assert levels(study) == {0.975}
    assert study.estimate().promise == plan.promise
    third = study.plan(80)
    assert third.share == 0.25
    assert "(8.75% at level 0.95)" in third.promise


@pytest.mark.parametrize("show", ["peek", "decide"])
def test_a_peek_or_a_decision_is_a_look_too(tmp_path: Path, show: str) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(30)
    assert batch is not None
    study.tell({unit: TRUTH[unit] for unit in batch.units})
    study.estimate(peek=True) if show == "peek" else study.decide(peek=True)
    assert study.plan(60).change == "growth after a look"


def test_declared_growth_has_levels_099_and_096(tmp_path: Path) -> None:
    study = create(tmp_path)
    first = study.plan(40, grow_to=60)
    assert "two looks were declared, at 40 and 60 labels" in first.promise
    label_all(study)
    assert levels(study) == {0.99}
    last = study.plan(60)
    assert (last.change, last.promise) == ("declared growth", first.promise)
    label_all(study)
    assert levels(study) == {0.96}


def test_growth_to_something_else_than_declared_is_paid_for(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40, grow_to=60)
    label_all(study)
    study.estimate()
    plan = study.plan(70)
    assert (plan.change, plan.share) == ("growth after a look", 0.1)


def test_a_study_planned_by_another_process_is_seen(tmp_path: Path) -> None:
    study = create(tmp_path)
    other = Study.load("s", ledger=ledger_in(tmp_path), table=population().table)
    other.plan(40)
    assert study.standing.plan.budget == 40
    assert drawn(study) == drawn(other)


def test_every_prefix_of_the_asking_order_is_a_plan_of_that_size(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(120)
    drawn(study)
    units = study.standing.units
    assert units is not None
    design = study.standing.plan.design
    for size in (30, 60, 90, 120):
        per_band = np.bincount(units.band[:size], minlength=design.N.size)
        assert per_band.max() <= design.N.max()
        for band in range(design.N.size):  # within a band, the smallest permanent numbers come first
            numbers = units.number[units.band == band]
            assert (np.diff(numbers) > 0).all()
