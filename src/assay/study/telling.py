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
from assay.nouns.label import CLOSER, Label, read_answer
from assay.study.replay import replay
from assay.study.standing import Seat, Standing

GOLD = "gold"  # one adjudicated answer a unit and question, whoever gave it
_ASKED = "answers are to questions the study asks ({})"


class Told(NamedTuple):
    """What became of the answers told: newly recorded, known already, corrected, and left out because never drawn."""

    recorded: int
    known: int
    corrected: int
    undrawn: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


class Questions(NamedTuple):
    """What a study asks: its questions, and the classes an answer may name."""

    asked: tuple[str, ...]
    classes: tuple[str, ...]


def as_labels(
    answers: Mapping[str, object] | Iterable[Label | Mapping[str, object]], questions: Questions, *, gold: bool = False
) -> list[Label]:
    """Labels from {unit: answer}, or from Labels or rows with unit, answer and optionally labeler, at and question.

    With several questions an answer is {question: answer}, or a row has one column a question.
    """
    if isinstance(answers, Mapping):
        rows: Iterable[Label | Mapping[str, object]] = [_row_of(unit, answer, questions) for unit, answer in answers.items()]
    else:
        rows = answers
    labels: list[Label] = []
    for row, item in enumerate(rows, start=1):
        if isinstance(item, Label):
            labels.append(replace(item, answer=read_answer(item.answer, questions.classes), gold=gold or item.gold))
        else:
            labels += _of_row(item, row, questions, gold=gold)
    return labels


def _row_of(unit: object, answer: object, questions: Questions) -> dict[str, object]:
    """The row of {unit: answer} or {unit: {question: answer}}; refuses an answer to what was not asked."""
    if not isinstance(answer, Mapping):
        return {"unit": unit, "answer": answer}
    unknown = sorted(str(question) for question in answer if question not in questions.asked)
    if unknown:
        raise LabelError(f"{_ASKED.format(', '.join(questions.asked))}, but unit {unit!r} has one to {unknown[0]!r}: correct its name")
    return {"unit": unit, **answer}


def _of_row(item: Mapping[str, object], row: int, questions: Questions, *, gold: bool) -> list[Label]:
    """The labels of a row of a file or a list of dicts: one, or one for each question that is a column."""
    if "answer" in item:
        said = {str(item.get("question") or questions.asked[0]): item["answer"]}
        if len(questions.asked) > 1 and not item.get("question"):
            raise LabelError(
                f"a study with several questions needs a question in each row, or a column for each, but row {row} has neither"
            )
    else:
        said = {question: item[question] for question in questions.asked if item.get(question) not in (None, "")}
    if "unit" not in item or not said:
        raise LabelError(f"a told row needs unit and answer, but row {row} has {sorted(item)}: name them so")
    unknown = sorted(set(said) - set(questions.asked))
    if unknown:
        raise LabelError(f"{_ASKED.format(', '.join(questions.asked))}, but row {row} answers {unknown[0]!r}: correct its name")
    at = item.get("at")
    return [
        Label(
            unit=str(item["unit"]),
            answer=read_answer(answer, questions.classes),
            labeler=str(item.get("labeler") or "anonymous"),
            question=question,
            at=str(at) if at not in (None, "") else None,
            row=row,
            gold=gold,
        )
        for question, answer in said.items()
    ]


def record(act: Writing, labels: Iterable[Label], *, correct: bool, drawn_only: bool) -> Told:
    """Appends the answers in one act. Refuses all of them if one cannot be recorded."""
    standing = replay(act.entries())
    drawn = frozenset(standing.units.unit) if standing.units else frozenset()
    for_gold = frozenset(standing.gold_units)
    counts = {"recorded": 0, "known": 0, "corrected": 0, "undrawn": 0}
    current = {unit: dict(seats) for unit, seats in standing.answers.items()}
    gold: dict[str, dict[Seat, Label]] = {}
    for (unit, question), known in standing.gold.items():
        gold.setdefault(unit, {})[question, GOLD] = known
    said: dict[tuple[str, str, str, bool], str] = {}
    for told in labels:
        label = _asked(_restored(told, drawn), standing)
        if said.setdefault((label.unit, label.question, label.labeler, label.gold), label.answer) != label.answer:
            raise LabelError(
                f"one telling gives each unit one answer a labeler, but {label.labeler} says two things of {label.unit!r}: keep one"
            )
        if label.unit not in (for_gold if label.gold else drawn):
            if not drawn_only:
                raise DrawError(_undrawn(label, standing) if label.unit not in drawn else _not_gold(label, standing))
            counts["undrawn"] += 1
            continue
        seats = (gold if label.gold else current).setdefault(label.unit, {})
        waits = label.unit in standing.handed_again and not standing.was_told_again(label.unit)
        counts[_record_one(act, label, seats, correct=correct, waits=waits)] += 1
    return Told(**counts)


