"""What `fewlabels plan` shares with other commands: how a design is asked for, what labels cost, the chart of half-width over labels."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.options import portion, spelled
from fewlabels.cli.output import count, note, share, table, working
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.design import DESIGNS, Design, parse_cut

if TYPE_CHECKING:
    from fewlabels.nouns.goal import Goal
    from fewlabels.nouns.profile import Profile
    from fewlabels.planning.forecasting import Forecast
    from fewlabels.study.plan.one_draw import ColumnNames, PlanOptions
    from fewlabels.study.plan.outlook import Outlook
    from fewlabels.study.plan.paying import Cost
    from fewlabels.study.plan.sizes import Sizing

BARS = 28  # characters of the widest bar

DESIGN_OPTIONS = (
    click.option("--design", type=click.Choice(DESIGNS), help="How units are chosen. Default: bands, or what the study has."),
    click.option("--cut", metavar="HOW", help="For strata: score:10, percentile:10, edges:0.1,0.5 or column:NAME. Default: percentile:10."),
    click.option("--smallest-take", type=click.IntRange(min=1), metavar="N", help="For strata: the fewest labels each gets. Default: 2."),
    click.option("--takes", metavar="A,B,C", help="For manual: the labels per stratum, unflagged from low to high score, then flagged."),
    click.option("--expect", type=float, nargs=2, metavar="PI1 PI0", help="For two_bins: the positive share of flagged and other units."),
    click.option(
        "--error-weights", type=float, nargs=3, metavar="P R F",
        help="For two_bins: the weights of errors of precision, recall and F1. Default: 0 0 1.",
    ),
    click.option("--pi", metavar="COLUMN", help="For given: the slice column that holds each unit's probability."),
    click.option(
        "--several", type=click.Choice(["largest", "optimum"]),
        help="How several goals share one draw. Default: largest, the largest rate any of them needs.",
    ),
)  # fmt: skip


def to_pay_options(function: Any) -> Any:
    """Add the options that say how many labels are paid for beside the usable answers that goals need."""
    for option in (
        click.option(
            "--looked-twice", "twice", type=portion, default="0", metavar="SHARE",
            help="The share of units that two labelers look at: 10% or 0.1. The looks to pay for are shown.",
        ),
        click.option(
            "--unanswered", type=portion, default="0", metavar="SHARE",
            help="The share of units that will stay without a usable answer: 5% or 0.05. Sizes, and what a budget shows, allow for it.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def choice_of(options: dict[str, Any], *, said: bool = False) -> Any:
    """Return the design the options ask for; with said=True, None if they ask for none."""
    named = {
        "name": options["design"],
        "cut": parse_cut(options["cut"]) if options["cut"] else None,
        "smallest": options["smallest_take"],
        "takes": _numbers(options["takes"]) if options["takes"] else None,
        "expect": options["expect"] or None,
        "weights": options["error_weights"] or None,
        "pi": options["pi"],
        "several": options["several"],
        "prices": prices_of(options),
    }
    asked = {name: value for name, value in named.items() if value is not None}
    return None if said and not asked else Design(**asked)


def prices_of(options: dict[str, Any]) -> Any:
    """Return what labels cost by slice, or None: COLUMN=VALUE:MONEY, repeated; --cost-per-label is for all other values."""
    from fewlabels.nouns.design import Prices

    found: dict[str, float] = {}
    columns: list[str] = []
    for text in options.get("prices") or ():
        named, _, money = text.rpartition(":")
        column, equals, value = named.partition("=")
        try:
            found[value] = float(money)
        except ValueError:
            equals = ""
        if not equals or not column or not value:
            raise click.UsageError(f"--price is COLUMN=VALUE:MONEY, got {text!r}: write language=de:0.90")
        columns.append(column)
    if len(set(columns)) > 1:
        raise click.UsageError(
            f"prices must be by one column, got {', '.join(sorted(set(columns)))}: choose one, or make a column of both."
        )
    return Prices(columns[0], tuple(found.items()), options["cost_per_label"]) if columns else None


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"--takes must be whole numbers separated by commas, got {text!r}: write 50,50,100") from None


def costs(options: dict[str, Any]) -> "Cost":
    """Return what a label costs, as far as the options say."""
    from fewlabels.study.plan.paying import Cost

    for name in ("cost_per_label", "seconds_per_label"):
        if options[name] is not None and not math.isfinite(options[name]):
            raise click.UsageError(f"{spelled(name)} must be a number, got {options[name]}: write 0.40 or 30.")
    for name, most in (("unanswered", 0.99), ("twice", 1.0)):
        if not 0 <= options[name] <= most:
            raise click.UsageError(f"{spelled(name)} must be a share from 0 to {most:g}, got {options[name]:g}: write 5% or 0.05.")
    return Cost(options["cost_per_label"], options["seconds_per_label"], options["unanswered"], options["twice"])


def charted(profile: "Profile", goals: Sequence["Goal"], ways: "PlanOptions", names: "ColumnNames") -> None:
    """Draw half-width against labels, chosen and uniform, as bars on stderr."""
    from fewlabels.study.plan.sizes import curve

    rows = curve(profile, goals[0], ways=ways, names=names)
    if not rows:
        return
    if not any(row.chosen or row.uniform for row in rows):
        return  # nothing to learn: the value is known without a label
    widest = max(max(row.chosen, row.uniform) for row in rows)
    note(f"\nhalf-width of {goals[0].metric} against labels (# chosen, - uniform)")
    note("   labels  chosen uniform")
    for row in rows:
        chosen, uniform = (max(1, round(BARS * width / widest)) for width in (row.chosen, row.uniform))
        bar = "#" * chosen + "-" * max(0, uniform - chosen)
        note(f"{row.labels:>9,}  {row.chosen:.3f}  {row.uniform:.3f}  {bar}")


def write_page(
    path: str, profile: "Profile", goals: Sequence["Goal"], sizing: "Sizing", *, ways: "PlanOptions", names: "ColumnNames"
) -> None:
    """Write the planning picture."""
    from fewlabels.reports.plan_page import plan_page
    from fewlabels.study.plan.chart import picture

    with working("drawing the picture"):
        text = plan_page(picture(profile, goals, sizing, ways=ways, names=names))
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"the page could not be written to {path}: {error.strerror}") from None
    note(f"the picture is in {path}")


def plan_json(study: Any) -> dict[str, Json]:
    """Return a study's current plan as --json shows it."""
    from fewlabels.study.estimate.about import about_words

    plan = study.standing.plan
    return {
        "number": plan.number,
        "hash": plan.hash,
        "budget": plan.budget,
        "grow_to": plan.grow_to,
        "bands": int(plan.design.N.size),
        "change": plan.change,
        "promise": plan.promise,
        "about": about_words(study.standing),
        "stopping": None if plan.stopping is None else str(plan.stopping),
    }


