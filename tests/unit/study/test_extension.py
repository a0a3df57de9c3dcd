"""A study that takes in a classifier, a threshold or a goal: labels are kept, units only added."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import FingerprintError, PlanError, PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, columns, create, finished, kinds, label_all, ledger_in, population, write_csv

LOWER = Classifier("lower", score="score", threshold=0.2)
GOAL = "precision +-0.1 for lower"


def true_precision(threshold: float) -> float:
    flagged = TABLE["score"] >= threshold
    return float(np.mean([TRUTH[unit] == "yes" for unit, f in zip(TABLE["id"], flagged, strict=True) if f]))


def test_an_extension_keeps_every_unit_and_adds_only(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    before = study.standing.units
    assert before is not None
    plan = study.extend(classifiers=[LOWER], goals=[GOAL], budget=120)
    after = study.standing.units
    assert after is not None
    assert after.unit[:60] == before.unit
    assert plan.budget == 120 == len(after)
    assert set(study.standing.unresolved) == set(after.unit[60:])
    assert kinds(study, tmp_path)[-3:] == ["extension", "plan", "draw"]
    label_all(study)
    found = study.estimate().of("precision", "lower")
    assert found.planned
    assert found.low <= true_precision(0.2) <= found.high
    assert study.verify(population=True).passed


def test_what_an_extension_would_cost_is_said_and_not_recorded(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    before = kinds(study, tmp_path)
    said = study.preview_extension(classifiers=[LOWER], goals=[GOAL])
    assert kinds(study, tmp_path) == before
    assert said.held == 60
    assert said.total is not None
    assert said.added == said.total - 60
    assert 0 < said.goals[0].serving <= 60
    assert said.goals[0].already is not None
    assert said.added < (said.goals[0].alone or 0)  # labels that are there already serve


def test_a_budget_of_none_reads_what_is_there(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    plan = study.extend(classifiers=[LOWER], goals=[GOAL])
    assert plan.budget == 60
    assert study.estimate().of("precision", "lower").labels > 0
    assert study.decide() is not None


def test_numbers_shown_before_cost_what_was_shown_and_not_what_is_new(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    study.estimate()
    study.extend(classifiers=[LOWER], goals=[GOAL], budget=90)
    label_all(study)
    shown = study.estimate()
    assert shown.of("precision", "classifier").level == pytest.approx(0.975)
    assert shown.of("precision", "lower").level == 0.95
    assert study.verify().passed


def test_a_classifier_is_new_only_until_it_is_shown(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    study.estimate()
    assert study.extend(classifiers=[LOWER], goals=[GOAL], budget=90).fresh == ("lower",)
    assert study.plan(95).fresh == ("lower",)  # nothing was shown in between
    label_all(study)
    study.estimate()
    assert study.plan(110).fresh == ()
    label_all(study)
    shown = study.estimate()
    assert shown.of("precision", "lower").level > 0.97
    assert study.verify().passed


def test_an_extended_study_grows(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    study.extend(classifiers=[LOWER], goals=[GOAL], budget=90)
    first = study.standing.units
    study.plan(130)
    label_all(study)
    grown = study.standing.units
    assert first is not None
    assert grown is not None
    assert grown.unit[:90] == first.unit
    assert study.verify(population=True).passed


def test_two_extensions_follow_each_other(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    study.extend(classifiers=[LOWER], goals=[GOAL], budget=90)
    label_all(study)
    vote = Classifier("both", of=("classifier", "lower"), at_least=2)
    study.extend(classifiers=[vote], goals=["recall +-0.2 for both"], budget=140)
    label_all(study)
    assert {"classifier", "lower", "both"} <= {e.classifier for e in study.estimate().estimates}
    assert study.verify(population=True).passed


def test_a_census_after_an_extension_is_exact(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    study.extend(classifiers=[LOWER], goals=["accuracy +-0.1 for lower"], budget=400)
    label_all(study)
    found = study.estimate().of("precision", "lower")
    assert found.value == pytest.approx(true_precision(0.2))
    assert found.half_width < 1e-9


def test_what_cannot_be_taken_in_is_refused(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    with pytest.raises(PlanError, match="the study lacks: name another"):
        study.extend()
    with pytest.raises(PlanError, match="choose another name"):
        study.extend(classifiers=[Classifier("classifier", score="score", threshold=0.1)])
    with pytest.raises(PopulationError, match="no classifier 'nobody'"):
        study.extend(goals=["precision +-0.1 for nobody"])
    with pytest.raises(PlanError, match="asks another"):
        study.extend(classifiers=[Classifier("other", score="score", threshold=0.1, question="other")])
    with pytest.raises(PlanError, match="name one in between"):
        study.extend(classifiers=[LOWER], goals=[GOAL], budget=10)
    with pytest.raises(PlanError, match="share a level"):
        study.extend(goals=["precision +-0.1 at 0.9"])
    piloted = create(tmp_path, "p")
    piloted.plan(200, pilot=100)
    with pytest.raises(PlanError, match="a pilot"):
        piloted.extend(classifiers=[LOWER])


def test_a_column_added_to_the_same_file_is_taken_in(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv")
    study = Study.create("f", population(path), goals=["f1 +-0.1"], ledger=ledger_in(tmp_path))
    study.plan(60)
    label_all(study)
    write_csv(path, {**TABLE, "new": TABLE["score"][::-1].copy()})
    study.extend(classifiers=[Classifier("new", score="new", threshold=0.4)], goals=["f1 +-0.2 for new"], budget=120)
    label_all(study)
    assert study.estimate().of("f1", "new").planned
    assert study.verify(population=True).passed


def test_a_goal_the_study_has_is_not_taken_in_again(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=60)
    with pytest.raises(PlanError, match="the study lacks, but it already has precision"):
        study.extend(goals=["precision +-0.1"], budget=80)


def test_another_table_is_refused(tmp_path: Path) -> None:
    finished(tmp_path, budget=60)
    other = Study.load("s", ledger=ledger_in(tmp_path), table=columns(seed=8))
    with pytest.raises(FingerprintError, match="other units"):
        other.extend(classifiers=[LOWER], goals=[GOAL])


def test_a_vote_is_judged_as_its_members_say(tmp_path: Path) -> None:
    table = columns()
    table["other"] = table["score"][::-1].copy()
    three = [
        Classifier("a", score="score", threshold=0.3),
        Classifier("b", score="other", threshold=0.3),
        Classifier("any", of=("a", "b")),
        Classifier("all", of=("a", "b"), at_least=2),
    ]
    judged = population(table, classifiers=three, score=None, threshold=None)
    study = Study.create("v", judged, goals=["precision +-0.1 for each"], ledger=ledger_in(tmp_path))
    profile = study.standing.profile
    a, b, either, both = (profile.predicted(j) for j in range(4))
    assert np.array_equal(either, a | b)
    assert np.array_equal(both, a & b)
    with pytest.raises(PopulationError, match="name those first"):
        population(table, classifiers=three[::-1], score=None, threshold=None)
    with pytest.raises(PopulationError, match="name each once"):
        Classifier("v", of=("a", "b"), at_least=3)
