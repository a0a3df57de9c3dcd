"""The drawn units of a study in pages, in asking order, with all that is recorded about each.

A page is read and written as a whole. So an answer costs one page, however many there are.
"""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from sys import intern
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewlabels.nouns.draw import Units
from fewlabels.nouns.label import Label

Seat: TypeAlias = tuple[str, str]  # a question and a labeler
PAGE = 1_024  # units
KNOWN, SETTLED = 1, 2  # marks: answered before numbers were shown; an answer that no later one can replace
CHOSEN, TOLD = 1, 2  # adjudged: drawn for it; adjudicated
# An answer as a number: 0 for none, then the unusable ones, then all others in the order they came up.
CODES: tuple[str, ...] = ("", "cannot_tell", "skipped", "never_answered")
UNUSABLE = len(CODES) - 1  # the highest code of an answer that says nothing


class SeatRow(NamedTuple):
    """One labeler's current answer to one question."""

    question: str
    labeler: str
    answer: str
    at: str | None
    row: int | None

    def label(self, unit: str, *, gold: bool = False) -> Label:
        """The answer as a label."""
        return Label(unit=unit, answer=self.answer, labeler=self.labeler, question=self.question, at=self.at, row=self.row, gold=gold)


def seat_row(question: str, labeler: str, answer: str, at: str | None, row: int | None) -> SeatRow:
    """A row whose words, which are few, are held once."""
    return SeatRow(intern(question), intern(labeler), intern(answer), at, row)


# What is counted of a unit, a column each; the types are those of the standard library's arrays.
#   extra     usable answers beyond the first to a question, the most of all questions
#   disputed  whether usable answers to a question differ
#   twice     whether it has as many answers as the rule wants of a unit that two labelers answer
#   second    whether two labelers must answer it
#   adjudged  CHOSEN, TOLD
#   batch     the newest batch in which it was handed out; 0 if in none
#   voices    answers recorded, corrections and repeats included
#   again     0, or 1 more than it had when it was handed out a second time
COLUMNS = {"extra": "H", "disputed": "B", "twice": "B", "second": "B", "adjudged": "B", "batch": "I", "voices": "I", "again": "I"}


class Page:
    """Up to PAGE units. Of each question, `codes` has the answer that counts, see `Standing`, and `marks` KNOWN and SETTLED."""

    __slots__ = ("codes", "gold", "marks", "seats", "unit", *COLUMNS)
    extra: "array[int]"
    disputed: "array[int]"
    twice: "array[int]"
    second: "array[int]"
    adjudged: "array[int]"
    batch: "array[int]"
    voices: "array[int]"
    again: "array[int]"

    def __init__(self, questions: int) -> None:
        """Begin an empty page."""
        self.unit: list[str] = []
        self.seats: list[list[SeatRow]] = []
        self.gold: dict[int, list[SeatRow]] = {}  # by place on the page
        self.codes = [array("H") for _ in range(questions)]
        self.marks = [array("B") for _ in range(questions)]
        for name, kind in COLUMNS.items():
            setattr(self, name, array(kind))

    def extend(self, units: Sequence[str]) -> None:
        """Add units."""
        self.unit += units
        self.seats += [[] for _ in units]
        for column in self._columns():
            column.frombytes(bytes(column.itemsize * len(units)))

    def _columns(self) -> "list[array[int]]":
        return [*self.codes, *self.marks, *(getattr(self, name) for name in COLUMNS)]

    def copy(self) -> "Page":
        """A page that can be changed while this one stays as it is."""
        other = Page.__new__(Page)
        other.unit, other.seats, other.gold = self.unit[:], self.seats[:], self.gold.copy()
        other.codes, other.marks = [codes[:] for codes in self.codes], [marks[:] for marks in self.marks]
        for name in COLUMNS:
            setattr(other, name, getattr(self, name)[:])
        return other

    def is_resolved(self, place: int) -> bool:
        """Whether every question about a unit has an answer."""
        if len(self.codes) == 1:  # most studies: this is asked for every answer
            return self.codes[0][place] > 0
        return all(codes[place] for codes in self.codes)

    def waits(self, place: int) -> bool:
        """Whether a unit was handed out a second time and no answer was recorded since."""
        return self.voices[place] < self.again[place]

    def seats_of(self, place: int) -> dict[Seat, Label]:
        """The current answers to a unit."""
        unit = self.unit[place]
        return {(row.question, row.labeler): row.label(unit) for row in self.seats[place]}

    def named(self) -> bytes:
        """The ids as bytes."""
        return _written(self.unit)

    def told(self) -> bytes:
        """The answers as bytes."""
        return _written({"seats": self.seats, "gold": {str(place): rows for place, rows in self.gold.items()}})

    def coded(self) -> bytes:
        """The codes as bytes."""
        return packed(self.codes)

    def counted(self) -> bytes:
        """What else is counted, as bytes."""
        return packed([*self.marks, *(getattr(self, name) for name in COLUMNS)])

    @classmethod
    def of_bytes(cls, named: bytes, told: bytes, coded: bytes, counted: bytes, questions: int) -> "Page":
        """The page that `named`, `told`, `coded` and `counted` wrote."""
        page, held = cls(questions), json.loads(told)
        page.unit = json.loads(named)
        page.seats = [[seat_row(*row) for row in rows] for rows in held["seats"]]
        page.gold = {int(place): [seat_row(*row) for row in rows] for place, rows in held["gold"].items()}
        found = [*unpacked(coded, len(page.unit)), *unpacked(counted, len(page.unit))]
        for column, values in zip(page._columns(), found, strict=True):
            column.frombytes(values.astype(column.typecode).tobytes())
        return page

    @property
    def counts(self) -> "PageCounts":
        """What the page adds to the progress of the study."""
        return count_rows(list(map(np.asarray, self.codes)), lambda name: np.asarray(getattr(self, name)))

    def ask_more(self, questions: int) -> None:
        """Make room for the answers to further questions."""
        more = range(questions - len(self.codes))
        self.codes += [array("H", bytes(2 * len(self.unit))) for _ in more]
        self.marks += [array("B", bytes(len(self.unit))) for _ in more]


