"""Two phases as one: unbiased whatever the pilot made of the second draw, honest limits, and a twin that pools and fails."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.phases import join, proven, read_phases
from fewlabels.estimators.weighted import read_side
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Evidence
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import PhasedTally, Tally
from fewlabels.nouns.weights import WeightSums
from fewlabels.randomness import stream
from tests.identities.made import tally_of

W = 0.1875
FLAGGED = [1, 1, 0, 0]


def pilot_tally() -> Tally:
    return tally_of(FLAGGED, [200, 300, 4000, 6000], [20, 20, 20, 20], [18, 9, 4, 1], logit=[2, 0, -2, -4])


def rest_tally() -> Tally:
    """The 460 and 9,960 units the pilot left, cut at other places."""
    return tally_of(FLAGGED, [100, 360, 960, 9000], [30, 40, 60, 50], [29, 20, 11, 1], logit=[3, 0, -1, -5])


def phased(weight: float = W) -> PhasedTally:
    return PhasedTally(pilot_tally(), rest_tally(), weight)


def test_the_second_phase_reads_the_pilot_as_a_group_labeled_whole() -> None:
    """The share, its usual variance and the spread are those of a tally that holds the pilot's units as groups of their own."""
    for side, pilot_n, pilot_k in ((True, 40, 27), (False, 40, 5)):
        rest = rest_tally().side(flagged=side)
        N, n, k = [*rest.N, pilot_n], [*rest.n, pilot_n], [*rest.k, pilot_k]
        whole = read_side(tally_of([side] * 3, N, n, k, logit=[*rest.logit, 0]).side(flagged=side))
        flagged, other = read_phases(phased(0.0))
        alone = flagged if side else other
        for name in ("p", "raw", "spread"):
            assert getattr(alone, name) == pytest.approx(getattr(whole, name), rel=1e-12), name
        assert (alone.N, alone.n) == (whole.N, whole.n)


def test_shares_are_joined_by_weight_and_variances_by_its_square() -> None:
    alone, joined = read_phases(phased(0.0)), read_phases(phased())
    for flagged, second, both in zip((True, False), alone, joined, strict=True):
        first = read_side(pilot_tally().side(flagged=flagged))
        assert both.p == pytest.approx(W * first.p + (1 - W) * second.p)
        for name in ("raw", "v", "spread"):
            assert getattr(both, name) == pytest.approx(W**2 * getattr(first, name) + (1 - W) ** 2 * getattr(second, name)), name
        assert min(first.df, second.df) <= both.df <= first.df + second.df


def test_the_metric_is_that_of_the_joined_sides() -> None:
    one, zero = read_phases(phased())
    found = measure(metric_named("f1"), phased(), tail=0.025)
    A, B = 500 * one.p, 10_000 * zero.p
    assert found.value == pytest.approx(2 * A / (A + B + 500))
    assert found.low < found.value < found.high
    assert phased().labels == 80 + 180


def test_an_unseen_error_of_an_even_draw_weighs_what_one_seen_does() -> None:
    """One band a phase: v / q, the typical weight of an error, is the spread up to n / (n - 1)."""
    tally = PhasedTally(
        tally_of([1, 0], [10**6, 10**6], [500, 500], [50, 50]),
        tally_of([1, 0], [10**6 - 500, 10**6 - 500], [1500, 1500], [150, 150]),
        W,
    )
    side = read_phases(tally).flagged
    assert side.raw / (side.p * (1 - side.p)) == pytest.approx(side.spread, rel=3e-3)


def test_a_rest_taken_whole_has_no_error_of_its_own() -> None:
    rest = rest_tally()
    whole = PhasedTally(pilot_tally(), replace(rest, n=rest.N, k=np.floor(rest.N / 2)), 0.0)
    found = measure(metric_named("recall"), whole, tail=0.025)
    assert found.standard_error == 0
    assert found.high - found.low < 1e-9


def test_a_side_the_pilot_took_whole_has_no_rest() -> None:
    pilot = tally_of([1, 0], [10, 1000], [10, 50], [7, 5])
    rest = tally_of([0], [950], [100], [9])
    one, zero = read_phases(PhasedTally(pilot, rest, W))
    assert one.p == pytest.approx(0.7)
    assert one.v == 0
    assert 0 < zero.p < 1
    found = measure(metric_named("f1"), PhasedTally(pilot, rest, W), tail=0.025)
    assert found.low < found.value < found.high


