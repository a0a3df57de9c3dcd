"""Answers from elsewhere meet the draw, and units meet Label Studio: told once, to the right unit, or listed with the reason."""

from pathlib import Path
from typing import Any

import pytest

from fewlabels.desk.imports import ImportOptions, checked, receive
from fewlabels.desk.label_studio import How, pull, push, pushed_projects
from fewlabels.errors import LabelError, StudyError
from fewlabels.labeling.found import Found, Refused
from fewlabels.labeling.label_studio.client import Project
from fewlabels.nouns.label import CLOSER, Label
from fewlabels.nouns.sheet import FormColumn
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, TRUTH, batches_of, create

LEAVE_OUT = ImportOptions(leave_out=True)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    study = create(tmp_path)
    study.plan(40)
    study.ask(40)
    return Study.load("s", ledger=f"sqlite:///{tmp_path}/ledger.db", table=TABLE)


def units(study: Study) -> tuple[str, ...]:
    return batches_of(study)[0]


def label(unit: str, answer: str = "yes", labeler: str = "ada", row: int = 1) -> Label:
    return Label(unit=unit, answer=answer, labeler=labeler, question="positive", row=row)


def test_what_stands_the_check_is_told_and_the_rest_is_listed(study: Study) -> None:
    a, b, c, *_ = units(study)
    found = Found(
        [label(a), label(b, "no", row=2), label(b, "yes", row=3), label("nobody", row=4), label(c, row=5), label(c, row=6)],
        [Refused("x", "unreadable", "row 7")],
        blank=2,
    )
    done = receive(study, found, LEAVE_OUT)
    assert (done.told.recorded, done.blank) == (2, 2)
    assert {(one.unit, one.where) for one in done.refused} == {("x", "row 7"), (b, "row 2"), (b, "row 3"), ("nobody", "row 4")}
    assert set(study.standing.answers) == {a, c}


def test_one_refused_answer_refuses_the_file(study: Study) -> None:
    before = study._written
    with pytest.raises(LabelError, match=r"1 of its answers .*nobody.*--leave-out"):
        receive(study, Found([label(units(study)[0]), label("nobody")], []))
    assert study._written == before


def test_a_changed_answer_is_refused_unless_it_is_a_correction(study: Study) -> None:
    unit = units(study)[0]
    receive(study, Found([label(unit)], []))
    assert "answered yes before and now no" in receive(study, Found([label(unit, "no")], []), LEAVE_OUT).refused[0].why
    assert receive(study, Found([label(unit, "no")], []), ImportOptions(correct=True)).told.corrected == 1


def test_another_labeler_may_say_otherwise(study: Study) -> None:
    unit = units(study)[0]
    done = receive(study, Found([label(unit), label(unit, "no", "bob")], []))
    assert done.told.recorded == 2


def test_the_name_fewlabels_closes_by_is_no_labelers(study: Study) -> None:
    assert (
        "is reserved for answers that no labeler gave"
        in checked(study.standing, Found([label(units(study)[0], labeler=CLOSER)], [])).refused[0].why
    )


def test_another_question_is_refused(study: Study) -> None:
    odd = Label(unit=units(study)[0], answer="yes", question="rude")
    assert "does not ask" in checked(study.standing, Found([odd], [])).refused[0].why


def test_a_defused_id_is_restored(study: Study, tmp_path: Path) -> None:
    unit = units(study)[0]
    assert checked(study.standing, Found([label(f"'{unit}")], [])).refused  # only ids that look like a formula get an apostrophe


def test_undrawn_units_are_left_out_silently_if_asked(study: Study) -> None:
    done = receive(study, Found([label("nobody"), label(units(study)[0])], []), ImportOptions(ignore_undrawn=True))
    assert (done.told.recorded, done.told.undrawn, done.refused) == (1, 1, [])


# ---------------------------------------------------------------- Label Studio


class Fake:
    """Label Studio in memory."""

    url = "http://fake"

    def __init__(self) -> None:
        self.made: dict[int, dict[str, Any]] = {}
        self.held: dict[int, list[dict[str, Any]]] = {}
        self.hooks: list[tuple[int, str]] = []

    def create_project(self, **settings: Any) -> Project:
        number = len(self.made) + 1
        self.made[number], self.held[number] = settings, []
        return Project(number, settings["description"])

    def projects(self) -> list[Project]:
        return [Project(number, settings["description"]) for number, settings in self.made.items()]

    def import_tasks(self, project: int, tasks: list[dict[str, Any]]) -> int:
        self.held[project] += [{**task, "annotations": []} for task in tasks]
        return len(tasks)

    def tasks(self, project: int) -> list[dict[str, Any]]:
        return self.held[project]

    export = tasks

    def people(self) -> dict[str, str]:
        return {"1": "ada@example.com"}

    def create_webhook(self, project: int, url: str) -> int:
        self.hooks.append((project, url))
        return 1

    def answer(self, project: int, *, by: int = 1, at: str = "2026-01-01", units: int | None = None) -> None:
        for i, task in enumerate(self.held[project][:units]):
            result = [{"from_name": "question_1", "value": {"choices": [TRUTH[task["data"]["unit"]]]}}]
            task["annotations"].append({"id": 1000 * project + i, "completed_by": by, "result": result, "updated_at": at})

    def unit_sets(self) -> list[set[str]]:
        return [{task["data"]["unit"] for task in tasks} for tasks in self.held.values()]


