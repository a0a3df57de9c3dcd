"""fewlabels.toml as the commands see it: it supplies options that were not given. An option takes precedence, then the environment."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fewlabels.cli.output import next_command, note, print_json

if TYPE_CHECKING:
    from fewlabels.cli.configuration_file import Configuration
    from fewlabels.nouns.population import Population
    from fewlabels.nouns.profile import Profile
    from fewlabels.nouns.sheet import Sheet

DEFAULT_LEDGER = "sqlite:///fewlabels.db"
FILE_NAME = "fewlabels.toml"
_READ, _TOLD = "fewlabels.configuration", "fewlabels.configuration.told"  # kept with the call: read once, printed once
PARAMETERS = {"id": "id_column", "classifiers": "named"}  # where the parameter has another name than the key
_JUDGED = (
    "score",
    "predicted",
    "classifiers",
    "votes",
    "labels",
    "classes",
)  # if one of these is given, none of them is taken from the file, nor those below
_READ_SO = (*_JUDGED, "threshold", "score_range")
_NEVER = ("study", "population", "ledger", "policy", "show", "ask")  # taken only where they are meant


def configuration_path() -> Path:
    """Return the file of --config or FEWLABELS_CONFIG, else fewlabels.toml of the current folder, which may not exist."""
    return Path(click.get_current_context().find_root().params.get("config") or FILE_NAME)


def current() -> "Configuration | None":
    """Return what the file says; None if there is no file. A file that was named has to exist."""
    context = click.get_current_context()
    if _READ not in context.meta:
        path, named = configuration_path(), context.find_root().params.get("config")
        context.meta[_READ] = _read(path) if named or path.is_file() else None
    found: Configuration | None = context.meta[_READ]
    return found


def _read(path: Path) -> "Configuration":
    """Read the file, and warn if it holds a password; print nothing during shell completion."""
    from fewlabels.cli.configuration_file import Configuration, read_configuration
    from fewlabels.errors import ConfigurationError

    completing = click.get_current_context().resilient_parsing
    try:
        found = read_configuration(path)
    except ConfigurationError:
        if not completing:
            raise
        return Configuration()
    for key in () if completing else found.secrets:
        way_out = "put the address into the environment as FEWLABELS_LEDGER" if key == "ledger" else "keep it in ~/.pgpass"
        note(f"warning: the {key} in {path} holds a password that anybody who reads the file can see: {way_out}")
    return found


def default_ledger() -> str:
    """Return the ledger to use if neither --ledger nor FEWLABELS_LEDGER names one."""
    found = current()
    return DEFAULT_LEDGER if found is None or found.ledger is None else found.ledger


def default_policy() -> str:
    """Return the policy to use if --policy names none; raise UsageError if there is none."""
    found = current()
    if found is None or found.policy is None:
        raise click.UsageError(f"Missing option '--policy': name the file of rules, or write policy = \"...\" into {configuration_path()}.")
    return found.policy


def file_study() -> str:
    """Return the study of the file, and print it once; raise UsageError if there is none."""
    found = current()
    if found is None or found.study is None:
        raise click.UsageError(
            f"Missing argument 'STUDY': name it, or write study = \"...\" into {configuration_path()}; see `fewlabels new`.",
            click.get_current_context(),
        )
    _tell(f"study {_seen(found.study)}, from {configuration_path()}")
    return found.study


def has_file_study() -> bool:
    """Return whether the file names a study."""
    found = current()
    return found is not None and found.study is not None


def study_or_file(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Return the study that was named, else that of the file."""
    return value if value is not None or context.resilient_parsing else file_study()


