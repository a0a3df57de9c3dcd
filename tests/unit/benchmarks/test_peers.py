"""The comparison with other packages: draws, judging, the page; the packages themselves run in `make peers`."""

import math
import os
import sys

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.utils import resample

from benchmarks.peers.cells import Against, Cell, Place, geometric_mean, judge
from benchmarks.peers.draws import ratio_parts
from benchmarks.peers.features import FEATURES, missing_names
from benchmarks.peers.given import METRICS, Estimate, Estimates, Generator, Method, Once, Part, Table
from benchmarks.peers.mechanisms import spent
from benchmarks.peers.methods import scikit_learn, statsmodels, svy
from benchmarks.peers.ours import ALONE, PACKAGE, TOGETHER
from benchmarks.peers.packages import MAPIE, PACKAGES
from benchmarks.peers.page import Found, Way, page
from benchmarks.peers.run import replicates
from benchmarks.peers.strata import neyman_takes, score_strata, square_root_strata

AT = Place("t", "p", "m", "f1", 200)


def made(units: int = 4_000, seed: int = 5) -> Table:
    rng = np.random.default_rng(seed)
    score = rng.beta(0.5, 3.0, units)
    return Table(score, score >= 0.5, rng.random(units) < score)


def test_a_cell_counts_what_failed_and_what_held() -> None:
    found = np.array(
        [
            [0.5, 0.4, 0.6],  # holds
            [0.9, 0.8, 1.1],  # misses below, a limit outside
            [0.5, 0.5, 0.5],  # no width, and holds
            [math.nan, math.nan, math.nan],  # nothing: scored as a guess, a miss
        ]
    )
    cell = judge(AT, 0.5, found, crashed=1, seconds=2.0)
    assert (cell.coverage, cell.below, cell.above) == (0.5, 0.5, 0.75)
    assert (cell.crashed, cell.undefined, cell.outside, cell.zero_width) == (1, 0, 1, 1)
    assert cell.mse == pytest.approx((0.4**2 + 1 / 12) / 4)
    assert cell.milliseconds == 500


def test_a_package_without_an_interval_has_no_coverage() -> None:
    cell = judge(AT, 0.5, np.array([[0.4, math.nan, math.nan]] * 3), crashed=0, seconds=1.0)
    assert math.isnan(cell.coverage)
    assert math.isnan(cell.width)
    assert cell.as_json()["coverage"] is None
    assert cell.as_json()["mse"] == cell.mse


def test_strata_hold_every_unit_once_and_the_takes_are_the_labels() -> None:
    table = made()
    for labels in (50, 200, 1_000):
        strata = score_strata(table, labels)
        assert strata.size.sum() == table.y.size
        assert strata.take.sum() == labels
        assert (strata.take <= strata.size).all()
        assert (strata.take >= np.minimum(2, strata.size)).all()
        drawn = strata.draw(np.random.default_rng(1))
        assert np.unique(drawn).size == labels
        assert np.bincount(strata.of[drawn], minlength=strata.size.size).tolist() == strata.take.tolist()


def test_strata_are_ordered_by_score_and_takes_follow_size_and_deviation() -> None:
    score = made().score
    of = square_root_strata(score)
    assert 5 <= np.unique(of).size <= 10
    assert (np.diff(of[np.argsort(score, kind="stable")]) >= 0).all()
    assert neyman_takes(np.array([1_000, 1_000, 10]), np.array([0.1, 0.3, 0.5]), 400).tolist() == [99, 296, 5]
    assert neyman_takes(np.array([1_000] * 4), np.array([1e-4, 1e-4, 0.3, 0.3]), 100).tolist() == [2, 2, 48, 48]
    assert neyman_takes(np.array([5, 1_000]), np.array([0.5, 1e-6]), 100).tolist() == [5, 95]


def test_strata_read_by_their_sizes_give_the_truth_in_the_mean() -> None:
    """Our own takes and svy's own ratio; with the weights left out, the same draws are far off."""
    table = made()
    truth = 2 * (table.flagged & table.y).sum() / (table.flagged.sum() + table.y.sum())
    [method] = [one for one in svy.METHODS if one.name == "score strata"]
    [part] = [one for one in method.parts if one.metrics == ("f1",)]
    once = part.ready(table, 300)
    values = [once(np.random.default_rng(i))["f1"].value for i in range(60)]
    error = np.std(values) / math.sqrt(60)
    assert abs(np.mean(values) - truth) < 4 * error
    strata, unweighted = score_strata(table, 300), []
    for i in range(60):
        drawn = strata.draw(np.random.default_rng(i))
        above, below = ratio_parts("f1", table.flagged[drawn].astype(float), table.y[drawn].astype(float))
        unweighted.append(above.sum() / below.sum())
    assert abs(np.mean(unweighted) - truth) > 4 * error


def test_a_bootstrap_by_counts_is_one_of_rows() -> None:
    rng = np.random.default_rng(2)
    flagged = rng.random(150) < 0.3
    y = rng.random(150) < np.where(flagged, 0.7, 0.1)
    by_counts = scikit_learn.resampled("f1", flagged, y, rng)
    by_rows = [f1_score(*resample(y, flagged, random_state=i)) for i in range(400)]
    assert np.mean(by_counts) == pytest.approx(np.mean(by_rows), abs=0.01)
    assert np.std(by_counts) == pytest.approx(np.std(by_rows), rel=0.15)


