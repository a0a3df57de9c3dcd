"""The engine for Spark: a DataFrame, a table or a path of Parquet files, in the existing session, classic or Connect.

The session's settings are never changed: what ANSI mode, time zone and the like could alter is explicit in the queries, and the
self-test catches the rest. Nothing runs in Python on the cluster.
"""

import json
import re
import threading
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

from fewlabels.engines import resources, selftest
from fewlabels.engines.dialect import Dialect
from fewlabels.engines.plain_columns import is_writable
from fewlabels.engines.sql import LOOKUP
from fewlabels.engines.sql_engine import Lookup, Row, SqlEngine
from fewlabels.errors import PopulationError
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column, SourceFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEME = "spark:"
DIALECT = Dialect(
    quote="`",
    escapes=(("\\", "\\\\"), ("'", "\\'"), ("$", "\\u0024")),  # "${env:HOME}" would be replaced, even inside a text
    as_text="cast({x} as string)",  # without a column's own collation
    as_double="cast({x} as double)",
    floor="cast(floor({x}) as bigint)",
    small_floor="cast(floor({x}) as integer)",
    hash="md5(cast({x} as binary))",
    byte_length="octet_length({x})",
    has_nul="contains({x}, char(0))",
    is_nan="isnan({x})",
    byte_order="{x}",
    exact_sum="sum(cast({x} as decimal(38, 0)))",  # a sum of bigint wraps around if ANSI is off
    xor="({a} ^ {b})",
    shift_right="shiftright({a}, {n})",
    never_null="coalesce({x}, {instead})",  # else "is not null" is moved below the sieve, and number and bin are computed for every unit
)
_WORDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "int"),
    "string": "text",  # a collation, which Spark adds to the type, can make different texts equal
    "float": "float32",
    "double": "float64",
    "boolean": "bool",
    "void": "null",
}
_SETTINGS = ("spark.sql.ansi.enabled", "spark.sql.parser.escapedStringLiterals", "spark.sql.variable.substitute")
_proven: "weakref.WeakKeyDictionary[SparkSession, set[tuple[str | None, ...]]]" = weakref.WeakKeyDictionary()


