"""A study with a pilot: a first round, a guide fitted to it, a second round where that guide says, one reading of both."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fewlabels.errors import PlanError, StudyError
from fewlabels.ledgers.base import Ledger
from fewlabels.nouns.plan import Plan
from fewlabels.planning.design_choice import DesignName
from fewlabels.randomness import stream
from fewlabels.study.plan.growth import growth
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

N, BUDGET, PILOT = 6_000, 300, 75


def made(seed: int) -> tuple[dict[str, NDArray[np.generic]], dict[str, bool]]:
    """A weak score, a good one, and noise; 8 % positive."""
    rng = stream(seed, 11)
    truth = rng.random(N) < 0.08
    weak = 1 / (1 + np.exp(-(rng.normal(0, 1, N) + 1.2 * truth - 1.5)))
    good = 1 / (1 + np.exp(-(3 * rng.normal(0, 1, N) + 9 * truth - 6)))
    table: dict[str, NDArray[np.generic]] = {
        "id": np.arange(N),
        "weak": weak,
        "good": good,
        "noise": rng.random(N),
        "country": np.where(rng.random(N) < 0.4, "DE", "US"),
    }
    return table, {str(i): bool(y) for i, y in enumerate(truth)}


def study_of(seed: int, tmp_path: Path, **options: object) -> tuple[Study, Mapping[str, bool]]:
    table, truth = made(seed)
    population = read_population(
        table, score="weak", threshold=0.6, slices=["country"], candidates=["good", "noise"], missing_scores=bool(options)
    )
    goals = ["f1 +-0.1", "recall +-0.15 in country=DE"]
    return Study.create("s", population, goals=goals, ledger=f"sqlite:///{tmp_path}/a.db"), truth


def answer_all(study: Study, truth: Mapping[str, bool], units: int = 50) -> list[str]:
    asked: list[str] = []
    while batch := study.ask(units):
        study.tell({unit: truth[unit] for unit in batch.units})
        asked += batch.units
    return asked


def test_both_rounds_are_drawn_once_and_read_as_one(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    first = study.plan(BUDGET, pilot=PILOT)
    assert first.is_pilot
    assert first.budget == PILOT
    asked = answer_all(study, truth)
    assert len(asked) == len(set(asked)) == BUDGET
    plans = study.standing.plans
    assert [p.change for p in plans] == ["pilot", "after the pilot"]
    assert plans[1].guide is not None
    assert plans[1].guide[2] > abs(plans[1].guide[3]), "the good score is believed, noise is not"
    found = study.estimate()
    assert found.certified
    assert found["f1"].labels == BUDGET
    assert found.of("recall", slice=("country", "DE")).low < found.of("recall", slice=("country", "DE")).high
    assert study.verify(population=True).passed


def test_nothing_is_shown_after_the_pilot_alone(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    batch = study.ask(PILOT)
    assert batch is not None
    assert len(batch.units) == PILOT
    study.tell({unit: truth[unit] for unit in batch.units})
    assert study.estimate().estimates == ()
    assert study.decide() is None
    assert study.status().progress.planned == BUDGET


def test_a_larger_budget_after_a_pilot_only_adds(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    before = set(answer_all(study, truth))
    study.plan(BUDGET + 60)
    added = answer_all(study, truth)
    assert len(added) == 60
    assert not before & set(added)
    assert study.standing.plan.change == "growth, nothing shown"
    assert study.verify(population=True).passed
    assert study.estimate()["f1"].labels == BUDGET + 60


def test_unanswered_units_of_the_pilot_stay_in_the_rest(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    batch = study.ask(PILOT)
    assert batch is not None
    study.tell({unit: "cannot_tell" if i % 10 == 0 else truth[unit] for i, unit in enumerate(batch.units)})
    answer_all(study, truth)
    found = study.estimate()
    assert found["f1"].labels == BUDGET - 8
    assert study.verify(population=True).passed


def test_a_guide_that_the_pilot_did_not_make_is_found(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: another guide in the ledger, every hash made to fit, is not what the pilot's labels make."""
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    honest = Plan.of_json

    def forged(data: Mapping[str, object]) -> Plan:
        plan = honest(data)
        return plan if plan.guide is None else honest({**data, "guide": [*plan.guide[:-1], plan.guide[-1] + 0.5]})

    answer_all(study, truth)
    ledger: Ledger = study._ledger
    assert ledger.entries("s")
    monkeypatch.setattr(Plan, "of_json", staticmethod(forged))
    assert any("pilot's labels" in finding or "hash" in finding for finding in study.verify().findings)


