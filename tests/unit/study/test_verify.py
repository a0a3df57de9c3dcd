"""Whatever is changed in a ledger by hand is found, and the entry is named."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import FewlabelsError, LedgerError
from fewlabels.ledgers.base import entry_hash, seal_of
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.canonical import canonical
from fewlabels.nouns.plan import Plan
from fewlabels.randomness import stream
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, columns, create, finished, label_all, ledger_in, population, truth_of, write_csv

SEED = 20261
FLIPS = 40  # places tried in each entry
Plain = list[dict[str, Any]]  # entries without study, serial and hash
KINDS = ("population", "study", "plan", "draw", "batch", "answer", "correction", "look")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with entries of every kind, some of them in other scripts."""
    folder = tmp_path_factory.mktemp("good")
    study = create(folder)
    study.plan(30)
    batch = study.ask(10)
    assert batch is not None
    study.tell([{"unit": u, "answer": a, "labeler": "\u00c5da \u4f60"} for u, a in truth_of(batch.units).items()])
    study.tell([{"unit": batch.units[0], "answer": "cannot_tell", "labeler": "\u00c5da \u4f60"}], correct=True)
    label_all(study)
    study.estimate()
    study.plan(40)
    label_all(study)
    study.estimate()
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    shutil.copy(template / "ledger.db", tmp_path / "ledger.db")
    return tmp_path


def execute(folder: Path, text: str, *values: object) -> None:
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("pragma synchronous = off")
        connection.execute(text, values)
    connection.close()


def stored(folder: Path, kind: str) -> tuple[int, bytes]:
    """The serial and body of the last entry of a kind."""
    with sqlite3.connect(folder / "ledger.db") as connection:
        serial, body = connection.execute(
            "select serial, cast(body as blob) from entry where kind = ? order by serial desc limit 1", (kind,)
        ).fetchone()
    connection.close()
    return serial, body


def findings(folder: Path) -> tuple[str, ...]:
    return Study.load("s", ledger=f"sqlite:///{folder}/ledger.db").verify().findings


def serial_of(folder: Path, kind: str) -> int:
    return stored(folder, kind)[0]


def test_a_good_ledger_passes(folder: Path) -> None:
    study = Study.load("s", ledger=ledger_in(folder), table=population().table)
    found = study.verify()
    assert found.passed
    assert found.checked[0] == "the database file"
    assert "hashes and seals" in found.checked[1]
    assert "draw" not in found.checked
    with_table = study.verify(population=True)
    assert with_table.passed
    assert set(with_table.checked) > set(found.checked)
    assert {"fingerprint", "draw"} <= set(with_table.checked)


def test_verifying_writes_nothing(folder: Path) -> None:
    before = (folder / "ledger.db").read_bytes()
    findings(folder)
    assert (folder / "ledger.db").read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_one_flipped_byte_is_found_and_named(folder: Path, kind: str) -> None:
    serial, body = stored(folder, kind)
    rng = stream(SEED, KINDS.index(kind))
    places = rng.choice(len(body), size=min(FLIPS, len(body)), replace=False)
    for place in [0, len(body) - 1, *places.tolist()]:
        changed = bytearray(body)
        changed[place] ^= int(rng.integers(1, 256))  # any other byte, whether or not the text stays UTF-8 or JSON
        execute(folder, "update entry set body = cast(? as text) where serial = ?", bytes(changed), serial)
        found = findings(folder)
        assert any(f"entry {serial} ({kind}," in line and "was changed after it was written" in line for line in found), (place, found)
    execute(folder, "update entry set body = cast(? as text) where serial = ?", body, serial)
    assert findings(folder) == ()


