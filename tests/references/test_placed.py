"""The saddle-point approximation against exact convolution, and placed against the exact test of one band."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import hypergeom

from fewlabels.intervals import weighted_sum
from fewlabels.intervals.placed import limit, limits_of_bands, path
from fewlabels.intervals.weighted_sum import Gaps, WeightedSum, gaps
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Bands
from fewlabels.randomness import stream

POPULATIONS = {
    "two rates": ([1000, 200, 5000], [20, 50, 30], [10, 20, 15]),
    "five rates": ([5000, 2000, 500, 100, 50], [30, 30, 30, 30, 30], [5, 10, 10, 20, 25]),
    "near a census": ([200, 100, 60, 40], [100, 60, 40, 30], [3, 4, 5, 6]),
    "equal rates": ([400, 400, 400, 400], [20, 20, 20, 20], [120, 60, 40, 20]),
    "one heavy band": ([10000, 50], [40, 25], [60, 20]),
    "mostly positive": ([500, 300, 200], [25, 30, 40], [480, 285, 195]),
}


def convolved(N: list[int], n: list[int], m: list[int]) -> tuple[FloatArray, FloatArray]:
    """Every value of T and its exact probability."""
    values = {0.0: 1.0}
    for units, labels, positives in zip(N, n, m, strict=True):
        chance = hypergeom.pmf(np.arange(labels + 1), units, positives, labels)
        joined: dict[float, float] = defaultdict(float)
        for value, p in values.items():
            for k in np.flatnonzero(chance > 1e-12):
                joined[round(value + k * units / labels, 6)] += p * chance[k]
        values = {value: p for value, p in joined.items() if p > 1e-13}
    order = sorted(values)
    return np.array(order), np.array([values[value] for value in order])


def approximated(name: str, t: FloatArray, *, at_least: bool, corrected: bool = True) -> FloatArray:
    """The same by the saddle point; without the gap between values if not `corrected`."""
    N, n, m = (np.array([part], dtype=np.float64) for part in POPULATIONS[name])
    open_gaps = gaps(N, n, m * n / N) if corrected else Gaps(np.full((1, N.size, N.size), 1e9), None)
    each = WeightedSum(*(np.repeat(part, t.size, axis=0) for part in (N, n, m)))
    return each.tail(t, np.zeros(t.size), open_gaps, np.full(t.size, at_least))[0]


@pytest.mark.parametrize("name", POPULATIONS)
def test_at_most_what_was_seen_as_by_convolution(name: str) -> None:
    """The tail that decides an upper limit, where it is between 0.5 % and 10 %."""
    t, chance = convolved(*POPULATIONS[name])
    exact = np.cumsum(chance)
    some = (exact > 0.005) & (exact < 0.1) & (t > 0)
    ratio = approximated(name, t[some], at_least=False) / exact[some]
    assert ratio.min() > 0.95
    assert np.exp(np.log(ratio).mean()) < 1.3


def test_without_the_gap_between_values_the_tail_is_too_small() -> None:
    """The twin: bands of one rate have values far apart."""
    t, chance = convolved(*POPULATIONS["equal rates"])
    exact = np.cumsum(chance)
    some = (exact > 0.005) & (exact < 0.1) & (t > 0)
    ratio = approximated("equal rates", t[some], at_least=False, corrected=False) / exact[some]
    assert np.exp(np.log(ratio).mean()) < 0.85


@pytest.mark.parametrize("name", POPULATIONS)
def test_at_least_what_was_seen_is_not_below_convolution(name: str) -> None:
    """The tail that decides a lower limit: one heavy positive may be most of T, and the approximation is then on the safe side."""
    t, chance = convolved(*POPULATIONS[name])
    exact = np.cumsum(chance[::-1])[::-1]
    some = (exact > 0.005) & (exact < 0.1)
    ratio = approximated(name, t[some], at_least=True) / exact[some]
    assert np.exp(np.log(ratio).mean()) > 0.93
    assert ratio.min() > 0.87


@pytest.mark.parametrize(("N", "n"), [(20, 18), (50, 10), (50, 45), (200, 20), (200, 100), (200, 190), (1000, 50), (1000, 300)])
def test_one_band_is_the_exact_test(N: int, n: int) -> None:
    """Misses of either limit over every possible number of positives, enumerated."""
    k = np.arange(n + 1.0)[:, None]
    bands = Bands(np.full_like(k, N), np.full_like(k, n), k)
    m = np.arange(N + 1)
    chance = hypergeom.pmf(k, N, m[None, :], n)
    for tail, most in ((0.05, 0.0525), (0.01, 0.0135)):
        high, low = (limit(bands, np.full(n + 1, tail), np.full(n + 1, lower))[:, None] for lower in (False, True))
        assert (chance * (high < m - 1e-9)).sum(0).max() <= most
        assert (chance * (low > m + 1e-9)).sum(0).max() <= most


def test_where_none_was_seen_the_limit_is_the_water_filling() -> None:
    """maths D2: m_h = max(N_h - L n_h, 0), the one L with chance `tail` to see none."""
    N, n = np.array([[5000.0, 800, 60, 40]]), np.array([[30.0, 20, 15, 40]])
    bands = Bands(N, n, np.zeros_like(N))
    low, high = 1.0, 1e4
    for _ in range(200):
        L = (low + high) / 2
        m = np.maximum(N - L * n, 0)
        none = (gammaln(N - m + 1) + gammaln(N - n + 1) - gammaln(N - m - n + 1) - gammaln(N + 1)).sum()
        low, high = (low, L) if none > np.log(0.05) else (L, high)
    assert limit(bands, np.array([0.05]), np.array([False]))[0] == pytest.approx(m.sum(), rel=1e-3)


def test_the_path_begins_at_the_estimate_and_ends_where_all_that_is_open_is_positive() -> None:
    bands = Bands(np.array([[1000.0, 400, 50]]), np.array([[20.0, 40, 25]]), np.array([[3.0, 0, 12]]))
    assert path(np.array([[1e-9]]), bands) == pytest.approx(np.array([[150.0, 0, 24]]), rel=1e-4)
    assert path(np.array([[1.0]]), bands) == pytest.approx(bands.N - bands.n + bands.k)
    prices = np.linspace(1e-3, 1, 200)
    m = np.concatenate([path(np.array([[e]]), bands) for e in prices])
    assert (np.diff(m, axis=0) >= -1e-9).all()


def test_a_first_look_with_a_tail_of_next_to_nothing_rules_out_less_than_a_later_one() -> None:
    rng = np.random.default_rng(7)
    N, n = np.full((40, 59), 29.0), np.full((40, 59), 2.0)
    k = rng.binomial(2, np.broadcast_to(np.linspace(0.02, 0.9, 59), n.shape)).astype(np.float64)
    found = [limits_of_bands(Bands(N, n, k), np.full(40, tail)) for tail in (1e-14, 1e-12, 1e-9, 1e-5, 0.05, 0.4)]
    assert all(np.isfinite(end).all() for each in found for end in each)
    for wider, narrower in itertools.pairwise(found):
        assert (wider.low <= narrower.low + 1e-3).all()
        assert (wider.high >= narrower.high - 1e-3).all()
    assert (found[0].low <= k.sum(-1) + 1e-6).all()  # nothing is ruled out but what was seen
    assert (found[0].high >= (N - n + k).sum(-1) - 1e-6).all()


@pytest.mark.parametrize("seen", [5, 60, 2_000])
def test_many_bands_are_read_by_the_most_open_ones(seen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,000 bands 256 fill the gaps: limits are those of all of them, or a little wider. The twin: if one does, they are wider."""
    rng = stream(42, seen)
    N, n = np.sort(rng.integers(20, 2_000, 1_000))[None].astype(np.float64), np.full((1, 1_000), 10.0)
    k = np.minimum(np.bincount(rng.choice(1_000, seen, p=np.linspace(2, 0, 1_000) / 1_000), minlength=1_000), 9)[None].astype(np.float64)
    found = {}
    for filling in (1_000, 256, 1):
        monkeypatch.setattr(weighted_sum, "FILLING", filling)
        found[filling] = [float(end[0]) for end in limits_of_bands(Bands(N, n, k), np.array([0.025]))]
    (low, high), (some_low, some_high), (one_low, one_high) = found.values()
    assert low * (1 - 3e-3) <= some_low <= low * (1 + 1e-6)
    assert high * (1 - 1e-6) <= some_high <= high * (1 + 3e-3)
    assert one_high - one_low > some_high - some_low


def test_with_one_unit_left_in_every_band_the_limit_is_near_that_of_one_band() -> None:
    """Four seen among 711 of 784 units in 73 bands: matched counts may fall below 0 there, and a search that ends there allows all 73."""
    N, n, k = (np.full((1, 73), x) for x in (11.0, 10.0, 0.0))
    k[0, [10, 30, 50, 72]] = 1
    ends = limits_of_bands(Bands(N, n, k), np.array([0.025]))
    joined = limits_of_bands(Bands(*(counts.sum(-1, keepdims=True) for counts in (N, n, k))), np.array([0.025]))
    assert ends.high[0] == pytest.approx(joined.high[0], abs=1.0)
    assert joined.high[0] < 9
    assert ends.low[0] == pytest.approx(joined.low[0], abs=1.0)
