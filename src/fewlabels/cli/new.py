"""`fewlabels new`: looks at a table, asks for what it needs, writes fewlabels.toml and locks the plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fewlabels.cli.completion import complete_files
from fewlabels.cli.configuration import DEFAULT_LEDGER, PARAMETERS, configuration_path
from fewlabels.cli.doctor import show_blocks, show_columns
from fewlabels.cli.help import ManyOptions
from fewlabels.cli.main import REFUSED
from fewlabels.cli.new_questions import Questions
from fewlabels.cli.options import (
    RESOURCES_MORE,
    TABLE_COMMON,
    TABLE_MORE,
    about_option,
    json_option,
    population_options,
    read_options,
    resource_options,
)
from fewlabels.cli.output import note, print_json, working
from fewlabels.cli.plan_output import plan_json, show_forecast, show_sizing
from fewlabels.errors import ConfigurationError, FewlabelsError
from fewlabels.labeling.terminal import harmless

if TYPE_CHECKING:
    from fewlabels.cli.configuration_file import Configuration
    from fewlabels.cli.new_study import Beginning
    from fewlabels.nouns.goal import Goal
    from fewlabels.nouns.population import Population
    from fewlabels.nouns.profile import Profile
    from fewlabels.study.plan.sizes import Sizing
    from fewlabels.study.population.doctor import Examination
    from fewlabels.study.population.first_sight import FirstSight

GOAL = "precision +-0.05"
STOPPED = 130  # the exit code of a command that Ctrl-C ended


@click.command(
    "new",
    cls=ManyOptions,
    common=(*TABLE_COMMON, "--goal", "--about", "--budget", "--show", "--ask", "--study", "--yes", "--ledger", "--json"),
    more={**TABLE_MORE, "More about the study": ("--level", "--grow-to", "--force", "--no-plan"), **RESOURCES_MORE},
)
@click.argument("source", metavar="[POPULATION]", required=False, shell_complete=complete_files)
@population_options
@click.option(
    "--goal", "goals", multiple=True, metavar="GOAL", help='What you want to know: "precision +-0.05", "recall >= 0.9". Repeatable.'
)
@about_option
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
    "--show", multiple=True, metavar="COLUMN[:KIND]", help="A column that labelers see; never a score or a prediction. Repeatable."
)
@click.option("--ask", metavar="TEXT", help='The question in words: "Is this message spam?"')
@click.option("--study", metavar="NAME", help="The name of the study. Default: the name of the table, with a number if it is taken.")
@click.option(
    "--ledger", default=DEFAULT_LEDGER, envvar="FEWLABELS_LEDGER", show_default=True, show_envvar=True, metavar="ADDRESS",
    help="The ledger: where the record is kept.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Ask nothing; for everything omitted, use what the table suggests.")
@click.option("--force", is_flag=True, help="Overwrite an existing fewlabels.toml.")
@click.option("--no-plan", is_flag=True, help="Write fewlabels.toml, but lock no plan.")
@resource_options
@json_option
def command(*, source: str | None, yes: bool, force: bool, no_plan: bool, as_json: bool, **options: Any) -> None:
    """Read your table, ask a few questions, write fewlabels.toml and lock the plan. After that, no command needs a name.

    Every question can be answered by an option, so it also runs without a terminal. Exits with 5 if a problem in the table blocks a study.

    \b
    Examples:
      fewlabels new scored.csv
      fewlabels new scored.csv --score score --threshold 0.5 --goal "precision +-0.05" --budget 200 --show text --yes
    """  # noqa: D301
    questions = Questions(yes=yes)
    questions.refuse_unanswered(source, options)
    written: list[str] = []
    try:
        source = source or questions.text("Your table: a CSV or Parquet file, a folder, or a table of an engine", None)
        _refuse_overwriting(configuration_path(), questions, force=force)
        found = _read_table(source, questions, options, as_json=as_json)
        sized = _size(found, questions, options, as_json=as_json)
        configuration = _configured(source, configuration_path(), options)
        _write(configuration_path(), configuration)
        written.append(f"{configuration_path()} is written, and no plan is locked: fewlabels plan")
        plan = None if no_plan or not questions.fixes(options["budget"], sized.sizing) else _begin(sized, options)
    except (click.Abort, KeyboardInterrupt):
        note(f"\nstopped; {', '.join(written) or 'nothing was written'}")
        raise click.exceptions.Exit(STOPPED) from None
    _tell(sized, configuration, plan, options, as_json=as_json)


next(
    one for one in command.params if isinstance(one, click.Option) and one.name == "id_column"
).show_default = "the one that names each unit once"


def _tell(sized: "Sized", configuration: "Configuration", plan: dict[str, Any] | None, options: dict[str, Any], *, as_json: bool) -> None:
    """Print what was made, and what comes next."""
    if as_json:
        made = {"file": str(configuration_path()), "configuration": configuration.said, "budget": options["budget"]}
        print_json({**sized.sizing.as_json(), **made, "study": options["study"], "plan": plan})
        return
    if plan is not None:
        note(f"plan {plan['number']} of study {options['study']} is locked: {plan['budget']:,} labels, hash {str(plan['hash'])[:12]}")
    note(f"next: fewlabels {'plan' if plan is None else 'label'}")


def _refuse_overwriting(path: Path, questions: Questions, *, force: bool) -> None:
    """Raise an error if a file would be overwritten, unless a person agrees or --force is given."""
    if not path.exists() or force:
        return
    if not questions.can_ask or not questions.confirm(f"{path} exists already. Overwrite it?", default=False):
        raise ConfigurationError(
            f"a configuration is overwritten only with --force, but {path} exists: give --force, or work in another folder"
        )


def _read_table(source: str, questions: Questions, options: dict[str, Any], *, as_json: bool) -> "Examination":
    """Return the table with its columns named; end the command with the doctor's findings if a problem blocks a study."""
    from fewlabels.cli.new_study import flagged_line
    from fewlabels.study.population.first_sight import look_at

    with working("looking at the table"):
        look = look_at(source, limits=tuple(options["score_range"]))
    if not as_json:
        show_columns(look.columns)
    found = _examined(source, look, questions, options, as_json=as_json)
    if not as_json:
        click.echo()
        one = found.profile is not None and len(found.population.classifiers) == 1
        lines = [flagged_line(found.profile), *found.lines[1:]] if found.profile is not None and one else found.lines
        for line in lines:
            click.echo(line)
    questions.shown(look, found.population, options)
    return found


