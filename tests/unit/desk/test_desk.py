"""The desk: units are leased, shown and answered; what is refused leaves nothing, and what is acknowledged is recorded once."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from fewlabels.desk import desk as desks
from fewlabels.desk.desk import Desk, Said
from fewlabels.errors import FewlabelsError, LabelError, StudyError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.tables import SHEET
from fewlabels.nouns.label import CLOSER, Label
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest
from tests.unit.desk.made_desk import Clock, desk_of, keep_in, planned, says, statuses, tell, units_of, work
from tests.unit.study.made import TABLE, TRUTH, create, truth_of
from tests.unit.study.test_joint import LABELS, of_classes, of_labels


@pytest.fixture(autouse=True, params=PARAMETERS)
def under(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> UnderTest:
    """Every ledger there is."""
    found: UnderTest = request.param
    keep_in(found, monkeypatch)
    return found


def answered(study: Study) -> dict[str, dict[tuple[str, str], str]]:
    return {unit: {seat: label.answer for seat, label in told.items()} for unit, told in study.standing.answers.items()}


def test_all_planned_units_are_given_told_and_end(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    seen = work(desk, "ada")
    drawn = study.standing.units
    assert drawn is not None
    assert sorted(seen) == sorted(drawn.unit)
    assert desk.take("bob") == []
    assert desk.progress("ada") == (40, 40, 40, 0)
    assert study.estimate().progress.complete
    assert study.verify().findings == ()


def test_the_desk_gives_the_numbers_that_a_telling_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.study.create.new_salt", lambda: "5" * 32)
    by_desk, by_file = planned(tmp_path, name="desk"), planned(tmp_path, name="file")
    work(desk_of(by_desk), "ada")
    batch = by_file.ask(40)
    assert batch is not None
    by_file.tell(truth_of(batch.units))
    assert by_desk.estimate().as_json()["estimates"] == by_file.estimate().as_json()["estimates"]


def test_two_labelers_never_have_the_same_unit(tmp_path: Path, under: UnderTest) -> None:
    study = planned(tmp_path)
    one, other = desk_of(study), desk_of(Study.load("s", ledger=under.address(tmp_path), table=TABLE))
    ada, bob = units_of(one.take("ada", 25)), units_of(other.take("bob", 25))
    assert len(ada) == 25
    assert len(bob) == 15
    assert not set(ada) & set(bob)
    assert units_of(one.take("ada", 25)) == ada  # asked again: the same ones


def test_an_answer_is_recorded_known_refused_and_corrected(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    unit, question = desk.take("ada", 1)[0].unit, desk.questions[0]
    said = Said(unit, {question: "yes"}, at="2026-01-01", seconds=1.5)
    assert statuses(desk.tell("ada", [said])) == ["recorded"]
    assert statuses(desk.tell("ada", [said])) == ["known"]  # the page did not hear the answer and asks again
    refused = desk.tell("ada", [Said(unit, {question: "no"})])[0]
    assert refused.status == "refused"
    assert refused.why is not None
    assert "answered yes" in refused.why
    assert statuses(desk.tell("ada", [Said(unit, {question: "no"}, correct=True)])) == ["corrected"]
    assert statuses(desk.tell("ada", [Said(unit, {question: "yes"}, correct=True)])) == ["corrected"]  # and back: undo
    assert answered(study) == {unit: {(question, "ada"): "yes"}}
    assert [entry.kind for entry in study.ledger.entries("s")][-3:] == ["answer", "correction", "correction"]
    assert study.ledger.seconds("s") == {"ada": [1.5]}
    assert desk.progress("ada").told == 1


def statements(do: Callable[[], object]) -> int:
    """How many statements a database is sent."""
    sent: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        do()
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)
    return len(sent)


def test_many_answers_take_no_more_statements_than_one(tmp_path: Path) -> None:
    desk = desk_of(planned(tmp_path))
    told = [says(desk, truth_of(units_of(desk.take(who, many)))) for who, many in (("ada", 1), ("bob", 1), ("eve", 20))]
    desk.tell("ada", told[0])
    one, twenty = (statements(partial(desk.tell, who, said)) for who, said in (("bob", told[1]), ("eve", told[2])))
    assert len(told[2]) == 20
    assert 0 < twenty <= one


def test_a_refused_saying_does_not_hold_up_the_others(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    units = units_of(desk.take("ada", 5))
    said = says(desk, truth_of(units))
    said[1] = said[1]._replace(answers={desk.questions[0]: "banana"})
    said[2] = said[2]._replace(answers={})
    said[3] = said[3]._replace(unit="never given")
    assert statuses(desk.tell("ada", said)) == ["recorded", "refused", "refused", "refused", "recorded"]
    assert set(answered(study)) == {units[0], units[4]}
    assert units_of(desk.take("ada", 3)) == units[1:4]  # still hers
    tell(desk, "ada", units[1:4])
    assert study.verify().findings == ()


def test_a_unit_of_several_questions_is_told_whole_or_not_at_all(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    desk = desk_of(study)
    units = units_of(desk.take("ada", 6))
    before = len(study.ledger.entries("l"))
    whole = dict.fromkeys(LABELS, "yes")
    said = [
        Said(units[0], whole),
        Said(units[1], {**whole, LABELS[-1]: "banana"}),  # the first two answers are good ones
        Said(units[2], {name: "yes" for name in LABELS[:2]}),
        Said(units[3], {**whole, "grief": "yes"}),
        Said(units[4], {**{name: "no" for name in LABELS[:2]}, "grief": "no"}),
        Said(units[5], {**whole, "fear": "no"}),
    ]
    assert statuses(desk.tell("ada", said)) == ["recorded", "refused", "refused", "refused", "refused", "recorded"]
    assert set(answered(study)) == {units[0], units[5]}
    assert len(study.ledger.entries("l")) == before + 6
    later = [Said(units[0], {**whole, "awe": "no"}), Said(units[1], whole)]
    assert statuses(desk.tell("ada", later)) == ["refused", "recorded"]  # a change in one question is a correction
    assert answered(study)[units[0]] == {(name, "ada"): "yes" for name in LABELS}
    assert statuses(desk.tell("ada", [later[0]._replace(correct=True)])) == ["corrected"]
    assert answered(study)[units[0]]["awe", "ada"] == "no"
    assert study.verify().findings == ()


def test_a_refusal_at_the_last_question_takes_back_the_first(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    desk = desk_of(study)
    first, second = units_of(desk.take("ada", 2))
    study.tell([Label(unit=first, answer="no", question=LABELS[-1], labeler="ada")])  # in a file, the day before
    assert statuses(desk.tell("ada", says(desk, {first: "yes", second: "yes"}))) == ["refused", "recorded"]
    assert answered(study) == {first: {(LABELS[-1], "ada"): "no"}, second: {(name, "ada"): "yes" for name in LABELS}}
    assert study.verify().findings == ()
    assert statuses(desk.tell("ada", says(desk, {first: "no"}))) == ["recorded"]


def test_a_later_saying_of_the_same_unit_is_held_against_the_first(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    unit, question = desk.take("ada", 1)[0].unit, desk.questions[0]
    said = [Said(unit, {question: "yes"}), Said(unit, {question: "no"}), Said(unit, {question: "yes"})]
    assert statuses(desk.tell("ada", said)) == ["recorded", "refused", "known"]
    assert answered(study) == {unit: {(question, "ada"): "yes"}}


@pytest.mark.parametrize("answer", ["never_answered", "", "maybe", "cat"])
def test_an_answer_that_is_none_is_refused(tmp_path: Path, answer: str) -> None:
    desk = desk_of(planned(tmp_path))
    unit = desk.take("ada", 1)[0].unit
    assert statuses(desk.tell("ada", says(desk, {unit: answer}))) == ["refused"]
    assert statuses(desk.tell("ada", says(desk, {unit: "cannot_tell"}))) == ["recorded"]


def test_classes_are_answers(tmp_path: Path) -> None:
    desk = desk_of(of_classes(tmp_path))
    assert desk.answers == ("cat", "dog", "eel")
    first, second = units_of(desk.take("ada", 2))
    assert statuses(desk.tell("ada", [*says(desk, {first: "yes"}), *says(desk, {second: "dog"})])) == ["refused", "recorded"]


@pytest.mark.parametrize("labeler", ["", " ", "a\nb", "a\x00", "\u202eada", "x" * 201, CLOSER, "gold"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, labeler: str) -> None:
    desk = desk_of(planned(tmp_path))
    with pytest.raises(LabelError, match=r"a labeler's name|no labeler gave"):
        desk.take(labeler)
    with pytest.raises(LabelError, match=r"a labeler's name|no labeler gave"):
        desk.tell(labeler, [])


def test_at_least_one_unit_is_taken(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="units must be at least 1, got 0"):
        desk_of(planned(tmp_path)).take("ada", 0)


def test_a_unit_of_a_lease_that_is_over_goes_to_another_and_the_late_answer_is_refused(tmp_path: Path) -> None:
    clock = Clock()
    study = planned(tmp_path, budget=10)
    desk = desk_of(study, clock)
    late = units_of(desk.take("ada", 10))
    clock.now += 101
    taken = units_of(desk.take("bob", 4))
    assert taken == late[:4]
    found = desk.tell("ada", says(desk, truth_of(late)))
    assert statuses(found) == ["refused"] * 4 + ["recorded"] * 6  # those that nobody took are still hers
    assert found[0].why == desks.NOT_YOURS
    tell(desk, "bob", taken)
    assert {seat[1] for unit in taken for seat in answered(study)[unit]} == {"bob"}
    assert study.estimate().progress.complete


def test_what_is_given_back_goes_to_another(tmp_path: Path) -> None:
    desk = desk_of(planned(tmp_path, budget=5))
    units = units_of(desk.take("ada", 5))
    assert desk.take("bob") == []
    assert desk.give_back("ada", units[:2]) == 2
    assert sorted(units_of(desk.take("bob"))) == sorted(units[:2])
    assert statuses(desk.tell("ada", says(desk, truth_of(units[:1])))) == ["refused"]


def test_a_unit_of_another_labeler_or_of_nobody_is_refused(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    theirs = desk.take("bob", 1)[0].unit
    drawn = study.standing.units
    assert drawn is not None
    undrawn = next(unit for unit in TRUTH if unit not in drawn.unit)
    found = desk.tell("ada", says(desk, {theirs: "yes", undrawn: "yes", "'; drop table turn; --": "yes"}))
    assert statuses(found) == ["refused"] * 3
    assert study.standing.answers == {}


def test_an_act_that_fails_leaves_the_desk_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    units = units_of(desk.take("ada", 3))
    with monkeypatch.context() as broken:
        broken.setattr("fewlabels.ledgers.turns.finish", lambda *_: (_ for _ in ()).throw(RuntimeError("the power is gone")))
        with pytest.raises(RuntimeError, match="power"):
            desk.tell("ada", says(desk, truth_of(units)))
    assert study.standing.answers == {}
    assert statuses(tell(desk, "ada", units)) == ["recorded"] * 3
    assert len(study.standing.answers) == 3


class Fetches:
    """An engine that says what was fetched of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.units: list[int] = []
        whole = Study.fetch

        def fetch(study: Study, units: list[str], *, columns: tuple[str, ...]) -> list[dict[str, str | None]]:
            self.units.append(len(units))
            return whole(study, units, columns=columns)

        monkeypatch.setattr(Study, "fetch", fetch)


