"""The recycling baseline does what the paper says where the paper is right, and one draw for k classifiers is read honestly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from benchmarks import recycling_draw as one
from benchmarks.recycling_baseline import Cells, best_parent, expected_labels, recycle, simple_draws, some_of
from benchmarks.recycling_many import needs, setting_of
from benchmarks.recycling_paper import PAPER, saving, trial
from benchmarks.recycling_sets import MIXED, ClassifierSet, made_set
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.planning.recycling import expected_savings
from fewlabels.randomness import stream

BOTH = np.array([[1, 1], [1, 0], [0, 1]], dtype=np.bool_)
PAIR = Cells(BOTH, np.array([400, 200, 600]), np.array([360, 120, 240]))  # the child's precision: 0.6
THREE = Cells(
    np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.bool_),
    np.array([900, 300, 500, 400, 700]),
    np.array([880, 240, 200, 100, 60]),
)
N_THREE = np.array([150, 120, 200])


def draw_wald(cells: Cells, strata: one.Strata, drawn: IntArray) -> FloatArray:
    """The twin: half-widths of the plain normal interval of a stratified draw, for the first classifier."""
    mine = cells.flags[:, 0]
    n, k = drawn[:, mine].sum(-1), drawn[:, mine, 1]
    W, p = cells.N[mine] / cells.N[mine].sum(), k / np.maximum(n, 1)
    return np.asarray(1.96 * np.sqrt((W**2 * p * (1 - p) / np.maximum(n, 1)).sum(-1)))


def within(mean: FloatArray, truth: FloatArray, se: FloatArray) -> bool:
    """Five standard errors."""
    return bool((np.abs(mean - truth) < 5 * se + 1e-12).all())


def test_some_of_takes_what_is_asked_and_no_more_than_there_is() -> None:
    pool = np.array([[3, 0, 5], [1, 1, 0]])
    found = some_of(pool, np.array([4, 9]), stream(1, 1))
    assert_array_equal(found.sum(1), [4, 2])
    assert (found <= pool).all()


@pytest.mark.statistics
@pytest.mark.parametrize("parent", [0, 1, 2, None])
def test_every_parent_gives_unbiased_precisions(parent: int | None, seed: int) -> None:
    reps = 10_000
    found = recycle(THREE, N_THREE, parent=parent, reps=reps, rng=stream(seed, 11))
    assert within(found.value.mean(0), THREE.precision, found.value.std(0) / np.sqrt(reps))


@pytest.mark.statistics
def test_rounding_down_would_bias_small_draws(seed: int) -> None:
    """The paper's plain mean over S+ and a rounded-down S- is biased upward; known sizes and random rounding are not."""
    rng, reps = stream(seed, 12), 40_000
    cells = Cells(BOTH, np.array([400, 400, 150]), np.array([360, 200, 45]))
    found = recycle(cells, np.array([24, 20]), parent=0, reps=reps, rng=rng).value[:, 1]
    assert within(found.mean(), cells.precision[1], found.std() / np.sqrt(reps))
    X = rng.hypergeometric(400, 400, 24, size=reps)
    minus = (X * 150) // 400  # rounded down
    paper = (rng.hypergeometric(360, 40, X) + rng.hypergeometric(45, 105, minus)) / np.maximum(X + minus, 1)
    assert paper.mean() - cells.precision[1] > 5 * paper.std() / np.sqrt(reps)


def test_the_child_buys_what_the_lemma_says(seed: int) -> None:
    found = recycle(PAIR, np.array([90, 90]), parent=0, reps=20_000, rng=stream(seed, 13)).bought[:, 1]
    kept = expected_savings(400 / 600, 0.4, parent_labels=90, child_labels=90, parent_units=600)
    assert abs(90 - found.mean() - kept) < 5 * found.std() / np.sqrt(found.size)


def test_disjoint_sets_are_drawn_apart() -> None:
    """The paper divides by zero here."""
    cells = Cells(np.array([[1, 0], [0, 1]], dtype=np.bool_), np.array([300, 200]), np.array([100, 50]))
    found = recycle(cells, np.array([30, 20]), parent=0, reps=50, rng=stream(1, 14))
    assert_array_equal(found.bought, np.broadcast_to([30, 20], (50, 2)))