def test_a_metric_of_one_side_needs_no_other() -> None:
    phases = PhasedTally(pilot_tally().side(flagged=True), rest_tally().side(flagged=True), W)
    found = measure(metric_named("precision"), phases, tail=0.025)
    assert np.isfinite([found.value, found.low, found.high]).all()


def weighted(tally: Tally, x: float) -> Tally:
    """The same units, each of metric weight x."""
    sums = WeightSums(x * tally.N, x * x * tally.N, x + 0 * tally.N, x * tally.n, x * x * tally.n, x * tally.k, x * x * tally.k)
    return replace(tally, weights=sums, N1=x * tally.N1, N0=x * tally.N0)


def test_equal_metric_weights_change_nothing_but_what_the_heaviest_unit_could_weigh() -> None:
    plain, heavy = read_phases(phased()), read_phases(PhasedTally(weighted(pilot_tally(), 3.0), weighted(rest_tally(), 3.0), W))
    for a, b in zip(plain, heavy, strict=True):
        for name in set(Evidence._fields) - {"heaviest", "bands", "alone", "rest", "arrived"}:
            assert getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-9), name
        assert b.heaviest > 0
        assert a.bands is b.bands is None


def test_guides_are_proven_by_both_phases_together() -> None:
    def side(k: list[float]) -> Tally:
        return tally_of([1, 1], [1000, 1000], [20, 20], k, logit=[-1, 1])

    weak, none, turned = side([7, 13]), side([10, 10]), side([16, 4])
    assert not read_side(weak).ordered
    assert proven(weak, weak)
    assert not proven(weak, none)
    assert not proven(side([4, 16]), turned)


def test_what_the_other_phase_left_without_labels_is_not_forgotten() -> None:
    first, second = (read_side(t.side(flagged=True)) for t in (pilot_tally(), rest_tally()))
    gap = np.asarray(0.2)
    assert join(first._replace(unlabeled=gap), second, W).unlabeled == gap
    assert join(first, second._replace(unlabeled=gap), W).unlabeled == gap


@pytest.mark.parametrize("weight", [-0.1, 1.0, float("nan")])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(PlanError, match="the pilot's weight w"):
        read_phases(phased(weight))


def test_a_rest_that_is_not_what_the_pilot_left_is_refused() -> None:
    with pytest.raises(PlanError, match="without a label of the pilot"):
        read_phases(PhasedTally(pilot_tally(), pilot_tally(), W))


@pytest.mark.parametrize("interval", ["bootstrap", "rao_wu", "clopper_pearson", "wilson"])
def test_intervals_that_need_one_phase_are_refused(interval: IntervalKind) -> None:
    with pytest.raises(PlanError, match="two phases need one of the intervals"):
        measure(metric_named("f1"), phased(), tail=0.025, interval=interval)


@pytest.mark.parametrize("interval", ["strict", "midp", "wald", "beta"])
def test_other_intervals_hold_the_value(interval: IntervalKind) -> None:
    found = measure(metric_named("f1"), phased(), tail=0.025, interval=interval)
    assert found.low < found.value < found.high


# ---------------------------------------------------------------- the second draw depends on the pilot's labels


def exact_moments(N: int, K: int, n1: int, w: float) -> tuple[float, float, float]:
    """Mean of the phased share, of the pooled one, and variance of the phased one, over all outcomes of two draws from one band.

    The second draw is 2 labels where the pilot saw no positive, and 12 where it saw one.
    """
    outcomes = []
    for k1 in range(min(n1, K) + 1):
        n2 = 12 if k1 else 2
        for k2 in range(min(n2, K - k1) + 1):
            chance = hypergeom.pmf(k1, N, K, n1) * hypergeom.pmf(k2, N - n1, K - k1, n2)
            pilot, rest = tally_of([1], [N], [n1], [k1]), tally_of([1], [N - n1], [n2], [k2])
            p = float(read_phases(PhasedTally(pilot, rest, w)).flagged.p)
            outcomes.append((chance, p, (k1 + k2) / (n1 + n2)))
    chance, p, pooled = np.array(outcomes).T
    mean = float(chance @ p)
    return mean, float(chance @ pooled), float(chance @ (p - mean) ** 2)


