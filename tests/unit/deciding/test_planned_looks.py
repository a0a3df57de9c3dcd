"""Planned looks: the boundaries are O'Brien and Fleming's, sizes are the budget's, and what they do not serve is refused."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from fewlabels.deciding.planned_looks import (
    MOST_LOOKS,
    PlannedLook,
    Sides,
    boundaries,
    crossing,
    due,
    height,
    information,
    look_sizes,
    planned_looks,
    promise_of,
    refuse_unplannable,
    tails_of,
)
from fewlabels.errors import PlanError
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream

# Jennison & Turnbull 2000, table 2.3: C_B(K, alpha), the height c of two-sided tests with K looks.
PUBLISHED = {
    0.05: {1: 1.960, 2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 6: 2.053, 7: 2.063, 8: 2.072, 9: 2.080, 10: 2.087},
    0.10: {1: 1.645, 2: 1.678, 3: 1.710, 4: 1.733, 5: 1.751, 10: 1.801},
}


def even(looks: int) -> tuple[float, ...]:
    return tuple((i + 1) / looks for i in range(looks))


@pytest.mark.parametrize(("error", "looks"), [(a, k) for a, table in PUBLISHED.items() for k in table])
def test_the_heights_are_the_published_ones(error: float, looks: int) -> None:
    assert height(even(looks), error, 2) == pytest.approx(PUBLISHED[error][looks], abs=6e-4)


@pytest.mark.parametrize("looks", [2, 5, 10])
def test_one_side_is_half_of_two_since_nobody_crosses_both(looks: int) -> None:
    assert height(even(looks), 0.025, 1) == pytest.approx(height(even(looks), 0.05, 2), abs=1e-4)
    assert height(even(looks), 0.05, 1) == pytest.approx(PUBLISHED[0.10][looks], abs=6e-4)


def test_the_last_of_five_looks_is_four_per_cent_wider() -> None:
    assert boundaries(np.array(even(5)), 0.05, 2)[-1] / ndtri(0.975) == pytest.approx(1.04, abs=0.002)
    np.testing.assert_allclose(boundaries(np.array(even(5)), 0.05, 2), 2.0401 * np.sqrt(5 / np.arange(1, 6)), atol=2e-4)


@pytest.mark.parametrize("t", [(0.5, 1.0), (0.1, 0.9, 1.0), (0.3, 0.7, 0.75, 1.0)])
@pytest.mark.parametrize("sides", [1, 2])
def test_crossings_are_those_of_the_joint_normal_law(t: tuple[float, ...], sides: Sides) -> None:
    """By SciPy's own integral of the joint normal law."""
    c = 1.9
    low = np.full(len(t), -c if sides == 2 else -20.0)
    inside = multivariate_normal.cdf(
        np.full(len(t), c), np.zeros(len(t)), np.minimum.outer(t, t), maxpts=200_000, abseps=1e-6, lower_limit=low
    )
    assert crossing(c, t, sides) == pytest.approx(1 - inside, abs=2e-5)


def test_crossings_are_those_of_simulated_paths(seed: int) -> None:
    t, paths = np.array([0.2, 0.45, 0.5, 1.0]), 200_000
    steps = stream(seed, 61).normal(size=(paths, 4)) * np.sqrt(np.diff([0.0, *t]))
    crossed = (np.abs(np.cumsum(steps, axis=1)) >= 1.5).any(axis=1).mean()
    p = crossing(1.5, t.tolist(), 2)
    assert abs(crossed - p) < 5 * np.sqrt(p * (1 - p) / paths)


def test_every_look_spends_less_than_all_and_the_shares_add_up_to_more_than_one() -> None:
    """Looks are correlated: added up the tails exceed the error that they make together."""
    looks = planned_looks(1_000, looks=5)
    two, one = ([getattr(look, side) for look in looks] for side in ("two_sided", "one_sided"))
    for shares in (two, one):
        assert shares == sorted(shares)
        assert shares[-1] < 1 < sum(shares)
    assert looks[-1].two_sided == pytest.approx(2 * ndtr(-2.0401) / 0.05, abs=1e-3)
    assert looks[-1].tails() == pytest.approx((0.05 * two[-1] / 2, 0.05 * one[-1]))
    assert tails_of(np.array([1.0]), 0.05, 2) == pytest.approx([0.025])


