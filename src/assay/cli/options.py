"""Options that several commands share, named the same everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.errors import PopulationError
from assay.nouns.classifier import Classifier
from assay.nouns.population import Population

Function = TypeVar("Function", bound=Callable[..., Any])

POPULATION_OPTIONS = (
    click.option("--id", "id_column", default="id", show_default=True, metavar="COLUMN", help="The column that names a unit."),
    click.option("--score", metavar="COLUMN", help="The score of a single classifier."),
    click.option("--threshold", type=float, metavar="T", help="A unit is flagged if its score is at least this."),
    click.option("--predicted", metavar="COLUMN", help="The decision (true/false or 1/0), where there is no score."),
    click.option("--classifier", "named", multiple=True, metavar="NAME=SCORE@THRESHOLD", help="A classifier by name; repeatable."),
    click.option("--score-range", type=float, nargs=2, default=(0.0, 1.0), metavar="LOW HIGH", help="The score's limits, if not 0 and 1."),
    click.option("--slice", "slices", multiple=True, metavar="COLUMN", help="A column that cuts the population into parts; repeatable."),
    click.option("--guide", metavar="COLUMN", help="A probability that predicts the label better than the score; steers the draw."),
)


def population_options(function: Function) -> Function:
    """The options that say how a table is read."""
    for option in reversed(POPULATION_OPTIONS):
        function = option(function)
    return function


def read_options(source: str, options: dict[str, Any]) -> Population:
    """The population the options describe; takes its options out of the dict."""
    from assay.study.populations import read_population

    id_column, slices, guide = options.pop("id_column"), options.pop("slices"), options.pop("guide")
    return read_population(source, id=id_column, classifiers=_classifiers(options), slices=slices, guide=guide)


def _classifiers(options: dict[str, Any]) -> list[Classifier]:
    score, threshold, predicted = options.pop("score"), options.pop("threshold"), options.pop("predicted")
    named, limits = options.pop("named"), options.pop("score_range")
    classifiers = [_named(text, limits) for text in named]
    if score is not None or predicted is not None:
        classifiers.append(Classifier("classifier", score=score, threshold=threshold, predicted=predicted, score_range=limits))
    if not classifiers:
        raise click.UsageError(
            "Name what is judged: --score COLUMN --threshold T, --predicted COLUMN, or --classifier NAME=SCORE@THRESHOLD."
        )
    return classifiers


def _named(text: str, limits: tuple[float, float]) -> Classifier:
    name, equals, rest = text.partition("=")
    score, at, threshold = rest.rpartition("@")
    try:
        value = float(threshold)
    except ValueError:
        value = float("nan")
    if not equals or not at or not score or value != value:
        raise PopulationError(f"a classifier is written NAME=SCORE@THRESHOLD, but got {text!r}: write gbm=score_gbm@0.31")
    return Classifier(name, score=score, threshold=value, score_range=limits)


ledger_option = click.option(
    "--ledger",
    default="sqlite:///assay.db",
    envvar="ASSAY_LEDGER",
    show_default=True,
    show_envvar=True,
    metavar="ADDRESS",
    help="Where the record is kept.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
peek_option = click.option(
    "--peek", is_flag=True, help="Show numbers before the look; they do not hold at their level, and that is recorded."
)
study_argument = click.argument("study")
