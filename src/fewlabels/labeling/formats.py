"""Every format of label files by name; writing batches and reading answers in the format that is named or recognized.

fewlabels' own are listed here; a new one that has rows is a record in `presets`.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from fewlabels.errors import LabelError
from fewlabels.labeling.base import Batched as Batched
from fewlabels.labeling.base import FileReading as FileReading
from fewlabels.labeling.base import Format
from fewlabels.labeling.flat import LINES, TABLES, batch_text, find_answers, read_objects, read_rows
from fewlabels.labeling.found import Found
from fewlabels.labeling.ground_truth import GROUND_TRUTH
from fewlabels.labeling.label_studio.tasks import LABEL_STUDIO
from fewlabels.labeling.tool_formats import PRESETS
from fewlabels.registry import Registry

FLAT = "flat"


def _write_flat(batch: Batched, suffix: str) -> str:
    """Return the batch as a table or as lines, with an empty answer to fill in."""
    questions = tuple(batch.asked.columns)
    named = questions if len(questions) > 1 else ("answer",)
    return batch_text(batch.units, batch.shown, columns=batch.columns, suffix=suffix, questions=named)


def _read_flat(path: Path, how: FileReading) -> Found:
    return find_answers(path, unit_columns=how.unit_columns, asked=how.asked, labeler=how.labeler)


FORMATS = Registry(
    "format",
    Format,
    (
        Format(
            name=FLAT,
            endings=(*TABLES, *LINES, ".json"),
            write=_write_flat,
            read=_read_flat,
            is_marked=lambda first: "unit" in first and "answer" in first,
        ),
        LABEL_STUDIO,
        GROUND_TRUTH,
        *PRESETS,
    ),
    error=LabelError,
)


def write_batch(batch: Batched, name: str, suffix: str) -> str:
    """Return the batch as the text of a file of that format."""
    chosen = FORMATS.named(name)
    if suffix not in chosen.endings:
        raise LabelError(f"a batch for {name} must be written as {' or '.join(chosen.endings)}, but the file ends in {suffix!r}: rename it")
    questions = tuple(batch.asked.columns)
    if chosen.has_one_answer and len(questions) > 1:
        raise LabelError(f"a file for {name} holds one answer per unit, but the study asks {', '.join(questions)}: use another format")
    if name != FLAT and "unit" in batch.columns:  # flat files reserve further columns, and check them all
        raise LabelError("a batch has a column unit of its own, so the table's cannot be shown: show it under another name")
    return chosen.write(batch, suffix)


def read_found(path: Path, how: FileReading) -> Found:
    """Return the answers of a file, and those that cannot be read."""
    chosen = FORMATS.named(how.name)
    if chosen.has_one_answer and len(how.asked.columns) > 1:
        asked = ", ".join(how.asked.columns)
        raise LabelError(f"a file of {how.name} holds one answer per unit, but the study asks {asked}: use another format")
    return chosen.read(path, how)


def guess_format(path: Path) -> str:
    """Return the format of a file, recognized by a unique suffix or by its first row; flat if neither identifies one.

    doccano's rows have no identifying mark, so it has to be named. Formats of other packages are tried only if none of our own matches.
    """
    return _recognized(path, list(FORMATS)) or _recognized(path, FORMATS.every()) or FLAT


def _recognized(path: Path, formats: Sequence[Format]) -> str | None:
    """Return the one of these formats that alone has the suffix, or that the first row identifies."""
    ending = [one.name for one in formats if path.suffix in one.endings]
    if len(ending) == 1:
        return ending[0]
    first = _first_row(path)
    return next((one.name for one in formats if _is_marked(one, first)), None)


def _is_marked(one: Format, first: Mapping[str, Any]) -> bool:
    """Return whether the row is of the format. An error in another package must not prevent reading a file of another format."""
    try:
        return one.is_marked(first)
    except Exception:
        if one.package is None:
            raise
        return False


def _first_row(path: Path) -> Mapping[str, Any]:
    """Return the first row of a file; empty if it has none, or is of a kind without rows."""
    if path.suffix in TABLES:
        return next(islice(read_rows(path), 1), {})
    return next(iter(read_objects(path)), {}) if path.suffix in (*LINES, ".json") else {}
