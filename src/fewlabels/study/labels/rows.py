"""Answers as rows, whatever they are told in: a dict, a DataFrame, a Series, Labels or dicts. No package of tables is imported for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import ANSWER_COLUMNS
from fewlabels.nouns.label import Label

Row: TypeAlias = Label | Mapping[str, object]
# Known by name, as the engines know tables: the package of the first class in a value's ancestry that is named here.
PANDAS, POLARS, LAZY, ARROW = ("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame"), ("pyarrow", "Table")
SERIES = ("pandas", "Series")
TABLES = frozenset({PANDAS, POLARS, LAZY, ARROW})
KINDS = (
    "answers are {unit: answer}, a pandas or Polars DataFrame with the columns unit and answer, a pandas Series of answers by unit, or "
    'rows such as {"unit": "m017", "answer": "yes", "labeler": "ada"}'
)
WAYS_OUT = {
    ("polars", "Series"): "a Polars Series does not say which unit an answer is about, so make it a column answer beside a column unit",
    ("pyspark", "DataFrame"): "collect it first, with toPandas()",
    ("builtins", "str"): "to record a file, read it into a DataFrame, or use the command fewlabels tell",
    ("pathlib", "PurePath"): "to record a file, read it into a DataFrame, or use the command fewlabels tell",
}
NOTHING = frozenset({"NAType", "NaTType"})  # how pandas says missing, beside None and NaN


class Questions(NamedTuple):
    """What a study asks: its questions, the classes an answer may name, and the population's column of ids."""

    asked: tuple[str, ...]
    classes: tuple[str, ...]
    id: str = "unit"


def rows_of(answers: object, questions: Questions) -> list[tuple[int, Row]]:
    """The rows of what was told, each with its number from 1. Raise LabelError for what holds no answers.

    A table is read as a file is: a row without an answer is left for later. Elsewhere every answer counts, and a missing one is refused
    where it is read.
    """
    kind = kind_of(answers)
    if kind in TABLES:
        return _answered(_table_rows(answers, kind, questions), questions)
    if kind == SERIES:
        return _answered(({"unit": unit, "answer": answer} for unit, answer in _items(answers)), questions)
    if isinstance(answers, Mapping):
        return [(i, _row_of(unit, answer, questions)) for i, (unit, answer) in enumerate(answers.items(), start=1)]
    if kind in WAYS_OUT or not isinstance(answers, Iterable) or isinstance(answers, bytes | bytearray):
        raise LabelError(f"{KINDS}, but got {_named(answers)}: {WAYS_OUT.get(kind, 'tell one of these')}")
    return [(i, _checked(item, i)) for i, item in enumerate(answers, start=1)]


def kind_of(value: object) -> tuple[str, str]:
    """The package and the class by which a value is known; its own where none of its ancestors is."""
    known = TABLES | {SERIES} | WAYS_OUT.keys()
    names = [(kind.__module__.split(".")[0], kind.__name__) for kind in type(value).__mro__]
    return next((name for name in names if name in known), names[0])


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, what pandas has for it, or blank text."""
    if value is None or type(value).__name__ in NOTHING:
        return True
    return not value.strip() if isinstance(value, str) else bool(_is_number(value) and value != value)


def _is_number(value: object) -> bool:
    return isinstance(value, float) or type(value).__module__ == "numpy"


def _named(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.split('.')[0]}.{kind.__name__}"


def _items(series: Any) -> Iterator[tuple[object, object]]:
    yield from series.items()


def _table_rows(table: Any, kind: tuple[str, str], questions: Questions) -> Iterator[dict[str, object]]:
    """The rows of a table under the names of its columns; of pandas, an index that has the name of the unit's column is one."""
    names = _unit_names(questions)
    if kind == PANDAS and not set(names) & set(table.columns) and set(names) & set(table.index.names):
        table = table.reset_index()
    if kind == LAZY:
        table = table.collect()
    columns = [str(column) for column in (table.column_names if kind == ARROW else table.columns)]
    _refuse_columns(columns, questions)
    if kind == PANDAS:
        rows: Iterable[Sequence[object]] = table.itertuples(index=False, name=None)
    else:
        rows = table.iter_rows() if kind in (POLARS, LAZY) else (tuple(row.values()) for row in table.to_pylist())
    return (dict(zip(columns, row, strict=True)) for row in rows)


def _unit_names(questions: Questions) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("unit", questions.id)))


def _refuse_columns(columns: Sequence[str], questions: Questions) -> None:
    """Raise LabelError unless the table has a column of units and one of answers, each once."""
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise LabelError(f"the columns of a table have different names, but {twice[0]!r} comes twice: rename one")
    units, answers = _unit_names(questions), dict.fromkeys((*ANSWER_COLUMNS, *questions.asked))
    for what, names in (("unit", units), ("answer", tuple(answers))):
        if not set(names) & set(columns):
            has = ", ".join(map(repr, columns)) or "no column"
            raise LabelError(f"a told table has a column of {what}s, named {' or '.join(names)}, but this one has {has}: rename it")


def _answered(rows: Iterable[dict[str, object]], questions: Questions) -> list[tuple[int, Row]]:
    """The rows that have an answer, without what is missing in them."""
    kept: list[tuple[int, Row]] = []
    for number, item in enumerate(rows, start=1):
        unit = next(item[name] for name in _unit_names(questions) if name in item)
        if is_missing(unit):
            raise LabelError(f"every row of a table names its unit, but row {number} does not: fill it in, or leave the row out")
        said = {name: _plain(value, questions) for name, value in item.items() if not is_missing(value)}
        if any(name in said for name in _answer_names(item, questions)):
            kept.append((number, {**said, "unit": unit}))
    return kept


def _answer_names(item: Mapping[str, object], questions: Questions) -> tuple[str, ...]:
    """The columns of a row that hold answers: answer, or one for each question, or label."""
    if "answer" in item:
        return ("answer",)
    return tuple(question for question in questions.asked if question in item) or ("label",)


def _plain(value: object, questions: Questions) -> object:
    """The value; as a whole number where only a column with gaps made 3.0 of the class 3."""
    if isinstance(value, float) and value.is_integer() and str(value) not in questions.classes:
        return int(value)
    return value


def _row_of(unit: object, answer: object, questions: Questions) -> dict[str, object]:
    """The row of {unit: answer} or {unit: {question: answer}}; refuses an answer to what was not asked."""
    if not isinstance(answer, Mapping):
        return {"unit": unit, "answer": answer}
    unknown = sorted(str(question) for question in answer if question not in questions.asked)
    if unknown:
        raise LabelError(f"{asked_words(questions.asked)}, but unit {unit!r} has one to {unknown[0]!r}: correct its name")
    return {"unit": unit, **answer}


def _checked(item: object, row: int) -> Row:
    """The row itself. Raise LabelError unless it is a Label or has names for what it holds."""
    if isinstance(item, Label):
        return item
    if not isinstance(item, Mapping):
        raise LabelError(f"{KINDS}, but row {row} is {_named(item)}: make it a dict with unit and answer")
    return item


def asked_words(questions: Sequence[str]) -> str:
    """How a refusal of an answer to something else begins."""
    return f"answers are to questions the study asks ({', '.join(questions)})"
