"""Flat files: batches written and answers read as CSV, TSV, JSONL or JSON."""

import csv
import io
import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from fewlabels.errors import LabelError
from fewlabels.labeling.found import Found, Refused
from fewlabels.nouns.classifier import DEFAULT_QUESTION
from fewlabels.nouns.label import RESERVED, Label, read_answer

FORMULA = re.compile("[=+\\-@\t\r]")  # first characters of a text that a spreadsheet would run as a formula
ANSWER_COLUMNS = ("answer", "label")
TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
OWN_COLUMNS = frozenset(
    {"unit", "answer", "labeler", "at", "question", "gold"}
)  # columns that a file of answers has itself; a shown column of that name would replace them


class Answerable(NamedTuple):
    """What a file may answer: the questions, each with the columns that may hold its answer (the first found counts), and the classes."""

    columns: Mapping[str, Sequence[str]] = MappingProxyType({DEFAULT_QUESTION: ANSWER_COLUMNS})
    classes: Sequence[str] = ()


DEFAULT_ASKED = Answerable()


def defused(text: str) -> str:
    """Return text that a spreadsheet will not run: prefixed by an apostrophe if it looks like a formula or already starts with one."""
    return f"'{text}" if FORMULA.match(text.lstrip("'")) else text


def restored(text: str) -> str:
    """Return the text that was passed to `defused`."""
    return text[1:] if text.startswith("'") and FORMULA.match(text.lstrip("'")) else text


def batch_text(
    units: Sequence[str],
    shown: Sequence[Mapping[str, str | None]],
    *,
    columns: Sequence[str],
    suffix: str,
    questions: Sequence[str] = ("answer",),
) -> str:
    """Return a batch as text: unit, the shown columns, and one empty answer per question to fill in. Nothing else leaves fewlabels."""
    taken = sorted((OWN_COLUMNS | set(questions)) & set(columns))
    if taken:
        raise LabelError(f"a batch has columns {', '.join(taken)} of its own, so the table's cannot be shown: show it under another name")
    rows = [{"unit": unit, **{c: row.get(c) for c in columns}, **dict.fromkeys(questions)} for unit, row in zip(units, shown, strict=True)]
    if suffix in (".jsonl", ".ndjson"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if suffix == ".json":
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    if suffix not in (".csv", ".tsv"):
        raise LabelError(f"a batch must be written as .csv, .tsv, .jsonl or .json, but the file ends in {suffix!r}: choose one of these")
    return table_text([["unit", *columns, *questions], *([value or "" for value in row.values()] for row in rows)], suffix)


def table_text(lines: Sequence[Sequence[str]], suffix: str) -> str:
    """Return lines of cells, the header first, as a table in which a spreadsheet runs no formulas."""
    heading, *others = lines
    cells = [list(heading), *([defused(cell) for cell in line] for line in others)]
    has_returns = any("\r" in cell for line in cells for cell in line)  # Python quotes these only if they also end lines
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter="\t" if suffix == ".tsv" else ",",
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if has_returns else csv.QUOTE_MINIMAL,
    )
    writer.writerows(cells)
    return out.getvalue()


def refuse_untold(path: Path, is_told: Callable[[str, str], bool], asked: Answerable | None = None) -> None:
    """Raise LabelError if a file is not a batch, or holds answers not recorded yet, so that overwriting it would lose work.

    is_told   whether an answer to a unit's question is recorded
    """
    if not path.exists():
        return
    try:
        labels = read_answers(path, unit_columns=("unit",), asked=asked or DEFAULT_ASKED).labels
    except LabelError as error:
        raise LabelError(f"{path} exists and is no batch that could be overwritten ({error}): name another file") from None
    untold = [label for label in labels if not is_told(label.unit, label.question)]
    if untold:
        raise LabelError(
            f"{path} holds {len(untold):,} answers that are not recorded yet: record them first with `fewlabels tell`, or name another file"
        )


class FileAnswers(NamedTuple):
    """The answers of a file, and how many of its rows have none yet."""

    labels: list[Label]
    blank: int


def read_answers(path: Path, *, unit_columns: Sequence[str], asked: Answerable = DEFAULT_ASKED, labeler: str | None = None) -> FileAnswers:
    """Return the labels of a file with a unit column, one answer column per question, and optionally labeler and at."""
    found = find_answers(path, unit_columns=unit_columns, asked=asked, labeler=labeler)
    if found.refused:
        raise LabelError(f"{path}, {found.refused[0].where}: {found.refused[0].why}")
    return FileAnswers(found.labels, found.blank)


def find_answers(path: Path, *, unit_columns: Sequence[str], asked: Answerable = DEFAULT_ASKED, labeler: str | None = None) -> Found:
    """Return the same, with answers that cannot be read listed separately. What could be read in two ways is refused, never guessed."""
    rows = [(_first(item, unit_columns, path, row), item) for row, item in enumerate(read_rows(path), start=1)]
    # A table in which an id starts like a formula was not written by fewlabels: its ids are kept as they are.
    is_defused = path.suffix in TABLES and not any(FORMULA.match(unit) for unit, _ in rows)
    found, blank = Found([], []), 0
    for row, (unit, item) in enumerate(rows, start=1):
        said = {question: _first(item, columns, path, row) for question, columns in asked.columns.items()}
        answers = {question: answer for question, answer in said.items() if answer.strip()}
        blank += len(answers) < len(said)
        who = labeler or item.get("labeler") or "anonymous"
        base = Label(unit=restored(unit) if is_defused else unit, answer="skipped", labeler=who, at=item.get("at") or None, row=row)
        if answers and (why := _ambiguity(item, asked, who, path)):
            found.refused.append(Refused(base.unit, why, found.where(base)))
            continue
        for question, answer in answers.items():
            add_answer(found, replace(base, question=question), answer, asked.classes)
    return found._replace(blank=blank)


