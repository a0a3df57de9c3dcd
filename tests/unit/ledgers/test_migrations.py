"""Ledgers that earlier versions wrote: opened by this one they are at the newest schema, with every entry and every number as it was."""

import json
import math
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from fewlabels.errors import LedgerError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.schema import MIGRATIONS, version_of
from fewlabels.ledgers.tables import HEAD, METADATA
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest
from tests.unit.ledgers.test_sqlite import without_rights

RECORDED = Path(__file__).parents[2] / "recorded" / "ledgers"
VERSIONS = sorted(path.stem for path in RECORDED.glob("*.sql"))  # "0002", or "0002-closed" where a version has another story
OLDER = VERSIONS[0]
Rows = dict[str, list[dict[str, Any]]]

on_both = pytest.mark.parametrize("under", PARAMETERS)
of_every_version = pytest.mark.parametrize("version", VERSIONS)


def expected(version: str) -> dict[str, Any]:
    found = json.loads((RECORDED / f"{version}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def as_file(version: str, path: Path) -> Path:
    """The recorded ledger as the file it was."""
    with sqlite3.connect(path) as connection:
        connection.executescript((RECORDED / f"{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


def rows_of(engine: sa.Engine) -> Rows:
    """Everything a ledger holds, by table."""
    with engine.connect() as connection:
        tables = [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]
        found = {name: list(connection.execute(sa.text(f'select * from "{name}"')).mappings()) for name in tables}
    return {name: sorted((dict(row) for row in rows), key=str) for name, rows in found.items()}


def engine_of(address: str) -> sa.Engine:
    return sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://"), poolclass=sa.pool.NullPool)


def migrate_to(engine: sa.Engine, version: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)


def recorded(under: UnderTest, version: str, folder: Path) -> str:
    """The address of the recorded ledger: the file itself, or in PostgreSQL the same rows in the schema of that version."""
    if under.name == "sqlite":
        as_file(version, folder / "ledger.db")
        return under.address(folder)
    address = under.address(folder)
    engine = engine_of(address)
    migrate_to(engine, version.split("-")[0])
    rows = rows_of(engine_of(f"sqlite:///{as_file(version, folder / 'recorded.db')}"))
    with engine.begin() as connection:
        for name, some in rows.items():
            read = [{key: bool(value) if key.startswith("is_") else value for key, value in row.items()} for row in some]
            if read:
                connection.execute(sa.insert(METADATA.tables[name]), read)
    return address


def test_a_ledger_of_every_version_is_kept() -> None:
    migrations = {path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("*.py")}
    assert {version.split("-")[0] for version in VERSIONS} == migrations
    assert max(migrations) == HEAD
    assert all(expected(version)["version"] == version.split("-")[0] for version in VERSIONS)


@on_both
def test_units_closed_without_an_answer_stay_closed(under: UnderTest, tmp_path: Path) -> None:
    """They were recorded under a name of the product's own, which a ledger depends on for ever."""
    study = Study.load("recorded", ledger=open_ledger(recorded(under, f"{HEAD}-closed", tmp_path)))
    assert (study.status().progress.never_answered, study.status().progress.complete) == (4, True)
    assert study.close().recorded == 0


@pytest.mark.parametrize("path", sorted(RECORDED.glob("0*.*")), ids=lambda path: path.name)
def test_a_recorded_ledger_names_no_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not any(word in text for word in ("/tmp", "/home", "/root", "/work", "C:\\"))


@on_both
@of_every_version
def test_an_old_ledger_is_brought_forward_with_every_entry_and_number(under: UnderTest, version: str, tmp_path: Path) -> None:
    address, told = recorded(under, version, tmp_path), expected(version)
    engine = engine_of(address)
    before = rows_of(engine)
    ledger = open_ledger(address, create=False)
    assert rows_of(engine) == before, "opening upgrades nothing"
    ledger.upgrade()
    after = rows_of(engine)
    with engine.connect() as connection:
        assert version_of(connection) == HEAD
    assert set(after) == set(METADATA.tables)
    assert {name: after[name] for name in before} == before
    assert not any(after[name] for name in after if name not in before)
    assert [entry.hash for entry in ledger.entries(told["study"])] == told["hashes"]
    study = Study.load(told["study"], ledger=ledger)
    assert study.verify().findings == ()
    assert as_then(study.estimate().as_json(), told["estimates"]) == told["estimates"]
    decision = study.decide()
    assert decision is not None
    assert decision.outcome == told["outcome"]
    assert len(ledger.entries(told["study"])) == told["entries"]  # the same numbers seen again are one look


def as_then(said: Any, then: Any) -> Any:
    """What is said now, without words that were not known then."""
    if isinstance(then, dict):
        return {name: as_then(said[name], then[name]) for name in then}
    if isinstance(then, list) and isinstance(said, list | tuple) and len(said) == len(then):
        return [as_then(one, other) for one, other in zip(said, then, strict=True)]
    if isinstance(then, float) and isinstance(said, float) and math.isclose(said, then, rel_tol=1e-12):
        return then  # p-values are summed in another way since
    numbered = isinstance(then, str) and then.startswith("band 1") and then[5:].isdigit()
    return then if numbered and said == f"band {int(then[5:]) - 10**6}" else said


@on_both
@of_every_version
def test_an_old_ledger_goes_on(under: UnderTest, version: str, tmp_path: Path) -> None:
    ledger = open_ledger(recorded(under, version, tmp_path))
    ledger.upgrade()
    with ledger.writing("recorded") as act:
        assert act.append("answer", key="new", body={})
    again = open_ledger(ledger_address(under, tmp_path))
    assert again.entries("recorded")[-1].key == "new"
    assert again.last("recorded") == expected(version)["entries"] + 1


def ledger_address(under: UnderTest, folder: Path) -> str:
    return under.address(folder)


@on_both
@of_every_version
def test_the_migrated_schema_is_the_one_the_code_uses(under: UnderTest, version: str, tmp_path: Path) -> None:
    address = recorded(under, version, tmp_path)
    open_ledger(address).upgrade()
    engine = engine_of(address)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), METADATA) == []
        found = sa.inspect(connection)
        for table in METADATA.sorted_tables:
            assert {c["name"]: c["nullable"] for c in found.get_columns(table.name)} == {c.name: c.nullable for c in table.columns}
            assert found.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
            assert named(found.get_indexes(table.name)) == {i.name: [c.name for c in i.columns] for i in table.indexes}


def named(indexes: Any) -> dict[str, list[str]]:
    """Indexes by name; PostgreSQL lists those of unique constraints too."""
    return {index["name"]: index["column_names"] for index in indexes if not index.get("duplicates_constraint")}


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """The newest migration stops after its first table; what comes back lets it run."""
    from alembic import op

    create_table = op.create_table
    made: list[Any] = []

    def failing(name: str, *columns: Any, **how: Any) -> Any:
        if made:
            raise RuntimeError("the power is gone")
        made.append(create_table(name, *columns, **how))
        return made[-1]

    with monkeypatch.context() as patched:
        patched.setattr(op, "create_table", failing)
        yield patched.undo
    assert made, "no migration was interrupted"


@on_both
def test_an_interrupted_migration_leaves_the_old_version_whole(
    under: UnderTest, tmp_path: Path, interrupted: Callable[[], None]
) -> None:  # fmt: skip
    with pytest.MonkeyPatch.context() as whole:
        whole.setattr("alembic.op.create_table", create_table_of_alembic)
        address = recorded(under, OLDER, tmp_path)
    engine = engine_of(address)
    before = rows_of(engine)
    with pytest.raises(RuntimeError, match="the power is gone"):
        open_ledger(address).upgrade()
    assert rows_of(engine) == before
    with engine.connect() as connection:
        assert version_of(connection) == OLDER
    interrupted()
    open_ledger(address).upgrade()
    with engine.connect() as connection:
        assert version_of(connection) == HEAD


def create_table_of_alembic(name: str, *columns: Any, **how: Any) -> Any:
    from alembic.op import get_context
    from alembic.operations import Operations

    return Operations(get_context()).create_table(name, *columns, **how)


@of_every_version
def test_a_read_only_file_is_read_as_it_is(version: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, told = Path(name), expected(version)
        path = as_file(version, folder / "l.db")
        before = path.read_bytes()
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            with without_rights():
                ledger = open_ledger(f"sqlite:///{path}", create=False)
                assert ledger.studies() == [told["study"]]
                study = Study.load(told["study"], ledger=ledger)
                assert study.verify().findings == ()
                assert study.status().progress.complete
                with pytest.raises(LedgerError, match=r"readonly|can only be read"), ledger.writing(told["study"]) as act:
                    act.append("answer", key="new", body={})
                assert not os.access(path, os.W_OK, effective_ids=True)
        finally:
            folder.chmod(0o755)
            path.chmod(0o644)
        assert path.read_bytes() == before


@on_both
def test_a_ledger_of_a_later_version_is_refused_and_left_alone(under: UnderTest, tmp_path: Path) -> None:
    address = recorded(under, HEAD, tmp_path)
    engine = engine_of(address)
    with engine.begin() as connection:
        connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    before = rows_of(engine)
    with pytest.raises(LedgerError, match=f"up to version {HEAD}, but this one is of version 9999: upgrade fewlabels"):
        open_ledger(address)
    assert rows_of(engine) == before


def upgraded(address: str) -> Database:
    ledger = open_ledger(address)
    ledger.upgrade()
    return ledger


@on_both
@of_every_version
def test_an_old_ledger_is_verified_and_left_as_it_is(under: UnderTest, version: str, tmp_path: Path) -> None:
    address, told = recorded(under, version, tmp_path), expected(version)
    before = rows_of(engine_of(address))
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    study = Study.load(told["study"], ledger=address)
    assert study.verify().findings == ()
    assert study.status().progress.complete
    assert study.ledger.sheet(told["study"]).columns == () or version >= "0002"
    if version < HEAD:
        with pytest.raises(LedgerError, match="ledger upgrade"), study.ledger.writing(told["study"]):
            pass
    assert rows_of(engine_of(address)) == before
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


@on_both
def test_two_that_upgrade_an_old_ledger_at_once_both_find_the_new_one(under: UnderTest, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    address = recorded(under, OLDER, tmp_path)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: upgraded(address).last("recorded"), range(3)))
    assert found == [expected(OLDER)["entries"]] * 3
