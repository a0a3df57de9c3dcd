"""An overview is of one state; errors, answers and the matrix as tables; and whoever opened the errors labels no more."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewlabels.desk.desk import Desk, Said
from fewlabels.errors import LabelError, StudyError
from fewlabels.ledgers.base import ERRORS_OPENED, broken
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.estimate.answer_rows import read_answer_rows
from fewlabels.study.estimate.errors import read_errors
from fewlabels.study.estimate.offers import offer, searchable, together
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, create, finished, label_all, ledger_in, truth_of
from tests.unit.study.test_joint import of_classes

SCORE = dict(zip(TABLE["id"], TABLE["score"].tolist(), strict=True))


def test_an_overview_says_what_each_call_says(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=150)
    seen = study.overview()
    assert seen.estimates is not None
    assert seen.estimates.as_json() == study.estimate().as_json()
    decision, convergence = study.decide(), study.convergence()
    assert decision is not None
    assert seen.decision is not None
    assert seen.convergence is not None
    assert seen.decision.as_json() == decision.as_json()
    assert seen.convergence.as_json() == convergence.as_json()
    assert seen.labelers.as_json() == study.labelers().as_json()
    assert seen.before_end is None
    assert study.verify().passed


def test_a_look_moves_no_head_and_an_answer_does(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["precision +-0.1"])
    assert study.overview().estimates is None, "no plan: nothing to read"
    study.plan(40, stopping="width")
    study.tell(truth_of(study.ask(30).units))  # type: ignore[union-attr]
    first = study.overview()
    assert study.ledger.last("s") > first.head, "the look was recorded"
    assert study.overview().head == first.head
    study.tell(truth_of(study.ask(1).units))  # type: ignore[union-attr]
    assert study.overview().head > first.head
    assert study.standing.head == study.overview().head


def test_before_the_look_an_overview_has_progress_and_no_number(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    study.tell(truth_of(study.ask(10).units))  # type: ignore[union-attr]
    seen = study.overview()
    assert seen.estimates is not None
    assert (seen.estimates.estimates, seen.decision, seen.convergence, seen.matrices) == ((), None, None, ())
    assert seen.before_end == "10 of 40 planned units are resolved"
    assert [e.kind for e in study.ledger.entries("s") if e.kind == "look"] == []


def test_a_matrix_of_a_census_is_the_table(tmp_path: Path) -> None:
    [matrix] = finished(tmp_path, budget=400, goals=["accuracy +-0.1"]).overview().matrices
    flagged, yes = TABLE["score"] >= 0.5, TABLE["y"] == 1
    expected = [int((side & truth).sum()) for side in (flagged, ~flagged) for truth in (yes, ~yes)]
    assert [cell.labeled for cell in matrix.cells] == expected
    assert [cell.total for cell in matrix.cells] == pytest.approx(expected)
    assert [cell.right for cell in matrix.cells] == [True, False, False, True]


def test_a_matrix_agrees_with_the_metrics_beside_it(tmp_path: Path) -> None:
    seen = finished(tmp_path, budget=150).overview()
    assert seen.estimates is not None
    precision, cells = seen.estimates["precision"], seen.matrices[0].cells
    assert cells[0].share == precision.value
    for cell in cells:
        assert cell.low is not None
        assert cell.total is not None
        assert cell.high is not None
        assert cell.low <= cell.total <= cell.high
    assert cells[0].total + cells[1].total == pytest.approx(seen.matrices[0].units[0])  # type: ignore[operator]


def test_a_matrix_of_classes_has_their_cells(tmp_path: Path) -> None:
    study = of_classes(tmp_path)
    label_joint(study)
    [matrix] = study.overview().matrices
    assert len(matrix.cells) == len(matrix.rows) ** 2
    assert [cell.share for cell in matrix.cells] == [cell.share.value for cell in study.confusion()]


def label_joint(study: Study) -> None:
    """Answers everything with a class, one after another."""
    if not study.standing.plans:
        study.plan(60)
    classes = study.standing.classes
    while batch := study.ask(1_000):
        study.tell({unit: classes[i % len(classes)] for i, unit in enumerate(batch.units)})


def test_errors_are_where_prediction_and_answer_differ(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=400, goals=["accuracy +-0.1"])
    found = read_errors(study.standing)
    assert {one.unit for one in found} == {unit for unit in TRUTH if (SCORE[unit] >= 0.5) != (TRUTH[unit] == "yes")}
    for one in found:
        assert one.kind == ("false positive" if TRUTH[one.unit] == "no" else "false negative")
        assert one.score == pytest.approx(SCORE[one.unit])
        assert one.answer == TRUTH[one.unit]


def test_every_current_answer_is_a_row(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(20)
    assert batch is not None
    study.tell([{"unit": unit, "answer": TRUTH[unit], "labeler": "ada"} for unit in batch.units])
    other = batch.units[3]
    study.tell([{"unit": other, "answer": "no" if TRUTH[other] == "yes" else "yes", "labeler": "bob"}])
    rows = read_answer_rows(study.standing)
    assert len(rows) == 21
    assert {row.unit for row in rows if row.disputed} == {other}
    assert {row.labeler for row in rows if row.unit == other} == {"ada", "bob"}
    assert list(dict.fromkeys(row.unit for row in rows)) == [unit for unit in study.standing.answers]


def test_opening_the_errors_is_recorded_once_and_ends_ones_labeling(tmp_path: Path) -> None:
    study = finished(tmp_path)
    desk = Desk(study)
    assert desk.open_errors("vic") is True
    assert desk.open_errors("vic") is False
    entries = ledger_in(tmp_path).entries("s", anew=True)
    assert [e.body for e in entries if e.kind == "access"] == [{"person": "vic", "act": ERRORS_OPENED, "by": "vic"}]
    assert not list(broken(entries))
    for one in (desk, Desk(Study.load("s", ledger=ledger_in(tmp_path)))):
        with pytest.raises(LabelError, match=r"vic has opened the errors of this study.*let somebody else label it"):
            one.take("vic")
        [told] = one.tell("vic", [Said(TABLE["id"][0], {"positive": "yes"})])
        assert told.status == "refused"
        assert told.why is not None
        assert "opened the errors" in told.why
        assert one.take("ann") == [], "others go on as before: there is nothing left"
    assert study.verify().passed


def test_a_snapshot_keeps_who_opened_the_errors(tmp_path: Path) -> None:
    study = finished(tmp_path)
    Desk(study).open_errors("vic")
    study.followed.rebuild()
    again = Study.load("s", ledger=ledger_in(tmp_path))
    assert again.standing.opened == {"vic"}
    assert again.standing.head == study.standing.head


def test_errors_open_after_the_last_declared_look_only(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40, grow_to=80)
    with pytest.raises(StudyError, match="0 of 40 planned units are resolved: finish the labeling first"):
        Desk(study).open_errors("vic")
    label_all(study)
    with pytest.raises(StudyError, match="larger budget of 80 labels was declared"):
        Desk(study).open_errors("vic")
    study.plan(80)
    with pytest.raises(StudyError, match="40 of 80"):
        Desk(study).open_errors("vic")
    label_all(study)
    assert Desk(study).open_errors("vic")


def test_an_online_study_opens_its_errors_once_its_rule_has_ended_it(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy +-0.3"])
    study.plan(200, stopping="width")
    with pytest.raises(StudyError, match="the stopping rule has not ended the study"):
        Desk(study).open_errors("vic")
    while study.running().outcome == "label more":
        study.tell(truth_of(study.ask(20).units))  # type: ignore[union-attr]
    assert Desk(study).open_errors("vic")


def test_content_for_the_errors_is_read_and_not_stored(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=40)
    study = Study.load("s", ledger=ledger_in(tmp_path), table=TABLE)
    desk = Desk(study)
    desk.set_sheet(Sheet(show=(FormColumn("text", "text"),)))
    unit = read_errors(study.standing)[0].unit
    assert desk.contents_of([unit]) == {unit: {"text": f"text of {unit}"}}
    assert study.ledger.contents("s", [unit]) == {}


def test_a_threshold_is_searched_for_goals_that_fail_and_no_others(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=400, goals=["precision >= 0.9", "recall >= 0.1", "f1 +-0.5"])
    decision = study.decide()
    assert decision is not None
    [goal] = searchable(decision)
    assert str(goal) == "precision >= 0.9"
    found = study.find_threshold("precision", 0.6)
    made = offer(goal, found, decision)
    assert found.threshold is not None
    assert [one.goal for one in made.also] == ["recall >= 0.1", "f1 +-0.5"]
    assert made.also[0].shown == (found.other_low >= 0.1)
    assert made.also[1].shown is False, "a ribbon says nothing of it"
    above = TABLE["score"] >= found.threshold
    assert np.mean(TABLE["y"][above]) >= 0.6
    other = tmp_path / "other"
    other.mkdir()
    assert list(searchable(finished(other, budget=60).decide())) == []


def test_goals_are_weighed_together_at_every_threshold(tmp_path: Path) -> None:
    study = finished(tmp_path, budget=400, goals=["precision >= 0.9", "recall >= 0.1"])
    decision = study.decide()
    assert decision is not None
    curves, goals = study.curves(), [one.goal for one in decision.goals]
    best = together(curves, goals)
    assert best is not None
    assert best.threshold in curves.thresholds
    assert [one.goal for one in best.goals] == ["precision >= 0.9", "recall >= 0.1"]
    if best.found == "shown":
        assert all(one.low >= one.target for one in best.goals)
    reachable = [replace(goal, value=0.01) for goal in goals]
    easy = together(curves, reachable)
    assert easy is not None
    assert easy.found == "shown"
    assert all(one.low >= 0.01 for one in easy.goals)
    hard = together(curves, [replace(goals[0], value=0.99), replace(goals[1], value=0.99)])
    assert hard is not None
    assert hard.found == "none", "nowhere are both so high"
    assert any(one.value < one.target for one in hard.goals)
    assert together(curves, [parse_goal("f1 +-0.1")]) is None, "no threshold decides it"
