"""What is PostgreSQL's own: addresses, names, types, collations, and that nothing is ever written."""

import os
import signal
import threading
import time
import uuid
from collections.abc import Iterator

import numpy as np
import psycopg
import pyarrow as pa
import pytest

from fewlabels.engines.opening import open_engine
from fewlabels.engines.postgres import PostgresEngine
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns.population import Population
from tests.contracts.engines_under_test import GBM, all_in_one_band, postgres_table
from tests.contracts.servers import NEEDS_POSTGRES, POSTGRES

pytestmark = NEEDS_POSTGRES


def opened(source: str, *, id: str = "id") -> PostgresEngine:
    engine = open_engine(Population(source=source, id=id, classifiers=(GBM,)))
    assert isinstance(engine, PostgresEngine)
    return engine


@pytest.fixture
def schema() -> Iterator[str]:
    """An empty schema, removed afterwards."""
    name = f"s_{uuid.uuid4().hex}"
    run(f"create schema {name}")
    yield name
    run(f"drop schema {name} cascade")


def run(*texts: str) -> None:
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        for text in texts:
            connection.execute(text)


@pytest.mark.parametrize(
    "address",
    ["postgresql://ann:hunter2@host/db", "postgres://host/db?user=ann&password=hunter2", "postgresql://host/db?sslpassword=hunter2"],
)
def test_a_password_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(PopulationError, match="holds no password, but this one does: leave it out, and use PGPASSWORD") as refused:
        opened(f"{address}#t")
    assert "hunter2" not in str(refused.value)


def test_addresses_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(PopulationError, match=r"a table is named after '#', but .* names none"):
        opened(POSTGRES)
    with pytest.raises(PopulationError, match="has none named no_such_table: name it as SQL does"):
        opened(f"{POSTGRES}#no_such_table")
    with pytest.raises(PopulationError, match=r"PostgreSQL cannot be reached at 'postgresql://127\.0\.0\.1:1/x'"):
        opened("postgresql://127.0.0.1:1/x#t")
    with pytest.raises(PopulationError, match="is no address of PostgreSQL"):
        opened("postgresql://host:port:/x?nonsense=1#t")
    with pytest.raises(PopulationError, match="has none named pg_class_oid_index"):
        opened(f"{POSTGRES}#pg_class_oid_index")


def test_names_are_read_as_sql_reads_them(schema: str) -> None:
    odd = '"it\'s; a ""Table"" %s $1"'
    run(f"create table {schema}.{odd} as select 1 as id, 0.5::float8 as s", f"create view {schema}.seen as select * from {schema}.{odd}")
    assert opened(f"{POSTGRES}#{schema}.{odd}").profile().N == 1
    assert opened(f"{POSTGRES}#{schema}.SEEN").profile().N == 1
    assert opened(f"{POSTGRES}?options=-csearch_path%3D{schema}#seen").profile().N == 1


def test_types_are_fewlabels_own_words(schema: str) -> None:
    run(
        f"create type {schema}.mood as enum ('sad', 'ok')",
        f"create domain {schema}.positive as integer check (value > 0)",
        f"create collation {schema}.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        f"create table {schema}.t (a smallint, b integer, c bigint, d numeric(38,0), e numeric(10,2), f numeric,"
        f" g real, h double precision, i boolean, j text, k varchar(9), l char(5), m uuid, n date, o timestamptz,"
        f' p {schema}.mood, q {schema}.positive, r text collate {schema}.loose, s text collate "C", t bytea)',
    )
    found = dict(opened(f"{POSTGRES}#{schema}.t", id="a").columns())
    assert [found[name] for name in "abc"] == ["int"] * 3
    assert [found[name] for name in "def"] == ["decimal", "numeric(10,2)", "numeric"]
    assert [found[name] for name in "ghi"] == ["float32", "float64", "bool"]
    assert [found[name] for name in "jklp"] == ["text"] * 4
    assert [found[name] for name in "mnoq"] == ["uuid", "date", "timestamptz", "int"]
    assert [found[name] for name in "rst"] == ["text collate loose", "text", "bytea"]


def test_blanks_that_fill_a_char_column_are_no_part_of_the_id(schema: str) -> None:
    run(f"create table {schema}.t (id char(5), s float8)", f"insert into {schema}.t values ('a', 0.5), ('bb', 0.25)")
    engine = opened(f"{POSTGRES}#{schema}.t")
    assert set(all_in_one_band(engine, engine.profile()).unit) == {"a", "bb"}
    assert engine.fetch(["bb"], columns=["id", "s"]) == [{"id": "bb", "s": "0.25"}]


def test_a_collation_does_not_change_the_order_of_bytes(schema: str) -> None:
    run(
        f'create table {schema}.t (id text collate "en-x-icu", s float8)',
        f"insert into {schema}.t values ('a', 0), ('B', 0), ('é', 0), ('z', 0)",
    )
    profile = opened(f"{POSTGRES}#{schema}.t").profile()
    assert (profile.smallest_id, profile.largest_id) == ("B", "é")


def test_real_numbers_are_fetched_as_the_shortest_text_that_reads_back() -> None:
    scores = np.array([0.1, 1 / 3, 1e-30], np.float32)
    engine = opened(postgres_table(pa.table({"id": [1, 2, 3], "s": scores})))
    assert [row["s"] for row in engine.fetch(["1", "2", "3"], columns=["s"])] == [str(score) for score in scores]


def test_text_that_no_table_can_hold_is_in_none() -> None:
    engine = opened(postgres_table(pa.table({"id": ["a"], "s": [0.5]})))
    for unit in ("a\0", "\ud800"):
        with pytest.raises(Exception, match="are not in it"):
            engine.fetch([unit], columns=["s"])


def test_nothing_can_be_written() -> None:
    engine = opened(postgres_table(pa.table({"id": [1], "s": [0.5]})))
    for text in ("create table written (x int)", f"delete from {engine.source}", "create temp table written (x int)"):
        with pytest.raises(PopulationError, match="in a read-only transaction"):
            engine.query(text)
    assert engine.profile().N == 1


def test_other_encodings_are_refused() -> None:
    run("drop database if exists latin", "create database latin encoding 'LATIN1' locale 'C' template template0")
    with pytest.raises(EngineError, match="'latin' is encoded in LATIN1: copy the table to a database with encoding UTF8"):
        opened(f"{POSTGRES.rpartition('/')[0]}/latin#t")


def test_ctrl_c_ends_the_query_on_the_server() -> None:
    engine = opened(postgres_table(pa.table({"id": [1], "s": [0.5]})))
    mine = f"select pg_sleep(60), 'mark-{uuid.uuid4().hex}'"
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        engine.query(mine)
    assert time.monotonic() - begun < 30
    with psycopg.connect(POSTGRES) as connection:
        active = connection.execute("select count(*) from pg_stat_activity where state = 'active' and query = %s", [mine]).fetchone()
    assert active == (0,)
    assert engine.progress() is None
    assert engine.profile().N == 1
