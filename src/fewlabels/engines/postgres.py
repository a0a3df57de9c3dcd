"""The engine for PostgreSQL: a table or view, read in read-only transactions.

Every text is compared by its bytes (collation "C"), whatever the database's or the column's own collation is.
"""

import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fewlabels.engines import resources, selftest
from fewlabels.engines.dialect import Dialect
from fewlabels.engines.plain_columns import is_writable
from fewlabels.engines.sql import LOOKUP
from fewlabels.engines.sql_engine import Lookup, Row, SqlEngine
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://")
DIALECT = Dialect(
    quote='"',
    escapes=(("'", "''"),),  # under standard_conforming_strings, which every query sets
    as_text='(cast({x} as text) collate "C")',
    as_double="cast({x} as double precision)",
    floor="cast(floor({x}) as bigint)",
    small_floor="cast(floor({x}) as integer)",
    hash='(md5({x}) collate "C")',  # of the bytes of the database's encoding, which has to be UTF-8
    byte_length="octet_length({x})",
    has_nul="false",  # no text in PostgreSQL holds one
    is_nan="({x} = cast('NaN' as double precision))",
    byte_order='({x} collate "C")',
    xor="({a} # {b})",
    fence=" offset 0",
)
_WORDS = {
    **dict.fromkeys(("int2", "int4", "int8"), "int"),
    **dict.fromkeys(("text", "varchar", "bpchar"), "text"),  # char(n) cast to text loses its padding
    "float4": "float32",
    "float8": "float64",
}
_RELATIONS = ("r", "p", "v", "m", "f")  # tables, partitioned ones, views, materialized views, foreign tables
_SETTINGS = "set local standard_conforming_strings = on; set local extra_float_digits = 1; set local datestyle = 'ISO'"
_LOOSE = (  # collations that treat different texts as equal
    "select a.attname, 'text collate ' || c.collname from pg_attribute a join pg_collation c on c.oid = a.attcollation "
    "where a.attrelid = to_regclass({table}) and not c.collisdeterministic"
)
_CHUNK = 1_000  # rows buffered besides those already read


