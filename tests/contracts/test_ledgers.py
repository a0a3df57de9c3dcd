"""What every ledger promises: append-only, in order, all of an act or nothing, and no entry lost between two processes."""

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import fewlabels.ledgers
from fewlabels.ledgers.base import SEALING, Entry, Kind, Ledger, broken, seal_of
from fewlabels.ledgers.database import Database, insert, present
from fewlabels.ledgers.opening import open_ledger
from fewlabels.nouns.canonical import Json
from tests.contracts.ledgers_under_test import LEDGERS, PARAMETERS, UnderTest

KINDS: tuple[Kind, ...] = ("population", "study", "plan", "draw", "batch", "answer", "correction", "look")
BODY: dict[str, Json] = {
    "text": "né \u2028 \u4f60\u597d '=1+1' \"",
    "numbers": [1, -0.5, 1e-300, 2**52, None, True],
    "inner": {"b": [], "a": {}},
}
EXPLAINED = {"postgresql": ("explain", "entry_key"), "sqlite": ("explain query plan", "study=? AND key=?")}  # a look-up by study and key

pytestmark = pytest.mark.parametrize("under", PARAMETERS)


@pytest.fixture
def ledger(under: UnderTest, tmp_path: Path) -> Ledger:
    return open_ledger(under.address(tmp_path))


def append(ledger: Ledger, study: str, *keys: str, kind: Kind = "answer") -> None:
    with ledger.writing(study) as act:
        for key in keys:
            assert act.append(kind, key=key, body={"key": key})


def keys(ledger: Ledger, study: str) -> list[str]:
    return [entry.key for entry in ledger.entries(study)]


def test_every_ledger_is_in_the_list(under: UnderTest) -> None:
    found = {
        value
        for module in pkgutil.iter_modules(fewlabels.ledgers.__path__, "fewlabels.ledgers.")
        if not module.ispkg and module.name != "fewlabels.ledgers.migrations"
        for name, value in vars(importlib.import_module(module.name)).items()
        if isinstance(value, type) and name.endswith("Ledger") and value is not Ledger
    }
    assert found == {entry.ledger for entry in LEDGERS}
    assert under.ledger in found


def test_an_address_opens_its_ledger(under: UnderTest, ledger: Ledger) -> None:
    assert isinstance(ledger, under.ledger)


def test_what_is_appended_is_read_back(under: UnderTest, ledger: Ledger, tmp_path: Path) -> None:
    with ledger.writing("s") as act:
        for kind in KINDS:
            assert act.append(kind, key=f"k:{kind}", body=BODY)
        inside = act.entries()
    outside = open_ledger(under.address(tmp_path)).entries("s")
    assert inside == ledger.entries("s") == outside
    assert [e.kind for e in outside] == list(KINDS)
    assert [e.serial for e in outside] == list(range(1, len(KINDS) + 1))
    assert all(e.body == BODY and e.study == "s" for e in outside)
    assert list(broken(outside)) == []


def test_plans_draws_and_looks_seal_what_came_before(ledger: Ledger) -> None:
    with ledger.writing("s") as act:
        for kind in KINDS:
            act.append(kind, key=kind, body={})
    entries = ledger.entries("s")
    for i, entry in enumerate(entries):
        assert entry.seal == (seal_of([e.hash.encode() for e in entries[:i]]) if entry.kind in SEALING else None)


def test_the_head_is_the_newest_entry_also_of_an_act_that_is_open(ledger: Ledger) -> None:
    with ledger.writing("s") as act:
        assert act.head() == (0, "")
        act.append("answer", key="a", body={"n": 1})
        assert act.head() == (1, act.hash_at(1))
        act.flush()
        assert act.head() == (1, act.hash_at(1))
        act.append("answer", key="b", body={"n": 2})
        act.undo(1)
    with ledger.following("s") as source:
        assert source.head() == (1, ledger.entries("s")[-1].hash)


def test_a_known_key_is_not_written_twice(ledger: Ledger) -> None:
    with ledger.writing("s") as act:
        assert act.append("answer", key="a", body={"n": 1})
        assert not act.append("answer", key="a", body={"n": 2})
    with ledger.writing("s") as act:
        assert not act.append("look", key="a", body={"n": 3})
    assert [e.body for e in ledger.entries("s")] == [{"n": 1}]


def test_keys_are_looked_up_without_reading_the_study_that_is_being_filled(ledger: Ledger) -> None:
    """PostgreSQL knows nothing yet of a table that is filled in the same transaction; a list of keys would make it read all of it."""
    assert isinstance(ledger, Database)
    with ledger.connection() as connection:
        asked: list[tuple[str, Any]] = []
        sa.event.listen(connection, "before_cursor_execute", lambda *said: asked.append((said[2], said[3])))
        for start in range(0, 6_000, 1_000):
            insert(connection, [Entry("s", n + 1, "answer", f"k{n}", "", {}, None, "0" * 64) for n in range(start, start + 1_000)])
            some = [f"k{n}" for n in range(start + 500, start + 1_500)]
            assert present(connection, "s", some) == set(some[:500])
        statement, parameters = asked[-1]
        explain, by_key = EXPLAINED[connection.dialect.name]
        plan = "\n".join(str(row) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters))
        assert by_key in plan
        connection.rollback()


