"""The engine for one machine: DuckDB on Parquet, CSV, pandas, Polars and Arrow.

Every engine has its own connection and every query its own cursor, fetched to the end: an unfinished result blocks a connection.
"""

import contextlib
import glob
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from fewlabels.engines import checks, resources, selftest
from fewlabels.engines.dialect import Dialect
from fewlabels.engines.files import FileSet, find_files, footer, stamp, versions
from fewlabels.engines.sql import LOOKUP
from fewlabels.engines.sql_engine import Lookup, Row, SqlEngine
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column, SourceFile

DIALECT = Dialect(
    quote='"',
    escapes=(("'", "''"),),
    as_text="cast({x} as varchar)",
    as_double="cast({x} as double)",
    floor="cast(floor({x}) as bigint)",
    small_floor="cast(floor({x}) as integer)",
    hash="md5({x})",
    hash_start="(md5_number({x}) & 255::uhugeint)",  # it reads the sixteen bytes in reverse order
    byte_length="strlen({x})",
    has_nul="contains({x}, chr(0))",
    is_nan="isnan({x})",
    byte_order="{x}",
)
_PROGRESS = {"enable_progress_bar": "true", "enable_progress_bar_print": "false"}
_FRAME = "fewlabels_frame"  # the name of a table held in memory
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
_WORDS = {**dict.fromkeys(_INTEGERS, "int"), "VARCHAR": "text", "FLOAT": "float32", "DOUBLE": "float64", "BOOLEAN": "bool", "UUID": "uuid"}


