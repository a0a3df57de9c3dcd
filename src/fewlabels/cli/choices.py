"""Options whose values are names in a registry: fewlabels' own, and those that other packages add. The registry is read when needed."""

from collections.abc import Callable
from typing import Any

import click

from fewlabels.registry import Registry


def every(_record: Any) -> bool:
    """Allow every record."""
    return True


class Registered(click.Choice[str]):
    """One of the `wanted` records of a registry; other packages are loaded only for a name that is not fewlabels' own."""

    def __init__(self, table: Callable[[], Registry[Any]], wanted: Callable[[Any], bool] = every) -> None:
        """Keep `table`, which returns the registry; it is called only when a value is read or help is shown, to start fast."""
        super().__init__(())
        self._table, self._wanted = table, wanted

    @property
    def choices(self) -> tuple[str, ...]:
        """The names, including those of other packages."""
        return tuple(record.name for record in self._table().every() if self._wanted(record))

    @choices.setter
    def choices(self, names: tuple[str, ...]) -> None:
        """Ignore the names: the registry supplies them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fail with the registry's message if it is unknown or its package does not load."""
        table = self._table()
        if value in table.own and self._wanted(table.named(value)):
            return str(value)
        if table.is_offered(value):
            table.named(value)
        return super().convert(value, param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message that lists the choices, and the records of other packages that cannot be used."""
        return " ".join([super().get_invalid_choice_message(value, ctx), *(f"Not used: {why}." for why in self._table().refused())])


def interval_choice(wanted: Callable[[Any], bool]) -> Registered:
    """One of the intervals."""

    def table() -> Registry[Any]:
        from fewlabels.intervals.registered import INTERVALS

        return INTERVALS

    return Registered(table, wanted)


def format_choice() -> Registered:
    """One of the formats of label files."""

    def table() -> Registry[Any]:
        from fewlabels.labeling.formats import FORMATS

        return FORMATS

    return Registered(table)
