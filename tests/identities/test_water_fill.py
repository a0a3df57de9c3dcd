"""The exact water-filling, and the printed one that loses a label."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.designs.base import water_fill
from fewlabels.nouns.arrays import FloatArray
from tests.identities.made import EPS, checked

EXAMPLE = np.array([10.0, 3.0, 2.0, 1.0, 1.0, 1.0])  # the worked example of docs/maths/bands.md

sizes = st.one_of(st.just(0.0), st.floats(1e-12, 1e12), st.sampled_from([1.0, 2.0, 3.0]))
cells = st.lists(st.tuples(sizes, st.integers(1, 1000)), min_size=1, max_size=12)


def arrays(pairs: list[tuple[float, int]]) -> tuple[FloatArray, FloatArray]:
    return np.array([h for h, _ in pairs]), np.array([float(c) for _, c in pairs])


def printed_fill(h: FloatArray, M: int) -> FloatArray:
    """Algorithm 3 of Yilmaz et al. 2021 as printed, line 13 included; h descending, one unit each."""
    S = np.cumsum(h)
    H = S[-1]
    j = next(j for j in range(1, h.size + 1) if h[j - 1] * (M - j) <= H - S[j - 1])
    filled = np.ones(h.size)
    filled[j - 1 :] = h[j - 1 :] * (M - j) / (H - S[j - 1])
    return filled


def sums_to(pi: FloatArray, count: FloatArray, total: float) -> bool:
    """Whether the probabilities sum to the total, up to one rounding a term of the two sums behind them."""
    return bool(abs((pi * count).sum() - total) <= 4 * (pi.size + 1) * EPS * total)


@checked
@given(cells, st.floats(1e-9, 1))
def test_probabilities_sum_to_the_total(pairs: list[tuple[float, int]], share: float) -> None:
    h, count = arrays(pairs)
    reachable = count[h > 0].sum()
    pi = water_fill(h, count, share * reachable)
    assert ((pi >= 0) & (pi <= 1)).all()
    assert sums_to(pi, count, share * reachable)
    assert (pi[h == 0] == 0).all()


@checked
@given(cells, st.floats(0.001, 1))
def test_below_one_probabilities_are_proportional_to_size(pairs: list[tuple[float, int]], share: float) -> None:
    h, count = arrays(pairs)
    pi = water_fill(h, count, share * count[h > 0].sum())
    free = (h > 0) & (pi < 1)
    if free.any():
        lam = pi[free] / h[free]
        assert np.ptp(lam) <= 4 * EPS * lam.max()
        assert (h[(h > 0) & ~free] * lam.max() >= 1 - 4 * (h.size + 1) * EPS).all()  # who is certain would be, unclipped


@checked
@given(cells, st.floats(1e-9, 1), st.floats(1e-9, 1))
def test_a_larger_total_lowers_no_probability(pairs: list[tuple[float, int]], a: float, b: float) -> None:
    h, count = arrays(pairs)
    reachable = count[h > 0].sum()
    small, large = (water_fill(h, count, share * reachable) for share in sorted((a, b)))
    assert (large >= small * (1 - 4 * (h.size + 1) * EPS)).all()


@checked
@given(cells, st.integers(1, 30))
def test_a_cell_is_as_good_as_its_units(pairs: list[tuple[float, int]], total: int) -> None:
    pairs = [(h, min(c, 7)) for h, c in pairs]
    h, count = arrays(pairs)
    apart = water_fill(np.repeat(h, count.astype(int)), np.ones(int(count.sum())), total)
    together = np.repeat(water_fill(h, count, total), count.astype(int))
    assert np.allclose(apart, together, rtol=8 * (count.sum() + 1) * EPS, atol=0)


def test_all_units_of_positive_size_are_certain_when_the_total_reaches_them() -> None:
    assert water_fill(np.array([5.0, 0.0, 1e-9]), np.array([2.0, 9.0, 3.0]), 5).tolist() == [1, 0, 1]
    assert water_fill(np.array([5.0, 0.0]), np.array([2.0, 9.0]), 11).tolist() == [1, 0]


def test_the_worked_example() -> None:
    assert water_fill(EXAMPLE, np.ones(6), 2).tolist() == [1, 0.375, 0.25, 0.125, 0.125, 0.125]


def test_the_printed_algorithm_does_not_sum_to_the_total() -> None:
    """The twin: line 13 as printed leaves five units of positive size without a chance, and nearly always loses part of a label."""
    assert printed_fill(EXAMPLE, 2).tolist() == [1, 0, 0, 0, 0, 0]
    rng = np.random.default_rng(5)
    short = 0
    for _ in range(200):
        h = np.sort(rng.lognormal(0, 2, 40))[::-1]
        M = int(rng.integers(2, 20))
        assert sums_to(water_fill(h, np.ones(40), M), np.ones(40), M)
        printed = printed_fill(h, M)
        assert M - 1 - 1e-9 <= printed.sum() <= M + 1e-9
        short += not sums_to(printed, np.ones(40), M)
    assert short > 150
