"""`fewlabels sheet`."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import note, print_json
from fewlabels.nouns.sheet import Sheet, parse_shown
from fewlabels.writing import read_small

if TYPE_CHECKING:
    from fewlabels.desk.desk import Desk

INSTRUCTIONS = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("sheet")
@study_argument
@click.option(
    "--show", multiple=True, metavar="COLUMN[:KIND]", help="A column that labelers see, also COLUMN:image or COLUMN:link. Repeatable."
)
@click.option("--instructions", type=INSTRUCTIONS, metavar="FILE", help="A text file with instructions for labelers.")
@click.option("--ask", metavar="TEXT", help='The question in words: "Is this message spam?"')
@click.option(
    "--check-every",
    type=click.IntRange(min=0),
    metavar="N",
    help="After every N answers, show a unit whose gold answer is known; 0: never.",
)
@click.option("--double", type=click.FloatRange(0, 1, min_open=True), metavar="SHARE", help="Give this share of the units to two labelers.")
@ledger_option
@json_option
def command(
    *, study: str, show: tuple[str, ...], instructions: Path | None, ask: str | None, check_every: int | None, double: float | None,
    ledger: str, as_json: bool,
) -> None:  # fmt: skip
    """Set the labeling form: what labelers see and read, in the browser and in the terminal. Without options, show it.

    \b
    Examples:
      fewlabels sheet demo --show text --ask "Is this message spam?" --double 0.1
      fewlabels sheet demo
    """  # noqa: D301
    from fewlabels.desk.desk import Desk
    from fewlabels.study.study import Study

    desk = Desk(Study.load(study, ledger=ledger))
    before = desk.sheet
    said = replace(
        before,
        show=tuple(map(parse_shown, show)) or before.show,
        instructions=before.instructions if instructions is None else _read(instructions),
        ask=before.ask if ask is None else ask,
        check_every=before.check_every if check_every is None else check_every,
    )
    if said != before:
        desk.set_sheet(said)
    if double is not None:
        desk.double(double)
    _show(study, desk, as_json=as_json)


def _show(study: str, desk: "Desk", *, as_json: bool) -> None:
    """Print what labelers see, as data or for a person."""
    sheet: Sheet = desk.sheet
    if as_json:
        print_json({"study": study, **sheet.as_json(), "double": desk.double_share})
        return
    click.echo(f"labelers of {study} see {', '.join(map(str, sheet.show)) or 'the id alone'}")
    click.echo(f"asked: {sheet.ask or ', '.join(desk.questions)}")
    if sheet.instructions:
        click.echo(sheet.instructions)
    if desk.double_share:
        click.echo(f"{desk.double_share:.0%} of the units go to two labelers")
    if sheet.check_every:
        click.echo(f"after every {sheet.check_every} answers, a unit whose gold answer is known")
    for value, names in sheet.routes.items():
        click.echo(f"units with {sheet.route_by} {value} are for {', '.join(names)}")
    note(f"next: fewlabels label {quote(study)}, or fewlabels serve")


def _read(path: Path) -> str:
    """Return the text of a file of instructions; raise UsageError if it is not UTF-8."""
    try:
        return read_small(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"instructions must be UTF-8, but byte {error.start} of {path} is not: save it as UTF-8.") from None
