"""A study that follows another: the same permanent numbers, and answers carried over."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.errors import StudyError
from fewlabels.nouns.label import Label
from fewlabels.study.study import Study
from tests.unit.study.made import GOALS, TABLE, columns, create, finished, label_all, ledger_in, population, truth_of


def later(folder: Path, name: str = "next", *, follows: str = "s", first: int = 100) -> Study:
    """The study of a table that lacks the first units and has others in their place."""
    fresh = columns(seed=9)
    table = {key: np.concatenate([np.asarray(TABLE[key])[first:], np.asarray(fresh[key])[:first]]) for key in TABLE}
    table["id"] = np.array([*TABLE["id"][first:], *(f"n{i}" for i in range(first))])
    return Study.create(name, population(table), goals=list(GOALS), ledger=ledger_in(folder), follows=follows)


def test_units_of_both_tables_are_drawn_in_both_and_asked_once(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    new = later(tmp_path)
    new.plan(80)
    batch = new.ask(100)
    assert batch is not None
    assert new.standing.salt == old.standing.salt
    assert old.standing.units is not None
    assert not set(batch.units) & set(old.standing.units.unit)
    carried = new.status().progress.labels
    assert carried + len(batch.units) == 80
    assert carried > 30  # three quarters of the units are in both tables
    for unit, told in new.standing.answers.items():
        assert [label.answer for label in told.values()] == [truth_of([unit])[unit]]


def test_a_chain_is_followed_to_its_beginning(tmp_path: Path) -> None:
    old = finished(tmp_path, budget=80)
    middle = later(tmp_path, "middle", first=100)
    middle.plan(20)
    middle.ask(1)
    last = later(tmp_path, "last", follows="middle", first=100)
    last.plan(80)
    last.ask(1)
    assert last.standing.salt == old.standing.salt
    assert last.status().progress.labels > middle.status().progress.labels


def test_unusable_answers_are_asked_for_again(tmp_path: Path) -> None:
    old = create(tmp_path)
    old.plan(40)
    batch = old.ask(100)
    assert batch is not None
    old.tell([Label(unit=unit, answer="cannot_tell") for unit in batch.units])
    new = later(tmp_path, first=0)
    new.plan(40)
    asked = new.ask(100)
    assert asked is not None
    assert len(asked.units) == 40


def test_following_is_fixed_with_the_study(tmp_path: Path) -> None:
    finished(tmp_path, budget=40)
    new = later(tmp_path)
    assert new.standing.follows == "s"
    with pytest.raises(StudyError, match="exists with the goals"):
        Study.create("s", population(), goals=list(GOALS), ledger=ledger_in(tmp_path), follows="next")
    with pytest.raises(StudyError, match="must follow another of the same ledger"):
        later(tmp_path, "other", follows="nobody")


def test_what_was_carried_verifies(tmp_path: Path) -> None:
    finished(tmp_path, budget=60)
    new = later(tmp_path, first=0)
    new.plan(80)
    label_all(new)
    new.estimate()
    assert new.verify(population=True).passed
