"""SageMaker Ground Truth manifests: one JSON object per line; keys that are not the tool's own pass through unchanged.

Written: `source` (or `source-ref`, if the one shown column names a file in S3) and `unit`. Read: the same line with the label attribute and
`<attribute>-metadata`. Labels given by a machine ("human-annotated": "no") are refused, and so are failures.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fewlabels.errors import LabelError
from fewlabels.labeling.base import Batched, FileReading, Format
from fewlabels.labeling.flat import LINES, Answerable, add_answer, read_objects
from fewlabels.labeling.found import Found, Refused
from fewlabels.nouns.label import Label

SUFFIX = "-metadata"
UNIT = "unit"


def manifest_text(units: Sequence[str], shown: Sequence[Mapping[str, str | None]], *, columns: Sequence[str]) -> str:
    """Return a batch as an input manifest."""
    return "".join(json.dumps(_line(unit, row, columns), ensure_ascii=False) + "\n" for unit, row in zip(units, shown, strict=True))


def _line(unit: str, row: Mapping[str, str | None], columns: Sequence[str]) -> dict[str, str]:
    values = [row.get(column) or "" for column in columns]
    if len(values) == 1:
        return {"source-ref" if values[0].startswith("s3://") else "source": values[0], UNIT: unit}
    told = "\n".join(f"{column}: {value}" for column, value in zip(columns, values, strict=True))
    return {"source": told or unit, UNIT: unit}


def read_manifest(path: Path, *, asked: Answerable, labeler: str | None = None, answer_column: str | None = None) -> Found:
    """Return the answers of an output manifest. A label is consolidated over workers, so its labeler is the job unless one is named."""
    found, blank = Found([], []), 0
    for row, line in enumerate(read_objects(path), start=1):
        attribute = answer_column or _attribute(line, path, row)
        said = line.get(f"{attribute}{SUFFIX}")
        if not isinstance(said, dict):
            blank += 1
            continue
        unit = str(line[UNIT]) if line.get(UNIT) is not None else None
        why = _why_not(said, attribute or "") if unit is not None else f"the line has no key {UNIT!r}, which `fewlabels draw` wrote"
        if unit is None or why is not None:
            found.refused.append(Refused(unit, str(why), f"row {row}"))
            continue
        who, at = labeler or f"ground-truth:{said.get('job-name') or attribute}", said.get("creation-date")
        base = Label(unit=unit, answer="skipped", labeler=who, question=next(iter(asked.columns)), at=str(at) if at else None, row=row)
        add_answer(found, base, said["class-name"], asked.classes)
    return found._replace(blank=blank)


def _attribute(line: Mapping[str, Any], path: Path, row: int) -> str | None:
    """Return the label attribute of a line; None if it has no label yet."""
    named = [key.removesuffix(SUFFIX) for key in line if key.endswith(SUFFIX)]
    if len(named) > 1:
        raise LabelError(
            f"{path}, row {row}: a manifest is read for one label attribute, but it has {', '.join(named)}: name one with --answer-column"
        )
    return named[0] if named else None


def _why_not(said: Mapping[str, Any], attribute: str) -> str | None:
    """Return why the metadata of a label is not a person's answer; None if it is one."""
    failure = said.get("failure-reason")
    if failure is not None:
        return f"labeling failed: {failure}"
    if str(said.get("human-annotated", "")).lower() != "yes":
        return f"human-annotated is {said.get('human-annotated')!r}: a machine's label is not the truth"
    if "class-name" not in said:
        return f"{attribute}{SUFFIX} has no class-name: only classification with one label is read"
    return None


def _write(batch: Batched, _suffix: str) -> str:
    return manifest_text(batch.units, batch.shown, columns=batch.columns)


def _read(path: Path, how: FileReading) -> Found:
    return read_manifest(path, asked=how.asked, labeler=how.labeler, answer_column=how.answer_column)


def _is_marked(first: Mapping[str, Any]) -> bool:
    """Return whether a row has the metadata of a label, or of a failed labeling."""
    machine = [value for key, value in first.items() if key.endswith(SUFFIX) and isinstance(value, dict)]
    return any("human-annotated" in value or "failure-reason" in value for value in machine)


GROUND_TRUTH = Format(
    name="ground-truth", endings=(".manifest", *LINES), write=_write, read=_read, is_marked=_is_marked, has_one_answer=True
)
