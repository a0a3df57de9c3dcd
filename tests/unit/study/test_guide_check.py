"""Once labels contradict the scores, strict decides: on every surface, one look or several, for plans that named it beforehand."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.nouns.policy import parse_policy
from fewlabels.randomness import stream
from fewlabels.study.estimate.estimates import read_estimates
from fewlabels.study.estimate.guide_check import guide_alarms, interval_in_force
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

UNITS, BUDGET = 4_000, 300
GOALS = ("recall >= 0.3", "precision +-0.1")
POLICY = '[[rule]]\nmetric = "recall"\ntarget = ">= 0.3"\n'


def table(*, confident: bool) -> dict[str, Any]:
    """Scores that are true probabilities, or the same pushed toward 0 and 1: the order stays, the claims become wrong."""
    rng = stream(11)
    p = rng.beta(0.5, 2.5, UNITS)
    y = rng.random(UNITS) < p
    odds = np.log(p / (1 - p))
    score = 1 / (1 + np.exp(-4 * odds)) if confident else p
    ids = [f"u{i:04d}" for i in range(UNITS)]
    return {"id": ids, "score": score, "country": np.where(np.arange(UNITS) % 2, "DE", "US"), "y": y}


def study_of(folder: Path, held: Mapping[str, Any], **how: Any) -> Study:
    population = read_population(held, score="score", threshold=0.5, slices=["country"])
    return Study.create("s", population, goals=list(GOALS), ledger=f"sqlite:///{folder}/l.db", **how)


def answer(study: Study, held: Mapping[str, Any], *, most: int = UNITS) -> None:
    truth = dict(zip(held["id"], held["y"].tolist(), strict=True))
    while (left := most - study.status().progress.labels) > 0 and (batch := study.ask(left)):
        study.tell({unit: truth[unit] for unit in batch.units})


@pytest.mark.parametrize("interval", ["rec", "midp"])
def test_strict_decides_everywhere_once_labels_contradict_the_scores(tmp_path: Path, interval: str) -> None:
    held = table(confident=True)
    study = study_of(tmp_path, held)
    assert study.plan(BUDGET, interval=interval).alarm == "strict"
    answer(study, held)
    shown, decision, gate, report = study.estimate(), study.decide(), study.gate(parse_policy(POLICY)), study.report()
    assert {e.interval for e in shown.estimates} == {"strict"}
    assert all((e.low, e.high) == (e.strict_low, e.strict_high) for e in shown.estimates)
    warning = next(w for w in shown.warnings if "not calibrated" in w)
    assert f"every interval here is strict, valid whatever the scores are, in place of {interval}" in warning
    assert decision is not None
    assert {goal.estimate.interval for goal in decision.goals} == {"strict"}
    assert [rule.estimate.interval for rule in gate.rules if rule.estimate is not None] == ["strict"]
    assert warning in gate.warnings
    assert {e.interval for e in study.slices("recall", by=["country"]).estimates} == {"strict"}
    assert warning in str(report)
    assert "valid even if errors occur where the scores predict none" in str(report)
    assert study.verify().findings == ()


def test_calibrated_scores_keep_the_interval_of_the_plan(tmp_path: Path) -> None:
    held = table(confident=False)
    study = study_of(tmp_path, held)
    study.plan(BUDGET, interval="rec")
    answer(study, held)
    assert guide_alarms(study.standing) == []
    assert {e.interval for e in study.estimate().estimates} == {"rec"}


def test_a_plan_without_the_rule_keeps_its_numbers(tmp_path: Path) -> None:
    """The twin: plans that were locked before there was such a rule, whose looks an auditor recomputes."""
    held = table(confident=True)
    study = study_of(tmp_path, held)
    plan = study.plan(BUDGET, interval="rec")
    answer(study, held)
    before = replace(plan, alarm=None)
    assert "alarm" not in before.as_json()
    standing = replace(study.standing, plans=(before,))
    assert guide_alarms(standing)
    assert interval_in_force(standing) == "rec"
    found, strict = read_estimates(standing), read_estimates(study.standing)
    assert "The strict interval is valid" in " ".join(found.warnings)
    assert found["recall"].high - found["recall"].low < strict["recall"].high - strict["recall"].low


def test_a_strict_plan_needs_no_rule(tmp_path: Path) -> None:
    assert study_of(tmp_path, table(confident=True)).plan(BUDGET, interval="strict").alarm is None


def test_growth_and_planned_looks_keep_the_rule(tmp_path: Path) -> None:
    held = table(confident=True)
    (tmp_path / "a").mkdir()
    grown = study_of(tmp_path / "a", held)
    grown.plan(150, interval="rec")
    answer(grown, held)
    grown.estimate()
    assert grown.plan(BUDGET).alarm == "strict"
    answer(grown, held)
    assert grown.estimate()["recall"].interval == "strict"
    (tmp_path / "b").mkdir()
    population = read_population(held, score="score", threshold=0.5)
    looked = Study.create("s", population, goals=["accuracy >= 0.5"], ledger=f"sqlite:///{tmp_path}/b/l.db")
    looked.plan(BUDGET, stopping="2 looks", interval="rec")
    answer(looked, held, most=BUDGET // 2)
    first = looked.estimate()
    assert first["accuracy"].interval == "strict"
    decision = looked.decide()
    assert decision is not None
    assert decision.goals[0].estimate.interval == "strict"
    answer(looked, held)
    assert looked.estimate()["accuracy"].interval == "strict"
    assert looked.verify().findings == ()
