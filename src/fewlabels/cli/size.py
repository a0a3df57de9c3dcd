"""`fewlabels size`."""

from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.options import json_option, portion
from fewlabels.cli.output import note, print_json, working
from fewlabels.cli.plan import named_goals
from fewlabels.cli.plan_output import charted, costs, show_sizing, to_pay_options, write_page

if TYPE_CHECKING:
    from fewlabels.planning.sketch import Sketch

NEXT = "next, with a table: fewlabels plan scored.parquet --score score --threshold 0.5, and the same goals"


def whole(text: str) -> int:
    """Return a number that is written as people write large ones: 1_000_000, 1,000,000 or 1e6."""
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        number = float("nan")
    if not number.is_integer():
        raise click.BadParameter(f"units are counted in whole numbers, got {text!r}: write 1_000_000")
    return int(number)


@click.command("size")
@click.option(
    "--goal", "goals", multiple=True, metavar="GOAL",
    help='What you want to know: "precision +-0.03", "recall >= 0.90", "f1 >= 0.8 with 90 % power". Repeatable.',
)  # fmt: skip
@click.option("--flagged", type=portion, required=True, metavar="SHARE", help="The share of units that the classifier flags: 4% or 0.04.")
@click.option("--precision", type=portion, required=True, metavar="SHARE", help="The share of flagged units that are positive.")
@click.option("--prevalence", type=portion, required=True, metavar="SHARE", help="The share of all units that are positive.")
@click.option(
    "--units", type=whole, metavar="N", help="The units of the table to come. Default: 1_000_000; only with far fewer are sizes smaller."
)
@click.option(
    "--scores", type=click.Choice(["binormal", "plain"]), default="binormal", show_default=True,
    help="What scores are assumed to know. binormal: calibrated, and as good on either side of the threshold as at it. plain: the side "
    "alone.",
)  # fmt: skip
@click.option("--level", type=float, default=0.95, show_default=True, help="The confidence level.")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Also say what so many labels are expected to show.")
@click.option(
    "--cost-per-label", type=click.FloatRange(min=0), metavar="MONEY", help="What a label costs; the cost of every size is shown."
)
@click.option(
    "--seconds-per-label", type=click.FloatRange(min=0), metavar="S", help="How long a label takes; the hours of every size are shown."
)
@to_pay_options
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="FILE", help="Write the sizes as a page with a picture to FILE.")
@json_option
def command(*, as_json: bool, **options: Any) -> None:
    """Say how many labels each goal needs, before there is a table: from the shares that are flagged, right and positive.

    The three figures settle the recall, which is printed. How well scores rank is an assumption; everything else is what `fewlabels plan`
    would say of such a table.

    \b
    Example:
      fewlabels size --goal "precision +-0.05" --goal "recall >= 0.5" --flagged 4% --precision 80% --prevalence 5%
    """  # noqa: D301 - \b is Click's mark for "keep these lines"
    from fewlabels.nouns.goal import parse_goal
    from fewlabels.planning.sketch import DEFAULT_UNITS, Sketch, check_goals, imagined_profile
    from fewlabels.study.plan.one_draw import DEFAULT_WAYS, NO_NAMES
    from fewlabels.study.plan.outlook import verdicts_expected
    from fewlabels.study.plan.sizes import size_goals

    goals = [parse_goal(text, level=options["level"]) for text in named_goals(options)]
    shares = {name: options[name] for name in ("flagged", "precision", "prevalence")}
    sketch = Sketch(N=DEFAULT_UNITS if options["units"] is None else options["units"], **shares)
    profile = imagined_profile(sketch, options["scores"])
    check_goals(profile, goals, budget=options["budget"])
    with working("sizing the goals"):
        sizing = size_goals(profile, goals, budget=options["budget"], cost=costs(options))
    if options["page"]:
        write_page(options["page"], profile, goals, sizing, ways=DEFAULT_WAYS, names=NO_NAMES)
    assumed = assumptions(sketch, options)
    if as_json:
        about = {"about": f"about an imagined table: {'; '.join(assumed)}", "study": None, "plan": None}
        print_json({**sizing.as_json(), **about, "sketch": {**sketch.as_json(), "scores": options["scores"]}})
        return
    for line in assumed:
        click.echo(line)
    click.echo()
    show_sizing(sizing, verdicts_expected(profile, goals, sizing, NO_NAMES))
    if len(goals) == 1:
        charted(profile, goals, DEFAULT_WAYS, NO_NAMES)
    note(NEXT)


def assumptions(sketch: "Sketch", options: dict[str, Any]) -> list[str]:
    """Return what the sizes rest on, in sentences: the figures that were given, what follows from them, and what nobody gave."""
    flagged, precision, prevalence = (f"{100 * each:.4g}%" for each in (sketch.flagged, sketch.precision, sketch.prevalence))
    units = (
        f"{sketch.N:,} units"
        if options["units"] is not None
        else f"assumed (--units): {sketch.N:,} units; only with far fewer are sizes smaller"
    )
    if options["scores"] == "plain":
        known = "that know the side of the threshold a unit is on, and nothing else"
    else:
        known = (
            f"calibrated and binormal; precision and recall at the threshold put positives {sketch.separation:.2f} standard deviations "
            "above negatives"
        )
    return [
        f"given: {flagged} of units flagged, {precision} of these positive (precision), {prevalence} of all positive (prevalence)",
        f"so recall is {sketch.recall:.3f}, and {100 * sketch.missed:.3g}% of the units that are not flagged are positive",
        units,
        f"assumed (--scores {options['scores']}): scores {known}",
    ]
