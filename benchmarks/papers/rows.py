"""A numbered table or figure, and what became of it."""

from typing import Literal, NamedTuple

Outcome = Literal["reproduced", "in part", "not reproducible"]


class Row(NamedTuple):
    """One item of one document.

    theirs    what it says, in figures where it gives some
    ours      what was measured here
    why       what differs, or why it cannot be made again
    product   what fewlabels does with the same question; empty where it does not answer it
    """

    document: str
    item: str
    outcome: Outcome
    theirs: str
    ours: str
    why: str = ""
    product: str = ""
