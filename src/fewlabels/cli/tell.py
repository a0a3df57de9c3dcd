"""`fewlabels tell`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from fewlabels.cli.choices import format_choice
from fewlabels.cli.completion import complete_files, complete_studies_or_files
from fewlabels.cli.configuration import study_and_file
from fewlabels.cli.options import json_option, ledger_option
from fewlabels.cli.output import next_command, note, print_json

if TYPE_CHECKING:
    from fewlabels.labeling.found import Refused
    from fewlabels.study.study import Study


@click.command("tell")
@click.argument("study", required=False, shell_complete=complete_studies_or_files)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False, shell_complete=complete_files)
@click.option("--labeler", metavar="NAME", help="Who answered, if the file has no labeler column.")
@click.option("--unit-column", metavar="COLUMN", help="The column of unit ids. Default: unit, else the population's id column.")
@click.option("--answer-column", metavar="COLUMN", help="The column of answers. Default: answer, else label.")
@click.option("--format", "name", type=format_choice(), help="The tool that wrote the file. Default: recognized from the file, else flat.")
@click.option("--correct", is_flag=True, help="Let a labeler's new answer replace the old one; both stay in the ledger.")
@click.option(
    "--ignore-undrawn",
    "--drawn-only",
    "ignore_undrawn",
    is_flag=True,
    help="Ignore rows of units that were not drawn (with --gold, not drawn for gold) instead of refusing the file.",
)
@click.option("--leave-out", is_flag=True, help="Record the valid answers and list the others instead of refusing the file.")
@click.option("--gold", is_flag=True, help="The answers are adjudicated: they are the truth of units drawn with --gold.")
@click.option(
    "--as-of", metavar="DAY", help="For answers that arrive by themselves: with FILE, all that arrived until this day are recorded."
)
@click.option("--close", is_flag=True, help="Stop waiting: record every planned unit without an answer as never answered, gold included.")
@ledger_option
@json_option
def command(*, study: str | None, file: Path | None, close: bool, ledger: str, as_json: bool, **options: Any) -> None:
    """Record the answers of FILE, all or none; recording a file twice changes nothing. If STUDY is omitted, fewlabels.toml names it.

    Answers are yes/no (1/0, true/false, positive/negative), cannot_tell or skipped; rows with an empty answer are skipped for now.

    \b
    Example:
      fewlabels tell demo batch.csv --labeler ada
      fewlabels tell demo Batch_1_results.csv --format mturk --leave-out
    """  # noqa: D301
    from fewlabels.study.study import Study

    study, file = study_and_file(study, file, close=close)
    if file is None and not close:
        raise click.UsageError("Name the FILE of answers, or --close to stop waiting for answers.")
    found = Study.load(study, ledger=ledger)
    told = {} if file is None else _told(found, file, as_json=as_json, **options)
    if close:
        told["taken_as_negative" if found.standing.arrivals is not None else "never_answered"] = found.close().recorded
    done = found.progress()
    if as_json:
        print_json({"study": study, **told, "progress": done.as_json()})
        return
    numbers = {what: len(number) if isinstance(number, list) else number for what, number in told.items()}
    click.echo(", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in numbers.items() if number) or "nothing new")
    note(f"{done.labels:,} of {done.planned:,} planned units are resolved")
    if done.waits_for_second:
        again = " (an answer by who gave the first is none)" if told.get("known") and not told.get("recorded") else ""
        note(f"{done.second_open:,} of {done.second_planned:,} units wait for somebody else's answer{again}")
    if done.gold_planned:
        note(f"{done.gold_told:,} of {done.gold_planned:,} units drawn for gold are adjudicated")
    note(f"next: {next_command(found)}")


def _told(study: "Study", file: Path, *, name: str | None, leave_out: bool, as_json: bool, **options: Any) -> dict[str, Any]:
    """Record the answers of a file and return what became of them; end the command if some are refused and --leave-out is not set."""
    from fewlabels.desk.imports import ImportOptions, asked_of, checked, receive
    from fewlabels.labeling.flat import read_answers
    from fewlabels.labeling.formats import FLAT, FORMATS, FileReading, guess_format, read_found

    asked = asked_of(study.standing, options["answer_column"])
    units = [options["unit_column"]] if options["unit_column"] else ["unit", study.standing.read_population().id]
    how = {option: options[option] for option in ("correct", "ignore_undrawn")}
    as_of = options["as_of"]
    kind = name or guess_format(file)
    if as_of is not None and (kind != FLAT or leave_out or options["gold"]):
        raise click.UsageError("--as-of is for a plain file of answers, all of them: leave --format, --leave-out and --gold out.")
    if kind == FLAT and not leave_out:
        sheet = read_answers(file, unit_columns=units, asked=asked, labeler=options["labeler"])
        told = study.tell_gold(sheet.labels, **how) if options["gold"] else study.tell(sheet.labels, as_of=as_of, **how)
        return {**told._asdict(), "blank": sheet.blank}
    if name is None and kind != FLAT:
        note(f"{file} is read as an export of {kind}; say --format to read it otherwise")
    if (package := FORMATS.named(kind).package) is not None:
        note(f"the format {kind} comes from {package} and was not tested by fewlabels")
    found = read_found(file, FileReading(kind, asked, units, options["answer_column"], options["labeler"]))
    ways = ImportOptions(leave_out=leave_out, gold=options["gold"], **how)
    refused = checked(study.standing, found, ways).refused
    for one in refused:
        note(f"refused: {one}")
    if refused and not leave_out:
        _end_refused(refused, as_json=as_json)
    return receive(study, found, ways).as_json()


def _end_refused(refused: "list[Refused]", *, as_json: bool) -> NoReturn:
    """End the command: some answers are refused, so none was recorded."""
    from fewlabels.cli.main import REFUSED
    from fewlabels.labeling.found import refuse_all

    error = str(refuse_all(refused))
    if as_json:
        print_json({"error": {"kind": "LabelError", "message": error}, "refused": [one.as_json() for one in refused]})
    note(f"LabelError: {error}")
    raise click.exceptions.Exit(REFUSED)
