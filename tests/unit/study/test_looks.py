"""Looks planned before the first label: shown at their sizes and at no other, each with its own share of the error."""

from pathlib import Path
from typing import Any

import pytest

from fewlabels.errors import PlanError
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, create, label_all, truth_of

GOAL = "accuracy >= 0.7"


def planned(folder: Path, *, budget: int = 200, looks: str = "4 looks") -> Study:
    study = create(folder, goals=[GOAL])
    study.plan(budget, stopping=looks)
    return study


def test_numbers_are_shown_at_the_planned_sizes_only(tmp_path: Path) -> None:
    study = planned(tmp_path)
    assert "at 50, 100, 150, 200 labels" in study.standing.plan.promise
    seen = []
    while batch := study.ask(20):
        study.tell(truth_of(batch.units))
        shown = study.estimate()
        if shown.estimates:
            seen.append((shown.progress.labels, shown["accuracy"].labels, round(shown["accuracy"].level, 6)))
            assert shown.certified
            assert "recall" not in [e.metric for e in shown.estimates]
    assert [n for _, n, _ in seen] == [50] * 2 + [100] * 3 + [150] * 2 + [200]  # asked up to 60, 80, 100, ...
    levels = {n: level for _, n, level in seen}
    assert levels[50] > levels[100] > levels[150] > levels[200] > 0.95
    found = study.verify(population=True, table=TABLE)
    assert found.passed, found.findings


@pytest.mark.parametrize(("named", "used"), [(None, "placed"), ("rec", "rec"), ("strict", "strict")])
def test_planned_looks_are_read_by_placed_unless_another_interval_is_named(tmp_path: Path, named: str | None, used: str) -> None:
    study = create(tmp_path, goals=[GOAL])
    assert study.plan(200, stopping="4 looks", interval=named).interval == used
    label_all(study)
    assert study.estimate()["accuracy"].interval == used


def test_answers_beyond_a_look_do_not_change_it(tmp_path: Path) -> None:
    study = planned(tmp_path)
    study.ask(200)
    units = study.standing.units
    assert units is not None
    study.tell(truth_of(units.unit[:50]))
    before = study.estimate()["accuracy"]
    study.tell(truth_of(units.unit[60:99]))
    assert study.estimate()["accuracy"] == before
    study.tell(truth_of(units.unit[50:60]))
    assert study.estimate()["accuracy"] == before
    study.tell(truth_of(units.unit[99:100]))
    assert study.estimate()["accuracy"].labels == 100


def test_a_decision_may_come_at_an_early_look(tmp_path: Path) -> None:
    study = planned(tmp_path)
    batch = study.ask(100)
    assert batch is not None
    assert study.decide() is None
    study.tell(truth_of(batch.units))
    decision = study.decide()
    assert decision is not None
    assert decision.outcome in ("ship", "label more")
    assert decision.certified


@pytest.mark.parametrize(
    ("goal", "how", "says"),
    [
        ("recall >= 0.5", {}, "known without labels"),
        (GOAL, {"grow_to": 300}, "planned looks .* but this plan has declared growth"),
        (GOAL, {"pilot": 60}, "a pilot is for .* but this one has planned looks"),
        (GOAL, {"interval": "midp"}, "interval midp"),
    ],
)
def test_what_planned_looks_do_not_hold_for_is_refused(tmp_path: Path, goal: str, how: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        create(tmp_path, goals=[goal]).plan(200, stopping="5 looks", **how)


def test_corrections_before_the_first_look_are_no_news(tmp_path: Path) -> None:
    study = planned(tmp_path)
    batch = study.ask(20)
    assert batch is not None
    study.tell(dict.fromkeys(batch.units, "yes"))
    study.tell(truth_of(batch.units), correct=True)
    assert not any("corrected" in warning for warning in study.status().warnings)


def test_no_look_is_added(tmp_path: Path) -> None:
    study = planned(tmp_path)
    with pytest.raises(PlanError, match="each look spends a share of the error"):
        study.plan(300)
    with pytest.raises(PlanError, match="at least 4 labels"):
        create(tmp_path, "few", goals=[GOAL]).plan(20, stopping="10 looks")
