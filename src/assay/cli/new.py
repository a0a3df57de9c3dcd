"""`assay new`: looks at a table, asks for what it needs, writes assay.toml and fixes the plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from assay.cli.completion import complete_files
from assay.cli.configuration import DEFAULT_LEDGER, PARAMETERS, configuration_path
from assay.cli.doctor import show_blocks, show_columns
from assay.cli.main import REFUSED
from assay.cli.options import json_option, population_options, read_options, resource_options
from assay.cli.output import note, print_json, working
from assay.cli.planning import plan_json, show_sizing
from assay.cli.questions import Questions
from assay.errors import ConfigurationError

if TYPE_CHECKING:
    from assay.nouns.goal import Goal
    from assay.nouns.population import Population
    from assay.nouns.profile import Profile
    from assay.study.configuration import Configuration
    from assay.study.examining import Examination
    from assay.study.plans.sizing import Sizing

GOAL = "precision +-0.05"


@click.command("new")
@click.argument("source", metavar="[POPULATION]", required=False, shell_complete=complete_files)
@population_options
@click.option(
    "--goal", "goals", multiple=True, metavar="GOAL", help='What you want to know: "precision +-0.05", "recall >= 0.9"; repeatable.'
)
@click.option("--level", type=float, default=0.95, show_default=True, help="How sure to be.")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to spend; what the goals need, and a tenth more.")
@click.option("--show", multiple=True, metavar="COLUMN[:KIND]", help="A column labelers see; repeatable. Never a score or a prediction.")
@click.option("--ask", metavar="TEXT", help='The question in words: "Is this message spam?"')
@click.option("--study", metavar="NAME", help="The study's name; that of the file unless said.")
@click.option(
    "--ledger", default=DEFAULT_LEDGER, envvar="ASSAY_LEDGER", show_default=True, show_envvar=True, metavar="ADDRESS",
    help="Where the record is kept.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Ask nothing: take what was found in the table for all that is not said.")
@click.option("--force", is_flag=True, help="Write over an assay.toml that is there.")
@click.option("--no-plan", is_flag=True, help="Write the file and fix no plan.")
@resource_options
@json_option
def command(*, source: str | None, yes: bool, force: bool, no_plan: bool, as_json: bool, **options: Any) -> None:
    """Look at your table, ask for what is needed, write assay.toml and fix the plan. From then on no command needs a name.

    Every question has an option, so that it also runs without a terminal. Ends with 5 if something in the table blocks.

    \b
    Examples:
      assay new scored.csv
      assay new scored.csv --score score --threshold 0.5 --goal "precision +-0.05" --budget 200 --show text --yes
    """  # noqa: D301
    questions = Questions(yes=yes)
    questions.refuse_unanswered(source, options)
    source = source or questions.text("Your table: a CSV or Parquet file, a folder, or a table of an engine", None)
    path = configuration_path()
    _refuse_overwriting(path, questions, force=force)
    found = _read_table(source, questions, options, as_json=as_json)
    sized = _size(found, questions, options, as_json=as_json)
    configuration = _configured(source, path, options)
    _write(path, configuration)
    plan = None
    if not no_plan and questions.confirm(f"Fix this plan now, {options['budget']:,} labels, before the first of them?"):
        plan = _begin(sized, options)
    if as_json:
        made = {
            "file": str(path),
            "configuration": configuration.said,
            "budget": options["budget"],
            "study": options["study"],
            "plan": plan,
        }
        print_json({**sized.sizing.as_json(), **made})
        return
    if plan is not None:
        note(f"plan {plan['number']} of study {options['study']} is fixed: {plan['budget']:,} labels, hash {str(plan['hash'])[:12]}")
    note(f"next: assay {'plan' if plan is None else 'label'}")


def _refuse_overwriting(path: Path, questions: Questions, *, force: bool) -> None:
    """Nothing comes back. Refuses to write over a file unless a person, or --force, says so."""
    if not path.exists() or force:
        return
    if not questions.can_ask or not questions.confirm(f"{path} is there already. Write over it?", default=False):
        raise ConfigurationError(
            f"a configuration is not written over unasked, but {path} is there: say --force, or work in another folder"
        )


def _read_table(source: str, questions: Questions, options: dict[str, Any], *, as_json: bool) -> "Examination":
    """The table, with its columns named. Ends the command with the doctor's findings where something blocks."""
    from assay.study.examining import examine
    from assay.study.preparing import look_at

    with working("looking at the table"):
        look = look_at(source)
    if not as_json:
        show_columns(look.columns)
    questions.columns(look, options)
    with working("reading the table"):
        found = examine(read_options(source, dict(options)))
    if not as_json:
        click.echo()
        for line in found.lines:
            click.echo(line)
    if not found.passed:
        print_json(found.as_json()) if as_json else show_blocks(found)
        note(f"{configuration_path()} is not written")
        raise click.exceptions.Exit(REFUSED)
    questions.shown(look, found.population, options)
    return found


