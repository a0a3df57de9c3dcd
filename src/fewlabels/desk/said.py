"""What labelers say: answers read as labels, and why they leave units out, which becomes a note beside the record."""

from collections.abc import Collection, Sequence

from fewlabels.desk.messages import Acknowledged, Said
from fewlabels.errors import FewlabelsError, LabelError
from fewlabels.nouns.label import UNANSWERED, Label, read_answer
from fewlabels.nouns.note import Note
from fewlabels.study.state.register import Register


def is_told_again(register: Register, labeler: str, unit: str) -> bool:
    """Whether a labeler who could not tell sees the unit again: a different answer now is intended."""
    seats = register.seats(unit)
    mine = [label.answer for (_, who), label in seats.items() if who == labeler]
    return register.waits(unit) and any(answer in UNANSWERED for answer in mine)


def read_said(register: Register, labeler: str, said: Said) -> list[Label] | str:
    """The labels of an answer, or why it cannot be read."""
    try:
        return _labels_of(register, labeler, said)
    except FewlabelsError as error:
        return str(error)


def _labels_of(register: Register, labeler: str, said: Said) -> list[Label]:
    questions, classes = register.questions, register.classes
    missing = [question for question in questions if question not in said.answers]
    if missing or len(said.answers) > len(questions):
        raise LabelError(
            f"a unit must be answered as a whole ({', '.join(questions)}), got answers to {', '.join(said.answers) or 'none'}: "
            "answer each question once"
        )
    answers = {question: read_answer(said.answers[question], classes) for question in questions}
    if "never_answered" in answers.values():
        raise LabelError("never_answered is recorded only when a study is closed, but a labeler gave it: answer cannot_tell or skipped")
    refuse_reason(said.note, answers.values())
    return [Label(unit=said.unit, answer=answers[q], labeler=labeler, question=q, at=said.at) for q in questions]


def reasons(labeler: str, said: Sequence[Said], became: Sequence[Acknowledged], *, at: float) -> list[Note]:
    """The notes to store with these answers: reasons given, and empty ones where a correction takes a reason back."""
    found: list[Note] = []
    for one, status in zip(said, became, strict=True):
        if status.status != "refused" and (one.note or status.status == "corrected"):
            found.append(Note(one.unit, labeler, "left out", (one.note or "").strip(), at))
    return found


def refuse_reason(note: str | None, answers: Collection[str]) -> None:
    """Raise LabelError if a reason comes with answers none of which leaves the unit out."""
    if note and "skipped" not in answers:
        raise LabelError(
            f"a reason belongs to a unit that is left out, but the answer is {', '.join(answers)}: answer skipped, or write a comment"
        )
