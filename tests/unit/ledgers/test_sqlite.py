"""Files a SQLite ledger is opened on: older, newer, foreign, broken, read-only, missing; and its schema."""

import os
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from fewlabels.errors import LedgerError
from fewlabels.ledgers.base import broken
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.schema import MIGRATIONS
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.ledgers.tables import HEAD, METADATA

NOBODY = 65534


def address(path: Path) -> str:
    return f"sqlite:///{path}"


def made(path: Path) -> SqliteLedger:
    ledger = SqliteLedger(address(path))
    with ledger.writing("s") as act:
        act.append("plan", key="a", body={"n": 1})
    return ledger


def execute(path: Path, text: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(text)
    connection.close()


def snapshot(path: Path) -> bytes:
    return path.read_bytes()


def test_head_is_the_newest_migration() -> None:
    newest = max(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("*.py"))
    assert newest == HEAD


def test_the_migrated_schema_is_the_one_the_code_uses(tmp_path: Path) -> None:
    made(tmp_path / "l.db")
    engine = sa.create_engine(address(tmp_path / "l.db"), poolclass=sa.pool.NullPool)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), METADATA) == []
        found = sa.inspect(connection)
        expected = METADATA.tables["entry"]
        assert {c["name"]: c["nullable"] for c in found.get_columns("entry")} == {c.name: c.nullable for c in expected.columns}
        assert found.get_pk_constraint("entry")["constrained_columns"] == ["study", "serial"]
        assert [(u["name"], u["column_names"]) for u in found.get_unique_constraints("entry")] == [("entry_key", ["study", "key"])]
    engine.dispose()


def test_the_database_itself_refuses_a_second_entry_of_a_serial_or_key(tmp_path: Path) -> None:
    made(tmp_path / "l.db")
    for serial, key in ((1, "b"), (2, "a")):
        with pytest.raises(sqlite3.IntegrityError):
            execute(tmp_path / "l.db", f"insert into entry values ('s', {serial}, 'plan', '{key}', 't', '{{}}', null, 'h')")


def test_a_newer_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    made(path)
    execute(path, "update alembic_version set version_num = '9999'")
    before = snapshot(path)
    with pytest.raises(LedgerError, match=f"up to version {HEAD}, but this one is of version 9999: upgrade fewlabels"):
        open_ledger(address(path))
    assert snapshot(path) == before


def test_an_older_ledger_is_brought_forward_with_its_entries(tmp_path: Path) -> None:
    """The oldest possible ledger is an empty database; tests/unit/ledgers/test_migrations.py has one of every version."""
    path = tmp_path / "l.db"
    sqlite3.connect(path).close()
    execute(path, "vacuum")
    assert made(path).entries("s")[0].body == {"n": 1}


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "l.db").touch()
    assert len(made(tmp_path / "l.db").entries("s")) == 1


@pytest.mark.parametrize("table", ["customers", "entry"])
def test_a_foreign_database_is_refused_and_left_alone(tmp_path: Path, table: str) -> None:
    path = tmp_path / "foreign.db"
    execute(path, f"create table {table} (name text)")
    before = snapshot(path)
    with pytest.raises(LedgerError, match="holds other tables and no ledger"):
        open_ledger(address(path))
    assert snapshot(path) == before


@pytest.mark.parametrize("version", ["1975ea83b712", "0000", "0001"])
def test_another_projects_database_is_refused_with_a_ledger_error(tmp_path: Path, version: str) -> None:
    path = tmp_path / "foreign.db"
    execute(path, "create table alembic_version (version_num varchar(32) not null)")
    execute(path, f"insert into alembic_version values ('{version}')")
    execute(path, "create table customers (name text)")
    before = snapshot(path)
    with pytest.raises(LedgerError):
        open_ledger(address(path)).entries("s")
    assert snapshot(path) == before


