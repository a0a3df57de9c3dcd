"""Every kind of study is gated as it is decided: a policy that says the study's own goals gives the same numbers and verdicts."""

from pathlib import Path

import pytest

from fewlabels.nouns.policy import Policy, Rule
from fewlabels.study.study import Study
from tests.unit.study import test_joint, test_weights
from tests.unit.study.made import TRUTH, create, label_all
from tests.unit.study.made_gold import told

OUTCOMES = {"met": "ship", "not met": "do_not_ship", "open": "label_more"}


def of_weights(folder: Path) -> Study:
    return test_weights.labeled(folder, goals=("recall by amount >= 0.2", "precision >= 0.3"))


def of_labels(folder: Path) -> Study:
    study = test_joint.of_labels(folder, goals=("macro[f1] >= 0.2", "recall <= 0.1 for joy"))
    study.tell({unit: test_joint.TRUTH[unit] for unit in test_joint.all_units(study)})
    return study


def with_gold(folder: Path) -> Study:
    study = told(folder, goals=["accuracy >= 0.5", "recall >= 0.1"])
    study.tell_gold({unit: TRUTH[unit] for unit in study.adjudicate(0.5)})
    return study


def after_a_pilot(folder: Path) -> Study:
    study = create(folder, goals=["accuracy >= 0.6", "recall >= 0.2"])
    study.plan(160, pilot=60)
    label_all(study)
    return study


def by_strata(folder: Path) -> Study:
    study = create(folder, goals=["accuracy >= 0.6", "f1 <= 0.01"])
    study.plan(150, design="proportional")
    label_all(study)
    return study


@pytest.mark.parametrize("made", [of_weights, of_labels, with_gold, after_a_pilot, by_strata])
def test_a_policy_of_the_goals_says_what_the_decision_says(made: object, tmp_path: Path) -> None:
    assert callable(made)
    study: Study = made(tmp_path)
    decision = study.decide()
    assert decision is not None
    found = study.gate(Policy(rules=tuple(Rule(goal=goal, max_half_width=0.9) for goal in study.standing.goals)))
    assert [(rule.estimate, rule.bound) for rule in found.rules] == [
        (goal.estimate, rule.bound if rule.verdict == "do_not_ship" else goal.bound)  # a failure is judged among all rules
        for goal, rule in zip(decision.goals, found.rules, strict=True)
    ]
    assert [rule.verdict for rule in found.rules] == [OUTCOMES[goal.status] for goal in decision.goals]
    assert found.rules[0].estimate is not None
    assert study.verify().passed


def test_gold_is_waited_for(tmp_path: Path) -> None:
    study = told(tmp_path, goals=["accuracy >= 0.5"])
    units = study.adjudicate(0.5)
    found = study.gate(Policy(rules=(Rule(goal=study.standing.goals[0]),)))
    assert found.verdict == "label_more"
    assert f"{len(units)} of {len(units)} gold answers are missing" in found.reasons[0]
    assert not found.has_numbers
