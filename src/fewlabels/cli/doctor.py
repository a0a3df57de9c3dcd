"""`fewlabels doctor`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.configuration import fill
from fewlabels.cli.main import REFUSED
from fewlabels.cli.options import (
    answers_option,
    json_option,
    population_argument,
    population_options,
    read_options,
    resource_options,
    told_in,
)
from fewlabels.cli.output import note, print_json, table, working

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fewlabels.nouns.profile import Column
    from fewlabels.study.population.doctor import Examination


@click.command("doctor")
@population_argument
@population_options
@click.option("--check-duplicates", is_flag=True, help="Check ids exactly also beyond 10,000,000 units.")
@answers_option("A few answers (unit, answer): says whether the scores predict as they claim, and whether a pilot would help.")
@resource_options
@json_option
def command(*, source: str, check_duplicates: bool, answers: Path | None, as_json: bool, **options: Any) -> None:
    """What is in a table, what can be asked of it, what blocks the rest and how to unblock it.

    Ends with 5 if something blocks.

    \b
    Example:
      fewlabels doctor scored.parquet --id id --score score --threshold 0.5
    """  # noqa: D301
    from fewlabels.study.population.doctor import examine

    fill(options)
    population = read_options(source, options)
    told = told_in(answers, population) if answers is not None else None
    with working("reading the table"):
        found = examine(population, check_duplicates=check_duplicates or None, answers=told)
    if as_json:
        print_json(found.as_json())
    else:
        show_columns(found.inspection.columns)
        click.echo(f"\n{found.inspection.N:,} units")
        for line in found.lines:
            click.echo(line)
        show_blocks(found)
        if found.passed:
            note("nothing blocks: plan next")
    if not found.passed:
        raise click.exceptions.Exit(REFUSED)


def show_columns(columns: "Sequence[Column]") -> None:
    """The columns and their types."""
    from fewlabels.labeling.terminal import harmless

    table(("column", "type"), [[harmless(column.name), column.type] for column in columns])


def show_blocks(found: "Examination") -> None:
    """What blocks, with the way out of each."""
    for problem in found.inspection.problems:
        click.echo(f"blocks: {problem}")
    if not found.passed:
        note("something blocks: see above")
