"""Answers from another tool, all checked against the draw before any is recorded: those that match no drawn unit are refused."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from fewlabels.labeling.flat import ANSWER_COLUMNS, Answerable, restored
from fewlabels.labeling.found import Found, Refused, refuse_all
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import RESERVED, Label
from fewlabels.study.labels.record import Told
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study

Seats = dict[tuple[str, str, str], list[Label]]


class ImportOptions(NamedTuple):
    """How answers are recorded; see `Study.tell`. leave_out: skip refused answers; otherwise a single one rejects the whole file."""

    correct: bool = False
    ignore_undrawn: bool = False
    gold: bool = False
    leave_out: bool = False


DEFAULT_WAYS = ImportOptions()


class Received(NamedTuple):
    """The outcome of an import from another tool: answers recorded, and each answer refused."""

    told: Told
    refused: Sequence[Refused]
    blank: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self.told.as_json(), "blank": self.blank, "refused": [one.as_json() for one in self.refused]}


def asked_of(standing: Standing, answer_column: str | None = None) -> Answerable:
    """The columns a file of answers may have: one per question if there are several, otherwise the answer column."""
    questions = standing.questions
    if len(questions) > 1:
        return Answerable({question: (question,) for question in questions}, standing.classes)
    return Answerable({questions[0]: (answer_column,) if answer_column else ANSWER_COLUMNS}, standing.classes)


def receive(study: Study, found: Found, ways: ImportOptions = DEFAULT_WAYS) -> Received:
    """Record the answers that pass the check. If any fails, record none, unless ways.leave_out is set."""
    sound = checked(study.standing, found, ways)
    if sound.refused and not ways.leave_out:
        raise refuse_all(sound.refused)
    if not sound.labels:
        return Received(Told(0, 0, 0, 0), sound.refused, sound.blank)
    tell = study.tell_gold if ways.gold else study.tell
    told = tell(sound.labels, correct=ways.correct, ignore_undrawn=ways.ignore_undrawn)
    return Received(told, sound.refused, sound.blank)


def checked(standing: Standing, found: Found, ways: ImportOptions = DEFAULT_WAYS) -> Found:
    """The answers that can be recorded, one per labeler, unit and question; the others are added to those refused."""
    allowed = frozenset(standing.gold_units) if ways.gold else frozenset(standing.units.unit) if standing.units else frozenset()
    sound = Found([], list(found.refused), found.blank, found.place)
    seats: Seats = {}
    for told in found.labels:
        unit = restored(told.unit)
        label = replace(told, unit=unit) if told.unit not in allowed and unit in allowed else told
        why = _why_not(label, standing, allowed, ignore_undrawn=ways.ignore_undrawn)
        if why is None:
            seats.setdefault((label.unit, label.question, "" if ways.gold else label.labeler), []).append(label)
        else:
            sound.refused.append(Refused(label.unit, why, found.where(label)))
    for labels in seats.values():
        _settle(sound, labels, standing, ways)
    return sound


def _why_not(label: Label, standing: Standing, allowed: frozenset[str], *, ignore_undrawn: bool) -> str | None:
    """Why a label cannot be recorded; None if it can."""
    if label.question not in standing.questions:
        return f"the study does not ask {label.question!r}"
    if label.unit not in allowed and not ignore_undrawn:
        return "this unit was not drawn"
    return f"the name {label.labeler!r} is reserved for answers that no labeler gave" if label.labeler in RESERVED else None


def _settle(sound: Found, labels: Sequence[Label], standing: Standing, ways: ImportOptions) -> None:
    """Add a labeler's answer to the sound ones; refuse answers that contradict each other or change an earlier one."""
    first = labels[0]
    said = list(dict.fromkeys(label.answer for label in labels))
    if len(said) > 1:
        why = f"{first.labeler} gave {len(said)} answers: {', '.join(said)}"
        sound.refused.extend(Refused(label.unit, why, sound.where(label)) for label in labels)
        return
    before = None if ways.gold else standing.answers.get(first.unit, {}).get((first.question, first.labeler))
    if before is not None and before.answer != first.answer and not ways.correct:
        why = f"{first.labeler} answered {before.answer} before and now {first.answer}: pass --correct if the new answer is right"
        sound.refused.append(Refused(first.unit, why, sound.where(first)))
        return
    sound.labels.append(first)