def places_on(page: Page, first: int) -> Iterator[tuple[str, int]]:
    """The units of a page, each with its position in the draw; `first` is that of the first."""
    return zip(page.unit, range(first, first + len(page.unit)), strict=True)


class PageCounts(NamedTuple):
    """Numbers of units, of a page or of a whole draw; they add up.

    answered, cannot_tell, skipped, never_answered   resolved, by what the first question without a usable answer lacks
    handed     handed out
    fresh      neither resolved nor handed out; `open`: handed out and not resolved
    second     that two labelers must answer; `twice` of them have been
    extra      usable answers of resolved units beyond the first
    disputed   resolved, with usable answers that differ
    disagreed  with usable answers that differ, resolved or not
    voiced     with an answer to any question
    chosen     drawn for gold; `adjudicated` of them have been
    """

    answered: int
    cannot_tell: int
    skipped: int
    never_answered: int
    handed: int
    fresh: int
    open: int
    second: int
    twice: int
    extra: int
    disputed: int
    disagreed: int
    voiced: int
    chosen: int
    adjudicated: int

    @property
    def resolved(self) -> int:
        """Units with an answer to every question, usable or not."""
        return self.answered + self.cannot_tell + self.skipped + self.never_answered


def count_rows(codes: Sequence[NDArray[Any]], column: Callable[[str], NDArray[Any]]) -> PageCounts:
    """Count units, given the codes of each question and a function that gives a column."""
    said = np.full(codes[0].size if codes else 0, UNUSABLE + 1)
    for values in reversed(codes):  # the first question without a usable answer says what the unit lacks
        said = np.where(values <= UNUSABLE, values, said)
    unresolved = np.logical_or.reduce([values == 0 for values in codes])
    said[unresolved] = 0
    of = np.bincount(said, minlength=UNUSABLE + 2).tolist()
    handed, second = column("batch") > 0, column("second") > 0
    found = (*of[1 : UNUSABLE + 1], handed.sum(), (unresolved & ~handed).sum(), (unresolved & handed).sum())
    twice = (second.sum(), (column("twice") > 0)[second].sum())
    also = (
        column("extra")[~unresolved].sum(),
        column("disputed")[~unresolved].sum(),
        column("disputed").sum(),
        (column("voices") > 0).sum(),
    )
    gold = ((column("adjudged") & CHOSEN > 0).sum(), (column("adjudged") == CHOSEN | TOLD).sum())
    return PageCounts(of[UNUSABLE + 1], *map(int, (*found, *twice, *also, *gold)))


def add_counts(counts: Iterable[Sequence[int]]) -> PageCounts:
    """The counts of all pages together."""
    found = [0] * len(PageCounts._fields)
    for one in counts:
        found = [a + b for a, b in zip(found, one, strict=True)]
    return PageCounts(*found)


def _written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8", "surrogatepass")


# A column as bytes: a byte that says how wide a value is, and the values, lowest byte first. One of zeros has no values.
KINDS = {0: "<u1", 1: "<u1", 2: "<u2", 4: "<u4", 8: "<i8", 9: "<f8"}


def packed(columns: Iterable[Any]) -> bytes:
    """Columns of whole numbers, or of floats, as bytes."""
    return b"".join(map(_packed, columns))


def _packed(column: Any) -> bytes:
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return b"\x09" + values.astype("<f8").tobytes()
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    width = 8 if low < 0 or high >= 1 << 32 else 0 if not high else 1 if high < 1 << 8 else 2 if high < 1 << 16 else 4
    return bytes((width,)) + (values.astype(KINDS[width]).tobytes() if width else b"")


def unpacked(body: bytes, rows: int) -> list[NDArray[Any]]:
    """The columns that `packed` wrote, of so many rows each."""
    found, at = [], 0
    while at < len(body):
        width = body[at]
        size = 0 if not width else rows * np.dtype(KINDS[width]).itemsize
        values = np.frombuffer(body, dtype=KINDS[width], count=rows if width else 0, offset=at + 1)
        found.append(values if width else np.zeros(rows, dtype=np.uint8))
        at += 1 + size
    return found


CELLS = ("band", "guide_bin", "pattern")  # what status reads of a unit
SOME = ("weight", "cluster")  # what not every study has
REST = ("number", "slice", *SOME)  # besides the scores


def cells_of(units: Units, rows: slice) -> bytes:
    """The cells of some units as bytes."""
    return packed(getattr(units, name)[rows] for name in CELLS)


def rest_of(units: Units, rows: slice) -> bytes:
    """What else is known of some units, as bytes."""
    some = [np.zeros(len(units), dtype=np.int64) if getattr(units, name) is None else getattr(units, name) for name in SOME]
    return packed([units.number[rows], units.slice[rows], *(column[rows] for column in some), *units.scores[rows].T])
