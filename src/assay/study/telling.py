"""Recording answers: the same telling twice is the same as once, and nothing is attached to a unit that was not drawn.

Main path: population > profile > plan > draw > [labels] > estimate > decision > report
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from assay.errors import DrawError, LabelError
from assay.labeling.flat import restored
from assay.ledgers.base import Writing
from assay.nouns.canonical import Json
from assay.nouns.label import Label, read_answer
from assay.study.replay import Standing, replay


class Told(NamedTuple):
    """What became of the answers told: newly recorded, known already, corrected, and left out because never drawn."""

    recorded: int
    known: int
    corrected: int
    undrawn: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


def as_labels(answers: Mapping[str, object] | Iterable[Label | Mapping[str, object]]) -> list[Label]:
    """Labels from {unit: answer}, or from Labels or rows with unit, answer and optionally labeler and at."""
    if isinstance(answers, Mapping):
        return [Label(unit=str(unit), answer=read_answer(answer)) for unit, answer in answers.items()]
    labels = []
    for row, item in enumerate(answers, start=1):
        labels.append(item if isinstance(item, Label) else _of_row(item, row))
    return labels


def _of_row(item: Mapping[str, object], row: int) -> Label:
    """A label from a row of a file or a list of dicts."""
    if "unit" not in item or "answer" not in item:
        raise LabelError(f"a told row needs unit and answer, but row {row} has {sorted(item)}: name them so")
    at = item.get("at")
    return Label(
        unit=str(item["unit"]),
        answer=read_answer(item["answer"]),
        labeler=str(item.get("labeler") or "anonymous"),
        at=str(at) if at not in (None, "") else None,
        row=row,
    )


def record(act: Writing, labels: Iterable[Label], *, correct: bool, drawn_only: bool) -> Told:
    """Appends the answers in one act. Refuses all of them if one cannot be recorded."""
    standing = replay(act.entries())
    drawn = frozenset(standing.units.unit) if standing.units else frozenset()
    counts = {"recorded": 0, "known": 0, "corrected": 0, "undrawn": 0}
    current = {unit: dict(by_labeler) for unit, by_labeler in standing.answers.items()}
    said: dict[tuple[str, str], str] = {}
    for told in labels:
        label = _restored(told, drawn)
        if said.setdefault((label.unit, label.labeler), label.answer) != label.answer:
            raise LabelError(
                f"one telling gives each unit one answer a labeler, but {label.labeler} says two things of {label.unit!r}: keep one"
            )
        if label.unit not in drawn:
            if not drawn_only:
                raise DrawError(_undrawn(label, standing))
            counts["undrawn"] += 1
            continue
        counts[_record_one(act, label, current.setdefault(label.unit, {}), correct=correct)] += 1
    return Told(**counts)


def _restored(label: Label, drawn: frozenset[str]) -> Label:
    """The label with its unit's own id: batches carry a leading apostrophe where a spreadsheet would read a formula."""
    unit = restored(label.unit)
    return replace(label, unit=unit) if label.unit not in drawn and unit in drawn else label


def _record_one(act: Writing, label: Label, by_labeler: dict[str, Label], *, correct: bool) -> str:
    """What became of one answer."""
    before = by_labeler.get(label.labeler)
    if before is not None and before.answer == label.answer:
        return "known"
    if before is not None and not correct:
        raise LabelError(
            f"{label.labeler} answered {before.answer} on unit {label.unit!r} before and now {label.answer}: "
            "tell it again with correct=True (--correct) if the new answer is right"
        )
    kind = "answer" if before is None else "correction"
    # The serial keeps a second change of mind in the same direction apart from the first; the check above makes it repeatable.
    key = label.key if before is None else f"{label.key}:corrects:{before.key}:{len(act.entries()) + 1}"
    by_labeler[label.labeler] = label
    if not act.append("answer" if kind == "answer" else "correction", key=key, body=label.as_json()):
        return "known"
    return "recorded" if before is None else "corrected"


def _undrawn(label: Label, standing: Standing) -> str:
    """The refusal of an answer about a unit that was not drawn."""
    held = len(standing.units) if standing.units else 0
    return (
        f"answers are taken for drawn units only, but unit {label.unit!r} is not among the {held:,} drawn: check the id column, "
        "draw first, or pass drawn_only=True (--drawn-only) to leave such rows out"
    )