@pytest.mark.parametrize(("pilot", "design"), [(5, None), (200, None), (75, "simple")])
def test_a_pilot_that_cannot_teach_is_refused(pilot: int, design: DesignName | None, seed: int, tmp_path: Path) -> None:
    study, _ = study_of(seed, tmp_path)
    with pytest.raises(PlanError, match="a pilot"):
        study.plan(BUDGET, pilot=pilot, design=design)


def test_another_plan_waits_for_the_pilot_and_gold_does_not_follow_one(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    with pytest.raises(PlanError, match="finish the pilot before making a new plan"):
        study.plan(BUDGET + 100)
    with pytest.raises(PlanError, match="a pilot is locked with the first plan"):
        study.plan(BUDGET, pilot=PILOT + 1)
    answer_all(study, truth)
    with pytest.raises(PlanError, match="gold"):
        study.adjudicate(0.2)


def test_labelers_never_see_a_candidate(seed: int, tmp_path: Path) -> None:
    study, _ = study_of(seed, tmp_path)
    with pytest.raises(StudyError, match="good"):
        study.fetch(["1"], columns=["good"])


def test_growth_after_a_pilot_is_not_forecast_from_the_scores(seed: int, tmp_path: Path) -> None:
    study, truth = study_of(seed, tmp_path)
    study.plan(BUDGET, pilot=PILOT)
    answer_all(study, truth)
    grown = growth(study.standing, BUDGET + 50)
    assert grown.goals == ()
    assert grown.frame == N
    assert "pilot" in grown.assumes


def test_a_slice_the_pilot_labels_whole_is_read_from_it_alone(seed: int, tmp_path: Path) -> None:
    table, truth = made(seed)
    table["country"] = np.where(np.arange(N) == 3, "XX", "DE")
    population = read_population(table, score="weak", threshold=0.6, slices=["country"])
    study = Study.create("s", population, goals=["prevalence +-0.1 by country"], ledger=f"sqlite:///{tmp_path}/a.db")
    study.plan(BUDGET, pilot=PILOT)
    assert "3" in answer_all(study, truth), "a slice of one unit is drawn whole"
    alone = study.estimate().of("prevalence", slice=("country", "XX"))
    assert alone.value == float(truth["3"])
    assert study.verify(population=True).passed


def test_a_census_after_a_pilot_is_exact(seed: int, tmp_path: Path) -> None:
    """What the pilot counts is a rule of the budget: nothing at all once every unit is labeled."""
    table, truth = made(seed)
    population = read_population({name: values[:400] for name, values in table.items()}, score="weak", threshold=0.6)
    study = Study.create("s", population, goals=["recall +-0.1"], ledger=f"sqlite:///{tmp_path}/a.db")
    study.plan(200, pilot=50)
    answer_all(study, truth)
    study.plan(400)
    answer_all(study, truth)
    found = study.estimate()["prevalence"]
    assert found.value == pytest.approx(np.mean([truth[str(i)] for i in range(400)]), abs=1e-12)
    assert found.high - found.low < 1e-9


@pytest.mark.parametrize(("name", "value"), [("budget", 300.5), ("pilot", "75")])
def test_labels_are_whole_numbers(name: str, value: object, seed: int, tmp_path: Path) -> None:
    study, _ = study_of(seed, tmp_path)
    sizes: dict[str, Any] = {"budget": BUDGET, "pilot": PILOT, name: value}
    with pytest.raises(PlanError, match="must be a whole number of labels"):
        study.plan(**sizes)
