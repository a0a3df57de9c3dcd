"""Answers taken out: what a row holds, and that each writing is a look."""

import csv
from pathlib import Path

import duckdb
import pytest

from fewlabels.demo.study import small_study
from fewlabels.errors import FileError, StudyError
from fewlabels.nouns.classifier import Classifier
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study


def test_an_unusable_answer_is_empty_and_keeps_its_weight(tmp_path: Path) -> None:
    study = small_study(labeled=False)
    batch = study.ask(40)
    assert batch is not None
    units = batch.units
    study.tell({unit: "cannot tell" if i < 2 else "skipped" if i < 3 else "yes" for i, unit in enumerate(units)})
    found = study.answers(tmp_path / "a.csv", tmp_path / "a.parquet")
    at = found.columns.index("answer")
    assert {row[0]: row[at] for row in found.rows} == {unit: None if i < 3 else 1 for i, unit in enumerate(units)}
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [row["answer"] for row in csv.DictReader(file)] == ["" if row[at] is None else "1" for row in found.rows]
    with duckdb.connect() as connection:
        rows = connection.execute(f"select unit, answer, weight from '{tmp_path}/a.parquet'").fetchall()
    assert rows == [(row[0], row[at], 1.0) for row in found.rows]


def test_gold_answers_are_a_column_of_their_own() -> None:
    study = small_study(labeled=False)
    gold = study.adjudicate(0.2)
    study.ask(40)
    study.tell({f"small-{i}": "yes" for i in range(1, 41)})
    study.tell_gold(dict.fromkeys(gold, "no"))
    found = study.answers()
    told = {row[0]: row[found.columns.index("gold")] for row in found.rows}
    assert {unit for unit, answer in told.items() if answer == 0} == set(gold)
    assert set(told.values()) == {0, None}


def test_a_class_is_written_by_its_name() -> None:
    table = {"id": ["a", "b", "c", "d"], "label": ["cat", "cat", "dog", "dog"]}
    animals = [Classifier(name, predicted="label", value=name) for name in ("cat", "dog")]
    population = read_population(table, classifiers=animals)
    study = Study.create("animals", population, goals=["accuracy +-0.1"], ledger="sqlite:///:memory:")
    study.plan(4)
    study.ask(4)
    study.tell({"a": "cat", "b": "dog", "c": "dog", "d": "dog"})
    found = study.answers(weights=False)
    assert found.columns == ("unit", "predicted_cat", "predicted_dog", "answer")
    assert sorted(found.rows) == [("a", 1, 0, "cat"), ("b", 1, 0, "dog"), ("c", 0, 1, "dog"), ("d", 0, 1, "dog")]


def test_each_writing_is_a_look_that_verifies_and_none_is_possible_before_it(tmp_path: Path) -> None:
    study = small_study(labeled=False)
    study.ask(40)
    study.tell({f"small-{i}": i < 9 for i in range(1, 40)})
    with pytest.raises(StudyError, match="no interval before all 40 planned units are resolved, 39 are"):
        study.answers(tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())
    assert len(study.answers(peek=True).rows) < 40  # the part of the draw that is itself a draw
    assert [look.certified for look in study.standing.looks] == [False]
    study.tell({"small-40": False})
    study.answers()
    study.answers()  # the same again is no second look
    assert [look.certified for look in study.standing.looks] == [False, True]
    assert study.verify().findings == ()
    with pytest.raises(FileError, match=r"\.csv or \.parquet"):
        study.answers(tmp_path / "a.txt")
