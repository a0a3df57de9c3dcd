"""`fewlabels plan`."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.choices import interval_choice
from fewlabels.cli.completion import complete_files, complete_studies
from fewlabels.cli.configuration import file_sheet, population_to_plan
from fewlabels.cli.goal_texts import can_ask, clear_goals
from fewlabels.cli.help import ManyOptions
from fewlabels.cli.known import known_options, read_given, refuse_later
from fewlabels.cli.options import (
    RESOURCES_MORE,
    TABLE_COMMON,
    TABLE_MORE,
    about_option,
    answers_option,
    json_option,
    ledger_option,
    population_options,
    read_options,
    resource_options,
    spelled,
    told_in,
    type_option,
)
from fewlabels.cli.output import note, print_json, working
from fewlabels.cli.plan_output import DESIGN_OPTIONS, charted, choice_of, costs, plan_json, show_sizing, to_pay_options, write_page
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.late import MEANINGS

if TYPE_CHECKING:
    from fewlabels.nouns.late import Late
    from fewlabels.study.labels.known import KnownAnswers
    from fewlabels.study.population.calibration import Recalibration


def design_options(function: Any) -> Any:
    """Add the options that say how units are chosen."""
    for option in reversed(DESIGN_OPTIONS):
        function = option(function)
    return function


@click.command(
    "plan",
    cls=ManyOptions,
    common=(*TABLE_COMMON, "--goal", "--about", "--budget", "--study", "--ledger", "--json"),
    more={
        **TABLE_MORE,
        "How units are chosen": (
            "--design", "--cut", "--smallest-take", "--takes", "--expect", "--error-weights", "--pi", "--several", "--pilot", "--answers",
            "--number",
        ),
        "When and how it is decided": ("--level", "--trust-scores", "--interval", "--stopping", "--grow-to", "--rule"),
        "Answers that arrive by themselves": ("--answers-until", "--answers-since", "--no-answer-means", "--delays"),
        "Labels already owned": ("--known", "--known-positive", "--known-check", "--known-in-training"),
        "Earlier studies, and what is added later": ("--follows", "--add-classifier", "--add-vote"),
        "Tables that fewlabels does not open": ("--profile-file", "--type"),
        "What labels cost": ("--cost-per-label", "--price", "--spend", "--seconds-per-label", "--unanswered", "--looked-twice"),
        "What is shown": ("--html", "--dry-run"),
        **RESOURCES_MORE,
    },
)  # fmt: skip
@click.argument("source", metavar="[POPULATION]", required=False, shell_complete=complete_files)
@population_options
@click.option(
    "--goal", "goals", multiple=True, metavar="GOAL",
    help='What you want to know: "precision +-0.03", "recall >= 0.90", "f1 +-0.05 by country", '
    '"precision >= 0.9 with 90 % power if 0.93". Repeatable.',
)  # fmt: skip
@about_option
@known_options
@click.option("--level", type=float, default=0.95, show_default=True, help="The confidence level.")
@click.option(
    "--budget", type=click.IntRange(min=1), metavar="N", help="Labels to spend. Default: enough to settle all goals four times in five."
)
@click.option(
    "--grow-to",
    type=click.IntRange(min=1),
    metavar="N",
    help="A larger budget declared now, so that a look at --budget costs little precision later.",
)
@click.option(
    "--pilot", type=click.IntRange(min=1), metavar="N",
    help="Draw N units of the budget first, fit the guide to their answers, and draw the rest by it.",
)  # fmt: skip
@design_options
@click.option(
    "--interval",
    type=interval_choice(lambda interval: interval.may_plan),
    help="The interval that decides. Default: placed, valid wherever errors are; strict is too, and wider. midp trusts scores as rec "
    "does and may cover only 0.90 at level 0.95.",
)
@click.option(
    "--trust-scores", is_flag=True,
    help="Trust the scores about errors that no label has shown, once labels bear them out: fewer labels, and no protection against "
    "positives that hide where scores see none. Short for --interval rec.",
)  # fmt: skip
@click.option(
    "--stopping", metavar="RULE",
    help='When to stop labeling: "decision", "decision +-0.02" or "width" (look as often as you like), or "5 looks". '
    "Default: one look at the end.",
)  # fmt: skip
@click.option(
    "--rule",
    type=click.Choice(["first", "majority", "unanimous"]),
    help="Which answer counts if several labelers answer a unit. Default: first. Cannot be changed later.",
)
@click.option(
    "--answers-until", metavar="DAY",
    help="Answers arrive by themselves, such as chargebacks, until this day (2026-12-31): numbers before are provisional.",
)  # fmt: skip
@click.option("--answers-since", metavar="DAY", help="The day from which their delays count.")
@click.option(
    "--no-answer-means", type=click.Choice(MEANINGS),
    help="What a missing answer means on that day. Default: unknown; negative needs --delays.",
)  # fmt: skip
@click.option(
    "--delays", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="How earlier positives arrived: a row for each, with days and optionally side (flagged, unflagged). Corrects for those still to "
    "arrive.",
)  # fmt: skip
@answers_option("A few answers (unit, answer), such as those of an earlier study: also show sizes with the scores recalibrated by them.")
@click.option(
    "--cost-per-label", type=click.FloatRange(min=0), metavar="MONEY", help="What a label costs; the cost of every size is shown."
)
@click.option(
    "--price", "prices", multiple=True, metavar="COLUMN=VALUE:MONEY",
    help="What a label costs in a slice, such as language=de:0.90; --cost-per-label is for the others. Units that cost less are drawn more "
    "often. Repeatable.",
)  # fmt: skip
@click.option("--spend", type=click.FloatRange(min=0, min_open=True), metavar="MONEY", help="Instead of --budget: the most labels for it.")
@click.option(
    "--seconds-per-label", type=click.FloatRange(min=0), metavar="S", help="How long a label takes; the hours of every size are shown."
)
@to_pay_options
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="FILE", help="Write the plan as a page with a picture to FILE.")
@click.option(
    "--follows",
    metavar="STUDY",
    shell_complete=complete_studies,
    help="An earlier study, such as last week's, whose permanent numbers and answers are inherited.",
)
@click.option(
    "--add-classifier", "added", multiple=True, metavar="NAME=SCORE@THRESHOLD",
    help="Without POPULATION: add a classifier, or another threshold, to --study. Repeatable.",
)  # fmt: skip
@click.option(
    "--add-vote", "added_votes", multiple=True, metavar="NAME=K:A,B,C", help="Without POPULATION: add a vote to --study. Repeatable."
)
@click.option(
    "--number", "number_rule", type=click.Choice(["md5", "fast"]),
    help="How permanent numbers are made. Default: md5, for any id; fast is several times cheaper on large tables, for 64-bit integers.",
)  # fmt: skip
@click.option(
    "--profile-file", "profile_file", metavar="FILE",
    help="For a table that fewlabels does not open: the result of the profile query that `fewlabels sql` prints, "
    "as Parquet or CSV, a folder or a glob.",
)  # fmt: skip
@type_option
@resource_options
@click.option(
    "--study", metavar="NAME", shell_complete=complete_studies,
    help="Lock the plan in the ledger under this name; without POPULATION, raise the study's budget.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Lock nothing, even if --study or fewlabels.toml names a study.")
@ledger_option
@json_option
def command(*, source: str | None, as_json: bool, **options: Any) -> None:
    """Say how many labels each goal needs and what a budget buys; with --study, lock the plan before the first label.

    Without POPULATION, plan an existing study again: with a larger --budget, or with a classifier or goal added. Every label is kept, and
    units are only added. If --budget is omitted, show what the labels already say about what is added, and how many more it needs.

    Whatever is omitted, POPULATION and --study included, is taken from fewlabels.toml.

    \b
    Examples:
      fewlabels plan scored.parquet --score score --threshold 0.5 --goal "precision +-0.05" --goal "recall >= 0.6" --budget 600 --study demo
      fewlabels plan --study demo --budget 800
      fewlabels plan snowflake:risk.scored --score SCORE --threshold 0.5 --profile-file profile.csv --goal "precision +-0.05" --study snow
      fewlabels plan --study demo --add-classifier strict=score@0.7 --goal "precision +-0.05 for strict"
    """  # noqa: D301
    if options["study"] is not None and not options["study"].strip():
        raise click.UsageError("--study needs a name, got an empty one.")
    _read_trust(options)
    source = population_to_plan(source, options)
    if source is None:
        _plan_again(options, as_json=as_json)
    else:
        _plan_first(source, options, as_json=as_json)


def _read_trust(options: dict[str, Any]) -> None:
    """Replace --trust-scores by the interval that it stands for."""
    from fewlabels.nouns.estimate import TRUSTING_INTERVAL

    if options.pop("trust_scores"):
        if options["interval"] not in (None, TRUSTING_INTERVAL):
            raise click.UsageError(f"--trust-scores is --interval {TRUSTING_INTERVAL}, got {options['interval']} too: name one of them.")
        options["interval"] = TRUSTING_INTERVAL


def _plan_again(options: dict[str, Any], *, as_json: bool) -> None:
    """Plan an existing study again: a larger budget, or added classifiers and goals."""
    from fewlabels.cli.plan_again import add, top_up

    refuse_later(options)
    if options["dry_run"]:
        raise click.UsageError("--dry-run is for a first plan: an existing study is planned again, or left as it is.")
    if options["profile_file"] or options["types"]:
        raise click.UsageError("--profile-file and --type are for a population: name it, or leave them out.")
    late = options["added"] or options["added_votes"] or options["goals"]
    (add if late else top_up)(options, as_json=as_json)


def _plan_first(source: str, options: dict[str, Any], *, as_json: bool) -> None:
    """Show what goals need of a population, and with --study lock the first plan."""
    from fewlabels.nouns.goal import parse_goal
    from fewlabels.study.estimate.about import about_table
    from fewlabels.study.plan.one_draw import ColumnNames, PlanOptions
    from fewlabels.study.plan.outlook import verdicts_expected
    from fewlabels.study.plan.sizes import size_goals

    _refuse_unfit(options)
    population, goals = read_options(source, options), [parse_goal(text, level=options["level"]) for text in named_goals(options)]
    with working("profiling the population"):
        population, profile = _profiled(population, goals, options)
    given, owned = read_given(population, profile, goals, options)
    counted, profile = profile, profile if owned is None else profile.without(owned.labels)
    names = ColumnNames([c.name for c in population.classifiers], population.slices)
    ways = PlanOptions(choice_of(options), interval_of(options), recalibrated_by(options, population))
    options["budget"] = bought(profile, goals, ways, names, options) or sum(ways.choice.takes) or None
    if options["budget"]:
        check_plan(population, profile, goals, options)
    with working("sizing the goals"):
        sizing = size_goals(
            profile, goals, budget=options["budget"], grow_to=options["grow_to"], ways=ways, names=names, cost=costs(options)
        )
    if options["page"]:
        write_page(options["page"], profile, goals, sizing, ways=ways, names=names)
    needed = sizing.units.get("for_all")
    fixed = _fix(population, counted, options, goals=goals, needed=needed, given=given) if options["study"] else None
    if as_json:
        print_json({**sizing.as_json(), "about": about_table(profile, population.cluster), "study": options["study"], "plan": fixed})
        return
    show_sizing(sizing, verdicts_expected(profile, goals, sizing, names))
    if len(sizing.goals) == 1:
        charted(profile, goals, ways, names)
    _tell_next(fixed, about_table(profile, population.cluster), options)


def bought(profile: Any, goals: list[Any], ways: Any, names: Any, options: dict[str, Any]) -> int | None:
    """Return the budget in labels, if one is named: in labels, or in money."""
    from fewlabels.study.plan.one_draw import OneDraw
    from fewlabels.study.plan.paying import affordable

    if options["spend"] is None:
        return None if options["budget"] is None else int(options["budget"])
    if options["budget"] or options["pilot"] or options["stopping"]:
        raise click.UsageError("--spend is for one look at all labels, instead of --budget: leave out --budget, --pilot and --stopping.")
    with working("spending the money"):
        return affordable(
            OneDraw(profile, goals, ways, names), options["spend"], costs(options), 0 if profile.known is None else profile.known.labels
        )


def _refuse_unfit(options: dict[str, Any]) -> None:
    """Raise UsageError for options that do not fit a first plan; forget the study if nothing is to be locked."""
    if options["dry_run"]:
        options["study"] = options["follows"] = None
    if options["follows"] and not options["study"]:
        raise click.UsageError("--follows is for a study: name it with --study.")
    if options["added"] or options["added_votes"]:
        raise click.UsageError("--add-classifier and --add-vote are for an existing study: leave POPULATION out, or use --classifier.")


def _tell_next(fixed: dict[str, Json] | None, about: str, options: dict[str, Any]) -> None:
    """Print what nobody has checked, and the plan that is locked now; without one, what numbers would be about."""
    from fewlabels.study.draw.offline import DUPLICATES

    if options["profile_file"]:
        note(DUPLICATES)
    if fixed:
        tell_fixed(fixed, options)
    else:
        note(about)


def _profiled(population: Any, goals: list[Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the population and its profile, counted now or handed in."""
    from fewlabels.cli.options import types_of
    from fewlabels.study.draw.offline import handed_profile
    from fewlabels.study.population.profile import about_of, about_which, profile_for

    if options["profile_file"] is None:
        if options["types"]:
            raise click.UsageError("--type is for a table that fewlabels does not open: hand in its profile with --profile-file.")
        return profile_for(population, goals, options["about"])
    profile = handed_profile(population, goals, options["profile_file"], types_of(options["types"]))
    return population, about_which(population, profile, about_of(population, goals, options["about"]))


