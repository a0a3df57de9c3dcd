"""How a result shows itself in a notebook and as text: one slot for what draws results, which stands above the nouns.

The package fills the slot (`fewlabels/__init__.py`) with a function that loads the drawing on first use, so that no noun imports a page.
Showing a result reads the result alone: it opens no ledger and records no look.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Protocol


class Drawing(Protocol):
    """What draws results."""

    def html(self, result: object) -> str | None:
        """The result as a piece of a page; None if it has no such form."""
        ...

    def text(self, result: object) -> str | None:
        """The result as plain text; None if it has no such form."""
        ...


_slot: list[Callable[[], Drawing]] = []


def draw_with(load: Callable[[], Drawing] | None) -> None:
    """Results are drawn by what `load` gives from now on; None: by nothing, and they show their fields."""
    _slot[:] = [] if load is None else [load]


def html_of(result: object) -> str | None:
    """The result as a piece of a page; None where nothing draws results, so that a notebook shows the text."""
    return _slot[0]().html(result) if _slot else None


class Displayed:
    """A result that a notebook draws and that prints as plain text. Its dataclass says repr=False."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        """The result as plain text; its fields where nothing draws results."""
        shown = _slot[0]().text(self) if _slot else None
        return named_fields(self) if shown is None else shown

    def __repr__(self) -> str:
        """The same."""
        return str(self)


def named_fields(result: object) -> str:
    """The result by its fields."""
    held = fields(result) if is_dataclass(result) else ()
    return f"{type(result).__name__}({', '.join(f'{one.name}={getattr(result, one.name)!r}' for one in held)})"
