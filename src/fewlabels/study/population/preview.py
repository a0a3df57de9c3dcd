"""A table as somebody sees it who makes a study of it: its first rows, what each column holds, and what each may serve as, with the reason.

Rows and distinct values are those of the first thousand rows; limits of numbers, and whether an id is unique, those of the whole table.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fewlabels.engines.checks import EMPTY, SLICE_TYPES
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.errors import PopulationError
from fewlabels.nouns.profile import Column
from fewlabels.nouns.sheet import ShownKind
from fewlabels.study.population.first_sight import GIVEAWAYS, SCORE_NAMES, FirstSight, is_score, look_at, middle, open_table

READ = 1_000  # rows that are read
KEPT = 8  # of them are shown
LONGEST = 2_000  # characters of a value that are shown
MOST_VALUES = 20  # of a slice column
MOST_SLICES = 200  # the product of the values of the slice columns proposed together
NAMED = 4  # values of a slice column that its reason names
NUMBERS = ("int", "float32", "float64", "decimal")
WEIGHT_NAMES = re.compile(
    r"(.*[^a-z])?(amount|weight|dollars?|usd|eur|gbp|revenue|price|value|views|impressions|spend|cost|loss)([^a-z].*)?", re.I
)
PICTURE = re.compile(r"(data:image/.*|.*\.(png|jpe?g|gif|webp))", re.I | re.S)
LINK = re.compile(r"https?://\S+", re.I)


class ColumnSeen(NamedTuple):
    """What a column holds. `low` and `high` are the limits of its numbers; `telling` if its name sounds like a score or an answer."""

    name: str
    type: str
    example: str | None
    distinct: int
    nulls: int
    low: float | None
    high: float | None
    telling: bool


class Proposal(NamedTuple):
    """A column that may serve as something, and why; `chosen` if it is proposed, not only possible."""

    column: str
    reason: str
    chosen: bool = True


class ScoreProposal(NamedTuple):
    """A column that may be a score, why, the limits of the score, and a threshold."""

    column: str
    reason: str
    low: float
    high: float
    threshold: float


class ShownProposal(NamedTuple):
    """A column that labelers may see, and how."""

    column: str
    kind: ShownKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A table before it is a population: N units, the rows read, its columns, and what these may serve as, the likeliest first."""

    N: int
    read: int
    columns: tuple[ColumnSeen, ...]
    rows: tuple[tuple[str | None, ...], ...]
    ids: tuple[Proposal, ...]
    scores: tuple[ScoreProposal, ...]
    decisions: tuple[Proposal, ...]
    weights: tuple[Proposal, ...]
    slices: tuple[Proposal, ...]
    shown: tuple[ShownProposal, ...]


class Limits(NamedTuple):
    """The numbers of a column over the whole table: how many there are, the smallest and the largest; NaN counts as missing."""

    there: int
    low: float | None
    high: float | None


def preview(source: str) -> Preview:
    """Return a table as it is, and what its columns may serve as."""
    engine = open_table(source)
    columns = engine.columns()
    N, limits = _limits(engine, columns)
    rows = _rows(engine, columns)
    seen = tuple(_seen(column, [row[i] for row in rows], limits.get(column.name)) for i, column in enumerate(columns))
    look = look_at(source)
    scores = tuple(_scores(look, limits, N))
    if not look.scores and scores:  # an id is tried together with a score, whose limits are known now
        look = look_at(source, limits=(scores[0].low, scores[0].high))
    held = {column.name: [value for row in rows if (value := row[i]) is not None] for i, column in enumerate(columns)}
    taken = {*(one.column for one in scores), *look.decisions, *look.ids[:1]}
    return Preview(
        N=N, read=len(rows), columns=seen, rows=tuple(tuple(_cut(value) for value in row) for row in rows[:KEPT]),
        ids=tuple(_ids(look, N)), scores=scores, decisions=tuple(_decisions(look, seen)), weights=tuple(_weights(seen, taken)),
        slices=tuple(_slices(seen, held, taken)), shown=tuple(_shown(look, held, {one.column for one in scores})),
    )  # fmt: skip


def _rows(engine: SqlEngine, columns: Sequence[Column]) -> list[tuple[str | None, ...]]:
    """Return the first rows, every value as it was written."""
    texts = ", ".join(engine.dialect.as_text.format(x=engine.dialect.identifier(column.name)) for column in columns)
    return [tuple(row) for row in engine.query(f"select {texts} from {engine.text_source} limit {READ}")]


def _limits(engine: SqlEngine, columns: Sequence[Column]) -> tuple[int, dict[str, Limits]]:
    """Return the number of rows, and the limits of every column of numbers, from one scan."""
    numbers = [column for column in columns if column.type in NUMBERS]
    parts = ["count(*)"]
    for column in numbers:
        value = engine.dialect.as_double.format(x=engine.dialect.identifier(column.name))
        sound = (
            value if column.type in ("int", "decimal") else f"case when {engine.dialect.is_nan.format(x=value)} then null else {value} end"
        )
        parts += [f"count({sound})", f"min({sound})", f"max({sound})"]
    N, *found = engine.query(f"select {', '.join(parts)} from {engine.source}")[0]
    each = (Limits(*found[3 * i : 3 * i + 3]) for i in range(len(numbers)))
    return int(N), dict(zip((column.name for column in numbers), each, strict=True))