@pytest.mark.parametrize(("N", "K", "n1", "w"), [(40, 3, 5, 0.2), (30, 12, 4, 0.25), (25, 1, 6, 0.0)])
def test_it_is_unbiased_to_the_last_digit_and_its_variance_is_the_sum(N: int, K: int, n1: int, w: float) -> None:
    mean, pooled, variance = exact_moments(N, K, n1, w)
    assert mean == pytest.approx(K / N, rel=1e-12)
    assert pooled < 0.95 * K / N  # the twin: what was seen by luck is sampled until it regresses, what was missed is not
    first = K * (N - K) / N**2 * (N - n1) / (N - 1) / n1
    second = 0.0
    for k1 in range(min(n1, K) + 1):
        M, L, n2 = N - n1, K - k1, 12 if k1 else 2
        second += hypergeom.pmf(k1, N, K, n1) * (L * (M - L) / M**2 * (M - n2) / (M - 1) / n2) * (M / N) ** 2
    assert variance == pytest.approx(w**2 * first + (1 - w) ** 2 * second, rel=1e-9)


REPS, BANDS, UNITS, POSITIVES, PILOT = 2_000, 100, 5_000, 50, 40
TP, FLAGGED_UNITS = 9_000, 10_000


def two_draws(seed: int) -> tuple[PhasedTally, Tally]:
    """A pilot of 40 labels a band; then 400 more where it saw a positive, 40 where not. With it: both pooled, band by band.

    10,000 flagged units, 9,000 of them positive; 500,000 others in 100 bands, 50 positives in each.
    """
    rng = stream(seed, 5)
    N = np.array([FLAGGED_UNITS] + [UNITS] * BANDS)
    K = np.array([TP] + [POSITIVES] * BANDS)
    k1 = rng.hypergeometric(K, N - K, PILOT, size=(REPS, N.size))
    n2 = np.where(k1 > 0, 400, 40)
    k2 = rng.hypergeometric(K - k1, N - PILOT - K + k1, n2)
    flagged, logit = [1] + [0] * BANDS, [2.0] + [-4.6] * BANDS
    empty = tally_of(flagged, N.tolist(), N.tolist(), K.tolist(), logit=logit)
    pilot = empty.counted(np.full(k1.shape, float(PILOT)), k1.astype(np.float64))
    rest = replace(empty, N=empty.N - PILOT, n=n2.astype(np.float64), k=k2.astype(np.float64))
    return PhasedTally(pilot, rest, 0.25), empty.counted(PILOT + n2.astype(np.float64), (k1 + k2).astype(np.float64))


@pytest.mark.statistics
def test_the_interval_covers_where_the_second_draw_follows_the_first_labels(seed: int) -> None:
    FN = BANDS * POSITIVES
    kinds: tuple[IntervalKind, ...] = ("rec", "strict")
    for interval, name in product(kinds, ("recall", "f1")):
        value = TP / (TP + FN) if name == "recall" else 2 * TP / (FLAGGED_UNITS + TP + FN)
        found = measure(metric_named(name), two_draws(seed)[0], tail=0.025, interval=interval)
        hits = int(((found.low <= value) & (value <= found.high)).sum())
        assert hits >= binom.ppf(1e-6, REPS, 0.94), (interval, name)


@pytest.mark.statistics
def test_pooled_labels_do_not(seed: int) -> None:
    """The twin: the same labels read as one draw, by 1 / (pi1 + pi2), find a quarter of the missed positives too few."""
    phases, pooled = two_draws(seed)
    share = BANDS * POSITIVES / (BANDS * UNITS)
    joined = read_phases(phases).other
    miss = float(joined.p.std() / np.sqrt(REPS))
    assert abs(float(joined.p.mean()) - share) < 5 * miss
    assert float(read_side(pooled.side(flagged=False)).p.mean()) < 0.75 * share
    found = measure(metric_named("recall"), pooled, tail=0.025)
    truth = TP / (TP + BANDS * POSITIVES)
    assert int(((found.low <= truth) & (truth <= found.high)).sum()) < binom.ppf(1e-6, REPS, 0.94)


def test_nothing_is_known_of_a_side_nobody_labeled() -> None:
    pilot, rest = (t.side(flagged=True) for t in (pilot_tally(), rest_tally()))
    found = read_phases(PhasedTally(pilot, rest, W))
    assert np.isnan(found.other.p)
