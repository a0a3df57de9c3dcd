"""`fewlabels label-studio`: push units to Label Studio, pull answers from it."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import next_command, note, print_json

if TYPE_CHECKING:
    from fewlabels.desk.imports import Received
    from fewlabels.labeling.label_studio.client import LabelStudio
    from fewlabels.study.study import Study

TOKEN = "FEWLABELS_LABEL_STUDIO_TOKEN"
Function = Callable[..., Any]


def server_options(function: Function) -> Function:
    """Add the options for Label Studio's address and token file. The token itself is never an option: other users can see options."""
    for option in (
        click.option(
            "--url", required=True, envvar="FEWLABELS_LABEL_STUDIO_URL", show_envvar=True, metavar="URL", help="Label Studio's address."
        ),
        click.option(
            "--token-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help=f"A file with a legacy or personal access token. Default: the environment variable {TOKEN}.",
        ),
    ):
        function = option(function)
    return function


def _client(url: str, token_file: Path | None) -> "LabelStudio":
    """Return the client, authenticated by the token."""
    from fewlabels.labeling.label_studio.client import LabelStudio

    try:
        token = token_file.read_text(encoding="utf-8").strip() if token_file else os.environ.get(TOKEN, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"the token cannot be read from {token_file} ({type(error).__name__}): check the path.") from None
    if not token:
        raise click.UsageError(f"Name a file with the token, --token-file FILE, or set {TOKEN}.")
    return LabelStudio(url, token)


@click.command("push")
@study_argument
@server_options
@click.option("--units", type=click.IntRange(min=1), default=200, show_default=True, help="How many units to hand out.")
@click.option("--show", multiple=True, metavar="COLUMN", help="A column that labelers see (COLUMN:image for pictures). Repeatable.")
@click.option("--labeler", "labelers", multiple=True, metavar="NAME", help="Give this labeler a project of their own. Repeatable.")
@click.option("--double", is_flag=True, help="Give every unit to every --labeler instead of dividing the units among them.")
@click.option("--next", "more", is_flag=True, help="Hand out new units even if earlier ones are unanswered.")
@click.option("--webhook", metavar="URL", help="Have new projects call this address when answers arrive; the call carries no content.")
@ledger_option
@json_option
def push_command(
    *, study: str, url: str, token_file: Path | None, show: tuple[str, ...], ledger: str, as_json: bool, **options: Any
) -> None:
    """Add the next units to the study's projects, creating those that are missing. Pushing twice changes nothing.

    A task holds the unit's id and the columns named with --show, nothing else.

    \b
    Example:
      fewlabels label-studio push demo --url http://127.0.0.1:8080 --token-file token.txt --units 200 --show text
    """  # noqa: D301
    from fewlabels.desk.label_studio import How, push
    from fewlabels.nouns.sheet import parse_shown
    from fewlabels.study.study import Study

    client = _client(url, token_file)
    done = push(Study.load(study, ledger=ledger), client, How(show=tuple(map(parse_shown, show)), **options))
    if as_json:
        print_json({"study": study, "url": client.url, **done.as_json()})
        return
    for one in done.projects:
        click.echo(
            f"project {one.project}{f' of {one.labeler!r}' if one.labeler else ''}: {one.added:,} units added, {one.known:,} already there"
        )
    note(
        "nothing is left to label"
        if done.batch is None
        else f"next: label at {client.url}, then: fewlabels label-studio pull {quote(study)} --url {client.url}"
    )


@click.command("pull")
@study_argument
@server_options
@click.option(
    "--project", "projects", multiple=True, metavar="NUMBER[=NAME]", help="A project that push did not create, and whose it is. Repeatable."
)
@click.option("--correct", is_flag=True, help="Let a labeler's new answer replace the old one; both stay in the ledger.")
@click.option("--leave-out", is_flag=True, help="Exit with 0 even if answers were refused; they are still listed.")
@click.option(
    "--watch", type=click.FloatRange(min=1), metavar="SECONDS", help="Pull again every so many seconds, until every unit is answered."
)
@ledger_option
@json_option
def pull_command(
    *,
    study: str,
    url: str,
    token_file: Path | None,
    projects: tuple[str, ...],
    watch: float | None,
    ledger: str,
    as_json: bool,
    **options: bool,
) -> None:
    """Record every valid answer and list the others. Pulling twice changes nothing.

    An answer is refused if its unit was not drawn, if the labeler gave two that differ, if it is empty or an unknown word, or if it was
    made from a machine's prediction. The exit code is then 5, unless --leave-out is given.

    \b
    Example:
      fewlabels label-studio pull demo --url http://127.0.0.1:8080 --token-file token.txt
    """  # noqa: D301
    from fewlabels.desk.label_studio import pull
    from fewlabels.study.study import Study

    found, client = Study.load(study, ledger=ledger), _client(url, token_file)
    named = dict(map(_numbered, projects))
    while True:
        done = pull(found, client, correct=options["correct"], projects=named)
        if watch is None or found.progress().complete:
            break
        if done.told.recorded:
            note(f"{done.told.recorded:,} recorded")
        time.sleep(watch)
    _report(found, done, as_json=as_json)
    if done.refused and not options["leave_out"]:
        from fewlabels.cli.main import REFUSED

        raise click.exceptions.Exit(REFUSED)


def _numbered(text: str) -> tuple[int, str | None]:
    """Return a project's number and its labeler."""
    number, _, labeler = text.partition("=")
    if not number.isdecimal():
        raise click.UsageError(f"A project must be written NUMBER or NUMBER=NAME, got {text!r}.")
    return int(number), labeler or None


def _report(study: "Study", done: "Received", *, as_json: bool) -> None:
    """Print what became of the answers."""
    progress = study.progress()
    if as_json:
        print_json({"study": study.name, **done.as_json(), "progress": progress.as_json()})
        return
    numbers = {**done.told._asdict(), "blank": done.blank, "refused": len(done.refused)}
    click.echo(", ".join(f"{number:,} {what}" for what, number in numbers.items() if number) or "nothing new")
    for one in done.refused:
        note(f"refused: {one}")
    note(f"{progress.labels:,} of {progress.planned:,} planned units are resolved")
    note(f"next: {next_command(study)}")


@click.command("interface")
@study_argument
@click.option("--show", multiple=True, metavar="COLUMN", help="A column that labelers see (COLUMN:image for pictures). Repeatable.")
@ledger_option
@json_option
def interface_command(*, study: str, show: tuple[str, ...], ledger: str, as_json: bool) -> None:
    """Print the labeling interface, to paste into a project for a file of `fewlabels draw --format label-studio`.

    \b
    Example:
      fewlabels label-studio interface demo --show text
    """  # noqa: D301
    from fewlabels.desk.imports import asked_of
    from fewlabels.labeling.label_studio.interface import interface_text
    from fewlabels.labeling.label_studio.tasks import data_keys
    from fewlabels.nouns.sheet import parse_shown
    from fewlabels.study.study import Study

    shown = [parse_shown(text) for text in show]
    text = interface_text(asked_of(Study.load(study, ledger=ledger).standing), shown, data_keys([one.column for one in shown]))
    if as_json:
        print_json({"study": study, "interface": text})
    else:
        click.echo(text)
