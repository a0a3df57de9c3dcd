"""A page of a long list: filtered and sorted on the server, so that a browser never gets all of it."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

Row = TypeVar("Row")
ROWS = 50  # a page


class Listed(NamedTuple, Generic[Row]):
    """The rows of a page, how many there are on all pages, and which page of how many it is; the first is 1."""

    rows: Sequence[Row]
    found: int
    page: int
    pages: int


def listed(
    every: Sequence[Row], *, keep: Callable[[Row], bool], by: Callable[[Row], Any] | None, descending: bool, page: int, rows: int = ROWS
) -> Listed[Row]:  # fmt: skip
    """Return a page of the rows to keep, sorted; in their own order without `by`. A page beyond the last is the last."""
    kept = [row for row in every if keep(row)]
    if by is not None:
        kept.sort(key=by, reverse=descending)
    elif descending:
        kept.reverse()
    pages = max(1, -(-len(kept) // rows))
    page = min(page, pages)
    return Listed(kept[(page - 1) * rows : page * rows], len(kept), page, pages)
