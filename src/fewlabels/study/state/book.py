"""The drawn units of a study at one moment, in pages; what a snapshot holds of them is read when it is asked for.

A snapshot may be replaced by a newer one before a page is asked for. Then the study is folded again from its first entry to that moment:
entries never change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.label import Label
from fewlabels.study.state.pages import CELLS, COLUMNS, PAGE, REST, SOME, Page, PageCounts, places_on


class SnapshotWrong(Exception):
    """A snapshot does not say what it should: it is not used."""


class Kept(Protocol):
    """A snapshot, as far as it has not been read yet."""

    @property
    def has(self) -> frozenset[str]:
        """Which of the columns that not every study has are there: weight, cluster."""

    def page(self, number: int) -> Page:
        """Read a page; raise SnapshotWrong if it is not the one that belongs to the snapshot."""

    def names(self, numbers: Sequence[int]) -> Iterator[Sequence[str]]:
        """Read the ids on some pages."""

    def columns(self, kind: str, numbers: Sequence[int]) -> Iterator[Sequence[NDArray[Any]]]:
        """Read the columns of a kind on some pages: c, m, d or e."""

    def counts(self, number: int) -> PageCounts:
        """What is counted of a page."""

    def position(self, unit: str) -> int | None:
        """The position of a unit; None if it is not found. The page has to bear it out."""


class Folded(Protocol):
    """A study folded from its entries."""

    @property
    def pages(self) -> Sequence[Page | None]:
        """Its pages."""

    def drawn_units(self) -> Units | None:
        """All drawn units."""


class Book:
    """The drawn units of a study at one moment, with what is recorded of each."""

    def __init__(
        self,
        pages: Sequence[Page | None] = (),
        *,
        units: int = 0,
        questions: int = 1,
        drawn: Units | None = None,
        counts: Sequence[PageCounts] = (),
        kept: Kept | None = None,
        fold: Callable[[], Folded] | None = None,
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        """Hold pages; None for those that `kept` has.

        drawn   the units, if they are held already
        fold    folds the study from its entries, if the snapshot is not there any more; that is raised if omitted
        guard   held while the snapshot is read
        """
        self._pages, self.units, self._questions = list(pages), units, questions
        self._drawn, self._kept, self._fold, self._guard = drawn, kept, fold, guard or nullcontext()
        self._columns: dict[str, IntArray] = {}
        self.counts = counts  # of each page
        self._units: dict[str, Any] = {}  # columns of what was drawn
        self._names: tuple[str, ...] | None = None
        self._positions: dict[str, int] | None = None
        self._near: dict[str, int] = {}  # positions of units on pages on which one was looked up
        self._gold: dict[tuple[str, str], Label] | None = None

    # ---------------- pages

    def page(self, number: int) -> Page:
        """A page, to be read."""
        page = self._pages[number]
        if page is None:
            page = self._pages[number] = self._read(lambda kept: kept.page(number), lambda: self._whole(number))
        return page

    def pages(self) -> Iterator[Page]:
        """All pages."""
        return map(self.page, range(len(self._pages)))

    def pages_with(self, wanted: Callable[[PageCounts], int]) -> Iterator[Page]:
        """The pages of whose units some are wanted."""
        return (self.page(number) for number, counts in enumerate(self.counts) if wanted(counts))

    def place(self, unit: str) -> tuple[Page, int] | None:
        """The page of a unit, and its place there; None if it was not drawn."""
        if self._positions is None and self._kept is not None:
            if unit not in self._near:
                at = self._read(lambda kept: kept.position(unit), lambda: None)
                if at is not None and at < self.units:
                    self._near.update(places_on(self.page(at // PAGE), at // PAGE * PAGE))
            if unit in self._near:
                return self.page(self._near[unit] // PAGE), self._near[unit] % PAGE
        if self._positions is None:
            self._positions = {name: position for position, name in enumerate(self.names)}
        at = self._positions.get(unit)
        return None if at is None else (self.page(at // PAGE), at % PAGE)

    # ---------------- columns of all units

    @property
    def names(self) -> tuple[str, ...]:
        """The ids, in asking order."""
        if self._names is None:
            some = self._of_pages(lambda page: page.unit, lambda kept, numbers: kept.names(numbers))
            self._names = tuple(name for names in some for name in names)
        return self._names

    def codes(self, question: int) -> IntArray:
        """The codes of the answers that count to a question."""
        return self._column(f"codes {question}", lambda page: page.codes[question], "c", question)

    def column(self, name: str) -> IntArray:
        """A column of what is counted."""
        return self._column(name, lambda page: getattr(page, name), "m", self._questions + list(COLUMNS).index(name))

    def _column(self, name: str, of_page: Callable[[Page], Any], kind: str, at: int) -> IntArray:
        if name not in self._columns:
            found = self._of_pages(of_page, lambda kept, numbers: (columns[at] for columns in kept.columns(kind, numbers)))
            whole = np.concatenate([np.asarray(one) for one in found]).astype(np.int64) if found else np.zeros(0, dtype=np.int64)
            whole.setflags(write=False)
            self._columns[name] = whole
        return self._columns[name]

    def _of_pages(self, of_page: Callable[[Page], Any], of_kept: Callable[[Kept, Sequence[int]], Iterator[Any]]) -> list[Any]:
        """Something of every page, read at once from the snapshot for those that it holds."""
        missing = [number for number, page in enumerate(self._pages) if page is None]
        read = self._read(lambda kept: dict(zip(missing, of_kept(kept, missing), strict=True)), dict) if missing else {}
        return [of_page(page) if page is not None else read[number] for number, page in enumerate(self._pages)]

    def drawn(self) -> Units | None:
        """All drawn units."""
        return KeptUnits(self.units, self._of_units) if self._drawn is None and self.units else self._drawn

    def _of_units(self, name: str) -> Any:
        """A column of the drawn units."""
        if name == "unit":
            return self.names
        if name not in self._units:
            kind = "d" if name in CELLS else "e"
            self._units |= self._read(lambda kept: self._read_units(kept, kind), self._folded_units)
        return self._units[name]

    def _read_units(self, kept: Kept, kind: str) -> dict[str, Any]:
        """All columns of a kind: they are read together."""
        rows = list(kept.columns(kind, range(len(self._pages))))
        whole = [np.concatenate(column) for column in zip(*rows, strict=True)]
        found: dict[str, Any] = {name: column.astype(np.int64) for name, column in zip(CELLS if kind == "d" else REST, whole, strict=False)}
        if kind == "e":
            found |= {name: None for name in SOME if name not in kept.has}
            found["scores"] = np.stack(whole[len(REST) :], axis=1) if whole[len(REST) :] else np.empty((self.units, 0))
        return found

    def _folded_units(self) -> dict[str, Any]:
        assert self._drawn is not None  # folded
        return {name: getattr(self._drawn, name) for name in (*CELLS, *REST, "scores")}

    # ---------------- reading

    def _read(self, read: Callable[[Kept], Any], otherwise: Callable[[], Any]) -> Any:
        """What the snapshot says; if it is not there any more, fold the study from its entries and return what `otherwise` says."""
        with self._guard:
            if self._kept is not None:
                try:
                    return read(self._kept)
                except SnapshotWrong:
                    if self._fold is None:
                        raise
                    folded = self._fold()
                    self._pages = [mine if mine is not None else theirs for mine, theirs in zip(self._pages, folded.pages, strict=True)]
                    self._drawn, self._kept = folded.drawn_units(), None
            return otherwise()

    def _whole(self, number: int) -> Page:
        page = self._pages[number]
        assert page is not None  # folded
        return page

    def gold(self) -> Mapping[tuple[str, str], Label]:
        """The adjudicated answers by unit and question."""
        if self._gold is None:
            self._gold = {
                (page.unit[place], row.question): row.label(page.unit[place], gold=True)
                for page in self.pages_with(lambda counts: counts.chosen)
                for place, rows in sorted(page.gold.items())
                for row in rows
            }
        return self._gold


class KeptUnits(Units):
    """Units whose columns are read when they are asked for; copied to memory by `read`."""

    __slots__ = ("_length", "_load")

    def __init__(self, length: int, load: Callable[[str], Any]) -> None:
        """Read a column by its name with `load`."""
        object.__setattr__(self, "_length", length)
        object.__setattr__(self, "_load", load)

    def __getattr__(self, name: str) -> Any:
        """A column that was not read yet."""
        if name not in Units.__slots__:
            raise AttributeError(name)
        found = self._load(name)
        if isinstance(found, np.ndarray):
            found.setflags(write=False)
        object.__setattr__(self, name, found)
        return found

    def __len__(self) -> int:
        """The number of units."""
        return int(self._length)

    def read(self) -> Units:
        """The units with all columns."""
        return Units(**{name: getattr(self, name) for name in Units.__slots__})

    def pick(self, rows: IntArray) -> Units:
        """The given rows, in that order."""
        return KeptUnits(rows.size, lambda name: _picked(getattr(self, name), rows))


def _picked(column: Any, rows: IntArray) -> Any:
    if column is None:
        return None
    return column[rows] if isinstance(column, np.ndarray) else tuple(column[i] for i in rows.tolist())
