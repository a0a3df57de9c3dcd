"""`assay doctor`."""

from pathlib import Path
from typing import Any

import click

from assay.cli.main import REFUSED
from assay.cli.options import answers_option, json_option, population_options, read_options, resource_options, told_in
from assay.cli.output import note, print_json, table, working


@click.command("doctor")
@click.argument("source", metavar="POPULATION")
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
      assay doctor scored.parquet --id id --score score --threshold 0.5
    """  # noqa: D301
    from assay.study.examining import examine

    population = read_options(source, options)
    told = told_in(answers, population) if answers is not None else None
    with working("reading the table"):
        found = examine(population, check_duplicates=check_duplicates or None, answers=told)
    if as_json:
        print_json(found.as_json())
    else:
        table(("column", "type"), [[c.name, c.type] for c in found.inspection.columns])
        click.echo(f"\n{found.inspection.N:,} units")
        for line in found.lines:
            click.echo(line)
        for problem in found.inspection.problems:
            click.echo(f"blocks: {problem}")
        note("nothing blocks: plan next" if found.passed else "something blocks: see above")
    if not found.passed:
        raise click.exceptions.Exit(REFUSED)
