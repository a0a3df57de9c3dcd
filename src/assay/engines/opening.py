"""Which engine opens a population: the one that can read where it lives.

Main path: [population] > profile > plan > draw > labels > estimate > decision > report
"""

from collections.abc import Mapping

from assay.engines.base import Engine
from assay.errors import PopulationError
from assay.nouns.population import MEMORY, Population

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
_KINDS = "a path, glob or folder of Parquet or CSV files, a dict of columns, a pandas or Polars DataFrame, or an Arrow table"


def open_engine(population: Population) -> Engine:
    """The engine of a population: memory for a dict of columns, DuckDB for other tables and for files."""
    table = population.table
    if isinstance(table, Mapping):
        from assay.engines.memory import MemoryEngine

        return MemoryEngine(population, table)
    if table is None and population.source == MEMORY:
        raise PopulationError(f"a population held in memory has to be passed again with its table: give {_KINDS}")
    if table is not None and not _is_frame(table):
        raise PopulationError(
            f"a population is {_KINDS}, but got {type(table).__module__}.{type(table).__qualname__}: convert it to one of these"
        )
    from assay.engines.duckdb import DuckDBEngine

    return DuckDBEngine(population)


def _is_frame(table: object) -> bool:
    return any((kind.__module__.split(".")[0], kind.__name__) in _FRAMES for kind in type(table).__mro__)