def test_one_look_spends_everything() -> None:
    (only,) = planned_looks(500, looks=1)
    assert only == pytest.approx((1, 500, 1.0, 1.0, 1.0))


def test_sizes_are_rounded_up_and_end_with_the_budget() -> None:
    assert look_sizes(1_000, 3) == (334, 667, 1_000)
    assert look_sizes(100, 10) == tuple(range(10, 101, 10))
    assert look_sizes(201, [0.25, 0.5, 1]) == (51, 101, 201)


def test_a_draw_of_much_of_the_frame_knows_more_at_its_end() -> None:
    """Of 1,000 units 500 are labeled: the first 250 leave a variance of 1/250 - 1/1000, three times that of all 500."""
    np.testing.assert_allclose(information((250, 500), 1_000), [1 / 3, 1])
    np.testing.assert_allclose(information((250, 500)), [0.5, 1])
    assert planned_looks(500, looks=2, frame=1_000)[0].two_sided < planned_looks(500, looks=2)[0].two_sided


def test_a_census_at_the_end_is_exact_and_the_looks_before_it_share_the_error() -> None:
    *before, last = planned_looks(300, looks=3, frame=300)
    assert last == PlannedLook(3, 300, 1.0, 1.0, 1.0)
    assert [look.two_sided for look in before] == [look.two_sided for look in planned_looks(200, looks=2, frame=300)]
    assert planned_looks(40, looks=1, frame=40) == (PlannedLook(1, 40, 1.0, 1.0, 1.0),)


def test_a_look_is_due_when_its_labels_are_in() -> None:
    looks = planned_looks(100, looks=4)
    assert due(looks, 24) is None
    assert due(looks, 25) == looks[0]
    assert due(looks, 74) == looks[1]
    assert due(looks, 100) == looks[3]


def test_the_promise_is_said() -> None:
    assert "3 looks were planned before the first label, at 34, 67, 100 labels" in promise_of(planned_looks(100, looks=3))
    assert "hold together in 0.9 of studies" in promise_of(planned_looks(100, looks=3), 0.9)
    assert promise_of(planned_looks(100, looks=1)) == "one look, at 100 labels: the interval holds at its level"


@pytest.mark.parametrize(
    "name", ["precision", "accuracy", "prevalence", "negative_predictive_value", "false_omission_rate", "cost[0,1,5,0]"]
)
def test_metrics_that_divide_by_a_known_number_are_served(name: str) -> None:
    refuse_unplannable(metric_named(name))
    with pytest.raises(PlanError, match="learns from labels"):
        refuse_unplannable(metric_named(name), adaptive=True)


@pytest.mark.parametrize(
    "name", ["recall", "f1", "f2", "specificity", "jaccard", "mcc", "balanced_accuracy", "precision by amount", "macro[precision]"]
)
def test_metrics_that_divide_by_what_labels_say_are_refused(name: str) -> None:
    with pytest.raises(PlanError, match=r"planned looks (are for metrics whose denominator is known without labels|need a draw by)"):
        refuse_unplannable(metric_named(name))


def test_plans_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(PlanError, match="must be 1 to 10"):
        planned_looks(1_000, looks=MOST_LOOKS + 1)
    with pytest.raises(PlanError, match="must be 1 to 10"):
        planned_looks(1_000, looks=[])
    with pytest.raises(PlanError, match="increasing fractions"):
        planned_looks(1_000, looks=[0.5, 0.25, 1])
    with pytest.raises(PlanError, match="increasing fractions"):
        planned_looks(1_000, looks=[0.5, 0.9])
    with pytest.raises(PlanError, match="labels of its own"):
        planned_looks(4, looks=5)
    with pytest.raises(PlanError, match="first look needs at least 60 labels"):
        planned_looks(200, looks=4, fewest=60)
    with pytest.raises(PlanError, match="lower the budget"):
        planned_looks(500, looks=4, frame=400)
    with pytest.raises(PlanError, match="almost equal information"):
        planned_looks(100_000, looks=[0.9, 0.9001, 1])
    with pytest.raises(PlanError, match="level must lie"):
        planned_looks(500, looks=4, level=1.0)