def write_and_stop(ledger: Ledger) -> None:
    with ledger.writing("s") as act:
        act.append("answer", key="lost", body={})
        assert [e.key for e in act.entries()] == ["before", "lost"]
        raise RuntimeError("stop")


def test_an_act_that_raises_leaves_nothing(ledger: Ledger) -> None:
    append(ledger, "s", "before")
    with pytest.raises(RuntimeError, match="stop"):
        write_and_stop(ledger)
    assert keys(ledger, "s") == ["before"]
    append(ledger, "s", "after")
    assert [(e.serial, e.key) for e in ledger.entries("s")] == [(1, "before"), (2, "after")]
    assert list(broken(ledger.entries("s"))) == []


def write_nan(ledger: Ledger) -> None:
    with ledger.writing("s") as act:
        act.append("answer", key="first", body={})
        act.append("answer", key="bad", body={"value": float("nan")})


def test_a_body_that_cannot_be_written_leaves_nothing(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_nan(ledger)
    assert ledger.entries("s") == []


def test_entries_are_frozen_and_reading_hands_out_a_list_of_ones_own(ledger: Ledger) -> None:
    append(ledger, "s", "a", "b")
    entry: Any = ledger.entries("s")[0]  # a checker of types would refuse what is tested
    with pytest.raises(AttributeError):
        entry.key = "other"
    with ledger.writing("s") as act:
        act.entries().clear()
        assert len(act.entries()) == 2
    ledger.entries("s").clear()
    assert keys(ledger, "s") == ["a", "b"]


def test_the_body_an_act_was_given_can_change_afterwards(ledger: Ledger) -> None:
    body: dict[str, Any] = {"list": [1]}
    with ledger.writing("s") as act:
        act.append("answer", key="a", body=body)
        body["list"].append(2)
        assert act.entries()[0].body == {"list": [1]}
    assert ledger.entries("s")[0].body == {"list": [1]}


def test_order_is_by_serial_not_by_key_or_time(under: UnderTest, tmp_path: Path) -> None:
    times = iter(f"20{99 - i:02}-01-01T00:00:00" for i in range(12))  # a clock that runs backward
    ledger = under.ledger(under.address(tmp_path), clock=lambda: next(times))
    append(ledger, "s", *"lkjihgfedcba")
    assert keys(ledger, "s") == list("lkjihgfedcba")
    assert [e.serial for e in ledger.entries("s")] == list(range(1, 13))


def test_studies_are_apart(ledger: Ledger) -> None:
    append(ledger, "b", "x", "y")
    append(ledger, "a", "x")
    append(ledger, "b", "z")
    assert ledger.studies() == ["a", "b"]
    assert keys(ledger, "a") == ["x"]
    assert keys(ledger, "b") == ["x", "y", "z"]
    assert ledger.entries("c") == []


@pytest.mark.parametrize(
    "name", ["\u6b3a\u8a50 2026 \U0001f575", "e\u0301", "\u00e9", "'; drop table entry; --", "a/b", " ", "x" * 5_000, "\n"]
)
def test_a_study_may_have_any_name(ledger: Ledger, name: str) -> None:
    append(ledger, name, "a")
    append(ledger, "other", "a")
    assert name in ledger.studies()
    assert [(e.study, e.key) for e in ledger.entries(name)] == [(name, "a")]
    assert list(broken(ledger.entries(name))) == []


def test_names_that_look_alike_are_two_studies(ledger: Ledger) -> None:
    append(ledger, "e\u0301", "decomposed")
    append(ledger, "\u00e9", "composed")
    append(ledger, "\u00c9", "upper case")
    assert keys(ledger, "\u00e9") == ["composed"]
    assert len(ledger.studies()) == 3


def test_opening_again_keeps_everything(under: UnderTest, ledger: Ledger, tmp_path: Path) -> None:
    append(ledger, "s", "a")
    again = open_ledger(under.address(tmp_path), create=False)
    append(again, "s", "b")
    assert keys(ledger, "s") == keys(again, "s") == ["a", "b"]


APPENDING = """
import sys
from fewlabels.ledgers.opening import open_ledger
address, who = sys.argv[1:]
ledger = open_ledger(address)  # both may find no ledger yet
print("open", flush=True)
sys.stdin.readline()
for i in range(50):
    with ledger.writing("s") as act:
        act.append("answer", key=f"{who}:{i}", body={"i": i})
        act.append("look", key=f"{who}:{i}:look", body={"seen": len(act.entries())})
        act.append("answer", key=f"shared:{i}", body={"i": i})
"""


def test_two_processes_at_once_lose_nothing(under: UnderTest, tmp_path: Path) -> None:
    command = [sys.executable, "-c", APPENDING, under.address(tmp_path)]
    env = {"PYTHONPATH": ":".join(sys.path)}
    workers = [
        subprocess.Popen([*command, who], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for who in ("ada", "bob")
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "open\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors
    entries = open_ledger(under.address(tmp_path)).entries("s")
    assert [e.serial for e in entries] == list(range(1, 2 * 100 + 50 + 1))
    assert {e.key for e in entries} == {f"{who}:{i}{end}" for who in ("ada", "bob") for i in range(50) for end in ("", ":look")} | {
        f"shared:{i}" for i in range(50)
    }
    assert list(broken(entries)) == []
    for entry in entries:
        if entry.kind == "look":  # an act saw exactly what was there when it wrote
            assert entry.body["seen"] == entry.serial - 1