class PostgresEngine(SqlEngine):
    """A population in a table or view of PostgreSQL: postgresql://user@host:port/database#schema.table."""

    dialect = DIALECT

    def __init__(self, population: Population) -> None:
        """Connect, and check that the server computes fewlabels' numbers; raise an error for other encodings than UTF-8 or no table."""
        super().__init__(population)
        address, _, table = population.source.partition("#")
        self._connection = _connect(address, table)
        weakref.finalize(self, self._connection.close)
        self._refuse_encoding()
        selftest.check_engine(self.query, DIALECT)
        self.source = self.text_source = self._find(table)
        self._columns = self._describe()

    def columns(self) -> tuple[Column, ...]:
        """Return the table's columns with their types in fewlabels' terms."""
        return self._columns

    def query(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        """Return all rows of a query; turn PostgreSQL's errors into fewlabels' own."""
        if lookup is None:
            return self._run(text)
        kinds = ["text" if values.dtype == object else "bigint" for values in lookup.values()]
        named = ", ".join(DIALECT.identifier(name) for name in lookup)
        arrays = ", ".join(f"${i}::{kind}[]" for i, kind in enumerate(kinds, 1))
        small = f"select * from unnest({arrays}) as t({named})"
        values = [[_sendable(value) for value in column.tolist()] for column in lookup.values()]
        return self._run(f"with {LOOKUP} as ({small}) select * from ({text}) fewlabels_result", values)

    def progress(self) -> float | None:
        """Return None: PostgreSQL does not report the progress of a query."""
        return None

    def _run(self, text: str, values: Sequence[object] = ()) -> list[Row]:
        """Return all rows of a query; Ctrl-C also cancels it on the server."""
        import psycopg

        ended = threading.Event()

        def cancel() -> None:
            while not ended.wait(0.2):  # again, in case it fell between two statements
                self._connection.cancel_safe()

        def work() -> list[Row]:
            try:
                return self._stream(text, values)
            finally:
                ended.set()

        try:
            return resources.run(work, progress=self.progress, cancel=cancel)
        except psycopg.Error as error:
            raise PopulationError(f"PostgreSQL cannot read {self.population.source!r}: {_reason(error)}") from None

    def _stream(self, text: str, values: Sequence[object]) -> list[Row]:
        """Stream rows: the driver buffers one chunk, and the server can use parallel workers, unlike with a cursor."""
        import psycopg

        size = _CHUNK if psycopg.capabilities.has_stream_chunked() else 1
        with self._connection.transaction():
            self._connection.execute(_SETTINGS)
            with psycopg.RawCursor(self._connection) as cursor:
                return list(cursor.stream(text, values, size=size))

    def _refuse_encoding(self) -> None:
        """Raise EngineError for a database that is not encoded in UTF-8, which would give other permanent numbers."""
        database, encoding = self._run("select current_database(), current_setting('server_encoding')")[0]
        if encoding != "UTF8":
            raise EngineError(
                f"permanent numbers are made from UTF-8, but database {database!r} is encoded in {encoding}: "
                "copy the table to a database with encoding UTF8, or to Parquet"
            )

    def _find(self, table: str) -> str:
        """Return the FROM item of a table, its name parsed as in SQL; raise an error if it does not exist or is not a table or view."""
        found = self._run(
            "select format('%I.%I', n.nspname, c.relname), c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            f"where c.oid = to_regclass({DIALECT.text(table)})"
        )
        if not found or found[0][1] not in _RELATIONS:
            raise PopulationError(
                f"a population must be a table or view, but this database has none named {table}: name it as SQL does, "
                'with its schema where needed, and names with capitals or odd characters in "quotes"'
            )
        return str(found[0][0])

    def _describe(self) -> tuple[Column, ...]:
        """Return the columns; a domain counts as its base type."""
        import psycopg

        try:
            with self._connection.transaction():
                described = self._connection.execute(f"select * from {self.source} limit 0").description or []
        except psycopg.Error as error:
            raise PopulationError(f"PostgreSQL cannot read {self.population.source!r}: {_reason(error)}") from None
        listed = ", ".join(str(column.type_code) for column in described) or "0"
        types = {oid: (name, kind) for oid, name, kind in self._run(f"select oid, typname, typtype from pg_type where oid in ({listed})")}
        loose: dict[str, str] = dict(self._run(_LOOSE.format(table=DIALECT.text(self.source))))
        return tuple(Column(c.name, loose.get(c.name) or _word(*types[c.type_code], c)) for c in described)


def _connect(address: str, table: str) -> "psycopg.Connection[Row]":
    """Open a read-only connection; raise an error for an address with a password, which the ledger would store, or without a table."""
    import psycopg

    try:
        parts: Mapping[str, Any] = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error as error:
        raise PopulationError(f"{address!r} is no address of PostgreSQL: {_reason(error)}") from None
    if parts.keys() & {"password", "sslpassword"}:
        raise PopulationError(
            "an address is written to the ledger, so it holds no password, but this one does: "
            "leave it out, and use PGPASSWORD, ~/.pgpass or a service file"
        )
    if not table.strip():
        raise PopulationError(f"a table is named after '#', but {address!r} names none: write {address}#schema.table")
    try:
        connection = psycopg.connect(address, fallback_application_name="fewlabels", client_encoding="utf8")
    except psycopg.Error as error:
        raise PopulationError(f"PostgreSQL cannot be reached at {address!r}: {_reason(error)}") from None
    connection.read_only = True
    return connection


def _word(name: str, kind: str, column: "psycopg.Column") -> str:
    """Return fewlabels' name of a PostgreSQL type; PostgreSQL's own if fewlabels has none."""
    if kind == "e":  # an enum
        return "text"
    if name == "numeric" and column.precision is not None:
        return f"numeric({column.precision},{column.scale})" if column.scale else "decimal"
    return _WORDS.get(name, name)


def _sendable(value: object) -> object:
    """Return a value of a lookup; null, which equals nothing, for text that PostgreSQL cannot store."""
    return None if isinstance(value, str) and ("\0" in value or not is_writable(value)) else value


def _reason(error: "psycopg.Error") -> str:
    """Return the first line of the server's or driver's message."""
    return str(error.diag.message_primary or str(error).strip().splitlines()[0])
