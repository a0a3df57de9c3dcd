"""Two periods and windows: what must hold exactly, whatever the labels say."""

import numpy as np
import pytest

from fewlabels.errors import PlanError, StudyError
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.periods import Shared, change, correlate_periods, shared_units, side_by_side, window, without
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally

RATIOS = ("precision", "recall", "f1", "accuracy", "prevalence")


def tally(n: list[float], k: list[float], *, N: tuple[float, ...] = (40, 60, 300, 600)) -> Tally:
    """Two groups on each side."""
    flagged = np.array([False, False, True, True])
    size = np.array([N[3], N[2], N[0], N[1]])
    return Tally(
        flagged=flagged,
        N=size,
        n=np.array(n, dtype=float),
        k=np.array(k, dtype=float),
        logit=np.array([-4.0, -2.0, 0.5, 2.0]),
        expected=np.array([0.02, 0.1, 0.6, 0.9]),
        N1=float(size[flagged].sum()),
        N0=float(size[~flagged].sum()),
    )


BEFORE, AFTER = tally([20, 20, 10, 10], [0, 3, 5, 9]), tally([20, 20, 12, 10], [1, 2, 5, 7])
ALL_SHARED = Shared(np.arange(4), np.arange(4), BEFORE.n, BEFORE.k)


@pytest.mark.parametrize("metric", RATIOS)
def test_the_same_labels_twice_show_no_change(metric: str) -> None:
    """No standard error; MOVER leaves what the reaches up and down differ by, which is not nothing where errors are rare."""
    found = change(metric_named(metric), BEFORE, BEFORE, ALL_SHARED, tail=0.025)
    apart = change(metric_named(metric), BEFORE, BEFORE, tail=0.025)
    assert found.value == 0
    assert found.standard_error < 1e-6
    assert found.high == pytest.approx(-found.low)
    assert found.high < 0.7 * apart.high
    raw = change(metric_named(metric), BEFORE, BEFORE, ALL_SHARED, tail=0.025, interval="wald")
    assert max(abs(raw.low), abs(raw.high)) < 1e-6


def test_what_is_left_of_the_same_labels_is_their_skew() -> None:
    judged = metric_named("precision")
    alone, found = measure(judged, BEFORE, tail=0.025), change(judged, BEFORE, BEFORE, ALL_SHARED, tail=0.025)
    assert found.high == pytest.approx(abs((alone.high - alone.value) - (alone.value - alone.low)))


@pytest.mark.parametrize("metric", RATIOS)
def test_periods_without_shared_units_err_apart(metric: str) -> None:
    judged = metric_named(metric)
    found, one, two = change(judged, BEFORE, AFTER, tail=0.025), *(measure(judged, t, tail=0.025) for t in (BEFORE, AFTER))
    assert found.value == pytest.approx(two.value - one.value)
    assert found.standard_error == pytest.approx(np.hypot(one.standard_error, two.standard_error))
    assert found.low < found.value < found.high


@pytest.mark.parametrize("metric", RATIOS)
def test_forth_and_back_are_mirror_images(metric: str) -> None:
    shared = Shared(np.array([1, 2, 3]), np.array([1, 3, 3]), np.array([6.0, 4.0, 5.0]), np.array([1.0, 3.0, 4.0]))
    back = Shared(shared.after, shared.before, shared.n, shared.k)
    forth = change(metric_named(metric), BEFORE, AFTER, shared, tail=0.025)
    returned = change(metric_named(metric), AFTER, BEFORE, back, tail=0.025)
    assert returned.value == pytest.approx(-forth.value)
    assert returned.low == pytest.approx(-forth.high)
    assert returned.high == pytest.approx(-forth.low)


def test_shared_units_narrow_the_change_and_more_so_if_there_are_more() -> None:
    judged = metric_named("f1")
    widths = []
    for part in (0.0, 0.5, 1.0):
        shared = Shared(np.arange(4), np.arange(4), part * BEFORE.n, part * BEFORE.k)
        found = change(judged, BEFORE, BEFORE, shared, tail=0.025)
        widths.append(float(found.high - found.low))
    assert widths[0] > widths[1] > widths[2]


def test_one_error_seen_twice_is_not_two_periods_that_err_as_one() -> None:
    """Half of the labels are shared, and the only error is among them: the residuals say correlation 1, the labels one half."""
    few = tally([0, 0, 20, 0], [0, 0, 19, 0])
    shared = Shared(np.array([2]), np.array([2]), np.array([10.0]), np.array([9.0]))
    assert correlate_periods(few, few, shared, raw=True)[0, 2] > 0.9
    assert correlate_periods(few, few, shared)[0, 2] == pytest.approx(0.5, abs=0.02)


