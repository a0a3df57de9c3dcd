"""The papers, made again: samplers and rules against what is known of them; the page is made by `make papers`."""

import numpy as np
import pytest

from benchmarks import baseline_ratio
from benchmarks.baselines import Judged
from benchmarks.papers.labels_figures import Joint, macro, micro
from benchmarks.papers.labels_figures import deviations as joint_deviations
from benchmarks.papers.online import Bins, oracle, shares_of, until_narrow
from benchmarks.papers.page import page
from benchmarks.papers.rows import Row
from benchmarks.papers.sampled import METRICS, bernoulli, deviations, draw, read, truth_of


def units(count: int = 3_000, seed: int = 3) -> Judged:
    rng = np.random.default_rng(seed)
    score = rng.beta(0.5, 2.0, count)
    return Judged(score, score >= 0.5, rng.random(count) < score)


def test_the_deviation_of_f1_is_that_of_the_comparison_with_other_methods() -> None:
    made = units()
    assert deviations(made, "f1") == pytest.approx(baseline_ratio.deviations(made))


@pytest.mark.parametrize("way", ["uniform", "importance", "bernoulli"])
def test_every_way_is_right_in_the_mean_and_its_limits_hold(way: str) -> None:
    made = units()
    sums = draw(way, made, "f1", labels=600, reps=400, rng=np.random.default_rng(7))
    for metric in METRICS:
        found, truth = read(sums, metric), truth_of(made, metric)
        assert abs(found.value.mean() - truth) < 5 * found.value.std() / 20 + 0.004
        assert 0.80 < found.covered(truth).mean() <= 1.0
    halved = sums._replace(square=sums.square / 16)  # a twin whose errors are a quarter as large
    assert read(halved, "f1").covered(truth_of(made, "f1")).mean() < 0.75


def test_all_units_give_the_exact_metric() -> None:
    made = units(500)
    sums = bernoulli(made, np.ones(500), reps=2, rng=np.random.default_rng(0))
    for metric in METRICS:
        assert read(sums, metric).value == pytest.approx(truth_of(made, metric))


def test_draws_go_on_until_the_interval_is_narrow() -> None:
    """About the number that the normal interval needs; the truth is inside a little less often than claimed, as the paper's 0.93."""
    bins = Bins(np.array([500, 500, 500, 500]), np.array([450, 400, 300, 200]))
    ended = until_narrow(bins, "perc opt", rho=0.02, reps=600, rng=np.random.default_rng(1))
    assert ended.labels.mean() == pytest.approx(oracle(bins, "perc opt", 0.02), rel=0.03)
    assert 0.91 < ended.held.mean() < 0.97
    assert oracle(bins, "perc uni", 0.02) == oracle(bins, "perc opt", 0.02)  # it knows the best allocation to the strata
    early = until_narrow(bins, "perc opt", rho=0.04, reps=600, rng=np.random.default_rng(1))
    assert early.labels.mean() < 0.35 * ended.labels.mean()


def test_shares_of_a_round() -> None:
    N, p = np.array([100, 300]), np.array([[0.5, 0.1]])
    assert shares_of("equal uni", N, p) == pytest.approx(np.array([[0.5, 0.5]]))
    assert shares_of("perc pps", N, p) == pytest.approx(np.array([[0.25, 0.75]]))
    assert shares_of("perc opt", N, p) == pytest.approx(np.array([[50 / 140, 90 / 140]]))


def test_micro_of_one_label_is_f1_and_its_deviation_that_of_f1() -> None:
    made = units(800)
    d, y = (column.astype(float)[:, None] for column in (made.flagged, made.y))
    counts = [(part).sum(0) for part in (d * y, d * (1 - y), (1 - d) * y)]
    assert micro(*counts) == pytest.approx(truth_of(made, "f1"))
    assert macro(*counts) == pytest.approx(truth_of(made, "f1"))
    joint, single = joint_deviations(Joint(made.score[:, None], d, y), "micro"), deviations(made, "f1")
    assert joint / joint.sum() == pytest.approx(single / single.sum(), rel=0.02)


def test_the_page_counts_what_was_made_again_and_names_what_changed() -> None:
    rows = [Row("A", "Table 1", "reproduced", "1", "1"), Row("A", "Fig. 1", "not reproducible", "a drawing", "", "no result")]
    again = [rows[0]._replace(ours="2"), rows[1]]
    text = page(rows, again, seed=42, reps=10, again_seed=43)
    assert "1 of 2 are made again, 1 of them in whole" in text
    assert "- A, Table 1: 2." in text
    assert "- A, Fig. 1" not in text
