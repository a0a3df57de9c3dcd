"""The queries of every SQL engine, written once; what differs between engines is a `Dialect` of templates.

The profile is one scan, the draw another: counts by cell with the soundness of every value, then the few units below a bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fewlabels.engines import checks
from fewlabels.engines.cells import NULL_MARK
from fewlabels.engines.checks import LONGEST_ID, Check, Kind
from fewlabels.engines.layers import TABLE, Layers
from fewlabels.engines.prefilter import Sieve
from fewlabels.nouns import ladder
from fewlabels.nouns.weights import LARGEST_WEIGHT
from fewlabels.randomness import BITS, LOW_BITS, TOP, NumberRule, hex_bound

LOOKUP = "fewlabels_lookup"  # the name under which a query sees the small table passed to it
HEX_DIGITS = BITS // 4
_ID_KINDS = frozenset({Kind.NO_ID, Kind.LONG_ID, Kind.NUL_ID, Kind.UNWRITABLE_ID})


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries(Layers):
    """The query texts for one population."""

    def survey(self, conditions: Sequence[Check], *, truth: str | None = None) -> str:
        """Return a query for one row: N, and how many units break each check."""
        counts = [f"count(case when {self._broken(check)} then 1 end)" for check in conditions]
        return f"select {', '.join(['count(*)', *counts])} from ({self.units(truth=truth)}) u"

    def example(self, check: Check, *, truth: str | None = None) -> str:
        """Return a query for one row: the id and value of the first unit, by id, that breaks a check."""
        order = f"case when id is null then 1 else 0 end, {self._in_byte_order}"
        value = self.unit("id") if check.kind in _ID_KINDS else self._alias(check)
        if check.kind is Kind.LONG_ID:
            value = self.dialect.byte_length.format(x=self.unit("id"))
        units = f"({self.units(truth=truth)}) u where {self._broken(check)}"
        return f"select {self.unit('id')}, {value} from {units} order by {order} limit 1"

    def duplicates(self) -> str:
        """Return a query for one row: the units beyond the first of each id."""
        return f"select count(id) - count(distinct id) from ({self.units()}) u"

    def duplicate(self) -> str:
        """Return a query for one row: the id that appears most often, and how often."""
        unit = self.unit("id")
        named = f"select {unit} as unit from ({self.units()}) u where id is not null"
        repeated = f"select unit, count(*) as times from ({named}) n group by unit having count(*) > 1"
        return f"select unit, times from ({repeated}) d order by times desc, {self.dialect.byte_order.format(x='unit')} limit 1"

    def ends(self) -> str:
        """Return a query for one row: the units with an id, the smallest and the largest id."""
        return f"select count(id), {self._end('min')}, {self._end('max')} from ({self.units()}) u"

    def counts(self, *, limit: int, ends: bool = True, truth: str | None = None) -> str:
        """Return a query for one row per cell (see `cells.Counted`): its key, units, invalid units, smallest and largest id, and sums."""
        key = ", ".join(["pattern", "guide_bin", *self.slices])
        grouped = f"select {key}, {self._sums(ends=ends, truth=truth)} from ({self.cells(self.units(truth=truth))}) c group by {key}"
        return f"select {', '.join(self._counted('q'))} from ({grouped}) q limit {limit}"

    def known(self, truths: Sequence[str]) -> str:
        """Return a query for one row per unit: pattern, guide_bin, slices, its weight in quanta (null without), and its truths as text."""
        w = "c.w" if self.population.weight is not None else "null"
        out = ["c.pattern", "c.guide_bin", *self.slice_texts("c"), w, *(f"c.y{i}" for i in range(len(truths)))]
        return f"select {', '.join(out)} from ({self.cells(self.units(truths=truths))}) c"

    def distinct_slices(self) -> str:
        """Return a query for one row: the number of distinct values of each slice column."""
        named = self.slices[: len(self.population.slices)]
        return f"select {', '.join(f'count(distinct {k})' for k in named)} from ({self.units()}) u"

    def below(self, sieve: Sieve, *, salt: str, rule: NumberRule, by_slice: bool) -> str:
        """Return a query for one row per unit below the bound of its cell in LOOKUP (see `cells.drawn`).

        The sieve comes first, so that bins and the join are computed only for the few units that pass it.
        """
        sifted = self._sifted(sieve, salt, rule)
        texts = [f"{text} as t{i}" for i, text in enumerate(self.slice_texts("c"))]
        named = f"select {', '.join(['c.*', self.unit('c.id') + ' as unit', *texts])} from ({self.cells(sifted)}) c"
        known = self.dialect.never_null.format
        on = ["d.pattern = l.pattern", f"{known(x='d.guide_bin', instead=ladder.NO_BIN)} = l.guide_bin"]
        on += [f"{known(x=f'd.t{i}', instead=self.dialect.text(NULL_MARK))} = l.{k}" for i, k in enumerate(self.slices) if by_slice]
        number = known(x="d.number", instead=TOP if rule == "fast" else self.dialect.text(hex_bound(TOP)))  # below no bound
        out = ["d.unit", self._number("d.number", rule), "l.band", *self._day("d"), *(f"d.t{i}" for i in range(len(texts)))]
        return f"select {', '.join(out)} from ({named}) d join {LOOKUP} l on {' and '.join(on)} where {number} < l.bound"

    def below_and_counts(self, sieve: Sieve, *, salt: str, rule: NumberRule) -> str:
        """Return a query for, in one scan, one row per unit that passes the sieve and one for the rest of each cell.

        A row has unit and number (null for the rest), one score per classifier, quanta, and the columns of `counts`.
        """
        passes = self._where(sieve, rule).removeprefix(" where ") or "1 = 1"
        begun = self._begun(salt, rule)
        numbered = self.dialect.fast_number(begun, salt=salt) if rule == "fast" else begun
        alone = f"select n.*, case when {passes} then n.id end as alone from ({numbered}) n"
        key = ", ".join(["pattern", "guide_bin", *self.slices, "alone"])
        day = ", ".join(f"max({column}) as d{i}" for i, column in enumerate(["number", *self._day("c")[2:]]))
        grouped = f"select {key}, {day}, {self._sums(ends=True, truth=None)} from ({self.cells(alone)}) c group by {key}"
        out = [f"{self.unit('q.alone')} as unit", f"{self._number('q.d0', rule)} as number"]
        out += [f"q.d{i}" for i in range(1, len(self._day("c")) - 1)]
        return f"select {', '.join([*out, *self._counted('q')])} from ({grouped}) q"

    def fetch(self, columns: Sequence[str], *, source: str) -> str:
        """Return a query for one row per unit of LOOKUP that is found: its id and the columns as text."""
        texts = [f"{self.dialect.as_text.format(x=self.column(name))} as f{i}" for i, name in enumerate(columns)]
        inner = f"select {', '.join([f'{self.unit(self.column(self.population.id))} as unit', *texts])} from {source} as {TABLE}"
        out = ", ".join(["f.unit", *(f"f.f{i}" for i in range(len(columns)))])
        return f"select {out} from ({inner}) f join {LOOKUP} l on f.unit = l.unit"

    def located(self) -> str:
        """Return a query for one row per unit of LOOKUP that is found: its id, pattern, guide_bin and slices."""
        named = f"select u.*, {self.unit('u.id')} as unit from ({self.units()}) u"
        few = f"select n.* from ({named}) n join {LOOKUP} l on n.unit = l.unit"
        out = ", ".join(["c.unit", "c.pattern", "c.guide_bin", *self.slice_texts("c")])
        return f"select {out} from ({self.cells(few)}) c"

    def clusters(self, column: str) -> str:
        """Return a query for one row: clusters with a name, their units, sums of squared sizes, the largest, and the units without one."""
        named = f"select {self.dialect.as_text.format(x=self.column(column))} as c from {self.source} as {TABLE}"
        sizes = f"select count(c) as m, count(*) - count(c) as alone from ({named}) n group by c"
        return f"select count(case when m > 0 then 1 end), sum(m), sum(1e0 * m * m), max(m), sum(alone) from ({sizes}) s"

    def _sifted(self, sieve: Sieve, salt: str, rule: NumberRule) -> str:
        """Return the units that pass the sieve, with their numbers; computed for those few only if their first bits are cheaper."""
        if rule == "md5" and self.dialect.hash_start and not sieve.lets_all_pass:
            first = f"{self.dialect.hash_start_of(self.unit('n.id'), salt=salt)} <= {sieve.bound >> BITS - 8}"
            few = f"select n.* from ({self.units()}) n where {self._passes(sieve, first)}"
            return f"select a.*, {self.dialect.hash_of(self.unit('a.id'), salt=salt)} as number from ({few}) a"
        sifted = f"select n.* from ({self._begun(salt, rule)}) n{self._where(sieve, rule)}"
        return self.dialect.fast_number(sifted, salt=salt) if rule == "fast" else sifted

    def _begun(self, salt: str, rule: NumberRule) -> str:
        """Return the units with what a sieve compares: an md5 in hex, or the first bits of the fast number."""
        if rule == "fast":
            return self.dialect.fast_first(self.units(), id="id", salt=salt)
        return f"select u.*, {self.dialect.hash_of(self.unit('u.id'), salt=salt)} as number from ({self.units()}) u"

    def _number(self, number: str, rule: NumberRule) -> str:
        return number if rule == "fast" else f"substring({number}, 1, {HEX_DIGITS})"

    def _where(self, sieve: Sieve, rule: NumberRule) -> str:
        """Return the condition of the sieve; empty if all pass."""
        if sieve.lets_all_pass:
            return ""
        fast = f"n.high_half <= {sieve.bound >> LOW_BITS}"
        return f" where {self._passes(sieve, fast if rule == 'fast' else f'n.number < {self.dialect.text(hex_bound(sieve.bound))}')}"

    def _passes(self, sieve: Sieve, first: str) -> str:
        """Return the condition of the sieve; `first` is the part about the number."""
        ways = [first]
        guide = self.guide("n")
        ways += [f"({guide} >= {self.dialect.double(low)} and {guide} <= {self.dialect.double(high)})" for low, high in sieve.ranges]
        if sieve.missing:
            ways.append(f"{guide} is null")
        if sieve.patterns:
            ways.append(f"{self.pattern('n')} in ({', '.join(map(str, sieve.patterns))})")
        return " or ".join(ways)

    def _day(self, of: str) -> list[str]:
        """Return a unit's cell without its slices, its scores and its weight, as they are on the day of the draw."""
        out = [f"{of}.guide_bin", f"{of}.pattern"]
        out += [f"{of}.s{self.scores.index(c.score)}" if c.score is not None else "null" for c in self.population.classifiers]
        return [*out, f"{of}.w" if self.population.weight is not None else "null"]

    def _sums(self, *, ends: bool, truth: str | None) -> str:
        """Return what is summed over the units of a cell, under the names that `_counted` reads."""
        sound = self._sound()
        out = ["count(*) as units", f"count(case when {' and '.join(sound)} then null else 1 end) as unsound" if sound else "0 as unsound"]
        out += ["count(id) as ids", f"{self._first('min')} as smallest", f"{self._first('max')} as largest"] if ends else []
        out += ["0 as ids", "null as smallest", "null as largest"] if not ends else []
        out.append("0 as positives" if truth is None else f"count(case when {self._is_positive(truth)} then 1 end) as positives")
        out.append(f"{self.dialect.exact_sum.format(x='w')} as quanta" if self.population.weight is not None else "0 as quanta")
        claims = self.population.classifiers if self.population.is_joint else ()
        return ", ".join([*out, *(f"{self.dialect.exact_sum.format(x=self.claim(c, 'c'))} as claim{j}" for j, c in enumerate(claims))])

    def _counted(self, of: str) -> list[str]:
        """Return the columns of a counted cell; large sums and ids as text, which every engine writes alike."""
        claims = [f"claim{j}" for j in range(len(self.population.classifiers) if self.population.is_joint else 0)]
        texts = [f"{self.dialect.as_text.format(x=f'{of}.{name}')} as {name}" for name in ("smallest", "largest", "quanta", *claims)]
        plain = [f"{of}.{name}" for name in ("pattern", "guide_bin", "units", "unsound", "ids", "positives")]
        return [*plain, *(f"{text} as t{i}" for i, text in enumerate(self.slice_texts(of))), *texts]

    def _sound(self) -> list[str]:
        """Yield the conditions on every unit that its bin does not cover already, written so that null and NaN fail them."""
        told = (self.population.guide_column, (0.0, 1.0))  # the bin of an unmapped guide shows whether it is in range
        found: list[str] = []
        for column, (low, high) in checks.score_ranges(self.population):
            if (column, (low, high)) == told and self.population.guide_range == (0.0, 1.0):
                continue
            s = f"s{self.scores.index(column)}"
            within = f"{s} >= {self.dialect.double(low)} and {s} <= {self.dialect.double(high)}"
            allowed = self.population.missing_scores and column not in self.population.candidates
            found.append(f"({s} is null or {within})" if allowed else within)
        found += [f"p{i} is not null" if self.types[name] == "bool" else f"p{i} in (0, 1)" for i, name in enumerate(self.flags)]
        found += [f"c{i} is not null" for i, _ in enumerate(self.chosen)]
        if self.population.weight is not None:
            found.append(f"x >= {self.dialect.double(0.0)} and x <= {self.dialect.double(LARGEST_WEIGHT)}")
        if self.types[self.population.id] == "text":
            found.append(f"{self.dialect.byte_length.format(x='id')} <= {LONGEST_ID} and not ({self.dialect.has_nul.format(x='id')})")
        return found

    @property
    def _in_byte_order(self) -> str:
        return self.dialect.byte_order.format(x=self.unit("id"))

    def _first(self, which: str) -> str:
        """The smallest or largest id: by number for numbers, by UTF-8 bytes for text."""
        return f"{which}({'id' if self.types[self.population.id] in ('int', 'decimal') else self._in_byte_order})"

    def _end(self, which: str) -> str:
        return self.dialect.as_text.format(x=self._first(which))

    def _is_positive(self, truth: str) -> str:
        return "y" if self.types[truth] == "bool" else "y = 1"

    def _alias(self, check: Check) -> str:
        if check.word == "score":
            return f"s{self.scores.index(check.column)}"
        if check.word == "weight":
            return "x"
        if check.word == "class":
            return f"c{self.chosen.index(check.column)}"
        return "y" if check.word == "truth" else f"p{self.flags.index(check.column)}"

    def _broken(self, check: Check) -> str:
        """Return the condition under which a unit breaks the check."""
        if check.kind in _ID_KINDS:
            return {
                Kind.NO_ID: "id is null",
                Kind.LONG_ID: f"{self.dialect.byte_length.format(x=self.unit('id'))} > {LONGEST_ID}",
                Kind.NUL_ID: self.dialect.has_nul.format(x=self.unit("id")),
                Kind.UNWRITABLE_ID: "1 = 0",  # engines store UTF-8 only
            }[check.kind]
        x, low, high = self._alias(check), self.dialect.double(check.low), self.dialect.double(check.high)
        if check.kind is Kind.NOT_BINARY and self.types[check.column] == "bool":
            return "1 = 0"
        nan = self.dialect.is_nan.format(x=x)
        return {
            Kind.NULL: f"{x} is null",
            Kind.NAN: f"{x} is not null and {nan}",
            Kind.OUTSIDE: f"{x} is not null and not {nan} and ({x} < {low} or {x} > {high})",
            Kind.NOT_BINARY: f"{x} is not null and {x} <> 0 and {x} <> 1",
        }[check.kind]
