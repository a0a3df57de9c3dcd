"""`assay estimate`."""

import click

from assay.cli.options import json_option, ledger_option, peek_option, study_argument
from assay.cli.output import ESTIMATE_HEADINGS, estimate_rows, note, print_json, table, working
from assay.nouns.metrics import COMMON


@click.command("estimate")
@study_argument
@click.option("--all", "everything", is_flag=True, help="Every metric, not only the goals and the common ones.")
@peek_option
@ledger_option
@json_option
def command(*, study: str, everything: bool, peek: bool, ledger: str, as_json: bool) -> None:
    """Every metric with its interval, effective n and the labels behind it, once all planned units are resolved.

    \b
    Example:
      assay estimate demo
    """  # noqa: D301
    from assay.study.study import Study

    with working("estimating"):
        shown = Study.load(study, ledger=ledger).estimate(peek=peek)
    if as_json:
        print_json({"study": study, **shown.as_json()})
        return
    done = shown.progress
    if not shown.estimates:
        click.echo(f"{done.labels:,} of {done.planned:,} planned units are resolved: no interval before the last one, it would not hold")
    else:
        if not shown.certified:
            click.echo(
                f"A PEEK at {done.labels:,} of {done.planned:,} labels: NOT a {shown.estimates[0].level:.0%} interval; recorded as a look\n"
            )
        table(ESTIMATE_HEADINGS, estimate_rows([e for e in shown.estimates if everything or e.planned or e.metric in COMMON]))
        click.echo(f"\nlevel {shown.estimates[0].level:.4g}; {shown.promise}" if shown.certified else "")
        note("strict: the interval that holds also if errors hide where the guide says there are none")
    for warning in shown.warnings:
        note(f"warning: {warning}")
    note(f"next: assay {'decide' if shown.estimates else 'draw'} {study}")
