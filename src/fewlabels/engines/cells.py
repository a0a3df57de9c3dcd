"""From counted rows to a profile and back: slice codes, the order of cells, and the lookup a draw joins.

A slice value is the text of its column. A null is a value of its own, written "∅"; a real text that starts with "∅" gets another one
in front, so that no text can be mistaken for a null. Slice codes are positions in the list of distinct values sorted by UTF-8 bytes, column
by column, hence the same on every engine.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewlabels.errors import DrawError, FingerprintError, PopulationError
from fewlabels.nouns import profile as limits
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column, Profile, SourceFile
from fewlabels.nouns.weights import FEWEST_QUANTA, MOST_QUANTA, QUANTA
from fewlabels.randomness import NumberRule, hex_bound

NULL_MARK = "∅"


class Cell(NamedTuple):
    """A cell before slices have codes, and what was counted in it."""

    pattern: int
    guide_bin: int
    slices: tuple[str, ...]
    N: int
    positives: int = 0
    quanta: int = 0  # sum of metric weights
    claims: tuple[int, ...] = ()  # sums of scores, one per classifier


class Counted(NamedTuple):
    """A counted cell with checks of its values: units that break a rule, units with an id, and the smallest and largest id."""

    cell: Cell
    unsound: int
    ids: int
    smallest: str | None
    largest: str | None

    @classmethod
    def of_row(cls, row: Sequence[Any], slices: int) -> "Counted":
        """Parse a row of `Queries.counts`."""
        pattern, guide_bin, units, unsound, ids, positives = map(int, row[:6])
        smallest, largest, quanta, *claims = row[6 + slices :]
        cell = Cell(pattern, guide_bin, tuple(row[6 : 6 + slices]), units, positives, int(quanta), tuple(map(int, claims)))
        return cls(cell, unsound, ids, smallest, largest)


class CellLookup(NamedTuple):
    """The small table a draw joins: one row per cell in the frame; `by_slice` says whether slices are part of the key."""

    columns: Mapping[str, NDArray[np.generic]]
    by_slice: bool


def threshold_of(threshold: float, type_: str) -> float:
    """Return the threshold a column is compared with: rounded to float32 for a float32 column, so that both sides are rounded alike."""
    if type_ != "float32":
        return threshold
    with np.errstate(over="ignore"):
        return float(np.float32(threshold))


def slice_text(value: str | None) -> str:
    """Return the slice value as the profile writes it: "∅" for null, another "∅" before a text that starts with it."""
    if value is None:
        return NULL_MARK
    return NULL_MARK + value if value.startswith(NULL_MARK) else value


class Ends(NamedTuple):
    """The smallest and largest id, as text."""

    smallest: str
    largest: str

    @classmethod
    def over(cls, counted: Iterable[Counted], id_type: str) -> "Ends":
        """Return the smallest and largest id over all cells: by number for numbers, by UTF-8 bytes for text."""
        by: Callable[[str], Any] = int if id_type in ("int", "decimal") else str.encode
        found = [c for c in counted if c.smallest is not None and c.largest is not None]
        return cls(min((str(c.smallest) for c in found), key=by), max((str(c.largest) for c in found), key=by))


def profile_of(
    population: Population, cells: Sequence[Cell], *, columns: tuple[Column, ...], ends: Ends, files: tuple[SourceFile, ...] = ()
) -> Profile:
    """Return the profile of counted cells: slices get their codes, cells their order."""
    values = tuple(sorted({cell.slices for cell in cells}, key=lambda v: tuple(part.encode() for part in v)))
    codes = {value: code for code, value in enumerate(values)}
    _refuse_weights(population, cells)
    counted = sorted((c.pattern, c.guide_bin, codes[c.slices], c.N, c.quanta, *c.claims) for c in cells)
    rows = np.array(counted, dtype=np.int64).reshape(len(counted), -1)
    return Profile(
        columns=columns,
        pattern=rows[:, 0],
        guide_bin=rows[:, 1],
        slice=rows[:, 2],
        count=rows[:, 3],
        slice_values=values,
        guided=population.guided,
        smallest_id=ends.smallest,
        largest_id=ends.largest,
        files=files,
        weight=None if population.weight is None else rows[:, 4],
        claims=rows[:, 5:] if population.is_joint else None,
    )


def _refuse_weights(population: Population, cells: Sequence[Cell]) -> None:
    """Raise an error for weights that multiples of 1/65,536 cannot represent: too large in total, or too small to distinguish."""
    if population.weight is None:
        return
    total, units = sum(c.quanta for c in cells), sum(c.N for c in cells)
    if total >= MOST_QUANTA:
        raise PopulationError(
            f"the weights of a population must add up to less than {MOST_QUANTA / QUANTA:,.0f}, but those in {population.weight!r} add up "
            f"to {total / QUANTA:,.0f}: divide the column by a power of ten"
        )
    if total < FEWEST_QUANTA * units:
        raise PopulationError(
            f"weights are read to 1/65,536, but those in {population.weight!r} are {total / QUANTA / units:.3g} on average, too small for "
            "that: multiply the column by a power of ten"
        )


def too_many(population: Population, distinct: Sequence[int]) -> PopulationError:
    """Return the error for a profile with too many cells. `distinct` counts the values of each slice column."""
    if not population.slices:
        return PopulationError(
            f"a profile can hold at most {limits.MOST_CELLS:,} cells, but {len(population.classifiers)} classifiers make more: "
            "judge fewer in one study"
        )
    worst = int(np.argmax(distinct))
    return PopulationError(
        f"a profile can hold at most {limits.MOST_CELLS:,} cells, but these slices make more: drop slice column "
        f"{population.slices[worst]!r}, which has {distinct[worst]:,} distinct values, or group its values"
    )


def slice_codes(profile: Profile, slices: Iterable[tuple[str, ...]]) -> IntArray:
    """Return the code of each tuple of slice values; raise an error for values the profile never counted: the table has changed."""
    codes = {value: code for code, value in enumerate(profile.slice_values)}
    found: list[int] = []
    for value in slices:
        if value not in codes:
            raise FingerprintError(f"slice {value} was not in the table when it was profiled: restore the table, or start a new study")
        found.append(codes[value])
    return np.array(found, dtype=np.int64)


def cells_of_units(profile: Profile, keys: Iterable[tuple[int, int, tuple[str, ...]]], *, unknown: bool = False) -> IntArray:
    """Return the position in the profile of each unit's cell, given as pattern, guide_bin and slice values.

    Raise an error for a cell the profile never counted; -1 if such cells are allowed, because the profile is compared anyway.
    """
    codes = {value: code for code, value in enumerate(profile.slice_values)}
    named = zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), strict=True)
    position = {key: i for i, key in enumerate(named)}
    found = [position.get((pattern, guide_bin, codes.get(slices, -1)), -1) for pattern, guide_bin, slices in keys]
    if -1 in found and not unknown:
        raise FingerprintError("the table holds a unit in a cell its profile never counted: restore the table, or start a new study")
    return np.array(found, dtype=np.int64)


def pick_located(units: Sequence[str], found: Sequence[tuple[str, int]]) -> IntArray:
    """Return the cells of these units among those found, -1 for a unit that is not; raise an error for an id found twice."""
    cells = dict(found)
    wanted = set(units)
    if sum(unit in wanted for unit, _ in found) > sum(unit in wanted for unit in cells):
        raise DrawError("an id must name one unit, but one of those looked up is in the table twice: name an id column that is unique")
    return np.array([cells.get(unit, -1) for unit in units], dtype=np.int64)


def cell_positions(profile: Profile, cells: Sequence[Cell]) -> IntArray:
    """Return the position of each counted cell in the profile; raise an error if cells or counts differ: the table has changed."""
    codes = slice_codes(profile, (c.slices for c in cells)).tolist()
    keys = zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), profile.count.tolist(), strict=True)
    position = {key: i for i, key in enumerate(keys)}
    found = [position.get((c.pattern, c.guide_bin, code, c.N)) for c, code in zip(cells, codes, strict=True)]
    if None in found or len(found) != profile.count.size:
        raise FingerprintError("the table counts other units in its cells than its profile: restore the table, or start a new study")
    return np.array(found, dtype=np.int64)


def drawn(profile: Profile, rows: Sequence[Sequence[Any]], *, classifiers: int, rule: NumberRule) -> Units:
    """Return the units of a draw's rows: unit, number, band, guide_bin, pattern, one score per classifier, quanta, slices."""
    after = 5 + classifiers
    scores = [[math.nan if s is None else s for s in row[5:after]] for row in rows]
    return Units(
        unit=tuple(row[0] for row in rows),
        number=np.array([number_of(row[1], rule) for row in rows], dtype=np.int64),
        band=np.array([row[2] for row in rows], dtype=np.int64),
        guide_bin=np.array([row[3] for row in rows], dtype=np.int64),
        pattern=np.array([row[4] for row in rows], dtype=np.int64),
        slice=slice_codes(profile, (tuple(row[after + 1 :]) for row in rows)),
        scores=np.array(scores, dtype=np.float64).reshape(-1, classifiers),
        weight=None if profile.weight is None else np.array([row[after] for row in rows], dtype=np.int64),
    )


