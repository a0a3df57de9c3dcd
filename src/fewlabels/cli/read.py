"""`fewlabels read`."""

from shlex import quote
from typing import Any

import click

from fewlabels.cli.choices import interval_choice
from fewlabels.cli.completion import complete_files
from fewlabels.cli.options import about_option, json_option, ledger_option, resource_options, score_range_option
from fewlabels.cli.output import note, print_json, working
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import DEFAULT_LEVEL


@click.command("read")
@click.argument("sample", shell_complete=complete_files)
@click.option("--id", "id", default="id", show_default=True, metavar="COLUMN", help="The column of unit ids.")
@click.option("--answer", default="answer", show_default=True, metavar="COLUMN", help="The column of answers; empty where nobody gave one.")
@click.option("--score", metavar="COLUMN", help="The column of the classifier's score.")
@click.option("--threshold", type=float, metavar="T", help="Units with at least this score are flagged.")
@click.option("--predicted", metavar="COLUMN", help="The column of the classifier's decision (true/false or 1/0), if it has no score.")
@score_range_option
@click.option(
    "--probability",
    default="probability",
    show_default=True,
    metavar="COLUMN",
    help="The column of inclusion probabilities: how likely each unit was to be drawn (1 / weight).",
)
@click.option("--stratum", metavar="COLUMN", help="The column of strata, of each of which a simple random sample was drawn.")
@click.option("--stratum-size", metavar="COLUMN", help="The column that says how many units each stratum had.")
@click.option("--cluster", metavar="COLUMN", help="What units belong to (patient, account); numbers are then about units like these.")
@about_option
@click.option(
    "--goal", "goals", multiple=True, metavar="GOAL", help='What has to be shown: "recall >= 0.9", "precision +-0.03". Repeatable.'
)
@click.option("--study", "name", required=True, metavar="NAME", help="The name of the study that the sample becomes.")
@click.option("--level", type=float, default=DEFAULT_LEVEL, show_default=True, metavar="L", help="The confidence level.")
@click.option("--interval", type=interval_choice(lambda interval: not interval.running), help=f"The interval. Default: {USUAL_INTERVAL}.")
@ledger_option
@resource_options
@json_option
def command(*, sample: str, name: str, as_json: bool, **options: Any) -> None:
    """Read a SAMPLE that was drawn and labeled elsewhere as a study: estimate, decide, report, gate and verify follow.

    SAMPLE is a Parquet or CSV file with one row for each drawn unit, those without an answer too.

    \b
    Example:
      fewlabels read drawn.csv --predicted flag --stratum region --stratum-size region_units --goal "recall >= 0.8" --study spring
    """  # noqa: D301
    from fewlabels.cli.plan import named_goals
    from fewlabels.study.estimate.about import about_words
    from fewlabels.study.sample import from_sample

    options["goals"] = list(named_goals(options))
    with working("reading the sample"):
        study = from_sample(sample, name=name, **options)
        standing, done = study.standing, study.progress()
        about = about_words(standing)
    if as_json:
        plan = standing.plan
        print_json({"study": name, "units": done.planned, "answered": done.answered, "plan": plan.hash, "about": about})
        return
    click.echo(f"{done.planned:,} units, {done.answered:,} with an answer, in {standing.plan.design.N.size:,} strata")
    note(f"{about}\nnext: fewlabels estimate {quote(name)}")
