"""The reference: plain columns, NumPy and hashlib. Every other engine must agree with it unit by unit.

Clear and obviously right rather than fast.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from fewlabels.engines import cells as cells_
from fewlabels.engines import checks
from fewlabels.engines.base import EXACT_DUPLICATES_UP_TO, Inspection, Known
from fewlabels.engines.cells import Cell
from fewlabels.engines.checks import LONGEST_ID, Check, Kind
from fewlabels.engines.plain_columns import PlainColumn, Values, is_writable, read_columns
from fewlabels.errors import PopulationError
from fewlabels.nouns import ladder
from fewlabels.nouns import profile as limits
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw import Units
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import Clusters
from fewlabels.nouns.profile import CLAIM_UNITS, UNSCORED, Column, Problem, Profile
from fewlabels.nouns.weights import QUANTA, layer_of
from fewlabels.randomness import NumberRule, permanent_numbers


class MemoryEngine:
    """A population in plain columns: NumPy arrays or Python sequences, None for null."""

    def __init__(self, population: Population, columns: Mapping[str, Values]) -> None:
        """Read the columns; raise an error if their lengths differ or the table lacks what the population names."""
        self.population = population
        self._table = read_columns(columns)
        self._N = len(next(iter(self._table.values())).values) if self._table else 0

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Return columns, N and every problem with its count and an example. None: ids are checked exactly up to 10^7 units."""
        conditions = checks.checks_of(self.population, self._types())
        problems = self._problems(conditions)
        exact = self._N <= EXACT_DUPLICATES_UP_TO if check_duplicates is None else check_duplicates
        if exact:
            problems += self._duplicates()
        return Inspection(columns=self._columns(), N=self._N, problems=tuple(problems), duplicates_checked=exact)

    def profile(self) -> Profile:
        """Return counts by cell; raise an error for a table with problems, naming each."""
        inspection = self.inspect()
        if inspection.N == 0:
            raise PopulationError(checks.EMPTY)
        checks.refuse(inspection.problems)
        return cells_.profile_of(self.population, self._count(), columns=inspection.columns, ends=self._ends())

    def unchanged(self, profile: Profile) -> bool | None:
        """Return None: plain columns have no version to compare."""
        return None

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Return the units below their bounds and the profile as it is now."""
        return self.below(profile, band=band, bound=bound, salt=salt, rule=rule), self.profile()

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Return every unit of a cell with band >= 0 whose permanent number is below the bound of its band."""
        units, pattern, guide_bin = self._units(), self._pattern(), self._guide_bin()
        slices = cells_.slice_codes(profile, self._slices())
        cells = zip(profile.pattern.tolist(), profile.guide_bin.tolist(), profile.slice.tolist(), strict=True)
        band_of = dict(zip(cells, band.tolist(), strict=True))
        keys = zip(pattern.tolist(), guide_bin.tolist(), slices.tolist(), strict=True)
        bands = np.array([band_of.get(key, -1) for key in keys], dtype=np.int64)
        number = permanent_numbers(salt, units, rule)
        rows = np.array([i for i in range(self._N) if bands[i] >= 0 and number[i] < bound[bands[i]]], dtype=np.int64)
        return Units(
            unit=tuple(units[i] for i in rows.tolist()),
            number=number[rows],
            band=bands[rows],
            guide_bin=guide_bin[rows],
            pattern=pattern[rows],
            slice=slices[rows],
            scores=self._scores()[rows],
            weight=None if self.population.weight is None else self._quanta()[rows],
        )

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """Return how many units of each of the profile's cells are positive in the truth column (simulation only)."""
        columns = self._columns()
        checks.require_columns(columns, [truth])
        checks.require_types([checks.truth_role(truth)], columns)
        checks.refuse(self._problems(checks.truth_checks(truth)))
        counted = self._count(truth=truth)
        positives = np.zeros(profile.count.size, dtype=np.int64)
        positives[cells_.cell_positions(profile, counted)] = [c.positives for c in counted]
        return positives

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Return every unit's cell, weight and truth, as text by column (simulation only)."""
        checks.require_columns(self._columns(), truths)
        keys = zip(self._pattern().tolist(), self._guide_bin().tolist(), self._slices(), strict=True)
        return Known(
            cell=cells_.cells_of_units(profile, keys),
            weight=None if self.population.weight is None else self._quanta(),
            truths=tuple(tuple(cells_.slice_text(text) for text in self._column(name).texts()) for name in truths),
        )

    def locate(self, profile: Profile, units: Sequence[str]) -> IntArray:
        """Return the position in the profile of the cell of each of these units; -1 for an id that is not in the table."""
        keys = zip(self._pattern().tolist(), self._guide_bin().tolist(), self._slices(), strict=True)
        cells = cells_.cells_of_units(profile, keys)
        return cells_.pick_located(units, list(zip(self._units(), cells.tolist(), strict=True)))

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Return the named columns of the given units as text, in the order of the units."""
        checks.require_columns(self._columns(), columns)
        wanted = set(units)
        texts = {name: self._table[name].texts() for name in columns}
        found = [
            (unit, {name: texts[name][i] for name in columns}) for i, unit in enumerate(self._ids()) if unit is not None and unit in wanted
        ]
        return checks.pick_fetched(units, dict(found), found=len(found))

    def clusters(self, column: str) -> Clusters:
        """Return how many clusters there are by this column, and how large."""
        checks.require_columns(self._columns(), [column])
        sizes = Counter(self._table[column].texts())
        alone = sizes.pop(None, 0)
        squares, largest = float(sum(m * m for m in sizes.values())), max(sizes.values(), default=0)
        return Clusters.of_sizes(named=len(sizes), units=sizes.total(), squares=squares, largest=largest, alone=alone)

    def _columns(self) -> tuple[Column, ...]:
        return tuple(Column(name, column.type) for name, column in self._table.items())

    def _types(self) -> dict[str, str]:
        """Return the type of each column the population names; raise PopulationError for missing columns and wrong types."""
        roles, columns = checks.roles(self.population), self._columns()
        checks.require_columns(columns, (role.column for role in roles))
        if self._N == 0:
            raise PopulationError(checks.EMPTY)  # no value, no type
        types = checks.require_types(roles, columns)
        checks.require_readable(self.population, types)
        return types

    def _column(self, name: str) -> PlainColumn:
        return self._table[name]

    def _ids(self) -> list[str | None]:
        return self._column(self.population.id).texts()

    def _units(self) -> list[str]:
        """Return the ids as text, none of them null: a table with null ids has no profile, hence no draw."""
        return [str(text) for text in self._ids()]

    def _ends(self) -> cells_.Ends:
        """Return the smallest and largest id: by number for numbers, by UTF-8 bytes for text."""
        column = self._column(self.population.id)
        if column.type in ("int", "decimal"):
            numbers = [int(value) for value in column.values]
            return cells_.Ends(str(min(numbers)), str(max(numbers)))
        units = sorted(self._units(), key=str.encode)
        return cells_.Ends(units[0], units[-1])

    def _pattern(self) -> IntArray:
        """Return each unit's pattern: bit j is the prediction of classifier j."""
        pattern = np.zeros(self._N, dtype=np.int64)
        for j, classifier in enumerate(self.population.classifiers):
            if classifier.of:
                voters = [i for i, other in enumerate(self.population.classifiers) if other.name in classifier.of]
                positive = sum((pattern >> i) & 1 for i in voters) >= np.full(self._N, classifier.at_least)
            elif classifier.predicted is not None and classifier.value is not None:
                positive = np.array([text == classifier.value for text in self._column(classifier.predicted).texts()], dtype=np.bool_)
            elif classifier.predicted is not None:
                positive = self._column(classifier.predicted).doubles() == 1
            else:
                assert classifier.score is not None  # Classifier rejects anything else
                assert classifier.threshold is not None
                column = self._column(classifier.score)
                positive = column.doubles() >= cells_.threshold_of(classifier.threshold, column.type)
            pattern[positive] |= 1 << j
        return pattern

    def _guide_bin(self) -> IntArray:
        """Return the ladder's bin of the guide, mapped to [0, 1], or of the risk; 0 without either."""
        if self.population.guide_column is None and self.population.risk is not None:
            return ladder.bin_of(self._risk())
        if self.population.guide_column is None:
            return np.zeros(self._N, dtype=np.int64)
        low, high = self.population.guide_range
        column = self._column(self.population.guide_column)
        binned = ladder.bin_of((column.doubles() - low) / (high - low))
        return np.where(column.nulls(), ladder.MISSING, binned) if self.population.missing_scores else binned

    def _slices(self) -> list[tuple[str, ...]]:
        """Return the slice values of each unit."""
        texts = [self._slice(name) for name in self.population.slices]
        for name in self.population.candidates:
            texts.append([str(step) for step in ladder.step_of(ladder.bin_of(self._column(name).doubles())).tolist()])
        if self.population.weight is not None:
            texts.append([str(layer) for layer in layer_of(self._quanta()).tolist()])
        return list(zip(*texts, strict=True)) if texts else [()] * self._N

    def _slice(self, name: str) -> list[str]:
        """Return the values of one slice column; raise PopulationError for text that UTF-8 cannot encode, hence not sort by bytes."""
        texts = self._column(name).texts()
        bad = next((text for text in texts if text is not None and not is_writable(text)), None)
        if bad is not None:
            raise PopulationError(f"slice values must be text that UTF-8 can write, but {name!r} holds {bad!r}: clean the column")
        return [cells_.slice_text(text) for text in texts]

    def _mapped(self, classifier: Classifier) -> FloatArray:
        """Return a classifier's score mapped to [0, 1]; 1/2 if it has none."""
        if classifier.score is None:
            return np.full(self._N, UNSCORED)
        low, high = classifier.score_range
        return np.asarray((self._column(classifier.score).doubles() - low) / (high - low))

    def _risk(self) -> FloatArray:
        """Return the risk of each unit, summed from left to right."""
        pattern, total = self._pattern(), np.zeros(self._N)
        for j, (classifier, (unflagged, flagged)) in enumerate(zip(self.population.classifiers, self.population.risk or (), strict=True)):
            s = self._mapped(classifier)
            total = total + np.where((pattern >> j) & 1, flagged, unflagged) * (s * (1.0 - s))
        return total

    def _claims(self) -> IntArray:
        """Return the scores as multiples of 2^-30, one row per unit."""
        return np.stack([np.floor(self._mapped(c) * CLAIM_UNITS).astype(np.int64) for c in self.population.classifiers], axis=1)

    def _quanta(self) -> IntArray:
        """Return the metric weight of each unit in quanta."""
        assert self.population.weight is not None  # called only if there is one
        return np.floor(self._column(self.population.weight).doubles() * QUANTA).astype(np.int64)

    def _scores(self) -> FloatArray:
        """Return the score of each classifier, one row per unit; NaN if a classifier has none."""
        unknown = np.full(self._N, np.nan)
        return np.stack([unknown if c.score is None else self._column(c.score).doubles() for c in self.population.classifiers], axis=1)

    def _count(self, *, truth: str | None = None) -> list[Cell]:
        """Return the counted cells; raise PopulationError if there are more than a profile holds."""
        slices = self._slices()
        keys = list(zip(self._pattern().tolist(), self._guide_bin().tolist(), slices, strict=True))
        counts = Counter(keys)
        if len(counts) > limits.MOST_CELLS:
            raise cells_.too_many(self.population, [len(set(values)) for values in zip(*slices, strict=True)])
        y = self._column(truth).doubles() == 1 if truth is not None else np.zeros(self._N, dtype=np.bool_)
        positives = Counter(key for key, positive in zip(keys, y.tolist(), strict=True) if positive)
        quanta: Counter[tuple[int, int, tuple[str, ...]]] = Counter()
        if self.population.weight is not None:
            for key, weight in zip(keys, self._quanta().tolist(), strict=True):
                quanta[key] += weight
        claims: dict[tuple[int, int, tuple[str, ...]], IntArray] = {}
        if self.population.is_joint:
            for key, row in zip(keys, self._claims(), strict=True):
                claims[key] = claims[key] + row if key in claims else row
        return [
            Cell(*key, count, positives[key], quanta[key], tuple(claims[key].tolist()) if claims else ()) for key, count in counts.items()
        ]

    def _problems(self, conditions: Sequence[Check]) -> list[Problem]:
        """Yield a problem for each check that any unit breaks; the example is the first by id."""
        found: list[Problem] = []
        ids = self._ids()
        for check in conditions:
            broken = np.flatnonzero(self._broken(check)).tolist()
            if broken:
                first = min(broken, key=lambda i: (ids[i] is None, (ids[i] or "").encode(errors="surrogatepass")))
                value = self._column(check.column).values[first]
                if check.kind is Kind.LONG_ID:
                    value = len(value.encode())
                elif check.word in ("score", "weight") and value is not None:
                    value = float(value)
                found.append(checks.problem(check, count=len(broken), unit=ids[first], value=value))
        return found

    def _broken(self, check: Check) -> BoolArray:
        """Return which units break the check."""
        column = self._column(check.column)
        null = column.nulls()
        if check.kind in (Kind.NO_ID, Kind.NULL):
            return null
        if check.kind in (Kind.LONG_ID, Kind.NUL_ID, Kind.UNWRITABLE_ID):
            return np.array([text is not None and _is_bad_id(text, check.kind) for text in column.texts()], dtype=np.bool_)
        x = column.doubles()
        if check.kind is Kind.NAN:
            return np.isnan(x) & ~null
        if check.kind is Kind.OUTSIDE:
            return (x < check.low) | (x > check.high)
        other: BoolArray = ~null & (x != 0) & (x != 1)
        return other

    def _duplicates(self) -> list[Problem]:
        """Return the problem of ids that are not unique, if any."""
        counts = Counter(unit for unit in self._ids() if unit is not None)
        count = sum(counts.values()) - len(counts)
        if not count:
            return []
        unit, times = min(counts.items(), key=lambda item: (-item[1], item[0].encode(errors="surrogatepass")))
        return [checks.duplicate_problem(self.population.id, count=count, unit=unit, times=times)]


def _is_bad_id(text: str, kind: Kind) -> bool:
    if kind is Kind.NUL_ID:
        return "\0" in text
    if kind is Kind.UNWRITABLE_ID:
        return not is_writable(text)
    return is_writable(text) and len(text.encode()) > LONGEST_ID
