"""`fewlabels change`."""

import click

from fewlabels.cli.completion import complete_studies
from fewlabels.cli.configuration import study_or_file
from fewlabels.cli.options import json_option, ledger_option, metric_option
from fewlabels.cli.output import note, print_json, share, table, working


@click.command("change")
@click.argument("earlier", shell_complete=complete_studies)
@click.argument("later", required=False, callback=study_or_file, shell_complete=complete_studies)
@metric_option(default="f1", help="The metric that changed.")
@click.option("--classifier", metavar="NAME", help="The classifier to judge. Default: the first.")
@ledger_option
@json_option
def command(*, earlier: str, later: str, metric: str, classifier: str | None, ledger: str, as_json: bool) -> None:
    """Show how a metric changed from an EARLIER study to a LATER one, with an interval that accounts for units in both.

    If LATER is omitted, fewlabels.toml names it.

    \b
    Example:
      fewlabels change week46 week47 --metric precision
    """  # noqa: D301
    from fewlabels.study.study import Study

    with working("reading both studies"):
        found = Study.load(later, ledger=ledger).change(Study.load(earlier, ledger=ledger), metric, classifier=classifier)
    if as_json:
        print_json(found.as_json())
        return
    interval = f"{share(found.low)} .. {share(found.high)}"
    cells = [f"{metric} of {found.classifier}", share(found.value), interval, *map(str, found.labels), str(found.shared)]
    table(("change", "value", "interval", f"labels in {earlier}", f"labels in {later}", "units in both"), [cells])
    click.echo(f"\nlevel {found.level:.4g}; {later} minus {earlier}")
    if found.low > 0 or found.high < 0:
        note(f"{metric} has {'risen' if found.low > 0 else 'fallen'}")
    else:
        note("the labels do not show a change")
