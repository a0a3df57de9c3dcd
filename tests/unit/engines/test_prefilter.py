"""A sieve saves work and never a unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.engines import prefilter as sieve_
from fewlabels.engines.prefilter import Sieve, sieve_of
from fewlabels.nouns import ladder
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP
from tests.identities.made import profile_of


def passes(sieve: Sieve, profile: Profile, cell: int, number: int) -> bool:
    """Whether a unit in the middle of a cell's bin passes."""
    guide_bin = int(profile.guide_bin[cell])
    if number < sieve.bound or int(profile.pattern[cell]) in sieve.patterns:
        return True
    if guide_bin == ladder.MISSING:
        return sieve.missing
    low, high = ladder.EDGES[guide_bin], ladder.EDGES[guide_bin + 1]
    return any(a <= low and high <= b for a, b in sieve.ranges)


cells = st.dictionaries(
    st.tuples(st.integers(0, 3), st.one_of(st.integers(0, ladder.BINS - 1), st.just(ladder.MISSING))),
    st.integers(1, 10**6),
    min_size=1,
    max_size=40,
)


@given(cells, st.data())
def test_no_unit_below_its_bound_is_left_aside(counts: dict[tuple[int, int], int], data: st.DataObject) -> None:
    profile = profile_of(counts)
    bands = data.draw(st.integers(1, 5))
    band = np.array(data.draw(st.lists(st.integers(-1, bands - 1), min_size=len(counts), max_size=len(counts))))
    bound = np.array(data.draw(st.lists(st.one_of(st.integers(0, TOP), st.just(TOP)), min_size=bands, max_size=bands)))
    sieve = sieve_of(profile, band=band, bound=bound)
    assert len(sieve.ranges) <= sieve_.MOST_PARTS
    assert len(sieve.patterns) <= sieve_.MOST_PARTS
    for cell in range(len(counts)):
        if band[cell] >= 0 and bound[band[cell]] > 0:
            assert passes(sieve, profile, cell, int(bound[band[cell]]) - 1)


def test_a_small_band_that_is_taken_whole_does_not_let_the_table_pass() -> None:
    profile = profile_of({(0, 5): 10_000_000, (0, 2_000): 50, (1, 3_000): 50})
    sieve = sieve_of(profile, band=np.array([0, 1, 1]), bound=np.array([TOP // 10_000, TOP]))
    assert sieve.bound == TOP // 10_000
    assert sieve.units == pytest.approx(1_100, rel=0.01)
    assert not sieve.lets_all_pass


def test_many_ranges_are_joined_over_the_smallest_gaps() -> None:
    wide = {(0, 100 * i): 10 for i in range(1, 30)}
    gaps = {(0, 100 * i + 50): (1_000_000 if i % 5 == 0 else 1) for i in range(1, 30)}
    profile = profile_of(wide | gaps)
    band = np.array([0 if b % 100 else 1 for b in profile.guide_bin.tolist()])
    sieve = sieve_of(profile, band=band, bound=np.array([TOP // 10**6, TOP]))
    assert 5 < len(sieve.ranges) <= sieve_.MOST_PARTS  # the five great gaps are left out, small ones are not worth a condition
    assert sieve.units < 1_000


def test_the_edges_hold_their_bins() -> None:
    middles = ladder.MIDDLES
    assert (ladder.EDGES[:-1] <= middles).all()
    assert (middles <= ladder.EDGES[1:]).all()
    inside = (ladder.EDGES[:-1] + ladder.EDGES[1:]) / 2
    wide = ladder.EDGES[1:] > ladder.EDGES[:-1]
    assert (ladder.bin_of(inside)[wide] == np.arange(ladder.BINS)[wide]).all()
