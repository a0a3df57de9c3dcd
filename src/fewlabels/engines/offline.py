"""Results of the printed queries, handed in as files: rejected unless correct, complete and the answer to the query that was printed.

What a connection would check is checked from the rows themselves: the self-test, the number of rows, the digest of the query, the
permanent number of every candidate, and the counts of all cells.
"""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from fewlabels.engines import cells as cells_
from fewlabels.engines import checks
from fewlabels.engines.base import Inspection, Known
from fewlabels.engines.cells import Cell, Counted, Ends
from fewlabels.engines.files import find_files
from fewlabels.engines.offline_queries import HEAD, Written, draw_digest, expected_proof, profile_digest, written_for
from fewlabels.engines.prefilter import sieve_of
from fewlabels.engines.warehouses import Place
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns import profile as limits
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.ladder import MISSING, NO_BIN
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import Clusters
from fewlabels.nouns.profile import Column, Profile
from fewlabels.randomness import NumberRule, permanent_numbers

MOST_UNITS = 2**53  # of a table


class Row(NamedTuple):
    """A data row: a unit's values on the day of the draw (none for the rest of a cell), and the counts."""

    kind: str
    day: tuple[str, ...]
    counted: tuple[str, ...]


def profile_from(path: str, population: Population, columns: Sequence[Column], place: Place) -> Profile:
    """Return the profile from the result of the printed profile query; raise an error for a file or table that cannot be trusted."""
    written = written_for(population, columns, place)
    digest = profile_digest(population, written.types, place.table)
    rows = _read(path, written, day=(), number=0, digest=digest)
    counted = [_counted(path, row, written) for row in rows]
    if len(counted) > limits.MOST_CELLS:
        distinct = [len({c.cell.slices[i] for c in counted}) for i, _ in enumerate(population.slices)]
        raise cells_.too_many(population, distinct)
    _refuse_unsound(counted)
    if len({(c.cell.pattern, c.cell.guide_bin, c.cell.slices) for c in counted}) < len(counted):
        raise EngineError(f"each cell must be counted once, but {path!r} has one twice: the export made two slices alike, write Parquet")
    ends = Ends.over(counted, written.types[population.id])
    return cells_.profile_of(population, [c.cell for c in counted], columns=tuple(columns), ends=ends)


