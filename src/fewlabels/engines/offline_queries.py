"""The two queries as texts that somebody else runs: every column is text, and the result carries its own checks.

A row's `kind` says what it is:

    cell      the counts of a cell, as `cells.Counted` reads them; in a draw, of its units that do not pass the sieve
    unit      in a draw, a unit that passes the sieve, with its permanent number, its scores and its weight in quanta
    about     which query this answers: the number of the plan (0: the profile) and a digest of the query
    number, integer, fast, bin     the self-test: permanent numbers of hard ids, and bins of edge scores
    text      a text of unusual characters, which an export must not change

Each row also carries the total number of rows, so that a truncated file is noticed. A double is written as two texts, the
engine's own and the remainder: their sum is the same double even if an engine writes only fifteen digits.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.engines import checks, selftest
from fewlabels.engines.prefilter import Sieve
from fewlabels.engines.sql import HEX_DIGITS, Queries
from fewlabels.engines.warehouses import Place, dialect_named
from fewlabels.nouns import ladder
from fewlabels.nouns import profile as limits
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column
from fewlabels.randomness import NumberRule, fast_numbers, permanent_number

HEAD = ("kind", "n", "value")
HARD_TEXT = ' it\'s, "x"\\n\n∅é😀 '  # as a slice value may be
_DIGITS = 16  # of a digest
_SMALLEST = float(np.finfo(np.float64).tiny)  # engines differ in how they read text of anything smaller


def _is_plain(unit: str) -> bool:
    """Return whether a text survives being copied: no control or invisible characters, no unusual blanks, no end of a statement."""
    return all(c == " " or (c != ";" and unicodedata.category(c)[0] not in "CZ") for c in unit)


UNITS = tuple(unit for unit in selftest.UNITS if _is_plain(unit))
SCORES = tuple(score for score in selftest.SCORES if score == 0 or not abs(score) < _SMALLEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Queries):
    """The queries for one population, to be run by hand."""

    def profile_text(self, *, digest: str) -> str:
        """Return the profile query: one row per cell, and the self-test."""
        cells = f"select {self._texts(['cell', '', ''], self.counted_names)} from ({self.counts(limit=limits.MOST_CELLS + 1)}) r"
        return self._proven(cells, number=0, digest=digest, columns=len(self.counted_names))

    def draw_text(self, sieve: Sieve, *, salt: str, rule: NumberRule, number: int, digest: str) -> str:
        """Return the draw query of plan `number`: one row per unit that passes the sieve, one per cell for the rest, the self-test."""
        text, double = self.dialect.as_text, self.dialect.as_double
        out = ["r.unit", text.format(x="r.number")]
        for i, _ in enumerate(self.population.classifiers, 1):
            written = text.format(x=f"r.d{i}")
            out += [written, text.format(x=f"r.d{i} - {double.format(x=written)}")]
        out.append(text.format(x=f"r.d{len(self.population.classifiers) + 1}"))
        kind = f"case when r.unit is null then {self._literal('cell')} else {self._literal('unit')} end as kind"
        named = [f"{x} as {name}" for x, name in zip(out, self.day_names, strict=True)]
        head = [kind, *(f"{self._literal('')} as {name}" for name in HEAD[1:])]
        counted = [f"{text.format(x=f'r.{name}')} as {name}" for name in self.counted_names]
        rows = f"select {', '.join([*head, *named, *counted])} from ({self.below_and_counts(sieve, salt=salt, rule=rule)}) r"
        return self._proven(rows, number=number, digest=digest, columns=len(named) + len(counted))

    def problems_text(self) -> str:
        """Return a query for one row: the units, those with a duplicate id, and how many break each rule, named above its column."""
        conditions = checks.checks_of(self.population, self.types)
        lines = ["select count(*) as units", "  , count(id) - count(distinct id) as duplicates"]
        for i, check in enumerate(conditions):
            rule = checks.problem(check, count=0, unit="", value=None).rule
            lines += [f"  -- broken{i}: {' '.join(rule.split())}", f"  , count(case when {self._broken(check)} then 1 end) as broken{i}"]
        return "\n".join([*lines, f"from ({self.units()}) u"])

    @property
    def counted_names(self) -> tuple[str, ...]:
        """The columns of a counted cell, in the order in which `cells.Counted` reads them."""
        claims = range(len(self.population.classifiers) if self.population.is_joint else 0)
        slices = (f"t{i}" for i, _ in enumerate(self.slices))
        counts = ("pattern", "guide_bin", "units", "unsound", "ids", "positives")
        return (*counts, *slices, "smallest", "largest", "quanta", *(f"claim{j}" for j in claims))

    @property
    def day_names(self) -> tuple[str, ...]:
        """The columns of a unit on the day of the draw: a score is the sum of two columns."""
        scores = (name for i, _ in enumerate(self.population.classifiers) for name in (f"score{i}", f"rest{i}"))
        return ("unit", "number", *scores, "weight")

    def column(self, name: str) -> str:
        """Return a column of the table; cast to text if it is declared as text."""
        column = Queries.column(self, name)
        return self.dialect.as_text.format(x=column) if self.types[name] == "text" else column

    def _day(self, of: str) -> list[str]:
        """Return the same as the base class, but with typed nulls."""
        *found, quanta = Queries._day(self, of)
        nothing = self.dialect.as_double.format(x="null")
        return [*(nothing if x == "null" else x for x in found), self.dialect.as_bigint.format(x="null") if quanta == "null" else quanta]

    def _proven(self, rows: str, *, number: int, digest: str, columns: int) -> str:
        """Return the rows together with the self-test, each with the total number of rows."""
        parts = [rows, self._proof("", ["about", str(number), digest], columns), self._proof("", ["text", "0", HARD_TEXT], columns)]
        parts += [self._proof(source, [kind, None, value], columns) for kind, source, value in self._tests()]
        joined = "\nunion all\n".join(parts)
        total = self.dialect.as_text.format(x="count(*) over ()")
        what = f"the draw of plan {number}" if number else "the profile"
        return f"-- fewlabels: {what}; keep every row and column of the result\nselect a.*, {total} as total from (\n{joined}\n) a"

    def _tests(self) -> list[tuple[str, str, str]]:
        """Yield the self-test: kind, FROM item with the number n, and the expression of the value."""
        dialect, salt = self.dialect, selftest.SALT
        words = dialect.listed([dialect.word(score) for score in SCORES], name="v")
        number = f"substring({dialect.hash_of('t.unit', salt=salt)}, 1, {HEX_DIGITS})"
        length = dialect.as_text.format(x=dialect.byte_length.format(x="t.unit"))
        tests = [("number", dialect.listed(UNITS, name="t"), f"{number} || ':' || {length}")]
        scores = f"(select v.n as n, {dialect.as_double.format(x='v.unit')} as s from {words}) t"
        tests.append(("bin", scores, dialect.as_text.format(x=f"({dialect.bin_of('t.s')})")))
        if self.types[self.population.id] != "int":
            return tests
        listed = dialect.listed([str(value) for value in selftest.FAST], name="v")
        integers = f"select v.n as n, {dialect.as_bigint.format(x='v.unit')} as i from {listed}"
        written = dialect.hash_of(dialect.as_text.format(x="t.i"), salt=salt)
        tests.append(("integer", f"({integers}) t", f"substring({written}, 1, {HEX_DIGITS})"))
        tests.append(
            (
                "fast",
                f"({dialect.fast_number(dialect.fast_first(integers, id='i', salt=salt), salt=salt)}) t",
                dialect.as_text.format(x="t.number"),
            )
        )
        return tests

    def _proof(self, source: str, values: Sequence[str | None], columns: int) -> str:
        """Return rows of the self-test; the value is a text, or an expression over the rows of a FROM item numbered n."""
        kind, n, value = values
        out = [self._literal(str(kind)), self.dialect.as_text.format(x="t.n") if n is None else self._literal(n)]
        out.append(str(value) if source else self._literal(str(value)))
        text = f"select {', '.join([*out, *[self._literal('')] * columns])}"
        return f"{text} from {source}" if source else text

    def _texts(self, head: Sequence[str], names: Sequence[str]) -> str:
        """Return columns of a sub-select r as text, after literals for the head."""
        first = [f"{self._literal(value)} as {name}" for value, name in zip(head, HEAD, strict=True)]
        return ", ".join([*first, *(f"{self.dialect.as_text.format(x=f'r.{name}')} as {name}" for name in names)])

    def _literal(self, value: str) -> str:
        return self.dialect.as_text.format(x=self.dialect.text(value))


def written_for(population: Population, columns: Sequence[Column], place: Place) -> Written:
    """Return the queries for a table that fewlabels does not open; raise an error for undeclared columns and unsupported types."""
    roles = checks.roles(population)
    checks.require_columns(columns, (role.column for role in roles))
    types = checks.require_types(roles, columns)
    checks.require_readable(population, types)
    return Written(dialect=dialect_named(place.dialect), population=population, types=types, source=place.source)


def expected_proof(*, integers: bool) -> dict[tuple[str, str], str]:
    """Return the value of every row of the self-test, by kind and number, as the reference computes it."""
    salt = selftest.SALT
    found = {("text", "0"): HARD_TEXT}
    found |= {("number", str(n)): f"{permanent_number(salt, unit):013x}:{len(unit.encode())}" for n, unit in enumerate(UNITS)}
    found |= {("bin", str(n)): str(bin_) for n, bin_ in enumerate(ladder.bin_of(np.array(SCORES)).tolist())}
    if integers:
        numbers = fast_numbers(salt, np.array(selftest.FAST, dtype=np.int64)).tolist()
        found |= {("integer", str(n)): f"{permanent_number(salt, str(value)):013x}" for n, value in enumerate(selftest.FAST)}
        found |= {("fast", str(n)): str(number) for n, number in enumerate(numbers)}
    return found


def profile_digest(population: Population, types: Mapping[str, str], table: str) -> str:
    """Return a digest that identifies a profile query: the table, and how it is read."""
    read = {name: value for name, value in population.as_json().items() if name != "source"}
    return fingerprint({"read": read, "types": dict(types), "table": table})[:_DIGITS]


def draw_digest(plan_hash: str, sieve: Sieve) -> str:
    """Return a digest that identifies a draw query: the plan with its salt, and what passes the sieve."""
    passes: list[Json] = [sieve.bound, [list(pair) for pair in sieve.ranges], sieve.missing, list(sieve.patterns)]
    return fingerprint({"plan": plan_hash, "passes": passes})[:_DIGITS]