@pytest.mark.parametrize("kind", ["draw", "population", "plan", "look"])
def test_a_digit_that_became_an_exponent_is_found(folder: Path, kind: str) -> None:
    """1234567 with one byte flipped can be 1e34567, which is beyond any float."""
    serial, body = stored(folder, kind)
    places = [i for i in range(1, len(body) - 8) if body[i : i + 8].isdigit() and body[i - 1 : i].isdigit()]
    for place in places[:5]:
        execute(folder, "update entry set body = cast(? as text) where serial = ?", body[:place] + b"e" + body[place + 1 :], serial)
        assert any(f"entry {serial} ({kind}," in line for line in findings(folder))
    assert places or kind != "draw"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"NaN",
        b'{"a":NaN}',
        b'{"a":1e999}',
        b"\xff\xfe",
        b'{"a":"\\ud800"}',
        b"\x00",
        b'{"a": 1}',
        b'{"a":1,"a":2}',
    ],
)
def test_a_body_that_became_something_else_is_found(folder: Path, body: bytes) -> None:
    serial = serial_of(folder, "answer")
    execute(folder, "update entry set body = cast(? as text) where serial = ?", body, serial)
    assert any(line.startswith(f"entry {serial} (answer,") for line in findings(folder))


@pytest.mark.parametrize("body", [b"{}", 5, 1.5])
def test_a_body_of_another_type_is_found(folder: Path, body: object) -> None:
    serial = serial_of(folder, "answer")
    execute(folder, "update entry set body = ? where serial = ?", body, serial)
    assert any(line.startswith(f"entry {serial} (answer,") for line in findings(folder))


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b'{"a":1e999}'])
@pytest.mark.parametrize("kind", ["population", "study", "plan", "draw", "answer"])
def test_a_damaged_ledger_is_refused_in_words(folder: Path, kind: str, body: bytes) -> None:
    serial = serial_of(folder, kind)
    execute(folder, "update entry set body = cast(? as text) where serial = ?", body, serial)
    study = Study.load("s", ledger=ledger_in(folder))
    for act in (study.status, study.estimate, study.decide, study.ask, study.close):
        with pytest.raises(LedgerError, match=rf"entry {serial} \({kind}, .*\) was damaged: see fewlabels verify"):
            act()


@pytest.mark.parametrize("column", ["kind", "key", "at", "seal", "hash"])
@pytest.mark.parametrize("kind", ["population", "draw", "answer", "look"])
def test_any_other_column_that_was_changed_is_found(folder: Path, kind: str, column: str) -> None:
    serial = serial_of(folder, kind)
    value = {"kind": "batch", "key": "other", "at": "2026-01-01", "seal": "0" * 64, "hash": "0" * 64}[column]
    execute(folder, f"update entry set {column} = ? where serial = ?", value, serial)
    assert any(line.startswith(f"entry {serial} (") for line in findings(folder))


def test_a_removed_seal_is_found(folder: Path) -> None:
    serial = serial_of(folder, "look")
    execute(folder, "update entry set seal = null where serial = ?", serial)
    assert any(line.startswith(f"entry {serial} (look") for line in findings(folder))


def test_a_deleted_entry_is_found_wherever_it_was(folder: Path, template: Path) -> None:
    """All but the last: what came after the last seal leaves no gap. That is said in the docs, not hidden."""
    last = len(ledger_in(folder).entries("s"))
    for serial in range(1, last):
        shutil.copy(template / "ledger.db", folder / "ledger.db")
        execute(folder, "delete from entry where serial = ?", serial)
        found = findings(folder)
        assert found, serial
        assert f"serial {serial} was expected here" in found[0]


def rewritten(folder: Path, change: Callable[[Plain], None], *, seals: bool) -> None:
    """The whole study written anew after a change, with serials and hashes that fit; with seals=False the old seals stay."""
    entries: Plain = [
        {"kind": e.kind, "key": e.key, "at": e.at, "body": dict(e.body), "seal": e.seal} for e in ledger_in(folder).entries("s")
    ]
    change(entries)
    execute(folder, "delete from entry")
    hashes: list[str] = []
    for serial, entry in enumerate(entries, start=1):
        if seals and entry["seal"] is not None:
            entry["seal"] = seal_of(map(str.encode, hashes))
        hashes.append(entry_hash(study="s", serial=serial, **entry))
        values = (serial, entry["kind"], entry["key"], entry["at"], canonical(entry["body"]), entry["seal"], hashes[-1])
        execute(folder, "insert into entry values ('s', ?, ?, ?, ?, ?, ?, ?)", *values)


