"""The interval of a change holds at its level where errors are rare and units come again, and so does a window; Wald's do not."""

import numpy as np
import pytest

from benchmarks.weeks import Both, Period, draw_both, pooled_truth, two_weeks
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.periods import change, window
from fewlabels.estimators.sides import Measured
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream
from tests.statistics.test_coverage import enough_hits

pytestmark = pytest.mark.statistics
REPS = 400
OVER_TIME = 21  # the purpose of the streams below


class Weeks:
    """Two weeks, drawn from again and again for one metric."""

    def __init__(self, metric: str, seed: int, *, labels: int, again: float, share: float, separation: float, odd: bool = False) -> None:
        units = two_weeks(stream(seed, OVER_TIME), share=share, separation=separation, again=again, odd=odd)
        self.metric = metric_named(metric)
        self.before, self.after = (Period(units, which, self.metric, labels) for which in (0, 1))
        self.both: Both = draw_both(self.before, self.after, units=units.y.size, reps=REPS, rng=stream(seed, OVER_TIME, labels))

    def changes(self, interval: IntervalKind = USUAL_INTERVAL) -> Measured:
        return change(self.metric, self.both.before, self.both.after, self.both.shared, tail=0.025, interval=interval)

    def hits(self, interval: IntervalKind = USUAL_INTERVAL) -> int:
        found, truth = self.changes(interval), self.after.truth - self.before.truth
        return int(((found.low <= truth) & (truth <= found.high)).sum())


@pytest.mark.parametrize("again", [0.5, 0.9])
@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_the_interval_of_a_change_covers_in_a_rare_class(metric: str, again: float, seed: int) -> None:
    at = Weeks(metric, seed, labels=200, again=again, share=0.01, separation=3.0)
    assert at.both.shared.n.sum() > 0
    assert at.hits() >= enough_hits(REPS)


def test_walds_interval_of_a_change_does_not(seed: int) -> None:
    assert Weeks("recall", seed, labels=60, again=0.5, share=0.01, separation=3.0).hits("wald") < enough_hits(REPS)


@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_the_interval_of_a_change_covers_where_units_that_come_again_are_unlike_the_others(metric: str, seed: int) -> None:
    at = Weeks(metric, seed, labels=300, again=0.8, share=0.3, separation=1.5, odd=True)
    assert at.hits() >= enough_hits(REPS)


def test_the_standard_error_of_a_change_knows_of_shared_units(seed: int) -> None:
    """The spread over replicates is below what two draws apart would have, and the standard error follows it from above."""
    at = Weeks("f1", seed, labels=300, again=0.9, share=0.1, separation=2.5)
    found, apart = at.changes(), change(at.metric, at.both.before, at.both.after, tail=0.025)
    spread = float(np.std(found.value))
    assert 0.97 * spread < np.sqrt(np.mean(found.standard_error**2)) < 1.3 * spread
    assert np.sqrt(np.mean(apart.standard_error**2)) > 1.3 * spread


def windows(at: Weeks, interval: IntervalKind) -> int:
    """Replicates whose interval of the window of both weeks holds its truth."""
    truth, hits = pooled_truth(at.metric, at.before, at.after), 0
    for n1, k1, n2, k2 in zip(at.both.left.n, at.both.left.k, at.both.after.n, at.both.after.k, strict=True):
        tally = window([at.both.left.counted(n1, k1), at.both.after.counted(n2, k2)])
        found = measure(at.metric, tally, tail=0.025, interval=interval)
        hits += bool(found.low <= truth <= found.high)
    return hits


def test_a_window_that_counts_every_unit_once_covers_and_walds_does_not(seed: int) -> None:
    at = Weeks("recall", seed, labels=60, again=0.5, share=0.01, separation=3.0)
    assert windows(at, USUAL_INTERVAL) >= enough_hits(REPS)
    assert windows(at, "wald") < enough_hits(REPS)


def test_a_window_that_counts_units_twice_does_not_cover(seed: int) -> None:
    """The twin: units that come again left in both weeks, and they are unlike the others."""
    at = Weeks("precision", seed, labels=300, again=0.8, share=0.3, separation=1.5, odd=True)
    truth = pooled_truth(at.metric, at.before, at.after)
    found = measure(at.metric, window([at.both.before, at.both.after]), tail=0.025)
    assert windows(at, USUAL_INTERVAL) >= enough_hits(REPS)
    assert ((found.low <= truth) & (truth <= found.high)).sum() < enough_hits(REPS)
