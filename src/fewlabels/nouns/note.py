"""A note: what a labeler wrote about a unit. It stands beside the record, and no number depends on it."""

from typing import Literal, NamedTuple

NoteKind = Literal["comment", "left out"]  # left out: why
MOST_COMMENT = 2_000  # characters


class Note(NamedTuple):
    """What a labeler wrote about a unit, and when, in seconds since 1970. A labeler has one of each kind; an empty text deletes it."""

    unit: str
    labeler: str
    kind: NoteKind
    text: str
    at: float
