"""An engine of another package, checked against fewlabels' reference: every unit it returns has the number the reference computes."""

from collections.abc import Mapping, Sequence

import numpy as np

from fewlabels.engines.base import Engine, Inspection, Known
from fewlabels.engines.memory import MemoryEngine
from fewlabels.engines.plain_columns import Values
from fewlabels.errors import EngineError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import Clusters
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP, NumberRule, permanent_numbers

SALT = "5a17"


class CheckedEngine:
    """The engine's results, with its units compared with the reference before they are used.

    Detected: a wrong number, a unit above its bound. Not detected: a unit left out, or put in another cell, for which the whole table would
    have to be read again; `check_same_units` detects these on a small table.
    """

    def __init__(self, engine: Engine, package: str) -> None:
        """Wrap an engine of the package that an error names."""
        self._engine, self._package = engine, package

    def inspect(self, *, check_duplicates: bool | None = None) -> Inspection:
        """Return what the engine finds in the table."""
        return self._engine.inspect(check_duplicates=check_duplicates)

    def profile(self) -> Profile:
        """Return the engine's counts by cell."""
        return self._engine.profile()

    def unchanged(self, profile: Profile) -> bool | None:
        """Return whether the engine can tell, without reading it, that the table is the one that was profiled."""
        return self._engine.unchanged(profile)

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        """Return the engine's units below their bounds; raise EngineError if a number differs from the reference, or is above its bound."""
        found = self._engine.below(profile, band=band, bound=bound, salt=salt, rule=rule)
        self._check(found, bound, salt, rule)
        return found

    def below_and_profile(
        self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5"
    ) -> tuple[Units, Profile]:
        """Return the same, and the profile as the same scan counts it."""
        found, now = self._engine.below_and_profile(profile, band=band, bound=bound, salt=salt, rule=rule)
        self._check(found, bound, salt, rule)
        return found, now

    def positives(self, profile: Profile, *, truth: str) -> IntArray:
        """Return the engine's positives by cell."""
        return self._engine.positives(profile, truth=truth)

    def known(self, profile: Profile, *, truths: Sequence[str]) -> Known:
        """Return what the engine knows about every unit."""
        return self._engine.known(profile, truths=truths)

    def clusters(self, column: str) -> Clusters:
        """Return how the engine counts the clusters of a column; raise EngineError for one that cannot."""
        if not hasattr(self._engine, "clusters"):
            raise EngineError(f"units in clusters need an engine that counts clusters, but that of {self._package} does not: leave it out")
        return self._engine.clusters(column)

    def locate(self, profile: Profile, units: Sequence[str]) -> IntArray:
        """Return the cells of these units as the engine finds them; raise EngineError for one that cannot."""
        if not hasattr(self._engine, "locate"):
            raise EngineError(f"known answers need an engine that looks units up, but that of {self._package} does not: leave them out")
        return self._engine.locate(profile, units)

    def fetch(self, units: Sequence[str], *, columns: Sequence[str]) -> list[dict[str, str | None]]:
        """Return the engine's columns of the given units."""
        return self._engine.fetch(units, columns=columns)

    def _check(self, found: Units, bound: IntArray, salt: str, rule: NumberRule) -> None:
        numbers = permanent_numbers(salt, found.unit, rule)
        wrong = np.flatnonzero((numbers != found.number) | (found.number >= bound[found.band]))
        if wrong.size:
            i = int(wrong[0])
            raise EngineError(
                f"an engine must agree with fewlabels' reference, but {self._package} gives unit {found.unit[i]!r} the number "
                f"{found.number[i]} below {bound[found.band[i]]}, and the reference {numbers[i]}: use another engine"
            )


def check_same_units(engine: Engine, population: Population, columns: Mapping[str, Values]) -> None:
    """Raise EngineError unless the engine profiles, draws and fetches as the reference does from the same columns.

    For the tests of a package that adds an engine: `columns` are those of the table the engine has open.
    """
    reference = MemoryEngine(population, columns)
    profile, expected = engine.profile(), reference.profile()
    _compare("the profile", _counted(profile), _counted(expected))
    band = np.arange(expected.count.size, dtype=np.int64) % 3 - (expected.count.size > 3)
    for share in (64, 2, 1):
        bound = np.full(3, TOP // share, dtype=np.int64)
        drawn, others = (one.below(expected, band=band, bound=bound, salt=SALT) for one in (engine, reference))
        _compare(f"what is drawn of one in {share} units", _rows(drawn), _rows(others))
        named = list(others.unit)
        _compare("the columns of units", *(one.fetch(named, columns=list(columns)) for one in (engine, reference)))
        if hasattr(engine, "locate"):
            _compare("the cells of units", *(one.locate(expected, [*named, "no such unit"]).tolist() for one in (engine, reference)))


def _counted(profile: Profile) -> dict[str, object]:
    return {name: value for name, value in profile.as_json().items() if name != "files"}


def _rows(units: Units) -> list[tuple[object, ...]]:
    weight = [None] * len(units) if units.weight is None else units.weight.tolist()
    parts = (units.number, units.band, units.guide_bin, units.pattern, units.slice)
    scores = [tuple(map(repr, row)) for row in units.scores.tolist()]  # NaN is not equal to itself
    return sorted(zip(units.unit, *(part.tolist() for part in parts), scores, weight, strict=True), key=lambda row: str(row[0]))


def _compare(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise EngineError(f"an engine must agree with fewlabels' reference, but {what} is {found!r:.200} there and {expected!r:.200} here")
