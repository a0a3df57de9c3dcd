"""Engines of other packages: held to the reference unit by unit, and twins that must be refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import fewlabels
from fewlabels.engines.base import take_smallest
from fewlabels.engines.checked import CheckedEngine, check_same_units
from fewlabels.engines.memory import MemoryEngine
from fewlabels.errors import EngineError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import NumberRule

COLUMNS: dict[str, Sequence[object]] = {"id": list(range(200)), "score": [i / 200 for i in range(200)]}
POPULATION = fewlabels.read_population(COLUMNS, score="score", threshold=0.5)
Bend = Callable[[Units], Units]


class Bent(MemoryEngine):
    """An engine whose units are not those of the reference."""

    def __init__(self, bend: Bend) -> None:
        super().__init__(POPULATION, COLUMNS)
        self._bend = bend

    def below(self, profile: Profile, *, band: IntArray, bound: IntArray, salt: str, rule: NumberRule = "md5") -> Units:
        return self._bend(super().below(profile, band=band, bound=bound, salt=salt, rule=rule))


def another_number(units: Units) -> Units:
    return replace(units, number=units.number + 1)


def one_unit_less(units: Units) -> Units:
    return units.pick(np.arange(len(units) - 1)) if len(units) else units


def another_cell(units: Units) -> Units:
    return replace(units, guide_bin=units.guide_bin + 1)


def test_the_reference_passes() -> None:
    check_same_units(MemoryEngine(POPULATION, COLUMNS), POPULATION, COLUMNS)


@pytest.mark.parametrize("bend", [another_number, one_unit_less, another_cell])
def test_other_units_are_refused_where_the_table_is_known(bend: Bend) -> None:
    with pytest.raises(EngineError, match="an engine must agree with fewlabels' reference"):
        check_same_units(Bent(bend), POPULATION, COLUMNS)


def test_a_wrong_number_is_refused_at_every_draw() -> None:
    engine = CheckedEngine(Bent(another_number), "somebody 1.0")
    profile = engine.profile()
    band, take = np.zeros(profile.count.size, dtype=np.int64), np.array([20])
    with pytest.raises(EngineError, match=r"but somebody 1\.0 gives unit"):
        take_smallest(engine, profile, band=band, take=take, salt="00")
