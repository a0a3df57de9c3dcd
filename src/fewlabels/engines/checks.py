"""What a table must satisfy before it can be judged: columns that exist, types that can be read, values that make sense.

One list for every engine, so that the same table gives the same errors everywhere. An engine finds the units that break a check;
the messages are written here.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from fewlabels.errors import DrawError, PopulationError
from fewlabels.nearest import way_out
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column, Problem
from fewlabels.nouns.weights import LARGEST_WEIGHT

LONGEST_ID = 1_024  # bytes in UTF-8
MOST_CLASSIFIERS = 62  # bits of an int64 without its sign
EXACT_INTEGERS = 2**53  # integers below this are exact as doubles

ID_TYPES = ("int", "decimal", "uuid", "text")
SCORE_TYPES = ("float32", "float64", "int")
CLASS_TYPES = ("text", "int", "bool")
FLAG_TYPES = ("bool", "int")
TRUTH_TYPES = ("bool", "int", "float32", "float64")
SLICE_TYPES = ("text", "int", "bool", "uuid", "decimal", "date", "null")  # their text is the same on every engine

EMPTY = "a population needs at least one unit, but the table is empty: check the path or the filter"


class Kind(Enum):
    """What a value does wrong."""

    NO_ID = "no id"
    LONG_ID = "long id"
    NUL_ID = "nul id"
    UNWRITABLE_ID = "unwritable id"
    NULL = "null"
    NAN = "nan"
    OUTSIDE = "outside"
    NOT_BINARY = "not binary"


class Check(NamedTuple):
    """One condition on one column; `low` and `high` bound a score."""

    kind: Kind
    column: str
    word: str = "value"  # what the column holds: score, prediction, truth
    low: float = 0.0
    high: float = 1.0


class Role(NamedTuple):
    """A column of the table and the types its role allows."""

    name: str
    column: str
    types: tuple[str, ...]
    way_out: str


def roles(population: Population) -> tuple[Role, ...]:
    """Return every column the population names, with its role."""
    way_out = "store it as float32 or float64"
    found = [Role("id", population.id, ID_TYPES, "name a column of integers, uuids or text, or cast it to text")]
    for classifier in population.classifiers:
        if classifier.score is not None:
            found.append(Role("score", classifier.score, SCORE_TYPES, way_out))
        if classifier.value is not None and classifier.predicted is not None:
            found.append(Role("class", classifier.predicted, CLASS_TYPES, "store it as text"))
        elif classifier.predicted is not None:
            found.append(Role("prediction", classifier.predicted, FLAG_TYPES, "store it as bool, or as the integers 0 and 1"))
    if population.guide is not None:
        found.append(Role("guide", population.guide, SCORE_TYPES, way_out))
    found += [Role("candidate", column, SCORE_TYPES, way_out) for column in population.candidates]
    if population.weight is not None:
        found.append(Role("weight", population.weight, SCORE_TYPES, "store it as float64"))
    found += [Role("slice", column, SLICE_TYPES, "cast it to text or integers") for column in population.slices]
    if population.cluster is not None:
        found.append(Role("cluster", population.cluster, SLICE_TYPES, "cast it to text or integers"))
    return tuple(found)


def truth_role(column: str) -> Role:
    """Return the role of a simulation's truth column."""
    return Role("truth", column, TRUTH_TYPES, "store it as bool, or as the numbers 0 and 1")


def require_columns(columns: Iterable[Column], wanted: Iterable[str]) -> None:
    """Raise PopulationError for a column the table does not have, with the nearest columns it has."""
    available = [column.name for column in columns]
    for name in wanted:
        if name in available:
            continue
        raise PopulationError(f"the table has no column {name!r}: {way_out(name, available)}")


def require_types(wanted: Iterable[Role], columns: Iterable[Column]) -> dict[str, str]:
    """Return the type of each wanted column; raise PopulationError for one that its role does not allow."""
    types = dict(columns)
    for role in wanted:
        if types[role.column] not in role.types:
            allowed = ", ".join(role.types)
            raise PopulationError(
                f"the {role.name} column must be one of {allowed}, but {role.column!r} is {types[role.column]}: {role.way_out}"
            )
    return {role.column: types[role.column] for role in wanted}


def require_readable(population: Population, types: Mapping[str, str]) -> None:
    """Raise PopulationError for what no engine could read exactly: too many classifiers, integer scores too large for a double."""
    if len(population.classifiers) > MOST_CLASSIFIERS:
        raise PopulationError(
            f"one population can hold at most {MOST_CLASSIFIERS} classifiers, got {len(population.classifiers)}: judge them in two studies"
        )
    for column, (low, high) in score_ranges(population):
        if types[column] == "int" and max(abs(low), abs(high)) >= EXACT_INTEGERS:
            raise PopulationError(
                f"integer scores need a range below 2^53, but {column!r} has [{low:g}, {high:g}]: "
                "store the score as float64, or give its true limits"
            )


def score_ranges(population: Population) -> tuple[tuple[str, tuple[float, float]], ...]:
    """Return each pair of a score column and its range, once."""
    pairs = [(c.score, c.score_range) for c in population.classifiers if c.score is not None]
    if population.guide is not None:
        pairs.append((population.guide, (0.0, 1.0)))
    pairs += [(column, (0.0, 1.0)) for column in population.candidates]
    return tuple(dict.fromkeys(pairs))