def answer_at(entries: Plain) -> int:
    return next(i for i, entry in enumerate(entries) if entry["kind"] == "answer")


def delete_answer(entries: Plain) -> None:
    del entries[answer_at(entries)]


def swap_answers(entries: Plain) -> None:
    i = answer_at(entries)
    entries[i], entries[i + 1] = entries[i + 1], entries[i]


def add_answer(entries: Plain) -> None:
    i = answer_at(entries)
    entries.insert(i, {**entries[i], "key": "answer:other", "body": {**entries[i]["body"], "labeler": "eve"}})


@pytest.mark.parametrize("change", [delete_answer, swap_answers, add_answer])
def test_a_change_with_hashes_that_fit_breaks_the_next_seal(folder: Path, change: Callable[[Plain], None]) -> None:
    rewritten(folder, change, seals=False)
    found = findings(folder)
    assert found
    assert "its seal does not match the entries before it" in found[0]
    assert "(look," in found[0]


def test_writing_it_anew_without_a_change_passes(folder: Path) -> None:
    rewritten(folder, lambda _: None, seals=False)
    assert findings(folder) == ()


def change_answer(entries: Plain) -> None:
    for entry in entries:
        if entry["kind"] == "answer":
            body = dict(entry["body"])
            entry["body"] = {**body, "answer": "no" if body["answer"] == "yes" else "yes"}


def test_changed_answers_with_hashes_and_seals_that_fit_contradict_what_was_shown(folder: Path) -> None:
    rewritten(folder, change_answer, seals=True)
    found = findings(folder)
    assert found
    assert all("(look): recomputing its estimates from the ledger gives other numbers" in line for line in found)


def reword(entries: Plain) -> None:
    """As an earlier version would have written it: another caution beside the same numbers."""
    for entry in entries:
        asked = entry["body"].get("asked") if entry["kind"] == "look" else None
        if asked is not None and asked["kind"] == "slices":
            shown = entry["body"]["shown"]
            other = [{**one, "caution": f"an older atlas: {one['caution']}"} for one in shown["estimates"]]
            entry["body"] = {**entry["body"], "shown": {**shown, "estimates": other}}


def narrow(entries: Plain) -> None:
    """The twin: one limit of that look moved by a little."""
    look = next(entry for entry in entries if entry["kind"] == "look")
    shown = look["body"]["shown"]
    first, *rest = shown["estimates"]
    look["body"] = {**look["body"], "shown": {**shown, "estimates": [{**first, "low": first["low"] + 1e-6}, *rest]}}


