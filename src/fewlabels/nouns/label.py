"""A label: one answer about one unit by one labeler at one time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fewlabels.errors import LabelError
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.classifier import DEFAULT_QUESTION

Answer: TypeAlias = str  # yes, no, cannot_tell, skipped, never_answered; or the name of a class
# The labeler of units recorded as never answered when a study is closed. Ledgers contain this name, so it stays although the product
# was renamed.
CLOSER = "assay"
GOLD = "gold"  # the labeler of an adjudicated answer: one per unit and question, whoever gave it
RESERVED = (CLOSER, GOLD)
UNANSWERED: frozenset[str] = frozenset({"cannot_tell", "skipped", "never_answered"})

_WORDS: dict[str, Answer] = {
    **dict.fromkeys(("yes", "y", "1", "1.0", "true", "t", "positive", "pos"), "yes"),
    **dict.fromkeys(("no", "n", "0", "0.0", "false", "f", "negative", "neg"), "no"),
    **dict.fromkeys(("cannot_tell", "cannot tell", "can't tell", "unsure", "unknown"), "cannot_tell"),
    **dict.fromkeys(("skipped", "skip"), "skipped"),
    "never_answered": "never_answered",
}


def read_answer(value: object, classes: Collection[str] = ()) -> Answer:
    """The answer that a person or file gave, in canonical form, or one of the classes; raise LabelError for anything else, even empty."""
    text = str(value).strip()
    if text in classes:
        return text
    word = _WORDS.get(text.lower())
    if word is not None and (not classes or word in UNANSWERED):
        return word
    if classes:
        known = ", ".join(sorted(classes))
        raise LabelError(
            f"an answer must be one of the classes {known}, cannot_tell or skipped, got {value!r}: correct it, or add the class"
        )
    raise LabelError(
        f"an answer must be yes or no (1/0, true/false, positive/negative), cannot_tell or skipped, got {value!r}: "
        "correct it, or leave the unit out until it is answered"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One answer. `at`, the labeler's own time as text, or `row`, its row in a file, distinguishes an answer recorded twice.

    gold   whether it is an adjudicated answer: the truth about a unit drawn for it, with which the labelers' answers are compared

    Examples:
        >>> import fewlabels
        >>> label = fewlabels.Label(unit="m017", answer="yes", labeler="ada")
        >>> label.question, label.gold
        ('positive', False)
    """

    unit: str
    answer: Answer
    labeler: str = "anonymous"
    question: str = DEFAULT_QUESTION
    at: str | None = None
    row: int | None = None
    gold: bool = False

    @property
    def key(self) -> str:
        """The key that identifies a recorded answer: an answer with the same key is the same answer recorded again.

        Examples:
            >>> import fewlabels
            >>> first = fewlabels.Label(unit="m017", answer="yes", labeler="ada")
            >>> again = fewlabels.Label(unit="m017", answer="yes", labeler="ada")
            >>> first.key == again.key
            True
        """
        when: Json = self.at if self.at is not None else self.row
        return ("gold:" if self.gold else "answer:") + fingerprint([self.unit, self.question, self.labeler, self.answer, when])

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger.

        Examples:
            >>> import fewlabels
            >>> fewlabels.Label(unit="m017", answer="yes").as_json()["labeler"]
            'anonymous'
        """
        return {
            "unit": self.unit,
            "answer": self.answer,
            "labeler": self.labeler,
            "question": self.question,
            "at": self.at,
            "row": self.row,
            "gold": self.gold,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Label":
        """The label that `as_json` wrote.

        Examples:
            >>> import fewlabels
            >>> label = fewlabels.Label(unit="m017", answer="no", labeler="ada")
            >>> fewlabels.Label.of_json(label.as_json()) == label
            True
        """
        return cls(**{name: data[name] for name in ("unit", "answer", "labeler", "question", "at", "row", "gold")})


def refuse_reserved(labeler: str) -> None:
    """Raise LabelError for a name under which answers are recorded that no labeler gave."""
    if labeler in RESERVED:
        raise LabelError(
            f"a labeler's name must not be {CLOSER} or {GOLD}, reserved for answers that no labeler gave, got {labeler!r}: give another"
        )
