"""`fewlabels ledger`: copy a ledger, back it up, upgrade it, fold a study again, and delete the content of units."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewlabels.cli.options import json_option, ledger_option, named_study_argument
from fewlabels.cli.output import note, print_json, table

if TYPE_CHECKING:
    from fewlabels.ledgers.copying import Copied

NOT_COPIED = "people, their links, sessions and tokens"


@click.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--study", "studies", multiple=True, metavar="NAME", help="A study to copy. Repeatable. Default: all.")
@json_option
def copy_ledger(*, source: str, target: str, studies: tuple[str, ...], as_json: bool) -> None:
    """Copy studies as they are, with turns and what labelers are shown. People and their access are not copied.

    A study that TO already has is continued if its entries are the first of those in FROM, so copying can be repeated.

    \b
    Example:
      fewlabels ledger copy sqlite:///fewlabels.db postgresql://team@db.example.org/fewlabels --study demo
    """  # noqa: D301
    from fewlabels.ledgers.copying import copy
    from fewlabels.ledgers.opening import open_ledger

    here = open_ledger(source, create=False)
    there = open_ledger(target)
    _print(copy(here, there, studies=studies, watch=note), where=(here.where, there.where), as_json=as_json)


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@ledger_option
@json_option
def backup_ledger(*, file: Path, ledger: str, as_json: bool) -> None:
    """Copy the whole ledger to a new SQLite file, and read it back to check it. People and their access are not copied.

    \b
    Example:
      fewlabels ledger backup friday.db --ledger postgresql://team@db.example.org/fewlabels
    """  # noqa: D301
    from fewlabels.ledgers.copying import backup
    from fewlabels.ledgers.opening import open_ledger

    here = open_ledger(ledger, create=False)
    _print(backup(here, file, watch=note), where=(here.where, str(file)), as_json=as_json)


def _print(done: "list[Copied]", *, where: tuple[str, str], as_json: bool) -> None:
    """Print what was copied, and what was not."""
    if as_json:
        print_json({"from": where[0], "to": where[1], "studies": [one.as_json() for one in done], "not_copied": NOT_COPIED})
        return
    rows = [[one.study, *(f"{n:,}" for n in (one.entries, one.added, one.turns, one.contents))] for one in done]
    table(("study", "entries", "added", "turns", "contents"), rows)
    note(f"not copied: {NOT_COPIED}")


@click.command("rebuild")
@named_study_argument
@ledger_option
@json_option
def rebuild_state(*, study: str, ledger: str, as_json: bool) -> None:
    """Delete what is kept beside a study's entries to save time, its state and its results, and make it again from the entries.

    Needed only if `fewlabels verify` says that it is not what the entries say. The record itself is never changed.

    \b
    Example:
      fewlabels ledger rebuild demo
    """  # noqa: D301
    from fewlabels.study.study import Study

    entries = Study.load(study, ledger=ledger).followed.rebuild()
    if as_json:
        print_json({"study": study, "entries": entries})
        return
    click.echo(f"folded {study} again from its {entries:,} entries")


@click.command("upgrade")
@ledger_option
@json_option
def upgrade_ledger(*, ledger: str, as_json: bool) -> None:
    """Bring a ledger made by an earlier version to the present schema. Entries stay as they are; back it up first.

    Other commands never do: they read an older ledger as it is, and refuse to write to it.

    \b
    Example:
      fewlabels ledger upgrade --ledger sqlite:///old.db
    """  # noqa: D301
    from fewlabels.ledgers.opening import open_ledger
    from fewlabels.ledgers.tables import HEAD

    here = open_ledger(ledger, create=False)
    before = here.outdated or HEAD
    here.upgrade()
    if as_json:
        print_json({"ledger": here.where, "from": before, "to": HEAD})
        return
    click.echo(f"{here.where} was of schema {before} and is of schema {HEAD}")


@click.command("forget")
@named_study_argument
@click.option("--yes", is_flag=True, help="Do not ask first.")
@ledger_option
@json_option
def forget_contents(*, study: str, yes: bool, ledger: str, as_json: bool) -> None:
    """Delete the content of units that is stored to be shown to labelers. Ids, scores and answers are the record and stay.

    The content is fetched from the table again if labeling continues.

    \b
    Example:
      fewlabels ledger forget demo --yes
    """  # noqa: D301
    from fewlabels.study.study import Study

    found = Study.load(study, ledger=ledger)
    if not yes:
        _confirm(study)
    forgotten = found.ledger.forget(study)
    if as_json:
        print_json({"study": study, "forgotten": forgotten})
        return
    click.echo(f"deleted what was shown of {forgotten:,} units")


def _confirm(study: str) -> None:
    """Ask a person; raise UsageError if there is none."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"What labelers were shown in study {study!r} would be deleted for good: confirm with --yes.")
    click.confirm(f"Delete what labelers were shown in study {study!r}, for good?", abort=True, err=True)
