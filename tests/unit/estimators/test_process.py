"""Numbers about units like these: pairs counted without bias, the variance of a census by hand, and where there is no interval."""

from itertools import combinations, product

import numpy as np
import pytest

from fewlabels.estimators.comparing import compare, difference, paired_units
from fewlabels.estimators.effective import effective_n
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.measuring import clusters_behind, measure
from fewlabels.estimators.process import ASSUMED, TOO_FEW, Labeled, chance_of, pairs_of, types_of, units_at
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.process import Clusters, Process
from fewlabels.nouns.tally import PairTally, Tally
from fewlabels.randomness import stream
from fewlabels.study.state.tallies import Clustered

CLUSTER = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
BAND = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])  # flagged, then not
Y = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0], dtype=np.bool_)
FLAGGED = BAND == 0
WEIGHT = np.array([1.0, 2, 1, 3, 1, 1, 2, 1, 1])


def census_of(flagged: list[int], positive: list[int], process: Process | None) -> Tally:
    """Two bands, one a side, all units labeled."""
    N = np.array(flagged, dtype=np.float64)
    return Tally(
        flagged=np.array([True, False]), N=N, n=N, k=np.array(positive, dtype=np.float64), logit=np.array([1.0, -1.0]),
        expected=np.array([0.7, 0.3]), N1=float(N[0]), N0=float(N[1]), process=process,
    )  # fmt: skip


def exact_pairs(weight: FloatArray) -> FloatArray:
    """Ordered pairs of different units of one cluster, by type, by hand."""
    found = np.zeros((4, 4))
    kinds = types_of(FLAGGED, Y)
    for i, j in product(range(Y.size), repeat=2):
        if i != j and CLUSTER[i] == CLUSTER[j]:
            found[kinds[i], kinds[j]] += weight[i] * weight[j]
    return found


@pytest.mark.parametrize("weight", [np.ones(Y.size), WEIGHT], ids=["units", "weights"])
def test_pairs_are_counted_without_bias(weight: FloatArray) -> None:
    """The mean over every draw of three of five and two of four units is exactly the number of pairs."""
    each = []
    for one, zero in product(combinations(range(5), 3), combinations(range(5, 9), 2)):
        rows = np.array([*one, *zero])
        labeled = Labeled(CLUSTER[rows], BAND[rows], types_of(FLAGGED[rows], Y[rows]), weight[rows])
        each.append(pairs_of(labeled, N=np.array([5.0, 4.0]), n=np.array([3.0, 2.0])))
    np.testing.assert_allclose(np.mean(each, axis=0), exact_pairs(weight), atol=1e-12)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_the_chance_of_a_census_is_that_of_its_clusters(name: str) -> None:
    """C = sum over clusters of (sum of u)^2, and what a unit adds sums to nothing over the table."""
    metric, process = METRICS[name], Process(Clusters(3, 4, 29 / 9), exact_pairs(np.ones(Y.size)))
    tally = census_of([5, 4], [3, 1], process)
    units = units_at(metric, tally, np.array(0.6), np.array(0.25))
    u = units.u[types_of(FLAGGED, Y)]
    assert float(u.sum()) == pytest.approx(0, abs=1e-12)
    by_cluster = np.bincount(CLUSTER, weights=u)
    found = chance_of(units, process)
    assert float(found.v) == pytest.approx(max((by_cluster**2).sum(), (u**2).sum()))
    d = np.bincount(CLUSTER, weights=units.d[types_of(FLAGGED, Y)])
    assert float(found.clusters) == pytest.approx(
        min(d.sum() ** 2 / (d**2).sum(), d.sum() ** 2 / (units.d[types_of(FLAGGED, Y)] ** 2).sum())
    )


def test_clusters_of_one_unit_are_none() -> None:
    alone = Process(Clusters(600, 1, 1.0), np.zeros((4, 4)))
    for name in ("recall", "precision", "f1", "mcc"):
        told = (measure(METRICS[name], census_of([200, 400], [170, 12], process), tail=0.025) for process in (alone, Process()))
        one, other = told
        assert (float(one.low), float(one.high)) == pytest.approx((float(other.low), float(other.high)))