def check_plan(population: Any, profile: Any, goals: list[Any], options: dict[str, Any]) -> None:
    """Check, before anything is recorded, that the plan can be locked."""
    from fewlabels.study.plan.next_plan import PlanWays, check_first

    ways = PlanWays(choice_of(options), interval_of(options), options["pilot"], stopping_of(options))
    check_first(population, profile, goals, budget=options["budget"], grow_to=options["grow_to"], ways=ways, late=late_of(options))


def interval_of(options: dict[str, Any]) -> Any:
    """Return the interval that was named, or the usual one."""
    from fewlabels.nouns.estimate import USUAL_INTERVAL

    return options["interval"] or USUAL_INTERVAL


def stopping_of(options: dict[str, Any]) -> Any:
    """Return the stopping rule that was named, or None for one look."""
    from fewlabels.nouns.stopping import parse_stopping

    return parse_stopping(options["stopping"]) if options["stopping"] else None


def tell_fixed(fixed: dict[str, Json], options: dict[str, Any]) -> None:
    """Print the plan that is locked now, and what to do next."""
    if options["pilot"]:
        note(
            "forecasts assume one draw guided by the scores as they are; units after the pilot are drawn by the guide fitted to its answers"
        )
    what = f"a pilot of {fixed['budget']:,}" if options["pilot"] else f"{fixed['budget']:,}"
    note(f"plan {fixed['number']} of study {options['study']} is locked: {what} labels, hash {str(fixed['hash'])[:12]}")
    named = quote(options["study"])
    if options.get("profile_file"):
        way_on = f"fewlabels sql {named} --out draw.sql, run it, then: fewlabels draw {named} --candidates-file FILE"
    else:
        way_on = f"fewlabels draw {named} --units 50 --out batch.csv"
    if fixed["stopping"]:
        note(f"{fixed['budget']:,} labels at most; it stops by {fixed['stopping']}{expected_of(options)}")
    note(f"{fixed['promise']}\n{fixed['about']}\nnext: {way_on}")