def checks_of(population: Population, types: Mapping[str, str]) -> tuple[Check, ...]:
    """Return every check of the population's values, without those that a column's type makes unnecessary."""
    found = [Check(Kind.NO_ID, population.id)]
    if types[population.id] == "text":
        found += [Check(kind, population.id) for kind in (Kind.LONG_ID, Kind.NUL_ID, Kind.UNWRITABLE_ID)]
    for column, (low, high) in score_ranges(population):
        allowed = population.missing_scores and column not in population.candidates
        kinds = (Kind.NAN, Kind.OUTSIDE) if allowed else (Kind.NULL, Kind.NAN, Kind.OUTSIDE)
        found += [Check(kind, column, "score", low, high) for kind in kinds]
    for classifier in population.classifiers:
        if classifier.predicted is not None and classifier.value is None:
            found += _binary_checks(classifier.predicted, "prediction")
        elif classifier.predicted is not None:
            found.append(Check(Kind.NULL, classifier.predicted, "class"))
    if population.weight is not None:
        limits = (0.0, LARGEST_WEIGHT)
        found += [Check(kind, population.weight, "weight", *limits) for kind in (Kind.NULL, Kind.NAN, Kind.OUTSIDE)]
    return tuple(dict.fromkeys(found))


def truth_checks(column: str) -> tuple[Check, ...]:
    """Return the checks of a simulation's truth column."""
    return tuple(_binary_checks(column, "truth"))


def _binary_checks(column: str, word: str) -> list[Check]:
    return [Check(kind, column, word) for kind in (Kind.NULL, Kind.NOT_BINARY)]


def problem(check: Check, *, count: int, unit: str | None, value: object) -> Problem:
    """Return the problem of units that break a check, in words. `unit` and `value` are those of one of them."""
    column = repr(check.column)
    whose = f"unit {_shown(unit)}" if unit is not None else "a unit without id"
    has = f"{whose} has {check.word} {'null' if value is None else value}"
    rule, example, way_out = {
        Kind.NO_ID: ("all units need an id", f"a null in column {column}", "fill in the ids, or leave those rows out"),
        Kind.LONG_ID: (
            f"all ids in {column} need at most {LONGEST_ID:,} bytes of UTF-8",
            f"{_shown(unit)} has {value:,} bytes" if isinstance(value, int) else _shown(unit),
            "name a shorter id column, or make one from a digest",
        ),
        Kind.NUL_ID: (f"all ids in {column} need to be text without NUL characters", _shown(unit), "clean the ids, or name another column"),
        Kind.UNWRITABLE_ID: (
            f"all ids in {column} need to be text that UTF-8 can write",
            _shown(unit),
            "clean the ids, or name another column",
        ),
        Kind.NULL: (
            f"all units need a {check.word} in {column}",
            has,
            "fill it in, leave those rows out, or allow it with --missing-scores"
            if check.word == "score"
            else "fill it in, or leave those rows out",
        ),
        Kind.NAN: (f"all units need a {check.word} in {column} that is not NaN", has, "fill it in, or leave those rows out"),
        Kind.OUTSIDE: (
            f"all units need a {check.word} in {column} within [{check.low:g}, {check.high:g}]",
            has,
            "correct the scores, or give score_range" if check.word == "score" else "correct them",
        ),
        Kind.NOT_BINARY: (f"all units need a {check.word} in {column} that is 0 or 1", has, "map the column to 0 and 1"),
    }[check.kind]
    return Problem(rule, count, example, way_out, check.column)


def duplicate_problem(column: str, *, count: int, unit: str, times: int) -> Problem:
    """Return the problem of ids that name several units. `count` is the number of units beyond the first of each id."""
    example = f"{_shown(unit)} appears {times:,} times"
    rule, way_out = f"all units need an id of their own in {column!r}", "name a column that is unique, or drop the copies"
    return Problem(rule, count, example, way_out, column)


def refuse(problems: Sequence[Problem]) -> None:
    """Raise PopulationError if there is any problem, naming each."""
    if len(problems) == 1:
        raise PopulationError(str(problems[0]))
    if problems:
        raise PopulationError(f"the table cannot be judged yet, {len(problems)} rules are broken:" + "".join(f"\n  {p}" for p in problems))


def pick_fetched(units: Sequence[str], rows: Mapping[str, dict[str, str | None]], *, found: int) -> list[dict[str, str | None]]:
    """Return the fetched rows in the order of the units; raise an error if a unit is missing, or an id was found twice."""
    missing = [unit for unit in units if unit not in rows]
    if missing:
        raise DrawError(
            f"units are fetched from the table they were drawn from, but {len(missing):,} are not in it (for example {missing[0]!r}): "
            "restore the table"
        )
    if found > len(rows):
        raise DrawError(f"an id must name one unit, but {found:,} rows were found for {len(rows):,} ids: name an id column that is unique")
    return [dict(rows[unit]) for unit in units]


def _shown(unit: str | None) -> str:
    """Return the id as Python writes it, shortened if it would fill the screen."""
    text = str(unit)
    return repr(text if len(text) <= 60 else text[:57] + "...")
