"""`fewlabels window`."""

import click

from fewlabels.cli.completion import complete_studies
from fewlabels.cli.options import json_option, ledger_option, metric_option
from fewlabels.cli.output import estimate_table, print_json, working


@click.command("window")
@click.argument("studies", nargs=-1, required=True, shell_complete=complete_studies)
@metric_option(default="recall", help="The metric to estimate.")
@click.option("--classifier", metavar="NAME", help="The classifier to judge. Default: the first.")
@ledger_option
@json_option
def command(*, studies: tuple[str, ...], metric: str, classifier: str | None, ledger: str, as_json: bool) -> None:
    """Show a metric over several STUDIES together, one per period, for events too rare to estimate in one.

    \b
    Example:
      fewlabels window week45 week46 week47 --metric recall
    """  # noqa: D301
    from fewlabels.study.study import Study

    held = [Study.load(name, ledger=ledger) for name in studies]
    with working("reading the studies"):
        found = held[-1].window(held[:-1], metric, classifier=classifier)
    if as_json:
        print_json(found.as_json())
        return
    estimate_table([found], several=True)
    click.echo(f"\nlevel {found.level:.4g}")