def _ambiguity(item: Mapping[str, str], asked: Answerable, labeler: str, path: Path) -> str | None:
    """Why the answer of a row cannot be taken for what it seems to be; None if it can."""
    refuse_gold(item, str(path))
    question = item.get("question", "").strip()
    if question and question not in asked.columns:
        return f"it answers {question!r}, but the study asks {', '.join(asked.columns)}: leave it out, or correct its question"
    if labeler in RESERVED:
        return f"the name {labeler!r} is reserved for answers that no labeler gave: give another"
    for columns in asked.columns.values():
        given = {name: item[name].strip() for name in columns if item.get(name, "").strip()}
        if len(set(given.values())) > 1:
            both = " and ".join(f"{name} {value!r}" for name, value in given.items())
            return f"it has two answers, {both}: keep one, or name the column with --answer-column"
    return None


def refuse_gold(columns: Container[str], where: str) -> None:
    """Raise LabelError for a column that claims some answers are adjudicated: gold answers are recorded by a call of their own."""
    if "gold" in columns:
        raise LabelError(
            f"gold answers are recorded by themselves, but {where} has a column gold: rename it if it is something else; else record those "
            "rows with `fewlabels tell --gold` (tell_gold)"
        )


def add_answer(found: Found, label: Label, answer: object, classes: Sequence[str]) -> None:
    """Add the label with its answer to those found, or to those refused if it is not a valid answer."""
    try:
        found.labels.append(replace(label, answer=read_answer(answer, classes)))
    except LabelError as error:
        found.refused.append(Refused(label.unit, str(error), found.where(label)))


def _first(item: Mapping[str, str], names: Sequence[str], path: Path, row: int) -> str:
    for name in names:
        if name in item:
            return item[name]
    raise LabelError(
        f"{path}, row {row}: a column named {' or '.join(names)} is needed, but the row has {', '.join(item)}: rename it or name it"
    )


def read_text(path: Path) -> str:
    """Return the text of a file of answers."""
    try:
        return path.read_bytes().decode("utf-8-sig")  # Path.read_text would turn a carriage return inside an id into a line feed
    except OSError as error:
        raise LabelError(f"the answers cannot be read from {path} ({error.strerror}): check the path") from None
    except UnicodeDecodeError as error:
        raise LabelError(f"{path} must be UTF-8, but byte {error.start} is not: save it as UTF-8") from None


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a file as text, whatever its kind."""
    if path.suffix in TABLES:
        text = read_text(path)
        yield from _table_rows(text, _delimiter(text, path), path)
    elif path.suffix in (*LINES, ".json"):
        yield from ({key: "" if value is None else str(value) for key, value in item.items()} for item in read_objects(path))
    else:
        raise LabelError(f"answers can be read from .csv, .tsv, .jsonl or .json, but {path.name} is none of these: rename or convert it")


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Yield the objects of a JSON file, which holds one or a list of them, or of a file with one per line."""
    text = read_text(path)
    if path.suffix == ".json":
        items = _parsed(text, path)
        return [_object(item, path) for item in (items if isinstance(items, list) else [items])]
    return [_object(_parsed(line, path), path) for line in text.split("\n") if line.strip()]


def _delimiter(text: str, path: Path) -> str:
    """Return the column separator: a tab in .tsv; in .csv the most frequent of comma, semicolon and tab in the header."""
    if path.suffix == ".tsv":
        return "\t"
    heading = text.partition("\n")[0]
    return max(",;\t", key=heading.count)


def _table_rows(text: str, delimiter: str, path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # shown text may exceed Python's limit of 131,072 characters
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        _refuse_twice([name.strip() for name in reader.fieldnames or ()], str(path))
        for item in reader:
            yield {key: value or "" for key, value in item.items() if key is not None and not isinstance(value, list)}
    except csv.Error as error:
        raise LabelError(f"{path} is not a readable table ({error}): check its quotes and line ends") from None


def _refuse_twice(names: Sequence[str], where: str) -> None:
    """Raise LabelError if two columns or fields have one name."""
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise LabelError(f"columns must have distinct names, but {where} has {twice[0]!r} more than once: rename or remove one")


def _parsed(text: str, path: Path) -> object:
    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _refuse_twice([name for name, _ in pairs], str(path))
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=fields)
    except (ValueError, RecursionError) as error:
        raise LabelError(f"{path} is not valid JSON ({error}): correct it") from None


def _object(item: object, path: Path) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise LabelError(f"{path} must hold one object per row, but one is {type(item).__name__}: write {{'unit': ..., 'answer': ...}}")
    return item