def sifted(
    profile: Profile, alone: Sequence[tuple[Sequence[Any], Cell]], *, band: IntArray, bound: IntArray, classifiers: int, rule: NumberRule
) -> Units:
    """Return the units below the bound of their band among those that passed a sieve, given as rows of unit, number, scores and quanta."""
    times = Counter(row[0] for row, _ in alone)
    twice = next((row[0] for row, cell in alone if cell.N > 1 or times[row[0]] > 1), None)
    if twice is not None:
        raise DrawError(f"a unit must be drawn only once, but {twice!r} came twice: the id column is not unique, name one that is unique")
    place = cells_of_units(profile, ((c.pattern, c.guide_bin, c.slices) for _, c in alone), unknown=True)
    bands = np.where(place >= 0, band[place], -1).tolist()
    limit = [int(bound[h]) if h >= 0 else 0 for h in bands]
    kept = [
        (row[0], row[1], h, cell.guide_bin, cell.pattern, *row[2:], *cell.slices)
        for (row, cell), h, top in zip(alone, bands, limit, strict=True)
        if number_of(row[1], rule) < top
    ]
    return drawn(profile, kept, classifiers=classifiers, rule=rule)


def merged(cells: Iterable[Cell]) -> list[Cell]:
    """Return the counts with those of the same cell added up."""
    found: dict[tuple[int, int, tuple[str, ...]], Cell] = {}
    for cell in cells:
        key = (cell.pattern, cell.guide_bin, cell.slices)
        if key not in found:
            found[key] = cell
            continue
        held = found[key]
        claims = tuple(a + b for a, b in zip(held.claims, cell.claims, strict=True))
        found[key] = Cell(*key, held.N + cell.N, held.positives + cell.positives, held.quanta + cell.quanta, claims)
    return list(found.values())


