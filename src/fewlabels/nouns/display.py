"""How a result is displayed in a notebook and as text: a slot for the renderer, which lives in a layer above the nouns.

The package fills the slot (`fewlabels/__init__.py`) with a function that loads the renderer on first use, so that no noun imports a page.
Displaying a result reads only the result: it opens no ledger and records no look.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Protocol


class Drawing(Protocol):
    """A renderer of results."""

    def html(self, result: object) -> str | None:
        """The result as an HTML fragment; None if it has no such form."""
        ...

    def text(self, result: object) -> str | None:
        """The result as plain text; None if it has no such form."""
        ...


_slot: list[Callable[[], Drawing]] = []


def draw_with(load: Callable[[], Drawing] | None) -> None:
    """Render results with what `load` returns from now on; with None, results show their fields."""
    _slot[:] = [] if load is None else [load]


def html_of(result: object) -> str | None:
    """The result as an HTML fragment; None if there is no renderer, so that a notebook shows the text."""
    return _slot[0]().html(result) if _slot else None


class Displayed:
    """A result that renders as HTML in a notebook and prints as plain text. Its dataclass must set repr=False."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        """The result as plain text; its fields if there is no renderer."""
        shown = _slot[0]().text(self) if _slot else None
        return named_fields(self) if shown is None else shown

    def __repr__(self) -> str:
        """The same as `str`."""
        return str(self)


def named_fields(result: object) -> str:
    """The name of the result's class and its fields, as a dataclass would print them."""
    held = fields(result) if is_dataclass(result) else ()
    return f"{type(result).__name__}({', '.join(f'{one.name}={getattr(result, one.name)!r}' for one in held)})"