class Unopened:
    """An engine that rejects every request, for a table that is not opened; subclasses answer some from files."""

    def __init__(self, population: Population) -> None:
        """Keep the population; nothing is opened."""
        self.population = population

    def _refuse(self) -> NoReturn:
        raise EngineError(
            f"{self.population.source} was not opened, and the files handed in do not answer this: use a table that fewlabels can open"
        )

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Refused."""
        self._refuse()

    def profile(self) -> Profile:
        """Refused."""
        self._refuse()

    def unchanged(self, profile: Profile) -> bool | None:
        """Return None: only counting again can tell."""
        return None

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Refused."""
        self._refuse()

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Refused."""
        self._refuse()

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """Refused."""
        self._refuse()

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Refused."""
        self._refuse()

    def clusters(self, column: str) -> Clusters:
        """Refused."""
        self._refuse()

    def locate(self, profile: Profile, units: Sequence[str]) -> IntArray:
        """Refused."""
        self._refuse()

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Refused."""
        self._refuse()


class HandedEngine(Unopened):
    """The one answer a draw needs, from the result of the printed draw query."""

    def __init__(self, population: Population, path: str, *, number: int, plan_hash: str) -> None:
        """Read nothing yet. `number` and `plan_hash` are those of the plan to draw."""
        super().__init__(population)
        self._path, self._number, self._hash = path, number, plan_hash

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Raise EngineError: a draw needs a second query about once in 10^9 times."""
        raise EngineError("fewer units than expected lay below the bounds: plan one label more, and run what `fewlabels sql` then prints")

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Return the units below their bounds, each with its number recomputed, and the profile as the same scan counted it."""
        written = written_for(self.population, profile.columns, Place("duckdb", ""))
        digest = draw_digest(self._hash, sieve_of(profile, band=band, bound=bound))
        rows = _read(self._path, written, day=written.day_names, number=self._number, digest=digest)
        counted = [_counted(self._path, row, written) for row in rows]
        _refuse_unsound(counted)
        alone = [(self._day(row), c.cell) for row, c in zip(rows, counted, strict=True) if row.kind == "unit"]
        self._refuse_numbers(alone, salt=salt, rule=rule)
        ends = Ends.over(counted, written.types[self.population.id])
        cells = cells_.merged(c.cell for c in counted)
        now = cells_.profile_of(self.population, cells, columns=profile.columns, ends=ends, files=profile.files)
        return cells_.sifted(profile, alone, band=band, bound=bound, classifiers=len(self.population.classifiers), rule=rule), now

    def _day(self, row: Row) -> tuple[Any, ...]:
        """Return unit, number, one score per classifier and quanta, as an engine would."""
        unit, number, *texts, weight = row.day
        try:
            scores = [None if not whole else float(whole) + float(rest) for whole, rest in zip(texts[::2], texts[1::2], strict=True)]
            return (unit, number, *scores, int(weight) if weight else None)
        except ValueError:
            raise _garbled(self._path, row.day) from None

    def _refuse_numbers(self, alone: Sequence[tuple[tuple[Any, ...], Cell]], *, salt: str, rule: NumberRule) -> None:
        """Raise an error for a candidate whose permanent number does not match its id."""
        try:
            told = np.array([cells_.number_of(day[1], rule) for day, _ in alone], dtype=np.int64)
            numbers = permanent_numbers(salt, [day[0] for day, _ in alone], rule)
        except (ValueError, OverflowError):
            raise EngineError(f"{self._path!r} holds a candidate whose id or number cannot be read: export it again, as Parquet") from None
        wrong = np.flatnonzero(told != numbers)
        if wrong.size:
            day, number = alone[int(wrong[0])][0], int(numbers[wrong[0]])
            raise EngineError(
                f"a candidate's permanent number follows from its id, but {wrong.size:,} in {self._path!r} do not (for example {day[0]!r} "
                f"has {day[1]}, and should have {number:013x} = {number}): export the result as it was, with ids as text"
            )


def _read(path: str, written: Written, *, day: tuple[str, ...], number: int, digest: str) -> list[Row]:
    """Return the rows of a checked result; raise an error if it is incomplete, of another query, or computed wrongly."""
    names, values = _texts(path)
    wanted = (*HEAD, *day, *written.counted_names, "total")
    folded = [name.lower() for name in names]
    missing = [name for name in wanted if name not in folded]
    if missing:
        query = "draw" if day else "profile"
        raise EngineError(
            f"the result of the {query} query must have the column {missing[0]!r}, but {path!r} does not: run what `fewlabels sql` prints"
        )
    place = [folded.index(name) for name in wanted]
    rows = [tuple("" if row[i] is None else str(row[i]) for i in place) for row in values]
    totals = {row[-1] for row in rows}
    if totals != {str(len(rows))}:
        said = min(totals) if len(totals) == 1 else "different numbers"
        raise EngineError(f"{path!r} has {len(rows)} rows, but states that it has {said}: it is incomplete or mixed, export all of it")
    proven = [(row[0], row[1]) for row in rows if row[0] not in (("cell", "unit") if day else ("cell",))]
    expected = expected_proof(integers=written.types[written.population.id] == "int")
    other = [key for key in proven if key[0] != "about" and key not in expected]
    if other or len(set(proven)) < len(proven):
        raise EngineError(
            f"a result must have each of its rows once, but {path!r} has {other[:1] or 'some'} twice or of another kind: export all of it"
        )
    proof = {(row[0], row[1]): row[2] for row in rows if row[0] not in ("cell", "unit")}
    _refuse_question(path, [(n, value) for (kind, n), value in proof.items() if kind == "about"], number, digest)
    _refuse_errors(path, proof, expected)
    after = 3 + len(day)
    return [Row(row[0], row[3:after], row[after:-1]) for row in rows if row[0] in ("cell", "unit")]


def _refuse_question(path: str, about: Sequence[tuple[str, str]], number: int, digest: str) -> None:
    """Raise an error for the result of another query."""
    if list(about) == [(str(number), digest)]:
        return
    if number == 0:
        raise EngineError(
            f"{path!r} answers another question than the profile of this table with these columns, types and thresholds: give `fewlabels "
            f"plan` "
            "the options `fewlabels sql` was given, or print the query again"
        )
    said = f"plan {about[0][0]}" if about and about[0][0] not in ("0", str(number)) else "another study, plan or salt"
    raise EngineError(f"plan {number} is to be drawn, but {path!r} was made for {said}: run what `fewlabels sql` prints now")


def _refuse_errors(path: str, proof: dict[tuple[str, str], str], expected: dict[tuple[str, str], str]) -> None:
    """Raise an error if an engine or export gave another number, bin or text than the reference."""
    for key, value in expected.items():
        if proof.get(key, "").replace("\r\n", "\n") == value:  # a query may have been saved with other line endings
            continue
        if key[0] == "text":
            raise EngineError(
                f"an export must leave texts as they are, but {path!r} has {proof.get(key)!r} for {value!r}: write Parquet, or CSV in "
                "UTF-8 with quotes doubled inside quotes"
            )
        raise EngineError(
            f"an engine must agree with fewlabels' reference, but self-test {key[0]} {key[1]} is {proof.get(key)!r} in {path!r} and "
            f"{value!r} "
            "here: run the query as it was printed, or use another engine"
        )


def _refuse_unsound(counted: Sequence[Counted]) -> None:
    """Raise an error for an empty table, and for one with ids or values that break a rule."""
    if not counted:
        raise PopulationError(checks.EMPTY)
    nameless = sum(c.cell.N - c.ids for c in counted)
    broken = sum(c.cell.N if c.cell.guide_bin == NO_BIN else c.unsound for c in counted)
    if nameless or broken:
        raise PopulationError(
            f"all units need an id and values within their limits, but {nameless:,} have no id, and {broken:,} an id or a value that is "
            "missing, too long or out of range: `fewlabels sql ... --query problems` prints the query that counts them by rule"
        )


def _counted(path: str, row: Row, written: Written) -> Counted:
    try:
        counted = Counted.of_row(row.counted, len(written.slices))
    except ValueError:
        raise _garbled(path, row.counted) from None
    cell, patterns = counted.cell, 1 << len(written.population.classifiers)
    possible = 0 <= cell.pattern < patterns and NO_BIN <= cell.guide_bin <= MISSING and 0 < cell.N < MOST_UNITS
    if not possible:
        raise EngineError(f"{path!r} counts a cell that cannot be, {row.counted}: export the result as it was")
    return counted


def _garbled(path: str, values: Sequence[str]) -> EngineError:
    return EngineError(f"counts must be whole numbers and scores numbers, but {path!r} has the row {values}: export every column as text")


def _texts(path: str) -> tuple[list[str], Sequence[Sequence[str | None]]]:
    """Return the columns and rows of a result: a file, or a folder or glob of its parts."""
    try:
        files = find_files(path)
    except PopulationError:
        raise EngineError(f"a result must be Parquet or CSV, but {path!r} names no such file: check the path") from None
    if files.kind == "parquet":
        from fewlabels.engines.duckdb import read_texts

        return read_texts(files.paths)
    parts = [_csv(part) for part in files.paths]
    if any(names != parts[0][0] for names, _ in parts):
        raise EngineError(f"the parts of a result must have the same columns, but those of {path!r} differ: hand in one result")
    return parts[0][0], [row for _, rows in parts for row in rows]


def _csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read a CSV file by RFC 4180: a sniffer could mistake unusual texts for another format."""
    opened = gzip.open if path.name.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            names, *rows = list(csv.reader(file, delimiter="\t" if ".tsv" in path.name else ",", strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise EngineError(f"{str(path)!r} cannot be read as CSV in UTF-8: {error}; write it again, or write Parquet") from None
    if any(len(row) != len(names) for row in rows):
        raise EngineError(
            f"every row of {str(path)!r} must have the columns of the first, but one does not: export all of it, or write Parquet"
        )
    return names, rows
