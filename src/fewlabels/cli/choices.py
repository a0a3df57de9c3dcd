"""Options whose values are records: fewlabels' own by name, and those that other packages add. The table is read when it is needed."""

from collections.abc import Callable
from typing import Any

import click

from fewlabels.registry import Registry


def every(_record: Any) -> bool:
    """Whether a record may be chosen: each may."""
    return True


class Registered(click.Choice[str]):
    """One of the records of a table that are `wanted`; packages are asked only for a name that is none of fewlabels' own."""

    def __init__(self, table: Callable[[], Registry[Any]], wanted: Callable[[Any], bool] = every) -> None:
        """`table` gives the records: called when a value is read or help is shown, so that a command starts without them."""
        super().__init__(())
        self._table, self._wanted = table, wanted

    @property
    def choices(self) -> tuple[str, ...]:
        """The names, those of other packages included."""
        return tuple(record.name for record in self._table().every() if self._wanted(record))

    @choices.setter
    def choices(self, names: tuple[str, ...]) -> None:
        """Leave the names to the table."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name. Refuses one that no table has, and one of a package that does not work, in the words of the table."""
        table = self._table()
        if value in table.own and self._wanted(table.named(value)):
            return str(value)
        if table.is_offered(value):
            table.named(value)
        return super().convert(value, param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What there is to choose from, and what of other packages is not."""
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