def test_pushing_twice_is_pushing_once(study: Study) -> None:
    fake: Any = Fake()
    how = How(units=40, show=(FormColumn("text"),), webhook="http://hook")
    first, second = push(study, fake, how), push(study, fake, how)
    assert (first.projects[0].added, second.projects[0].added, second.projects[0].known) == (40, 0, 40)
    assert len(fake.made) == 1
    assert fake.hooks == [(1, "http://hook")]
    assert fake.held[1][0]["data"]["text"].startswith("text of")


def test_projects_hide_what_others_and_machines_say(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40))
    settings = fake.made[1]
    assert (settings["show_collab_predictions"], settings["maximum_annotations"]) == (False, 1)
    assert settings["sampling"] == "Sequential sampling"
    assert settings["reveal_preannotations_interactively"] is False
    assert study.standing.salt not in str(settings)
    assert len(settings["title"]) <= 50


def test_units_are_split_between_labelers_and_stay_where_they_are(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40, labelers=("ann", "bob")))
    ann, bob = fake.unit_sets()
    assert (len(ann), len(bob), ann & bob) == (20, 20, set())
    push(study, fake, How(units=40, labelers=("bob", "ann")))
    assert fake.unit_sets() == [ann, bob]


def test_double_labeling_gives_every_unit_to_every_labeler(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40, labelers=("ann", "bob"), double=True))
    ann, bob = fake.unit_sets()
    assert ann == bob == set(units(study))
    fake.answer(1)
    fake.answer(2, by=2)
    done = pull(study, fake)
    assert done.told.recorded == 80
    assert {who for _, who in study.standing.answers[units(study)[0]]} == {"ann", "bob"}
    assert pull(study, fake).told.known == 80


@pytest.mark.parametrize("labelers", [("ann", "ann"), ("ann",), ()])
def test_double_labeling_needs_two_people(labelers: tuple[str, ...], study: Study) -> None:
    fake: Any = Fake()
    with pytest.raises(LabelError, match="two or more"):
        push(study, fake, How(labelers=labelers, double=True))


def test_the_account_is_the_labeler_where_a_project_is_everybodys(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40))
    fake.answer(1)
    pull(study, fake)
    assert {who for seats in study.standing.answers.values() for _, who in seats} == {"ada@example.com"}


def test_somebody_else_in_a_labelers_project_is_refused(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40, labelers=("ann",)))
    fake.answer(1, units=30)
    fake.answer(1, by=9, units=2)
    done = pull(study, fake)
    assert done.told.recorded == 0  # who is ann of the two, nobody can say
    assert {one.why for one in done.refused} == {
        "this project is ann's alone, but accounts 1, 9 answered in it: delete the others' annotations there"
    }
    assert len(done.refused) == 32


def test_the_earlier_answer_is_told_first(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40, labelers=("ann", "bob"), double=True))
    fake.answer(1, at="2026-01-02")
    fake.answer(2, at="2026-01-01")
    pull(study, fake)
    assert [label.labeler for label in study.standing.told(units(study)[0])] == ["bob", "ann"]


def test_projects_are_found_by_their_mark_and_not_by_their_name(study: Study, tmp_path: Path) -> None:
    fake: Any = Fake()
    hostile = 'a"] [fewlabels 0123456789abcdef null]'
    push(study, fake, How(units=40, labelers=(hostile,)))
    fake.made[2] = {"description": "Units of the study s. [fewlabels 0123456789abcdef null]"}
    assert pushed_projects(study, fake) == {1: hostile}
    (tmp_path / "other").mkdir()
    with pytest.raises(LabelError, match="no project at"):
        pull(create(tmp_path / "other"), fake)


def test_a_project_whose_description_was_edited_is_named(study: Study) -> None:
    fake: Any = Fake()
    push(study, fake, How(units=40))
    fake.made[1]["description"] = "mine"
    fake.answer(1)
    with pytest.raises(LabelError, match="--project"):
        pull(study, fake)
    assert pull(study, fake, projects={1: "ada"}).told.recorded == 40


def test_a_score_is_refused_before_a_project_is_made(study: Study) -> None:
    fake: Any = Fake()
    with pytest.raises(StudyError, match="labelers see no score"):
        push(study, fake, How(show=(FormColumn("score"),)))
    assert fake.made == {}


def test_nothing_left_makes_no_project(study: Study) -> None:
    study.tell({unit: TRUTH[unit] for unit in units(study)})
    fake: Any = Fake()
    assert push(study, fake, How()).batch is None
    assert fake.made == {}
