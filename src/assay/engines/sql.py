"""The queries of every SQL engine, written once; what differs between engines is a `Dialect` of templates.

Three layers of sub-selects, so that no expression is computed twice and no name of the table meets a name of ours:

    units    unit (id as text), id, s0.. (scores as doubles), p0.. (predictions 0/1), c0.. (classes as text), k0.. (slices as text),
             x (metric weight as a double), y (truth 0/1)
    cells    units, with pattern, guide_bin and, where units have weights, w (in quanta) and the layer as one more slice
    query    counts by cell, or the few units below a bound

Main path: [population] > [profile] > plan > [draw] > labels > estimate > decision > report
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.engines.cells import NULL_MARK, threshold_of
from assay.engines.checks import LONGEST_ID, Check, Kind
from assay.engines.dialect import Dialect
from assay.nouns import ladder
from assay.nouns.classifier import Classifier
from assay.nouns.population import Population
from assay.nouns.profile import CLAIM_UNITS, UNSCORED
from assay.nouns.weights import QUANTA
from assay.randomness import TOP, hex_bound

LOOKUP = "assay_lookup"  # the name under which a query sees the small table handed to it
_TABLE = "assay_table"
_ID_KINDS = frozenset({Kind.NO_ID, Kind.LONG_ID, Kind.NUL_ID, Kind.UNWRITABLE_ID})


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """The texts for one population.

    types    the type of each column the population names, in assay's words
    source   the FROM item of the table
    """

    dialect: Dialect
    population: Population
    types: Mapping[str, str]
    source: str

    @property
    def scores(self) -> tuple[str, ...]:
        """The score columns, each once; the position is the number of its alias s0, s1, ..."""
        named = [c.score for c in self.population.classifiers] + [self.population.guide, *self.population.candidates]
        return tuple(dict.fromkeys(n for n in named if n is not None))

    @property
    def flags(self) -> tuple[str, ...]:
        """The prediction columns, each once; aliases p0, p1, ..."""
        return tuple(dict.fromkeys(c.predicted for c in self.population.classifiers if c.predicted is not None and c.value is None))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns that hold a class, each once; aliases c0, c1, ..."""
        return tuple(dict.fromkeys(c.predicted for c in self.population.classifiers if c.predicted is not None and c.value is not None))

    @property
    def slices(self) -> tuple[str, ...]:
        """The aliases of the slice columns, of the steps of candidates, and of the layer of the weight, in this order."""
        parts = len(self.population.slices) + len(self.population.candidates) + (self.population.weight is not None)
        return tuple(f"k{i}" for i in range(parts))

    def survey(self, checks: Sequence[Check], *, truth: str | None = None) -> str:
        """One row: N, the smallest and largest id as text, and how many units break each check."""
        counts = [f"count(case when {self._broken(check)} then 1 end)" for check in checks]
        return f"select {', '.join(['count(*)', self._end('min'), self._end('max'), *counts])} from ({self._units(truth=truth)}) u"

    def example(self, check: Check, *, truth: str | None = None) -> str:
        """One row: the id and value of the first unit, by id, that breaks a check."""
        order = f"case when unit is null then 1 else 0 end, {self.dialect.byte_order.format(x='unit')}"
        value = "unit" if check.kind in _ID_KINDS else self._alias(check)
        if check.kind is Kind.LONG_ID:
            value = self.dialect.byte_length.format(x="unit")
        return f"select unit, {value} from ({self._units(truth=truth)}) u where {self._broken(check)} order by {order} limit 1"

    def duplicates(self) -> str:
        """One row: the units beyond the first of each id."""
        return f"select count(id) - count(distinct id) from ({self._units()}) u"

    def duplicate(self) -> str:
        """One row: the id that appears most often, and how often."""
        order = f"count(*) desc, {self.dialect.byte_order.format(x='unit')}"
        units = f"({self._units()}) u where unit is not null"
        return f"select unit, count(*) from {units} group by unit having count(*) > 1 order by {order} limit 1"

    def cells(self, *, limit: int, truth: str | None = None) -> str:
        """A row a cell: pattern, guide_bin, slices, count, positives (0 without truth), quanta, and claims for labels or classes."""
        key = ", ".join(["pattern", "guide_bin", *self.slices])
        positives = "count(case when y = 1 then 1 end)" if truth is not None else "0"
        quanta = self.dialect.as_text.format(x="sum(w)") if self.population.weight is not None else "'0'"
        claims = [f"cast(sum({self._claim(c)}) as bigint)" for c in self.population.classifiers] if self.population.is_joint else []
        out = ", ".join([key, "count(*)", positives, quanta, *claims])
        return f"select {out} from ({self._cells(self._units(truth=truth))}) c group by {key} limit {limit}"

    def known(self, truths: Sequence[str]) -> str:
        """A row a unit: pattern, guide_bin, slices, its weight in quanta (null without), and its truths as text."""
        w = "c.w" if self.population.weight is not None else "null"
        out = ["c.pattern", "c.guide_bin", *(f"c.{k}" for k in self.slices), w, *(f"c.y{i}" for i in range(len(truths)))]
        return f"select {', '.join(out)} from ({self._cells(self._units(truths=truths))}) c"

    def distinct_slices(self) -> str:
        """One row: the number of distinct values of each slice column."""
        named = self.slices[: len(self.population.slices)]
        return f"select {', '.join(f'count(distinct {k})' for k in named)} from ({self._units()}) u"

    def below(self, *, salt: str, by_slice: bool, largest_bound: int) -> str:
        """A row a unit whose hash sorts before the bound of its cell in LOOKUP: unit, hash, band, cell, slices, scores, quanta.

        The largest bound is a constant filter that comes first, so that bins and the join are computed for the few that pass.
        """
        units = f"select u.*, {self.dialect.hash_of('u.unit', salt=salt)} as hash from ({self._units()}) u"
        if largest_bound < TOP:
            units = f"select h.* from ({units}) h where h.hash < {self.dialect.text(hex_bound(largest_bound))}"
        keys = ["pattern", "guide_bin", *(self.slices if by_slice else ())]
        on = " and ".join(f"c.{key} = l.{key}" for key in keys)
        out = ["c.unit", "c.hash", "l.band", "c.guide_bin", "c.pattern", *(f"c.{k}" for k in self.slices)]
        out += [f"c.s{self.scores.index(c.score)}" if c.score is not None else "null" for c in self.population.classifiers]
        out.append("c.w" if self.population.weight is not None else "null")
        return f"select {', '.join(out)} from ({self._cells(units)}) c join {LOOKUP} l on {on} where c.hash < l.bound"

    def fetch(self, columns: Sequence[str], *, source: str) -> str:
        """A row a unit of LOOKUP that is found: its id and the columns as text."""
        texts = [f"{self.dialect.as_text.format(x=self._column(name))} as f{i}" for i, name in enumerate(columns)]
        inner = f"select {', '.join([f'{self._unit()} as unit', *texts])} from {source} as {_TABLE}"
        out = ", ".join(["f.unit", *(f"f.f{i}" for i in range(len(columns)))])
        return f"select {out} from ({inner}) f join {LOOKUP} l on f.unit = l.unit"

    def _column(self, name: str) -> str:
        return f"{_TABLE}.{self.dialect.identifier(name)}"

    def _unit(self) -> str:
        """The id as text: decimal digits, a lower-case uuid, or the text itself."""
        text = self.dialect.as_text.format(x=self._column(self.population.id))
        return f"lower({text})" if self.types[self.population.id] == "uuid" else text

    def _units(self, *, truth: str | None = None, truths: Sequence[str] = ()) -> str:
        """The first layer: the columns assay reads, under assay's names."""
        out = [f"{self._unit()} as unit", f"{self._column(self.population.id)} as id"]
        out += [f"{self.dialect.as_double.format(x=self._column(name))} as s{i}" for i, name in enumerate(self.scores)]
        out += [f"{self._binary(name)} as p{i}" for i, name in enumerate(self.flags)]
        out += [f"{self.dialect.as_text.format(x=self._column(name))} as c{i}" for i, name in enumerate(self.chosen)]
        out += [f"{self._slice(name)} as k{i}" for i, name in enumerate(self.population.slices)]
        if self.population.weight is not None:
            out.append(f"{self.dialect.as_double.format(x=self._column(self.population.weight))} as x")
        if truth is not None:
            out.append(f"{self._binary(truth)} as y")
        out += [f"{self.dialect.as_text.format(x=self._column(name))} as y{i}" for i, name in enumerate(truths)]
        return f"select {', '.join(out)} from {self.source} as {_TABLE}"

    def _binary(self, name: str) -> str:
        """A bool as 0 and 1, any other column as it is; null stays null."""
        column = self._column(name)
        return f"case when {column} then 1 when not {column} then 0 end" if self.types[name] == "bool" else column

    def _slice(self, name: str) -> str:
        """The slice value as text, null and look-alikes of null marked as in `cells.slice_text`."""
        text, mark = self.dialect.as_text.format(x=self._column(name)), self.dialect.text(NULL_MARK)
        return (
            f"case when {self._column(name)} is null then {mark} when substr({text}, 1, 1) = {mark} then {mark} || {text} else {text} end"
        )

    def _cells(self, units: str) -> str:
        """The second layer: each unit with its pattern and guide_bin, and its weight in quanta with the layer."""
        if self.population.weight is not None:
            quanta = self.dialect.floor.format(x=f"x * {self.dialect.double(QUANTA)}")
            units = f"select a.*, {self.dialect.layer_of('a.w')} as {self.slices[-1]} from (select b.*, {quanta} as w from ({units}) b) a"
        steps = [f"{self._step(name)} as k{i}" for i, name in enumerate(self.population.candidates, len(self.population.slices))]
        if steps:
            units = f"select v.*, {', '.join(steps)} from ({units}) v"
        bits = [f"case when {self._positive(c)} then {1 << j} else 0 end" for j, c in enumerate(self.population.classifiers)]
        guide = self._guide()
        if guide is None:
            return f"select v.*, {' + '.join(bits)} as pattern, 0 as guide_bin from ({units}) v"
        inner = f"select v.*, {' + '.join(bits)} as pattern, {guide} as guide from ({units}) v"
        binned = self.dialect.bin_of("g.guide")
        if self.population.missing_scores:
            binned = f"case when g.guide is null then {ladder.MISSING} else {binned} end"
        return f"select g.*, {binned} as guide_bin from ({inner}) g"

    def _step(self, name: str) -> str:
        """The step of a candidate's score, as text: its bin over 64, which a double divides without rounding."""
        binned = self.dialect.as_double.format(x=f"({self.dialect.bin_of(f'v.s{self.scores.index(name)}')})")
        return self.dialect.as_text.format(x=self.dialect.floor.format(x=f"{binned} * {self.dialect.double(1 / ladder.STEP)}"))

    def _guide(self) -> str | None:
        """What steers the draw, in [0, 1]: a column, the risk of several labels or classes, or nothing."""
        column, risk = self.population.guide_column, self.population.risk
        if column is not None:
            return self._mapped(column, self.population.guide_range)
        if risk is None:
            return None
        terms = [self._risk(c, *pair) for c, pair in zip(self.population.classifiers, risk, strict=True)]
        return " + ".join(terms)  # from left to right, as in the reference

    def _risk(self, classifier: Classifier, unflagged: float, flagged: float) -> str:
        """One classifier's part of the risk: its noise s (1 - s) times what it counts on the unit's side."""
        share = f"case when {self._positive(classifier)} then {self.dialect.double(flagged)} else {self.dialect.double(unflagged)} end"
        if classifier.score is None:
            return f"({share} * {self.dialect.double(UNSCORED * (1 - UNSCORED))})"
        s = self._mapped(classifier.score, classifier.score_range)
        return f"({share} * ({s} * ({self.dialect.double(1.0)} - {s})))"

    def _claim(self, classifier: Classifier) -> str:
        """The classifier's score as a whole number of 2^-30."""
        if classifier.score is None:
            return str(int(UNSCORED * CLAIM_UNITS))
        s = self._mapped(classifier.score, classifier.score_range).replace("v.s", "c.s")
        return self.dialect.floor.format(x=f"{s} * {self.dialect.double(CLAIM_UNITS)}")

    def _mapped(self, score: str, limits: tuple[float, float]) -> str:
        """A score column mapped to [0, 1]."""
        low, high = limits
        column = f"v.s{self.scores.index(score)}"
        if (low, high) == (0.0, 1.0):
            return column
        return f"(({column} - {self.dialect.double(low)}) / {self.dialect.double(high - low)})"

    def _positive(self, classifier: Classifier) -> str:
        """The condition under which the classifier predicts positive."""
        if classifier.of:
            votes = [f"case when {self._positive(self.population.classifier(name))} then 1 else 0 end" for name in classifier.of]
            return f"({' + '.join(votes)}) >= {classifier.at_least}"
        if classifier.predicted is not None and classifier.value is not None:
            return f"v.c{self.chosen.index(classifier.predicted)} = {self.dialect.text(classifier.value)}"
        if classifier.predicted is not None:
            return f"v.p{self.flags.index(classifier.predicted)} = 1"
        assert classifier.score is not None  # the noun refuses anything else
        assert classifier.threshold is not None
        threshold = threshold_of(classifier.threshold, self.types[classifier.score])
        return f"v.s{self.scores.index(classifier.score)} >= {self.dialect.double(threshold)}"

    def _end(self, which: str) -> str:
        """The smallest or largest id as text: by number for numbers, by UTF-8 bytes for text."""
        if self.types[self.population.id] in ("int", "decimal"):
            return self.dialect.as_text.format(x=f"{which}(id)")
        return f"{which}({self.dialect.byte_order.format(x='unit')})"

    def _alias(self, check: Check) -> str:
        if check.word == "score":
            return f"s{self.scores.index(check.column)}"
        if check.word == "weight":
            return "x"
        if check.word == "class":
            return f"c{self.chosen.index(check.column)}"
        return "y" if check.word == "truth" else f"p{self.flags.index(check.column)}"

    def _broken(self, check: Check) -> str:
        """The condition under which a unit breaks the check."""
        if check.kind in _ID_KINDS:
            return {
                Kind.NO_ID: "id is null",
                Kind.LONG_ID: f"{self.dialect.byte_length.format(x='unit')} > {LONGEST_ID}",
                Kind.NUL_ID: self.dialect.has_nul.format(x="unit"),
                Kind.UNWRITABLE_ID: "1 = 0",  # engines hold UTF-8 only
            }[check.kind]
        x, low, high = self._alias(check), self.dialect.double(check.low), self.dialect.double(check.high)
        nan = self.dialect.is_nan.format(x=x)
        return {
            Kind.NULL: f"{x} is null",
            Kind.NAN: f"{x} is not null and {nan}",
            Kind.OUTSIDE: f"{x} is not null and not {nan} and ({x} < {low} or {x} > {high})",
            Kind.NOT_BINARY: f"{x} is not null and {x} <> 0 and {x} <> 1",
        }[check.kind]
