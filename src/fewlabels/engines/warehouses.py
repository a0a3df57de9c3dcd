r"""Warehouses that fewlabels does not connect to, and their SQL dialects.

A population is then written DIALECT:TABLE, such as `bigquery:project.dataset.scored`. The dialects follow the warehouses' manuals and were
not run on any of them here: that is why every printed query carries the self-test. Choices that are not obvious:

    BigQuery    text within '...' holds no line break, so it is escaped; CHR(0) is the empty text, so NUL is written \x00
    Snowflake   has functions where others have operators; integers are number(38, 0), in which 2^62.7 fits; text is cast to 'inf'
    Trino       md5 takes and returns bytes; bitwise_right_shift_arithmetic keeps the sign as `>>` does elsewhere
    Redshift    varchar without a length is varchar(256); trailing blanks are ignored in comparisons, so slices are grouped without them;
                there is no table of VALUES; no text holds a NUL
"""

from typing import NamedTuple

from fewlabels.engines.dialect import Dialect
from fewlabels.errors import EngineError

BIGQUERY = Dialect(
    quote="`",
    escapes=(("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")),
    as_text="cast({x} as string)",
    as_double="cast({x} as float64)",
    floor="cast(floor({x}) as int64)",
    hash="to_hex(md5({x}))",
    byte_length="byte_length({x})",
    has_nul="strpos({x}, '\\x00') > 0",
    is_nan="is_nan({x})",
    byte_order="{x}",
    as_bigint="cast({x} as int64)",
    xor="({a} ^ {b})",
    rows="unnest(array<struct<n int64, unit string>>[{rows}]) as {name}",
)
SNOWFLAKE = Dialect(
    quote='"',
    escapes=(("\\", "\\\\"), ("'", "''")),
    as_text="cast({x} as varchar)",
    as_double="cast({x} as double)",
    floor="cast(floor({x}) as number(38, 0))",
    hash="md5({x})",
    byte_length="octet_length({x})",
    has_nul="contains({x}, '\\0')",
    is_nan="({x} = cast('NaN' as double))",
    byte_order="{x}",
    as_bigint="cast({x} as number(38, 0))",
    xor="bitxor({a}, {b})",
    bit_and="bitand({a}, {b})",
    shift_right="bitshiftright({a}, {n})",
    infinity="inf",
)
TRINO = Dialect(
    quote='"',
    escapes=(("'", "''"),),
    as_text="cast({x} as varchar)",
    as_double="cast({x} as double)",
    floor="cast(floor({x}) as bigint)",
    hash="lower(to_hex(md5(to_utf8({x}))))",
    byte_length="length(to_utf8({x}))",
    has_nul="strpos({x}, chr(0)) > 0",
    is_nan="is_nan({x})",
    byte_order="{x}",
    xor="bitwise_xor({a}, {b})",
    bit_and="bitwise_and({a}, {b})",
    shift_right="bitwise_right_shift_arithmetic({a}, {n})",
)
REDSHIFT = Dialect(
    quote='"',
    escapes=(("\\", "\\\\"), ("'", "''")),
    as_text="cast({x} as varchar(4096))",  # four times the longest id
    as_double="cast({x} as double precision)",
    floor="cast(floor({x}) as bigint)",
    hash="md5({x})",
    byte_length="octet_length({x})",
    has_nul="false",
    is_nan="({x} = cast('NaN' as double precision))",
    byte_order="{x}",
    key="rtrim(cast({x} as varchar(4096)))",
    xor="({a} + {b} - 2 * ({a} & {b}))",  # of two non-negative numbers
    rows="({rows}) as {name}",
    row="select {n} as n, cast({x} as varchar(4096)) as unit",
    between_rows=" union all ",
)
_WRITTEN = {"bigquery": BIGQUERY, "snowflake": SNOWFLAKE, "trino": TRINO, "redshift": REDSHIFT}
NAMES = ("bigquery", "databricks", "duckdb", "postgres", "redshift", "snowflake", "spark", "trino")
_SERVED = ("postgresql://", "postgres://")


class Place(NamedTuple):
    """A table inside an engine: how SQL is written there, and the table's name as it is written there."""

    dialect: str
    table: str

    @property
    def source(self) -> str:
        """The FROM item of the table."""
        if self.dialect == "bigquery" and "`" not in self.table:
            return f"`{self.table}`"  # a project's name may contain a dash
        return f"parquet.`{self.table}`" if self.dialect in ("spark", "databricks") and "/" in self.table else self.table


def place_of(source: str) -> Place | None:
    """Return the place a population's source names: DIALECT:TABLE, or postgresql://...#TABLE; None for files and memory."""
    if source.startswith(_SERVED):
        return Place("postgres", source.partition("#")[2])
    name, colon, table = source.partition(":")
    if not colon or name not in NAMES or table.startswith("//"):
        return None
    if not table.strip():
        raise EngineError(f"a table is named after {name}:, but {source!r} names none: write {name}:schema.table")
    return Place(name, table)


def is_elsewhere(source: str) -> bool:
    """Return whether a source is a table that fewlabels does not connect to."""
    place = place_of(source)
    return place is not None and place.dialect != "spark" and not source.startswith(_SERVED)


def elsewhere(source: str) -> EngineError:
    """Return the error for opening such a table."""
    name = source.partition(":")[0]
    return EngineError(
        f"fewlabels opens no connection to {source!r}: print its queries with `fewlabels sql`, run them in {name}, and hand the results "
        f"in with "
        "`fewlabels plan --profile-file` and `fewlabels draw --candidates-file`; anything else needs a copy of the table in Parquet"
    )


def dialect_named(name: str) -> Dialect:
    """Return the SQL dialect of a warehouse or engine of that name."""
    if name in _WRITTEN:
        return _WRITTEN[name]
    if name == "duckdb":
        from fewlabels.engines.duckdb import DIALECT as duckdb

        return duckdb
    if name == "postgres":
        from fewlabels.engines.postgres import DIALECT as postgres

        return postgres
    if name in ("spark", "databricks"):
        from fewlabels.engines.spark import DIALECT as spark

        return spark
    raise EngineError(f"the SQL dialect must be one of {', '.join(NAMES)}, got {name!r}: choose one of these")
