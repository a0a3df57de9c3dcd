"""Takes by Webster's method: who gets the next label."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.designs.base import SMALLEST_TAKE, seats, takes
from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray, IntArray
from tests.identities.made import checked

bands = st.lists(st.tuples(st.integers(1, 1000), st.one_of(st.integers(1, 3), st.integers(1, 40))), min_size=1, max_size=10)


def arrays(pairs: list[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
    return np.array([float(m) for m, _ in pairs]), np.array([N for _, N in pairs])


def webster(mass: FloatArray, N: IntArray, total: int) -> list[int]:
    """Seats by the definition, in exact fractions: two each, then always the band with the largest mass / (2 seats + 1)."""
    held = [min(int(units), SMALLEST_TAKE) for units in N]
    while sum(held) < total:
        open_bands = [h for h in range(len(held)) if held[h] < N[h]]
        best = max(open_bands, key=lambda h: (Fraction(int(mass[h]), 2 * held[h] + 1), -h))
        held[best] += 1
    return held


def largest_remainder(mass: list[int], total: int) -> list[int]:
    """Hamilton's method in exact fractions: whole shares, then the largest remainders."""
    quota = [Fraction(m * total, sum(mass)) for m in mass]
    held = [int(q) for q in quota]
    by_remainder = sorted(range(len(mass)), key=lambda h: (held[h] - quota[h], h))
    for h in by_remainder[: total - sum(held)]:
        held[h] += 1
    return held


@checked
@given(bands, st.floats(0, 1))
def test_every_prefix_is_the_draw_of_that_size(pairs: list[tuple[int, int]], share: float) -> None:
    mass, N = arrays(pairs)
    order = seats(mass, N, int(N.sum()))
    total = round(share * N.sum())
    assert (np.bincount(order[:total], minlength=N.size) == takes(mass, N, total)).all()
    assert (order[:total] == seats(mass, N, total)).all()


@checked
@given(bands)
def test_a_larger_draw_only_adds_and_never_overfills(pairs: list[tuple[int, int]]) -> None:
    mass, N = arrays(pairs)
    before = np.zeros(N.size, dtype=np.int64)
    for total in range(int(N.sum()) + 1):
        after = takes(mass, N, total)
        assert after.sum() == total
        assert (after >= before).all()
        assert (after <= N).all()
        before = after
    assert (before == N).all()


@checked
@given(bands)
def test_every_band_has_two_before_one_has_three(pairs: list[tuple[int, int]]) -> None:
    mass, N = arrays(pairs)
    two_each = int(np.minimum(N, SMALLEST_TAKE).sum())
    assert (takes(mass, N, two_each) == np.minimum(N, SMALLEST_TAKE)).all()
    assert takes(mass, N, min(two_each, N.size)).max() == 1  # and one each before one has two


@checked
@given(bands, st.floats(0, 1))
def test_takes_are_websters(pairs: list[tuple[int, int]], share: float) -> None:
    mass, N = arrays(pairs)
    fewest = int(np.minimum(N, SMALLEST_TAKE).sum())
    total = fewest + round(share * (N.sum() - fewest))
    assert takes(mass, N, total).tolist() == webster(mass, N, total)


def test_more_labels_than_units_are_refused() -> None:
    with pytest.raises(PlanError, match="at most the 5 units"):
        takes(np.array([1.0, 2.0]), np.array([2, 3]), 6)


def test_largest_remainders_take_a_label_back() -> None:
    """The twin: with masses 25 : 19 : 15, growing from 147 to 148 labels takes one from the third band."""
    mass = [25, 19, 15]
    assert largest_remainder(mass, 147) == [62, 47, 38]
    assert largest_remainder(mass, 148) == [63, 48, 37]
    shrinks = [n for n in range(100, 1000) if min(np.subtract(largest_remainder(mass, n + 1), largest_remainder(mass, n))) < 0]
    assert len(shrinks) == 15
    N = np.full(3, 1000)
    assert all((takes(np.array(mass, float), N, n + 1) >= takes(np.array(mass, float), N, n)).all() for n in shrinks)