@pytest.mark.parametrize("interval", ["placed", "strict", "rec", "wald", "beta"])
@pytest.mark.parametrize("tail", [0.025, 0.05])
def test_the_table_is_exact_and_the_process_is_not(interval: str, tail: float) -> None:
    """A census: a point about its units, an ordinary interval about units like them, and nearly the binomial one."""
    recall = METRICS["recall"]
    table, process = (measure(recall, census_of([200, 400], [170, 10], p), tail=tail, interval=interval) for p in (None, Process()))
    assert float(table.high - table.low) < 1e-9
    assert float(process.value) == float(table.value)
    apart = float(process.high - process.low) / (2 * -_z(tail) * np.sqrt(170 * 10 / 180**3))
    assert 0.95 < apart < 1.2
    assert float(process.standard_error) == pytest.approx(np.sqrt(170 * 10 / 180**3))


def _z(tail: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(tail))


def test_where_hardly_a_cluster_carries_it_there_is_no_interval() -> None:
    """Recall rests on positives: nine clusters with all of them are too few, twelve are enough."""
    for clusters in (9, 12):
        positives = 20 * clusters
        pairs = np.zeros((4, 4))
        pairs[0, 0], pairs[2, 2], pairs[0, 2], pairs[2, 0] = 18 * 17 * clusters, 2 * clusters, 36 * clusters, 36 * clusters
        process = Process(Clusters(100, 40, 25.0), pairs)
        tally = census_of([positives + 50, 2_000], [18 * clusters, 2 * clusters], process)
        found = measure(METRICS["recall"], tally, tail=0.025)
        assert clusters_behind(METRICS["recall"], tally) == pytest.approx(clusters)
        assert ((float(found.low), float(found.high)) == (0, 1)) == (clusters < TOO_FEW)


def test_no_error_in_few_clusters_says_as_much_as_the_clusters() -> None:
    """100 positives, none missed: about 3 / 100 if each stands for itself, about 3 / 20 in 20 clusters of five."""
    pairs = np.zeros((4, 4))
    pairs[0, 0] = 20 * 5 * 4
    tallies = (census_of([100, 900], [100, 0], process) for process in (Process(), Process(Clusters(20, 50, 50.0), pairs)))
    alone, together = (1 - float(measure(METRICS["recall"], tally, tail=0.05).low) for tally in tallies)
    assert 0.025 < alone < 0.05
    assert 0.1 < together < 0.2


def test_before_there_are_labels_a_correlation_is_assumed() -> None:
    alike = 25.0
    plain, assumed = (
        chance_of(units_at(METRICS["accuracy"], census_of([200, 400], [170, 12], p), np.array(0.85), np.array(0.03)), p)
        for p in (Process(), Process(Clusters(100, 40, alike)))
    )
    assert float(assumed.v / plain.v) == pytest.approx(1 + ASSUMED * (alike - 1))
    assert float(assumed.clusters) == pytest.approx(600 / alike)