def _seen(column: Column, values: Sequence[str | None], limits: Limits | None) -> ColumnSeen:
    """Return what a column holds."""
    there = [value for value in values if value is not None]
    example = next((value for value in there if value.strip()), None)
    low, high = (None, None) if limits is None else (_finite(limits.low), _finite(limits.high))
    return ColumnSeen(
        column.name, column.type, None if example is None else _cut(example), len(set(there)), len(values) - len(there), low, high,
        GIVEAWAYS.fullmatch(column.name) is not None,
    )  # fmt: skip


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and math.isfinite(number) else None


def _cut(value: str | None) -> str | None:
    return value if value is None or len(value) <= LONGEST else f"{value[:LONGEST]}…"


def _ids(look: FirstSight, N: int) -> Iterator[Proposal]:
    for i, name in enumerate(look.ids):
        if i == 0 and look.unique:
            yield Proposal(name, f"a different value in each of the {N:,} rows")
        else:
            yield Proposal(name, "text or whole numbers; whether it names every unit once was not read", chosen=i == 0)


def _scores(look: FirstSight, limits: Mapping[str, Limits], N: int) -> Iterator[ScoreProposal]:
    """Yield scores within [0, 1], then those of other limits by their names, then those that have something wrong with them."""
    for name in look.scores:
        yield ScoreProposal(name, f"numbers from {limits[name].low:g} to {limits[name].high:g}", 0.0, 1.0, middle((0.0, 1.0)))
    rest = [c.name for c in look.columns if _may_score(c) and c.name not in (*look.scores, *look.decisions)]
    wide = {name: found for name in rest if (found := round_limits(limits[name]))}
    for name, ends in sorted(wide.items(), key=lambda one: limits[one[0]].there < N):
        low, high, missing = limits[name].low, limits[name].high, N - limits[name].there
        reason = f"numbers from {low:g} to {high:g}"
        reason += f", but {missing:,} are missing: fill them in, or leave those rows out" if missing else ""
        yield ScoreProposal(name, reason, *ends, middle(ends))


def _may_score(column: Column) -> bool:
    """Return whether a column of numbers is named like a score."""
    likely = column.type in ("float32", "float64") and any(name.fullmatch(column.name) for name in SCORE_NAMES)
    return likely or (column.type == "int" and is_score(column.name))


def round_limits(limits: Limits) -> tuple[float, float] | None:
    """Return the limits to propose for a score: from 0 to a power of ten that it comes near to, else those observed; None for one value.

    Examples:
        >>> round_limits(Limits(9, 0.4, 99.2)), round_limits(Limits(9, 300.0, 850.0)), round_limits(Limits(9, -7.0, 4.0))
        ((0.0, 100.0), (0.0, 1000.0), (-7.0, 4.0))
    """
    low, high = _finite(limits.low), _finite(limits.high)
    if low is None or high is None or low >= high:
        return None
    if low < 0:
        return low, high
    top = float(10 ** max(0, math.ceil(math.log10(high))))
    return (0.0, top if high > top / 2 or top == 1 else high)


def _decisions(look: FirstSight, seen: Sequence[ColumnSeen]) -> Iterator[Proposal]:
    types = {column.name: column.type for column in seen}
    for name in look.decisions:
        reason = "true or false" if types[name] == "bool" else "whole numbers, named like a decision"
        yield Proposal(name, reason, chosen=not look.scores)


def _weights(seen: Sequence[ColumnSeen], taken: set[str]) -> Iterator[Proposal]:
    """Yield amounts; none is chosen, because most goals count units."""
    for one in seen:
        is_amount = one.low is not None and one.high is not None and one.low >= 0 and one.high > 1
        if is_amount and one.name not in taken and WEIGHT_NAMES.fullmatch(one.name):
            yield Proposal(one.name, f"numbers from {one.low:g} to {one.high:g}, named like an amount", chosen=False)


def _slices(seen: Sequence[ColumnSeen], held: Mapping[str, Sequence[str]], taken: set[str]) -> Iterator[Proposal]:
    """Yield columns of a few values; those are chosen that make no more slices together than can be read."""
    together = 1
    for one in seen:
        if one.type not in SLICE_TYPES or one.name in taken or one.telling or not 2 <= one.distinct <= MOST_VALUES:
            continue
        if _kind(held[one.name]) != "text":
            continue
        chosen = one.type in ("text", "bool") and together * one.distinct <= MOST_SLICES and one.distinct < max(len(held[one.name]), 3)
        together *= one.distinct if chosen else 1
        values = sorted(set(held[one.name]))
        more = ", …" if len(values) > NAMED else ""
        yield Proposal(one.name, f"{one.distinct} values: {', '.join(value[:20] for value in values[:NAMED])}{more}", chosen)


def _shown(look: FirstSight, held: Mapping[str, Sequence[str]], scores: set[str]) -> Iterator[ShownProposal]:
    for name in look.shown:
        if name not in scores:
            yield ShownProposal(name, _kind(held[name]), "text whose name gives no answer away")


def _kind(values: Sequence[str]) -> ShownKind:
    """Return how labelers should see a column: as an image or a link if nearly all its values are that."""
    for kind, pattern in (("image", PICTURE), ("link", LINK)):
        if values and sum(pattern.fullmatch(value.strip()) is not None for value in values) > 0.9 * len(values):
            return "image" if kind == "image" else "link"
    return "text"


def check_table(source: str) -> int:
    """Return how many rows a table has, having read every column; raise PopulationError if it cannot be read, or is empty."""
    engine = open_table(source)
    columns = ", ".join(f"count({engine.dialect.identifier(column.name)})" for column in engine.columns())
    N = int(engine.query(f"select count(*), {columns} from {engine.source}")[0][0])
    if not N:
        raise PopulationError(EMPTY)
    return N
