"""Which of a study's classifiers is better: differences, rankings and goals about them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import GoalError, PlanError, PopulationError, StudyError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.randomness import stream
from fewlabels.study.study import Study
from tests.unit.study.made import ledger_in, population

UNITS = 1_500
NAMES = ("good", "fair", "poor")


def table() -> dict[str, Any]:
    rng = stream(11)
    y = rng.random(UNITS) < 0.2
    scores = {
        name: 1 / (1 + np.exp(-(2 * rng.normal(0, 1, UNITS) + strength * (2 * y - 1))))
        for name, strength in zip(NAMES, (4, 3, 0.5), strict=True)
    }
    return {"id": [f"u{i}" for i in range(UNITS)], "y": y, **scores}


TABLE = table()
TRUTH = {unit: "yes" if y else "no" for unit, y in zip(TABLE["id"], TABLE["y"].tolist(), strict=True)}


def f1(name: str) -> float:
    flagged, y = TABLE[name] >= 0.5, TABLE["y"]
    return float(2 * (flagged & y).sum() / (flagged.sum() + y.sum()))


def study_of(folder: Path, goals: list[str], *, budget: int, name: str = "s") -> Study:
    judged = [Classifier(n, score=n, threshold=0.5) for n in NAMES]
    study = Study.create(name, population(TABLE, classifiers=judged, score=None, threshold=None), goals=goals, ledger=ledger_in(folder))
    study.plan(budget)
    while batch := study.ask(500):
        study.tell({unit: TRUTH[unit] for unit in batch.units})
    return study


def test_a_census_knows_the_difference(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 +-0.1 for each"], budget=UNITS)
    found = study.compare("good", "poor")
    assert found.estimate.value == pytest.approx(f1("good") - f1("poor"))
    assert found.estimate.half_width < 1e-9
    assert found.better == "good"
    assert study.compare("poor", "good").better == "good"
    ranked = study.rank("f1")
    assert ranked.best == ("good",)
    assert set(ranked.better) == {("good", "fair"), ("good", "poor"), ("fair", "poor")}


def test_less_is_better_of_a_cost(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 +-0.1 for each"], budget=UNITS)
    errors = {name: int(((TABLE[name] >= 0.5) != TABLE["y"]).sum()) for name in ("good", "poor")}
    assert errors["good"] < errors["poor"]
    assert study.compare("good", "poor", metric="cost[0,1,1,0]").better == "good"
    assert study.rank("cost[0,1,1,0]").best == ("good",)


def test_a_goal_about_a_difference_is_planned_read_and_decided(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 >= 0 for good over poor"], budget=200)
    found = study.estimate().of("f1", "good over poor")
    assert found.planned
    assert found.low <= f1("good") - f1("poor") <= found.high
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "ship"
    assert study.verify(population=True).passed


def test_an_open_difference_says_how_many_more_labels(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 +-0.01 for good over fair", "precision +-0.2 for good"], budget=150)
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == "label more"
    assert decision.more is not None
    assert decision.more.labels > 0


def test_accuracy_is_drawn_where_the_two_disagree(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["accuracy >= 0 for good over fair"], budget=100)
    units = study.standing.units
    assert units is not None
    assert all((p & 1) != ((p >> 1) & 1) for p in units.pattern.tolist())


def test_looks_at_differences_are_recorded_and_verify(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 +-0.1 for each"], budget=300)
    study.compare("good", "fair", metric="recall")
    study.rank("f1")
    asked = [e.body["asked"]["kind"] for e in ledger_in(tmp_path).entries("s") if e.kind == "look"]
    assert asked == ["comparison", "ranking"]
    assert study.verify().passed


def test_a_draw_made_for_one_classifier_is_not_stretched_to_two(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["precision +-0.1 for good"], budget=60)
    with pytest.raises(StudyError, match="leaves out units"):
        study.compare("good", "fair")
    both = study_of(tmp_path, ["f1 +-0.1 for good"], budget=60, name="t")
    with pytest.raises(PlanError, match="leave over"):
        both.compare("good", "poor", metric="accuracy")


def test_a_difference_is_of_two_classifiers_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(GoalError, match="two classifiers"):
        parse_goal("f1 >= 0 for good over good")
    with pytest.raises(GoalError, match="leave the slice out"):
        parse_goal("f1 >= 0 for good over poor by country")
    with pytest.raises(PopulationError, match="no classifier 'nobody'"):
        study_of(tmp_path, ["f1 >= 0 for good over nobody"], budget=60)
    study = study_of(tmp_path, ["f1 +-0.1 for each"], budget=200, name="u")
    with pytest.raises(StudyError, match="two different classifiers"):
        study.compare("good", "good")


def test_a_difference_is_added_to_a_finished_study(tmp_path: Path) -> None:
    study = study_of(tmp_path, ["f1 +-0.1 for good"], budget=150)
    study.extend(goals=["f1 >= 0 for good over fair"], budget=300)
    while batch := study.ask(500):
        study.tell({unit: TRUTH[unit] for unit in batch.units})
    assert study.estimate().of("f1", "good over fair").planned
    assert study.verify(population=True).passed
