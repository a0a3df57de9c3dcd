"""`fewlabels slices`."""

from shlex import quote
from typing import Any

import click

from fewlabels.cli.options import json_option, ledger_option, metric_option, peek_option, study_argument
from fewlabels.cli.output import estimate_table, note, print_json, working


@click.command("slices")
@study_argument
@click.option("--by", multiple=True, required=True, metavar="COLUMN", help="A slice column. Repeatable: several are crossed.")
@metric_option(default="precision", help="The metric to show in each slice.")
@click.option("--classifier", metavar="NAME", help="The classifier to judge. Default: the first.")
@click.option("--simultaneous", is_flag=True, help="Make all intervals valid together at the level, to compare slices with each other.")
@peek_option
@ledger_option
@json_option
def command(*, study: str, by: tuple[str, ...], ledger: str, as_json: bool, **options: Any) -> None:
    """Show a metric in every slice, planned or not, with the labels behind each. Small slices have wide intervals.

    \b
    Examples:
      fewlabels slices demo --by country
      fewlabels slices demo --by country --by device --metric recall --simultaneous
    """  # noqa: D301
    from fewlabels.study.estimate.about import about_words
    from fewlabels.study.estimate.atlas import in_words
    from fewlabels.study.study import Study

    held = Study.load(study, ledger=ledger)
    with working("reading the slices"):
        found = held.slices(options.pop("metric"), by=by, **options)
    about = about_words(held.standing)
    if as_json:
        print_json({"study": study, "about": about, **found.as_json()})
        return
    estimate_table(found.estimates, several=True)
    together = f"all {len(found.estimates)} together" if found.simultaneous else "each interval by itself"
    click.echo(f"\nlevel {found.level:.4g}, {together}")
    note(about)
    if not found.simultaneous and len(found.estimates) > 1:
        note("to compare slices with each other, use --simultaneous")
    if found.left_out:
        note(f"no estimate for {', '.join(found.left_out)}: no unit there counts for {found.estimates[0].metric}, or none was drawn")
    for caution in in_words(zip(found.estimates, found.cautions, strict=True)):
        note(f"caution: {caution}")
    note(f"next: fewlabels decide {quote(study)}")
