"""Which engine opens a population: the one that can read where it lives."""

import importlib.util
from collections.abc import Mapping
from typing import NoReturn

from fewlabels.engines.base import Engine
from fewlabels.engines.warehouses import elsewhere, is_elsewhere
from fewlabels.errors import EngineError, PopulationError
from fewlabels.installation import install_command
from fewlabels.nouns.population import MEMORY, Population

# Known by name, so that no optional package is imported to recognize its tables.
_FRAMES = frozenset(
    {
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("polars", "LazyFrame"),
        ("pyarrow", "Table"),
        ("pyarrow", "Dataset"),
    }
)
_SPARK_FRAMES = frozenset({("pyspark", "DataFrame")})
_KINDS = (
    "a table of Spark or PostgreSQL, a path, glob or folder of Parquet or CSV files, a dict of columns, a pandas or Polars DataFrame, "
    "or an Arrow table"
)


def open_engine(population: Population) -> Engine:
    """The engine of a population: memory for a dict of columns, Spark and PostgreSQL for what lives there, DuckDB for the rest."""
    table = population.table
    if isinstance(table, Mapping):
        from fewlabels.engines.memory import MemoryEngine

        return MemoryEngine(population, table)
    if table is None and population.source == MEMORY:
        raise PopulationError(f"a population held in memory has to be passed again with its table: give {_KINDS}")
    if table is None and is_elsewhere(population.source):
        raise elsewhere(population.source)
    if table is None and population.source.startswith(("postgresql://", "postgres://")):
        return _open_postgres(population)
    if _is_frame(table, _SPARK_FRAMES) or (table is None and population.source.startswith("spark:")):
        return _open_spark(population)
    if table is not None and not _is_frame(table, _FRAMES):
        raise PopulationError(
            f"a population is {_KINDS}, but got {type(table).__module__}.{type(table).__qualname__}: convert it to one of these"
        )
    from fewlabels.engines.duckdb import DuckDBEngine

    return DuckDBEngine(population)


def missing_extra(purpose: str, *, package: str, extra: str) -> NoReturn:
    """Nothing comes back. Says which optional package a purpose needs, and the command that installs it."""
    raise EngineError(f"{purpose} needs {package}, which is not installed: {install_command(extra)}")


def _open_postgres(population: Population) -> Engine:
    if not _is_installed("psycopg"):
        missing_extra("reading PostgreSQL", package="psycopg", extra="postgres")
    from fewlabels.engines.postgres import PostgresEngine

    return PostgresEngine(population)


def _open_spark(population: Population) -> Engine:
    if not _is_installed("pyspark"):
        missing_extra("reading Spark", package="pyspark", extra="spark")
    from fewlabels.engines.spark import SparkEngine

    return SparkEngine(population)


def _is_installed(package: str) -> bool:
    """Whether a package can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


def _is_frame(table: object, known: frozenset[tuple[str, str]]) -> bool:
    return any((kind.__module__.split(".")[0], kind.__name__) in known for kind in type(table).__mro__)
