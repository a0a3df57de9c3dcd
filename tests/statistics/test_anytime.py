"""The running band holds the truth at every look; Wald's interval at every look, a bound that is not strict and dropped answers do not."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.anytime_labelers import dropped_row, office_row, ways
from benchmarks.anytime_made import plain, precision, tailed
from benchmarks.anytime_paths import BAND, DECISION, Setting, highest
from benchmarks.anytime_rules import ever_missed, simple_counts, wald
from fewlabels.intervals import anytime
from fewlabels.intervals.anytime import SLACK
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
RUNNING = 33  # the purpose of the streams below
PATHS = 600
FALSE_ALARM = 1e-6


def most(promised: float, paths: int = PATHS) -> int:
    """More than so many come with probability below 1e-6 if the promise is kept."""
    return int(binom.ppf(1 - FALSE_ALARM, paths, promised))


def missed(at: Setting, seed: int, *, T: int, which: int) -> int:
    best = highest(at, np.array([at.truth]), paths=PATHS, T=T, rng=stream(seed, RUNNING, which))
    return int((best >= BAND).any(axis=(1, 2)).sum())


@pytest.mark.parametrize(
    ("which", "at"),
    [
        (0, plain(0.95)),
        (1, precision(0.95)),
        (2, precision(0.95, even=0.1, batch=50, reversed_=True)),
        (3, tailed("recall")),
        (4, tailed("f1", even=0.1)),
    ],
    ids=lambda x: x.name if isinstance(x, Setting) else str(x),
)
def test_the_band_holds_the_truth_at_every_look(which: int, at: Setting, seed: int) -> None:
    assert missed(at, seed, T=400, which=which) <= most(0.05)


def test_walds_interval_at_every_look_does_not(seed: int) -> None:
    counts = simple_counts(0.95, 10_000, T=400, paths=PATHS, rng=stream(seed, RUNNING, 10), every=1)
    assert ever_missed(wald, counts, 0.95).sum() > most(0.05)


def test_to_the_last_unit(seed: int) -> None:
    assert missed(precision(0.95, N=500, even=0.1, batch=5), seed, T=500, which=20) <= most(0.05)


def test_to_the_last_unit_with_a_bound_that_is_not_strict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a sum that may be exactly 0 would refute."""
    monkeypatch.setattr(anytime, "SLACK", -SLACK)
    assert missed(precision(0.95, N=500, even=0.1, batch=5), seed, T=500, which=21) > most(0.05)


def test_a_truth_at_the_target_is_seldom_decided(seed: int) -> None:
    best = highest(precision(0.9), np.array([0.9]), paths=PATHS, T=600, rng=stream(seed, RUNNING, 30))
    assert ((best[:, 0] >= DECISION).sum(axis=0) <= most(0.05)).all()


def test_many_labelers_and_lost_answers_keep_the_band_true(seed: int) -> None:
    row = office_row(ways()["5 % never come, errors four times as often"], paths=PATHS, rng=stream(seed, RUNNING, 40), labels=500)
    assert isinstance(row["missed"], int)
    assert row["missed"] <= most(0.05)


@pytest.mark.slow
def test_answers_left_out_do_not(seed: int) -> None:
    row = dropped_row(paths=PATHS, rng=stream(seed, RUNNING, 41))
    assert isinstance(row["missed"], int)
    assert row["missed"] > most(0.05)
