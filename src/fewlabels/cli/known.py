"""The options of `fewlabels plan` about labels already owned."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewlabels.cli.output import note

if TYPE_CHECKING:
    from fewlabels.study.labels.known import KnownAnswers, ReadKnown

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OPTIONS = (
    click.option(
        "--known", type=FILE, metavar="FILE",
        help="Answers that exist already (unit, answer), of units chosen in any way: they count as they are, and are never drawn.",
    ),
    click.option(
        "--known-positive", type=FILE, metavar="FILE",
        help="Units known to be positive (chargebacks, reports of users), while nothing is known of others: counted, and never drawn.",
    ),
    click.option(
        "--known-check", type=click.FloatRange(0, 1), default=0.0, metavar="SHARE",
        help="Label this share of the known answers again, blind, and correct the others by it; it counts against the budget.",
    ),
    click.option(
        "--known-in-training", type=click.Choice(["yes", "no", "unknown"]), default="unknown", show_default=True,
        help="Whether the classifier learned from the known answers.",
    ),
)  # fmt: skip


def known_options(function: Any) -> Any:
    """Add the options about labels already owned."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def refuse_later(options: dict[str, Any]) -> None:
    """Raise UsageError for known answers of a study that exists: they are recorded before its salt is made."""
    if options["known"] or options["known_positive"]:
        raise click.UsageError("--known and --known-positive are for a new study: name its POPULATION, or leave later answers out.")


def given_answers(population: Any, options: dict[str, Any]) -> "KnownAnswers":
    """Return the known answers of the files."""
    from fewlabels.labeling.flat import ANSWER_COLUMNS, read_answers, read_rows
    from fewlabels.study.labels.known import KnownAnswers

    units = ["unit", population.id]
    answers: object | None = None
    positives: object | None = None
    if options["known"] is not None:
        answers = read_answers(options["known"], unit_columns=units).labels
    if (path := options["known_positive"]) is not None:
        first = next(iter(read_rows(path)), {})
        named = next((name for name in units if name in first), None)
        if named is None:
            raise click.UsageError(f"--known-positive needs a column unit or {population.id}, but {path} has none: rename it.")
        if set(ANSWER_COLUMNS) & set(first):
            positives = read_answers(path, unit_columns=units).labels
        else:
            positives = [row[named] for row in read_rows(path)]
    return KnownAnswers(answers, positives, options["known_check"], options["known_in_training"])


def read_given(population: Any, profile: Any, goals: list[Any], options: dict[str, Any]) -> "tuple[KnownAnswers, ReadKnown | None]":
    """Return the known answers as given, and as they are looked up in the population; None if there are none. Say what they count for."""
    from fewlabels.study.estimate.known import known_words
    from fewlabels.study.labels.known import found_known
    from fewlabels.study.population.profile import about_of

    given = given_answers(population, options)
    if given.check and given.answers is None and given.positives is None:
        raise click.UsageError("--known-check is for known answers: name them with --known or --known-positive.")
    about = about_of(population, goals, options["about"])
    found = found_known(population, profile, goals, given, about=about, follows=options["follows"], rule=options["rule"])
    if found is not None:
        for line in known_words(found.labels):
            note(line)
        if found.unusable:
            note(f"{found.unusable:,} known answers say neither yes nor no and are left out: their units may be drawn")
    return given, found
