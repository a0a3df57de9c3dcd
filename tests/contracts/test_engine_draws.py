"""Every engine draws the units of the reference: below bounds, the smallest of each band, by either rule of permanent numbers."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.engines.base import take_smallest
from fewlabels.randomness import NUMBER_RULES, TOP, NumberRule
from tests.contracts.engines_under_test import (
    EVERYTHING,
    SALT,
    UnderTest,
    assert_same_profile,
    assert_same_taken,
    assert_same_units,
    base_table,
    both,
)


def test_units_are_those_of_the_reference(under: UnderTest, tmp_path: Path) -> None:
    engine, profile, memory, _ = both(under, base_table(), tmp_path, **EVERYTHING)
    by_bin = (profile.guide_bin % 5).astype(np.int64) - 1
    by_slice = (profile.slice % 3).astype(np.int64) - 1
    bounds = ([TOP // 9, TOP, 0, TOP // 3], [TOP // 100] * 4, [0] * 4)
    for band, bound, salt in itertools.product((by_bin, by_slice), bounds, ("it's; --", SALT)):
        asked: dict[str, Any] = {"band": band, "bound": np.array(bound), "salt": salt}
        assert_same_units(engine.below(profile, **asked), memory.below(profile, **asked))


@pytest.mark.parametrize("rule", NUMBER_RULES)
def test_takes_and_cuts_are_those_of_the_reference_and_nest(under: UnderTest, tmp_path: Path, rule: NumberRule) -> None:
    engine, profile, memory, _ = both(under, base_table(), tmp_path, **EVERYTHING)
    band = (profile.pattern % 2).astype(np.int64)
    drawn: set[str] = set()
    for take in ([0, 1], [10, 3], [100, 40], [700, 90]):
        asked: dict[str, Any] = {"band": band, "take": np.array(take), "salt": SALT, "rule": rule}
        found = take_smallest(engine, profile, **asked)
        assert_same_taken(found, take_smallest(memory, profile, **asked))
        assert len(found.units) == sum(take)
        assert drawn <= set(found.units.unit)
        drawn = set(found.units.unit)


@pytest.mark.parametrize("rule", NUMBER_RULES)
def test_one_scan_gives_the_units_and_the_profile_as_it_is_now(under: UnderTest, tmp_path: Path, rule: NumberRule) -> None:
    engine, profile, memory, expected = both(under, base_table(), tmp_path, **EVERYTHING)
    asked: dict[str, Any] = {"band": (profile.slice % 3).astype(np.int64) - 1, "bound": np.array([TOP // 9, TOP // 3]), "salt": SALT}
    units, now = engine.below_and_profile(profile, rule=rule, **asked)
    assert_same_profile(now, expected, types="types of an id" not in under.lacks)
    assert_same_units(units, memory.below(profile, rule=rule, **asked))
    assert engine.unchanged(profile) in (True, None)


@pytest.mark.parametrize("rule", NUMBER_RULES)
def test_many_slices_and_a_weight_change_nothing(under: UnderTest, tmp_path: Path, rule: NumberRule) -> None:
    how = {**EVERYTHING, "slices": ("region", "tier", "y"), "weight": "g"}
    engine, profile, memory, _ = both(under, base_table(), tmp_path, **how)
    for band in ((profile.slice % 3).astype(np.int64) - 1, (profile.guide_bin % 2).astype(np.int64)):
        asked: dict[str, Any] = {"band": band, "bound": np.array([TOP // 9, TOP // 3]), "salt": SALT, "rule": rule}
        assert_same_units(engine.below(profile, **asked), memory.below(profile, **asked))
