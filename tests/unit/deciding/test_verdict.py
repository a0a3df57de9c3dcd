"""What the numbers settle, and what they do not."""

import pytest

from fewlabels.deciding.verdict import Reading, decide, judge, thinness
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.decision import MoreLabels
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.goal_words import Kind
from fewlabels.nouns.metrics import METRICS
from tests.identities.made import tally_of

TALLY = tally_of([1, 0], [10_000, 90_000], [400, 600], [360, 12])
PRECISION = METRICS["precision"]
ONE_SIDED = measure(PRECISION, TALLY, tail=0.05)
TWO_SIDED = measure(PRECISION, TALLY, tail=0.025)


def reading(kind: Kind, value: float, *, metric: str = "precision", share: float = 1.0) -> Reading:
    level = 1 - 0.05 * share
    found = estimate(METRICS[metric], TALLY, classifier="gbm", level=level, planned=True)
    return Reading(Goal(metric=metric, kind=kind, value=value), found, TALLY)


def estimate_of(*, n_eff: float | None = 100, half_width: float = 0.1) -> Estimate:
    return Estimate(
        metric="recall",
        classifier="gbm",
        value=0.5,
        low=0.5 - half_width,
        high=0.5 + half_width,
        at_least=0.5 - half_width,
        at_most=0.5 + half_width,
        strict_low=0.5 - half_width,
        strict_high=0.5 + half_width,
        level=0.95,
        standard_error=0.05,
        n_eff=n_eff,
        labels=100,
        interval="rec",
        planned=True,
    )


@pytest.mark.parametrize(
    ("kind", "value", "status"),
    [
        (">=", float(ONE_SIDED.low) - 1e-6, "met"),
        (">=", float(ONE_SIDED.low) + 1e-6, "open"),
        (">=", float(ONE_SIDED.high) - 1e-6, "open"),
        (">=", float(ONE_SIDED.high) + 1e-6, "not met"),
        ("<=", float(ONE_SIDED.high) + 1e-6, "met"),
        ("<=", float(ONE_SIDED.high) - 1e-6, "open"),
        ("<=", float(ONE_SIDED.low) + 1e-6, "open"),
        ("<=", float(ONE_SIDED.low) - 1e-6, "not met"),
    ],
)
def test_a_target_is_settled_by_the_one_sided_bound(kind: Kind, value: float, status: str) -> None:
    assert judge(reading(kind, value), share=1.0).status == status


def test_half_of_a_two_sided_interval_would_not_settle_it() -> None:
    """The twin: a target between the two lower limits is met one-sided and missed by the two-sided one."""
    target = float(ONE_SIDED.low + TWO_SIDED.low) / 2
    assert TWO_SIDED.low < target < ONE_SIDED.low
    assert judge(reading(">=", target), share=1.0).status == "met"
    assert judge(reading(">=", target), share=0.5).status == "open"


@pytest.mark.parametrize(("factor", "status"), [(1.001, "met"), (0.999, "open")])
def test_a_half_width_is_met_or_open_but_never_failed(factor: float, status: str) -> None:
    assert judge(reading("+-", float(TWO_SIDED.half_width) * factor), share=1.0).status == status


@pytest.mark.parametrize(("factor", "status"), [(1.001, "met"), (0.999, "open")])
def test_a_share_of_the_value_is_met_by_factors_and_never_read_as_points(factor: float, status: str) -> None:
    """Prevalence is small, so an interval that points would call narrow is still wide."""
    found = estimate(METRICS["prevalence"], TALLY, classifier="gbm", level=0.95, planned=True)
    assert found.value is not None
    share = max(found.high / found.value, found.value / found.low) - 1
    goal = Goal(metric="prevalence", kind="+-", value=share * factor, relative=True)
    judged = judge(Reading(goal, found, TALLY), share=1.0)
    assert judged.status == status
    assert f"half-width {share:.1%} of it" in judged.reason
    assert found.half_width < goal.value  # in points it would be met both times


def test_every_goal_met_ships() -> None:
    decision = decide([reading(">=", 0.8), reading("<=", 0.5, metric="prevalence")], share=1.0, more=None, certified=True)
    assert decision.outcome == "ship"
    assert decision.more is None


def test_shipping_shares_nothing() -> None:
    """An intersection-union test: each goal at the full error, however many there are."""
    just = float(ONE_SIDED.low) - 1e-6
    assert decide([reading(">=", just)] * 5, share=1.0, more=None, certified=True).outcome == "ship"


def test_not_shipping_shares_the_error() -> None:
    """A goal failed at 0.05 alone decides alone, but not beside another: any of two failing would err twice as often."""
    between = float(ONE_SIDED.high + measure(PRECISION, TALLY, tail=0.025).high) / 2
    failing, fine = reading(">=", between), reading(">=", 0.8)
    assert judge(failing, share=1.0).status == "not met"
    assert decide([failing], share=1.0, more=None, certified=True).outcome == "do not ship"
    assert decide([failing, fine], share=1.0, more=None, certified=True).outcome == "label more"
    beyond = reading(">=", float(TWO_SIDED.high) + 1e-6)
    assert decide([beyond, fine], share=1.0, more=None, certified=True).outcome == "do not ship"


def test_a_goal_that_fails_among_several_has_one_bound() -> None:
    """The reason named the bound at the shared error, and the goal beside it carried another."""
    readings = [reading(">=", 0.97), reading(">=", 0.98), reading("<=", 0.99)]
    decision = decide(readings, share=1.0, more=None, certified=True)
    failed = [goal for goal in decision.goals if goal.status == "not met"]
    assert decision.outcome == "do not ship"
    assert failed
    for goal in failed:
        assert goal.reason in decision.reasons
        assert f"{goal.bound:.4f}" in goal.reason
        assert goal.bound == judge(reading(">=", goal.goal.value), share=1.0, among=3).bound


def test_an_open_goal_asks_for_more_labels() -> None:
    more = MoreLabels(labels=1200, flagged=1000, unflagged=200, enough=True)
    decision = decide([reading(">=", 0.9)], share=1.0, more=more, certified=True)
    assert (decision.outcome, decision.more) == ("label more", more)
    assert "about 1,200 more labels, 1,000 of them flagged" in str(decision)


def test_a_peek_is_not_certified() -> None:
    assert "not certified" in str(decide([reading(">=", 0.8)], share=1.0, more=None, certified=False))


@pytest.mark.parametrize(
    ("found", "thin"),
    [
        (estimate_of(), False),
        (estimate_of(n_eff=30, half_width=0.12), False),
        (estimate_of(n_eff=29.9), True),
        (estimate_of(half_width=0.1201), True),
        (estimate_of(n_eff=None), True),
    ],
)
def test_a_reading_is_thin_below_30_effective_labels_or_beyond_0_12(found: Estimate, *, thin: bool) -> None:
    assert (thinness(found) is not None) == thin


def test_a_thin_reading_never_ships_but_may_fail() -> None:
    met, failed = Goal(metric="precision", kind=">=", value=0.5), Goal(metric="precision", kind=">=", value=0.99)
    thin = estimate_of(n_eff=5)
    assert decide([Reading(met, thin, TALLY)], share=1.0, more=None, certified=True).outcome == "label more"
    assert decide([Reading(failed, thin, TALLY)], share=1.0, more=None, certified=True).outcome == "do not ship"
