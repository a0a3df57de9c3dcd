"""`fewlabels status` of an online study: the running band (confidence sequence) of each goal and its progress, once or repeatedly."""

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from fewlabels.cli.output import count, note, share, table, working
from fewlabels.nouns.metrics import plain

if TYPE_CHECKING:
    from fewlabels.study.estimate.online import Running
    from fewlabels.study.study import Study

BAR = 10  # characters of the evidence's bar


def show_running(study: str, found: "Running") -> None:
    """Print where an online study stands."""
    left = f"{max(0, found.budget - found.labels):,} left"
    head = f"{study}: {found.outcome.upper()} after {found.labels:,} labels of at most {found.budget:,} ({left})"
    click.echo(f"{head}, stops by {found.stopping}")
    rows = [
        [
            str(one.goal), share(one.value), f"{share(one.low)} .. {share(one.high)}", f"{one.half_width:.3f}", count(one.n_eff),
            f"{one.level:.4g}", one.status + (f" at {one.decided_at:,}" if one.decided_at >= 0 else ""), _bar(one.yes, one.no),
        ]
        for one in found.goals
    ]  # fmt: skip
    table(("goal", "value", "running band", "half-width", "effective n", "level", "status", "evidence"), rows)
    if found.remaining is not None:
        click.echo(f"to the end: {found.remaining}")
    for line in _waiting(found):
        note(line)


def watch_study(study: "Study", *, every: float, as_json: bool) -> None:
    """Show where the study stands whenever an answer arrives, until the study ends or somebody interrupts."""
    written, seen = -1, ""
    while True:
        if study._written != written:
            written = study._written
            with working("reading the ledger"):
                found = study.running()
            now = json.dumps({"study": study.name, **found.as_json()}, allow_nan=False)
            if now != seen:
                _show_again(study.name, found, now if as_json else None)
            seen = now
            if found.ended or found.outcome == "undecided":
                return
        time.sleep(every)


def _show_again(study: str, found: "Running", line: str | None) -> None:
    """Print the state as one line of JSON, or refresh it on the terminal."""
    if line is not None:
        click.echo(line)
        return
    if sys.stdout.isatty():
        click.clear()
    show_running(study, found)


def _bar(yes: float, no: float) -> str:
    """Draw how near the evidence is to a decision, for the nearer of the two answers."""
    more, word = (yes, "for") if yes >= no else (no, "against")
    return f"{'#' * int(more * BAR):<{BAR}} {plain(round(more, 2))} {word}"


def _waiting(found: "Running") -> list[str]:
    """Return what is not read yet, and why."""
    lines = []
    if found.beyond:
        lines.append(f"{found.beyond:,} answers wait for an earlier one: labels are read in the order in which units were asked")
    if found.again:
        lines.append(f"{found.again:,} units that nobody could judge are handed out again with the next batch")
    if found.missing:
        lines.append(f"{found.missing:,} labels are missing; each counts against either side, which limits how narrow the band can get")
    return lines
