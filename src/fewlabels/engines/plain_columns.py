"""Plain columns (NumPy arrays and Python sequences), read as typed values with nulls."""

import datetime
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewlabels.errors import PopulationError
from fewlabels.nouns.arrays import BoolArray, FloatArray

Values: TypeAlias = Sequence[object] | NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column's type in fewlabels' terms and its values as Python objects, None for null."""

    type: str
    values: list[Any]

    def nulls(self) -> BoolArray:
        """Return which values are null."""
        return np.array([value is None for value in self.values], dtype=np.bool_)

    def doubles(self) -> FloatArray:
        """Return numbers and bools as doubles; NaN for null."""
        return np.array([np.nan if value is None else float(value) for value in self.values], dtype=np.float64)

    def texts(self) -> list[str | None]:
        """Return the text of each value, the same that other engines write; None for null."""
        return [None if value is None else self._text(value) for value in self.values]

    def _text(self, value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if self.type == "float32":
            return str(np.float32(value))
        return str(int(value)) if self.type == "decimal" else str(value)


def read_columns(columns: Mapping[str, Values]) -> dict[str, PlainColumn]:
    """Return the columns, typed; raise an error if their lengths differ."""
    table = {str(name): _read(values) for name, values in columns.items()}
    lengths = {name: len(column.values) for name, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise PopulationError(f"the columns of a table must have one length, got {lengths}: pass complete columns")
    return table


def is_writable(text: str) -> bool:
    """Return whether UTF-8 can encode the text: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(values: Values) -> PlainColumn:
    """Return one column, typed by the array's type or, for Python objects, by the values."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufb":
        words = {"i": "int", "u": "int", "b": "bool"}
        return PlainColumn(words.get(values.dtype.kind, values.dtype.name), values.tolist())
    if isinstance(values, np.ndarray) and values.dtype.kind not in "UO":
        return PlainColumn(values.dtype.name, values.tolist())
    objects = list(values)
    kinds = {_kind(value) for value in objects if value is not None}
    return PlainColumn(_type(kinds), [value.item() if isinstance(value, np.generic) else value for value in objects])


def _type(kinds: set[str]) -> str:
    """Return the type that holds all kinds; a mix that fewlabels cannot read is named as such."""
    if not kinds:
        return "null"
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {"int", "float32", "float64"}:
        return "float64"
    if kinds == {"int", "decimal"}:
        return "decimal"
    return "a mix of " + " and ".join(sorted(kinds))


def _kind(value: object) -> str:
    """Return the type of one value in fewlabels' terms; Python's own name if fewlabels has none."""
    if isinstance(value, np.generic):
        return {"i": "int", "u": "int", "b": "bool", "U": "text"}.get(value.dtype.kind, value.dtype.name)
    if isinstance(value, Decimal):
        return "decimal" if value.is_finite() and value == value.to_integral_value() else "decimal with a fraction"
    for kind, word in _PYTHON:
        if isinstance(value, kind):
            return word
    return type(value).__name__


# bool is an int and datetime is a date, so the narrower comes first
_PYTHON: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "int"),
    (float, "float64"),
    (str, "text"),
    (uuid.UUID, "uuid"),
    (datetime.datetime, "timestamp"),
    (datetime.date, "date"),
)
