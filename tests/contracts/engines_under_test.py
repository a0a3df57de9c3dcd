"""Every engine the contract is run on. A new engine is added to ENGINES; a test fails if one is missing."""

import csv
import dataclasses
import functools
import os
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from fewlabels.engines.base import Engine, Taken
from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.opening import open_engine
from fewlabels.engines.postgres import PostgresEngine
from fewlabels.engines.spark import SparkEngine
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw import Units
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP
from tests.contracts.servers import NEEDS_POSTGRES, NEEDS_SPARK, POSTGRES, SPARK

Table = Mapping[str, Any]  # column name -> NumPy array, Arrow array or list with None for null


SALT = "00ff" * 8
GBM = Classifier("gbm", score="s", threshold=0.3)


class UnderTest(NamedTuple):
    """An implementation, how a table gets into it, and what its storage cannot hold."""

    name: str
    engine: type
    build: Callable[..., Engine]  # (table, folder, **how the population is read)
    lacks: frozenset[str] = frozenset()
    marks: tuple[pytest.MarkDecorator, ...] = ()

    def __str__(self) -> str:
        return self.name


def arrow(table: Table) -> pa.Table:
    return pa.table({name: values if isinstance(values, pa.Array) else pa.array(values) for name, values in table.items()})


def plain(table: Table) -> dict[str, Any]:
    return {name: values.to_pylist() if isinstance(values, pa.Array) else values for name, values in table.items()}


def _held(convert: Callable[[Table], object]) -> Callable[..., Engine]:
    def build(table: Table, folder: Path, **how: Any) -> Engine:
        return open_engine(Population(source=MEMORY, table=convert(table), **how))

    return build


def _in_parquet(table: Table, folder: Path, **how: Any) -> Engine:
    pq.write_table(arrow(table), folder / "table.parquet", row_group_size=500)
    return open_engine(Population(source=str(folder / "table.parquet"), **how))


def _in_csv(table: Table, folder: Path, **how: Any) -> Engine:
    names = list(table)
    columns = [values.tolist() if isinstance(values, np.ndarray) else list(values) for values in plain(table).values()]
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))
    return open_engine(Population(source=str(folder / "table.csv"), **how))


def _pandas(table: Table) -> pd.DataFrame:
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return arrow(table).to_pandas(types_mapper=nullable.get)


_POSTGRES_TYPES = {
    **{pa.int8(): "smallint", pa.int16(): "smallint", pa.int32(): "integer", pa.int64(): "bigint", pa.uint64(): "numeric(20,0)"},
    **{pa.float32(): "real", pa.float64(): "double precision", pa.bool_(): "boolean", pa.date32(): "date"},
}


def postgres_type(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"numeric({type_.precision},{type_.scale})"
    return _POSTGRES_TYPES.get(type_, "text")


def postgres_table(table: pa.Table) -> str:
    """The address of a fresh table that holds the rows."""
    name = f"t_{uuid.uuid4().hex}"
    columns = [f'"{field.name.replace(chr(34), chr(34) * 2)}" {postgres_type(field.type)}' for field in table.schema]
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(f"create table {name} ({', '.join(columns)})")
        with connection.cursor().copy(f"copy {name} from stdin") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)
    return f"{POSTGRES}#{name}"


def _in_postgres(table: Table, folder: Path, **how: Any) -> Engine:
    return open_engine(Population(source=postgres_table(arrow(table)), **how))


