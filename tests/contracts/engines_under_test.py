"""Every engine the contract is run on. A new engine is added to ENGINES; a test fails if one is missing."""

import csv
import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assay.engines.base import Engine
from assay.engines.duckdb import DuckDBEngine
from assay.engines.memory import MemoryEngine
from assay.engines.opening import open_engine
from assay.nouns.classifier import Classifier
from assay.nouns.draw import Units
from assay.nouns.population import MEMORY, Population
from assay.nouns.profile import Profile
from assay.randomness import TOP

Table = Mapping[str, Any]  # column name -> NumPy array, Arrow array or list with None for null


SALT = "00ff" * 8
GBM = Classifier("gbm", score="s", threshold=0.3)


class UnderTest(NamedTuple):
    """An implementation, how a table gets into it, and what its storage cannot hold."""

    name: str
    engine: type
    build: Callable[..., Engine]  # (table, folder, **how the population is read)
    lacks: frozenset[str] = frozenset()

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
)


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