@pytest.mark.parametrize("content", [b"this is no database\n" * 100, b"SQLite format 3\x00" + b"\xff" * 5_000, b"PK\x03\x04"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "l.db").write_bytes(content)
    with pytest.raises(LedgerError, match="cannot be used"):
        open_ledger(address(tmp_path / "l.db"))
    assert snapshot(tmp_path / "l.db") == content


def test_a_ledger_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    made(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(LedgerError, match="cannot be used"):
        open_ledger(address(path)).entries("s")


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be used"):
        open_ledger(address(tmp_path))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"the folder .*missing of the ledger does not exist: make it"):
        open_ledger(address(tmp_path / "missing" / "l.db"))
    assert list(tmp_path.iterdir()) == []


def test_loading_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger at .*l.db: plan a study first"):
        open_ledger(address(tmp_path / "l.db"), create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["fewlabels.db", "mysql://localhost/x", "sqlite://", ""])
def test_another_kind_of_address_is_refused(text: str) -> None:
    with pytest.raises(LedgerError, match="must start with sqlite:/// or postgresql://, got"):
        open_ledger(text)


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may write everything, so the test steps down for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_ledger_can_be_read_but_not_written() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "l.db"
        made(path)
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            with without_rights():
                ledger = open_ledger(address(path), create=False)
                assert list(broken(ledger.entries("s"))) == []
                assert ledger.studies() == ["s"]
                with pytest.raises(LedgerError, match="readonly"), ledger.writing("s") as act:
                    act.append("answer", key="b", body={})
        finally:
            folder.chmod(0o755)
            path.chmod(0o644)


def test_a_locked_ledger_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.ledgers.sqlite.WAIT_SECONDS", 0.05)
    ledger = made(tmp_path / "l.db")
    with ledger.writing("s"), pytest.raises(LedgerError, match="locked"), made_again(tmp_path / "l.db").writing("s"):
        pass
    assert [e.key for e in ledger.entries("s")] == ["a"]


def made_again(path: Path) -> SqliteLedger:
    return SqliteLedger(address(path))


def test_reading_does_not_wait_for_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.ledgers.sqlite.WAIT_SECONDS", 0.05)
    ledger = made(tmp_path / "l.db")
    with ledger.writing("s") as act:
        act.append("answer", key="b", body={})
        assert [e.key for e in made_again(tmp_path / "l.db").entries("s")] == ["a"]


def test_a_ledger_may_live_in_memory() -> None:
    ledger = SqliteLedger("sqlite:///:memory:")
    with ledger.writing("s") as act:
        act.append("answer", key="a", body={})
    assert [e.key for e in ledger.entries("s")] == ["a"]


def test_a_path_may_hold_any_sign(tmp_path: Path) -> None:
    folder = tmp_path / "50% \u6b3a 'x'"
    folder.mkdir()
    made(folder / "l d.db")
    assert (folder / "l d.db").exists()


@pytest.mark.parametrize("field", ["study", "key", "body"])
def test_text_that_utf8_cannot_write_is_refused(tmp_path: Path, field: str) -> None:
    ledger = made(tmp_path / "l.db")
    bad = {"study": "s", "key": "k", "body": "text", field: "\udcff"}
    with pytest.raises(LedgerError, match="must be encodable in UTF-8"), ledger.writing(bad["study"]) as act:
        act.append("answer", key=bad["key"], body={"text": bad["body"]})
    assert len(ledger.entries("s")) == 1


def test_a_new_ledger_is_its_owners_alone_and_nobody_waits_for_who_reads(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    ledger = open_ledger(f"sqlite:///{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with ledger.reading() as connection:
        assert connection.exec_driver_sql("pragma journal_mode").scalar() == "wal"


def test_one_file_holds_everything_between_two_acts_unless_a_server_holds_it(tmp_path: Path) -> None:
    ledger = open_ledger(f"sqlite:///{tmp_path}/l.db")
    with ledger.writing("s") as act:
        act.append("answer", key="a", body={})
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]
    ledger.hold()
    with ledger.writing("s") as act:
        act.append("answer", key="b", body={})
    assert (tmp_path / "l.db-wal").stat().st_size
    assert isinstance(ledger, SqliteLedger)
    ledger.close()
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]


def test_who_reads_while_the_write_ahead_file_comes_and_goes_reads_all(tmp_path: Path) -> None:
    """Every act makes the write-ahead file and removes it; who reads meets it in every state."""
    writer, reader = (open_ledger(f"sqlite:///{tmp_path}/ledger.db") for _ in range(2))
    over = threading.Event()

    def write() -> None:
        for number in range(150):
            with writer.writing("s") as act:
                act.append("batch", key=f"batch:{number}", body={"number": number, "plan": 1, "units": []})
        over.set()

    writing = threading.Thread(target=write)
    writing.start()
    seen = [0]
    while not over.is_set():
        seen.append(len(reader.entries("s")))
    writing.join()
    assert seen == sorted(seen)
    assert len(reader.entries("s")) == 150
