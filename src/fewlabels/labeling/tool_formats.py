"""Flat files as other labeling tools read and write them: Mechanical Turk, Toloka, Prodigy, doccano and Argilla.

They share one reader: a preset says where a tool's row keeps the unit, the answers, the labeler and the time; the records at the end say
how each is written and recognized, so that a new tool is added in this file alone. A row that is not a person's
answer (rejected by the requester, several choices at once, unknown words) is refused with the reason; one without an answer is blank.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fewlabels.errors import LabelError
from fewlabels.labeling.base import Batched, FileReading, Format
from fewlabels.labeling.flat import LINES, TABLES, Answerable, add_answer, read_objects, read_rows, table_text
from fewlabels.labeling.found import Found, Refused
from fewlabels.nouns.label import Label

Row = Mapping[str, Any]
Shown = Mapping[str, str | None]
SKIPPED = "skipped"


class RowAnswer(NamedTuple):
    """What one row says about one unit: an answer (None if there is none yet), or why it does not count. `question` if the row names it."""

    answer: object = None
    labeler: str | None = None
    at: str | None = None
    why: str | None = None
    question: str | None = None

    @property
    def is_answer(self) -> bool:
        """Whether there is an answer, valid or not."""
        return self.answer is not None and str(self.answer).strip() != ""


class Preset(NamedTuple):
    """How a tool's rows are read: where the unit may be (a.b is b within a), and what a row says."""

    unit: tuple[str, ...]
    said: Callable[[Row, Answerable, str | None], Iterator[RowAnswer]]


def read_preset(preset: Preset, path: Path, how: FileReading) -> Found:
    """Return the answers of a file that the tool exported."""
    asked = how.asked
    rows = list(read_rows(path) if path.suffix in TABLES else read_objects(path))
    units = _units(rows, preset, path)
    found, blank = Found([], []), 0
    for row, (unit, item) in enumerate(zip(units, rows, strict=True), start=1):
        for said in preset.said(item, asked, how.answer_column):
            who, question = how.labeler or said.labeler or "anonymous", said.question or next(iter(asked.columns))
            if said.why is not None or (unit is None and said.is_answer):
                found.refused.append(Refused(unit, said.why or f"the row has no unit in {' or '.join(preset.unit)}", f"row {row}"))
            elif unit is None or not said.is_answer:
                blank += 1
            else:
                label = Label(unit=unit, answer=SKIPPED, labeler=who, question=question, at=said.at, row=row)
                add_answer(found, label, said.answer, asked.classes)
    return found._replace(blank=blank)


def _units(rows: Sequence[Row], preset: Preset, path: Path) -> list[str | None]:
    """Return the id of each row, None if it has none; raise LabelError if no row has one."""
    found = [next((str(value) for name in preset.unit if (value := _within(row, name)) not in (None, "")), None) for row in rows]
    if rows and not any(found):
        raise LabelError(
            f"{path}: the unit is expected in {' or '.join(preset.unit)}, but the first row has {', '.join(map(str, rows[0]))}: "
            "choose the --format the file has, or upload what `fewlabels draw --format` wrote"
        )
    return found


def _within(item: Row, name: str) -> Any:
    if name in item:
        return item[name]
    outer, dot, inner = name.partition(".")
    nested = item.get(outer)
    return nested.get(inner) if dot and isinstance(nested, Mapping) else None


def _columns(item: Row, asked: Answerable, chosen: str | None, prefix: str) -> Iterator[tuple[str, str]]:
    """Return the answer column of each question in the row: prefix and answer, or with several questions their names."""
    for question, names in asked.columns.items():
        wanted = (chosen,) if chosen else tuple(prefix + name for name in names)
        column = next((name for name in wanted if name in item), None)
        if column is None:
            raise LabelError(
                f"the answer is expected in {' or '.join(wanted)}, but the row has {', '.join(item)}: name it with --answer-column"
            )
        yield question, column


