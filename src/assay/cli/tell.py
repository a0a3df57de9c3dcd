"""`assay tell`."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, ledger_option, next_command, study_argument
from assay.cli.output import note, print_json


@click.command("tell")
@study_argument
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--labeler", metavar="NAME", help="Who answered, if the file has no labeler column.")
@click.option("--unit-column", metavar="COLUMN", help="The column of ids. Default: unit, else the population's id column.")
@click.option("--answer-column", metavar="COLUMN", help="The column of answers. Default: answer, else label.")
@click.option("--correct", is_flag=True, help="Let a labeler's new answer replace the old one; both stay in the ledger.")
@click.option("--drawn-only", is_flag=True, help="Leave out rows of units that were not drawn (for gold), instead of refusing the file.")
@click.option("--gold", is_flag=True, help="The answers are adjudicated: the truth of units drawn with --gold.")
@click.option("--close", is_flag=True, help="Record every planned unit without an answer as never answered, and likewise gold.")
@ledger_option
@json_option
def command(*, study: str, file: Path | None, close: bool, ledger: str, as_json: bool, **options: Any) -> None:
    """Record the answers of FILE, all or none; the same file twice is the same as once.

    Answers are yes/no (1/0, true/false, positive/negative), cannot_tell or skipped; rows with an empty answer are left for later.

    \b
    Example:
      assay tell demo batch.csv --labeler ada
    """  # noqa: D301
    from assay.cli.options import asked_of
    from assay.labeling.flat import read_answers
    from assay.study.study import Study

    if file is None and not close:
        raise click.UsageError("Name the FILE of answers, or --close to end the waiting.")
    found = Study.load(study, ledger=ledger)
    told: dict[str, int] = {}
    if file is not None:
        units = [options["unit_column"]] if options["unit_column"] else ["unit", found.standing.read_population().id]
        sheet = read_answers(file, unit_columns=units, asked=asked_of(found, options["answer_column"]), labeler=options["labeler"])
        how = {name: options[name] for name in ("correct", "drawn_only", "gold")}
        told = {**found.tell(sheet.labels, **how)._asdict(), "blank": sheet.blank}
    if close:
        told["never_answered"] = found.close().recorded
    done = found.status().progress
    if as_json:
        print_json({"study": study, **told, "progress": done.as_json()})
        return
    click.echo(", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in told.items() if number) or "nothing new")
    note(f"{done.labels:,} of {done.planned:,} planned units are resolved")
    if done.gold_planned:
        note(f"{done.gold_told:,} of {done.gold_planned:,} units drawn for gold are adjudicated")
    note(f"next: {next_command(found)}")
