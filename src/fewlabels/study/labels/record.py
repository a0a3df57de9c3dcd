"""Record answers: idempotent, and only for units that were drawn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from fewlabels.errors import DrawError, LabelError, StudyError
from fewlabels.labeling.flat import restored
from fewlabels.ledgers.base import Writing
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.label import CLOSER, GOLD, Label, read_answer, refuse_reserved
from fewlabels.nouns.late import day_of
from fewlabels.nouns.turn import Finished
from fewlabels.study.labels.rows import AskedQuestions, asked_words, is_missing, rows_of
from fewlabels.study.state.pages import Seat
from fewlabels.study.state.register import Register
from fewlabels.study.state.standing import Standing

AT_ONCE = 1_000  # answers looked up, written and followed together: memory does not grow with a file


class Told(NamedTuple):
    """The outcome of recording answers: newly recorded, known already, corrected, and skipped because never drawn."""

    recorded: int
    known: int
    corrected: int
    undrawn: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


def as_labels(answers: object, questions: AskedQuestions, *, gold: bool = False) -> list[Label]:
    """Convert answers in any accepted form to labels.

    answers   {unit: answer}, a DataFrame, a Series, Labels, or rows with unit, answer and optionally labeler, at and question

    With several questions an answer is {question: answer}, or a row has one column per question.
    """
    labels: list[Label] = []
    for row, item in rows_of(answers, questions):
        if isinstance(item, Label):
            answer = read_answer(item.answer, questions.classes)
            is_same = answer == item.answer and (item.gold or not gold)
            labels.append(item if is_same else replace(item, answer=answer, gold=gold or item.gold))
        else:
            labels += _of_row(item, row, questions, gold=gold)
    for label in labels:
        refuse_reserved(label.labeler)
    return labels


def _of_row(item: Mapping[str, object], row: int, questions: AskedQuestions, *, gold: bool) -> list[Label]:
    """The labels of a row: one, or one per question that is a column."""
    said = _said(item, row, questions)
    unit = item.get("unit", item.get(questions.id))
    if unit is None or not said:
        raise LabelError(f"a row needs unit and answer, but row {row} has {sorted(map(str, item))}: rename its fields")
    unknown = sorted(set(said) - set(questions.asked))
    if unknown:
        raise LabelError(f"{asked_words(questions.asked)}, but row {row} answers {unknown[0]!r}: correct its name")
    labeler, at = ("" if is_missing(item.get(name)) else str(item[name]) for name in ("labeler", "at"))
    return [
        Label(
            unit=str(unit),
            answer=read_answer(answer, questions.classes),
            labeler=labeler or "anonymous",
            question=question,
            at=at or None,
            row=row,
            gold=gold,
        )
        for question, answer in said.items()
    ]


def _said(item: Mapping[str, object], row: int, questions: AskedQuestions) -> dict[str, object]:
    """The answers in a row, by question."""
    if "answer" not in item:
        each = {question: item[question] for question in questions.asked if not is_missing(item.get(question))}
        return each if each or "label" not in item or len(questions.asked) > 1 else {questions.asked[0]: item["label"]}
    if len(questions.asked) > 1 and not item.get("question"):
        raise LabelError(f"a study with several questions needs a question in each row, or a column for each, but row {row} has neither")
    return {str(item.get("question") or questions.asked[0]): item["answer"]}


def record(
    act: Writing, labels: Sequence[Label], study: Register, *, correct: bool, ignore_undrawn: bool, told_at: float | None = None
) -> Told:
    """Append the answers in one transaction. Raise, recording none, if one of them cannot be recorded.

    study     its register, which follows the act
    told_at   when they were given, to end the looks of those who gave them; omitted by a desk, which knows whose look it is
    """
    counts = {"recorded": 0, "known": 0, "corrected": 0, "undrawn": 0}
    said: dict[tuple[str, str, str, bool], str] = {}
    for some in _batched(labels):
        study.follow(act)
        before = act.count
        act.look_up([label.key for label in some])
        _record_some(act, some, study, said, counts, correct=correct, ignore_undrawn=ignore_undrawn)
        if told_at is not None:
            act.finish(_ended_looks(act, before, study, at=told_at))
        if len(some) == AT_ONCE:
            study.follow(act)
            act.flush()
    return Told(**counts)


def _batched(labels: Iterable[Label]) -> Iterator[list[Label]]:
    each = iter(labels)
    while some := list(islice(each, AT_ONCE)):
        yield some


def _record_some(
    act: Writing,
    labels: Sequence[Label],
    study: Register,
    said: dict[tuple[str, str, str, bool], str],
    counts: dict[str, int],
    *,
    correct: bool,
    ignore_undrawn: bool,
) -> None:
    """Append some of the answers of a call, `said` being those before them, and count what became of them."""
    now: dict[tuple[str, bool], dict[Seat, Label]] = {}  # the answers to a unit as these change them
    for told in labels:
        label = _asked(_restored(told, study), study)
        if said.setdefault((label.unit, label.question, label.labeler, label.gold), label.answer) != label.answer:
            raise LabelError(
                f"each labeler can answer a unit only once per call, but {label.labeler} gave two answers to {label.unit!r}: keep one"
            )
        if not (study.is_gold(label.unit) if label.gold else study.is_drawn(label.unit)):
            if not ignore_undrawn:
                raise DrawError(_not_gold(label, study) if study.is_drawn(label.unit) else _undrawn(label, study))
            counts["undrawn"] += 1
            continue
        seats = now.get((label.unit, label.gold))
        if seats is None:
            seats = now[label.unit, label.gold] = study.gold_seats(label.unit) if label.gold else study.seats(label.unit)
        is_second = not label.gold and study.wants_another(label.unit)
        counts[_record_one(act, label, seats, correct=correct, waits=study.waits(label.unit), is_second=is_second)] += 1


def _ended_looks(act: Writing, before: int, register: Register, *, at: float) -> list[Finished]:
    """The looks that this transaction finished, by entries after the first `before`: those at units with every question answered."""
    register.follow(act)
    told = dict.fromkeys((entry.body["unit"], entry.body["labeler"]) for entry in act.since(before) if not entry.body["gold"])
    return [Finished(unit, labeler, at) for unit, labeler in told if register.is_resolved(unit)]


def closing(standing: Standing) -> list[Label]:
    """The labels that end the wait: "never answered" for every question that lacks an answer, or a planned second or gold one.

    Where answers arrive by themselves, a unit without one is negative if the study said so. Raise StudyError before the day that it named.
    """
    refuse_early(standing)
    waits = frozenset(unit for unit, wait in zip(standing.unresolved, standing.waits[~standing.resolved].tolist(), strict=True) if wait)
    nobody = Label(unit="", answer="never_answered", labeler=CLOSER)
    unseen = [unit for unit in standing.second_looks if standing.is_resolved(unit) and not standing.was_seen_twice(unit)]
    labels = [(u, q, False) for u in standing.unresolved for q in standing.questions if not standing.told(u, q)]
    labels += [(unit, question, False) for unit in unseen for question in standing.questions]
    gold = [(u, q, True) for u in standing.gold_waiting for q in standing.questions if (u, q) not in standing.gold]
    said = {True: "no", False: "never_answered"}
    return [
        replace(nobody, unit=unit, question=question, gold=is_gold, answer=said[unit in waits and not is_gold])
        for unit, question, is_gold in labels + gold
    ]


def refuse_early(standing: Standing) -> None:
    """Raise StudyError while answers may still arrive."""
    late = standing.late
    if late is not None and (standing.as_of or "") < late.until:
        known = "none are recorded by day" if standing.as_of is None else f"those until {standing.as_of} are recorded"
        raise StudyError(
            f"a study is closed once its answers have arrived, until {late.until}, but {known}: record those until then with as_of "
            "(fewlabels tell --as-of), or peek at provisional numbers"
        )


def as_of_body(standing: Standing, day: str) -> dict[str, Json]:
    """The ledger entry that says until which day answers that arrive by themselves are recorded."""
    late = standing.late
    if late is None:
        raise StudyError(
            f"as_of is for answers that arrive by themselves, but study {standing.name!r} was not planned for them: leave it out, or plan "
            "one with --answers-until"
        )
    first, today = standing.as_of or late.since, datetime.now(UTC).date()
    if day_of(day) > today + timedelta(days=1):  # it may be tomorrow already where they arrive
        raise StudyError(
            f"answers that arrive by themselves are recorded as far as they have arrived, but as_of is {day} and today is {today}: name "
            "the day until which they are complete"
        )
    if day_of(day) < day_of(first):
        raise StudyError(
            f"answers are recorded day after day, but those until {first} are, and as_of is {day}: name that day or a later one"
        )
    return {"day": day}


def _restored(label: Label, study: Register) -> Label:
    """The label with its unit's own id: batches carry a leading apostrophe where a spreadsheet would read a formula."""
    unit = restored(label.unit)
    return replace(label, unit=unit) if unit != label.unit and not study.is_drawn(label.unit) and study.is_drawn(unit) else label