def test_nobody_pays_twice_for_a_unit() -> None:
    """A census of every classifier labels every unit once, whoever is the parent."""
    for parent in (0, 1, 2, None):
        found = recycle(THREE, THREE.flagged, parent=parent, reps=3, rng=stream(1, 15))
        assert_array_equal(found.labels, [2_800] * 3)
        assert_allclose(found.value, np.broadcast_to(THREE.precision, (3, 3)))


@pytest.mark.parametrize("parent", [0, 1, 2, None])
def test_expected_labels_are_the_mean_of_replicates(parent: int | None, seed: int) -> None:
    """The closed form leaves the chance of X out: within half a percent here."""
    found = recycle(THREE, N_THREE, parent=parent, reps=4_000, rng=stream(seed, 16)).labels
    assert_allclose(found.mean(), expected_labels(THREE, N_THREE, parent=parent), rtol=0.005)


def test_one_draw_needs_no_more_than_any_recycling() -> None:
    """In every cell max(r) <= 1 - prod(1 - r): for any sets, sizes and parent."""
    rng = stream(3, 17)
    for _ in range(200):
        k = int(rng.integers(2, 6))
        flags = rng.random((12, k)) < 0.5
        flags[:k] |= np.eye(k, dtype=np.bool_)
        N = rng.integers(50, 2_000, 12)
        cells = Cells(flags, N, N // 2)
        n = (cells.flagged * rng.uniform(0.01, 0.9, k)).astype(np.int64) + 1
        mine = float((one.largest(cells, n) * N).sum())
        ways = [expected_labels(cells, n, parent=c) for c in (*range(k), None)]
        assert mine <= min(ways) + 1e-6
        assert expected_labels(cells, n, parent=best_parent(cells, n)) == min(ways[:-1])


def test_separate_draws_need_more_than_recycled_ones() -> None:
    kept = [
        r.labels.mean()
        for r in (simple_draws(THREE, N_THREE, reps=500, rng=stream(1, 18)), recycle(THREE, N_THREE, parent=0, reps=500, rng=stream(1, 19)))
    ]
    assert kept[1] < kept[0]


@pytest.mark.parametrize("row", [PAPER[0], PAPER[14], PAPER[24]])
def test_table_one_is_met(row: tuple[float, float, float, float, float], seed: int) -> None:
    p, c, _, low, high = row
    found = saving(p, c, n=1_100, trials=200, rng=stream(seed, 20))
    assert low <= found.drawn.mean() <= high
    assert abs(found.drawn.mean() - found.expected) < 5 * found.drawn.std() / np.sqrt(200)


def test_trials_of_figure_two_have_their_million_positives_where_they_should_be() -> None:
    for decaying in (False, True):
        cells = trial(stream(5, 21), decaying=decaying)
        assert (cells.positives <= cells.N).all()
        assert cells.positives.sum() <= 1_000_000
        assert 0.7 <= cells.precision[0] <= 1.0
        assert_array_equal(cells.flags[:, 3], cells.flags[:, :3].sum(1) >= 2)


def small_set(seed: int, k: int) -> ClassifierSet:
    return made_set(k, 0.5, kind=MIXED, rng=stream(seed, 22))


def chance_of_small_error(p: float, believed: FloatArray) -> float:
    """P(error <= 0.03) of a simple draw of an endless side, its size planned with what 100 pilot labels made one believe."""
    n = np.maximum(2, np.ceil(1.959964**2 * believed * (1 - believed) / 0.03**2))
    near = binom.cdf(np.floor(n * (p + 0.03) + 1e-9), n, p) - binom.cdf(np.ceil(n * (p - 0.03) - 1e-9) - 1, n, p)
    return float((binom.pmf(np.arange(101), 100, p) * near).sum())


@pytest.mark.parametrize("p", [0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97])
def test_a_pilot_of_a_hundred_plans_enough(p: float) -> None:
    """Exact, averaged over pilots: (k + 1) / (n + 2) keeps 0.94 where k / n does not."""
    k = np.arange(101)
    assert chance_of_small_error(p, (k + 1) / 102) >= 0.94
    if 0.9 <= p <= 0.95:
        assert chance_of_small_error(p, k / 100) < 0.94


def test_strata_hold_every_cell_and_no_more_labels_than_expected() -> None:
    at = setting_of(small_set(1, 5))
    pi = one.largest(at.coarse, needs(at.truth, at.coarse.flagged))
    strata = one.stratify(at.coarse, pi, np.arange(pi.size), at.votes)
    assert (strata.of_cell >= 0).all()
    assert strata.N.sum() == at.coarse.N.sum()
    assert strata.n.sum() <= (pi * at.coarse.N).sum() + 1
    assert (strata.n >= 2).all()
    assert (strata.n <= strata.N).all()


def test_groups_know_no_label_and_hold_all_a_classifier_flags() -> None:
    at = setting_of(small_set(2, 10))
    cells = at.coarse
    pi = one.largest(cells, needs(at.truth, cells.flagged))
    strata = one.stratify(cells, pi, np.arange(pi.size), at.votes)
    other = cells._replace(positives=cells.N - cells.positives)
    for flagged in cells.flags.T:
        group = one.groups_of(cells, strata, flagged, at.votes)
        assert_array_equal(group >= 0, flagged)
        assert_array_equal(group, one.groups_of(other, strata, flagged, at.votes))
        expects = np.bincount(group[flagged], weights=(cells.N / strata.expansion)[flagged])
        assert (expects > one.FEWEST - 1).all()


def test_fewest_meets_every_target_with_fewer_labels_than_the_largest() -> None:
    n, p = N_THREE, THREE.precision
    noise, N1 = p * (1 - p), THREE.flagged
    target = noise * (N1 / n - 1) / N1
    squares = np.repeat(noise[:, None], THREE.N.size, axis=1)
    top = one.largest(THREE, n)
    pi = one.fewest(THREE, squares, target, 0.7 * top)
    reached = (np.where(THREE.flags.T, squares, 0) * THREE.N * (1 / pi - 1)).sum(1) / N1**2
    assert (reached <= 1.002 * target).all()
    assert (pi >= 0.7 * top - 1e-12).all()
    assert (pi * THREE.N).sum() < (top * THREE.N).sum()


@pytest.mark.statistics
def test_one_draw_covers_for_every_classifier(seed: int) -> None:
    """Ten classifiers and their vote, 1,000 replicates: estimate unbiased, error at most 0.03 and coverage by the exact binomial."""
    at, reps = setting_of(small_set(seed, 10)), 1_000
    cells = at.coarse
    strata = one.stratify(cells, one.largest(cells, needs(at.truth, cells.flagged)), np.arange(cells.N.size), at.votes)
    found = one.read(cells, strata, one.draw(cells, strata, reps=reps, rng=stream(seed, 23)), at.votes)
    held = ((found.limits.low <= at.truth) & (at.truth <= found.limits.high)).sum(0)
    near = (np.abs(found.value - at.truth) <= 0.03).sum(0)
    least = binom.ppf(1e-6, reps, 0.94)
    assert (held >= least).all()
    assert (near >= least).all()
    assert within(found.value.mean(0), at.truth, found.value.std(0) / np.sqrt(reps))


@pytest.mark.statistics
def test_a_plain_interval_would_not_cover(seed: int) -> None:
    """The twin: one thin pattern carries the errors of a precise classifier, and the normal interval misses where REC holds."""
    reps = 2_000
    cells = Cells(np.array([[1, 0], [1, 1]], dtype=np.bool_), np.array([630, 3_100]), np.array([585, 3_075]))
    strata = one.stratify(cells, one.largest(cells, np.array([105, 600])), np.arange(2), np.array([-0.5, 2.0]))
    drawn = one.draw(cells, strata, reps=reps, rng=stream(seed, 24))
    found = one.read(cells, strata, drawn, np.array([-0.5, 2.0]))
    truth, least = cells.precision[0], binom.ppf(1e-6, reps, 0.94)
    low, high = found.limits.low[:, 0], found.limits.high[:, 0]
    assert ((low <= truth) & (truth <= high)).sum() >= least
    assert (np.abs(found.value[:, 0] - truth) <= draw_wald(cells, strata, drawn)).sum() < least
