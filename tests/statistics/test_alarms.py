"""An alarm keeps its promise where the metric is exactly at the floor, and rings soon after it falls; a test every period does neither."""

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.deciding.alarms import Alarm, Promise, set_alarm, watch
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
REPS, PERIODS = 600, 20
RINGING = 22  # the purpose of the streams below
FLAGGED, LIKELY = np.array([True] * 4), np.array([0.35, 0.55, 0.75, 0.95])
N, TAKE = np.array([30.0, 30.0, 30.0, 30.0]), np.array([12.0, 12.0, 12.0, 12.0])
FLOOR = 0.65  # the mean of the shares above: precision is exactly at the floor


def period(share: FloatArray, rng: np.random.Generator, *, process: bool) -> Tally:
    """A period's labels: of units that a process makes, or of fixed units with these shares, rounded up and so not below the floor."""
    if process:
        k = rng.binomial(TAKE.astype(int), share, size=(REPS, 4))
    else:
        K = np.ceil(share * N).astype(int)
        k = rng.hypergeometric(K, N.astype(int) - K, TAKE.astype(int), size=(REPS, 4))
    guide = np.array([0.2, 0.6, 0.7, 0.99])  # not quite right
    logit = np.log(guide / (1 - guide))
    return Tally(
        flagged=FLAGGED, N=N, n=np.broadcast_to(TAKE, k.shape), k=k.astype(float), logit=logit, expected=guide, N1=float(N.sum()), N0=0.0
    )


def watched(alarm: Alarm, seed: int, *, process: bool, falls: float = 0.0, after: int = PERIODS) -> tuple[Alarm, IntArray]:
    """The alarm after all periods, and when Wald's test of every period would first have rung."""
    rng = stream(seed, RINGING, int(process), after)
    wald = np.zeros(REPS, dtype=np.int64)
    for t in range(1, PERIODS + 1):
        tally = period(LIKELY - falls * (t > after), rng, process=process)
        alarm = watch(alarm, tally)
        wald[(measure(alarm.metric, tally, tail=0.05, interval="wald").high < alarm.floor) & (wald == 0)] = t
    return alarm, wald


def most_false(promised: float) -> int:
    """More false alarms than this come with probability below 1e-6 if the promise is kept."""
    return int(binom.ppf(1 - 1e-6, REPS, promised))


@pytest.mark.parametrize("process", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_alarm_that_promises_ever_rings_at_the_floor_no_more_often_than_it_says(process: bool, seed: int) -> None:
    alarm, wald = watched(set_alarm(metric_named("precision"), floor=FLOOR, promise="ever"), seed, process=process)
    assert alarm.has_rung.sum() <= most_false(0.05)
    assert (wald > 0).sum() > most_false(0.05)  # the twin: a test at 5 % in every period


def test_an_alarm_that_promises_a_run_length_keeps_it(seed: int) -> None:
    alarm, wald = watched(set_alarm(metric_named("precision"), floor=FLOOR, promise="run length", run_length=8), seed, process=True)
    for T in (1, 2, 4):
        assert ((alarm.rang > 0) & (alarm.rang <= T)).sum() <= most_false(T / 8)
    run, naive = (np.where(rang > 0, rang, PERIODS) for rang in (alarm.rang, wald))  # cut off at the last: less than the true mean
    assert run.mean() > 8
    assert naive.mean() < run.mean() - 6 * naive.std() / np.sqrt(REPS)  # a test every period rings sooner for nothing


@pytest.mark.parametrize(("promise", "length", "soon"), [pytest.param("ever", None, 10, marks=pytest.mark.slow), ("run length", 40.0, 5)])
def test_a_fall_is_found(promise: Promise, length: float | None, soon: int, seed: int) -> None:
    """Precision falls from 0.65 to 0.50 after eight periods of 48 labels, floor 0.62: nine of ten ring within so many periods."""
    start = set_alarm(metric_named("precision"), floor=0.62, promise=promise, run_length=length)
    alarm, _ = watched(start, seed, process=True, falls=0.15, after=8)
    waited = np.where(alarm.rang > 8, alarm.rang - 8, PERIODS)[(alarm.rang == 0) | (alarm.rang > 8)]
    assert np.quantile(waited, 0.9) <= soon