def _examined(source: str, look: "FirstSight", questions: Questions, options: dict[str, Any], *, as_json: bool) -> "Examination":
    """Return the table with the columns as named, asking again while a person names columns that cannot be used."""
    from fewlabels.cli.new_study import refuse_undivided
    from fewlabels.study.population.doctor import examine

    before = dict(options)
    while True:
        asked = questions.columns(look, options)
        try:
            with working("reading the table"):
                found = examine(read_options(source, dict(options)))
            if found.passed and options["score"] and not options["predicted"] and len(found.population.classifiers) == 1:
                assert found.profile is not None
                refuse_undivided(found.profile, options["threshold"])
            if found.passed:
                return found
            _show_blocked(found, as_json=as_json, asked=asked)
            note("for a score from 0 to 100, for example: --score-range 0 100") if _is_outside(found) else None
            if not asked:
                note(f"{configuration_path()} is not written")
                raise click.exceptions.Exit(REFUSED)
        except FewlabelsError as error:
            if not asked:
                raise
            note(harmless(str(error)))
        note("name the columns again, or stop with Ctrl-C")
        options.update(before)


def _show_blocked(found: "Examination", *, as_json: bool, asked: bool) -> None:
    """Print what blocks: as the one JSON object if the command ends with it, else for the person who is asked again."""
    if as_json and not asked:
        print_json(found.as_json())
    elif as_json:
        note("\n".join(f"blocks: {problem}" for problem in found.inspection.problems))
    else:
        show_blocks(found)


def _is_outside(found: "Examination") -> bool:
    """Return whether a score lies outside its limits."""
    return any("a score in" in problem.rule and "within" in problem.rule for problem in found.inspection.problems)


class Sized(NamedTuple):
    """What a first plan is made of, and what it needs."""

    first: "Beginning"
    sizing: "Sizing"