def closing(standing: Standing) -> list[Label]:
    """What ends the waiting: "never answered" for every question without an answer, and without a gold answer where one was drawn for."""
    nobody = Label(unit="", answer="never_answered", labeler=CLOSER)
    labels = [(u, q, False) for u in standing.unresolved for q in standing.questions if not standing.told(u, q)]
    gold = [(u, q, True) for u in standing.gold_waiting for q in standing.questions if (u, q) not in standing.gold]
    return [replace(nobody, unit=unit, question=question, gold=is_gold) for unit, question, is_gold in labels + gold]


def _restored(label: Label, drawn: frozenset[str]) -> Label:
    """The label with its unit's own id: batches carry a leading apostrophe where a spreadsheet would read a formula."""
    unit = restored(label.unit)
    return replace(label, unit=unit) if label.unit not in drawn and unit in drawn else label


def _asked(label: Label, standing: Standing) -> Label:
    """The label as an answer to a question the study asks; where there is only one, it is meant."""
    if label.question in standing.questions:
        return label
    if len(standing.questions) == 1:
        return replace(label, question=standing.questions[0])
    asked = _ASKED.format(", ".join(standing.questions))
    raise LabelError(f"{asked}, but unit {label.unit!r} has one to {label.question!r}: correct its name")


def _record_one(act: Writing, label: Label, seats: dict[Seat, Label], *, correct: bool, waits: bool) -> str:
    """What became of one answer. `waits`: the unit was handed out again, and the same answer again is news."""
    seat = (label.question, GOLD if label.gold else label.labeler)
    before = seats.get(seat)
    if before is not None and label.gold and before.labeler == CLOSER != label.labeler:
        before = None  # nobody had answered: the late answer is the first
    if before is not None and before.answer == label.answer:
        if waits and act.append("answer", key=f"{label.key}:again:{len(act.entries()) + 1}", body=label.as_json()):
            return "recorded"
        return "known"
    if before is not None and not correct:
        raise LabelError(
            f"{before.labeler} answered {before.answer} on unit {label.unit!r} before and now {label.answer}: "
            "tell it again with correct=True (--correct) if the new answer is right"
        )
    kind = "answer" if before is None else "correction"
    # The serial keeps a second change of mind in the same direction apart from the first; the check above makes it repeatable.
    key = label.key if before is None else f"{label.key}:corrects:{before.key}:{len(act.entries()) + 1}"
    seats[seat] = label
    if not act.append("answer" if kind == "answer" else "correction", key=key, body=label.as_json()):
        return "known"
    return "recorded" if before is None else "corrected"


def _not_gold(label: Label, standing: Standing) -> str:
    """The refusal of an adjudicated answer about a unit that was not drawn for it."""
    return (
        f"gold answers correct the others only if chance chose their units, but {label.unit!r} is not among the "
        f"{len(standing.gold_units):,} units drawn for gold: draw them with adjudicate (assay draw --gold), or tell it as an answer"
    )


def _undrawn(label: Label, standing: Standing) -> str:
    """The refusal of an answer about a unit that was not drawn."""
    held = len(standing.units) if standing.units else 0
    return (
        f"answers are taken for drawn units only, but unit {label.unit!r} is not among the {held:,} drawn: check the id column, "
        "draw first, or pass drawn_only=True (--drawn-only) to leave such rows out"
    )
