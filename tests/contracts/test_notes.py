"""What every ledger promises of notes: one of each kind for a labeler and unit, replaced, emptied, read by page, and forgotten."""

from pathlib import Path

import pytest

from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.note import Note
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest

pytestmark = pytest.mark.parametrize("under", PARAMETERS)
HOSTILE = "<script>alert('x')</script> \u202e \u2028 \u4f60\u597d \U0001f575 \" % ; --"


@pytest.fixture
def ledger(under: UnderTest, tmp_path: Path) -> Database:
    found = open_ledger(under.address(tmp_path))
    assert isinstance(found, Database)
    return found


def put(ledger: Database, *notes: Note, study: str = "s") -> None:
    with ledger.writing(study) as act:
        act.put_notes(notes)


def test_a_labeler_has_one_note_of_each_kind_about_a_unit(ledger: Database) -> None:
    put(
        ledger,
        Note("a", "ada", "comment", "old", 1.0),
        Note("a", "ada", "left out", "blurred", 2.0),
        Note("a", "bob", "comment", HOSTILE, 3.0),
    )
    put(ledger, Note("a", "ada", "comment", "first", 4.0), Note("a", "ada", "comment", "new", 5.0))
    put(ledger, Note("a", "ada", "comment", "of another study", 9.0), study="t")
    assert ledger.notes("s", most=10) == [
        Note("a", "ada", "comment", "new", 5.0),
        Note("a", "bob", "comment", HOSTILE, 3.0),
        Note("a", "ada", "left out", "blurred", 2.0),
    ]
    assert ledger.comments("s", "ada", ["a", "b"]) == {"a": "new"}
    assert ledger.comments("s", "eve", ["a"]) == {}
    put(ledger, Note("a", "ada", "comment", "", 6.0))
    assert ledger.comments("s", "ada", ["a"]) == {}
    assert ledger.note_count("s") == 2


def test_notes_are_read_by_page_the_newest_first(ledger: Database) -> None:
    put(ledger, *(Note(f"u{i}", "ada", "comment", "x", float(i)) for i in range(7)))
    assert [one.unit for one in ledger.notes("s", most=3)] == ["u6", "u5", "u4"]
    assert [one.unit for one in ledger.notes("s", most=3, after=6)] == ["u0"]
    assert ledger.notes("s", most=3, after=7) == []


def test_notes_are_forgotten_with_the_contents(ledger: Database) -> None:
    put(ledger, Note("a", "ada", "comment", "x", 1.0))
    put(ledger, Note("a", "ada", "comment", "x", 1.0), study="t")
    ledger.forget("s")
    assert (ledger.note_count("s"), ledger.note_count("t")) == (0, 1)


def test_notes_are_no_entries(ledger: Database) -> None:
    put(ledger, Note("a", "ada", "comment", "x", 1.0))
    assert ledger.entries("s", anew=True) == []


def test_notes_of_an_act_that_fails_are_not_kept(ledger: Database) -> None:
    def fails() -> None:
        with ledger.writing("s") as act:
            act.put_notes([Note("a", "ada", "comment", "x", 1.0)])
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fails()
    assert ledger.note_count("s") == 0