class DuckDBEngine(SqlEngine):
    """A population in files or in a table held in memory."""

    dialect = DIALECT

    def __init__(self, population: Population) -> None:
        """Open the table and check that the connection computes fewlabels' numbers; raise an error for files that cannot be read."""
        super().__init__(population)
        scratch = tempfile.mkdtemp(prefix="fewlabels-")  # where DuckDB spills to disk
        weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
        try:
            self._connection = duckdb.connect(config=_settings(scratch))
        except duckdb.Error as error:
            raise EngineError(f"DuckDB refuses its settings {resources.current()}: {error}: give a memory limit such as 2GB") from None
        self._files: FileSet | None = None
        self._versions: tuple[SourceFile, ...] | None = None
        self._prove()
        if population.table is not None:
            self._close_off()
            self.source = self.text_source = _FRAME
        elif "://" in population.source:
            self._load_remote()
            self._close_off(population.source.rpartition("/")[0])
            self.source = self.text_source = _read_parquet([population.source], partitioned=False)
        else:
            files = find_files(population.source)
            self._close_off(*sorted({str(path.parent) for path in files.paths}))
            self._open(files)
        self._columns = self._describe(self.source)

    def _load_remote(self) -> None:
        """Load the extension that reads addresses; raise EngineError if it is not installed, since nothing is downloaded in passing."""
        try:
            self._connection.execute("load httpfs")
        except duckdb.Error:
            raise EngineError(
                f"reading {self.population.source!r} needs DuckDB's extension httpfs, which is not installed, and nothing is downloaded: "
                "run python -c \"import duckdb; duckdb.sql('install httpfs')\" once, or copy the table"
            ) from None

    def _close_off(self, *folders: str) -> None:
        """Let DuckDB reach nothing but these folders and its own for spilling, load no extension, and change no setting any more."""
        listed = ", ".join(DIALECT.text(folder) for folder in folders)
        self._connection.execute(f"set allowed_directories = [{listed}]; set enable_external_access = false")
        with contextlib.suppress(duckdb.CatalogException):  # older ones have no exceptions, and then no progress either
            self._connection.execute(f"set allowed_configs = [{', '.join(map(DIALECT.text, _PROGRESS))}]")
        self._connection.execute("set lock_configuration = true")

    def _prove(self) -> None:
        """Raise EngineError if the connection computes other numbers than fewlabels, or cannot work within its limits."""
        try:
            selftest.check_engine(self._run, DIALECT)
        except (duckdb.Error, RuntimeError) as error:
            raise EngineError(f"DuckDB cannot work with {resources.current()}: {error}: give it more memory, or fewer threads") from None

    def columns(self) -> tuple[Column, ...]:
        """Return the table's columns with their types in fewlabels' terms."""
        return tuple(Column(name, _word(type_)) for name, type_ in self._columns.items())

    def query(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        """Return all rows of a query; turn DuckDB's errors into fewlabels' own."""
        try:
            return self._run(text, lookup=lookup)
        except duckdb.Error as error:
            reason = str(error).split("\n\nLINE")[0].strip()
            raise PopulationError(f"DuckDB cannot read {self.population.source!r}: {reason}") from None

    def files(self) -> tuple[SourceFile, ...]:
        """Return the version of each file the table is read from; empty for a table in memory or behind an address."""
        if self._files is None:
            return ()
        stamps = tuple(stamp(path) for path in self._files.paths)
        if self._versions is None or tuple(version.changed for version in self._versions) != stamps:
            self._versions = versions(self._files)
        return self._versions

    def _ends_apart(self, id_type: str) -> bool:
        """Return whether ids are numbers in Parquet: DuckDB gets their minimum and maximum from the files' statistics, without a scan."""
        return id_type == "int" and self._files is not None and self._files.kind == "parquet"

    def _run(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        with self._connection.cursor() as cursor:
            if self.population.table is not None:
                cursor.register(_FRAME, self.population.table)
            if lookup is not None:
                cursor.register(LOOKUP, dict(lookup))
            if resources.current().watch is not None:
                with contextlib.suppress(duckdb.InvalidInputException):  # locked, in a version without exceptions
                    cursor.execute("; ".join(f"set {name} = {value}" for name, value in _PROGRESS.items())).fetchall()
            return resources.run(lambda: cursor.execute(text).fetchall(), progress=lambda: _done(cursor), cancel=cursor.interrupt)

    def _describe(self, source: str) -> dict[str, str]:
        """Return each column's type in DuckDB's terms."""
        return {row[0]: row[1] for row in self.query(f"describe select * from {source}")}

    def _open(self, files: FileSet) -> None:
        """Set the FROM items of the files."""
        self._files = files
        paths = [glob.escape(str(path)) for path in files.paths]
        if files.kind == "parquet":
            for path in files.paths:
                footer(path)  # raises for a truncated file
            self.source = self.text_source = _read_parquet(paths, partitioned=files.partitioned)
        elif not any(path.stat().st_size for path in files.paths):
            raise PopulationError(checks.EMPTY)
        else:
            self._open_csv(paths, partitioned=files.partitioned)

    def _open_csv(self, paths: list[str], *, partitioned: bool) -> None:
        """Read CSV with types determined once, over all of it; ids and slices keep the text as written."""
        found = self.query(f"select Delimiter, Quote, Escape from sniff_csv({DIALECT.text(paths[0])}, header=true)")[0]
        delimiter, quote, escape = ('"' if mark == "(empty)" else mark for mark in found)
        options = {"header": "true", "delim": DIALECT.text(delimiter), "quote": DIALECT.text(quote), "escape": DIALECT.text(escape)}
        self.text_source = _read_csv(paths, {**options, "all_varchar": "true"}, partitioned=partitioned)
        types = self._describe(_read_csv(paths, {**options, "sample_size": "-1"}, partitioned=partitioned))
        for name in (self.population.id, *self.population.slices):
            if name in types and not (name == self.population.id and self._is_written_plainly(name, types[name])):
                types[name] = "VARCHAR"
        in_files = self._describe(_read_csv(paths, {**options, "all_varchar": "true"}, partitioned=False)) if partitioned else types
        listed = ", ".join(f"{DIALECT.text(name)}: {DIALECT.text(types[name])}" for name in in_files)
        self.source = _read_csv(paths, {**options, "types": f"{{{listed}}}"}, partitioned=partitioned)

    def _is_written_plainly(self, name: str, type_: str) -> bool:
        """Return whether a column holds integers written as their decimal text, so that ' 5', '0x10' and '-0' stay text."""
        if type_ not in _INTEGERS:
            return False
        column = DIALECT.identifier(name)
        differs = f"cast(try_cast({column} as {type_}) as varchar) is distinct from {column}"
        return self.query(f"select count(*) from {self.text_source} where {differs}") == [(0,)]


def write_parquet(path: Path, columns: Mapping[str, Sequence[str | int | float | None] | FloatArray]) -> None:
    """Write columns, each of one type, as one Parquet file; None is null."""
    with duckdb.connect() as connection:
        connection.register("columns", {name: _plain(values) for name, values in columns.items()})
        listed = ", ".join(DIALECT.identifier(name) for name in columns)
        connection.execute(f"copy (select {listed} from columns) to {DIALECT.text(str(path))} (format parquet)")


def parquet_of_texts(texts: Path, target: Path, types: Mapping[str, str]) -> None:
    """Write a CSV file, in which every value but null is in quotation marks, as Parquet with columns of these types of DuckDB."""
    options = (
        "header=true, all_varchar=true, delim=',', quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, max_line_size=50000000"
    )
    listed = ", ".join(f"cast({DIALECT.identifier(name)} as {type_}) as {DIALECT.identifier(name)}" for name, type_ in types.items())
    source = f"read_csv({DIALECT.text(glob.escape(str(texts)))}, {options})"
    try:
        with duckdb.connect() as connection:
            connection.execute(f"copy (select {listed} from {source}) to {DIALECT.text(str(target))} (format parquet)")
    except duckdb.Error as error:
        raise PopulationError(f"DuckDB cannot write {target.name!r}: {str(error).splitlines()[0]}") from None


def _plain(values: Sequence[str | int | float | None] | FloatArray) -> NDArray[np.generic]:
    """Return a column as an array DuckDB scans: of objects if some are missing."""
    return np.asarray(values, dtype=object if any(value is None for value in values) else None)


def read_texts(paths: Sequence[Path]) -> tuple[list[str], list[Row]]:
    """Return the names of the columns of Parquet files, and their rows, every value as text."""
    listed = ", ".join(DIALECT.text(glob.escape(str(path))) for path in paths)
    try:
        with duckdb.connect() as connection:
            source = f"read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"
            names = [row[0] for row in connection.execute(f"describe select * from {source}").fetchall()]
            texts = ", ".join(DIALECT.as_text.format(x=DIALECT.identifier(name)) for name in names)
            return names, connection.execute(f"select {texts} from {source}").fetchall()
    except duckdb.Error as error:
        raise PopulationError(f"DuckDB cannot read {str(paths[0])!r}: {str(error).splitlines()[0]}") from None


def _settings(scratch: str) -> dict[str, str | bool | int | float | list[str]]:
    """Return DuckDB's settings: it reads no Python variables, spills into its own folder, and respects the resource limits."""
    may = resources.current()
    found: dict[str, str | bool | int | float | list[str]] = {
        "python_enable_replacements": False,
        "temp_directory": scratch,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "pandas_analyze_sample": 1_000_000_000,  # scan all of an object column: typed by its first values, "01" among integers became 1
    }
    if may.memory_limit is not None:
        found["memory_limit"] = may.memory_limit
    if may.threads is not None:
        found["threads"] = may.threads
    return found


def _done(cursor: duckdb.DuckDBPyConnection) -> float | None:
    """Return the share of the running query that is done; None before DuckDB knows."""
    percent = cursor.query_progress()
    return percent / 100 if percent >= 0 else None


def _word(type_: str) -> str:
    """Return fewlabels' name of a DuckDB type; DuckDB's own, in lower case, if fewlabels has none."""
    if type_ in _WORDS:
        return _WORDS[type_]
    if type_.startswith("ENUM("):
        return "text"
    if type_.startswith("DECIMAL(") and type_.endswith(",0)"):
        return "decimal"
    return type_.strip('"').lower()


def _read_parquet(paths: list[str], *, partitioned: bool) -> str:
    """Read Parquet with can_have_nan: else DuckDB trusts min and max, which leave NaN out, and loses those rows (duckdb/duckdb#25521)."""
    return _read("read_parquet", paths, {"can_have_nan": "true"}, partitioned=partitioned)


def _read_csv(paths: list[str], options: Mapping[str, str], *, partitioned: bool) -> str:
    return _read("read_csv", paths, options, partitioned=partitioned)


def _read(function: str, paths: list[str], options: Mapping[str, str], *, partitioned: bool) -> str:
    """Return the FROM item. Columns are matched by name; values in folder names stay text, so "01" is not 1."""
    settings = {**options, "union_by_name": "true", "hive_partitioning": str(partitioned).lower()}
    if partitioned:
        settings["hive_types_autocast"] = "false"
    listed = ", ".join(DIALECT.text(path) for path in paths)
    return f"{function}([{listed}], {', '.join(f'{name}={value}' for name, value in settings.items())})"