def test_effective_n_counts_clusters() -> None:
    """A census of 600 is at most 600 draws from the process, and fewer where units are alike."""
    accuracy, counts = METRICS["accuracy"], ([200, 400], [170, 12])
    found = []
    for process in (Process(), Process(Clusters(60, 10, 10.0), np.outer([1, 1, 1, 1], [1, 1, 1, 1]) * 300.0)):
        tally = census_of(*counts, process)
        measured = measure(accuracy, tally, tail=0.025)
        found.append(effective_n(accuracy, tally, measured, tail=0.025))
    assert found[0] is not None
    assert found[1] is not None
    assert found[1] <= found[0] <= 600


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "accuracy"])
def test_a_difference_changes_with_a_unit_as_its_part_says(name: str) -> None:
    """Against numeric differentiation; and about the process it has a width where the table has none."""
    rng = stream(42, 7)
    size = np.array([500.0, 80.0, 60.0, 120.0])
    positive = [np.array(float(x)) for x in (12, 30, 25, 100)]
    base = Tally(
        flagged=np.array([False, False, True, True]), N=size, n=size, k=np.array(positive), logit=rng.normal(size=4),
        expected=np.full(4, 0.5), N1=180.0, N0=580.0, process=Process(),
    )  # fmt: skip
    pair = PairTally(base, np.arange(4), size)
    units, metric = paired_units(METRICS[name], positive, pair), METRICS[name]
    step = 1e-4
    for c in range(4):
        more_yes, more_no = [*positive], size.copy()
        more_yes[c] = positive[c] + step
        more_no[c] = size[c] + step
        base_value = float(difference(metric, positive, size))
        assert float(units.u[2 * c]) == pytest.approx((float(difference(metric, more_yes, more_no)) - base_value) / step, abs=1e-6)
        assert float(units.u[2 * c + 1]) == pytest.approx((float(difference(metric, positive, more_no)) - base_value) / step, abs=1e-6)
    found, exact = compare(metric, pair, tail=0.025), compare(metric, PairTally(_about_table(base), pair.cell, size), tail=0.025)
    assert float(exact.high - exact.low) < 1e-9
    assert float(found.low) < float(exact.low) < float(found.high)


def _about_table(tally: Tally) -> Tally:
    from dataclasses import replace

    return replace(tally, process=None)


@pytest.mark.parametrize("name", ["precision", "recall", "specificity", "f1", "accuracy", "prevalence"])
def test_a_table_whose_units_are_all_labeled_is_a_simple_draw_of_its_units(name: str) -> None:
    """Also of the share that is flagged, which no simple draw from a process knows."""
    metric, tally = METRICS[name], census_of([200, 800], [170, 40], Process())
    found = effective_n(metric, tally, measure(metric, tally, tail=0.025), tail=0.025)
    needed = 200 * metric.needs_flagged + 800 * metric.needs_unflagged
    assert found == pytest.approx(needed, rel=0.01)


def test_too_few_clusters_leave_no_value_and_say_so() -> None:
    pairs = np.zeros((4, 4))
    pairs[0, 0] = 100 * 19
    few = census_of([100, 900], [100, 0], Process(Clusters(50, 20, 20.0), pairs))
    found = estimate(METRICS["recall"], few, classifier="c", level=0.95, planned=True)
    assert (found.value, found.n_eff, found.low, found.high) == (None, None, 0, 1)
    assert found.why is not None
    assert "5 clusters' worth of units carry it" in found.why


def test_an_estimate_says_of_no_more_clusters_than_there_are() -> None:
    pairs = np.zeros((4, 4))
    few = census_of([100, 900], [100, 0], Process(Clusters(12, 90, 85.0), pairs))
    assert clusters_behind(METRICS["recall"], few) == 12


@pytest.mark.parametrize("part", ["everything", "a slice"])
def test_pairs_of_a_part_of_the_table_are_those_of_the_part(part: str) -> None:
    """200 clusters of five in bands by score, a slice that cuts bands across: on average as many pairs as there are."""
    rng = stream(42, 11)
    cluster, score = np.repeat(np.arange(200), 5), rng.random(1_000)
    band, y = (score * 20).astype(np.int64), rng.random(1_000) < score
    mine = np.ones(1_000, dtype=np.bool_) if part == "everything" else cluster % 10 == 0
    kinds, N = types_of(score > 0.5, y), np.bincount(band)
    sizes = np.bincount(cluster[mine])
    found = []
    for _ in range(400):
        drawn = np.concatenate([rng.choice(np.flatnonzero(band == h), 8, replace=False) for h in range(20)])
        of, inside = Clustered(cluster[drawn], band[drawn], N), mine[drawn]
        found.append(of.pairs(np.ones(drawn.size, dtype=np.bool_), inside, kinds[drawn][inside], np.ones(inside.sum())).sum())
    truth = (sizes * (sizes - 1)).sum()
    assert np.mean(found) == pytest.approx(truth, abs=5 * np.std(found) / 20)
