"""How many labels the interval of one share needs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from fewlabels.errors import PlanError
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.ladder import bin_of
from fewlabels.planning.goal_scope import ask_of
from fewlabels.planning.shares import Around, expected_share, half_width_for, labels_for_share, uniform
from fewlabels.planning.simulated_draws import WIDTH_REPS
from fewlabels.planning.sizing import CLOSE, labels_needed
from tests.identities.made import checked, profile_of

shares = st.floats(0.001, 0.999)
SHARE_INTERVALS: tuple[IntervalKind, ...] = ("placed", "rec", "clopper_pearson", "wilson", "wald")
intervals = st.sampled_from(SHARE_INTERVALS)
arounds: st.SearchStrategy[Around] = st.sampled_from(["value", "middle"])
NO_WALD: tuple[IntervalKind, ...] = ("placed", "rec", "clopper_pearson", "wilson")


@checked
@given(shares, intervals, arounds, st.integers(1, 3000))
def test_more_labels_never_widen_the_interval(share: float, interval: IntervalKind, around: Around, n: int) -> None:
    wide, narrow = (half_width_for(labels, share, interval=interval, around=around) for labels in (n, n + 1))
    assert narrow <= wide + 1e-12


@checked
@given(st.floats(0.02, 0.4), shares, intervals, arounds)
def test_the_size_is_enough_and_one_label_less_is_not(half_width: float, share: float, interval: IntervalKind, around: Around) -> None:
    n = labels_for_share(half_width, share, interval=interval, around=around)
    assert half_width_for(n, share, interval=interval, around=around) <= half_width * (1 + 1e-9)
    if n > 1:
        assert half_width_for(n - 1, share, interval=interval, around=around) > half_width


@pytest.mark.lengthy
@checked
@given(st.floats(0.02, 0.2), st.floats(1.01, 2.0), shares, intervals)
def test_a_narrower_interval_or_a_higher_level_needs_no_fewer_labels(
    half_width: float, by: float, share: float, interval: IntervalKind
) -> None:
    n = labels_for_share(half_width, share, interval=interval)
    assert labels_for_share(half_width * by, share, interval=interval) <= n
    assert labels_for_share(half_width, share, interval=interval, level=0.99) >= n
    assert labels_for_share(half_width, share, interval=interval, around="middle") <= n


@pytest.mark.parametrize("interval", SHARE_INTERVALS)
@pytest.mark.parametrize("share", [0.01, 0.07, 0.2, 0.32, 0.49])
def test_a_share_and_its_opposite_need_as_many_labels(share: float, interval: IntervalKind) -> None:
    assert labels_for_share(0.05, share, interval=interval) == labels_for_share(0.05, 1 - share, interval=interval)
    one, other = (expected_share(80, p, interval=interval) for p in (share, 1 - share))
    assert (float(one.low), float(one.high)) == pytest.approx((1 - float(other.high), 1 - float(other.low)), abs=1e-9)


@pytest.mark.lengthy
@checked
@given(st.floats(0.02, 0.2), shares)
def test_rec_needs_no_fewer_labels_than_clopper_pearson_which_it_contains(half_width: float, share: float) -> None:
    assert labels_for_share(half_width, share, interval="clopper_pearson") <= labels_for_share(half_width, share, interval="rec")


@checked
@given(shares, st.integers(1, 3000))
def test_placed_is_clopper_pearson_for_one_share(share: float, n: int) -> None:
    ours, exact = (expected_share(n, share, interval=name) for name in ("placed", "clopper_pearson"))
    assert (float(ours.low), float(ours.high)) == pytest.approx((float(exact.low), float(exact.high)), abs=1e-5)


@checked
@given(st.floats(0.01, 0.4), st.floats(0.4, 0.6), st.floats(0.6, 0.999))
def test_wald_is_the_textbooks_size(half_width: float, share: float, level: float) -> None:
    exact = norm.isf((1 - level) / 2) ** 2 * share * (1 - share) / half_width**2
    assert abs(labels_for_share(half_width, share, level=level, interval="wald") - max(1, math.ceil(exact))) <= (
        abs(exact - round(exact)) < 1e-6
    )


def test_a_share_of_one_half_is_the_worst_case_for_wald() -> None:
    sizes = [labels_for_share(0.03, p, interval="wald") for p in np.arange(0.1, 0.91, 0.1)]
    assert max(sizes) == sizes[4]
    assert sizes[:5] == sorted(sizes[:5])


@pytest.mark.parametrize("interval", NO_WALD)
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_at_the_end_still_needs_labels(share: float, interval: IntervalKind) -> None:
    """Clopper-Pearson of none of n has the upper limit 1 - 0.025^(1/n): 0.03 at 122 labels."""
    n = labels_for_share(0.03, share, interval=interval)
    assert n == {"clopper_pearson": 122, "wilson": 125}.get(interval, n)
    assert n > 100
    found = expected_share(n, share, interval=interval)
    assert float(found.low if share == 0 else 1 - found.high) == pytest.approx(0, abs=1e-12)


def mean_half_width(n: int, share: float) -> tuple[float, float]:
    """Mean and standard deviation of the half-width over the answers of n labels, by the exact binomial."""
    k = np.arange(n + 1)
    chance = binom.pmf(k, n, share)
    width = np.array([half_width_for(n, float(found)) if weight > 1e-12 else 0.0 for found, weight in zip(k / n, chance, strict=True)])
    mean = float(chance @ width)
    return mean, math.sqrt(float(chance @ width**2) - mean**2)


@pytest.mark.parametrize("half_width", [0.12, 0.05])
def test_a_plan_of_a_simple_draw_has_that_half_width_on_average(half_width: float) -> None:
    """Of a flagged side of a hundred million units, all of the same score; the average answer has hardly another interval."""
    bin_number = int(bin_of(np.array([0.68]))[0])
    profile = profile_of({(1, bin_number): 100_000_000, (0, 0): 100_000_000})
    share = float(profile.guide[profile.predicted(0)][0])
    planned = labels_needed(ask_of(profile, parse_goal(f"precision +-{half_width}")), name="simple")
    assert planned is not None
    mean, spread = mean_half_width(planned, share)
    error = 5 * spread / math.sqrt(WIDTH_REPS)
    assert CLOSE * half_width - error <= mean <= half_width + error
    assert error < 0.03 * half_width  # so that the line above says something
    assert planned == pytest.approx(labels_for_share(half_width, share), rel=0.06)


@pytest.mark.parametrize(
    ("labels", "share", "expected"), [(55, 0.04, 1375), (59, 0.04, 1475), (1, 0.3, 4), (7, 1.0, 7), (0, 0.5, 0), (3, 0.1, 30)]
)
def test_uniform_labels_hold_the_flagged_ones_on_average(labels: int, share: float, expected: int) -> None:
    assert uniform(labels, share) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"half_width": 0.0}, "a half-width must lie in"),
        ({"half_width": 1.0}, "a half-width must lie in"),
        ({"half_width": math.nan}, "a half-width must lie in"),
        ({"share": -0.1}, "a share must lie in"),
        ({"share": math.nan}, "a share must lie in"),
        ({"level": 0.5}, "a level must lie in"),
        ({"level": 1.0}, "a level must lie in"),
        ({"interval": "agresti"}, "no interval 'agresti': fewlabels knows rec"),
        ({"interval": "bootstrap"}, "must be one of rec, strict, placed, midp, clopper_pearson, wilson, wald, beta, got 'bootstrap'"),
        ({"interval": "wald", "share": 1.0}, "wald has no width"),
        ({"half_width": 1e-6}, "needs more than 100,000,000 labels: widen it"),
    ],
)
def test_impossible_sizes_are_refused(change: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"half_width": 0.1, "share": 0.5, **change}
    with pytest.raises(PlanError, match=message):
        labels_for_share(asked.pop("half_width"), asked.pop("share"), **asked)


def test_impossible_numbers_of_labels_and_flagged_shares_are_refused() -> None:
    with pytest.raises(PlanError, match="at least 1 label, got 0"):
        half_width_for(0, 0.5)
    for share in (0.0, 1.1, math.nan):
        with pytest.raises(PlanError, match="give flagged units / all units"):
            uniform(10, share)
    with pytest.raises(PlanError, match="raise it"):
        uniform(-1, 0.5)
