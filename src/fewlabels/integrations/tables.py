"""Any result as a table of pandas, Polars or Arrow, or as plain rows."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

from fewlabels.errors import EngineError, StudyError
from fewlabels.integrations.flattening import SHAPES, Columns, Kind, Row, Value, flat

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

TableKind = Literal["pandas", "polars", "arrow", "rows"]
Column: TypeAlias = tuple[str, Kind, list[Value]]
ANSWERS = "answers_"  # the columns of labelers that depend on what was answered


class Flat(NamedTuple):
    """Rows of plain values, and the type of each column in order."""

    columns: Columns
    rows: list[Row]

    def filled(self) -> list[Column]:
        """Yield name, type and values of each column."""
        return [(name, kind, [row[name] for row in self.rows]) for name, kind in self.columns.items()]


@overload
def to_table(result: object, kind: Literal["pandas"]) -> "pandas.DataFrame": ...
@overload
def to_table(result: object, kind: Literal["polars"]) -> "polars.DataFrame": ...
@overload
def to_table(result: object, kind: Literal["arrow"]) -> "pyarrow.Table": ...
@overload
def to_table(result: object, kind: Literal["rows"]) -> list[Row]: ...
def to_table(result: object, kind: TableKind) -> object:
    """Return the result as a table: one row per estimate, goal, threshold, labeler or whatever the result holds.

    result   a result of a study, a plan's sizing, `simulate` or `from_counts`; for cells (a confusion matrix, a simulation) a list
    kind     "pandas", "polars", "arrow", or "rows" for dicts of plain values, which need no package

    Columns are named as in the result's JSON, nested parts outer_inner. Unknown values are null in every kind, never NaN or 0, and a
    column keeps its type even if all its values are unknown.

    Examples:
        >>> from fewlabels import from_counts, to_table
        >>> found = to_table(from_counts(tp=38, fp=2, fn=9, tn=151, metrics=["precision"]), "rows")
        >>> found[0]["metric"], found[0]["value"], found[0]["labels"]
        ('precision', 0.95, 40)
    """
    makers = {"pandas": _pandas, "polars": _polars, "arrow": _arrow, "rows": _rows}
    if kind not in makers:
        raise StudyError(f"the kind of a table must be one of {', '.join(makers)}, got {kind!r}: name one of these")
    return makers[kind](flatten(result))


def flatten(result: object) -> Flat:
    """Return the rows of a result and the types of its columns; raise an error for anything else, and for an empty list."""
    several = list(result) if isinstance(result, list | tuple) and not hasattr(result, "_fields") else [result]
    if not several:
        raise StudyError("a table has the columns of its results, but this list is empty: make the table when there are some")
    kinds = {type(one) for one in several}
    shape = SHAPES.get(next(iter(kinds))) if len(kinds) == 1 else None
    if shape is None:
        known = ", ".join(kind.__name__ for kind in SHAPES)
        raise StudyError(
            f"a table must be made of results of one kind ({known}), got {', '.join(sorted(kind.__name__ for kind in kinds))}: hand over "
            "what a study, a plan's sizing, simulate or from_counts gave"
        )
    rows = [flat(one) for found in several for one in shape.rows(found)]
    more = {} if shape.more is None else {name: kind for found in several for name, kind in shape.more(found).items()}
    columns = {**shape.columns, **_answers(rows)} if shape.more is None else more
    return Flat(columns, [{name: row.get(name) for name in columns} for row in rows])


def _answers(rows: Sequence[Row]) -> dict[str, Kind]:
    """Return a column for each answer that labelers gave."""
    return {name: "whole" for row in rows for name in row if name.startswith(ANSWERS)}


def _rows(flat: Flat) -> list[Row]:
    return flat.rows


def _pandas(flat: Flat) -> object:
    pandas = _package("pandas", "pandas")
    types = {"text": "string", "whole": "Int64", "number": "Float64", "truth": "boolean"}  # the nullable types
    return pandas.DataFrame({name: pandas.array(values, dtype=types[kind]) for name, kind, values in flat.filled()})


def _polars(flat: Flat) -> object:
    polars = _package("polars", "polars")
    types = {"text": polars.String, "whole": polars.Int64, "number": polars.Float64, "truth": polars.Boolean}
    return polars.DataFrame([polars.Series(name, values, dtype=types[kind]) for name, kind, values in flat.filled()])


def _arrow(flat: Flat) -> object:
    arrow = _package("pyarrow", "pyarrow")
    types = {"text": arrow.string(), "whole": arrow.int64(), "number": arrow.float64(), "truth": arrow.bool_()}
    arrays = [arrow.array(values, type=types[kind]) for _, kind, values in flat.filled()]
    return arrow.Table.from_arrays(arrays, names=list(flat.columns))


def _package(name: str, install: str) -> Any:
    """Import the package."""
    try:
        return import_module(name)
    except ImportError:
        raise EngineError(f"this table needs the package {install}, which is not installed: pip install {install}") from None