def _asked(label: Label, study: Register) -> Label:
    """The label as an answer to a question the study asks; if it asks only one, to that one."""
    if label.question in study.questions:
        return label
    if len(study.questions) == 1:
        return replace(label, question=study.questions[0])
    raise LabelError(f"{asked_words(study.questions)}, but unit {label.unit!r} has one to {label.question!r}: correct its name")


def _record_one(act: Writing, label: Label, seats: dict[Seat, Label], *, correct: bool, waits: bool, is_second: bool) -> str:
    """Record one answer; return what became of it.

    waits      the unit was handed out again, so the same answer again is recorded
    is_second  it waits for another labeler, so the same labeler's answer again is nothing new
    """
    seat = (label.question, GOLD if label.gold else label.labeler)
    before = seats.get(seat)
    if before is not None and label.gold and before.labeler == CLOSER != label.labeler:
        before = None  # nobody had answered: the late answer is the first
    if before is not None and before.answer == label.answer:
        if waits and not is_second and act.append("answer", key=f"{label.key}:again:{act.count + 1}", body=label.as_json()):
            return "recorded"
        return "known"
    if before is not None and is_second and not correct:
        raise LabelError(
            f"a second look is another labeler's, but {before.labeler} answered unit {label.unit!r} before ({before.answer}) and now "
            f"{label.answer}: name who answered now, with labeler (a labeler column, or --labeler NAME)"
        )
    if before is not None and not correct:
        raise LabelError(
            f"{before.labeler} answered {before.answer} on unit {label.unit!r} before and now {label.answer}: "
            "record it with correct=True (--correct) if the new answer is right"
        )
    kind = "answer" if before is None else "correction"
    # The serial keeps a second change of mind in the same direction apart from the first; the check above makes it repeatable.
    key = label.key if before is None else f"{label.key}:corrects:{before.key}:{act.count + 1}"
    seats[seat] = label
    if not act.append("answer" if kind == "answer" else "correction", key=key, body=label.as_json()):
        return "known"
    return "recorded" if before is None else "corrected"


def _not_gold(label: Label, study: Register) -> str:
    """The error message for an adjudicated answer to a unit that was not drawn for gold."""
    return (
        f"gold answers correct the others only if their units were drawn at random, but {label.unit!r} is not among the "
        f"{len(study.gold_units):,} units drawn for gold: draw them with adjudicate (fewlabels draw --gold), or record it as an answer"
    )


def _undrawn(label: Label, study: Register) -> str:
    """The error message for an answer to a unit that was not drawn."""
    if study.is_known(label.unit):
        return (
            f"known answers count as they are and never as if they had been drawn, but {label.unit!r} is a unit whose answer was known "
            "before the draw: leave it out, or pass ignore_undrawn=True (--drawn-only) to skip such rows"
        )
    return (
        f"answers are recorded for drawn units only, but unit {label.unit!r} is not among the {study.count.units:,} drawn: check the "
        "id column, draw first, or pass ignore_undrawn=True (--drawn-only) to skip such rows"
    )