def test_a_caution_that_was_worded_otherwise_is_no_change_of_numbers(tmp_path: Path) -> None:
    table = {**TABLE, "country": ["BR", "DE"] * (len(TABLE["id"]) // 2)}
    finished(tmp_path, table=table, slices=["country"]).slices("precision", by=["country"])
    rewritten(tmp_path, reword, seals=True)
    assert findings(tmp_path) == ()
    rewritten(tmp_path, narrow, seals=True)
    assert any("gives other numbers" in line for line in findings(tmp_path))


def change_unit(entries: Plain) -> None:
    draw = next(entry for entry in entries if entry["kind"] == "draw")
    body = dict(draw["body"])
    body["units"] = {**body["units"], "unit": ["chosen by hand", *body["units"]["unit"][1:]]}
    draw["body"] = body


def test_a_unit_chosen_by_hand_has_the_wrong_permanent_number(folder: Path) -> None:
    rewritten(folder, change_unit, seals=True)
    assert any("unit 'chosen by hand': its permanent number is" in line for line in findings(folder))


def change_plan(entries: Plain) -> None:
    plan = next(entry for entry in entries if entry["kind"] == "plan")
    body = dict(plan["body"])
    plan["body"] = {**body, "plan": {**body["plan"], "promise": "anything"}}


def test_a_plan_that_is_not_its_hash_is_found(folder: Path) -> None:
    rewritten(folder, change_plan, seals=True)
    assert any("(plan): its hash is not that of the plan it holds" in line for line in findings(folder))


def test_an_entry_added_by_hand_is_found(folder: Path) -> None:
    last = len(ledger_in(folder).entries("s"))
    for serial in (0, last + 1, last + 2):
        execute(folder, "insert into entry values ('s', ?, 'answer', 'forged', 't', '{}', null, 'h')", serial)
        assert any(f"entry {serial} (answer, forged)" in line for line in findings(folder))
        execute(folder, "delete from entry where key = 'forged'")
    assert findings(folder) == ()


def test_swapped_serials_are_found(folder: Path) -> None:
    a, b = serial_of(folder, "answer"), serial_of(folder, "answer") - 1
    for old, new in ((a, -1), (b, a), (-1, b)):
        execute(folder, "update entry set serial = ? where serial = ?", new, old)
    named = " ".join(findings(folder))
    assert f"entry {a} (" in named
    assert f"entry {b} (" in named


def test_another_population_is_found(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv")
    study = finished(tmp_path, table=str(path))
    assert study.verify(population=True).passed
    write_csv(path, columns(400, seed=8))
    assert study.verify().passed
    found = study.verify(population=True)
    assert not found.passed
    assert "must be the one the study was made on" in found.findings[0]


def test_contents_swapped_inside_a_cell_are_found_where_they_move_a_unit(tmp_path: Path) -> None:
    """The fingerprint counts cells; drawing again finds that other units are in them."""
    study = finished(tmp_path)
    units = study.standing.units
    assert units is not None
    other = dict(TABLE)
    other["id"] = [f"x{unit}" if unit in units.unit[:5] else unit for unit in TABLE["id"]]
    order = np.argsort(other["id"])
    assert order.size == 400
    assert not study.verify(population=True, table=other).passed


def test_a_study_created_but_not_planned_verifies(tmp_path: Path) -> None:
    assert create(tmp_path).verify(population=True).passed


def test_an_empty_ledger_has_no_study_to_verify(tmp_path: Path) -> None:
    open_ledger(f"sqlite:///{tmp_path}/ledger.db")
    with pytest.raises(FewlabelsError, match="no study"):
        findings(tmp_path)


def _edit(kind: str, field: str, value: Any) -> Callable[[Plain], None]:
    """Changes one field of the last entry of a kind; of the plan itself for a plan, with its hash made to fit."""

    def change(entries: Plain) -> None:
        body = [e for e in entries if e["kind"] == kind][-1]["body"]
        if kind == "plan":
            body["plan"] = {**body["plan"], field: value}
            body["hash"] = Plan.of_json(body["plan"]).hash
        else:
            body[field] = value

    return change


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("plan", "share", 1.0),
        ("plan", "promise", "holds at 100 %"),
        ("draw", "pi", [1.0]),
        ("draw", "fingerprint", "x"),
        ("batch", "units", ["zzz"]),
        ("look", "labels", 99_999),
    ],
)
def test_what_follows_from_other_entries_is_recomputed_even_if_every_hash_was_made_to_fit(
    folder: Path, kind: str, field: str, value: Any
) -> None:
    rewritten(folder, _edit(kind, field, value), seals=True)
    found = Study.load("s", ledger=ledger_in(folder), table=TABLE).verify()
    assert any(f"({kind})" in finding for finding in found.findings)


def test_times_that_run_backwards_are_noted_and_fail_nothing(tmp_path: Path) -> None:
    times = iter(["2026-01-02T03:04:05.000000+00:00", "2026-01-02T03:04:06.000000+00:00", *["2026-01-02T03:04:04.000000+00:00"] * 500])
    ledger = SqliteLedger(f"sqlite:///{tmp_path}/ledger.db", clock=lambda: next(times))
    study = Study.create("s", population(), goals=["precision +-0.1"], ledger=ledger)
    study.plan(10)
    found = study.verify()
    assert found.passed
    assert found.notes == (
        "times run backwards at 1 entry, first at entry 3 (plan): 2026-01-02T03:04:04.000000+00:00 follows "
        "2026-01-02T03:04:06.000000+00:00, so a clock was set back, or two clocks differ",
    )
