"""What labelers say besides their answers, and what the desk says when none is left for them."""

from pathlib import Path

import pytest

from fewlabels.desk.desk import Said
from fewlabels.errors import LabelError
from tests.unit.desk.made_desk import desk_of, planned, tell, units_of
from tests.unit.study.made import create


def test_a_reason_comes_with_the_answer_and_goes_with_it(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    first, second = units_of(desk.take("ada", 2))
    [question] = desk.questions
    found = desk.tell("ada", [Said(first, {question: "skipped"}, note=" blurred "), Said(second, {question: "yes"}, note="blurred")])
    assert [one.status for one in found] == ["recorded", "refused"]
    assert "a reason belongs to a unit that is left out, but the answer is yes" in (found[1].why or "")
    assert [(one.unit, one.kind, one.text) for one in study.ledger.notes("s", most=9)] == [(first, "left out", "blurred")]
    desk.tell("ada", [Said(first, {question: "skipped"}, note="in French", correct=True)])
    assert [one.text for one in study.ledger.notes("s", most=9)] == ["in French"]
    desk.tell("ada", [Said(first, {question: "no"}, correct=True)])
    assert study.ledger.notes("s", most=9) == []


def test_a_labeler_comments_on_units_of_their_own_and_sees_no_other_comment(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.double(1.0)
    [given] = desk.take("ada", 1)
    desk.comment("ada", given.unit, "see the second line")
    assert desk.take("ada", 1)[0].comment == "see the second line"
    tell(desk, "ada", [given.unit])
    with pytest.raises(LabelError, match="not given to you"):
        desk.comment("bob", given.unit, "mine")
    others = {one.unit: one.comment for one in desk.take("bob", 80)}
    assert others[given.unit] == ""
    desk.comment("bob", given.unit, "mine")
    desk.comment("ada", given.unit, "")
    assert [(one.labeler, one.text) for one in study.ledger.notes("s", most=9)] == [("bob", "mine")]
    with pytest.raises(LabelError, match="at most 2,000 characters, got 2,001"):
        desk.comment("bob", given.unit, "x" * 2_001)


def test_what_is_left_for_a_labeler(tmp_path: Path) -> None:
    desk = desk_of(planned(tmp_path))
    hers, his = units_of(desk.take("ada", 30)), units_of(desk.take("bob", 20))
    assert (len(hers), len(his)) == (30, 10)
    assert (desk.rest("ada"), desk.rest("eve")) == ("open", "waiting")
    tell(desk, "ada", hers)
    assert desk.rest("ada") == "waiting"
    desk.later("bob", his[:1])
    assert desk.rest("ada") == "open"
    tell(desk, "bob", his[1:])
    [last] = units_of(desk.take("ada", 20))
    assert last == his[0]
    tell(desk, "ada", [last])
    assert desk.rest("ada") == desk.rest("bob") == "finished"
    assert desk.rest("adi", adjudicates=True) == "finished"


def test_a_closed_study_is_closed_and_one_without_a_plan_has_none(tmp_path: Path) -> None:
    study = create(tmp_path)
    desk = desk_of(study)
    assert (desk.rest("ada"), desk.has_more) == ("no plan", False)
    study.plan(40)
    assert (desk.rest("ada"), desk.has_more) == ("open", True), "no unit has been handed out yet"
    units = units_of(desk.take("ada", 5))
    desk.later("ada", units[:2])
    study.close()
    assert (desk.rest("ada"), desk.has_more) == ("closed", False)
    assert desk.take("ada", 20) == [], "what was put off is never answered"
    assert study.status().progress.never_answered == 40


def test_second_looks_for_others_wait(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.double(1.0)
    tell(desk, "ada", units_of(desk.take("ada", 80)))
    assert desk.take("ada", 80) == []
    assert (desk.rest("ada"), desk.rest("bob")) == ("waiting", "open")
