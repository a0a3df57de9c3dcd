"""Whatever answers are told in, the same labels are recorded; what holds none is refused in our words."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from fewlabels.errors import FewlabelsError, LabelError, PlanError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import parse_goal
from fewlabels.study.study import Study
from tests.unit.study.made import TRUTH, create, population

UNITS = 6
DAY = pandas.Timestamp("2026-01-02")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    made = create(tmp_path)
    made.plan(40)
    return made


def units_of(study: Study, units: int = UNITS) -> list[str]:
    batch = study.ask(units)
    assert batch is not None
    return list(batch.units)


def told(study: Study) -> dict[str, str]:
    return {unit: label.answer for unit, seats in study.standing.answers.items() for label in seats.values()}


KINDS: dict[str, Any] = {
    "pandas": lambda units, said: pandas.DataFrame({"unit": units, "answer": said}),
    "pandas by id": lambda units, said: pandas.DataFrame({"id": units, "text": "x", "answer": said}),
    "pandas by index": lambda units, said: pandas.DataFrame({"answer": said}, index=pandas.Index(units, name="id")),
    "pandas label": lambda units, said: pandas.DataFrame({"unit": units, "label": said}),
    "pandas question": lambda units, said: pandas.DataFrame({"unit": units, "positive": said}),
    "pandas category": lambda units, said: pandas.DataFrame({"unit": units, "answer": pandas.Categorical(said)}),
    "series": lambda units, said: pandas.Series(said, index=units),
    "polars": lambda units, said: polars.DataFrame({"unit": units, "answer": said}),
    "polars lazy": lambda units, said: polars.LazyFrame({"unit": units, "answer": said}),
    "arrow": lambda units, said: pyarrow.table({"unit": units, "answer": said}),
    "dict": lambda units, said: dict(zip(units, said, strict=True)),
    "rows": lambda units, said: [{"unit": u, "answer": a} for u, a in zip(units, said, strict=True)],
    "rows by id": lambda units, said: ({"id": u, "answer": a} for u, a in zip(units, said, strict=True)),
}
ANSWERS: dict[str, Any] = {
    "words": lambda said: said,
    "truth": lambda said: [a == "yes" for a in said],
    "whole": lambda said: [int(a == "yes") for a in said],
    "numpy": lambda said: [np.bool_(a == "yes") for a in said],
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_records_the_same_in_every_spelling(study: Study, kind: Any) -> None:
    units = units_of(study, UNITS * len(ANSWERS))
    for i, spelled in enumerate(ANSWERS.values()):
        some = units[UNITS * i : UNITS * (i + 1)]
        assert study.tell(kind(some, spelled([TRUTH[unit] for unit in some]))) == (UNITS, 0, 0, 0)
    assert told(study) == {unit: TRUTH[unit] for unit in units}


@pytest.mark.parametrize("nothing", [None, float("nan"), pandas.NA, pandas.NaT, "", "  "], ids=repr)
def test_a_row_without_an_answer_is_left_for_later_as_in_a_file(study: Study, nothing: object) -> None:
    units = units_of(study)
    said = pandas.Series([nothing, *(TRUTH[unit] for unit in units[1:])], index=units, dtype=object)
    assert study.tell(said) == (UNITS - 1, 0, 0, 0)
    assert study.tell(pandas.DataFrame({"unit": units, "answer": said.to_numpy()})) == (0, UNITS - 1, 0, 0)
    assert units[0] not in told(study)


def test_gaps_make_no_other_answer_of_a_number(tmp_path: Path) -> None:
    """pandas writes whole numbers with a gap as 3.0; the class is 3."""
    table = {"id": ["a", "b", "c"], "given": ["3", "5", "5"]}
    digits = [Classifier(name, predicted="given", value=name) for name in ("3", "5")]
    study = Study.create(
        "digits", population(table, score=None, threshold=None, classifiers=digits), goals="accuracy +-0.1", ledger="sqlite:///:memory:"
    )
    study.plan(3)
    study.ask()
    assert study.tell(pandas.DataFrame({"id": ["a", "b", "c"], "answer": [3, None, 5]})) == (2, 0, 0, 0)
    assert told(study) == {"a": "3", "c": "5"}


def test_labeler_and_time_are_taken_from_their_columns_and_may_be_missing(study: Study) -> None:
    units = units_of(study)[:2]
    frame = pandas.DataFrame({"unit": units, "answer": ["yes", "no"], "labeler": ["ada", None], "at": [DAY, pandas.NaT]})
    study.tell(frame)
    labels = {unit: next(iter(study.standing.answers[unit].values())) for unit in units}
    assert [(label.labeler, label.at) for label in labels.values()] == [("ada", "2026-01-02 00:00:00"), ("anonymous", None)]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_several_questions_are_a_column_each(tmp_path: Path, frame: Any) -> None:
    table = {"id": ["a", "b", "c"], "x": [True, False, True], "y": [True, True, False]}
    judged = [Classifier(name, predicted=name, question=f"is it {name}?") for name in ("x", "y")]
    study = Study.create(
        "two", population(table, score=None, threshold=None, classifiers=judged), goals="micro[f1] +-0.1", ledger="sqlite:///:memory:"
    )
    study.plan(3)
    study.ask()
    assert study.tell(frame({"unit": ["a", "b", "c"], "is it x?": [True, False, None], "is it y?": [True, None, None]})) == (3, 0, 0, 0)


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (None, "got NoneType"),
        (7, "got int"),
        ("answers.csv", "got str: to record a file, read it into a DataFrame"),
        (Path("answers.csv"), "to record a file, read it into a DataFrame"),
        (b"yes", "got bytes"),
        (polars.Series("answer", ["yes"]), "a Polars Series does not say which unit"),
        (np.array(["yes"]), r"row 1 is numpy\.str_"),
        ([("u1", "yes")], "row 1 is tuple: make it a dict"),
        (["u1"], "row 1 is str"),
        (pandas.DataFrame({"id": ["u1"], "is": ["yes"]}), "a column of answers, named answer or label or positive, but this one has 'id'"),
        (pandas.DataFrame({"key": ["u1"], "answer": ["yes"]}), "a column of units, named unit or id, but this one has 'key', 'answer'"),
        (pandas.DataFrame(), "has no column"),
        (pandas.DataFrame([["u1", "yes", "no"]], columns=["unit", "answer", "answer"]), "'answer' comes twice"),
        (pandas.DataFrame({"unit": [None], "answer": ["yes"]}), "row 1 does not: fill it in"),
        (pandas.Series(["maybe"], index=["u1"]), "an answer must be yes or no"),
    ],
    ids=lambda value: "",
)  # fmt: skip
def test_what_holds_no_answers_is_refused_in_our_words(study: Study, answers: object, says: str) -> None:
    units_of(study)
    with pytest.raises(LabelError, match=says):
        study.tell(answers)
    assert told(study) == {}


def test_no_package_of_tables_is_imported_for_a_dict() -> None:
    import subprocess
    import sys

    text = (
        "import sys; from fewlabels.study.labels.rows import *; rows_of({'a': 1}, AskedQuestions(('positive',), ()));"
        "print(sorted({'pandas', 'polars', 'pyarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_one_goal_alone_is_one_goal(tmp_path: Path) -> None:
    study = create(tmp_path)
    alone = Study.create("alone", population(), goals="precision >= 0.9", ledger="sqlite:///:memory:")
    given = Study.create("given", population(), goals=parse_goal("precision >= 0.9"), ledger="sqlite:///:memory:")
    assert [str(goal) for goal in alone.standing.goals] == [str(goal) for goal in given.standing.goals] == ["precision >= 0.9"]
    study.plan(40)
    assert [str(goal) for goal in study.extend(goals="f1 +-0.2").goals][-1] == "f1 +-0.2"
    assert [str(served.goal) for served in study.preview_extension(goals="accuracy +-0.2").goals] == ["accuracy +-0.2"]


@pytest.mark.parametrize("goals", [None, 3, [3], [None], {"precision": 0.9}.values()], ids=repr)
def test_what_is_no_goal_is_refused_in_our_words(goals: Any) -> None:
    with pytest.raises(PlanError, match=r"a goal must be a string such as .*, or a Goal, got"):
        Study.create("none", population(), goals=goals, ledger="sqlite:///:memory:")


def test_one_slice_column_alone_is_one_column(study: Study) -> None:
    with pytest.raises(FewlabelsError, match="got country"):
        study.slices("recall", by="country", peek=True)