def number_of(written: Any, rule: NumberRule) -> int:
    """Parse a permanent number as an engine writes it: hex by md5, an integer by the fast rule."""
    return int(written, 16) if rule == "md5" else int(written)


def lookup_of(profile: Profile, *, band: IntArray, bound: IntArray, rule: NumberRule = "md5") -> CellLookup:
    """Return the lookup of every cell that can give a unit: its key, its band and the bound of its number (by md5: compared as hex).

    Slices are left out if no band depends on them, which keeps the lookup short.
    """
    rows = np.flatnonzero(band >= 0)
    rows = rows[bound[band[rows]] > 0]
    by_slice = _depends_on_slice(profile, band)
    if not by_slice:
        _, first = np.unique(np.stack([profile.pattern[rows], profile.guide_bin[rows]]), axis=1, return_index=True)
        rows = rows[np.sort(first)]
    bounds = np.array([hex_bound(b) for b in bound.tolist()], dtype=object) if rule == "md5" else bound
    columns: dict[str, NDArray[np.generic]] = {
        "pattern": profile.pattern[rows],
        "guide_bin": profile.guide_bin[rows],
        "band": band[rows],
        "bound": bounds[band[rows]],
    }
    if by_slice:
        for i in range(len(profile.slice_values[0])):
            columns[f"k{i}"] = np.array([profile.slice_values[code][i] for code in profile.slice[rows].tolist()], dtype=object)
    return CellLookup(columns, by_slice)


def _depends_on_slice(profile: Profile, band: IntArray) -> bool:
    """Return whether two cells that differ only in their slice lie in different bands. Cells are sorted, so neighbors suffice."""
    alike = (np.diff(profile.pattern) == 0) & (np.diff(profile.guide_bin) == 0)
    return bool((np.diff(band)[alike] != 0).any())
