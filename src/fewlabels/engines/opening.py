"""Which engine opens a population: the one that can read its source."""

import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from fewlabels.engines.base import Engine
from fewlabels.engines.checked import CheckedEngine
from fewlabels.engines.warehouses import elsewhere, is_elsewhere, place_of
from fewlabels.errors import EngineError, PopulationError
from fewlabels.installation import install_command
from fewlabels.nouns.population import MEMORY, Population
from fewlabels.registry import Registry

ADDRESS = re.compile("([a-z][a-z0-9-]+):(?!//).+")  # NAME:REST; one letter would be a drive

# Recognized by name, so that no optional package is imported.
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineKind:
    """An engine that another package adds, or one of fewlabels' own.

    name      sources written NAME:REST are opened by it; REST is up to the engine
    open      returns the engine of a population, whose `source` is that text, or whose `table` is of one of the kinds below
    tables    kinds of tables in memory it opens: (package, class), such as ("vaex", "DataFrame"); by name, so that nothing is imported
    package   the package that adds it; None for fewlabels itself
    """

    name: str
    open: Callable[[Population], Engine]
    tables: frozenset[tuple[str, str]] = frozenset()
    package: str | None = None

    def __post_init__(self) -> None:
        """Check that a source can begin with the name."""
        if not ADDRESS.fullmatch(f"{self.name}:x"):
            raise EngineError(f"an engine's name must be two or more lowercase letters, digits and -, got {self.name!r}: rename it")


def open_engine(population: Population) -> Engine:
    """Open the engine of a population: memory for a dict of columns; Spark, PostgreSQL or a package's for their tables; else DuckDB."""
    if population.table is None:
        if population.source == MEMORY:
            raise PopulationError(f"a population held in memory has to be passed again with its table: give {_KINDS}")
        if is_elsewhere(population.source):
            raise elsewhere(population.source)
    kind = kind_of(population)
    return kind.open(population) if kind.package is None else CheckedEngine(kind.open(population), kind.package)


def kind_of(population: Population) -> EngineKind:
    """Return which engine opens a population; raise an error if none opens its table, or the engine is not installed."""
    table, source = population.table, population.source
    if isinstance(table, Mapping):
        return ENGINES.named("memory")
    if table is not None:
        return _by_table(table)
    if source.startswith(("postgresql://", "postgres://")):
        return ENGINES.named("postgres")
    named = ADDRESS.match(source)
    return ENGINES.named(named[1] if named is not None and not Path(source).exists() else "duckdb")


def is_address(source: str) -> bool:
    """Return whether a source is an address rather than a path: a URL, a table of a warehouse, or NAME:REST of an installed engine."""
    if "://" in source or place_of(source) is not None:
        return True
    named = ADDRESS.match(source)
    return named is not None and ENGINES.is_offered(named[1])


def _by_table(table: object) -> EngineKind:
    """Return the engine that opens a table in memory; fewlabels' own are tried first."""
    for kinds in (ENGINES, ENGINES.every()):
        for kind in kinds:
            if _is_frame(table, kind.tables):
                return kind
    raise PopulationError(
        f"a population must be {_KINDS}, got {type(table).__module__}.{type(table).__qualname__}: convert it to one of these"
    )


def missing_extra(purpose: str, *, package: str, extra: str) -> NoReturn:
    """Raise an error that names the optional package a purpose needs, and the command that installs it."""
    raise EngineError(f"{purpose} needs {package}, which is not installed: {install_command(extra)}")


def _open_memory(population: Population) -> Engine:
    from fewlabels.engines.memory import MemoryEngine

    assert isinstance(population.table, Mapping)  # the table to open
    return MemoryEngine(population, population.table)


def _open_duckdb(population: Population) -> Engine:
    from fewlabels.engines.duckdb import DuckDBEngine

    return DuckDBEngine(population)


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
    """Return whether a package is installed, without importing it."""
    return importlib.util.find_spec(package) is not None


def _is_frame(table: object, known: frozenset[tuple[str, str]]) -> bool:
    return any((kind.__module__.split(".")[0], kind.__name__) in known for kind in type(table).__mro__)


ENGINES = Registry(
    "engine",
    EngineKind,
    (
        EngineKind(name="memory", open=_open_memory),
        EngineKind(name="duckdb", open=_open_duckdb, tables=_FRAMES),
        EngineKind(name="postgres", open=_open_postgres),
        EngineKind(name="spark", open=_open_spark, tables=_SPARK_FRAMES),
    ),
    error=EngineError,
)
