"""From counted rows to a profile and back: slice codes, the order of cells, and the lookup a draw joins.

A slice value is the text of its column. A null is a value of its own, written "∅"; a real text that starts with "∅" gets one more
in front, so no text can be taken for a null. Slice codes are positions in the list of distinct values sorted by UTF-8 bytes, column
by column, hence the same on every engine.

Main path: population > [profile] > plan > draw > labels > estimate > decision > report
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import FingerprintError, PopulationError
from assay.nouns import profile as limits
from assay.nouns.arrays import IntArray
from assay.nouns.population import Population
from assay.nouns.profile import Column, Profile, SourceFile
from assay.nouns.weights import FEWEST_QUANTA, MOST_QUANTA, QUANTA
from assay.randomness import TOP, hex_bound

NULL_MARK = "∅"


class Cell(NamedTuple):
    """A cell before slices have codes, and what was counted in it."""

    pattern: int
    guide_bin: int
    slices: tuple[str, ...]
    N: int
    positives: int = 0
    quanta: int = 0  # sum of metric weights
    claims: tuple[int, ...] = ()  # sums of scores, one a classifier


class CellLookup(NamedTuple):
    """The small table a draw joins: one row a cell that is in the frame; `by_slice` says whether slices are part of the key."""

    columns: Mapping[str, NDArray[np.generic]]
    by_slice: bool
    largest_bound: int


def threshold_of(threshold: float, type_: str) -> float:
    """The threshold a column is compared with: rounded to float32 for a float32 column, so that both sides were rounded alike."""
    if type_ != "float32":
        return threshold
    with np.errstate(over="ignore"):
        return float(np.float32(threshold))


def slice_text(value: str | None) -> str:
    """The slice value as the profile writes it: "∅" for null, one more "∅" before a text that starts with it."""
    if value is None:
        return NULL_MARK
    return NULL_MARK + value if value.startswith(NULL_MARK) else value


class Ends(NamedTuple):
    """The smallest and largest id, as text."""

    smallest: str
    largest: str


def profile_of(
    population: Population, cells: Sequence[Cell], *, columns: tuple[Column, ...], ends: Ends, files: tuple[SourceFile, ...] = ()
) -> Profile:
    """The profile of counted cells: slices get their codes, cells their order."""
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
    """Nothing comes back. Refuses weights that whole numbers of 1/65,536 cannot hold: too large together, or too small to tell apart."""
    if population.weight is None:
        return
    total, units = sum(c.quanta for c in cells), sum(c.N for c in cells)
    if total >= MOST_QUANTA:
        raise PopulationError(
            f"the weights of a population add up to less than {MOST_QUANTA / QUANTA:,.0f}, but those in {population.weight!r} add up to "
            f"{total / QUANTA:,.0f}: divide the column by a power of ten"
        )
    if total < FEWEST_QUANTA * units:
        raise PopulationError(
            f"weights are read to 1/65,536, but those in {population.weight!r} are {total / QUANTA / units:.3g} on average, too small for "
            "that: multiply the column by a power of ten"
        )


def too_many(population: Population, distinct: Sequence[int]) -> PopulationError:
    """The refusal of a profile with too many cells. `distinct` counts the values of each slice column."""
    if not population.slices:
        return PopulationError(
            f"a profile holds at most {limits.MOST_CELLS:,} cells, but {len(population.classifiers)} classifiers make more: "
            "judge fewer in one study"
        )
    worst = int(np.argmax(distinct))
    return PopulationError(
        f"a profile holds at most {limits.MOST_CELLS:,} cells, but these slices make more: drop slice column {population.slices[worst]!r}, "
        f"which has {distinct[worst]:,} distinct values, or group its values"
    )


def slice_codes(profile: Profile, slices: Iterable[tuple[str, ...]]) -> IntArray:
    """The code of each tuple of slice values. Refuses values the profile never counted: the table has changed."""
    codes = {value: code for code, value in enumerate(profile.slice_values)}
    found: list[int] = []
    for value in slices:
        if value not in codes:
            raise FingerprintError(f"slice {value} was not in the table when it was profiled: restore the table, or start a new study")
        found.append(codes[value])
    return np.array(found, dtype=np.int64)


def cells_of_units(profile: Profile, keys: Iterable[tuple[int, int, tuple[str, ...]]]) -> IntArray:
    """The position in the profile of each unit's cell, given as pattern, guide_bin and slice values."""
    codes = {value: code for code, value in enumerate(profile.slice_values)}
    named = zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), strict=True)
    position = {key: i for i, key in enumerate(named)}
    found = [position.get((pattern, guide_bin, codes.get(slices, -1)), -1) for pattern, guide_bin, slices in keys]
    if -1 in found:
        raise FingerprintError("the table holds a unit in a cell its profile never counted: restore the table, or start a new study")
    return np.array(found, dtype=np.int64)


def cell_positions(profile: Profile, cells: Sequence[Cell]) -> IntArray:
    """The position of each counted cell in the profile. Refuses cells or counts the profile does not hold: the table has changed."""
    codes = slice_codes(profile, (c.slices for c in cells)).tolist()
    keys = zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), profile.count.tolist(), strict=True)
    position = {key: i for i, key in enumerate(keys)}
    found = [position.get((c.pattern, c.guide_bin, code, c.N)) for c, code in zip(cells, codes, strict=True)]
    if None in found or len(found) != profile.count.size:
        raise FingerprintError("the table counts other units in its cells than its profile: restore the table, or start a new study")
    return np.array(found, dtype=np.int64)


def lookup_of(profile: Profile, *, band: IntArray, bound: IntArray) -> CellLookup:
    """The lookup of every cell that can give a unit: its key, its band and the hex text its md5 must sort before.

    Slices are left out where no band depends on them, which keeps the lookup short.
    """
    rows = np.flatnonzero(band >= 0)
    rows = rows[bound[band[rows]] > 0]
    by_slice = _depends_on_slice(profile, band)
    if not by_slice:
        _, first = np.unique(np.stack([profile.pattern[rows], profile.guide_bin[rows]]), axis=1, return_index=True)
        rows = rows[np.sort(first)]
    hexes = np.array([hex_bound(b) for b in bound.tolist()], dtype=object)
    columns: dict[str, NDArray[np.generic]] = {
        "pattern": profile.pattern[rows],
        "guide_bin": profile.guide_bin[rows],
        "band": band[rows],
        "bound": hexes[band[rows]],
    }
    if by_slice:
        for i in range(len(profile.slice_values[0])):
            columns[f"k{i}"] = np.array([profile.slice_values[code][i] for code in profile.slice[rows].tolist()], dtype=object)
    largest = int(bound[band[rows]].max()) if rows.size else 0
    return CellLookup(columns, by_slice, min(largest, TOP))


def _depends_on_slice(profile: Profile, band: IntArray) -> bool:
    """Whether two cells that differ in their slice only lie in different bands. Cells are sorted, so neighbors tell."""
    alike = (np.diff(profile.pattern) == 0) & (np.diff(profile.guide_bin) == 0)
    return bool((np.diff(band)[alike] != 0).any())
