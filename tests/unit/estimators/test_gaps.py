"""The gap between slices: what its limits are made of, and what is not known of it."""

import math

import numpy as np
import pytest

from fewlabels.estimators.effective import effective_n
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.gaps import gap_between, pair_tail
from fewlabels.estimators.measuring import gap_of_slices, measure
from fewlabels.estimators.sides import Measured
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import PRECISION, metric_named
from fewlabels.nouns.tally import GapTally, Tally

GAP = metric_named("precision gap by country")


def measured(value: float, low: float, high: float) -> Measured:
    return Measured(*(np.array([x]) for x in (value, low, high, (high - low) / 4)))


def counts(k: float, n: float = 50.0, N: float = 1_000.0) -> Tally:
    """Flagged units only."""
    one: FloatArray = np.ones(1)
    return Tally(flagged=one > 0, N=N * one, n=n * one, k=k * one, logit=0 * one, expected=0.5 * one, N1=N, N0=0.0)


def test_limits_are_those_of_the_pair_that_reaches_furthest() -> None:
    each = [measured(0.9, 0.8, 0.95), measured(0.7, 0.6, 0.8), measured(0.75, 0.3, 0.9)]
    found = gap_between(GAP, "abc", each, each)
    assert found.value == pytest.approx(0.2)
    assert found.high == pytest.approx(0.15 + math.hypot(0.05, 0.45))  # a over c, which is known least
    assert found.low == pytest.approx(0.2 - math.hypot(0.1, 0.1))  # a over b
    assert found.standard_error == pytest.approx(math.hypot(0.15, 0.2) / 4)


def test_a_slice_more_never_lowers_the_upper_limit() -> None:
    each = [measured(0.9, 0.8, 0.95), measured(0.7, 0.6, 0.8), measured(0.75, 0.7, 0.8)]
    assert gap_between(GAP, "abc", each, each).high >= gap_between(GAP, "ab", each[:2], each[:2]).high


def test_slices_that_look_alike_may_differ_and_may_not() -> None:
    found = gap_between(GAP, "ab", [measured(0.8, 0.7, 0.9)] * 2, [measured(0.8, 0.6, 0.9)] * 2)
    assert (found.value.item(), found.low.item()) == (0.0, 0.0)
    assert found.high == pytest.approx(math.hypot(0.1, 0.1))


def test_a_slice_without_a_value_leaves_the_gap_unknown() -> None:
    tally = GapTally(("DE", "FR"), (counts(40), counts(0, n=0)))
    found = measure(GAP, tally, tail=0.025)
    assert np.isnan(found.value)
    assert (found.low.item(), found.high.item()) == (0.0, 1.0)
    said = estimate(GAP, tally, classifier="m", level=0.95, planned=True)
    assert said.value is None
    assert said.n_eff is None
    assert said.why == "in country=FR: no flagged unit is labeled: label some, or plan a goal that needs them"


def test_ways_to_fill_in_a_slice_are_no_slices() -> None:
    """Two ways of one slice are not compared; nothing is known from below."""
    tally = GapTally(("DE", "DE", "FR", "FR"), (counts(30), counts(50), counts(40), counts(40)))
    found = measure(GAP, tally, tail=0.025)
    ways = [measure(GAP, GapTally(("DE", "FR"), (counts(k), counts(40))), tail=0.025).high for k in (30, 50)]
    assert found.high == pytest.approx(max(ways))
    assert found.low == 0.0


def test_pairs_share_the_tail() -> None:
    assert pair_tail(0.06, "abc") == pytest.approx(0.01)
    assert pair_tail(0.06, "aabbcc") == pytest.approx(0.01)


def test_the_upper_limit_alone_is_the_same() -> None:
    tally = GapTally(("DE", "FR", "US"), (counts(40), counts(45), counts(30)))
    whole = measure(GAP, tally, tail=0.05)
    alone = gap_of_slices(GAP, tally, tail=0.05, interval="placed", end="high")
    assert alone.high == pytest.approx(whole.high, abs=1e-9)
    assert alone.low == 0.0
    assert whole.low > 0.0


def test_a_simple_draw_is_as_good_as_itself() -> None:
    tally = GapTally(("DE", "FR"), (counts(40, n=60, N=1_200), counts(38, n=40, N=800)))
    found = measure(GAP, tally, tail=0.025)
    assert effective_n(GAP, tally, found, tail=0.025) == pytest.approx(100, rel=0.02)


def test_a_census_of_every_slice_has_no_error() -> None:
    tally = GapTally(("DE", "FR"), (counts(900, n=1_000), counts(700, n=1_000)))
    found = measure(GAP, tally, tail=0.025)
    assert (found.low, found.value, found.high) == pytest.approx((0.2, 0.2, 0.2))


def test_the_totals_of_all_units_do_not_determine_a_gap() -> None:
    assert GAP.gap is not None
    assert GAP.gap.of is PRECISION
    totals = Totals(*(np.array(x) for x in (40.0, 10.0, 5.0, 45.0)))
    assert np.isfinite(PRECISION.value(totals))
    assert np.isnan(GAP.value(totals))
