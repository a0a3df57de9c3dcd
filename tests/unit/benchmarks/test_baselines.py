"""The baselines are what their papers write: closed forms, exact enumeration, and the printed error of one of them."""

from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks import baseline_online, baseline_ratio, baselines
from benchmarks.against import METHODS, Error, Place
from benchmarks.against_page import GOALS, TITLES
from benchmarks.baselines import Guesses, Judged
from fewlabels.designs.base import water_fill
from fewlabels.randomness import stream

TINY = Judged(
    score=np.array([0.95, 0.9, 0.7, 0.6, 0.4, 0.3, 0.1, 0.05]),
    flagged=np.array([True, True, True, True, False, False, False, False]),
    y=np.array([True, True, False, True, True, False, False, False]),
)


def large(rng: np.random.Generator, N: int = 4_000) -> Judged:
    score = rng.beta(0.5, 2.0, N)
    return Judged(score, score >= 0.5, rng.random(N) < score)


def test_truth_of_the_tiny_table() -> None:
    assert_allclose(TINY.f1, 2 * 3 / (2 * 3 + 1 + 1))
    assert_allclose(TINY.precision, 3 / 4)


# ---------------------------------------------------------------- simple draw


def test_a_simple_draw_of_everything_has_no_error() -> None:
    assert_allclose(baselines.simple(TINY, labels=8, reps=3, rng=stream(1)), TINY.f1)


def test_a_simple_draw_without_flagged_or_positive_units_has_no_value(seed: int) -> None:
    reps, empty = 20_000, comb(3, 2) / comb(8, 2)
    values = baselines.simple(TINY, labels=2, reps=reps, rng=stream(seed))
    assert abs(np.isnan(values).mean() - empty) < 6 * np.sqrt(empty * (1 - empty) / reps)


# ---------------------------------------------------------------- testsampleR


def test_optimal_positives_is_neymans_ratio() -> None:
    """SE^2 = u1^2 / n1 + u0^2 / n0 is least at n1 / n = u1 / (u1 + u0)."""
    guess, share, n = Guesses(0.4, 0.05), 0.2, 100_000
    step = 1e-6

    def f1(p1: float, p0: float) -> float:
        return 2 * p1 * share / (share + p1 * share + p0 * (1 - share))

    d1 = (f1(0.4 + step, 0.05) - f1(0.4 - step, 0.05)) / (2 * step)
    d0 = (f1(0.4, 0.05 + step) - f1(0.4, 0.05 - step)) / (2 * step)
    u1, u0 = abs(d1) * np.sqrt(0.4 * 0.6), abs(d0) * np.sqrt(0.05 * 0.95)
    assert abs(baselines.optimal_positives(n, guess=guess, share=share) - n * u1 / (u1 + u0)) <= 1
    found = baselines.f1_standard_error(np.array([600.0]), np.array([400.0]), guess=guess, share=share)
    assert_allclose(found, np.sqrt(u1**2 / 600 + u0**2 / 400), rtol=1e-6)


def test_proportional_takes_sum_up_and_leave_no_bin_out() -> None:
    take = baselines.proportional(np.array([10_000, 400, 3, 1]), 100)
    assert take.tolist() == [95, 3, 1, 1]
    assert baselines.proportional(np.array([3, 50]), 53).tolist() == [3, 50]
    assert baselines.proportional(np.array([5, 5, 5]), 2).tolist() == [1, 1, 1]  # at least one each comes first


def test_score_bins_have_equal_width_on_each_side() -> None:
    units = Judged(
        score=np.array([0.0, 0.19, 0.2, 0.99, 1.0, 0.4]), flagged=np.array([False, False, False, True, True, True]), y=np.zeros(6, bool)
    )
    assert baselines.score_bins(units, 0.4).tolist() == [0, 2, 2, 9, 9, 5]
    ones = Judged(score=np.array([1.0, 0.999]), flagged=np.array([True, False]), y=np.zeros(2, bool))
    assert baselines.score_bins(ones, 1.0).tolist() == [5, 4]


def test_stratified_totals_are_unbiased_by_exact_enumeration() -> None:
    """E[N_h k_h / n_h] = K_h with k_h hypergeometric, for the takes chosen."""
    units = large(stream(6), 300)
    strata = baselines.two_bin_strata(units, threshold=0.5, labels=40, guess=baselines.guesses(units))
    assert strata.take.sum() == 40
    assert (strata.take >= 1).all()
    for N, K, n in zip(strata.N.tolist(), strata.K.tolist(), strata.take.tolist(), strict=True):
        mean = sum(N * k / n * comb(K, k) * comb(N - K, n - k) / comb(N, n) for k in range(max(0, n - N + K), min(K, n) + 1))
        assert_allclose(mean, K)


