"""Does the guide predict as it claims? Exact where it can be, simulated where it cannot."""

from itertools import product
from math import prod

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import binom

from fewlabels.estimators.calibration import FALSE_ALARM, _is_near, check_guide, two_sided_p
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.randomness import stream
from tests.identities.made import EPS

CLAIMS = np.array([0.02, 0.1, 0.1, 0.3, 0.5, 0.5, 0.8, 0.97])
REPS = 1_000
PARTS = 6


def enumerated_pmf(claims: FloatArray) -> FloatArray:
    """The distribution of the sum, one outcome of all units after the other."""
    pmf = np.zeros(claims.size + 1)
    for outcome in product((0, 1), repeat=claims.size):
        pmf[sum(outcome)] += prod(s if y else 1 - s for s, y in zip(claims.tolist(), outcome, strict=True))
    return pmf


def study(rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """240 labeled units: claims on eight levels, flagged from 1/2 on."""
    guide = rng.choice([0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.98], 240)
    return guide, guide >= 0.5


@pytest.mark.parametrize("k", range(CLAIMS.size + 1))
def test_the_p_value_is_that_of_full_enumeration(k: int) -> None:
    pmf = enumerated_pmf(CLAIMS)
    wanted = min(1.0, 2 * min(pmf[: k + 1].sum(), pmf[k:].sum()))
    assert two_sided_p(k, CLAIMS) == pytest.approx(wanted, rel=2**9 * EPS)


@pytest.mark.parametrize("units", [1_001, 4_000, 20_000])
@pytest.mark.parametrize("top", [0.02, 0.5, 1.0])
def test_the_p_value_of_many_units_is_the_exact_one(units: int, top: float) -> None:
    """By another way: one binomial distribution for each distinct claim, convolved."""
    claims = np.round(stream(units).random(units) * top, 2)
    pmf = np.ones(1)
    for claim, count in zip(*np.unique(claims, return_counts=True), strict=True):
        pmf = fftconvolve(pmf, binom.pmf(np.arange(count + 1), count, claim))
    mean, spread = claims.sum(), np.sqrt((claims * (1 - claims)).sum())
    for away in (-40, -7, -3, -1, 0, 1, 2.5, 5, 40):
        k = int(np.clip(round(mean + away * spread), 0, units))
        wanted = min(1.0, 2 * min(pmf[: k + 1].sum(), pmf[k:].sum()))
        assert two_sided_p(k, claims) == pytest.approx(wanted, abs=5e-12)


def test_a_part_near_what_is_claimed_is_no_alarm_that_the_p_value_would_give() -> None:
    """Which parts are passed over without a p-value: none of those has one below the limit."""
    for seed in range(300):
        rng = stream(5, seed)
        claims = np.round(rng.random(rng.integers(400, 3_000)) * rng.choice([0.2, 0.6, 1.0]), 2)
        k = int((rng.random(claims.size) < claims).sum())
        assert not _is_near(k, claims) or two_sided_p(k, claims) > 0.15


def test_the_p_value_of_equal_claims_is_the_binomial_one() -> None:
    for k in (0, 3, 10, 20):
        wanted = min(1.0, 2 * min(binom.cdf(k, 20, 0.3), binom.sf(k - 1, 20, 0.3)))
        assert two_sided_p(k, np.full(20, 0.3)) == pytest.approx(wanted, rel=1e-12)


def test_the_fast_convolution_of_many_labels_is_the_exact_one() -> None:
    claims = np.repeat([0.2, 0.6], 1500)  # 1501 * 1500 > 1e6: by Fourier transform
    pmf = np.convolve(binom.pmf(np.arange(1501), 1500, 0.2), binom.pmf(np.arange(1501), 1500, 0.6))
    for k in (1100, 1200, 1230):
        assert two_sided_p(k, claims) == pytest.approx(min(1.0, 2 * min(pmf[: k + 1].sum(), pmf[k:].sum())), abs=3001 * EPS)


@pytest.mark.parametrize("limit", [FALSE_ALARM / PARTS, 0.01, 0.05, 0.3])
def test_a_true_claim_is_called_false_at_most_as_often_as_stated(limit: float) -> None:
    """Exactly, by the distribution itself; with a union over the parts this is the false-alarm rate of the check."""
    pmf = enumerated_pmf(CLAIMS)
    assert sum(mass for k, mass in enumerate(pmf) if two_sided_p(k, CLAIMS) < limit) <= limit


def test_a_normal_p_value_would_raise_more_false_alarms_than_stated() -> None:
    """The twin: with rare claims the usual z test exceeds its rate many times."""
    claims = np.full(40, 0.002)
    pmf = binom.pmf(np.arange(41), 40, 0.002)
    z = np.abs(np.arange(41) - claims.sum()) / np.sqrt((claims * (1 - claims)).sum())
    limit = FALSE_ALARM / PARTS
    assert pmf[z > 3.14].sum() > 10 * limit
    assert sum(mass for k, mass in enumerate(pmf) if two_sided_p(k, claims) < limit) <= limit


@pytest.mark.statistics
def test_a_calibrated_guide_alarms_at_most_once_in_a_hundred() -> None:
    alarms = 0
    for r in range(REPS):
        rng = stream(42, 3, r)
        guide, flagged = study(rng)
        alarms += bool(check_guide(guide, flagged, rng.random(guide.size) < guide))
    assert alarms <= binom.ppf(1 - 1e-6, REPS, FALSE_ALARM)  # 28: an alarm rate of 0.046 is caught 99 times in 100


@pytest.mark.statistics
def test_an_overconfident_guide_alarms_more_often() -> None:
    """The twin: truths drawn half way to 1/2 must break the limit above."""
    alarms = 0
    for r in range(100):
        rng = stream(42, 4, r)
        guide, flagged = study(rng)
        alarms += bool(check_guide(guide, flagged, rng.random(guide.size) < (guide + 0.5) / 2))
    assert alarms > binom.ppf(1 - 1e-6, 100, FALSE_ALARM)


def test_a_reversed_guide_is_caught() -> None:
    rng = stream(42, 5)
    guide, flagged = study(rng)
    alarms = check_guide(guide, flagged, rng.random(guide.size) < 1 - guide)
    assert len(alarms) >= 4
    assert [a.p_value for a in alarms] == sorted(a.p_value for a in alarms)
    assert "labels are positive where the scores claim" in str(alarms[0])


def test_a_mismatch_says_what_was_claimed_and_what_was_found() -> None:
    guide, flagged = np.repeat([0.1, 0.5, 0.9], 30), np.ones(90, dtype=bool)
    positive = np.concatenate([np.zeros(30), np.arange(30) % 2, np.zeros(30)]).astype(bool)
    (alarm,) = check_guide(guide, flagged, positive)
    assert (alarm.side, alarm.part, alarm.labels, alarm.positive) == ("flagged", "upper third", 30, 0)
    assert alarm.claimed == pytest.approx(27)
    assert alarm.p_value == pytest.approx(2 * 0.1**30, rel=1e-9)


@pytest.mark.parametrize("units", [0, 1, 2])
def test_few_labels_are_no_evidence(units: int) -> None:
    assert check_guide(np.full(units, 0.5), np.ones(units, dtype=bool), np.ones(units, dtype=bool)) == []


def test_a_certain_claim_that_is_wrong_is_evidence_at_once() -> None:
    assert two_sided_p(0, np.array([1.0])) == 0
    assert two_sided_p(1, np.array([1.0])) == 1
