"""`fewlabels alarm`."""

import sys
from typing import Any

import click

from fewlabels.cli.completion import complete_studies
from fewlabels.cli.options import json_option, ledger_option, metric_option
from fewlabels.cli.output import note, print_json, table, working

RANG = 4  # as a verdict "do not ship"


@click.command("alarm")
@click.argument("studies", nargs=-1, required=True, shell_complete=complete_studies)
@metric_option(default="precision", help="The metric to watch.")
@click.option("--floor", type=float, required=True, metavar="VALUE", help="The metric must not fall below this.")
@click.option("--error", type=float, help="The probability of ever ringing falsely. Default: 0.05.")
@click.option("--run-length", type=float, metavar="PERIODS", help="Instead of --error: the mean number of periods until it rings falsely.")
@click.option("--classifier", metavar="NAME", help="The classifier to judge. Default: the first.")
@ledger_option
@json_option
def command(*, studies: tuple[str, ...], metric: str, ledger: str, as_json: bool, **options: Any) -> None:
    """Say whether a metric has fallen below a floor, watched over STUDIES in order, one per period. Exits with 4 if it has.

    \b
    Examples:
      fewlabels alarm week45 week46 week47 --metric precision --floor 0.8
      fewlabels alarm week45 week46 week47 --metric precision --floor 0.8 --run-length 52
    """  # noqa: D301
    from fewlabels.study.study import Study

    if options["error"] is not None and options["run_length"] is not None:
        raise click.UsageError(
            "Name one promise: --error (the probability of ever ringing falsely) or --run-length (mean periods until it does)."
        )
    options["error"] = 0.05 if options["error"] is None else options["error"]
    held = [Study.load(name, ledger=ledger) for name in studies]
    with working("reading the studies"):
        found = held[-1].alarm(held[:-1], metric, **options)
    if as_json:
        print_json(found.as_json())
    else:
        rows = [[name, f"{n:,}", f"{e:.3g}"] for name, n, e in zip(found.studies, found.labels, found.evidence, strict=True)]
        table(("period", "labels", f"evidence (rings at {found.limit:g})"), rows)
        click.echo(f"\n{f'RANG in {found.rang}' if found.rang else 'quiet'}: {metric} of {found.classifier}, floor {found.floor:g}")
        note(found.says)
    if found.rang:
        sys.exit(RANG)
