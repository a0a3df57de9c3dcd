"""Options of the commands that print queries and take their results back."""

from collections.abc import Sequence

import click

from fewlabels.errors import PopulationError

TYPES = ("int", "text", "float32", "float64", "bool", "uuid", "decimal")

type_option = click.option(
    "--type", "types", multiple=True, metavar="COLUMN=TYPE",
    help=f"What a column holds, of a table fewlabels does not open: {', '.join(TYPES)}. Unless said, ids, classes and slices are text, "
    "predictions bool, all others float64. Repeatable.",
)  # fmt: skip


def types_of(texts: Sequence[str]) -> dict[str, str]:
    """The types that were declared, by column."""
    found: dict[str, str] = {}
    for text in texts:
        column, _, word = text.rpartition("=")
        if not column or word not in TYPES:
            raise PopulationError(f"a type is written COLUMN=TYPE, with one of {', '.join(TYPES)}, but got {text!r}: write id=int")
        found[column] = word
    return found
