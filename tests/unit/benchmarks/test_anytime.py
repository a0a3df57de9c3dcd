"""The running band's study: its populations, its references, the rules it compares with, and its store."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.anytime_labelers import LABELERS, LARGEST_BATCH, Losing, Office, work
from benchmarks.anytime_made import RATIO, banded, contested, f1_contest, plain, precision, ratio_of, tailed
from benchmarks.anytime_page import page
from benchmarks.anytime_paths import DECISION, Paths, decided, drawn, verdicts
from benchmarks.anytime_rules import (
    Counts,
    best_half_width,
    decide,
    first_of,
    fixed_for_decision,
    fixed_for_width,
    fixed_half_width,
    wald,
    wilson,
)
from benchmarks.anytime_store import Row, Store
from benchmarks.anytime_widths import Widths, fine_grid, limits, stops
from fewlabels.intervals.anytime import MISSING, band_of
from fewlabels.randomness import stream


def test_populations_are_what_they_say() -> None:
    for truth in (0.95, 0.9, 0.88):
        at = precision(truth)
        assert at.truth == truth
        assert ratio_of(1 - at.positives / at.N) == pytest.approx(RATIO, abs=0.005)
    assert plain(0.99).truth == 0.99
    assert contested(0.6).sums()[0] == 600  # right less wrong
    assert tailed("recall").size == 100_000


def test_scores_reversed_keep_the_truth() -> None:
    straight, turned = precision(0.95), precision(0.95, reversed_=True)
    np.testing.assert_array_equal(straight.positives, turned.positives)
    np.testing.assert_array_equal(straight.prior, turned.prior[::-1])


def test_a_table_is_banded_without_losing_a_unit() -> None:
    rng = stream(1, 1)
    score = rng.random(5_000)
    y = rng.random(5_000) < score
    for metric, frame in (("precision", (score >= 0.5).sum()), ("f1", 5_000)):
        at = banded("", y, score, score >= 0.5, metric)
        assert at.size == frame
        assert at.rare == (metric == "f1")
    tp, fp, fn = (int(x.sum()) for x in (y & (score >= 0.5), ~y & (score >= 0.5), y & (score < 0.5)))
    assert at.truth == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_fixed_sizes_reach_what_they_are_for() -> None:
    for half_width in (0.05, 0.01):
        n = fixed_for_width(0.95, half_width, 10_000)
        assert fixed_half_width(0.95, n, 10_000) == pytest.approx(half_width)
    assert fixed_for_decision(0.95, 0.9, 1e12) == pytest.approx(238.9, abs=0.1)
    at = plain(0.95)
    assert best_half_width(at, 500) == pytest.approx(fixed_half_width(0.95, 500, 10_000))


def test_a_path_draws_every_unit_once() -> None:
    at = precision(0.9, N=200, batch=7)
    state = Paths(at, 3)
    count = sum(1 for _ in drawn(state, T=10_000, rng=stream(2, 1)))
    assert count == 200
    np.testing.assert_array_equal(state.positives, np.tile(at.positives, (3, 1)))
    np.testing.assert_array_equal(state.left, 0)


def test_many_labelers_lose_no_label() -> None:
    at = precision(0.9, N=500)
    office = Office(at, 4, Losing(0.2, 0.1, attempts=2), stream(2, 2))
    steps = list(work(office, 400))
    assert len(steps) == len(office.asked) == 400
    said = np.stack([step.label for step in steps])
    assert ((said == MISSING).sum(axis=0) == office.missing.sum(axis=1)).all()
    assert ((said == 1).sum(axis=0) == office.positives.sum(axis=1)).all()
    heard = office.known.sum(axis=(0, 2))
    assert (heard <= 400 - office.missing.sum(axis=1)).all()
    assert (heard >= 400 - LABELERS * LARGEST_BATCH).all()
    ahead = [step.positives.sum() + step.negatives.sum() for step in steps]
    assert ahead == sorted(ahead)  # bets are made in the order asked


def test_the_side_with_more_evidence_is_the_answer() -> None:
    best = np.array([[[DECISION + 1, 0.0]], [[0.0, DECISION]], [[1.0, 1.0]], [[DECISION, DECISION + 1]]])
    assert verdicts(best).tolist() == [1, -1, 0, -1]


def test_easy_questions_are_decided_rightly_and_soon() -> None:
    found = decided(precision(0.99), 0.7, paths=40, T=500, rng=stream(2, 3))
    assert (found.answer == 1).all()
    assert found.labels.max() < 100
    other = decided(contested(0.2), 0.0, paths=40, T=500, rng=stream(2, 4))
    assert (other.answer == -1).sum() >= 39


def test_f1_of_equal_flags_is_decided_by_positives() -> None:
    assert f1_contest((700, 397), (700, 303)).sums()[0] == 2 * 94


def test_twice_in_a_row_needs_two_looks() -> None:
    holds = np.array([[True, False, True, True], [False, False, False, False], [True, True, False, False]])
    assert first_of(holds, twice=False).tolist() == [0, -1, 0]
    assert first_of(holds, twice=True).tolist() == [3, -1, 1]


def test_rules_read_both_sides() -> None:
    n = np.array([[[100.0], [400.0]], [[100.0], [400.0]]])
    at = Counts(n, n * np.array([0.99, 0.6])[:, None, None], np.array([10_000.0]))
    for rule in (wald, wilson):
        found = decide(rule, at, 0.9, twice=False)
        assert found.answer.tolist() == [1, -1]
        assert found.labels.tolist() == [100, 100]


def test_limits_by_lines_lie_inside_those_of_the_grid() -> None:
    m = fine_grid(0.9)
    height = 1e4 * (m - 0.91) ** 2
    best = np.stack([height, np.zeros(m.size)], axis=-1)[None]
    low, high = limits(best, m)
    band = band_of(best, m, tail=0.025)
    assert band.low[0] <= low[0] <= 0.91 <= high[0] <= band.high[0]
    assert high[0] - low[0] == pytest.approx(2 * np.sqrt(np.log(40) / 1e4), rel=0.03)


def test_an_empty_band_has_stopped_and_missed() -> None:
    found = Widths(
        np.array([[0.2, np.nan], [0.2, 0.04], [0.2, 0.1]]),
        np.array([[False, True], [False, False], [False, False]]),
        np.array([10.0, 20.0]),
    )
    at = stops(found, 0.05)
    assert at.labels.tolist() == [20, 20, 20]
    assert at.missed.tolist() == [True, False, False]
    assert at.unfinished == 1


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    made = []

    def row(name: str) -> Row:
        made.append(name)
        return {"paths": 100, "labels": 8_000, "yes": 3, "no": 4}

    def store() -> Store:
        return Store(tmp_path / "rows.jsonl", paths=100, seed=1)

    store().fill("thresholds", [("simple draw", lambda: row("a"))])
    again = store()
    again.fill("thresholds", [("simple draw", lambda: row("a")), ("adaptive", lambda: row("b"))])
    assert made == ["a", "b"]
    assert list(store().section("thresholds")) == ["simple draw", "adaptive"]
    assert Store(tmp_path / "rows.jsonl", paths=100, seed=2).section("thresholds") == {}
    text = page(again, reps=100, seed=1)
    assert "| adaptive | 100 | 0.0300 |" in text
    assert "Fifty labelers" not in text