def show_sizing(sizing: "Sizing", expected: Sequence[str] = ()) -> None:
    """Print what the goals need, what the budget buys, and the verdicts to expect."""
    click.echo(f"{sizing.N:,} units, {sizing.flagged:,} flagged ({sizing.flagged / sizing.N:.2%})\n")
    learned = any(g.recalibrated is not None for g in sizing.goals)
    rows = [
        [str(g.goal), count(g.labels), *([count(g.recalibrated)] if learned else []), count(g.worst), count(g.simple), count(g.uniform),
         saved(g.labels, g.uniform)]
        for g in sizing.goals
    ]  # fmt: skip
    rows += _all_rows(sizing, learned=learned)
    by = ("chosen", "recalibrated") if learned else ("chosen",)
    table(("labels needed for", *by, "at worst", "simple draw", "uniform", "uniform wastes"), rows)
    for size in sizing.goals:
        if size.all_units is not None:
            click.echo(f"{size.goal}: {size.all_units}")
    if (to_pay := sizing.cost.said(sizing.budget_or_size)) is not None:
        click.echo(f"\n{to_pay}")
    chosen = "budget" if sizing.budget else "for_all"
    for name, of in (("chosen", chosen), ("uniform", "uniform")):
        if (bill := billed(sizing, of)) is not None:
            click.echo(f"{name}: {bill}")
    show_forecast(sizing, expected)
    if sizing.left_out:
        note(f"\nleft out, because no unit there counts for them: {'; '.join(map(str, sizing.left_out))}")
    note(
        "\nchosen: if scores are calibrated; at worst: if scores are uninformative among flagged and among other units, and off between "
        "them. '-': not even all units would do; at worst also where a target may be the value itself, and of several labels or classes "
        "together"
    )