def test_a_census_of_both_periods_is_exact() -> None:
    whole = tally([600, 300, 40, 60], [6, 20, 25, 50])
    other = tally([600, 300, 40, 60], [2, 20, 22, 50])
    found = change(metric_named("f1"), whole, other, tail=0.025)
    assert found.high - found.low < 1e-9


def test_replicates_are_measured_as_one_by_one() -> None:
    n, k = np.stack([BEFORE.n, AFTER.n]), np.stack([BEFORE.k, AFTER.k])
    shared = Shared(np.arange(4), np.arange(4), np.array([[3.0, 4, 5, 6], [1, 2, 3, 4]]), np.array([[0.0, 1, 2, 5], [0, 0, 1, 3]]))
    both = change(metric_named("recall"), BEFORE.counted(n, k), AFTER.counted(n, k), shared, tail=0.025)
    for r in range(2):
        one = Shared(shared.before, shared.after, shared.n[r], shared.k[r])
        found = change(metric_named("recall"), BEFORE.counted(n[r], k[r]), AFTER.counted(n[r], k[r]), one, tail=0.025)
        np.testing.assert_allclose([both.low[r], both.high[r], both.standard_error[r]], [found.low, found.high, found.standard_error])


def test_shared_units_are_counted_by_pair() -> None:
    found = shared_units(np.array([0, 0, 1, 0]), np.array([2, 2, 2, 1]), np.array([True, False, True, True]))
    assert list(zip(found.before, found.after, found.n, found.k, strict=True)) == [(0, 1, 1, 1), (0, 2, 2, 1), (1, 2, 1, 1)]


def test_a_window_of_two_parts_is_the_whole() -> None:
    """A period cut in two by group, one of the two sides each: together they are the period."""
    parts = []
    for flagged in (True, False):
        side = BEFORE.side(flagged=flagged)
        gone = {"N1": 0.0, "N0": BEFORE.N0} if flagged else {"N1": BEFORE.N1, "N0": 0.0}
        nothing = np.zeros(2)
        parts.append(without(side, N=nothing, n=nothing, k=nothing, **gone))
    for metric in METRICS.values():
        np.testing.assert_allclose(measure(metric, window(parts), tail=0.025), measure(metric, BEFORE, tail=0.025))


def test_units_taken_out_are_gone() -> None:
    left = without(AFTER, N=np.array([0.0, 300, 10, 0]), n=np.array([0.0, 20, 2, 0]), k=np.array([0.0, 2, 1, 0]), N1=10, N0=300)
    assert left.N.tolist() == [600, 30, 60]
    assert left.n.tolist() == [20, 10, 10]
    assert left.k.tolist() == [1, 4, 7]
    assert (left.N1, left.N0) == (90, 600)


def test_a_group_without_labels_joins_its_own_period() -> None:
    empty = tally([20, 20, 0, 10], [0, 3, 0, 9])
    filled, as_is = window([empty, AFTER]), side_by_side([empty, AFTER])
    assert (as_is.n == 0).sum() == 1
    joined = filled.n[filled.flagged] == 10
    assert filled.N[filled.flagged][joined].max() == 100  # its neighbor of the first period now stands for both


def test_units_that_are_not_there_cannot_be_taken_out() -> None:
    zero = np.zeros(4)
    with pytest.raises(PlanError, match="among its units"):
        without(AFTER, N=zero, n=np.array([30.0, 0, 0, 0]), k=zero, N1=0, N0=0)


def test_what_has_no_change_is_refused() -> None:
    with pytest.raises(PlanError, match="intervals"):
        change(metric_named("f1"), BEFORE, AFTER, tail=0.025, interval="bootstrap")
    with pytest.raises(StudyError, match="several labels together"):
        change(metric_named("macro[f1]"), BEFORE, AFTER, tail=0.025)
    with pytest.raises(PlanError, match="at least one period"):
        window([])


def test_without_a_label_anything_may_have_changed() -> None:
    nothing = BEFORE.counted(np.zeros(4), np.zeros(4))
    for interval in ("rec", "wald"):
        found = change(metric_named("precision"), nothing, AFTER, tail=0.025, interval=interval)
        assert np.isnan(found.value)
        assert found.low <= -0.5
        assert found.high >= 0.5
