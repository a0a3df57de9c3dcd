"""Are answers missing by chance, and what is the worst they could hide? Exact where it can be, simulated where it cannot."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, hypergeom

from fewlabels.estimators.measuring import measure
from fewlabels.estimators.missing import FALSE_ALARM, FILLS, Fill, check_missing, count_missing, fill_all, two_sided_p, worst_limits
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.tally import AnyTally, Tally
from fewlabels.randomness import stream
from tests.identities.made import tally_of

REPS = 1_000
ALARM, SIDE, THIRD = 31, 32, 33  # purposes of streams


def drawn(rng: np.random.Generator, units: int = 500) -> tuple[BoolArray, FloatArray]:
    """Half of the units flagged, guides anywhere on their side."""
    flagged = np.arange(units) % 2 == 0
    return flagged, np.where(flagged, 0.5, 0.0) + 0.5 * rng.random(units)


def differs(missing: BoolArray, flagged: BoolArray, guide: FloatArray) -> bool:
    return any(part.differs for part in check_missing(missing, flagged=flagged, guide=guide))


@pytest.mark.parametrize(("drawn", "all_missing", "all_drawn"), [(5, 4, 12), (20, 7, 60), (1, 1, 2), (10, 9, 11)])
def test_the_p_value_is_the_hypergeometric_one(drawn: int, all_missing: int, all_drawn: int) -> None:
    law = hypergeom(all_drawn, all_missing, drawn)
    for m in range(max(0, all_missing - (all_drawn - drawn)), min(drawn, all_missing) + 1):
        wanted = min(1.0, 2 * min(law.cdf(m), law.sf(m - 1)))
        assert two_sided_p(m, drawn, all_missing=all_missing, all_drawn=all_drawn) == pytest.approx(wanted, rel=1e-10)


def test_one_tail_is_that_of_fishers_exact_test() -> None:
    for m in range(8):
        cells = np.array([[m, 20 - m], [7 - m, 40 - 7 + m]])
        tails = [float(fisher_exact(cells, alternative=way).pvalue) for way in ("less", "greater")]
        assert two_sided_p(m, 20, all_missing=7, all_drawn=60) == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-10)


@pytest.mark.parametrize("limit", [FALSE_ALARM / 2, FALSE_ALARM / 12, 0.05, 0.3])
def test_chance_is_called_a_difference_at_most_as_often_as_stated(limit: float) -> None:
    """Exactly, by the distribution itself; a union over the parts makes it the false-alarm rate of the check."""
    law = hypergeom(300, 40, 120)
    assert sum(float(law.pmf(m)) for m in range(41) if two_sided_p(m, 120, all_missing=40, all_drawn=300) < limit) <= limit


def test_a_normal_test_would_raise_more_alarms_than_stated() -> None:
    """The twin: few missing in a small part, where the z test of two shares exceeds its rate many times."""
    law, limit = hypergeom(500, 5, 20), FALSE_ALARM / 12
    m = np.arange(6)
    share = m / 20 - (5 - m) / 480
    z = np.abs(share) / np.sqrt(0.01 * 0.99 * (1 / 20 + 1 / 480))
    assert law.pmf(m)[z > 3.34].sum() > 10 * limit  # 3.34: two-sided 1/1200
    assert sum(float(law.pmf(x)) for x in m if two_sided_p(int(x), 20, all_missing=5, all_drawn=500) < limit) <= limit


@pytest.mark.statistics
@pytest.mark.parametrize("rate", [0.02, 0.15])
def test_answers_missing_by_chance_alarm_at_most_once_in_a_hundred(rate: float, seed: int) -> None:
    alarms = 0
    for r in range(REPS):
        rng = stream(seed, ALARM, r, round(100 * rate))
        flagged, guide = drawn(rng)
        alarms += differs(rng.random(flagged.size) < rate, flagged, guide)
    assert alarms <= binom.ppf(1 - 1e-6, REPS, FALSE_ALARM)  # 28: an alarm rate of 0.046 is caught 99 times in 100


@pytest.mark.statistics
def test_ten_points_between_the_sides_are_seen(seed: int) -> None:
    """The twin: 2 % missing among flagged units and 12 % among the others, 500 drawn, is seen in more than 8 of 10 studies."""
    reps, alarms = 300, 0
    for r in range(reps):
        rng = stream(seed, SIDE, r)
        flagged, guide = drawn(rng)
        alarms += differs(rng.random(flagged.size) < np.where(flagged, 0.02, 0.12), flagged, guide)
    assert alarms >= binom.ppf(1e-6, reps, 0.9)  # 244
    assert alarms > binom.ppf(1 - 1e-6, reps, FALSE_ALARM)


@pytest.mark.statistics
def test_a_third_that_is_skipped_is_seen_and_named(seed: int) -> None:
    flagged, guide = drawn(stream(seed, THIRD))
    rng = stream(seed, THIRD, 1)
    hard = ~flagged & (guide > 0.35)
    found = check_missing(rng.random(flagged.size) < np.where(hard, 0.4, 0.03), flagged=flagged, guide=guide)
    assert min(found, key=lambda p: p.p_value or 0).name == "unflagged units, upper third by score"


def test_the_error_of_the_test_is_shared_out_in_full() -> None:
    flagged, guide = drawn(stream(1))
    missing = np.arange(flagged.size) < 20
    found = check_missing(missing, flagged=flagged, guide=guide)
    assert [p.limit for p in found] == [FALSE_ALARM / 2] + [FALSE_ALARM / 12] * 6
    one_side = check_missing(missing, flagged=np.ones_like(flagged), guide=guide)
    assert [p.limit for p in one_side] == [FALSE_ALARM / 3] * 3
    no_guide = check_missing(missing, flagged=flagged, guide=np.zeros(flagged.size))
    assert [(p.name, p.limit) for p in no_guide] == [("flagged units", FALSE_ALARM)]


@pytest.mark.parametrize("missing", [np.zeros(0, bool), np.zeros(9, bool), np.ones(9, bool), np.array([True])])
def test_nothing_missing_or_everything_is_no_evidence(missing: BoolArray) -> None:
    flagged = np.arange(missing.size) % 2 == 0
    assert check_missing(missing, flagged=flagged, guide=np.linspace(0, 1, missing.size)) == ()


def test_counts_by_side_and_band_add_up() -> None:
    missing = np.array([True, False, False, True, True, False])
    found = count_missing(
        missing, flagged=np.array([True, True, False, False, False, False]), band=np.array([0, 0, 2, 2, 3, 3]), guide=np.arange(6) / 6
    )
    assert (found.whole.drawn, found.whole.missing, found.whole.share) == (6, 3, 0.5)
    assert [(p.name, p.drawn, p.missing) for p in found.bands] == [("band 1", 2, 1), ("band 3", 2, 1), ("band 4", 2, 1)]
    assert (found.flagged.share, found.unflagged.share) == (0.5, 0.5)
    assert found.share_for(METRICS["precision"]) == 0.5
    assert "missing, of all others" in str(found)
    assert found.as_json()["share"] == 0.5


# ---------------------------------------------------------------- the worst case

N, ANSWERED, POSITIVE, LACKING = [4_000.0, 6_000, 40_000, 50_000], [80.0, 90, 100, 60], [78.0, 70, 6, 0], [8.0, 9, 10, 6]
SIDE_OF = [1, 1, 0, 0]
PLAIN = tally_of(SIDE_OF, N, ANSWERED, POSITIVE, logit=[3, 1, -2, -5])


def filled_by(fill: Fill) -> Tally:
    more = np.array(LACKING) * np.where(np.array(SIDE_OF) == 1, fill.flagged, fill.other)
    n, k = np.array(ANSWERED) + LACKING, np.array(POSITIVE) + more
    return tally_of(SIDE_OF, N, n.tolist(), k.tolist(), logit=[3, 1, -2, -5])


FILLED = fill_all(filled_by)


def worst(name: str, filled: tuple[AnyTally, ...] = FILLED) -> Limits:
    plain = measure(METRICS[name], PLAIN, tail=0.025)
    return worst_limits(METRICS[name], Limits(plain.low, plain.high), filled, tail=0.025, interval=USUAL_INTERVAL)


@pytest.mark.parametrize("name", METRICS)
def test_the_worst_case_holds_the_interval_and_every_filling(name: str) -> None:
    low, high = worst(name)
    plain = measure(METRICS[name], PLAIN, tail=0.025)
    assert low <= plain.low <= plain.high <= high
    for fill in FILLS:
        found = measure(METRICS[name], filled_by(fill), tail=0.025)
        assert low <= found.low
        assert found.high <= high
    assert np.isfinite([low, high]).all()


def test_precision_is_worst_with_all_missing_flagged_units_negative() -> None:
    low, high = worst("precision")
    assert low == measure(METRICS["precision"], filled_by(Fill(False, False)), tail=0.025).low
    assert high == measure(METRICS["precision"], filled_by(Fill(True, True)), tail=0.025).high


def test_recall_is_worst_with_flagged_units_negative_and_the_others_positive() -> None:
    assert worst("recall").low == measure(METRICS["recall"], filled_by(Fill(False, True)), tail=0.025).low


def test_nothing_filled_is_the_plain_interval() -> None:
    plain = measure(METRICS["f1"], PLAIN, tail=0.025)
    assert worst("f1", ()) == (plain.low, plain.high)


@pytest.mark.parametrize("name", METRICS)
def test_no_mixture_of_answers_has_a_value_beyond_the_four_ways(name: str) -> None:
    """Values, not limits: a metric moves one way with the positives of a side while the other side stays (weighted_f1: nearly always)."""
    metric = METRICS[name]
    ends = [float(measure(metric, filled_by(fill), tail=0.025).value) for fill in FILLS]
    steps = [np.linspace(0, m, 4) for m in LACKING]
    k = np.array(POSITIVE) + np.array(list(product(*steps)))
    n = np.broadcast_to(np.array(ANSWERED) + LACKING, k.shape)
    base = filled_by(FILLS[0])
    mixed = Tally(flagged=base.flagged, N=base.N, n=n, k=k, logit=base.logit, expected=base.expected, N1=base.N1, N0=base.N0)
    value = measure(metric, mixed, tail=0.025).value
    assert min(ends) - 1e-12 <= value.min()
    assert value.max() <= max(ends) + 1e-12


def test_a_side_with_no_answer_at_all_has_a_worst_case() -> None:
    nothing = tally_of([1, 0], [100, 900], [0, 50], [0, 5])
    plain = measure(METRICS["precision"], nothing, tail=0.025)
    full = [tally_of([1, 0], [100, 900], [20, 50], [k, 5]) for k in (0, 20)]
    filled = full
    low, high = worst_limits(METRICS["precision"], Limits(plain.low, plain.high), filled, tail=0.025, interval=USUAL_INTERVAL)
    assert (float(low), float(high)) == (0, 1)
