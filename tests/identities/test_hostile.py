"""Hostile counts: zeros, ones, huge numbers, one label, one side, no positives, tied guides.

Together with the tables of `test_hostile_tables` more than 10,000 cases in `make statistics`, and about a tenth of them in `make test`:
every one gives finite limits inside the range and around the value, or is refused with the way out. Nothing is NaN in silence; NumPy warns
of nothing, since warnings are errors here.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.identities.test_hostile_tables  # noqa: F401  # its suites are counted below
from fewlabels.errors import PlanError
from fewlabels.estimators.counts import from_counts
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import JointTally, Tally
from tests.identities.hostile import (
    CASES,
    HUGE,
    JOINT_NAMES,
    NAMES,
    all_shown_lawfully,
    counts,
    hostile,
    joint_tallies,
    lawful,
    refused,
    shown_lawfully,
    tails,
    tallies,
    weighed_tallies,
)
from tests.identities.made import tally_of

intervals = st.sampled_from([one.name for one in INTERVALS if not one.running])
without_chance = st.sampled_from([one.name for one in INTERVALS if not one.running and not one.is_resampled])
levels = st.sampled_from([0.5, 0.8, 0.95, 0.999, 1 - 2e-6])
beyond = st.one_of(st.sampled_from([0, 0, 1, HUGE]), st.integers(-2, 10**6))


@hostile(300, of=3_000)
@given(
    st.tuples(counts, counts, counts, counts), st.one_of(st.none(), st.tuples(beyond, beyond)), st.sampled_from(NAMES), intervals, levels
)
def test_any_four_counts(
    four: tuple[int, int, int, int], more: tuple[int, int] | None, name: str, interval: IntervalKind, level: float
) -> None:
    tp, fp, fn, tn = four
    N = (None, None) if more is None else (tp + fp + more[0], fn + tn + more[1])

    def show() -> None:
        units = {"n_predicted_positive": N[0], "n_predicted_negative": N[1]}
        found = from_counts(tp=tp, fp=fp, fn=fn, tn=tn, **units, level=level, interval=interval, metrics=[name])
        all_shown_lawfully(found.estimates)
        bounds = [found.bound(name, side, level=0.99) for side in ("lower", "upper")]
        assert metric_named(name).low <= bounds[0] <= bounds[1] <= metric_named(name).high

    refused(show)


@hostile(340, of=3_400)
@given(tallies(), st.sampled_from(NAMES), without_chance, tails)
def test_any_tally(tally: Tally, name: str, interval: IntervalKind, tail: float) -> None:
    refused(lambda: lawful(metric_named(name), measure(metric_named(name), tally, tail=tail, interval=interval)))


@hostile(134, of=1_340)
@given(tallies(), st.sampled_from(NAMES), st.sampled_from(["bootstrap", "rao_wu"]), tails)
def test_any_tally_drawn_again(tally: Tally, name: str, interval: IntervalKind, tail: float) -> None:
    found = measure(metric_named(name), tally, tail=tail, interval=interval, rng=np.random.default_rng(1))
    lawful(metric_named(name), found)


@hostile(100, of=1_000)
@given(weighed_tallies(), st.sampled_from(NAMES), intervals, tails)
def test_any_tally_by_weight(tally: Tally, name: str, interval: IntervalKind, tail: float) -> None:
    metric = metric_named(f"{name} by amount")
    refused(lambda: lawful(metric, measure(metric, tally, tail=tail, interval=interval, rng=np.random.default_rng(1))))


@hostile(100, of=1_000)
@given(joint_tallies(), st.sampled_from(JOINT_NAMES), intervals, tails)
def test_any_labels_or_classes_together(joint: JointTally, name: str, interval: IntervalKind, tail: float) -> None:
    metric = metric_named(name)
    refused(lambda: lawful(metric, measure(metric, joint, tail=tail, interval=interval)))


@hostile(60, of=600)
@given(st.one_of(tallies(), weighed_tallies(), joint_tallies()), st.data())
def test_any_estimate_with_its_effective_n(tally: Tally | JointTally, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(JOINT_NAMES if isinstance(tally, JointTally) else NAMES))
    by = " by amount" if isinstance(tally, Tally) and tally.weights is not None else ""
    level, interval = data.draw(levels), data.draw(without_chance)

    def show() -> None:
        found = estimate(metric_named(name + by), tally, classifier="c", level=level, planned=True, interval=interval)
        shown_lawfully(found, one_value=interval not in ("clopper_pearson", "wilson"))
        if interval == "rec":
            assert found.strict_low <= found.low
            assert found.high <= found.strict_high

    refused(show)


def test_the_cases_are_ten_thousand_and_more() -> None:
    assert len(CASES) == 8
    assert sum(CASES.values()) >= 10_600


# ---------------------------------------------------------------- found this way, each a case of its own


@pytest.mark.parametrize("kind", ["bootstrap", "rao_wu"])
@pytest.mark.parametrize("name", ["mcc", "kappa", "informedness"])
def test_a_resampled_limit_of_a_metric_that_may_be_negative_is_no_whole_number(name: str, kind: IntervalKind) -> None:
    """The limits were kept in an array of whole numbers, since the range of these starts at -1: 0.63 became 0."""
    tally = replace(tally_of([1, 0], [500, 9_000], [60, 90], [45, 9]), simple=True)
    found = measure(metric_named(name), tally, tail=0.025, interval=kind, rng=np.random.default_rng(1))
    assert 0.05 < float(found.low) < float(found.value) < float(found.high)


@pytest.mark.parametrize("N", [23.0, 1_000_001.0, 1e9 + 62])
def test_a_forecast_of_a_census_is_a_census_although_it_is_rounded(N: float) -> None:
    """A grid of sizes up to N may end a rounding beyond it; the variance was then negative, its root NaN."""
    forecast = tally_of([1], [N], [np.nextafter(N, np.inf)], [N / 3])
    assert float(measure(metric_named("precision"), forecast, tail=0.025).standard_error) == 0


def test_a_cost_of_a_side_without_units_is_known_without_labels() -> None:
    """Its effective n was looked for on a grid from 1 to 0."""
    found = estimate(metric_named("cost[0,0,1,0]"), tally_of([1], [50], [10], [3]), classifier="c", level=0.95, planned=True)
    assert (found.value, found.low, found.high, found.n_eff, found.labels) == (0, 0, 0, 0, 0)


def test_a_cost_of_one_side_counts_the_labels_of_a_simple_draw_on_both() -> None:
    """FN / n: how many labels fell on the other side is part of what was found. It said 0 labels, effective n 0."""
    found = from_counts(tp=30, fp=10, fn=0, tn=0, metrics=["cost[0,0,1,0]", "precision", "false_omission_rate"])
    assert [e.labels for e in found.estimates] == [40, 40, 0]
    assert found["cost[0,0,1,0]"].n_eff == 40


def test_a_value_never_rounds_out_of_its_range() -> None:
    """All of a huge side costs a million: the quotient of the two sums was the next number above, and its interval ended below it."""
    metric = metric_named("cost[-3,0,1000000,2]")
    for N in np.linspace(3e12, 4e12, 50):
        lawful(metric, measure(metric, tally_of([0], [N / 3], [1], [1]), tail=0.25))


def test_a_cost_of_one_side_is_no_share_of_sides_drawn_apart() -> None:
    """FN / n counts the labels of both sides. It was taken for one simple draw, since it needs one side: 10 of 600."""
    apart: dict[str, Any] = {"tp": 400, "fp": 100, "fn": 10, "tn": 90, "n_predicted_positive": 1_000, "n_predicted_negative": 1_000_000}
    with pytest.raises(PlanError, match="2 groups drawn separately"):
        from_counts(**apart, interval="clopper_pearson", metrics=["cost[0,0,1,0]"])
    assert from_counts(**apart, metrics=["cost[0,0,1,0]"]).estimates[0].value == pytest.approx(0.1 * 1_000_000 / 1_001_000)


@pytest.mark.parametrize("name", ["kappa", "cost[0,1,5,0]", "f2"])
def test_a_value_without_positives_has_a_standard_error(name: str) -> None:
    """How the metric moves with the first positive depends on whether it is flagged; the standard error takes the worse of both."""
    found = from_counts(tp=0, fp=20, fn=0, tn=180, metrics=[name])[name]
    assert found.value is not None
    assert found.standard_error is not None
    assert 0 < found.standard_error < 1


@pytest.mark.parametrize(
    "broken", [(0.5, 0.6, 0.7, 0.1), (0.5, np.nan, 0.7, 0.1), (0.5, 0.4, 1.1, 0.1), (0.5, 0.7, 0.4, 0.1), (0.5, 0.4, 0.6, np.nan)]
)
def test_the_law_can_be_broken(broken: tuple[float, ...]) -> None:
    """The twin: a value outside, an unknown limit, one beyond the range, two in the wrong order, an unknown standard error."""
    with pytest.raises(AssertionError):
        lawful(metric_named("precision"), Measured(*map(np.asarray, broken)))


def test_a_refusal_without_a_way_out_is_noticed() -> None:
    def refuse() -> None:
        raise PlanError("no")

    with pytest.raises(AssertionError):
        refused(refuse)
