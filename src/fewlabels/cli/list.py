"""`fewlabels list`."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewlabels.cli.options import json_option, ledger_option
from fewlabels.cli.output import count, note, print_json, table

if TYPE_CHECKING:
    from fewlabels.study.report.listing import Listed


@click.command("list")
@ledger_option
@json_option
def command(*, ledger: str, as_json: bool) -> None:
    """List the studies of a ledger: what each is about, its labels, its state. Shows no metric, so it is not a look.

    \b
    Examples:
      fewlabels list
      fewlabels list --ledger postgresql://team@db.example.org/fewlabels --json
    """  # noqa: D301
    from fewlabels.ledgers.opening import open_ledger
    from fewlabels.study.report.listing import list_studies

    opened = open_ledger(ledger, create=False)
    found = list_studies(opened)
    if as_json:
        print_json({"ledger": opened.where, "studies": [one.as_json() for one in found]})
        return
    if not found:
        click.echo(f"no study in {opened.where}")
        note("next: fewlabels new TABLE")
        return
    table(("study", "labels", "state", "population", "goals"), [list(_cells(one)) for one in found], left=(0, 2, 3, 4))
    damaged = [one for one in found if one.state == "damaged"]
    if damaged:
        note("an entry of a damaged study was changed: fewlabels verify STUDY names it")


def _cells(one: "Listed") -> Iterator[str]:
    """Yield the cells of a row: tables below this folder by relative path, and names without terminal control sequences."""
    from fewlabels.labeling.terminal import harmless

    here = f"{Path.cwd()}{os.sep}"

    yield harmless(one.study).replace("\n", " ")
    yield count(one.labels) if one.planned is None else f"{count(one.labels)} of {count(one.planned)}"
    yield f"{one.state}, results shown" if one.shown else one.state
    yield harmless((one.population or "-").removeprefix(here)).replace("\n", " ")
    yield harmless(", ".join(one.goals) or "-").replace("\n", " ")
