"""Which field of what was asked for an error is about, so that a form can show it there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from fewlabels.engines.checks import require_columns, require_types, roles
from fewlabels.engines.opening import open_engine
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.errors import FewlabelsError
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal, parse_goal
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column
from fewlabels.study.population.profile import check_goals


class Named(NamedTuple):
    """A column that a population names, the field that names it, and the roles it then has."""

    field: str
    column: str
    roles: tuple[str, ...]


@contextmanager
def at(field: str) -> Iterator[None]:
    """Errors raised inside are about this field, unless they say already what they are about."""
    try:
        yield
    except FewlabelsError as error:
        error.field = error.field or field
        raise


def named(population: Population) -> list[Named]:
    """Return every column that a population names, with its field."""
    found = [Named("id", population.id, ("id",))]
    for i, classifier in enumerate(population.classifiers):
        if classifier.score is not None:
            found.append(Named(f"classifiers.{i}.score", classifier.score, ("score",)))
        if classifier.predicted is not None:
            found.append(Named(f"classifiers.{i}.predicted", classifier.predicted, ("prediction", "class")))
    single = (("guide", population.guide), ("weight", population.weight), ("cluster", population.cluster))
    found += [Named(field, column, (field,)) for field, column in single if column is not None]
    return found + [Named(f"slices.{i}", column, ("slice",)) for i, column in enumerate(population.slices)]


def field_of_problem(population: Population) -> str | None:
    """Return the field of a population that does not go with its table, by a missing column, a wrong type or values; None if none is found.

    It reads the table again, so ask only once something went wrong.
    """
    with suppress(FewlabelsError):
        engine = open_engine(population)
        if isinstance(engine, SqlEngine) and (wrong := _wrong_column(population, engine.columns())) is not None:
            return wrong
        broken = {problem.column for problem in engine.inspect().problems}
        return next((one.field for one in named(population) if one.column in broken), None)
    return None


def refuse_absent(population: Population, columns: Sequence[str]) -> None:
    """Raise PopulationError for a column that the table does not have."""
    engine = open_engine(population)
    if isinstance(engine, SqlEngine):
        require_columns(engine.columns(), columns)


def _wrong_column(population: Population, columns: Sequence[Column]) -> str | None:
    """Return the field of the first column that the table does not have, or has with a type that its role does not allow."""
    for one in named(population):
        try:
            require_columns(columns, [one.column])
            require_types([role for role in roles(population) if role.column == one.column and role.name in one.roles], columns)
        except FewlabelsError:
            return one.field
    return None


def read_each(goals: Sequence[str], population: Population, *, level: float = DEFAULT_LEVEL) -> list[Goal]:
    """Return the goals as parsed; raise GoalError for one that cannot be read, or that the population cannot have, with its field."""
    found = []
    for i, text in enumerate(goals):
        with at(f"goals.{i}"):
            goal = parse_goal(text, level=level)
            check_goals(population, [goal])
            found.append(goal)
    return found
