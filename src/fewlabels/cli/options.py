"""Options that several commands share, named the same everywhere."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from fewlabels.cli.completion import complete_files, complete_metrics, complete_studies
from fewlabels.cli.configuration import DEFAULT_LEDGER, default_ledger, population_or_file, study_or_file
from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import ABOUT

Function = TypeVar("Function", bound=Callable[..., Any])

score_range_option = click.option(
    "--score-range",
    type=float,
    nargs=2,
    default=(0.0, 1.0),
    metavar="LOW HIGH",
    help="The lowest and highest possible score, if not 0 and 1.",
)
POPULATION_OPTIONS = (
    click.option("--id", "id_column", default="id", show_default=True, metavar="COLUMN", help="The column of unit ids."),
    click.option("--score", metavar="COLUMN", help="The column of the classifier's score."),
    click.option("--threshold", type=float, metavar="T", help="Units with at least this score are flagged."),
    click.option("--predicted", metavar="COLUMN", help="The column of the classifier's decision (true/false or 1/0), if it has no score."),
    click.option(
        "--classifier",
        "named",
        multiple=True,
        metavar="NAME=SCORE@THRESHOLD",
        help="One of several classifiers; NAME=COLUMN if only its decision is known. Repeatable.",
    ),
    click.option(
        "--vote",
        "votes",
        multiple=True,
        metavar="NAME=K:A,B,C",
        help="Judge a vote as one more classifier: flagged if at least K of A, B, C flag it. Repeatable.",
    ),
    click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="NAME=SCORE@THRESHOLD",
        help="One of several labels, each a question of its own. Repeatable.",
    ),
    click.option("--classes", metavar="COLUMN=A,B,C", help="The column of the predicted class, and the classes to judge."),
    score_range_option,
    click.option("--slice", "slices", multiple=True, metavar="COLUMN", help="A column whose values slice the population. Repeatable."),
    click.option("--weight", metavar="COLUMN", help='Weights of units (dollars, views), for goals such as "recall by amount >= 0.9".'),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="What units belong to (patient, account, conversation): units of one count as what they are. Numbers are then about units "
        "like these (--about process).",
    ),
    click.option("--guide", metavar="COLUMN", help="A probability that predicts the label better than the score does; it guides the draw."),
    click.option("--missing-scores", is_flag=True, help="Allow null scores: such units are not flagged and form bands of their own."),
    click.option(
        "--candidate",
        "candidates",
        multiple=True,
        metavar="COLUMN",
        help="Another probability: it makes estimates steadier, or a pilot fits a guide from it. Repeatable.",
    ),
)


# Of these, --help shows the first and --help-all the others, wherever a table is described.
TABLE_COMMON = ("--id", "--score", "--threshold", "--predicted", "--classifier", "--slice")
TABLE_MORE = {
    "More about the table": (
        "--vote", "--label", "--classes", "--score-range", "--weight", "--cluster", "--guide", "--candidate",
        "--missing-scores",
    ),
}  # fmt: skip
RESOURCES_MORE = {"This machine": ("--memory-limit", "--threads")}


def population_options(function: Function) -> Function:
    """Add the options that say how a table is read."""
    for option in reversed(POPULATION_OPTIONS):
        function = option(function)
    return function


def resource_options(function: Function) -> Function:
    """Add the options that limit what an engine may use of this machine."""

    @functools.wraps(function)
    def limited(*args: Any, memory_limit: str | None, threads: int | None, **options: Any) -> Any:
        from fewlabels.engines.resources import Resources, using

        with using(Resources(memory_limit=memory_limit, threads=threads)):
            return function(*args, **options)

    memory = click.option("--memory-limit", metavar="SIZE", help="How much memory DuckDB may use, such as 2GB; the rest spills to disk.")
    threads = click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads DuckDB may use.")
    return cast(Function, memory(threads(limited)))


def read_options(source: str, options: dict[str, Any]) -> Population:
    """Return the population the options describe; remove its options from the dict."""
    from fewlabels.study.population.read import read_population

    named = {name: options.pop(name) for name in ("slices", "guide", "weight", "cluster", "candidates", "missing_scores")}
    return read_population(source, id=options.pop("id_column"), classifiers=_classifiers(options), **named)


def _classifiers(options: dict[str, Any]) -> list[Classifier]:
    score, threshold, predicted = options.pop("score"), options.pop("threshold"), options.pop("predicted")
    named, limits = options.pop("named"), options.pop("score_range")
    classifiers = [named_classifier(text, limits) for text in named]
    classifiers += [_asking(named_classifier(text, limits)) for text in options.pop("labels")]
    classifiers += _classes(options.pop("classes"))
    if score is not None or predicted is not None:
        single = Classifier("classifier", score=score, threshold=threshold, predicted=predicted, score_range=limits)
        classifiers.insert(0, single)  # the first one's score guides the draw
    classifiers += [vote_of(text) for text in options.pop("votes")]
    if not classifiers:
        raise click.UsageError(
            "Name what is judged: --score COLUMN --threshold T, --predicted COLUMN, --classifier or --label NAME=SCORE@THRESHOLD, "
            "or --classes COLUMN=A,B,C."
        )
    return classifiers


def _classes(text: str | None) -> list[Classifier]:
    """Return a classifier for each class of a column."""
    if text is None:
        return []
    column, equals, names = text.partition("=")
    classes = [name.strip() for name in names.split(",")]
    if not equals or not column or not all(classes) or len(classes) < 2:
        raise PopulationError(f"classes must be written COLUMN=A,B,C with two or more, got {text!r}: write label=cat,dog,eel")
    return [Classifier(name, predicted=column, value=name) for name in classes]


def vote_of(text: str) -> Classifier:
    """Return the vote written NAME=K:A,B,C: flagged if at least K of A, B, C flag it."""
    name, equals, rest = text.partition("=")
    fewest, colon, names = rest.partition(":")
    members = [member.strip() for member in names.split(",")]
    if not equals or not colon or not fewest.strip().isdecimal() or not all(members):
        raise PopulationError(f"a vote must be written NAME=K:A,B,C, got {text!r}: write vote=2:gbm,lr,rules")
    return Classifier(name, of=members, at_least=int(fewest))


def _asking(judged: Classifier) -> Classifier:
    """Return the classifier with a question of its own, named after it."""
    return Classifier(
        judged.name, score=judged.score, threshold=judged.threshold, score_range=judged.score_range, question=judged.name
    )  # fmt: skip


def named_classifier(text: str, limits: tuple[float, float]) -> Classifier:
    """Return the classifier written NAME=SCORE@THRESHOLD, or NAME=COLUMN if only its decision is known."""
    name, equals, rest = text.partition("=")
    if equals and rest and "@" not in rest:
        return Classifier(name, predicted=rest)
    score, at, threshold = rest.rpartition("@")
    try:
        value = float(threshold)
    except ValueError:
        value = float("nan")
    if not equals or not at or not score or value != value:
        raise PopulationError(
            f"a classifier must be written NAME=SCORE@THRESHOLD, or NAME=COLUMN of its decisions, got {text!r}: write gbm=score_gbm@0.31"
        )
    return Classifier(name, score=score, threshold=value, score_range=limits)


about_option = click.option(
    "--about", type=click.Choice(list(ABOUT)),
    help="What numbers are about: the units of this table, or units like these (next month's, other patients), the process they came from. "
    "Default: table; process with --cluster.",
)  # fmt: skip


def answers_option(help: str) -> Callable[[Function], Function]:
    """Return the option for a file with a few answers, by which the scores are checked."""
    return click.option("--answers", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE", help=help)


def told_in(path: Path, population: Population) -> dict[str, bool]:
    """Return the yes and no answers of a file, by unit."""
    from fewlabels.labeling.flat import read_answers
    from fewlabels.nouns.label import UNANSWERED

    labels = read_answers(path, unit_columns=["unit", population.id]).labels
    return {label.unit: label.answer == "yes" for label in labels if label.answer not in UNANSWERED}


ledger_option = click.option(
    "--ledger",
    default=default_ledger,
    envvar="FEWLABELS_LEDGER",
    show_default=f"that of fewlabels.toml, else {DEFAULT_LEDGER}",
    show_envvar=True,
    metavar="ADDRESS",
    help="The ledger: where the record is kept.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
peek_option = click.option(
    "--peek", is_flag=True, help="Show numbers before the planned look. They do not hold at their level, and the peek is recorded."
)
study_argument = click.argument(
    "study", required=False, callback=study_or_file, shell_complete=complete_studies
)  # else that of fewlabels.toml
named_study_argument = click.argument("study", shell_complete=complete_studies)  # for deletion, which no file should trigger
population_argument = click.argument(
    "source", metavar="[POPULATION]", required=False, callback=population_or_file, shell_complete=complete_files
)


def metric_option(*, default: str, help: str) -> Callable[[Function], Function]:
    """Return the option for the metric a command is about."""
    return click.option("--metric", default=default, show_default=True, shell_complete=complete_metrics, help=help)


TYPES = ("int", "text", "float32", "float64", "bool", "uuid", "decimal")

type_option = click.option(
    "--type", "types", multiple=True, metavar="COLUMN=TYPE",
    help=f"The type of a column of a table that fewlabels does not open: {', '.join(TYPES)}. By default ids, classes and slices are text, "
    "predictions bool, all others float64. Repeatable.",
)  # fmt: skip


def spelled(*names: str) -> str:
    """Return options of the running command as they are typed, given the names of its parameters."""
    typed = {parameter.name: parameter.opts[-1] for parameter in click.get_current_context().command.params}
    return ", ".join(typed[name] for name in names)


def types_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the declared types by column."""
    found: dict[str, str] = {}
    for text in texts:
        column, _, word = text.rpartition("=")
        if not column or word not in TYPES:
            raise PopulationError(f"a type must be written COLUMN=TYPE, with one of {', '.join(TYPES)}, got {text!r}: write id=int")
        found[column] = word
    return found


def portion(text: str) -> float:
    """Return a share that is written as a percentage or a decimal: 4% or 0.04."""
    said = text.strip()
    try:
        return float(said.removesuffix("%").rstrip() + ("e-2" if said.endswith("%") else ""))
    except ValueError:
        raise click.BadParameter(f"a share is a percentage or a decimal, got {text!r}: write 4% or 0.04") from None
