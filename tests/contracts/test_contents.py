"""What every ledger promises of what labelers are shown: kept as it is, replaced, deleted, and fetched by several at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from fewlabels.ledgers.base import Ledger, broken
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.sheet import FormColumn, FormSet, Sheet
from fewlabels.study.labels.forms import record_form
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest

pytestmark = pytest.mark.parametrize("under", PARAMETERS)
HOSTILE = "<script>alert('x')</script> \u202e \u2028 \u4f60\u597d \U0001f575 \\u0000 \x00 \" % ; --"


@pytest.fixture
def ledger(under: UnderTest, tmp_path: Path) -> Ledger:
    return open_ledger(under.address(tmp_path))


def test_a_form_is_an_entry_of_its_study_unless_nothing_changed(ledger: Ledger) -> None:
    for study in ("s", "t"):
        with ledger.writing(study) as act:
            act.append("population", key="population", body={})
    first = Sheet(
        show=(FormColumn("a:b"), FormColumn("photo", "image"), FormColumn("url", "link")), instructions=HOSTILE, ask="?", check_every=20
    )
    for sheet in (Sheet(), first, first, Sheet(ask="new"), first):
        record_form(ledger, "s", sheet, place="workbench", by="ann")
    record_form(ledger, "t", Sheet(ask="other"), place="file")
    kept = [FormSet.of_json(entry.body, answers=0) for entry in ledger.entries("s", anew=True) if entry.kind == "sheet"]
    assert kept == [FormSet(sheet, "workbench", "ann", 0) for sheet in (first, Sheet(ask="new"), first)]
    assert not list(broken(ledger.entries("s", anew=True)))
    assert ledger.sheet("s") == Sheet()  # what was set before forms were entries


def test_contents_are_kept_replaced_and_forgotten(ledger: Ledger) -> None:
    ledger.set_contents("s", {"a": {"text": HOSTILE, HOSTILE: None}, "b": {"text": ""}})
    ledger.set_contents("t", {"a": {"text": "of another study"}})
    assert ledger.contents("s", ["b", "a", "x"]) == {"a": {"text": HOSTILE, HOSTILE: None}, "b": {"text": ""}}
    ledger.set_contents("s", {"b": {"other": "column"}, "c": {"text": "new"}})
    assert ledger.contents("s", ["b", "c"]) == {"b": {"other": "column"}, "c": {"text": "new"}}
    assert ledger.contents("s", []) == {}
    assert ledger.forget("s") == 3
    assert ledger.forget("s") == 0
    assert ledger.contents("s", ["a", "b", "c"]) == {}
    assert ledger.contents("t", ["a"]) == {"a": {"text": "of another study"}}


def test_many_contents_are_kept(ledger: Ledger) -> None:
    held = {f"u{i}": {"text": f"text {i}"} for i in range(1_203)}
    ledger.set_contents("s", held)
    assert ledger.contents("s", list(held)) == held


def test_those_who_fetch_the_same_contents_at_once_all_succeed(under: UnderTest, tmp_path: Path) -> None:
    """Two desks that find no content hold the same units at the same time."""
    ledgers = [open_ledger(under.address(tmp_path)) for _ in range(3)]
    together = Barrier(len(ledgers))
    held = {f"u{i}": {"text": f"text {i}"} for i in range(300)}

    def fetched(ledger: Ledger) -> int:
        together.wait()
        for _ in range(5):
            ledger.set_contents("s", held)
        return len(ledger.contents("s", list(held)))

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(fetched, ledgers)) == [300] * 3
    assert ledgers[0].forget("s") == 300