def test_what_a_method_raises_is_counted() -> None:
    def ready(table: Table, labels: int) -> Once:
        def once(rng: Generator) -> Estimates:
            if rng.random() < 0.5:
                raise ValueError("no positives")
            return {"f1": Estimate(0.5, 0.4, 0.6)}

        return once

    def fails(table: Table, labels: int) -> Once:
        raise MemoryError("bins")

    def works(table: Table, labels: int) -> Once:
        return lambda rng: {"precision": Estimate(0.9)}

    task = {"labels": 10, "reps": 40, "seed": 1, "stream": [0]}
    parts = (Part(("f1",), ready), Part(("recall",), fails), Part(("precision",), works))
    found = replicates(Method("half", parts, "none"), made(100), task)
    [(words, times)] = found["raised"]["f1"].items()
    assert words == "ValueError: no positives"
    assert 0 < times < 40
    assert sum(math.isnan(one.value) for one in found["found"]["f1"]) == times
    assert found["raised"]["recall"] == {"MemoryError: bins": 40}
    assert not found["raised"]["precision"]
    assert [one.value for one in found["found"]["precision"]] == [0.9] * 40


def test_packages_that_draw_alike_label_the_same_units() -> None:
    task = {"labels": 100, "reps": 3, "seed": 1, "stream": [0, 100]}
    [simple, _], [boot] = svy.METHODS, scikit_learn.METHODS
    one, two = (replicates(method, made(), task)["found"] for method in (simple, boot))
    for metric in METRICS:
        assert [a.value for a in one[metric]] == pytest.approx([b.value for b in two[metric]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_draw_without_a_positive_has_no_recall() -> None:
    [wilson] = statsmodels.METHODS
    none = Table(np.linspace(0, 1, 400), np.linspace(0, 1, 400) >= 0.5, np.zeros(400, dtype=bool))
    found = {metric: part.ready(none, 50)(np.random.default_rng(0))[metric] for part in wilson.parts for metric in part.metrics}
    assert math.isnan(found["recall"].value)
    assert found["precision"].value == 0.0


def test_features_are_twenty_five_and_every_package_has_some() -> None:
    assert len(FEATURES) == 25
    for package in (*PACKAGES, MAPIE):
        assert any(package.name in entries for entries in FEATURES.values()), package.name
    assert missing_names(PACKAGE, sys.executable, os.environ) == []
    assert all(PACKAGE in entries for asked, entries in FEATURES.items() if asked != "an estimate without labels")


def cell(package: str, method: str, mse: float, metric: str = "f1") -> Cell:
    return Cell("t", package, method, metric, 200, 400, 0.5, mse, 0.05, 0.0, 0.95, 0.97, 0.98, 0.1, 0, 0, 0, 0, 1.0)


def test_the_page_lists_every_cell_in_which_a_package_is_better() -> None:
    cells = [cell(PACKAGE, way, 1.0, metric) for way in (ALONE, TOGETHER) for metric in METRICS]
    cells += [cell("good", "m", 0.5), cell("noise", "m", 0.9), cell("bad", "m", 4.0)]
    ways = [Way(name, "m", "simple", "") for name in ("good", "noise", "bad")]
    found = Found(cells, ways, {PACKAGE: "1"}, {}, None, 42, 400, 1.0, {})
    assert [pair.theirs.package for pair in found.wins()] == ["good"]
    text = page(found, found._replace(cells=[*cells[:6], cell("good", "m", 2.0)], seed=43))
    assert "| good: m | F1 | t | 200 | 2.00 | 9.8 | 0.95 | 1 |" in text
    assert "\n1. not known\n" in text
    assert "\n1. because\n" in page(found._replace(reasons={("good", "m", "f1"): "because"}), None)
    assert "with seed 42 only:\ngood: m, F1, t, 200" in text
    assert "good: m, F1: 2.00 and 0.50" in text
    assert Against(cells[0], cells[-1]).share == geometric_mean([0.25])


def test_what_draws_spend_on_scores_sums_to_the_labels() -> None:
    table = made()
    whole, part = spent(table, "recall", 200, 0.0), spent(table, "recall", 200, 0.1, 0.9)
    assert (whole.all, whole.units, whole.positives) == (4_000, 4_000, int(table.y.sum()))
    assert whole.strata == pytest.approx(200)
    assert whole.ours == pytest.approx(200)
    assert 0 < part.strata < 200
    assert 0 < part.ours < 200
    flagged = spent(table, "precision", 50, 0.0)
    assert (flagged.all, flagged.positives) == (int(table.flagged.sum()), int((table.y & table.flagged).sum()))
    assert flagged.ours == pytest.approx(50)


def test_a_coverage_is_too_low_by_an_exact_test() -> None:
    assert not cell("p", "m", 1.0)._replace(coverage=0.905).is_too_low
    assert cell("p", "m", 1.0)._replace(coverage=0.89).is_too_low
    assert not cell("p", "m", 1.0)._replace(coverage=float("nan")).is_too_low