class SparkEngine(SqlEngine):
    """A population in a DataFrame, or behind spark:NAME (a table or view) or spark:PATH (a path of Parquet files)."""

    dialect = DIALECT

    def __init__(self, population: Population) -> None:
        """Find the table and check, once per session and settings, that Spark computes fewlabels' numbers."""
        super().__init__(population)
        self.source = self.text_source = f"fewlabels_{uuid.uuid4().hex}"
        with self._in_words():
            self._frame: DataFrame = _frame(population)
            self._session: SparkSession = self._frame.sparkSession
            fields = [(field.name, field.dataType.simpleString()) for field in self._frame.schema.fields]
            settings = tuple(self._session.conf.get(name, None) for name in _SETTINGS)
            self._refuse_alike([name for name, _ in fields])
        self._columns = tuple(Column(name, _word(type_)) for name, type_ in fields)
        if settings not in _proven.setdefault(self._session, set()):
            selftest.check_engine(self.query, DIALECT)
            _proven[self._session].add(settings)

    def columns(self) -> tuple[Column, ...]:
        """Return the table's columns with their types in fewlabels' terms."""
        return self._columns

    def query(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        """Return all rows of a query; turn Spark's errors into fewlabels' own."""
        if lookup is not None:
            text = f"with {LOOKUP} as ({_inline(lookup)}) select * from ({text}) fewlabels_result"
        with self._in_words():
            self._frame.createOrReplaceTempView(self.source)
            try:
                return self._collect(text)
            finally:
                self._session.catalog.dropTempView(self.source)

    def files(self) -> tuple[SourceFile, ...]:
        """Return the version of each file the table is read from, by its size and time; empty if Spark names no files.

        The binaryFile source lists files without opening them, as long as the content column is not read.
        """
        with self._in_words():
            paths = [_as_glob(path) for path in self._frame.inputFiles()]
            if not paths:
                return ()
            listed = self._session.read.format("binaryFile").load(paths)
            found = listed.selectExpr("path", "length", "unix_micros(modificationTime)").collect()
        return tuple(SourceFile(path.rpartition("/")[2], size, "", f"{path} {time}") for path, size, time in sorted(found))

    def progress(self) -> float | None:
        """Return the share of tasks done in the running stages; None if Spark does not tell, and between stages."""
        if _is_connect(self._session):
            return None
        tracker = self._session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        tasks = sum(stage.numTasks for stage in stages if stage is not None)
        return sum(stage.numCompletedTasks for stage in stages if stage is not None) / tasks if tasks else None

    def _collect(self, text: str) -> list[Row]:
        """Return all rows of a query; Ctrl-C cancels its jobs."""
        tag, ended = f"fewlabels-{uuid.uuid4().hex}", threading.Event()

        def cancel() -> None:
            while not ended.wait(0.2):  # again, in case it fell between two jobs
                self._session.interruptTag(tag)

        def work() -> list[Row]:
            self._session.addTag(tag)
            try:
                return [tuple(row) for row in self._session.sql(text).collect()]
            finally:
                ended.set()
                self._session.removeTag(tag)

        return resources.run(work, progress=self.progress, cancel=cancel)

    def _refuse_alike(self, names: list[str]) -> None:
        """Raise an error for columns that Spark cannot tell apart."""
        if str(self._session.conf.get("spark.sql.caseSensitive", "false")).lower() == "true":
            return
        first: dict[str, str] = {}
        for name in names:
            other = first.setdefault(name.lower(), name)
            if other is not name:
                raise PopulationError(
                    f"Spark tells column names apart by more than case, but the table has {other!r} and {name!r}: "
                    "rename one, or set spark.sql.caseSensitive"
                )

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn errors of Spark, its gateway or its channel into errors of fewlabels."""
        try:
            yield
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j", "grpc"):
                raise
            where = repr(self.population.source) if self.population.table is None else "the DataFrame"
            raise PopulationError(f"Spark cannot read {where}: {_reason(error)}") from None


def _frame(population: Population) -> "DataFrame":
    """Return the table as a DataFrame, in its own session or the active one; a session is created only if there is none."""
    if population.table is not None:
        return cast("DataFrame", population.table)  # opening.py has seen that it is one
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    name = population.source.removeprefix(SCHEME)
    return session.read.parquet(name) if "/" in name else session.table(name)


def _inline(lookup: Lookup) -> str:
    """Return a query for the lookup's rows: one JSON text, so that no Python runs on the cluster and no long list of values is parsed."""
    columns = [[_sendable(value) for value in values.tolist()] for values in lookup.values()]
    rows = [dict(zip(lookup, row, strict=True)) for row in zip(*columns, strict=True)]
    fields = ",".join(f"{name}:{'string' if values.dtype == object else 'bigint'}" for name, values in lookup.items())
    return f"select inline(from_json({DIALECT.text(json.dumps(rows))}, 'array<struct<{fields}>>'))"


def _sendable(value: object) -> object:
    """Return a value of a lookup; null, which equals nothing, for text that UTF-8 cannot encode."""
    return None if isinstance(value, str) and not is_writable(value) else value


def _word(type_: str) -> str:
    """Return fewlabels' name of a Spark type; Spark's own if fewlabels has none."""
    return "decimal" if re.fullmatch(r"decimal\(\d+,0\)", type_) else _WORDS.get(type_, type_)


def _as_glob(address: str) -> str:
    """Return the path of a file's address, escaped so that no character is a wildcard."""
    return re.sub(r"([\\{}\[\]*?^])", r"\\\1", unquote(address))


def _is_connect(session: "SparkSession") -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


def _reason(error: Exception) -> str:
    """Return Spark's message, without the plan and the Java frames below it."""
    return str(error).split("\n\n")[0].split(";\n'")[0].split("\n\tat ")[0].split("\nJVM stacktrace")[0].strip()[:500]