def _mturk(item: Row, asked: Answerable, chosen: str | None) -> Iterator[RowAnswer]:
    """AssignmentStatus is Submitted, Approved or Rejected."""
    rejected = str(item.get("AssignmentStatus", "")).lower() == "rejected"
    why = "the requester rejected the assignment" if rejected else None
    for question, column in _columns(item, asked, chosen, "Answer."):
        yield RowAnswer(item[column], item.get("WorkerId"), item.get("SubmitTime") or None, why, question)


def _toloka(item: Row, asked: Answerable, chosen: str | None) -> Iterator[RowAnswer]:
    """ASSIGNMENT:status is SUBMITTED, APPROVED (ACCEPTED), REJECTED, SKIPPED, EXPIRED or ACTIVE."""
    status = str(item.get("ASSIGNMENT:status", "")).upper()
    at = item.get("ASSIGNMENT:submitted") or item.get("ASSIGNMENT:started") or None
    why = "the requester rejected the assignment" if status == "REJECTED" else None
    for question, column in _columns(item, asked, chosen, "OUTPUT:"):
        answer = SKIPPED if status == "SKIPPED" else None if status in ("EXPIRED", "ACTIVE") else item[column]
        yield RowAnswer(answer, item.get("ASSIGNMENT:worker_id"), at, why, question)


def _prodigy(item: Row, asked: Answerable, _: str | None) -> Iterator[RowAnswer]:
    """A yes/no task is accepted or rejected; one with options names them in `accept`. Ignored is skipped."""
    verdict, options = item.get("answer"), item.get("accept")
    answer: object = {"accept": "yes", "reject": "no", "ignore": SKIPPED}.get(str(verdict))
    why = None
    if len(asked.columns) > 1:
        why = "Prodigy has one answer per row, but the study asks several questions"
    elif verdict is not None and answer is None:
        why = f"the answer is {verdict!r}, but Prodigy's are accept, reject and ignore"
    elif answer != SKIPPED and (options is not None or asked.classes):
        answer, why = _only(options)
        if verdict == "reject":
            why = "the labeler rejected a task with options, which chooses none of them"
    yield RowAnswer(answer, item.get("_annotator_id") or item.get("_session_id"), _stamp(item.get("_timestamp")), why)


def _doccano(item: Row, asked: Answerable, chosen: str | None) -> Iterator[RowAnswer]:
    """The labels given to a text: a list, empty until one is given."""
    told = next((item[name] for name in ([chosen] if chosen else ["label", "labels"]) if name in item), None)
    if len(asked.columns) > 1:
        yield RowAnswer(why="doccano has one list of labels per text, but the study asks several questions")
    elif not told:
        yield RowAnswer()
    else:
        answer, why = _only(told)
        yield RowAnswer(answer, item.get("username"), None, why)


def _argilla(item: Row, asked: Answerable, chosen: str | None) -> Iterator[RowAnswer]:
    """Lists of equal length: <question>.responses, .responses.users and .responses.status. Machine suggestions are not read."""
    for question, names in asked.columns.items():
        wanted = (chosen,) if chosen else (*names, question)
        told = next((name for name in wanted if f"{name}.responses" in item), None)
        if told is None:
            if not any(str(key).endswith(".responses") for key in item):
                yield RowAnswer(question=question)  # nobody has answered this record
                continue
            raise LabelError(
                f"the answers are expected in {' or '.join(f'{name}.responses' for name in wanted)}, but the record has "
                f"{', '.join(map(str, item))}: name the question with --answer-column"
            )
        yield from _responses(item, told, question)


def _responses(item: Row, told: str, question: str) -> Iterator[RowAnswer]:
    """Yield one answer per user; discarded is skipped, a draft is none yet."""
    values, users, status = (item.get(f"{told}.{part}") or [] for part in ("responses", "responses.users", "responses.status"))
    if not len(values) == len(users) == len(status):
        yield RowAnswer(why="responses, users and status differ in length, so an answer has no labeler", question=question)
        return
    for value, user, state in zip(values, users, status, strict=True):
        answer = {"submitted": value, "discarded": SKIPPED, "draft": None}.get(str(state))
        known = state in ("submitted", "discarded", "draft")
        yield RowAnswer(answer, str(user), None, None if known else f"the status of a response is {state!r}", question)