class Sized(NamedTuple):
    """What is wanted of a population, and what it needs."""

    population: "Population"
    profile: "Profile"
    goals: "list[Goal]"
    sizing: "Sizing"


def _size(found: "Examination", questions: Questions, options: dict[str, Any], *, as_json: bool) -> Sized:
    """The goals and what they need; the budget and the study's name are put into the options."""
    from assay.nouns.goal import parse_goal
    from assay.study.plans.sizing import Columns, size_goals
    from assay.study.preparing import check_beginning, free_name, likely_budget
    from assay.study.profiling import check_goals, profile_for

    population, profile = found.population, found.profile
    assert profile is not None

    def goal(text: str) -> "Goal":
        read = parse_goal(text, level=options["level"])
        check_goals(population, [read])
        return read

    goals = questions.goals(options, goal, default=GOAL)
    with working("sizing the goals"):
        if population.is_joint:  # goals say then what steers the draw
            population, profile = profile_for(population, goals)
        names = Columns([c.name for c in population.classifiers], population.slices)
        sizing = size_goals(profile, goals, budget=options["budget"], names=names)
    if not as_json:
        click.echo()
        show_sizing(sizing)
    likely = likely_budget(population, profile, goals, needed=sizing.together)
    questions.budget(options, likely, lambda budget: check_beginning(population, profile, goals, budget=budget))
    questions.study(options, free_name(population.source, ledger=options["ledger"]))
    return Sized(population, profile, goals, sizing)


def _configured(source: str, path: Path, options: dict[str, Any]) -> "Configuration":
    """What the file will say."""
    from assay.study.configuration import KINDS, Configuration, has_password

    said = {key: options.get(PARAMETERS.get(key, key)) for key in KINDS}
    elsewhere = path.parent != Path()
    said["population"] = str(Path(source).absolute()) if elsewhere and Path(source).exists() else source
    if tuple(options["score_range"]) == (0.0, 1.0):
        said["score_range"] = None
    if has_password(options["ledger"]):
        said["ledger"] = None
        note("the ledger's address holds a password, so it is not written down: keep it in the environment as ASSAY_LEDGER")
    elif elsewhere and options["ledger"] == DEFAULT_LEDGER:
        said["ledger"] = f"sqlite:///{Path('assay.db').absolute()}"
    return Configuration(**{key: value for key, value in said.items() if value not in (None, (), False)})


def _write(path: Path, configuration: "Configuration") -> None:
    from assay.study.configuration import write_configuration

    write_configuration(path, configuration)
    note(f"{path} is written")


def _begin(sized: Sized, options: dict[str, Any]) -> dict[str, Any]:
    """The plan, fixed."""
    from assay.nouns.sheet import Sheet, parse_shown
    from assay.study.preparing import begin

    sheet = Sheet(show=tuple(map(parse_shown, options["show"])), ask=options["ask"] or "")
    how = {name: options[name] for name in ("ledger", "level", "budget")}
    with working("fixing the plan"):
        plan = begin(options["study"], sized.population, goals=sized.goals, profile=sized.profile, sheet=sheet, **how)
    return plan_json(plan)