def test_two_bin_with_every_unit_labeled_has_no_error() -> None:
    found = baselines.two_bin(TINY, threshold=0.5, labels=8, guess=baselines.guesses(TINY), reps=2, rng=stream(1))
    assert_allclose(found, TINY.f1)


# ---------------------------------------------------------------- Poisson and importance


def test_deviations_by_hand() -> None:
    p, d = 0.9 * TINY.score + 0.05, TINY.flagged
    F = p[d].sum() / (0.5 * (4 + p.sum()))
    expected = np.where(d, p * (1 - F) ** 2 + (1 - p) * F**2 / 4, p * F**2 / 4)
    assert_allclose(baseline_ratio.deviations(TINY), np.sqrt(expected))


def test_printed_filling_without_certain_units_is_proportional() -> None:
    h = np.array([1.0, 2.0, 3.0, 4.0])
    assert_allclose(baseline_ratio.printed_filling(h, 2), 2 * h / 10)


def test_printed_filling_keeps_the_printed_error() -> None:
    """M = 2: the printed line 13 leaves five units with h > 0 out; the exact filling gives them a chance."""
    h = np.array([10.0, 3.0, 2.0, 1.0, 1.0, 1.0])
    assert baseline_ratio.printed_filling(h, 2).tolist() == [1, 0, 0, 0, 0, 0]
    assert_allclose(water_fill(h, np.ones(6), 2), [1, 0.375, 0.25, 0.125, 0.125, 0.125])


def test_printed_filling_is_short_by_less_than_one_label(seed: int) -> None:
    h = stream(seed).lognormal(0, 2, 200)
    printed = baseline_ratio.printed_filling(h, 60)
    assert (printed == 1).any()
    assert 59 <= printed.sum() < 60


def test_printed_filling_returns_nothing_at_a_census() -> None:
    with pytest.raises(ValueError, match="fewer labels than units"):
        baseline_ratio.printed_filling(np.array([3.0, 1.0]), 2)


def test_poisson_sums_are_unbiased_by_exact_enumeration() -> None:
    """Over all 2^8 samples: E sum(f / b) = sum f, E sum(g / b) = sum g, and the simulated F1 has the exact mean."""
    b = baseline_ratio.printed_filling(baseline_ratio.deviations(TINY), 4)
    d, y = TINY.flagged.astype(float), TINY.y.astype(float)
    f, g = d * y, (d + y) / 2
    drawn = np.array(list(product([0.0, 1.0], repeat=8)))
    chance = np.prod(np.where(drawn == 1, b, 1 - b), axis=1)
    assert_allclose(chance @ drawn @ (f / b), f.sum())
    assert_allclose(chance @ drawn @ (g / b), g.sum())
    above, below = drawn @ (f / b), drawn @ (g / b)
    ratio = np.divide(above, below, out=np.full(256, 0.5), where=below > 0)
    values = np.nan_to_num(baseline_ratio.poisson(TINY, labels=4, reps=40_000, rng=stream(3)), nan=0.5)
    spread = np.sqrt(chance @ ratio**2 - (chance @ ratio) ** 2)
    assert abs(values.mean() - chance @ ratio) < 6 * spread / np.sqrt(values.size)


def test_importance_sums_are_unbiased_by_exact_enumeration() -> None:
    """Over all 8^2 ordered draws: E (1/M) sum(f / q) = sum f, and the simulated F1 has the exact mean."""
    h = baseline_ratio.deviations(TINY)
    q = h / h.sum()
    d, y = TINY.flagged.astype(float), TINY.y.astype(float)
    f, g = d * y / q, (d + y) / 2 / q
    pairs = np.array(list(product(range(8), repeat=2)))
    chance = q[pairs].prod(1)
    assert_allclose(chance @ f[pairs].mean(1), (d * y).sum())
    below = g[pairs].sum(1)
    ratio = np.divide(f[pairs].sum(1), below, out=np.full(64, 0.5), where=below > 0)
    values = np.nan_to_num(baseline_ratio.importance(TINY, labels=2, reps=40_000, rng=stream(4), free_repeats=False), nan=0.5)
    spread = np.sqrt(chance @ ratio**2 - (chance @ ratio) ** 2)
    assert abs(values.mean() - chance @ ratio) < 6 * spread / np.sqrt(values.size)