def _only(told: object) -> tuple[object, str | None]:
    """Return the one label of a list, or why there is not exactly one."""
    if not isinstance(told, list):
        return told, None
    if len(told) == 1:
        return told[0], None
    return None, f"one answer is needed, but {len(told)} were chosen" + (f": {', '.join(map(str, told))}" if told else "")


def _stamp(seconds: object) -> str | None:
    """Return seconds since 1970 as a time."""
    if not isinstance(seconds, int | float) or not 0 <= seconds < 2**40:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, ValueError):
        return None


def _write_table(prefix: str, batch: Batched, suffix: str) -> str:
    """Return the batch as a table whose columns have a prefix."""
    heading = [f"{prefix}{column}" for column in ("unit", *batch.columns)]
    rows = zip(batch.units, batch.shown, strict=True)
    return table_text([heading, *([unit, *(row.get(c) or "" for c in batch.columns)] for unit, row in rows)], suffix)


def _write_lines(task: Callable[[str, Shown, Batched], dict[str, Any]], batch: Batched, suffix: str) -> str:
    """Return the batch as one task per line, or as a list of tasks."""
    tasks = [task(unit, row, batch) for unit, row in zip(batch.units, batch.shown, strict=True)]
    if suffix == ".json":
        return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
    return "".join(json.dumps(task, ensure_ascii=False) + "\n" for task in tasks)


def _prodigy_task(unit: str, row: Shown, batch: Batched) -> dict[str, Any]:
    options = [{"id": answer, "text": answer} for answer in (*(batch.asked.classes or ("yes", "no")), "cannot_tell")]
    return {"text": _as_one(unit, row, batch.columns), "options": options, "meta": {"unit": unit}}


def _doccano_text(unit: str, row: Shown, batch: Batched) -> dict[str, Any]:
    return {"text": _as_one(unit, row, batch.columns), "label": [], "unit": unit}


def _argilla_record(unit: str, row: Shown, batch: Batched) -> dict[str, Any]:
    return {"id": unit, **{c: row.get(c) for c in batch.columns}}


def _as_one(unit: str, row: Shown, columns: Sequence[str]) -> str:
    """Return what is shown of a unit as one text."""
    if len(columns) == 1:
        return row.get(columns[0]) or ""
    return "\n".join(f"{column}: {row.get(column) or ''}" for column in columns) or unit


PRESETS = (
    Format(
        name="mturk",
        endings=(".csv",),
        write=partial(_write_table, ""),
        read=partial(read_preset, Preset(("Input.unit",), _mturk)),
        is_marked=lambda first: "HITId" in first and "Input.unit" in first,
    ),
    Format(
        name="toloka",
        endings=(".tsv",),
        write=partial(_write_table, "INPUT:"),
        read=partial(read_preset, Preset(("INPUT:unit",), _toloka)),
        is_marked=lambda first: "INPUT:unit" in first,
    ),
    Format(
        name="prodigy",
        endings=LINES,
        write=partial(_write_lines, _prodigy_task),
        read=partial(read_preset, Preset(("meta.unit", "unit"), _prodigy)),
        is_marked=lambda first: "_task_hash" in first and "_input_hash" in first,
        has_one_answer=True,
    ),
    Format(
        name="doccano",
        endings=LINES,
        write=partial(_write_lines, _doccano_text),
        read=partial(read_preset, Preset(("unit", "meta.unit"), _doccano)),
        has_one_answer=True,
    ),
    Format(
        name="argilla",
        endings=(*LINES, ".json"),
        write=partial(_write_lines, _argilla_record),
        read=partial(read_preset, Preset(("metadata.unit", "id"), _argilla)),
        is_marked=lambda first: any(key.endswith(".responses.status") for key in first),
    ),
)