def test_what_is_shown_is_fetched_once_for_all_drawn_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    desk.set_sheet(Sheet(show=(FormColumn("text"),)))
    fetches = Fetches(monkeypatch)
    for labeler in ("ada", "bob", "eve"):
        for one in desk.take(labeler, 10):
            assert one.content == {"text": f"text of {one.unit}"}
    assert fetches.units == [40]
    study.plan(50)
    work(desk, "ada")
    assert fetches.units == [40, 10]
    assert study.ledger.forget("s") == 50
    desk.take("bob", 1)  # fetched again, for whoever labels on
    assert fetches.units == [40, 10, 50]


def test_without_a_sheet_nothing_is_shown_or_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetches = Fetches(monkeypatch)
    assert {tuple(one.content) for one in desk_of(planned(tmp_path)).take("ada", 5)} == {()}
    assert fetches.units == []


def test_another_sheet_shows_other_columns(tmp_path: Path) -> None:
    desk = desk_of(planned(tmp_path))
    desk.set_sheet(Sheet(show=(FormColumn("text"),)))
    desk.take("ada", 3)
    desk.set_sheet(Sheet(show=(FormColumn("id"), FormColumn("text"), FormColumn("id", "link")), instructions="Look twice."))
    assert [dict(one.content) for one in desk.take("ada", 1)] == [{"id": u, "text": f"text of {u}"} for u in units_of(desk.take("ada", 1))]
    assert desk.sheet.instructions == "Look twice."


