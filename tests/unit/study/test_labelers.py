"""Several labelers of one unit: the answer that counts by the study's rule, and how far they agree."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.estimators.agreement import TruthRule, agreement_of_counts
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.study import Study
from tests.unit.study.made import GOALS, TABLE, TRUTH, label_all, ledger_in, population, truth_of
from tests.unit.study.made_gold import OTHER

PEOPLE = ("ann", "bob", "cyd")


def study_by(folder: Path, rule: TruthRule | None, *, budget: int = 60) -> Study:
    study = Study.create("s", population(), goals=list(GOALS), ledger=ledger_in(folder), rule=rule)
    study.plan(budget)
    study.ask(budget)
    return study


def tell(study: Study, unit: str, *answers: str) -> None:
    study.tell([{"unit": unit, "answer": answer, "labeler": who} for who, answer in zip(PEOPLE, answers, strict=False)])


@pytest.mark.parametrize(
    ("answers", "first", "majority", "unanimous"),
    [
        (("yes",), "yes", "yes", "yes"),
        (("no", "yes"), "no", "cannot_tell", "cannot_tell"),
        (("no", "yes", "yes"), "no", "yes", "cannot_tell"),
        (("cannot_tell", "yes", "yes"), "yes", "yes", "yes"),
        (("skipped", "cannot_tell"), "skipped", "skipped", "skipped"),
    ],
)
def test_the_rule_chooses_the_answer_that_counts(
    tmp_path: Path, answers: tuple[str, ...], first: str, majority: str, unanimous: str
) -> None:
    by_rule: dict[TruthRule, str] = {"first": first, "majority": majority, "unanimous": unanimous}
    for rule, expected in by_rule.items():
        folder = tmp_path / rule
        folder.mkdir()
        study = study_by(folder, rule)
        assert study.standing.units is not None
        unit = study.standing.units.unit[0]
        tell(study, unit, *answers)
        counted = study.standing.answer_of(unit)
        assert counted is not None
        assert counted.answer == expected


def test_a_rule_that_finds_no_answer_is_non_response_and_said(tmp_path: Path) -> None:
    study = study_by(tmp_path, "unanimous")
    label_all(study)
    assert study.standing.units is not None
    apart = study.standing.units.unit[:9]
    study.tell([{"unit": u, "answer": OTHER[TRUTH[u]], "labeler": "bob"} for u in apart])
    done = study.status().progress
    assert (done.cannot_tell, done.disagreements, done.complete) == (9, 9, True)
    shown = study.estimate()
    assert any("labelers disagree on 9 units" in w and "only what all of them say counts" in w for w in shown.warnings)
    assert shown["prevalence"].worst_low is not None


def test_two_of_three_outvote_one(tmp_path: Path) -> None:
    study = study_by(tmp_path, "majority")
    assert study.standing.units is not None
    units = study.standing.units.unit
    wrong = {unit: OTHER[TRUTH[unit]] for unit in units}
    for who, answers in zip(PEOPLE, (wrong, truth_of(units), truth_of(units)), strict=True):
        study.tell([{"unit": u, "answer": a, "labeler": who} for u, a in answers.items()])
    assert {u: label.answer for u in units if (label := study.standing.answer_of(u))} == truth_of(units)
    assert study.verify().passed


def test_a_voice_added_after_the_look_is_said_where_voices_count(tmp_path: Path) -> None:
    said_where: dict[TruthRule, bool] = {"first": False, "majority": True}
    for rule, says in said_where.items():
        folder = tmp_path / rule
        folder.mkdir()
        study = study_by(folder, rule)
        label_all(study)
        study.estimate()
        assert study.standing.units is not None
        study.tell([{"unit": study.standing.units.unit[0], "answer": "yes", "labeler": "bob"}])
        assert any("or added to others of the same unit" in w for w in study.estimate().warnings) == says


def test_the_rule_is_fixed_with_the_study(tmp_path: Path) -> None:
    study_by(tmp_path, "majority")

    def create(name: str, rule: TruthRule | None = None) -> Study:
        return Study.create(name, population(), goals=list(GOALS), ledger=ledger_in(tmp_path), rule=rule)

    assert create("s").standing.rule == "majority"
    assert create("s", "majority").standing.rule == "majority"
    with pytest.raises(StudyError, match="the rule majority"):
        create("s", "first")
    with pytest.raises(StudyError, match="first or majority or unanimous"):
        create("t", "adjudicated")
    assert create("default").standing.rule == "first"


def test_the_rule_holds_for_each_question(tmp_path: Path) -> None:
    table = {**TABLE, "awe": TABLE["score"][::-1].copy()}
    judged = [Classifier(name, score=column, threshold=0.5, question=name) for name, column in (("joy", "score"), ("awe", "awe"))]
    how = population(table, score=None, threshold=None, classifiers=judged)
    study = Study.create("s", how, goals=["macro[f1] +-0.3"], ledger=ledger_in(tmp_path), rule="majority")
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    said = {"ann": {"joy": "yes", "awe": "no"}, "bob": {"joy": "yes", "awe": "no"}, "cyd": {"joy": "no", "awe": "yes"}}
    study.tell([{"unit": u, "labeler": who, **answers} for u in batch.units for who, answers in said.items()])
    unit = batch.units[0]
    counted = [study.standing.answer_of(unit, q) for q in ("joy", "awe")]
    assert [label and label.answer for label in counted] == ["yes", "no"]
    found = study.estimate()
    assert found.of("prevalence", "joy").value == 1
    assert found.of("prevalence", "awe").value == 0


def test_the_rule_holds_for_classes(tmp_path: Path) -> None:
    table = {**TABLE, "label": [("cat", "dog", "eel")[i % 3] for i in range(len(TABLE["id"]))]}
    judged = [Classifier(name, predicted="label", value=name) for name in ("cat", "dog", "eel")]
    how = population(table, score=None, threshold=None, classifiers=judged)
    study = Study.create("s", how, goals=["class_accuracy +-0.3"], ledger=ledger_in(tmp_path), rule="majority")
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    for unit in batch.units[1:]:
        tell(study, unit, "eel", "dog", "dog")
    tell(study, batch.units[0], "eel", "dog", "cat")
    counted = [study.standing.answer_of(unit) for unit in batch.units[:2]]
    assert [label and label.answer for label in counted] == ["cannot_tell", "dog"]
    shown = study.estimate()
    assert shown.agreement is None
    assert shown.progress.cannot_tell == 1
    assert shown.of("prevalence", "dog").value == 1


# ---------------------------------------------------------------- agreement


def test_no_unit_seen_twice_has_no_agreement(tmp_path: Path) -> None:
    study = study_by(tmp_path, None)
    label_all(study)
    shown = study.estimate()
    assert shown.agreement is None
    assert shown.as_json()["agreement"] is None


def test_agreement_is_that_of_the_units_two_people_answered(tmp_path: Path) -> None:
    study = study_by(tmp_path, None)
    assert study.standing.units is not None
    units = study.standing.units.unit
    study.tell([{"unit": u, "answer": TRUTH[u], "labeler": "ann"} for u in units])
    second = [OTHER[TRUTH[u]] if i % 5 == 0 else TRUTH[u] for i, u in enumerate(units[:30])]
    study.tell([{"unit": u, "answer": a, "labeler": "bob"} for u, a in zip(units, second, strict=False)])
    study.tell([{"unit": units[31], "answer": "cannot_tell", "labeler": "bob"}])
    shown = study.estimate()
    found = shown.agreement
    assert found is not None
    pairs = [(TRUTH[u], a) for u, a in zip(units, second, strict=False)]
    a, b, c, d = (np.asarray(float(pairs.count(pair))) for pair in (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")))
    expected = agreement_of_counts(both_yes=a, first_only=b, second_only=c, both_no=d, tail=0.025)
    assert found.units == 30
    assert found.observed.value == pytest.approx(0.8)
    for mine, theirs in ((found.observed, expected.observed), (found.kappa, expected.kappa), (found.ac1, expected.ac1)):
        assert mine == pytest.approx(tuple(float(x) for x in theirs))
    assert "labelers agree on 0.800 of 30 units" in str(shown)


def test_agreement_corrects_nothing(tmp_path: Path) -> None:
    study = study_by(tmp_path, None)
    label_all(study)
    alone = study.estimate().estimates
    assert study.standing.units is not None
    study.tell([{"unit": u, "answer": OTHER[TRUTH[u]], "labeler": "bob"} for u in study.standing.units.unit])
    shown = study.estimate()
    assert shown.agreement is not None
    assert shown.agreement.observed.value == 0
    assert shown.estimates == alone
    assert all(e.told_value is None for e in shown.estimates)


def test_agreement_is_not_shown_before_the_look(tmp_path: Path) -> None:
    study = study_by(tmp_path, None)
    assert study.standing.units is not None
    tell(study, study.standing.units.unit[0], "yes", "no")
    assert study.estimate().agreement is None


def test_three_labelers_of_a_unit_are_one_unit(tmp_path: Path) -> None:
    study = study_by(tmp_path, "majority")
    label_all(study)
    assert study.standing.units is not None
    for who in ("bob", "cyd"):
        study.tell([{"unit": u, "answer": TRUTH[u], "labeler": who} for u in study.standing.units.unit[:20]])
    found = study.estimate().agreement
    assert found is not None
    assert (found.units, found.observed.value) == (20, 1)
