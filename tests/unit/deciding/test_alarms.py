"""Alarms: a bet is worth at most what it costs as long as the metric is at least the floor, and a promise is kept to the letter."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from fewlabels.deciding.alarms import FALLS, Promise, believed, period_bet, set_alarm, watch
from fewlabels.errors import GoalError
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.randomness import stream

PRECISION = metric_named("precision")


class Case(NamedTuple):
    """A metric, its floor, and the groups of one period."""

    metric: str
    floor: float
    flagged: tuple[bool, ...]
    N: tuple[int, ...]
    n: tuple[int, ...]
    logit: tuple[float, ...]


CASES = (
    Case("precision", 0.5, (True, True, True), (30, 50, 20), (4, 6, 3), (1, -1, 3)),
    Case("precision", 0.95, (True, True), (12, 9), (8, 9), (2, 4)),
    Case("recall", 0.6, (False, True), (60, 30), (9, 5), (-4, 1)),
    Case("f1", 0.6, (False, False, True, True), (90, 20, 12, 15), (6, 4, 3, 5), (-4, -1, 1, 2)),
    Case("accuracy", 0.9, (False, True), (40, 30), (6, 5), (-4, 1)),
)


def every_answer(case: Case) -> Tally:
    """All counts of positives that the period could show, one a replicate."""
    k = np.array(list(product(*(range(n + 1) for n in case.n))), dtype=float)
    flagged, N = np.array(case.flagged), np.array(case.N, dtype=float)
    return Tally(
        flagged=flagged,
        N=N,
        n=np.broadcast_to(np.array(case.n, dtype=float), k.shape),
        k=k,
        logit=np.array(case.logit, dtype=float),
        expected=np.zeros(N.size),
        N1=float(N[flagged].sum()),
        N0=float(N[~flagged].sum()),
    )


def value_at(case: Case, positives: FloatArray) -> float:
    flagged, N = np.array(case.flagged), np.array(case.N)
    A, B = (np.asarray(positives[side].sum(), dtype=float) for side in (flagged, ~flagged))
    return float(metric_named(case.metric).value(Totals.of_sides(A, B, N1=float(N[flagged].sum()), N0=float(N[~flagged].sum()))))


def populations(case: Case, seed: int) -> FloatArray:
    """Positives by group with the metric at least at the floor: corners, and anything between."""
    rng = stream(seed, 31)
    share = rng.beta(0.5, 0.5, size=(1_500, len(case.N)))
    share[:300] = share[:300].round()
    found = np.round(share * np.array(case.N))
    return np.array([K for K in found if value_at(case, K) >= case.floor])


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.metric} {c.floor}")
def test_a_bet_gains_nothing_on_average_while_the_metric_is_at_least_the_floor(case: Case, seed: int) -> None:
    """Of fixed units drawn without replacement, and of units that a process makes with the same shares."""
    tally, kept = every_answer(case), populations(case, seed)
    assert len(kept) > 20
    for fall in FALLS[::2]:
        payoff = np.exp(
            period_bet(metric_named(case.metric), tally, floor=case.floor, fallen=case.floor * (1 - fall), shares=believed(None, tally))
        )
        assert payoff.max() > 1  # it bets at all
        for K in kept[:60]:
            fixed, made = np.ones(len(payoff)), np.ones(len(payoff))
            for g, (N, n) in enumerate(zip(case.N, case.n, strict=True)):
                fixed *= hypergeom.pmf(tally.k[:, g], N, int(K[g]), n)
                made *= binom.pmf(tally.k[:, g], n, K[g] / N)
            assert (fixed * payoff).sum() <= 1 + 1e-9
            assert (made * payoff).sum() <= 1 + 1e-9


def test_a_bet_against_any_other_point_of_the_null_gains_for_nothing(seed: int) -> None:
    """The twin: the likelihood under q over that under shares at the floor that are not the nearest to q."""
    case = CASES[0]
    tally, q = every_answer(case), np.array([0.3, 0.2, 0.6])
    theta = np.array([0.95, 0.3, 0.325])  # sum N theta = 50: precision is 0.5
    assert value_at(case, theta * np.array(case.N)) == pytest.approx(0.5)
    payoff = np.exp((tally.k * np.log(q / theta) + (tally.n - tally.k) * np.log((1 - q) / (1 - theta))).sum(axis=1))
    worst = 0.0
    for K in populations(case, seed)[:200]:
        chance = np.prod(
            [hypergeom.pmf(tally.k[:, g], N, int(K[g]), n) for g, (N, n) in enumerate(zip(case.N, case.n, strict=True))], axis=0
        )
        worst = max(worst, float((chance * payoff).sum()))
    assert worst > 1.5


def one_period(n: float = 20, k: float = 10) -> Tally:
    return Tally(
        flagged=np.array([True, True]),
        N=np.array([50.0, 50.0]),
        n=np.array([n, n]),
        k=np.array([k, k]),
        logit=np.array([-1.0, 1.0]),
        expected=np.array([0.3, 0.7]),
        N1=100.0,
        N0=0.0,
    )


def test_periods_without_labels_leave_the_stakes_as_they_are() -> None:
    ever, run = set_alarm(PRECISION, floor=0.5, promise="ever"), set_alarm(PRECISION, floor=0.5, promise="run length", run_length=50)
    assert ever.evidence == 1
    assert run.evidence == 0
    for t in range(1, 6):
        ever, run = watch(ever, one_period(0, 0)), watch(run, one_period(0, 0))
        assert ever.evidence == pytest.approx(1)  # all that was ever put aside
        assert run.evidence == pytest.approx(t)  # one more stake a period
    assert not ever.has_rung


@pytest.mark.parametrize(("promise", "length"), [("ever", None), ("run length", 40.0)])
def test_an_alarm_rings_when_the_metric_has_fallen_and_keeps_when(promise: Promise, length: float | None) -> None:
    alarm = set_alarm(PRECISION, floor=0.5, promise=promise, run_length=length)
    for k in (12, 11, 12):
        alarm = watch(alarm, one_period(20, k))
    assert not alarm.has_rung
    for _ in range(4):
        alarm = watch(alarm, one_period(20, 4))
    rang = int(alarm.rang)
    assert 4 <= rang <= 7
    for _ in range(3):
        alarm = watch(alarm, one_period(20, 18))
    assert alarm.rang == rang
    assert alarm.periods == 10


def test_replicates_are_watched_as_one_by_one() -> None:
    counts = np.array([[[12.0, 15.0], [3.0, 6.0]], [[10.0, 14.0], [2.0, 9.0]]])  # period, replicate, group
    start = set_alarm(metric_named("precision"), floor=0.6, promise="ever")
    many = start
    for k in counts:
        many = watch(many, one_period().counted(np.full((2, 2), 20.0), k))
    for r in range(2):
        one = start
        for k in counts:
            one = watch(one, one_period().counted(np.full(2, 20.0), k[r]))
        np.testing.assert_allclose(one.evidence, many.evidence[r])
        assert one.rang == many.rang[r]
    assert start.periods == 0  # watching makes a new alarm


def test_a_group_without_labels_may_hold_anything() -> None:
    """Half of the units unlabeled: precision could be 0.5 whatever the other half shows."""
    half = one_period().counted(np.array([40.0, 0.0]), np.array([0.0, 0.0]))
    assert watch(set_alarm(PRECISION, floor=0.5, promise="run length", run_length=9), half).evidence <= 1 + 1e-9
    assert watch(set_alarm(PRECISION, floor=0.55, promise="run length", run_length=9), half).evidence > 1


def test_the_promise_is_said() -> None:
    assert "ever rings with probability at most 0.01" in set_alarm(PRECISION, floor=0.5, promise="ever", error=0.01).says
    assert "after 52 periods on average" in set_alarm(PRECISION, floor=0.5, promise="run length", run_length=52).says


def test_what_cannot_be_promised_is_refused() -> None:
    unknown: Any = "soon"  # a checker of types would refuse what is tested
    with pytest.raises(GoalError, match="ratio of counts"):
        set_alarm(metric_named("mcc"), floor=0.5, promise="ever")
    with pytest.raises(GoalError, match="ratio of counts"):
        set_alarm(metric_named("precision by amount"), floor=0.5, promise="ever")
    with pytest.raises(GoalError, match="floor"):
        set_alarm(PRECISION, floor=1.0, promise="ever")
    with pytest.raises(GoalError, match="pass a run length in periods"):
        set_alarm(PRECISION, floor=0.5, promise="ever", run_length=20)
    with pytest.raises(GoalError, match="pass a run length in periods"):
        set_alarm(PRECISION, floor=0.5, promise="run length")
    with pytest.raises(GoalError, match="run_length must be greater than 1"):
        set_alarm(PRECISION, floor=0.5, promise="run length", run_length=1)
    with pytest.raises(GoalError, match="error must lie"):
        set_alarm(PRECISION, floor=0.5, promise="ever", error=0)
    with pytest.raises(GoalError, match="by name"):
        set_alarm(PRECISION, floor=0.5, promise=unknown)
