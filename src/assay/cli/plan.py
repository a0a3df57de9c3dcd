"""`assay plan`."""

from typing import Any

import click

from assay.cli.options import json_option, ledger_option, population_options, read_options
from assay.cli.output import count, note, print_json, share, table, working
from assay.nouns.canonical import Json


@click.command("plan")
@click.argument("source", metavar="POPULATION")
@population_options
@click.option("--goal", "goals", multiple=True, required=True, metavar="GOAL", help='"precision +-0.03" or "recall >= 0.90"; repeatable.')
@click.option("--level", type=float, default=0.95, show_default=True, help="How sure to be.")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to spend. Without it: what the goals need.")
@click.option(
    "--grow-to", type=click.IntRange(min=1), metavar="N", help="A larger budget declared now, so that a look at --budget costs little."
)
@click.option("--design", type=click.Choice(["bands", "simple"]), help="How units are chosen; bands unless the study has another.")
@click.option(
    "--interval",
    type=click.Choice(["rec", "strict", "midp"]),
    help="What decides; rec unless said. strict holds also if errors hide where the guide says there are none; midp is narrower than rec, "
    "and may cover 0.90 where 0.95 is asked.",
)
@click.option(
    "--rule",
    type=click.Choice(["first", "majority", "unanimous"]),
    help="Which answer counts where several labelers see a unit; first unless said. Fixed when the study is created.",
)
@click.option("--study", metavar="NAME", help="Fix the plan in the ledger under this name.")
@ledger_option
@json_option
def command(*, source: str, as_json: bool, **options: Any) -> None:
    """Say how many labels each goal needs and what a budget buys; with --study, fix the plan before the first label.

    Planning a study again with a larger budget only adds units.

    \b
    Example:
      assay plan scored.parquet --score score --threshold 0.5 --goal "precision +-0.05" --goal "recall >= 0.6" --budget 600 --study demo
    """  # noqa: D301
    from assay.nouns.goal import parse_goal
    from assay.study.profiling import profile_for
    from assay.study.sizing import Ways, size_goals

    if options["study"] is not None and not options["study"].strip():
        raise click.UsageError("--study needs a name, but got an empty one.")
    population = read_options(source, options)
    goals = [parse_goal(text, level=options["level"]) for text in options["goals"]]
    with working("profiling the population"):
        population, profile = profile_for(population, goals)
    ways = Ways(options["design"] or "bands", options["interval"] or "rec")
    with working("sizing the goals"):
        sizing = size_goals(
            profile, goals, budget=options["budget"], grow_to=options["grow_to"], ways=ways, names=[c.name for c in population.classifiers]
        )
    fixed = _fix(population, goals, options, sizing.together) if options["study"] else None
    if as_json:
        print_json({**sizing.as_json(), "study": options["study"], "plan": fixed})
        return
    click.echo(f"{sizing.N:,} units, {sizing.flagged:,} flagged ({sizing.flagged / sizing.N:.2%})\n")
    rows = [[str(g.goal), count(g.bands), count(g.simple), count(g.uniform)] for g in sizing.goals]
    if len(rows) > 1:
        rows.append(["all on one draw", count(sizing.together), "", ""])
    table(("labels needed for", "bands", "simple draw", "uniform over the table"), rows)
    if sizing.budget:
        click.echo(f"\na budget of {sizing.budget:,} is expected to show")
        shown = [(g.goal, g.forecast) for g in sizing.goals if g.forecast is not None]
        table(
            ("goal", "value", "half-width", "settles it"),
            [[str(goal), share(f.value), f"{f.half_width:.3f}", "yes" if f.settles else "no"] for goal, f in shown],
        )
    note("\nsizes take the scores as true probabilities; '-' means that not even all units would do")
    if fixed:
        note(f"plan {fixed['number']} of study {options['study']} is fixed: {fixed['budget']:,} labels, hash {str(fixed['hash'])[:12]}")
        note(f"{fixed['promise']}\nnext: assay draw {options['study']} --units 50 --out batch.csv")


def _fix(population: Any, goals: list[Any], options: dict[str, Any], needed: int | None) -> dict[str, Json]:
    """Creates the study unless it exists, and fixes its plan."""
    from assay.study.study import Study

    budget = options["budget"] or needed
    if budget is None:
        raise click.UsageError("Not even all units would settle these goals; say with --budget what to spend.")
    with working("fixing the plan"):
        how = {name: options[name] for name in ("ledger", "level", "rule")}
        study = Study.create(options["study"], population, goals=goals, **how)
        plan = study.plan(budget, grow_to=options["grow_to"], design=options["design"], interval=options["interval"])
    return {
        "number": plan.number,
        "hash": plan.hash,
        "budget": plan.budget,
        "grow_to": plan.grow_to,
        "bands": int(plan.design.N.size),
        "change": plan.change,
        "promise": plan.promise,
    }
