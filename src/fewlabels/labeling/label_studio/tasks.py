"""Units as Label Studio tasks, and its exports as answers.

A task's `data` holds the unit's id under `unit` and the shown columns, and nothing else: no score, band or probability. Label Studio keeps
whatever it is sent, so every annotation of an export is checked here: empty ones, several choices, unknown answers and those
made from a prediction are refused. A skip (`was_cancelled`) is the answer "skipped".
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fewlabels.errors import LabelError
from fewlabels.labeling.base import Batched, FileReading, Format
from fewlabels.labeling.flat import Answerable, add_answer, read_objects
from fewlabels.labeling.found import Found, Refused
from fewlabels.labeling.label_studio.interface import class_names, question_names
from fewlabels.nouns.label import Label

UNIT = "unit"
SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MACHINE = ("prediction", "prediction-changed")  # where a result says it came from
Task = dict[str, Any]


def data_keys(columns: Sequence[str]) -> dict[str, str]:
    """Return the key of each shown column in a task's data: its name, or shown_1, shown_2, ... if one is not a valid variable name."""
    if UNIT in columns:
        raise LabelError("a task has a key unit of its own, so the table's column cannot be shown: show it under another name")
    plain = all(SAFE.fullmatch(column) for column in columns)
    return {column: column if plain else f"shown_{i}" for i, column in enumerate(columns, start=1)}


def as_tasks(units: Sequence[str], shown: Sequence[Mapping[str, str | None]], *, columns: Sequence[str]) -> list[Task]:
    """Return one task per unit."""
    keys = data_keys(columns)
    return [
        {"data": {UNIT: unit, **{key: row.get(column) or "" for column, key in keys.items()}}}
        for unit, row in zip(units, shown, strict=True)
    ]


def tasks_text(units: Sequence[str], shown: Sequence[Mapping[str, str | None]], *, columns: Sequence[str]) -> str:
    """Return a batch as a file to import."""
    return json.dumps(as_tasks(units, shown, columns=columns), ensure_ascii=False, indent=1) + "\n"


def unit_of(task: Mapping[str, Any]) -> str | None:
    """Return the unit of a task; None if fewlabels did not write it."""
    data = task.get("data")
    unit = data.get(UNIT) if isinstance(data, Mapping) else None
    return None if unit is None else str(unit)


def read_export(
    tasks: Sequence[Mapping[str, Any]], *, asked: Answerable, labeler: str | None = None, names: Mapping[str, str] | None = None
) -> Found:
    """Return the answers of a JSON export.

    labeler   who answered, for a project of one labeler
    names     names of accounts, by their number
    """
    found = Found([], [], place="annotation")
    blank = 0
    for task in tasks:
        annotations = [one for one in task.get("annotations") or () if isinstance(one, Mapping)]
        blank += not annotations
        for annotation in annotations:
            _add(found, annotation, unit_of(task), asked=asked, labeler=labeler or labeler_of(annotation, names or {}))
    return found._replace(blank=blank)


def account_of(annotation: Mapping[str, Any]) -> str | None:
    """Return the account that made an annotation: its number, or its email address if the export has it."""
    by = annotation.get("completed_by")
    if isinstance(by, Mapping):
        by = by.get("email") or by.get("id")
    return None if by is None else str(by)


def labeler_of(annotation: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return who made an annotation, by name if it is known."""
    account = account_of(annotation)
    if account is None:
        return "anonymous"
    return names.get(account) or (f"label-studio:{account}" if account.isdecimal() else account)


def _add(found: Found, annotation: Mapping[str, Any], unit: str | None, *, asked: Answerable, labeler: str) -> None:
    """Add what one annotation says to the answers found, question by question, or to those refused."""
    number, at = annotation.get("id"), annotation.get("updated_at") or annotation.get("created_at")
    where = f"{found.place} {number}"
    why = _why_not(annotation, unit)
    if unit is None or why is not None:
        found.refused.append(Refused(unit, str(why), where))
        return
    row = number if isinstance(number, int) else None
    for question, (answer, reason) in _answers(annotation, asked).items():
        label = Label(unit=unit, answer="skipped", labeler=labeler, question=question, at=str(at) if at else None, row=row)
        if reason is not None:
            found.refused.append(Refused(unit, reason, where))
        else:
            add_answer(found, label, answer, asked.classes)


def _why_not(annotation: Mapping[str, Any], unit: str | None) -> str | None:
    """Return why an annotation is not a person's answer about a unit; None if it is one."""
    if unit is None:
        return f"the task has no {UNIT!r} in its data, so fewlabels did not write it"
    results = [one for one in annotation.get("result") or () if isinstance(one, Mapping)]
    if (
        annotation.get("parent_prediction") is not None
        or annotation.get("prediction")
        or any(one.get("origin") in MACHINE for one in results)
    ):
        return "made from a machine's prediction, so the labeler was not blind"
    return None


def _answers(annotation: Mapping[str, Any], asked: Answerable) -> dict[str, tuple[object, str | None]]:
    """Yield for each question what was chosen, or why that is not an answer."""
    if annotation.get("was_cancelled"):
        return {question: ("skipped", None) for question in asked.columns}
    chosen = dict(_chosen(annotation, question_names(tuple(asked.columns))))
    shown = class_names(asked.classes)
    answers: dict[str, tuple[object, str | None]] = {}
    for question in asked.columns:
        choices = chosen.get(question, [])
        if len(choices) == 1:
            answers[question] = shown.get(str(choices[0]), choices[0]), None
        else:
            why = f"one answer is needed, but {len(choices)} were chosen" if choices else "submitted without an answer"
            answers[question] = None, why + (f" to {question!r}" if len(asked.columns) > 1 else "")
    return answers


def _chosen(annotation: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[tuple[str, list[object]]]:
    """Return choices by question. With one question any group of choices answers it, whatever a custom project calls it."""
    several: dict[str, list[object]] = {}
    by_name = {name: question for question, name in names.items()}
    for result in annotation.get("result") or ():
        value = result.get("value") if isinstance(result, Mapping) else None
        choices = value.get("choices") if isinstance(value, Mapping) else None
        name = str(result.get("from_name")) if isinstance(result, Mapping) else ""
        question = next(iter(names)) if len(names) == 1 else by_name.get(name, name)
        several.setdefault(question, []).extend(choices if isinstance(choices, list) else ["" if choices is None else choices])
    yield from several.items()


def _write(batch: Batched, _suffix: str) -> str:
    return tasks_text(batch.units, batch.shown, columns=batch.columns)


def _read(path: Path, how: FileReading) -> Found:
    return read_export(read_objects(path), asked=how.asked, labeler=how.labeler)


def _is_marked(first: Mapping[str, Any]) -> bool:
    """Return whether a row is a task with its annotations."""
    return isinstance(first.get("data"), dict) and isinstance(first.get("annotations"), list)


LABEL_STUDIO = Format(name="label-studio", endings=(".json",), write=_write, read=_read, is_marked=_is_marked)
