"""An engine based on two primitives: the columns of a table, and a query that may use one small lookup table.

DuckDB, Spark and PostgreSQL each add a `Dialect` and the primitives; everything else is here, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewlabels.engines import cells as cells_
from fewlabels.engines import checks
from fewlabels.engines.base import EXACT_DUPLICATES_UP_TO, Inspection, Known
from fewlabels.engines.cells import Counted, Ends
from fewlabels.engines.checks import Check
from fewlabels.engines.dialect import Dialect
from fewlabels.engines.prefilter import sieve_of
from fewlabels.engines.sql import Queries
from fewlabels.errors import PopulationError
from fewlabels.nouns import profile as limits
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.ladder import NO_BIN
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import Clusters
from fewlabels.nouns.profile import Column, Problem, Profile, SourceFile
from fewlabels.randomness import NumberRule

Row: TypeAlias = tuple[Any, ...]
MOST_SIFTED = 500_000  # units that may be returned with a recount; beyond that, a separate scan
Lookup: TypeAlias = Mapping[str, NDArray[np.generic]]


class SqlEngine(ABC):
    """A population behind SQL. `source` is the FROM item of its table, `text_source` one that keeps every column as it was written."""

    dialect: Dialect
    source: str
    text_source: str

    def __init__(self, population: Population) -> None:
        """Keep the population; a subclass opens it."""
        self.population = population

    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """Return the table's columns with their types in fewlabels' terms."""

    @abstractmethod
    def query(self, text: str, *, lookup: Lookup | None = None) -> list[Row]:
        """Return all rows of a query, which sees the lookup, if given, as a table named `sql.LOOKUP`."""

    def files(self) -> tuple[SourceFile, ...]:
        """Return the version of each file the table is read from; empty if there are no files."""
        return ()

    def unchanged(self, profile: Profile) -> bool | None:
        """Return whether the table is the one that was profiled, judging by its columns and files.

        Return None if only counting can tell, as for a table with no files or with rewritten files, which may be identical copies. A
        Parquet footer alone is not enough, because numbers can change inside a file without changing its size, minimum or maximum.
        """
        files = self.files()
        if self.columns() != profile.columns or [f[:3] for f in files] != [f[:3] for f in profile.files]:
            return False
        return True if files and files == profile.files and all(f.changed for f in files) else None

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Return columns, N and every problem with its count and an example. None: ids are checked exactly up to 10^7 units."""
        columns = self.columns()
        queries = self._queries(columns)
        conditions = checks.checks_of(self.population, queries.types)
        N, *counts = self.query(queries.survey(conditions))[0]
        problems = self._problems(queries, conditions, counts)
        exact = N <= EXACT_DUPLICATES_UP_TO if check_duplicates is None else check_duplicates
        if exact:
            problems += self._duplicates(queries)
        return Inspection(columns=columns, N=N, problems=tuple(problems), duplicates_checked=exact)

    def profile(self) -> Profile:
        """Return counts by cell, in one scan; raise an error for a table with problems, and for files that change while they are read."""
        columns, files = self.columns(), self.files()
        queries = self._queries(columns)
        apart = self._ends_apart(queries.types[self.population.id])
        rows = self._counts(queries, ends=not apart)
        if apart:
            ids, *ends = self.query(queries.ends())[0]
        else:
            ids, ends = sum(c.ids for c in rows), []
        N = sum(c.cell.N for c in rows)
        self._refuse_unsound(queries, rows, ids=ids, N=N)
        found = Ends(*ends) if apart else Ends.over(rows, queries.types[self.population.id])
        if self.files() != files:
            raise self._changing()
        return cells_.profile_of(self.population, [c.cell for c in rows], columns=columns, ends=found, files=files)

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Return every unit of a cell with band >= 0 whose permanent number is below the bound of its band."""
        lookup = cells_.lookup_of(profile, band=band, bound=bound, rule=rule)
        rows: list[Row] = []
        if lookup.columns["band"].size:
            sieve = sieve_of(profile, band=band, bound=bound)
            text = self._queries(self.columns()).below(sieve, salt=salt, rule=rule, by_slice=lookup.by_slice)
            rows = self.query(text, lookup=lookup.columns)
        return cells_.drawn(profile, rows, classifiers=len(self.population.classifiers), rule=rule)

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Return the units below their bounds and the profile as it is now, in one scan if few units pass the sieve."""
        sieve = sieve_of(profile, band=band, bound=bound)
        if sieve.units > MOST_SIFTED:
            return self.below(profile, band=band, bound=bound, salt=salt, rule=rule), self.profile()
        columns = self.columns()
        queries = self._queries(columns)
        rows = self.query(queries.below_and_counts(sieve, salt=salt, rule=rule))
        head, k = 3 + len(self.population.classifiers), len(queries.slices)  # unit, number, scores, quanta
        counted = [Counted.of_row(row[head:], k) for row in rows]
        N, ids = sum(c.cell.N for c in counted), sum(c.ids for c in counted)
        self._refuse_unsound(queries, counted, ids=ids, N=N)
        ends = Ends.over(counted, queries.types[self.population.id])
        now = cells_.profile_of(self.population, cells_.merged(c.cell for c in counted), columns=columns, ends=ends, files=self.files())
        alone = [(row[:head], c.cell) for row, c in zip(rows, counted, strict=True) if row[0] is not None]
        return cells_.sifted(profile, alone, band=band, bound=bound, classifiers=head - 3, rule=rule), now

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """Return how many units of each of the profile's cells are positive in the truth column (simulation only)."""
        queries = self._queries(self.columns(), truth=truth)
        conditions = checks.truth_checks(truth)
        _, *counts = self.query(queries.survey(conditions, truth=truth))[0]
        checks.refuse(self._problems(queries, conditions, counts, truth=truth))
        counted = [c.cell for c in self._counts(queries, ends=False, truth=truth)]
        positives = np.zeros(profile.count.size, dtype=np.int64)
        positives[cells_.cell_positions(profile, counted)] = [c.positives for c in counted]
        return positives

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Return every unit's cell, weight and truth, as text by column (simulation only)."""
        available = self.columns()
        checks.require_columns(available, truths)
        rows = self.query(self._queries(available).known(truths))
        k = 2 + len(profile.slice_values[0])
        return Known(
            cell=cells_.cells_of_units(profile, ((row[0], row[1], row[2:k]) for row in rows)),
            weight=None if profile.weight is None else np.array([row[k] for row in rows], dtype=np.int64),
            truths=tuple(tuple(cells_.slice_text(row[k + 1 + i]) for row in rows) for i in range(len(truths))),
        )

    def locate(self, profile: Profile, units: Sequence[str]) -> IntArray:
        """Return the position in the profile of the cell of each of these units; -1 for an id that is not in the table."""
        wanted = np.array(list(dict.fromkeys(units)), dtype=object)
        rows = self.query(self._queries(self.columns()).located(), lookup={"unit": wanted}) if wanted.size else []
        cells = cells_.cells_of_units(profile, ((row[1], row[2], tuple(row[3:])) for row in rows))
        return cells_.pick_located(units, [(row[0], cell) for row, cell in zip(rows, cells.tolist(), strict=True)])

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Return the named columns of the given units as text, in the order of the units."""
        available = self.columns()
        checks.require_columns(available, columns)
        if not units:
            return []
        wanted = np.array(list(dict.fromkeys(units)), dtype=object)
        rows = self.query(self._queries(available).fetch(columns, source=self.text_source), lookup={"unit": wanted})
        return checks.pick_fetched(units, {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}, found=len(rows))

    def clusters(self, column: str) -> Clusters:
        """Return how many clusters there are by this column, and how large."""
        available = self.columns()
        checks.require_columns(available, [column])
        named, units, squares, largest, alone = (x or 0 for x in self.query(self._queries(available).clusters(column))[0])
        return Clusters.of_sizes(named=int(named), units=int(units), squares=float(squares), largest=int(largest), alone=int(alone))

    def _queries(self, columns: tuple[Column, ...], *, truth: str | None = None) -> Queries:
        """Return the queries for this table; raise an error for missing columns, wrong types, and files without rows."""
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

    def _ends_apart(self, id_type: str) -> bool:
        """Return whether the smallest and largest id are free, from the table's statistics; they are then queried separately."""
        return False

    def _refuse_unsound(self, queries: Queries, counted: Sequence[Counted], *, ids: int, N: int) -> None:
        """Raise an error for an empty table, and for one with values or ids that break a rule, naming each."""
        if not counted:
            raise PopulationError(checks.EMPTY)
        sound = ids == N and not any(c.unsound or c.cell.guide_bin == NO_BIN for c in counted)
        if sound and N > EXACT_DUPLICATES_UP_TO:
            return
        if sound:
            checks.refuse(self._duplicates(queries))
            return
        checks.refuse(self.inspect().problems)
        raise self._changing()

    def _changing(self) -> PopulationError:
        return PopulationError(f"{self.population.source} changed while it was read: wait until it is complete, then try again")

    def _problems(self, queries: Queries, conditions: Sequence[Check], counts: Sequence[int], *, truth: str | None = None) -> list[Problem]:
        """Yield a problem for each check that any unit breaks."""
        found: list[Problem] = []
        for check, count in zip(conditions, counts, strict=True):
            if count:
                unit, value = self.query(queries.example(check, truth=truth))[0]
                found.append(checks.problem(check, count=count, unit=unit, value=value))
        return found

    def _duplicates(self, queries: Queries) -> list[Problem]:
        """Return the problem of ids that are not unique, if any."""
        count = self.query(queries.duplicates())[0][0]
        if not count:
            return []
        unit, times = self.query(queries.duplicate())[0]
        return [checks.duplicate_problem(self.population.id, count=count, unit=unit, times=times)]

    def _counts(self, queries: Queries, *, ends: bool, truth: str | None = None) -> list[Counted]:
        """Return the counted cells, in no order; raise PopulationError if there are more than a profile holds."""
        rows = self.query(queries.counts(limit=limits.MOST_CELLS + 1, ends=ends, truth=truth))
        if len(rows) > limits.MOST_CELLS:
            distinct = self.query(queries.distinct_slices())[0] if self.population.slices else ()
            raise cells_.too_many(self.population, distinct)
        slices = len(queries.slices)
        return [Counted.of_row(row, slices) for row in rows]