def _all_rows(sizing: "Sizing", *, learned: bool) -> list[list[str]]:
    """Return the rows for all goals: on one draw, and with a draw for each."""
    blank = [""] * (3 if learned else 2)
    if len(sizing.goals) == 1:
        return [] if sizing.for_all == sizing.together else [["with a chance of 80%", count(sizing.for_all), *blank, "", ""]]
    uniform = [count(sizing.uniform), saved(sizing.together, sizing.uniform)]
    rows = [
        ["a draw for each", count(sizing.separately), *blank, "", ""],
        ["one draw, each with its own chance", count(sizing.together), *blank, *uniform],
        ["one draw, all with a chance of 80%", count(sizing.for_all), *blank, "", ""],
    ]
    if sizing.optimum is not None:
        rows.append(["one draw, --several optimum", count(sizing.optimum), *blank, "", ""])
    if sizing.recycled is not None:
        rows.append([f"simple, recycled from {sizing.recycled[0]}", "", *blank[1:], count(sizing.recycled[1]), "", ""])
    return rows


def show_forecast(sizing: "Sizing", expected: Sequence[str]) -> None:
    """Print what the budget, if there is one, is expected to show for each goal, and the verdicts to expect."""
    if sizing.shown_at:
        named = "a budget of {:,}" if sizing.budget else "{:,} labels, the size for all," if len(sizing.goals) > 1 else "{:,} labels"
        click.echo(f"\nwhat {named.format(sizing.shown_at)} should show")
        _forecast_table([(g.goal, g.forecast) for g in sizing.goals if g.forecast is not None], sizing.chance, sizing.expected)
    for line in expected:
        click.echo(line)


def show_outlook(ahead: "Outlook") -> None:
    """Print what a locked plan is expected to show."""
    of = f"all {ahead.labels:,} labels"
    if ahead.usable < ahead.labels:
        of = f"the {ahead.usable:,} usable answers to expect of {ahead.labels:,} units, if as many stay out as so far,"
    click.echo(f"\nwhat {of} should show, by the scores; no answer is read")
    _forecast_table(ahead.goals, ahead.chance, ahead.expected)


def _forecast_table(goals: "Sequence[tuple[Goal, Forecast]]", of_all: float | None, expected: str | None) -> None:
    rows = [[str(goal), share(f.value), f"{f.half_width:.3f}", chance(f.chance), f.expected] for goal, f in goals]
    rows += [["all together", "", "", chance(of_all), expected or ""]] if len(rows) > 1 else []
    table(("goal", "value", "half-width", "chance", "expected"), rows)


def chance(value: float | None) -> str:
    """Return a chance to be settled; it is never certain."""
    return "-" if value is None else ">99%" if value > 0.99 else "<1%" if value < 0.01 else f"{value:.0%}"


def saved(labels: int | None, uniform: int | None) -> str:
    """Return the share of uniform labels that would be wasted."""
    return "-" if labels is None or not uniform else f"{max(0.0, 1 - labels / uniform):.0%}"


def billed(sizing: "Sizing", name: str) -> str | None:
    """Return what a size costs, in words; None if no cost is known."""
    units = sizing.units.get(name)
    money, hours = sizing.money(name), sizing.cost.hours(units)
    if units is None or (money is None and hours is None):
        return None
    parts = [
        f"{sizing.cost.looks(units):,} labels",
        "" if money is None else f"cost {money:,.2f}",
        "" if hours is None else f"{hours:,.1f} hours",
    ]
    return ", ".join(part for part in parts if part)
