"""`assay status`."""

import click

from assay.cli.options import json_option, ledger_option, study_argument
from assay.cli.output import note, print_json
from assay.nouns.canonical import Json


@click.command("status")
@study_argument
@ledger_option
@json_option
def command(*, study: str, ledger: str, as_json: bool) -> None:
    """Say where a study stands: labels, non-response, warnings. No interval before its look.

    \b
    Example:
      assay status demo
    """  # noqa: D301
    from assay.study.study import Study

    found = Study.load(study, ledger=ledger).status()
    done, plan = found.progress, found.plan
    if as_json:
        fixed: Json = None
        if plan is not None:
            fixed = {"number": plan.number, "hash": plan.hash, "budget": plan.budget, "goals": [str(g) for g in plan.goals]}
        print_json(
            {
                "study": study,
                "plan": fixed,
                "progress": done.as_json(),
                "looks": found.looks,
                "peeks": found.peeks,
                "warnings": list(found.warnings),
            }
        )
        return
    if plan is None:
        click.echo(f"{study}: no plan yet")
        return
    click.echo(f"{study}: plan {plan.number} ({plan.hash[:12]}), {', '.join(str(g) for g in plan.goals)}")
    click.echo(f"{done.labels:,} of {done.planned:,} planned units resolved, {done.asked:,} handed out")
    if done.unanswered:
        click.echo(
            f"without a usable answer: {done.cannot_tell:,} cannot tell, {done.skipped:,} skipped, {done.never_answered:,} never answered"
        )
    if found.looks:
        click.echo(f"numbers were shown {found.looks:,} times, {found.peeks:,} of them by a peek before the look")
    click.echo(plan.promise)
    for warning in found.warnings:
        note(f"warning: {warning}")
    note(f"next: assay {'estimate' if done.complete else 'draw'} {study}")