def test_draws_are_as_many_as_the_distinct_units_need() -> None:
    q = np.full(10, 0.1)
    assert_allclose(baseline_ratio.expected_distinct(q, 7), 10 * (1 - 0.9**7))
    draws = baseline_ratio.draws_for(q, 5)
    assert baseline_ratio.expected_distinct(q, draws - 1) < 5 <= baseline_ratio.expected_distinct(q, draws)


# ---------------------------------------------------------------- online


def test_m_estimate_by_hand() -> None:
    found = baseline_online.smoothed_shares(np.array([0.0, 0.0, 3.0]), np.array([0.0, 1.0, 4.0]))
    assert_allclose(found, [0.5, 0.25, 3.25 / 4.5])


def test_the_first_round_is_proportional_and_later_ones_are_neymans() -> None:
    N = np.array([30, 10])
    assert_allclose(baseline_online.allocation(np.zeros((1, 2)), np.zeros((1, 2)), N), [[0.75, 0.25]])
    h, n = np.array([[50.0, 10.0]]), np.array([[100.0, 100.0]])
    size = N * np.sqrt(np.array([50.05, 10.05]) * np.array([50.05, 90.05])) / 100.1
    assert_allclose(baseline_online.allocation(h, n, N)[0], size / size.sum())


def test_equal_scores_share_a_stratum() -> None:
    ones = Judged(score=np.ones(12), flagged=np.ones(12, bool), y=np.arange(12) < 5)
    assert baseline_online.quartiles(ones).N.tolist() == [12]
    assert baseline_online.quartiles(large(stream(5))).N.size == 4


def test_online_refuses_to_label_every_flagged_unit() -> None:
    with pytest.raises(ValueError, match="fewer labels than flagged units"):
        baseline_online.online(TINY, labels=4, reps=1, rng=stream(1))


def test_one_stratum_is_a_plain_mean_of_draws(seed: int) -> None:
    """All scores equal and every draw paid: binomial, with the m-estimate's known mean and spread."""
    units = Judged(score=np.ones(400), flagged=np.ones(400, bool), y=np.arange(400) < 100)
    n, reps, m = 64, 8_000, 1 / 8
    values = baseline_online.online(units, labels=n, reps=reps, rng=stream(seed), free_repeats=False)
    spread = np.sqrt(n * 0.25 * 0.75) / (n + m)
    assert abs(values.mean() - (n * 0.25 + m / 2) / (n + m)) < 6 * spread / np.sqrt(reps)
    assert_allclose(values.std(), spread, rtol=0.05)


def test_free_repeats_count_distinct_units(seed: int) -> None:
    run = baseline_online._Run(baseline_online.quartiles(large(stream(seed))), 3)
    edges = np.tile([0.25, 0.5, 0.75, 1.0], (3, 1))
    new = sum(run.draw(edges, np.ones(3), stream(seed, t)) for t in range(500))
    assert (new == run.seen.sum((0, 2))).all()
    assert (run.seen[1] <= run.K).all()
    assert (run.seen[0] <= run.N - run.K).all()
    assert (run.n.sum(1) == 500).all()


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", METHODS)
def test_every_method_comes_near_the_truth_and_repeats_itself(name: str, seed: int) -> None:
    """Near: less than one and a half times the variance of a simple draw, linearized for F1, of the flagged units for precision."""
    metric, method = METHODS[name]
    units, labels = large(stream(seed)), 400
    d, y = units.flagged.astype(float), units.y.astype(float)
    z = d * y - units.f1 * (d + y) / 2
    usual = {"f1": z.size * (z**2).sum() / labels / ((d + y) / 2).sum() ** 2, "precision": units.precision * (1 - units.precision) / labels}
    values, again = (method(Place(units, 0.5, labels, 1_000, stream(seed, 9))) for _ in range(2))
    assert_allclose(values, again)
    assert Error.of(values, getattr(units, metric)).mse < 1.5 * usual[metric]


def test_an_undefined_estimate_is_scored_at_one_half() -> None:
    found = Error.of(np.array([np.nan, 0.9]), 0.7)
    assert_allclose([found.mse, found.bias], [(0.04 + 0.04) / 2, 0.0], atol=1e-12)
    assert found.undefined == 1


def test_every_method_has_a_title_and_the_main_ones_a_goal() -> None:
    assert set(METHODS) == set(TITLES)
    assert set(GOALS) < set(METHODS)
