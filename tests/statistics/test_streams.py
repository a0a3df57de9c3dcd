"""An alarm over a stream keeps its promise where the metric is exactly at the floor, and finds a fall; two other ways do not."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.streams import ERROR, PROCESSES, Process, alarm_of, flagged_only, watched
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
PATHS, UNITS = 2_000, 1_500
STREAMING = 63  # the purpose of the streams below


def most_false(promised: float) -> int:
    """More false alarms than this come with probability below 1e-6 if the promise is kept."""
    return int(binom.ppf(1 - 1e-6, PATHS, promised))


@pytest.mark.parametrize("at", [0, *(pytest.param(at, marks=pytest.mark.slow) for at in (1, 2, 3)), 6])
@pytest.mark.parametrize("rate", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
def test_an_alarm_that_promises_ever_rings_at_the_floor_no_more_often_than_it_says(at: int, rate: float, seed: int) -> None:
    seen = watched(PROCESSES[at], [alarm_of(PROCESSES[at], "ever", rate, PATHS)], units=UNITS, rng=stream(seed, STREAMING, at))
    assert seen.alarms[0].has_rung.sum() <= most_false(ERROR)


def test_peeking_at_a_wald_bound_and_restarting_do_not_keep_that_promise(seed: int) -> None:
    """The twins: a bound at 5 % looked at with every unit; and bets restarted with every unit, which promise a run length of 20 only."""
    process = PROCESSES[0]
    restarts = alarm_of(process, "run length", 0.3, PATHS, 1 / ERROR)
    seen = watched(process, [restarts], units=UNITS, rng=stream(seed, STREAMING, 11))
    assert (seen.wald > 0).sum() > most_false(ERROR)
    assert seen.alarms[0].has_rung.sum() > most_false(ERROR)


def test_an_alarm_that_promises_a_run_length_keeps_it(seed: int) -> None:
    """At the floor the promise is nearly tight: the twin, an alarm of half that run length, breaks it."""
    process, length = PROCESSES[0], 300.0
    alarms = [alarm_of(process, "run length", 0.3, PATHS, promised) for promised in (length, length / 2)]
    whole, half = watched(process, alarms, units=UNITS, rng=stream(seed, STREAMING, 12)).alarms
    for T in (15, 75, 150):
        assert ((whole.rang > 0) & (whole.rang <= T)).sum() <= most_false(T / length)
    run, short = (np.where(rang > 0, rang, UNITS) for rang in (whole.rang, half.rang))  # cut off at the last unit: less than the true mean
    assert run.mean() + 5 * run.std() / np.sqrt(PATHS) >= length
    assert short.mean() + 5 * short.std() / np.sqrt(PATHS) < length


@pytest.mark.parametrize(("length", "soon"), [pytest.param(None, 450, marks=pytest.mark.slow), (10_000.0, 400)])
def test_a_fall_is_found(length: float | None, soon: int, seed: int) -> None:
    """Precision falls from 0.95 to 0.7 after 500 units, floor 0.9, three in ten labeled: nine of ten ring within so many units."""
    process = Process("falls", "precision", 0.9, flagged_only(0.95, np.asarray, fall=(500, 0.7)))
    start = alarm_of(process, "ever" if length is None else "run length", 0.3, PATHS, length)
    (alarm,) = watched(process, [start], units=UNITS, rng=stream(seed, STREAMING, 13)).alarms
    waited = np.where(alarm.rang > 500, alarm.rang - 500, UNITS)[(alarm.rang == 0) | (alarm.rang > 500)]
    assert np.quantile(waited, 0.9) <= soon