@pytest.mark.parametrize(("column", "why"), [("score", "labelers see no score"), ("nothing", "nothing")])
def test_a_column_that_gives_away_or_does_not_exist_is_refused(tmp_path: Path, column: str, why: str) -> None:
    desk = desk_of(planned(tmp_path))
    with pytest.raises(FewlabelsError, match=why):
        desk.set_sheet(Sheet(show=(FormColumn("text"), FormColumn(column))))
    assert desk.sheet == Sheet()


def test_a_table_that_has_lost_units_is_refused(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk_of(study).set_sheet(Sheet(show=(FormColumn("text"),)))
    study.ask(40)
    fewer = {name: values[:30] for name, values in TABLE.items()}
    desk = Desk(Study.load("s", ledger=study.ledger, table=fewer))
    with pytest.raises(FewlabelsError, match="unit"):
        desk.take("ada", 40)


def test_a_larger_plan_goes_on(tmp_path: Path) -> None:
    study = planned(tmp_path, budget=20)
    desk = desk_of(study)
    assert len(work(desk, "ada")) == 20
    study.plan(33)
    assert len(work(desk, "bob")) == 13
    assert desk.progress("bob") == (13, 33, 33, 0)


def test_after_a_pilot_the_rest_is_drawn(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(120, pilot=60)
    desk = desk_of(study)
    first = desk.take("ada", 200)
    assert len(first) == 60
    tell(desk, "ada", units_of(first)[:59])
    assert len(desk.take("bob", 200)) == 0  # the pilot is not answered yet
    tell(desk, "ada", units_of(first)[59:])
    assert len(work(desk, "bob", at_once=50)) == 60
    assert study.estimate().progress.complete
    assert desk.progress("ada").planned == 120


def test_an_online_study_is_labeled_at_the_desk(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.6"])
    study.plan(300, stopping="decision")
    desk = desk_of(study)
    seen = work(desk, "ada", at_once=10)
    running = study.running()
    assert running.outcome == "ship"
    assert len(seen) == running.labels < 300
    assert study.verify().findings == ()


def test_a_unit_of_an_online_study_that_one_could_not_tell_comes_once_more(tmp_path: Path) -> None:
    study = create(tmp_path, goals=["accuracy >= 0.6"])
    study.plan(30, stopping="decision")
    desk = desk_of(study)
    first = units_of(desk.take("ada", 4))
    tell(desk, "ada", first[:1], "cannot_tell")
    tell(desk, "ada", first[1:])
    seen = units_of(desk.take("ada", 4))
    assert seen.count(first[0]) == 1  # nobody else is there: she looks once more
    tell(desk, "ada", seen, "cannot_tell")
    assert first[0] not in units_of(desk.take("ada", 4))
    assert study.running().labels >= 4  # two looks settle it


def test_units_drawn_into_a_file_are_given_too_and_answers_of_the_file_end_their_turns(tmp_path: Path) -> None:
    study = planned(tmp_path)
    batch = study.ask(10)
    assert batch is not None
    desk = desk_of(study)
    held = units_of(desk.take("ada", 4))
    assert set(held) <= set(batch.units)
    rest = [unit for unit in batch.units if unit not in held]
    study.tell([Label(unit=unit, answer="yes", labeler="file") for unit in rest])
    assert not set(work(desk, "bob")) & set(batch.units)
    assert statuses(desk.tell("ada", says(desk, truth_of(held)))) == ["recorded"] * 4
    assert study.estimate().progress.complete


def test_half_an_answer_in_a_file_leaves_the_turn(tmp_path: Path) -> None:
    study = of_labels(tmp_path)
    desk = desk_of(study)
    (unit,) = units_of(desk.take("ada", 1))
    desk.give_back("ada", [unit])
    study.tell([Label(unit=unit, answer="yes", question="joy", labeler="file")])
    assert units_of(desk.take("bob", 1)) == [unit]
    desk.give_back("bob", [unit])
    study.tell([Label(unit=unit, answer="yes", question=name, labeler="file") for name in LABELS[1:]])
    assert unit not in units_of(desk.take("bob", 500))


def test_a_unit_with_a_formula_for_a_name_ends_its_turn(tmp_path: Path) -> None:
    table = {**TABLE, "id": [f"={unit}" for unit in TABLE["id"]]}
    study = create(tmp_path, table=table)
    study.plan(10)
    batch = study.ask(10)
    assert batch is not None
    desk = desk_of(study)
    (held,) = units_of(desk.take("ada", 1))
    desk.give_back("ada", [held])
    study.tell({f"'{unit}": "yes" for unit in batch.units})
    assert desk.take("ada", 10) == []


def test_closing_ends_all_that_is_open(tmp_path: Path) -> None:
    study = planned(tmp_path)
    desk = desk_of(study)
    held = units_of(desk.take("ada", 3))
    study.close()
    assert desk.take("bob", 10) == []
    late = desk.tell("ada", [Said(unit, {"positive": "yes"}) for unit in held])  # numbers may have been seen since
    assert statuses(late) == ["refused"] * 3
    assert study.estimate().progress.never_answered == 40


def test_a_study_without_a_plan_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="has no plan yet"):
        desk_of(create(tmp_path)).take("ada")


def test_a_form_from_before_forms_were_entries_holds_until_it_is_replaced(tmp_path: Path) -> None:
    study = planned(tmp_path)
    assert isinstance(study.ledger, Database)
    with study.ledger.connection() as connection:
        connection.execute(sa.insert(SHEET).values(study=study.name, body='{"ask": "Old?"}'))
    desk = desk_of(study)
    assert desk.sheet == Sheet(ask="Old?")
    desk.set_sheet(Sheet(ask="Old?"))
    assert not study.standing.forms
    desk.set_sheet(Sheet())
    assert desk.sheet == Sheet()
    assert [form.sheet for form in study.standing.forms] == [Sheet()]


@pytest.mark.parametrize("stopping", [None, "decision", "2 looks"])
def test_a_late_change_is_warned_of_whatever_the_stopping_rule(tmp_path: Path, stopping: str | None) -> None:
    study = create(tmp_path, goals=["precision >= 0.3"])
    study.plan(40, stopping=stopping)
    desk = desk_of(study)
    desk.set_sheet(Sheet(ask="Is it?"))
    [given] = desk.take("ada", 1)
    desk.tell("ada", [Said(given.unit, {desk.questions[0]: "yes"})])
    assert not any("asked" in warning for warning in study.status().warnings)
    desk.set_sheet(Sheet(ask="Was it?"))
    assert any("changed after 1 answer (the question)" in warning for warning in study.status().warnings)
