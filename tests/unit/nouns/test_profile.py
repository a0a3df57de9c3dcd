"""Where the cells of units are in a profile."""

from dataclasses import replace

import numpy as np
import pytest

from fewlabels.demo.study import small_study
from fewlabels.randomness import stream


@pytest.mark.parametrize("seed", range(40))
def test_cells_are_found_as_by_a_dictionary(seed: int) -> None:
    """Also those that the profile does not have, and patterns of many classifiers."""
    rng = stream(seed)
    size = int(rng.integers(1, 60))
    columns = (rng.choice([0, 1, 3, 2**61], size), rng.integers(0, 20, size), rng.integers(0, 5, size))
    known = sorted(set(zip(*(column.tolist() for column in columns), strict=True)))
    pattern, guide_bin, slices = (np.array(column) for column in zip(*known, strict=True))
    profile = replace(
        small_study().standing.profile, pattern=pattern, guide_bin=guide_bin, slice=slices, count=np.ones(len(known), dtype=np.int64)
    )
    asked = (rng.choice([0, 1, 2, 3, 2**61, 2**62], 300), rng.integers(0, 25, 300), rng.integers(0, 8, 300))
    position = {cell: i for i, cell in enumerate(known)}
    wanted = [position.get(cell, -1) for cell in zip(*(column.tolist() for column in asked), strict=True)]
    assert profile.cells(*asked).tolist() == wanted
