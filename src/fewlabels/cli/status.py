"""`fewlabels status`."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import missing_lines, missing_table, next_command, note, print_json, working
from fewlabels.cli.plan_output import show_outlook
from fewlabels.cli.status_watch import show_running, watch_study
from fewlabels.nouns.canonical import Json

if TYPE_CHECKING:
    from fewlabels.nouns.plan import Plan
    from fewlabels.study.estimate.status import Status
    from fewlabels.study.plan.outlook import Outlook
    from fewlabels.study.study import Study


@click.command("status")
@study_argument
@click.option("--bands", is_flag=True, help="Also show drawn units and missing answers per band, and the tests on them.")
@click.option(
    "--watch", is_flag=True,
    help="For an online study: show it again whenever it changes, until it ends; with --json, one line each time.",
)  # fmt: skip
@click.option(
    "--every", type=click.FloatRange(min=0.1), default=2.0, show_default=True, metavar="SECONDS", help="With --watch: how often to look."
)
@ledger_option
@json_option
def command(*, study: str, bands: bool, watch: bool, every: float, ledger: str, as_json: bool) -> None:
    """Show the progress of a study: labels, missing answers, warnings; no interval before the planned look, unless the study is online.

    \b
    Example:
      fewlabels status demo
      fewlabels status demo --bands
      fewlabels status live --watch
    """  # noqa: D301
    from fewlabels.study.kinds import kind_of
    from fewlabels.study.study import Study

    loaded = Study.load(study, ledger=ledger)
    if watch:
        watch_study(loaded, every=every, as_json=as_json)
        return
    found, standing = loaded.status(), loaded.standing
    waiting = _stranded(loaded)
    found = replace(found, warnings=(*found.warnings, *waiting)) if waiting else found
    plan, running = found.plan, kind_of(standing).running(standing, forecast=True)
    ahead = _outlook(loaded) if found.state == "labeling" else None
    if as_json:
        told = {**_told(found), "forecast": None if ahead is None else ahead.as_json()}
        print_json({"study": study, "plan": _fixed(plan), **told, **({} if running is None else {"running": running.as_json()})})
        return
    if plan is None:
        click.echo(f"{study}: no plan yet")
        return
    _show(study, found, plan, bands=bands)
    if running is not None:
        show_running(study, running)
    if ahead is not None:
        show_outlook(ahead)
    click.echo(plan.promise)
    for warning in found.warnings:
        note(f"warning: {warning}")
    note(f"next: {next_command(loaded)}")


def _stranded(study: "Study") -> list[str]:
    """Return which units wait for somebody that the study does not have, in words."""
    from fewlabels.desk.desk import Desk
    from fewlabels.desk.routing import stranded
    from fewlabels.ledgers.database import Database
    from fewlabels.ledgers.people import People

    ledger = study.ledger
    return stranded(study, Desk(study).sheet, People(ledger)) if isinstance(ledger, Database) and ledger.outdated is None else []


def _outlook(study: "Study") -> "Outlook | None":
    """Return what the plan should show at its look, before there are numbers."""
    from fewlabels.study.plan.outlook import outlook_of

    with working("forecasting"):
        return outlook_of(study.standing)


def _show(study: str, found: "Status", plan: "Plan", *, bands: bool) -> None:
    """Print how far the labeling is."""
    done = found.progress
    click.echo(f"{study}: plan {plan.number} ({plan.hash[:12]}), {', '.join(str(g) for g in plan.goals)}")
    click.echo(f"{done.labels:,} of {done.planned:,} planned units resolved, {done.asked:,} handed out")
    if done.second_planned:
        told, planned = f"{done.second_told:,}", f"{done.second_planned:,}"
        click.echo(f"{told} of {planned} units chosen for two labelers answered by two, {done.second_open:,} second looks open")
    if done.gold_planned:
        click.echo(f"{done.gold_told:,} of {done.gold_planned:,} units drawn for gold adjudicated")
    if done.unanswered:
        click.echo(
            f"without a usable answer: {done.cannot_tell:,} cannot tell, {done.skipped:,} skipped, {done.never_answered:,} never answered"
        )
        click.echo(missing_lines(found.missing))
    if bands:
        missing_table(found.missing)
    if found.looks:
        click.echo(f"numbers were shown {found.looks:,} times, {found.peeks:,} of them in a peek before the planned look")


def _fixed(plan: "Plan | None") -> Json:
    """Return what the current plan locks, as data; None before there is a plan."""
    if plan is None:
        return None
    return {"number": plan.number, "hash": plan.hash, "budget": plan.budget, "goals": [str(g) for g in plan.goals]}


def _told(found: "Status") -> dict[str, Json]:
    """Return how far the labeling is, as data."""
    return {
        "progress": found.progress.as_json(),
        "second_open": found.progress.second_open,
        "missing": found.missing.as_json(),
        "looks": found.looks,
        "peeks": found.peeks,
        "warnings": list(found.warnings),
    }
