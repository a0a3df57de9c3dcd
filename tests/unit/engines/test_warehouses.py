"""The texts for warehouses: kept, parsed, and run as SQLGlot understands them; sources that fewlabels does not open."""

import re
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlglot

from fewlabels.engines import selftest
from fewlabels.engines.duckdb import DIALECT as DUCKDB
from fewlabels.engines.opening import open_engine
from fewlabels.engines.warehouses import NAMES, REDSHIFT, Place, dialect_named, is_elsewhere, place_of
from fewlabels.errors import EngineError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.study.population.read import read_population
from tests.golden.texts import DIALECTS, FOLDER, kept, texts, written

N = 400
READ = ("bigquery", "redshift", "snowflake", "trino")
HARD = ("north", "it's", "a,b", 'q"x"', "line\nbreak", "∅", "∅x", "", "\\n", None)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_are_those_that_were_read(dialect: str) -> None:
    found = (FOLDER / f"{dialect}.sql").read_bytes().decode()
    assert found == kept(dialect), "python -m tests.golden.texts writes them anew"


def test_every_dialect_is_kept_or_executed() -> None:
    assert {*DIALECTS, "duckdb", "spark", "postgres"} == set(NAMES)


def parsed(text: str, dialect: str) -> sqlglot.exp.Expr:
    """The one statement that a text is."""
    (tree,) = sqlglot.parse(text, read=dialect)
    assert tree is not None
    assert not list(tree.find_all(sqlglot.exp.Command))  # what SQLGlot did not understand
    return tree


@pytest.mark.parametrize("dialect", NAMES)
def test_texts_are_one_statement_of_their_dialect(dialect: str) -> None:
    parsed(written(dialect).problems_text(), dialect)
    for text in texts(dialect) if dialect not in READ else ():  # those are parsed below
        parsed(text, dialect)


def test_parser_notices_another_dialect() -> None:
    """The twin that must fail: arrays of BigQuery are nothing to Redshift."""
    with pytest.raises(sqlglot.errors.SqlglotError):
        sqlglot.parse(texts("bigquery")[0], read="redshift")


def as_duckdb(text: str, dialect: str) -> str:
    """What SQLGlot makes of a text for DuckDB, with the functions it leaves as they are."""
    found = parsed(text, dialect).sql("duckdb").replace("OCTET_LENGTH(", "STRLEN(").replace("DECIMAL(38, 0)", "BIGINT")
    return re.sub(r"LENGTH\(ENCODE\((t\.unit|id)\)\)", r"STRLEN(\1)", found)


@pytest.fixture(scope="module")
def warehouse() -> duckdb.DuckDBPyConnection:
    rng = np.random.default_rng(3)
    table = {
        "id": np.arange(N) * 7 - 300,
        "score": rng.random(N) ** 8,
        "points": (rng.random(N) * 100 - 50).astype(np.float32),
        "flag": rng.random(N) < 0.2,
        "risk": rng.random(N) ** 3,
        "amount": rng.random(N) * 9,
        "re'gion": [HARD[i] for i in rng.integers(0, len(HARD), N)],
    }
    connection = duckdb.connect()
    connection.register("held", pa.table(table))
    connection.execute("create table scored as from held; create macro bitwise_right_shift_arithmetic(a, n) as a >> n")
    return connection


@pytest.mark.lengthy
@pytest.mark.parametrize("dialect", READ)
def test_texts_mean_the_same_to_a_reader_of_their_dialect(dialect: str, warehouse: duckdb.DuckDBPyConnection) -> None:
    """Escapes, casts, precedence and rows, as SQLGlot reads them: run on DuckDB they give what DuckDB's own text gives."""
    both = list(zip(texts(dialect, "scored"), texts("duckdb", "scored"), strict=True))
    for text, own in both[:2] if dialect == "redshift" else both:  # its self-test is long
        found = warehouse.execute(as_duckdb(text, dialect)).fetchall()
        assert sorted(map(str, found)) == sorted(map(str, warehouse.execute(own).fetchall()))


def test_numbers_need_no_xor() -> None:
    """Redshift's manual has an operator for bytes only: the sum of two, less twice what both have, is the same."""
    plain = replace(DUCKDB, xor=REDSHIFT.xor)
    with duckdb.connect() as connection:
        selftest.check_engine(lambda text: connection.execute(text).fetchall(), plain)
        with pytest.raises(EngineError, match="fast permanent number"):
            selftest.check_engine(lambda text: connection.execute(text).fetchall(), replace(DUCKDB, xor="({a} + {b})"))


def test_places_are_read_from_sources() -> None:
    assert place_of("bigquery:a-b.c.d") == Place("bigquery", "a-b.c.d")
    assert place_of("postgresql://me@host/base#s.t") == Place("postgres", "s.t")
    assert place_of("spark:base.table") == Place("spark", "base.table")
    assert [place_of(path) for path in ("scored.parquet", "s3://bucket/x.parquet", "oracle:t", "memory")] == [None] * 4
    assert [is_elsewhere(s) for s in ("trino:a.b", "duckdb:t", "spark:t", "postgresql://h#t", "t.csv")] == [True, True, False, False, False]
    with pytest.raises(EngineError, match="names none"):
        place_of("trino: ")


def test_tables_are_written_as_engines_read_them() -> None:
    assert Place("bigquery", "a-b.c.d").source == "`a-b.c.d`"
    assert Place("bigquery", "`a`.b").source == "`a`.b"
    assert Place("databricks", "/mnt/x.parquet").source == "parquet.`/mnt/x.parquet`"
    assert Place("snowflake", 'risk."Scored"').source == 'risk."Scored"'


def test_unknown_dialects_are_refused() -> None:
    with pytest.raises(EngineError, match=r"bigquery, .* got 'oracle'"):
        dialect_named("oracle")


def test_a_table_elsewhere_is_no_path_and_is_not_opened() -> None:
    population = read_population("snowflake:risk.scored", score="S", threshold=0.5)
    assert population.source == "snowflake:risk.scored"
    with pytest.raises(EngineError, match=r"no connection to 'snowflake:risk.scored': print its queries with `fewlabels sql`"):
        open_engine(population)


def test_doubles_that_engines_read_differently_are_left_out() -> None:
    from fewlabels.engines.offline_queries import SCORES, UNITS

    assert 0.0 in SCORES
    assert not [score for score in SCORES if 0 < abs(score) < 2e-308]
    assert not [unit for unit in UNITS if re.search(r"[\x00-\x1f\x7f;\u200b\u202e\ufeff]", unit)]
    assert {"'", "\\", "日本語", "😀", "x" * 1024} <= set(UNITS)


def test_a_population_of_a_class_prints_a_text_that_runs(warehouse: duckdb.DuckDBPyConnection) -> None:
    from fewlabels.engines.offline_queries import written_for
    from fewlabels.nouns.profile import Column

    judged = Population(
        source="duckdb:scored", id="id", classifiers=(Classifier("it", predicted="re'gion", value="it's"),), slices=("flag",)
    )
    found = written_for(judged, (Column("id", "text"), Column("re'gion", "text"), Column("flag", "bool")), Place("duckdb", "scored"))
    assert warehouse.execute(found.problems_text()).fetchall()[0][:2] == (N, 0)
    assert len(warehouse.execute(found.profile_text(digest="")).fetchall()) > 100