# A session of minutes ends before what Java compiles twice has paid for itself.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@functools.cache
def spark_session() -> SparkSession:
    """The one session of this process, on the cluster: a core of each of the two workers."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings: dict[str, bool | float | int | str | None] = {
        **{"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g"},
        **{"spark.cores.max": "2", "spark.executor.cores": "1", "spark.executor.memory": "1g"},
        **{"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"},
        **{"spark.driver.extraJavaOptions": SHORT_LIVED, "spark.executor.extraJavaOptions": SHORT_LIVED},
        "spark.log.level": "ERROR",
    }
    return SparkSession.builder.master(SPARK).appName("fewlabels tests").config(map=settings).getOrCreate()


def _in_spark(table: Table, folder: Path, **how: Any) -> Engine:
    spark_session()
    pq.write_table(arrow(table), folder / "table.parquet", row_group_size=500)
    return open_engine(Population(source=f"spark:{folder / 'table.parquet'}", **how))


ENGINES = (
    UnderTest("memory", MemoryEngine, _held(plain)),
    UnderTest("duckdb-parquet", DuckDBEngine, _in_parquet),
    UnderTest(
        "duckdb-csv",
        DuckDBEngine,
        _in_csv,
        frozenset({"float32", "empty text", "nul", "types of an id"}),
    ),
    UnderTest("duckdb-pandas", DuckDBEngine, _held(_pandas), frozenset({"nan"})),
    UnderTest("duckdb-polars", DuckDBEngine, _held(lambda table: pl.from_arrow(arrow(table)))),
    UnderTest("duckdb-arrow", DuckDBEngine, _held(arrow)),
    UnderTest("spark-cluster", SparkEngine, _in_spark, frozenset({"uint64"}), NEEDS_SPARK),
    UnderTest("postgres", PostgresEngine, _in_postgres, frozenset({"uint64", "nul"}), (NEEDS_POSTGRES,)),
)


def on_engines(*values: Any, without: str = "") -> list[Any]:
    """Parameters of a test: every engine whose storage does not lack something, each with every other value."""
    held = [entry for entry in ENGINES if without not in entry.lacks]
    return [pytest.param(entry, *values, id="-".join([str(entry), *map(str, values)]), marks=entry.marks) for entry in held]


def base_table(N: int = 1_000) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        "id": np.arange(N) * 7 - 300,
        "s": rng.random(N) ** 8,
        "t": rng.random(N) * 100 - 50,
        "g": rng.random(N) ** 3,
        "flag": rng.random(N) < 0.2,
        "bit": (rng.random(N) < 0.1).astype(np.int64),
        "region": [("north", "south", "∅", "∅x", "é", None)[i] for i in rng.integers(0, 6, N)],
        "tier": [(1, 2, 10, None)[i] for i in rng.integers(0, 4, N)],
        "y": (rng.random(N) < 0.3).astype(np.int64),
    }


EVERYTHING: dict[str, Any] = {
    "id": "id",
    "classifiers": (
        GBM,
        Classifier("old", score="t", threshold=12.5, score_range=(-50, 50)),
        Classifier("rules", predicted="flag"),
        Classifier("bits", predicted="bit", score="s"),
    ),
    "slices": ("region", "tier"),
    "guide": "g",
}


def reference(table: Table, **how: Any) -> MemoryEngine:
    return MemoryEngine(Population(source=MEMORY, **how), plain(table))


def all_in_one_band(engine: Engine, profile: Profile, *, salt: str = SALT) -> Units:
    return engine.below(profile, band=np.zeros(profile.count.size, dtype=np.int64), bound=np.array([TOP]), salt=salt)


def both(under: UnderTest, table: Table, folder: Path, **how: Any) -> tuple[Engine, Profile, MemoryEngine, Profile]:
    engine, memory = under.build(table, folder, **how), reference(table, **how)
    return engine, engine.profile(), memory, memory.profile()


def assert_same_profile(found: Profile, expected: Profile, *, types: bool = True) -> None:
    for name in ("guide_bin", "pattern", "slice", "count"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert found.slice_values == expected.slice_values
    if types:
        assert dataclasses.replace(found, files=()).fingerprint == expected.fingerprint


def assert_same_units(found: Units, expected: Units) -> None:
    found, expected = found.pick(found.in_order()), expected.pick(expected.in_order())
    assert found.unit == expected.unit
    for name in ("number", "band", "guide_bin", "pattern", "slice", "scores"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def assert_same_taken(found: Taken, expected: Taken) -> None:
    assert found.units.unit == expected.units.unit
    assert_same_units(found.units, expected.units)
    np.testing.assert_array_equal(found.cut, expected.cut)
