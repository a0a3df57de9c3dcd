"""`fewlabels decide`."""

import click

from fewlabels.cli.options import json_option, ledger_option, peek_option, study_argument
from fewlabels.cli.output import after_verdict, next_command, note, print_json, working


@click.command("decide")
@study_argument
@peek_option
@ledger_option
@json_option
def command(*, study: str, peek: bool, ledger: str, as_json: bool) -> None:
    """Say ship, do not ship, or label so many more: each goal is met, not met or open, with reasons.

    \b
    Example:
      fewlabels decide demo
    """  # noqa: D301
    from fewlabels.study.kinds import kind_of
    from fewlabels.study.study import Study

    found = Study.load(study, ledger=ledger)
    with working("deciding"):
        decision = found.decide(peek=peek)
    status = found.status()
    done = status.progress
    if as_json:
        said = None if decision is None else decision.as_json()
        print_json({"study": study, "progress": done.as_json(), "decision": said, "warnings": list(status.warnings)})
        return
    for warning in status.warnings:
        note(f"warning: {warning}")
    if decision is None:
        waits_for = kind_of(found.standing).waits_for
        click.echo(f"{done.labels:,} of {done.planned:,} planned units are resolved: no decision before {waits_for} one")
        note(f"next: {next_command(found)}")
        return
    click.echo(str(decision))
    for verdict in decision.goals:
        click.echo(f"  {verdict.status:8} {verdict.estimate}")
    note(decision.about)
    note(f"next: {after_verdict(found, decision, status)}")