def _size(found: "Examination", questions: Questions, options: dict[str, Any], *, as_json: bool) -> Sized:
    """Return the goals and what they need; put the budget and the study's name into the options."""
    from fewlabels.cli.new_study import free_name, refuse_taken
    from fewlabels.study.plan.one_draw import ColumnNames
    from fewlabels.study.plan.outlook import verdicts_expected
    from fewlabels.study.plan.sizes import size_goals
    from fewlabels.study.population.profile import about_of, about_which, profile_for

    population, profile = found.population, found.profile
    assert profile is not None
    goals = _goals(population, questions, options)
    with working("sizing the goals"):
        if population.is_joint:  # the goals then say what guides the draw
            population, profile = profile_for(population, goals)
        names = ColumnNames([c.name for c in population.classifiers], population.slices)
        sizing = size_goals(profile, goals, names=names)
    most = sizing.together is None or 2 * sizing.together > profile.N  # the table reading would then be about units that are labeled
    questions.about(options, population, profile, default="process" if most else "table")
    if about_of(population, goals, options["about"]) == "process":
        with working("sizing the goals"):
            profile = about_which(population, profile, "process")
            sizing = size_goals(profile, goals, names=names)
    if not as_json:
        click.echo()
        show_sizing(sizing, verdicts_expected(profile, goals, sizing, names))
    first, sizing = _budgeted(population, profile, goals, sizing=sizing, questions=questions, options=options, as_json=as_json)
    free = free_name(population.source, ledger=options["ledger"])
    questions.study(options, free, lambda name: refuse_taken(name, first, ledger=options["ledger"]))
    return Sized(first, sizing)


def _goals(population: "Population", questions: Questions, options: dict[str, Any]) -> "list[Goal]":
    """Return the goals, parsed and checked."""
    from fewlabels.nouns.goal import parse_goal
    from fewlabels.study.population.profile import check_goals

    def goal(text: str) -> "Goal":
        read = parse_goal(text, level=options["level"])
        check_goals(population, [read])
        return read

    return questions.goals(options, goal, default=GOAL)


def _budgeted(
    population: "Population", profile: "Profile", goals: "list[Goal]", *, sizing: "Sizing", questions: Questions, options: dict[str, Any],
    as_json: bool,
) -> "tuple[Beginning, Sizing]":  # fmt: skip
    """Return the budget and what it is expected to show, asking again while a person finds it too small."""
    from fewlabels.cli.new_study import Beginning, check_beginning
    from fewlabels.study.plan.one_draw import ColumnNames
    from fewlabels.study.plan.outlook import falls_short, verdicts_expected
    from fewlabels.study.plan.sizes import sized_at

    names = ColumnNames([c.name for c in population.classifiers], population.slices)
    given, said = options["budget"] is not None, verdicts_expected(profile, goals, sizing, names)
    while True:
        questions.budget(
            options, sizing.for_all, lambda budget, grow_to: check_beginning(population, profile, goals, budget=budget, grow_to=grow_to)
        )
        how = {"budget": options["budget"], "grow_to": options["grow_to"]}
        with working("forecasting"):
            sizing = sized_at(profile, goals, sizing, names=names, **how)
        if not as_json:
            show_forecast(sizing, [line for line in verdicts_expected(profile, goals, sizing, names) if line not in said])
        if questions.spends(options["budget"], falls_short(sizing), given=given):
            return Beginning(population, profile, goals, options["level"], **how), sizing
        options.update(budget=None, grow_to=None)


def _configured(source: str, path: Path, options: dict[str, Any]) -> "Configuration":
    """Return what the file will say."""
    from fewlabels.cli.configuration_file import KINDS, Configuration, has_password

    said = {key: options.get(PARAMETERS.get(key, key)) for key in KINDS}
    elsewhere = path.parent != Path()
    said["population"] = str(Path(source).absolute()) if elsewhere and Path(source).exists() else source
    if tuple(options["score_range"]) == (0.0, 1.0):
        said["score_range"] = None
    if has_password(options["ledger"]):
        said["ledger"] = None
        note("the ledger's address holds a password, so it is not written down: keep it in the environment as FEWLABELS_LEDGER")
    elif elsewhere and options["ledger"] == DEFAULT_LEDGER:
        said["ledger"] = f"sqlite:///{Path('fewlabels.db').absolute()}"
    if said["about"] == "table":
        said["about"] = None
    return Configuration(**{key: value for key, value in said.items() if value not in (None, (), False)})


def _write(path: Path, configuration: "Configuration") -> None:
    from fewlabels.cli.configuration_file import write_configuration

    write_configuration(path, configuration)
    note(f"{path} is written")


def _begin(sized: Sized, options: dict[str, Any]) -> dict[str, Any]:
    """Lock the plan."""
    from fewlabels.cli.new_study import begin
    from fewlabels.nouns.sheet import Sheet, parse_shown

    sheet = Sheet(show=tuple(map(parse_shown, options["show"])), ask=options["ask"] or "")
    with working("locking the plan"):
        return plan_json(begin(options["study"], sized.first, ledger=options["ledger"], sheet=sheet))
