"""A study about the gap between slices: the same number in estimate, decision, gate and report, and what it cannot be asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import GoalError, PlanError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.policy import parse_policy
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, ledger_in, population, truth_of

UNITS = len(TABLE["id"])
COUNTRY = np.array(["at" if i % 3 else "be" for i in range(UNITS)])
GAP = "accuracy gap by country"


def made(folder: Path, *goals: str, **how: Any) -> Study:
    of = population({**TABLE, "country": COUNTRY.tolist()}, slices=["country"])
    return Study.create("s", of, goals=list(goals or (f"{GAP} <= 0.3", "accuracy +-0.1")), ledger=ledger_in(folder), **how)


def labeled(folder: Path, budget: int, *goals: str) -> Study:
    study = made(folder, *goals)
    study.plan(budget)
    label_all(study)
    return study


def label_all(study: Study) -> None:
    while batch := study.ask(1_000):
        study.tell(truth_of(batch.units))


def accuracy(country: str) -> float:
    mine = country == COUNTRY
    return float((TABLE["y"] == (TABLE["score"] >= 0.5))[mine].mean())


def test_all_units_labeled_give_the_gap_itself(tmp_path: Path) -> None:
    found = labeled(tmp_path, UNITS).estimate()[GAP]
    truth = abs(accuracy("at") - accuracy("be"))
    assert (found.low, found.value, found.high) == pytest.approx((truth, truth, truth))
    assert found.labels == UNITS


def test_estimate_decision_gate_and_report_have_one_number(tmp_path: Path) -> None:
    study = labeled(tmp_path, UNITS // 2)
    found, decision = study.estimate()[GAP], study.decide()
    assert decision is not None
    verdict = next(one for one in decision.goals if one.goal.metric == GAP)
    assert verdict.bound == pytest.approx(found.at_most)
    gate = study.gate(parse_policy(f'rule = [{{metric = "{GAP}", target = "<= 0.3"}}]'))
    assert gate.rules[0].bound == pytest.approx(found.at_most)
    estimates: Any = study.report()["estimates"]
    told = next(one for one in estimates if one["metric"] == GAP)
    assert (told["value"], told["high"]) == (found.value, found.high)
    assert study.verify().findings == ()


def test_bands_do_not_mix_slices(tmp_path: Path) -> None:
    study = labeled(tmp_path, UNITS // 2)
    standing = study.standing
    values = np.array([value for (value,) in standing.profile.slice_values])[standing.profile.slice]
    band = standing.plan.design.band
    assert all(len({*values[band == h]}) == 1 for h in range(standing.plan.design.N.size))


def test_missing_answers_may_differ_between_slices(tmp_path: Path) -> None:
    """In the worst case the answers that are missing widen the gap: right in one country, wrong in the other."""
    study = made(tmp_path)
    study.plan(UNITS // 2)
    batch = study.ask(UNITS)
    assert batch is not None
    said = truth_of(batch.units)
    study.tell({unit: "cannot_tell" if i % 4 == 0 else answer for i, (unit, answer) in enumerate(said.items())})
    found = study.estimate()[GAP]
    assert found.worst_high is not None
    assert found.worst_low == 0.0
    assert found.worst_high > found.high + 0.05


@pytest.mark.parametrize(
    ("goal", "error", "said"),
    [
        ("accuracy gap by device <= 0.3", GoalError, "device"),
        ("accuracy gap by country >= 0.3", GoalError, "write <="),
        ("accuracy gap by country <= 0.3 in country=at", GoalError, "leave the other slice out"),
        ("accuracy gap by country +-10% of it", GoalError, "in points"),
        ("accuracy gap <= 0.3", GoalError, "recall gap by country"),
        ("micro[f1] gap by country <= 0.3", GoalError, "one classifier"),
    ],
)
def test_what_is_no_gap_is_refused_with_the_way_out(tmp_path: Path, goal: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said.replace("+", r"\+")):
        made(tmp_path, goal)


def test_a_gap_needs_two_slices(tmp_path: Path) -> None:
    of = population({**TABLE, "country": ["at"] * UNITS}, slices=["country"])
    study = Study.create("s", of, goals=[f"{GAP} <= 0.3"], ledger=ledger_in(tmp_path))
    with pytest.raises(GoalError, match="between slices, but only"):
        study.plan(100)


@pytest.mark.parametrize("design", ["poisson", "neyman"])
def test_a_draw_that_was_not_tested_with_gaps_is_refused(tmp_path: Path, design: Any) -> None:
    with pytest.raises(PlanError, match="a gap needs the design bands or simple"):
        made(tmp_path).plan(UNITS // 2, design=design)


@pytest.mark.parametrize("grow_to", [None, UNITS])
def test_a_study_that_grows_ends_at_the_gap_itself(tmp_path: Path, grow_to: int | None) -> None:
    study = made(tmp_path)
    study.plan(UNITS // 3, grow_to=grow_to)
    label_all(study)
    before = study.estimate()[GAP]
    study.plan(UNITS)
    label_all(study)
    after, truth = study.estimate()[GAP], abs(accuracy("at") - accuracy("be"))
    assert (after.low, after.value, after.high) == pytest.approx((truth, truth, truth))
    assert before.low <= truth <= before.high
    assert study.verify().findings == ()


def test_a_gap_that_is_added_later_is_read_from_bands_that_mix_slices(tmp_path: Path) -> None:
    study = made(tmp_path, "accuracy +-0.1")
    study.plan(UNITS // 3)
    label_all(study)
    study.extend(goals=[f"{GAP} <= 0.3"], budget=UNITS // 2)
    label_all(study)
    found, truth = study.estimate()[GAP], abs(accuracy("at") - accuracy("be"))
    assert found.low <= truth <= found.high
    assert study.verify().findings == ()


def test_each_of_several_classifiers_has_a_gap(tmp_path: Path) -> None:
    judged = [Classifier(name, score="score", threshold=at) for name, at in (("usual", 0.5), ("strict", 0.8))]
    of = read_population({**TABLE, "country": COUNTRY.tolist()}, classifiers=judged, slices=["country"])
    study = Study.create("s", of, goals=[f"{GAP} <= 0.3 for {c.name}" for c in judged], ledger=ledger_in(tmp_path))
    study.plan(UNITS)
    label_all(study)
    found = study.estimate()
    assert found.of(GAP, "usual").value == pytest.approx(abs(accuracy("at") - accuracy("be")))
    assert found.of(GAP, "strict").value != found.of(GAP, "usual").value


def test_gold_answers_do_not_correct_a_gap_and_it_is_said(tmp_path: Path) -> None:
    study = made(tmp_path)
    study.plan(UNITS // 2)
    gold = study.adjudicate(0.3)
    label_all(study)
    study.tell_gold(truth_of(gold))
    decision = study.decide()
    assert decision is not None
    assert any(reason.startswith(f"{GAP} <= 0.3: judged on the labels as recorded") for reason in decision.reasons)
