"""Every format of files, by name: a batch out in it, answers in from it, and which one a file has where that is certain."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import LINES, TABLES, Asked, batch_text, find_answers, read_objects, read_rows, table_text
from fewlabels.labeling.found import Found
from fewlabels.labeling.ground_truth import SUFFIX, manifest_text, read_manifest
from fewlabels.labeling.label_studio.tasks import read_export, tasks_text
from fewlabels.labeling.presets import read_preset

FLAT = "flat"
ENDINGS: Mapping[str, tuple[str, ...]] = {
    FLAT: (*TABLES, *LINES, ".json"),
    "label-studio": (".json",),
    "ground-truth": (".manifest", *LINES),
    "mturk": (".csv",),
    "toloka": (".tsv",),
    "prodigy": LINES,
    "doccano": LINES,
    "argilla": (*LINES, ".json"),
}
FORMATS = tuple(ENDINGS)
ONE_QUESTION = ("ground-truth", "prodigy", "doccano")  # a file of these has one answer a row


class Batched(NamedTuple):
    """A batch to be written: its units, what is shown of each, and what is asked."""

    units: Sequence[str]
    shown: Sequence[Mapping[str, str | None]]
    columns: Sequence[str]
    asked: Asked


def write_batch(batch: Batched, name: str, suffix: str) -> str:
    """The batch as a file of that format."""
    if suffix not in ENDINGS[name]:
        raise LabelError(f"a batch for {name} is written as {' or '.join(ENDINGS[name])}, but the file ends in {suffix!r}: rename it")
    questions = tuple(batch.asked.columns)
    if name in ONE_QUESTION and len(questions) > 1:
        raise LabelError(f"a file for {name} holds one answer a unit, but the study asks {', '.join(questions)}: use another format")
    if name == FLAT:
        named = questions if len(questions) > 1 else ("answer",)
        return batch_text(batch.units, batch.shown, columns=batch.columns, suffix=suffix, questions=named)
    if "unit" in batch.columns:
        raise LabelError("a batch has a column unit of its own, so the table's cannot be shown: show it under another name")
    if name == "ground-truth":
        return manifest_text(batch.units, batch.shown, columns=batch.columns)
    if name == "label-studio":
        return tasks_text(batch.units, batch.shown, columns=batch.columns)
    return _preset_text(batch, name, suffix)


def _preset_text(batch: Batched, name: str, suffix: str) -> str:
    """The batch as the tool of a preset takes it."""
    rows = list(zip(batch.units, batch.shown, strict=True))
    if suffix in TABLES:
        prefix = "INPUT:" if name == "toloka" else ""
        heading = [f"{prefix}{column}" for column in ("unit", *batch.columns)]
        return table_text([heading, *([unit, *(row.get(c) or "" for c in batch.columns)] for unit, row in rows)], suffix)
    if name == "argilla":
        lines: list[dict[str, Any]] = [{"id": unit, **{c: row.get(c) for c in batch.columns}} for unit, row in rows]
    elif name == "doccano":
        lines = [{"text": _as_one(unit, row, batch.columns), "label": [], "unit": unit} for unit, row in rows]
    else:
        options = [{"id": answer, "text": answer} for answer in (*(batch.asked.classes or ("yes", "no")), "cannot_tell")]
        lines = [{"text": _as_one(unit, row, batch.columns), "options": options, "meta": {"unit": unit}} for unit, row in rows]
    if suffix == ".json":
        return json.dumps(lines, ensure_ascii=False, indent=1) + "\n"
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _as_one(unit: str, row: Mapping[str, str | None], columns: Sequence[str]) -> str:
    """What is shown of a unit as one text."""
    if len(columns) == 1:
        return row.get(columns[0]) or ""
    return "\n".join(f"{column}: {row.get(column) or ''}" for column in columns) or unit


class Reading(NamedTuple):
    """How a file is read: its format, what may be answered, where units and answers stand, and who answered if the file does not say."""

    name: str
    asked: Asked
    unit_columns: Sequence[str] = ("unit",)
    answer_column: str | None = None
    labeler: str | None = None


def read_found(path: Path, how: Reading) -> Found:
    """The answers of a file, and those that cannot be read."""
    if how.name == FLAT:
        return find_answers(path, unit_columns=how.unit_columns, asked=how.asked, labeler=how.labeler)
    if how.name in ONE_QUESTION and len(how.asked.columns) > 1:
        asked = ", ".join(how.asked.columns)
        raise LabelError(f"a file of {how.name} holds one answer a unit, but the study asks {asked}: use another format")
    if how.name == "ground-truth":
        return read_manifest(path, asked=how.asked, labeler=how.labeler, answer_column=how.answer_column)
    if how.name == "label-studio":
        return read_export(read_objects(path), asked=how.asked, labeler=how.labeler)
    return read_preset(path, how.name, asked=how.asked, labeler=how.labeler, answer_column=how.answer_column)


def guess_format(path: Path) -> str:
    """The format a file can only have; flat where nothing says otherwise. doccano's rows have no mark of their own, so it is named."""
    if path.suffix == ".manifest":
        return "ground-truth"
    first: Mapping[str, Any] = {}
    if path.suffix in TABLES:
        first = next(islice(read_rows(path), 1), {})
    elif path.suffix in (*LINES, ".json"):
        first = next(iter(read_objects(path)), {})
    return _marked(first)


def _marked(first: Mapping[str, Any]) -> str:
    """The format whose marks the first row bears."""
    if "unit" in first and "answer" in first:
        return FLAT
    if "HITId" in first and "Input.unit" in first:
        return "mturk"
    if "INPUT:unit" in first:
        return "toloka"
    if isinstance(first.get("data"), dict) and isinstance(first.get("annotations"), list):
        return "label-studio"
    if "_task_hash" in first and "_input_hash" in first:
        return "prodigy"
    if any(key.endswith(".responses.status") for key in first):
        return "argilla"
    machine = [value for key, value in first.items() if key.endswith(SUFFIX) and isinstance(value, dict)]
    return "ground-truth" if any("human-annotated" in value or "failure-reason" in value for value in machine) else FLAT