def expected_of(options: dict[str, Any]) -> str:
    """Return how many labels an online study should need, in words; empty if its looks are planned."""
    from fewlabels.study.kinds import kind_of
    from fewlabels.study.study import Study

    with working("simulating the study"):
        study = Study.load(options["study"], ledger=options["ledger"])
        running = kind_of(study.standing).running(study.standing, forecast=True)
    return "" if running is None or running.remaining is None else f", after {running.remaining.in_all(running.labels)}"


def recalibrated_by(options: dict[str, Any], population: Any) -> "Recalibration | None":
    """Return the recalibration of the scores by the answers; None without answers."""
    from fewlabels.study.population.calibration import read_answered, recalibration

    if options["answers"] is None:
        return None
    told = told_in(options["answers"], population)
    if not told:
        raise click.UsageError("--answers holds no answer that says yes or no.")
    return recalibration(read_answered(population, told))


def named_goals(options: dict[str, Any]) -> tuple[str, ...]:
    """Return the goals that were named; raise UsageError if there are none."""
    if not options["goals"]:
        raise click.UsageError('Name at least one goal: --goal "precision +-0.03" or --goal "recall >= 0.90".')
    return clear_goals(options["goals"], ask=can_ask())


def late_of(options: dict[str, Any]) -> "Late | None":
    """Return what is said of answers that arrive by themselves; None without --answers-until."""
    from fewlabels.labeling.delays import read_delays
    from fewlabels.nouns.late import Late

    until, since, delays = options["answers_until"], options["answers_since"], options["delays"]
    if until is None:
        named = [spelled(name) for name in ("answers_since", "no_answer_means", "delays") if options[name] is not None]
        if named:
            raise click.UsageError(f"{', '.join(named)} is about answers that arrive by themselves: name the day with --answers-until.")
        return None
    if since is None:
        raise click.UsageError("--answers-until needs --answers-since: the day from which delays count.")
    sides = {} if delays is None else read_delays(delays)
    return Late(until=until, since=since, missing=options["no_answer_means"] or "unknown", **sides)


def _fix(
    population: Any, profile: Any, options: dict[str, Any], *, goals: list[Any], needed: int | None, given: "KnownAnswers"
) -> dict[str, Json]:
    """Create the study unless it exists, and lock its plan."""
    from fewlabels.cli.new_study import set_shown
    from fewlabels.study.study import Study

    budget = options["budget"] or needed
    if budget is None:
        raise click.UsageError("Not even all units would settle these goals; say with --budget what to spend.")
    sheet = file_sheet(population, profile)
    with working("locking the plan"):
        how = {name: options[name] for name in ("ledger", "level", "rule", "follows", "number_rule", "about")}
        how |= {"known": given.answers, "known_positive": given.positives, "known_check": given.check, "known_in_training": given.training}
        study = Study.create(options["study"], population, goals=goals, profile=profile, late=late_of(options), **how)
        how = {name: options[name] for name in ("grow_to", "pilot", "interval", "stopping")}
        study.plan(budget, design=choice_of(options, said=True), **how)
        set_shown(study, sheet)
    return plan_json(study)
