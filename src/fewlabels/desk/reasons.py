"""Why labelers leave units out: notes beside the record, which come with the answers."""

from collections.abc import Collection, Sequence

from fewlabels.desk.messages import Acknowledged, Said
from fewlabels.errors import LabelError
from fewlabels.nouns.note import Note


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
