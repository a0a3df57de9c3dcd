"""Answers as rows, whatever they come in: a dict, a DataFrame, a Series, Labels or dicts. No DataFrame library is imported."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import ANSWER_COLUMNS, refuse_gold
from fewlabels.nouns.label import Label

Row: TypeAlias = Label | Mapping[str, object]
# Recognized by name, as the engines recognize tables: the package and class of the first ancestor of a value's type listed here.
PANDAS, POLARS, LAZY, ARROW = ("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame"), ("pyarrow", "Table")
SERIES = ("pandas", "Series")
TABLES = frozenset({PANDAS, POLARS, LAZY, ARROW})
KINDS = (
    "answers must be {unit: answer}, a pandas or Polars DataFrame with the columns unit and answer, a pandas Series of answers by unit, or "
    'rows such as {"unit": "m017", "answer": "yes", "labeler": "ada"}'
)
WAYS_OUT = {
    ("polars", "Series"): "a Polars Series does not say which unit an answer is about, so pass a DataFrame with columns unit and answer",
    ("pyspark", "DataFrame"): "collect it first, with toPandas()",
    ("builtins", "str"): "to record a file, read it into a DataFrame, or use the command fewlabels tell",
    ("pathlib", "PurePath"): "to record a file, read it into a DataFrame, or use the command fewlabels tell",
}
NOTHING = frozenset({"NAType", "NaTType"})  # missing values of pandas, besides None and NaN


class AskedQuestions(NamedTuple):
    """What a study asks: its questions, the classes an answer may name, and the population's column of ids."""

    asked: tuple[str, ...]
    classes: tuple[str, ...]
    id: str = "unit"


def rows_of(answers: object, questions: AskedQuestions) -> Iterable[tuple[int, Row]]:
    """The rows of the answers, each with its number from 1. Raise LabelError for an unsupported type.

    A table is read like a file: a row without an answer is skipped. In other forms every answer counts, and a missing one is refused
    later, when it is read.
    """
    kind = kind_of(answers)
    if kind in TABLES:
        return _answered(_table_rows(answers, kind, questions), questions)
    if kind == SERIES:
        return _answered(({"unit": unit, "answer": answer} for unit, answer in _items(answers)), questions)
    if isinstance(answers, Mapping):
        return ((i, _row_of(unit, answer, questions)) for i, (unit, answer) in enumerate(answers.items(), start=1))
    if kind in WAYS_OUT or not isinstance(answers, Iterable) or isinstance(answers, bytes | bytearray):
        raise LabelError(f"{KINDS}, got {_named(answers)}: {WAYS_OUT.get(kind, 'pass one of these')}")
    return ((i, _checked(item, i)) for i, item in enumerate(answers, start=1))


def kind_of(value: object) -> tuple[str, str]:
    """The package and class by which a value is recognized; its own type if no ancestor is."""
    known = TABLES | {SERIES} | WAYS_OUT.keys()
    names = [(kind.__module__.split(".")[0], kind.__name__) for kind in type(value).__mro__]
    return next((name for name in names if name in known), names[0])


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, a missing value of pandas, or blank text."""
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


def _table_rows(table: Any, kind: tuple[str, str], questions: AskedQuestions) -> Iterator[dict[str, object]]:
    """The rows of a table as dicts by column; in pandas, an index named like the unit column counts as a column."""
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


def _unit_names(questions: AskedQuestions) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("unit", questions.id)))


def _refuse_columns(columns: Sequence[str], questions: AskedQuestions) -> None:
    """Raise LabelError unless the table has a unit column and an answer column, and no duplicate names."""
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise LabelError(f"the columns of a table must have distinct names, but {twice[0]!r} comes twice: rename one")
    refuse_gold(columns, "this table")
    units, answers = _unit_names(questions), dict.fromkeys((*ANSWER_COLUMNS, *questions.asked))
    for what, names in (("unit", units), ("answer", tuple(answers))):
        if not set(names) & set(columns):
            has = ", ".join(map(repr, columns)) or "no column"
            raise LabelError(
                f"a table of answers must have a column of {what}s, named {' or '.join(names)}, but this one has {has}: rename it"
            )


def _answered(rows: Iterable[dict[str, object]], questions: AskedQuestions) -> list[tuple[int, Row]]:
    """The rows that have an answer, without their missing values."""
    kept: list[tuple[int, Row]] = []
    for number, item in enumerate(rows, start=1):
        unit = next(item[name] for name in _unit_names(questions) if name in item)
        if is_missing(unit):
            raise LabelError(f"every row of a table must name its unit, but row {number} does not: fill it in, or leave the row out")
        said = {name: _plain(value, questions) for name, value in item.items() if not is_missing(value)}
        if any(name in said for name in _answer_names(item, questions)):
            kept.append((number, {**said, "unit": unit}))
    return kept


def _answer_names(item: Mapping[str, object], questions: AskedQuestions) -> tuple[str, ...]:
    """The columns of a row that hold answers: answer, or one per question, or label."""
    if "answer" in item:
        return ("answer",)
    return tuple(question for question in questions.asked if question in item) or ("label",)


def _plain(value: object, questions: AskedQuestions) -> object:
    """The value; as an integer if missing values in its column turned the class 3 into 3.0."""
    if isinstance(value, float) and value.is_integer() and str(value) not in questions.classes:
        return int(value)
    return value


def _row_of(unit: object, answer: object, questions: AskedQuestions) -> dict[str, object]:
    """The row of {unit: answer} or {unit: {question: answer}}. Raise LabelError for a question that was not asked."""
    if not isinstance(answer, Mapping):
        return {"unit": unit, "answer": answer}
    unknown = sorted(str(question) for question in answer if question not in questions.asked)
    if unknown:
        raise LabelError(f"{asked_words(questions.asked)}, but unit {unit!r} has one to {unknown[0]!r}: correct its name")
    return {"unit": unit, **answer}


def _checked(item: object, row: int) -> Row:
    """The row itself. Raise LabelError unless it is a Label or a mapping."""
    if isinstance(item, Label):
        return item
    if not isinstance(item, Mapping):
        raise LabelError(f"{KINDS}, but row {row} is {_named(item)}: make it a dict with unit and answer")
    refuse_gold(item, f"row {row}")
    return item


def asked_words(questions: Sequence[str]) -> str:
    """The beginning of the error message for an answer to another question."""
    return f"answers are to questions the study asks ({', '.join(questions)})"
