"""Alarms over a stream: bets are fair whatever is predicted and however units are chosen; the promise is said, kept apart, and checked."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from fewlabels.deciding.alarms import Promise
from fewlabels.deciding.streams import NOT_ASKED, SPREAD, Arrival, StreamAlarm, asking_probability, factors, observe, paid, set_stream_alarm
from fewlabels.errors import GoalError, PlanError
from fewlabels.intervals.anytime import CAP, MISSING
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream

PRECISION = metric_named("precision")


def alarm_of(metric: str = "precision", floor: float = 0.9, promise: Promise = "ever", rate: float = 0.2) -> StreamAlarm:
    return set_stream_alarm(
        metric_named(metric), floor=floor, promise=promise, rate=rate, run_length=None if promise == "ever" else 1_000.0
    )


def one(flagged: bool, guess: float, pi: float, label: int) -> Arrival:
    return Arrival(np.asarray(flagged), np.asarray(guess), np.asarray(pi), np.asarray(label))


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "specificity", "jaccard"])
def test_a_unit_pays_the_mean_of_h_whatever_is_predicted_and_however_it_is_chosen(metric: str) -> None:
    alarm = alarm_of(metric, 0.7)
    for flagged, guess, pi, share in product([True, False], [0.0, 0.3, 1.0], [0.05, 0.4, 1.0], [0.0, 0.2, 0.9]):
        h = [float(paid(alarm, one(flagged, guess, 1.0, y)).Z) for y in (0, 1)]
        unlabeled = float(paid(alarm, one(flagged, guess, pi, NOT_ASKED)).Z)
        labeled = [float(paid(alarm, one(flagged, guess, pi, y)).Z) for y in (0, 1)]
        mean = pi * ((1 - share) * labeled[0] + share * labeled[1]) + (1 - pi) * unlabeled
        assert mean == pytest.approx((1 - share) * h[0] + share * h[1])


def test_the_payoff_of_precision_is_written_out() -> None:
    """h is 0.1 for a true positive and -0.9 for a false one; the guess 0.8 expects -0.1."""
    alarm = alarm_of()
    assert pytest.approx(-0.1 + 0.2 / 0.25) == paid(alarm, one(True, 0.8, 0.25, 1)).Z
    assert pytest.approx(-0.1 - 0.8 / 0.25) == paid(alarm, one(True, 0.8, 0.25, 0)).Z
    assert pytest.approx(-0.1) == paid(alarm, one(True, 0.8, 0.25, NOT_ASKED)).Z
    assert pytest.approx(-0.1 + 0.2 / 0.25) == paid(alarm, one(True, 0.8, 0.25, MISSING)).Z  # as if it were right
    assert paid(alarm, one(False, 0.3, 0.0, NOT_ASKED)).Z == 0  # precision does not count it


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy"])
def test_nobody_can_lose_more_than_the_cap(metric: str) -> None:
    alarm = alarm_of(metric, 0.8)
    rng = stream(5, 1)
    for _ in range(300):
        flagged, guess = bool(rng.random() < 0.5), float(rng.random())
        pi = float(asking_probability(alarm, flagged=np.asarray(flagged), guess=np.asarray(guess)))
        if pi == 0:
            continue
        for label in (0, 1, MISSING, NOT_ASKED):
            kept = factors(alarm, paid(alarm, one(flagged, guess, pi, label)).Z)
            assert (kept >= 1 - CAP - 1e-9).all()
        alarm = observe(alarm, one(flagged, guess, pi, int(rng.integers(0, 2)) if rng.random() < pi else NOT_ASKED))


def test_stakes_know_nothing_of_the_unit() -> None:
    """The twin of predictability: what a unit pays is linear in Z, with a slope that its side, guess and pi do not move."""
    alarm = alarm_of("recall", 0.8)
    slopes = [(1 - factors(alarm, np.asarray(Z))) / Z for Z in (-2.0, -0.1, 0.3, 1.0)]
    for slope in slopes[1:]:
        np.testing.assert_allclose(slope, slopes[0])


def test_units_that_do_not_count_leave_the_stakes_as_they_are() -> None:
    ever, run = alarm_of(), alarm_of(promise="run length")
    assert ever.evidence == 1
    assert run.evidence == 0
    for t in range(1, 8):
        ever, run = (observe(alarm, one(False, 0.5, 0.0, NOT_ASKED)) for alarm in (ever, run))
        assert ever.evidence == pytest.approx(1)
        assert run.evidence == pytest.approx(t)


def test_nothing_breaks_where_nothing_counts_for_long() -> None:
    alarm = alarm_of(promise="run length")
    alarm = replace(alarm, moments=np.zeros(4), units=100_000)
    after = observe(alarm, one(False, 0.5, 0.0, NOT_ASKED))
    assert after.evidence == pytest.approx(1)
    assert np.isfinite(observe(after, one(True, 0.9, 1.0, 0)).evidence)


def test_what_ever_lays_down_is_one_in_all() -> None:
    t = np.arange(1, 2_000_001)
    assert (SPREAD / ((t - 1 + SPREAD) * (t + SPREAD))).sum() == pytest.approx(1 - SPREAD / (t[-1] + SPREAD))


@pytest.mark.parametrize("promise", ["ever", "run length"])
def test_it_rings_when_the_metric_has_fallen_and_keeps_when(promise: Promise) -> None:
    alarm = alarm_of(promise=promise, rate=1.0)
    for t in range(400):
        alarm = observe(alarm, one(True, 0.95, 1.0, int(t % 20 > 0)))
    assert not alarm.has_rung
    for t in range(400):
        alarm = observe(alarm, one(True, 0.95, 1.0, int(t % 3 > 0)))
    rang = int(alarm.rang)
    assert 400 < rang < 600
    for _ in range(50):
        alarm = observe(alarm, one(True, 0.95, 1.0, 1))
    assert alarm.rang == rang
    assert alarm.units == alarm.labels == 850


def test_paths_are_watched_as_one_by_one() -> None:
    rng = stream(5, 2)
    start = set_stream_alarm(metric_named("f1"), floor=0.7, promise="ever", rate=0.5, paths=(3,))
    many, each = start, [set_stream_alarm(metric_named("f1"), floor=0.7, promise="ever", rate=0.5) for _ in range(3)]
    for _ in range(60):
        flagged, guess = rng.random(3) < 0.4, rng.random(3)
        pi = asking_probability(many, flagged=flagged, guess=guess)
        label = np.where(rng.random(3) < pi, rng.integers(0, 2, 3), NOT_ASKED)
        many = observe(many, Arrival(flagged, guess, pi, label))
        for i in range(3):
            alone = asking_probability(each[i], flagged=flagged[i], guess=guess[i])
            assert alone == pytest.approx(pi[i])
            each[i] = observe(each[i], Arrival(flagged[i], guess[i], alone, label[i]))
    np.testing.assert_allclose([one.evidence for one in each], many.evidence)
    assert start.units == 0  # observing makes a new alarm


def test_units_are_asked_about_as_often_as_said_and_uncertain_ones_more_often() -> None:
    rng = stream(5, 3)
    alarm = set_stream_alarm(PRECISION, floor=0.8, promise="ever", rate=0.2, paths=(1_000,))
    flagged = np.ones(1_000, dtype=np.bool_)
    for _ in range(200):
        guess = rng.beta(8, 2, 1_000)
        pi = asking_probability(alarm, flagged=flagged, guess=guess)
        alarm = observe(alarm, Arrival(flagged, guess, pi, np.where(rng.random(1_000) < pi, 1, NOT_ASKED)))
    assert 0.19 < alarm.labels.mean() / 200 < 0.25
    first = [float(asking_probability(alarm, flagged=flagged, guess=np.full(1_000, p))[0]) for p in (0.99, 0.9, 0.6)]
    assert first == sorted(first)
    assert first[0] < 0.2 < first[2]


def test_a_unit_that_could_pay_more_than_the_reach_is_refused() -> None:
    alarm = alarm_of(rate=0.2)
    with pytest.raises(PlanError, match="asking_probability"):
        observe(alarm, one(True, 0.1, 0.01, 1))
    with pytest.raises(PlanError, match="asking_probability"):
        observe(alarm, one(True, 0.9, 0.0, NOT_ASKED))
    with pytest.raises(PlanError, match="at most 1"):
        observe(alarm, one(True, 0.9, 20.0, 1))


def test_the_promise_is_said() -> None:
    ever = set_stream_alarm(PRECISION, floor=0.9, promise="ever", rate=0.1, error=0.01)
    assert "it ever rings with probability at most 0.01" in ever.says
    assert "after 1000 units on average or later" in alarm_of(promise="run length").says


def test_what_cannot_be_promised_is_refused() -> None:
    unknown: Any = "soon"  # a checker of types would refuse what is tested
    with pytest.raises(GoalError, match="ratio of counts"):
        set_stream_alarm(metric_named("mcc"), floor=0.5, promise="ever", rate=0.1)
    with pytest.raises(GoalError, match="higher is better"):
        set_stream_alarm(metric_named("false_omission_rate"), floor=0.5, promise="ever", rate=0.1)
    with pytest.raises(GoalError, match="floor"):
        set_stream_alarm(PRECISION, floor=1.0, promise="ever", rate=0.1)
    with pytest.raises(GoalError, match="error must lie"):
        set_stream_alarm(PRECISION, floor=0.5, promise="ever", rate=0.1, error=0)
    with pytest.raises(GoalError, match="share of units"):
        set_stream_alarm(PRECISION, floor=0.5, promise="ever", rate=0)
    with pytest.raises(GoalError, match="pass a run length in units"):
        set_stream_alarm(PRECISION, floor=0.5, promise="ever", rate=0.1, run_length=20)
    with pytest.raises(GoalError, match="pass a run length in units"):
        set_stream_alarm(PRECISION, floor=0.5, promise="run length", rate=0.1)
    with pytest.raises(GoalError, match="run_length must be greater than 1"):
        set_stream_alarm(PRECISION, floor=0.5, promise="run length", rate=0.1, run_length=1)
    with pytest.raises(GoalError, match="by name"):
        set_stream_alarm(PRECISION, floor=0.5, promise=unknown, rate=0.1)
