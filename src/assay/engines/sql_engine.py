"""An engine on two primitives: the columns of a table, and a query that may see one small lookup table.

DuckDB, Spark and PostgreSQL each add a `Dialect` and the primitives; everything else is here, once.

Main path: [population] > [profile] > plan > [draw] > labels > estimate > decision > report
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engines import cells as cells_
from assay.engines import checks
from assay.engines.base import EXACT_DUPLICATES_UP_TO, Inspection, Known
from assay.engines.cells import Cell, CellLookup, Ends
from assay.engines.checks import Check
from assay.engines.dialect import Dialect
from assay.engines.sql import Queries
from assay.errors import PopulationError
from assay.nouns import profile as limits
from assay.nouns.arrays import IntArray
from assay.nouns.draw import Units
from assay.nouns.ladder import NO_BIN
from assay.nouns.population import Population
from assay.nouns.profile import Column, Problem, Profile, SourceFile

Row: TypeAlias = tuple[Any, ...]
Lookup: TypeAlias = Mapping[str, NDArray[np.generic]]


class SqlEngine(ABC):
    """A population behind SQL. `source` is the FROM item of its table, `text_source` one that keeps every column as it was written."""

    dialect: Dialect
    source: str
    text_source: str

    def __init__(self, population: Population) -> None:
        """Keeps the population; a subclass opens it."""
        self.population = population

    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The table's columns with their types in assay's words."""

    @abstractmethod
    def query(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        """All rows of a query, which sees the lookup, if given, as a table named `sql.LOOKUP`."""

    def files(self) -> tuple[SourceFile, ...]:
        """The version of each file the table is read from; empty where there are no files."""
        return ()

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Columns, N and every problem with its count and an example. None: ids are checked exactly up to 10^7 units."""
        inspection, _ = self._look(check_duplicates)
        return inspection

    def profile(self) -> Profile:
        """Counts by cell. Refuses a table with problems, naming each."""
        inspection, ends = self._look(None)
        if ends is None:
            raise PopulationError(checks.EMPTY)
        checks.refuse(inspection.problems)
        counted = self._count(self._queries(inspection.columns))
        if sum(c.N for c in counted) != inspection.N or any(c.guide_bin == NO_BIN for c in counted):
            raise PopulationError(f"{self.population.source} changed while it was read: wait until it is complete, then try again")
        return cells_.profile_of(self.population, counted, columns=inspection.columns, ends=ends, files=self.files())

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str) -> Units:
        """Every unit of a cell with band >= 0 whose permanent number is below the bound of its band."""
        lookup = cells_.lookup_of(profile, band=band, bound=bound)
        rows = self._rows_below(lookup, salt=salt) if lookup.largest_bound > 0 else []
        k, J = len(profile.slice_values[0]), len(self.population.classifiers)
        return Units(
            unit=tuple(row[0] for row in rows),
            number=np.array([int(row[1], 16) for row in rows], dtype=np.int64),
            band=np.array([row[2] for row in rows], dtype=np.int64),
            guide_bin=np.array([row[3] for row in rows], dtype=np.int64),
            pattern=np.array([row[4] for row in rows], dtype=np.int64),
            slice=cells_.slice_codes(profile, (row[5 : 5 + k] for row in rows)),
            scores=np.array([[math.nan if s is None else s for s in row[5 + k : -1]] for row in rows], dtype=np.float64).reshape(-1, J),
            weight=None if profile.weight is None else np.array([row[-1] for row in rows], dtype=np.int64),
        )

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """How many units of each of the profile's cells the truth column calls positive (simulation only)."""
        queries = self._queries(self.columns(), truth=truth)
        conditions = checks.truth_checks(truth)
        _, _, _, *counts = self.query(queries.survey(conditions, truth=truth))[0]
        checks.refuse(self._problems(queries, conditions, counts, truth=truth))
        counted = self._count(queries, truth=truth)
        positives = np.zeros(profile.count.size, dtype=np.int64)
        positives[cells_.cell_positions(profile, counted)] = [c.positives for c in counted]
        return positives

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Every unit's cell, weight and truth, as text by column (simulation only)."""
        available = self.columns()
        checks.require_columns(available, truths)
        rows = self.query(self._queries(available).known(truths))
        k = 2 + len(profile.slice_values[0])
        return Known(
            cell=cells_.cells_of_units(profile, ((row[0], row[1], row[2:k]) for row in rows)),
            weight=None if profile.weight is None else np.array([row[k] for row in rows], dtype=np.int64),
            truths=tuple(tuple(cells_.slice_text(row[k + 1 + i]) for row in rows) for i in range(len(truths))),
        )

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """The named columns of the given units as text, in the order of the units."""
        if not units:
            return []
        available = self.columns()
        checks.require_columns(available, columns)
        wanted = np.array(list(dict.fromkeys(units)), dtype=object)
        rows = self.query(self._queries(available).fetch(columns, source=self.text_source), lookup={"unit": wanted})
        return checks.pick_fetched(units, {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}, found=len(rows))

    def _queries(self, columns: tuple[Column, ...], *, truth: str | None = None) -> Queries:
        """The texts for this table. Refuses missing columns and wrong types; a file without rows has no types, so it is called empty."""
        roles = (*checks.roles(self.population), *([checks.truth_role(truth)] if truth is not None else []))
        checks.require_columns(columns, (role.column for role in roles))
        try:
            types = checks.require_types(roles, columns)
        except PopulationError:
            if self.query(f"select count(*) from {self.source}") == [(0,)]:
                raise PopulationError(checks.EMPTY) from None
            raise
        checks.require_readable(self.population, types)
        return Queries(dialect=self.dialect, population=self.population, types=types, source=self.source)

    def _look(self, check_duplicates: bool | None) -> tuple[Inspection, Ends | None]:
        """What one pass over the table tells; no ends where there are no units."""
        columns = self.columns()
        queries = self._queries(columns)
        conditions = checks.checks_of(self.population, queries.types)
        N, smallest, largest, *counts = self.query(queries.survey(conditions))[0]
        problems = self._problems(queries, conditions, counts)
        exact = N <= EXACT_DUPLICATES_UP_TO if check_duplicates is None else check_duplicates
        if exact:
            problems += self._duplicates(queries)
        inspection = Inspection(columns=columns, N=N, problems=tuple(problems), duplicates_checked=exact)
        return inspection, Ends(smallest, largest) if N else None

    def _problems(self, queries: Queries, conditions: Sequence[Check], counts: Sequence[int], *, truth: str | None = None) -> list[Problem]:
        """A problem for each check that any unit breaks."""
        found: list[Problem] = []
        for check, count in zip(conditions, counts, strict=True):
            if count:
                unit, value = self.query(queries.example(check, truth=truth))[0]
                found.append(checks.problem(check, count=count, unit=unit, value=value))
        return found

    def _duplicates(self, queries: Queries) -> list[Problem]:
        """The problem of ids that are not unique, if any is not."""
        count = self.query(queries.duplicates())[0][0]
        if not count:
            return []
        unit, times = self.query(queries.duplicate())[0]
        return [checks.duplicate_problem(self.population.id, count=count, unit=unit, times=times)]

    def _count(self, queries: Queries, *, truth: str | None = None) -> list[Cell]:
        """The counted cells, in no order. Refuses more than a profile holds."""
        rows = self.query(queries.cells(limit=limits.MOST_CELLS + 1, truth=truth))
        if len(rows) > limits.MOST_CELLS:
            distinct = self.query(queries.distinct_slices())[0] if self.population.slices else ()
            raise cells_.too_many(self.population, distinct)
        k = 2 + len(queries.slices)
        return [Cell(row[0], row[1], tuple(row[2:k]), row[k], row[k + 1], int(row[k + 2]), tuple(row[k + 3 :])) for row in rows]

    def _rows_below(self, lookup: CellLookup, *, salt: str) -> list[Row]:
        text = self._queries(self.columns()).below(salt=salt, by_slice=lookup.by_slice, largest_bound=lookup.largest_bound)
        return self.query(text, lookup=lookup.columns)
