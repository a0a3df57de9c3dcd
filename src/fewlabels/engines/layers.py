"""The layers of every query: a table's columns under fewlabels' names, then each unit's cell.

    units    id, s0.. (scores as doubles), p0.. (predictions), c0.. (classes as text), k0.. (slices), x (metric weight), y (truth)
    cells    units, with pattern, guide_bin, the steps of candidates and, if units have weights, w (in quanta) and the layer, as further k

They are sub-selects, so that no expression is computed twice and no name of the table clashes with fewlabels' own. Slices keep the table's
type until they are grouped: only the few values that are left are converted to text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fewlabels.engines.cells import NULL_MARK, threshold_of
from fewlabels.engines.dialect import Dialect
from fewlabels.nouns import ladder
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import CLAIM_UNITS, UNSCORED
from fewlabels.nouns.weights import LARGEST_WEIGHT, QUANTA

TABLE = "fewlabels_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The layers of one population.

    types    the type of each column the population names, in fewlabels' terms
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

    def units(self, *, truth: str | None = None, truths: Sequence[str] = ()) -> str:
        """Return the first layer: the columns fewlabels reads, under fewlabels' names."""
        out = [f"{self.column(self.population.id)} as id"]
        out += [f"{self.dialect.as_double.format(x=self.column(name))} as s{i}" for i, name in enumerate(self.scores)]
        out += [f"{self.column(name)} as p{i}" for i, name in enumerate(self.flags)]
        out += [f"{self.dialect.as_text.format(x=self.column(name))} as c{i}" for i, name in enumerate(self.chosen)]
        out += [f"{self.dialect.key.format(x=self.column(name))} as k{i}" for i, name in enumerate(self.population.slices)]
        if self.population.weight is not None:
            out.append(f"{self.dialect.as_double.format(x=self.column(self.population.weight))} as x")
        if truth is not None:
            out.append(f"{self.column(truth)} as y")
        out += [f"{self.dialect.as_text.format(x=self.column(name))} as y{i}" for i, name in enumerate(truths)]
        return f"select {', '.join(out)} from {self.source} as {TABLE}"

    def cells(self, units: str) -> str:
        """Return the second layer: each unit with its pattern and guide_bin, its steps, and its weight in quanta with the layer."""
        if self.population.weight is not None:
            quanta = self._whole("b.x", f"b.x * {self.dialect.double(QUANTA)}", (0.0, LARGEST_WEIGHT))
            units = f"select a.*, {self.dialect.layer_of('a.w')} as {self.slices[-1]} from (select b.*, {quanta} as w from ({units}) b) a"
        steps = [f"{self._step(name)} as k{i}" for i, name in enumerate(self.population.candidates, len(self.population.slices))]
        if steps:
            units = f"select v.*, {', '.join(steps)} from ({units}) v"
        guide = self.guide("v")
        if guide is None:
            return f"select v.*, {self.pattern('v')} as pattern, 0 as guide_bin from ({units}) v"
        if guide.startswith("v.s"):
            return f"select v.*, {self.pattern('v')} as pattern, {self._bin(guide)} as guide_bin from ({units}) v"
        inner = f"select v.*, {self.pattern('v')} as pattern, {guide} as guide from ({units}) v"
        return f"select g.*, {self._bin('g.guide')} as guide_bin from ({inner}) g"

    def column(self, name: str) -> str:
        """Return a column of the table itself."""
        return f"{TABLE}.{self.dialect.identifier(name)}"

    def unit(self, id: str) -> str:
        """Return the id as text: decimal digits, a lower-case uuid, or the text itself; `id` is an expression."""
        text = self.dialect.as_text.format(x=id)
        return f"lower({text})" if self.types[self.population.id] == "uuid" else text

    def slice_texts(self, of: str) -> list[str]:
        """Return the slices of a sub-select as text, with null and look-alikes of null marked as in `cells.slice_text`."""
        named = len(self.population.slices)
        marked = [self._marked(f"{of}.{k}") for k in self.slices[:named]]
        return [*marked, *(self.dialect.as_text.format(x=f"{of}.{k}") for k in self.slices[named:])]

    def pattern(self, of: str) -> str:
        """Return the predictions of all classifiers as one number: bit j is that of classifier j."""
        bits = [f"case when {self.positive(c, of)} then {1 << j} else 0 end" for j, c in enumerate(self.population.classifiers)]
        return " + ".join(bits)

    def positive(self, classifier: Classifier, of: str) -> str:
        """Return the condition under which the classifier predicts positive."""
        if classifier.of:
            votes = [f"case when {self.positive(self.population.classifier(name), of)} then 1 else 0 end" for name in classifier.of]
            return f"({' + '.join(votes)}) >= {classifier.at_least}"
        if classifier.predicted is not None and classifier.value is not None:
            return f"{of}.c{self.chosen.index(classifier.predicted)} = {self.dialect.text(classifier.value)}"
        if classifier.predicted is not None:
            flag = f"{of}.p{self.flags.index(classifier.predicted)}"
            return flag if self.types[classifier.predicted] == "bool" else f"{flag} = 1"
        assert classifier.score is not None  # Classifier rejects anything else
        assert classifier.threshold is not None
        threshold = threshold_of(classifier.threshold, self.types[classifier.score])
        return f"{of}.s{self.scores.index(classifier.score)} >= {self.dialect.double(threshold)}"

    def guide(self, of: str) -> str | None:
        """Return what guides the draw, in [0, 1]: a column, the risk of several labels or classes, or nothing."""
        column, risk = self.population.guide_column, self.population.risk
        if column is not None:
            return self._mapped(column, self.population.guide_range, of)
        if risk is None:
            return None
        terms = [self._risk(c, *pair, of) for c, pair in zip(self.population.classifiers, risk, strict=True)]
        return " + ".join(terms)  # from left to right, as in the reference

    def claim(self, classifier: Classifier, of: str) -> str:
        """Return the classifier's score as a multiple of 2^-30."""
        if classifier.score is None:
            return str(int(UNSCORED * CLAIM_UNITS))
        score = self._mapped(classifier.score, classifier.score_range, of)
        column = f"{of}.s{self.scores.index(classifier.score)}"
        return self._whole(column, f"{score} * {self.dialect.double(CLAIM_UNITS)}", classifier.score_range)

    def _whole(self, x: str, scaled: str, limits: tuple[float, float]) -> str:
        """Return the scaled value truncated to an integer, 0 if x is invalid: engines reject NaN, or truncate it to anything."""
        low, high = (self.dialect.double(limit) for limit in limits)
        return f"case when {x} >= {low} and {x} <= {high} then {self.dialect.floor.format(x=scaled)} else 0 end"

    def _bin(self, guide: str) -> str:
        """Return the bin of the guide, or of its absence if that is allowed."""
        binned = self.dialect.bin_of(guide)
        return f"case when {guide} is null then {ladder.MISSING} else {binned} end" if self.population.missing_scores else binned

    def _marked(self, k: str) -> str:
        text, mark = self.dialect.as_text.format(x=k), self.dialect.text(NULL_MARK)
        return f"case when {k} is null then {mark} when substring({text}, 1, 1) = {mark} then {mark} || {text} else {text} end"

    def _step(self, name: str) -> str:
        """Return the step of a candidate's score: its bin divided by 64, which is exact in a double."""
        binned = self.dialect.as_double.format(x=f"({self.dialect.bin_of(f'v.s{self.scores.index(name)}')})")
        return self.dialect.floor.format(x=f"{binned} * {self.dialect.double(1 / ladder.STEP)}")

    def _risk(self, classifier: Classifier, unflagged: float, flagged: float, of: str) -> str:
        """Return one classifier's part of the risk: its noise s (1 - s) times its weight on the unit's side."""
        counts = f"then {self.dialect.double(flagged)} else {self.dialect.double(unflagged)}"
        share = f"case when {self.positive(classifier, of)} {counts} end"
        if classifier.score is None:
            return f"({share} * {self.dialect.double(UNSCORED * (1 - UNSCORED))})"
        s = self._mapped(classifier.score, classifier.score_range, of)
        return f"({share} * ({s} * ({self.dialect.double(1.0)} - {s})))"

    def _mapped(self, score: str, limits: tuple[float, float], of: str) -> str:
        """Return a score column mapped to [0, 1]."""
        low, high = limits
        column = f"{of}.s{self.scores.index(score)}"
        if (low, high) == (0.0, 1.0):
            return column
        return f"(({column} - {self.dialect.double(low)}) / {self.dialect.double(high - low)})"