def population_or_file(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Return the population that was named, else that of the file; raise UsageError if there is none."""
    if value is not None or context.resilient_parsing:
        return value
    found = current()
    if found is None or found.population is None:
        raise click.UsageError(
            f"Missing argument 'POPULATION': name it, or write population = \"...\" into {configuration_path()}; see `fewlabels new`.",
            context,
        )
    return found.population


def study_and_file(study: str | None, file: Path | None, *, close: bool) -> tuple[str, Path | None]:
    """Return study and file from two optional arguments: if fewlabels.toml names a study, a single argument is the file of answers.

    With --close, which needs no answers, a single argument is the study, unless there is a file of that name.
    """
    if study is None or (file is None and has_file_study() and not (close and not Path(study).is_file())):
        return file_study(), file if study is None else Path(study)
    return study, file


def study_and_classifiers(study: str, classifiers: tuple[str, ...], *, ledger: str) -> tuple[str, tuple[str, ...]]:
    """Return study and classifiers from one list of names: the first is the study if the ledger has one of that name."""
    from fewlabels.cli.new_study import is_planned

    if not is_given("study") or not has_file_study() or is_planned(study, ledger=ledger):
        return study, classifiers
    return file_study(), (study, *classifiers)


def study_or_population(options: dict[str, Any], *, ledger: str) -> str:
    """Return the study of the file if it has a plan, else its population, with the options filled from the file."""
    from fewlabels.cli.new_study import is_planned

    found = current()
    if found is None or found.population is None or (found.study is not None and is_planned(found.study, ledger=ledger)):
        return file_study()
    fill(options)
    return found.population


def shown_of_file(study: str) -> tuple[str, ...]:
    """Return the columns labelers see according to the file; none if it is about another study."""
    found = current()
    return () if found is None or found.study != study else found.show or ()


def file_sheet(population: "Population", profile: "Profile") -> "Sheet":
    """Return what the file says labelers see and are asked; raise an error for columns that are missing or must stay hidden."""
    from fewlabels.cli.new_study import check_shown
    from fewlabels.engines.warehouses import is_elsewhere
    from fewlabels.nouns.sheet import Sheet, parse_shown

    found = current()
    if found is None:
        return Sheet()
    show = () if is_elsewhere(population.source) else tuple(map(parse_shown, found.show or ()))
    check_shown(population, profile.columns, [one.column for one in show])
    return Sheet(show=show, ask=found.ask or "")


def fill(options: dict[str, Any]) -> None:
    """Fill options that were not given from the file, and print which."""
    context, found = click.get_current_context(), current()
    said = {} if found is None else {key: value for key, value in found.said.items() if key not in _NEVER}
    if any(is_given(PARAMETERS.get(key, key)) for key in _JUDGED):
        said = {key: value for key, value in said.items() if key not in _READ_SO}
    known = {parameter.name: parameter for parameter in context.command.params}
    taken = []
    for key, value in said.items():
        name = PARAMETERS.get(key, key)
        if name in known and not is_given(name):
            options[name] = _converted(known[name], key, value)
            taken.append(key)
    if taken:
        _tell(f"from {configuration_path()}: {', '.join(taken)}")


def is_given(name: str) -> bool:
    """Return whether an option was given on the command line or in the environment."""
    return click.get_current_context().get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def _converted(parameter: click.Parameter, key: str, value: object) -> Any:
    """Return a value of the file as its option converts it; raise ConfigurationError, naming the file, if the option rejects it."""
    from fewlabels.errors import ConfigurationError

    try:
        return parameter.type_cast_value(click.get_current_context(), value)
    except click.BadParameter as error:
        raise ConfigurationError(f"{configuration_path()}: {key} = {value!r} is refused by {parameter.opts[0]}: {error.message}") from None


def population_to_plan(source: str | None, options: dict[str, Any]) -> str | None:
    """Return the population to plan for, with the options filled from the file; None if an existing study is planned again."""
    from fewlabels.cli.new_study import is_planned

    found = current()
    if found is None or source is not None:
        fill(options) if source is not None else None
        return source
    if not options["study"] and found.study is not None:
        options["study"] = file_study()
    late = any(options[name] for name in ("added", "added_votes"))
    if late or found.population is None or (options["study"] and is_planned(options["study"], ledger=options["ledger"])):
        _raise_as_the_file_says(options, found, late=late or bool(options["goals"]))
        return None
    fill(options)
    return found.population


def _raise_as_the_file_says(options: dict[str, Any], found: "Configuration", *, late: bool) -> None:
    """Take the budget of the file if nothing else was asked of its study; end the command if that much is planned already."""
    from fewlabels.cli.plan_output import plan_json
    from fewlabels.study.study import Study

    if late or options["budget"] or not options["study"] or options["study"] != found.study:
        return
    study = Study.load(options["study"], ledger=options["ledger"])
    planned = study.progress().planned
    if found.budget is not None and found.budget > planned:
        options["budget"] = found.budget
        _tell(f"budget {found.budget:,}, from {configuration_path()}")
        return
    if click.get_current_context().params["as_json"]:
        print_json({"study": study.name, "plan": plan_json(study)})
    else:
        click.echo(f"study {_seen(study.name)} is planned already: {planned:,} labels; a larger budget only adds units")
        note(f"next: {next_command(study)}")
    raise click.exceptions.Exit(0)


def _seen(text: str) -> str:
    """Return the text without terminal control sequences."""
    from fewlabels.labeling.terminal import harmless

    return harmless(text).replace("\n", " ")


def _tell(line: str) -> None:
    """Print a line on stderr, once."""
    told: set[str] = click.get_current_context().meta.setdefault(_TOLD, set())
    if line not in told:
        told.add(line)
        note(line)
