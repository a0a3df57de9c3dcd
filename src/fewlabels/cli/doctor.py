"""`fewlabels doctor`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.configuration import fill
from fewlabels.cli.help import ManyOptions
from fewlabels.cli.main import REFUSED
from fewlabels.cli.options import (
    RESOURCES_MORE,
    TABLE_COMMON,
    TABLE_MORE,
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


@click.command(
    "doctor", cls=ManyOptions, common=(*TABLE_COMMON, "--answers", "--check-duplicates", "--json"), more={**TABLE_MORE, **RESOURCES_MORE}
)
@population_argument
@population_options
@click.option("--check-duplicates", is_flag=True, help="Check every id for duplicates, even beyond 10,000,000 units.")
@answers_option("A few answers (unit, answer): say whether the scores are calibrated, and whether a pilot would help.")
@resource_options
@json_option
def command(*, source: str, check_duplicates: bool, answers: Path | None, as_json: bool, **options: Any) -> None:
    """Check a table: what it holds, which metrics it allows, what blocks a study and how to fix it.

    Exits with 5 if a problem blocks a study.

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
            note("nothing blocks a study; next: fewlabels plan")
    if not found.passed:
        raise click.exceptions.Exit(REFUSED)


def show_columns(columns: "Sequence[Column]") -> None:
    """Print the columns and their types."""
    from fewlabels.labeling.terminal import harmless

    table(("column", "type"), [[harmless(column.name), column.type] for column in columns])


def show_blocks(found: "Examination") -> None:
    """Print the problems that block a study, each with its way out."""
    for problem in found.inspection.problems:
        click.echo(f"blocks: {problem}")
    if not found.passed:
        many = len(found.inspection.problems)
        note("1 problem blocks a study; it is listed above" if many == 1 else f"{many:,} problems block a study; they are listed above")
