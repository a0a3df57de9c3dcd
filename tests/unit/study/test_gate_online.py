"""A policy held against an online study: running bands at the policy's own targets and levels, without the study's tolerance."""

from pathlib import Path

import numpy as np

from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, create, truth_of
from tests.unit.study.test_gate import at_least, policy


def online(folder: Path, *goals: str, stopping: str = "decision", budget: int = 300) -> Study:
    study = create(folder, goals=goals)
    study.plan(budget, stopping=stopping)
    while batch := study.ask(11):
        study.tell(truth_of(batch.units))
    return study


def test_online_studies_are_judged_by_their_running_bands(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.6"])
    study.plan(300, stopping="decision")
    rules = policy(at_least("accuracy", 0.6))
    assert study.gate(rules).verdict == "label_more"
    study = online(tmp_path, "accuracy >= 0.6")
    decision, found = study.decide(), study.gate(rules)
    assert decision is not None
    assert found.verdict == "ship" == decision.outcome
    assert found.rules[0].estimate == decision.goals[0].estimate
    assert study.standing.looks[-1].certified
    assert study.verify().passed
    assert study.gate(policy(at_least("accuracy", 0.6, "level = 0.9999999"))).verdict == "label_more"
    other = study.gate(policy(at_least("recall", 0.1)))
    assert other.verdict == "invalid"
    assert "running bands for its goals only" in other.rules[0].reasons[0]


def test_the_tolerance_of_an_online_study_is_not_the_policys(tmp_path: Path) -> None:
    truth = np.mean((np.asarray(TABLE["score"]) >= 0.5) == np.asarray(TABLE["y"], dtype=bool))
    target = float(truth) + 0.001
    study = online(tmp_path, f"accuracy >= {target:.4f}", stopping="decision +-0.1")
    decision = study.decide()
    assert decision is not None
    assert decision.outcome in ("ship", "do not ship")  # within the tolerance either is allowed
    assert study.gate(policy(at_least("accuracy", round(target, 4)))).verdict == "label_more"


def test_a_budget_used_up_is_said(tmp_path: Path) -> None:
    truth = float(np.mean((np.asarray(TABLE["score"]) >= 0.5) == np.asarray(TABLE["y"], dtype=bool)))
    study = online(tmp_path, f"accuracy >= {truth:.4f}", budget=40)
    found = study.gate(policy(at_least("accuracy", round(truth, 4))))
    assert found.verdict == "label_more"
    assert "all 40 labels of the budget are in" in found.reasons[0]


def test_limits_of_the_policy_hold_online_too(tmp_path: Path) -> None:
    study = online(tmp_path, "accuracy >= 0.6")
    assert study.gate(policy(at_least("accuracy", 0.6, "max_half_width = 0.01"))).verdict == "label_more"
    assert study.gate(policy(at_least("accuracy", 0.6, "min_n_eff = 5000"))).verdict == "label_more"
