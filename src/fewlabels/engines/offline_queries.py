"""The two queries as texts that somebody else runs: every column is text, and the result proves itself.

A row's `kind` says what it is:

    cell      the counts of a cell, as `cells.Counted` reads them; in a draw, of its units that do not pass the sieve
    unit      in a draw, a unit that passes the sieve, with its permanent number, its scores and its weight in quanta
    about     which question this answers: the number of the plan (0: the profile) and a digest of what was asked
    number, integer, fast, bin     the self-test: permanent numbers of hard ids, and bins of edge scores
    text      a text of hard characters, which an export must leave as it is

Each row also carries the number of rows there are, so that a file that was cut short is noticed. A double is written as two texts, the
engine's own and what that lacks: the sum is the same double even where an engine writes fifteen digits.
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
HARD_TEXT = ' it\'s, "x"\\n\n∅é😀 '  # as slices may hold it
_DIGITS = 16  # of a digest
_SMALLEST = float(np.finfo(np.float64).tiny)  # engines differ in how they read text of anything smaller


def _is_plain(unit: str) -> bool:
    """Whether a text survives being copied: no control characters, no marks that nobody sees, no odd blanks, no end of a statement."""
    return all(c == " " or (c != ";" and unicodedata.category(c)[0] not in "CZ") for c in unit)


UNITS = tuple(unit for unit in selftest.UNITS if _is_plain(unit))
SCORES = tuple(score for score in selftest.SCORES if score == 0 or not abs(score) < _SMALLEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Queries):
    """The texts for one population, to be run by hand."""

    def profile_text(self, *, digest: str) -> str:
        """The profile: a row a cell, and the proof."""
        cells = f"select {self._texts(['cell', '', ''], self.counted_names)} from ({self.counts(limit=limits.MOST_CELLS + 1)}) r"
        return self._proven(cells, number=0, digest=digest, columns=len(self.counted_names))

    def draw_text(self, sieve: Sieve, *, salt: str, rule: NumberRule, number: int, digest: str) -> str:
        """The draw of plan `number`: a row a unit that passes the sieve, a row for the rest of each cell, and the proof."""
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
        """One row: the units, those with an id another has too, and how many break each rule, which stands above its column."""
        conditions = checks.checks_of(self.population, self.types)
        lines = ["select count(*) as units", "  , count(id) - count(distinct id) as duplicates"]
        for i, check in enumerate(conditions):
            rule = checks.problem(check, count=0, unit="", value=None).rule
            lines += [f"  -- broken{i}: {' '.join(rule.split())}", f"  , count(case when {self._broken(check)} then 1 end) as broken{i}"]
        return "\n".join([*lines, f"from ({self.units()}) u"])

    @property
    def counted_names(self) -> tuple[str, ...]:
        """The columns of a counted cell, in the order `cells.Counted` reads them."""
        claims = range(len(self.population.classifiers) if self.population.is_joint else 0)
        slices = (f"t{i}" for i, _ in enumerate(self.slices))
        counts = ("pattern", "guide_bin", "units", "unsound", "ids", "positives")
        return (*counts, *slices, "smallest", "largest", "quanta", *(f"claim{j}" for j in claims))

    @property
    def day_names(self) -> tuple[str, ...]:
        """The columns of a unit on the day of the draw: a score is the sum of two."""
        scores = (name for i, _ in enumerate(self.population.classifiers) for name in (f"score{i}", f"rest{i}"))
        return ("unit", "number", *scores, "weight")

    def column(self, name: str) -> str:
        """A column of the table; as text where it is declared to be, whatever it is."""
        column = Queries.column(self, name)
        return self.dialect.as_text.format(x=column) if self.types[name] == "text" else column

    def _day(self, of: str) -> list[str]:
        """As ever, but what is missing has a type."""
        *found, quanta = Queries._day(self, of)
        nothing = self.dialect.as_double.format(x="null")
        return [*(nothing if x == "null" else x for x in found), self.dialect.as_bigint.format(x="null") if quanta == "null" else quanta]

    def _proven(self, rows: str, *, number: int, digest: str, columns: int) -> str:
        """The rows with those that prove them, each with the number of all."""
        parts = [rows, self._proof("", ["about", str(number), digest], columns), self._proof("", ["text", "0", HARD_TEXT], columns)]
        parts += [self._proof(source, [kind, None, value], columns) for kind, source, value in self._tests()]
        joined = "\nunion all\n".join(parts)
        total = self.dialect.as_text.format(x="count(*) over ()")
        what = f"the draw of plan {number}" if number else "the profile"
        return f"-- fewlabels: {what}; keep every row and column of the result\nselect a.*, {total} as total from (\n{joined}\n) a"

    def _tests(self) -> list[tuple[str, str, str]]:
        """The self-test: kind, FROM item with the number n, and the expression that makes the value."""
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
        """Rows of the proof; the value is a text, or an expression over the rows of a FROM item numbered n."""
        kind, n, value = values
        out = [self._literal(str(kind)), self.dialect.as_text.format(x="t.n") if n is None else self._literal(n)]
        out.append(str(value) if source else self._literal(str(value)))
        text = f"select {', '.join([*out, *[self._literal('')] * columns])}"
        return f"{text} from {source}" if source else text

    def _texts(self, head: Sequence[str], names: Sequence[str]) -> str:
        """Columns of a sub-select r as text, after literals for the head."""
        first = [f"{self._literal(value)} as {name}" for value, name in zip(head, HEAD, strict=True)]
        return ", ".join([*first, *(f"{self.dialect.as_text.format(x=f'r.{name}')} as {name}" for name in names)])

    def _literal(self, value: str) -> str:
        return self.dialect.as_text.format(x=self.dialect.text(value))


def written_for(population: Population, columns: Sequence[Column], place: Place) -> Written:
    """The texts for a table that is somewhere else. Refuses columns that are not declared, and types that cannot be judged."""
    roles = checks.roles(population)
    checks.require_columns(columns, (role.column for role in roles))
    types = checks.require_types(roles, columns)
    checks.require_readable(population, types)
    return Written(dialect=dialect_named(place.dialect), population=population, types=types, source=place.source)


def expected_proof(*, integers: bool) -> dict[tuple[str, str], str]:
    """The value of every row of the self-test, by kind and number, as the reference computes it."""
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
    """What tells one profile query from another: how the table is read, and which it is."""
    read = {name: value for name, value in population.as_json().items() if name != "source"}
    return fingerprint({"read": read, "types": dict(types), "table": table})[:_DIGITS]


def draw_digest(plan_hash: str, sieve: Sieve) -> str:
    """What tells one draw query from another: the plan, its salt in it, and what passes."""
    passes: list[Json] = [sieve.bound, [list(pair) for pair in sieve.ranges], sieve.missing, list(sieve.patterns)]
    return fingerprint({"plan": plan_hash, "passes": passes})[:_DIGITS]
