"""The ladder: which bin a score falls into."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.nouns.ladder import BINS, HALF_BINS, MIDDLES, NO_BIN, bin_of
from tests.identities.made import checked


def lower_edges() -> list[Fraction]:
    """Where the bins below 1/2 begin, written out from the docstring's table: 0, 2^-32, then 240 steps a rung, 448 in the last."""
    edges = [Fraction(0)]
    for octave in range(32, 7, -4):  # rungs [2^-octave, 2^-(octave - 4)) in steps of 2^-(octave + 4)
        edges += [Fraction(step, 2 ** (octave + 4)) for step in range(2**4, 2**8)]
    return edges + [Fraction(step, 2**10) for step in range(2**6, 2**9)]


def test_a_half_has_as_many_bins_as_the_table_says() -> None:
    assert len(lower_edges()) == 1 + 7 * 240 + 448 == HALF_BINS
    assert BINS == 2 * HALF_BINS + 1 == MIDDLES.size


def test_every_bin_begins_exactly_at_its_edge() -> None:
    edges = np.array([float(edge) for edge in lower_edges()])
    assert (bin_of(edges) == np.arange(HALF_BINS)).all()
    assert (bin_of(np.nextafter(edges[1:], 0)) == np.arange(HALF_BINS - 1)).all()
    mirrored = 1 - edges
    assert (bin_of(mirrored) == BINS - 1 - np.arange(HALF_BINS)).all()
    assert (bin_of(np.nextafter(mirrored[1:], 2)) == BINS - np.arange(1, HALF_BINS)).all()


def test_one_half_has_a_bin_of_its_own() -> None:
    below, half, above = bin_of(np.array([np.nextafter(0.5, 0), 0.5, np.nextafter(0.5, 1)]))
    assert (below, half, above) == (HALF_BINS - 1, HALF_BINS, HALF_BINS + 1)
    assert MIDDLES[HALF_BINS] == 0.5


@checked
@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_bins_never_fall_as_scores_rise(scores: list[float]) -> None:
    ordered = np.sort(np.array(scores))
    assert (np.diff(bin_of(ordered)) >= 0).all()


@checked
@given(st.integers(0, 2**52))
def test_the_upper_half_mirrors_the_lower(step: int) -> None:
    t = step * 2.0**-53  # 1 - t is exact
    low, high = bin_of(np.array([t, 1 - t]))
    assert low + high == (BINS - 1 if t < 0.5 else 2 * HALF_BINS)


def test_a_middle_lies_in_its_bin_and_middles_rise() -> None:
    assert (bin_of(MIDDLES) == np.arange(BINS)).all()
    assert (np.diff(MIDDLES) > 0).all()
    assert (MIDDLES + MIDDLES[::-1] == 1).all()
    assert not MIDDLES.flags.writeable


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, -5e-324, np.nextafter(1, 2), 2.0])
def test_a_score_outside_has_no_bin(score: float) -> None:
    assert bin_of(np.array([score])).tolist() == [NO_BIN]


def test_zero_of_either_sign_and_one_have_bins() -> None:
    assert bin_of(np.array([0.0, -0.0, 5e-324, 1.0])).tolist() == [0, 0, 0, BINS - 1]


def test_a_linear_grid_would_not_tell_rare_scores_apart() -> None:
    """The twin: as many bins of equal width put a rare-event population into one."""
    rare = np.geomspace(1e-9, 1e-5, 500)
    assert np.unique(np.floor(rare * BINS)).size == 1
    assert np.unique(bin_of(rare)).size > 400
