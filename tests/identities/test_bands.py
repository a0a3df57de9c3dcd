"""Bands on hostile profiles: every unit in one band, no band across the sides, two labels each."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.designs.bands import USUAL, inclusion
from fewlabels.designs.base import SMALLEST_TAKE, takes
from fewlabels.engines.opening import open_engine
from fewlabels.errors import PlanError
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.linearize import sizes
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.ladder import BINS
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.frames import frame_of
from fewlabels.study.population.read import read_population
from tests.identities.made import EPS, Cells, checked, checked_less, profile_of, profiles

HOSTILE: dict[str, Cells] = {
    "one unit": {(1, 7): 1},
    "one unit a side": {(0, 7): 1, (1, 9): 1},
    "three units": {(0, 7): 2, (1, 9): 1},
    "one cell": {(0, 100): 5000},
    "all tied": {(0, 2000): 900, (1, 2000): 100},
    "all flagged": {(1, b): 10 for b in range(0, BINS, 50)},
    "none flagged": {(0, b): 10 for b in range(0, BINS, 50)},
    "scores all 0 or 1": {(0, 0): 9900, (1, BINS - 1): 100},
    "guide reversed": {(1, 0): 9900, (0, BINS - 1): 100},
    "one heavy bin": {(0, 0): 1, (0, 1000): 1_000_000, (0, 4000): 1, (1, 4000): 2},
    "just above the reference": {(0, 10): 98, (0, 2000): 15, (0, 2100): 1, (1, 3000): 104},
    "a billion units": {(0, b): 10_000_000 for b in range(100)} | {(1, BINS - 1): 3},
}
GOALS = [
    ["precision"],
    ["recall"],
    ["f1"],
    ["accuracy"],
    ["prevalence"],
    ["negative_predictive_value"],
    ["mcc"],
    ["precision", "recall", "f2"],
    ["precision", "false_omission_rate"],
]
ONE_SIDED = {"precision": True, "negative_predictive_value": False}  # the side each is a share of: flagged or not


def check(profile: Profile, goals: list[str], labels: int) -> DrawDesign | None:
    """A design that keeps every promise of bands; None where the goals have no frame."""
    metrics = [metric_named(name) for name in goals]
    flagged = profile.predicted(0)
    if len(goals) == 1 and (share_of := ONE_SIDED.get(goals[0])) is not None and not (flagged == share_of).any():
        with pytest.raises(
            PlanError, match=f"{goals[0]} is a share of the {'flagged' if share_of else 'unflagged'} units, but the classifier has none"
        ):
            frame_of(profile, metrics)
        return None
    frame = frame_of(profile, metrics)
    if len(goals) == 1 and goals[0] in ONE_SIDED:
        assert (frame == (flagged == ONE_SIDED[goals[0]])).all()
    else:
        assert frame.all()
    units = int(profile.count[frame].sum())
    labels = min(max(labels, 2 * SMALLEST_TAKE), units)
    design = choose_design(profile, metrics, labels=labels)
    assert ((design.band >= 0) == frame).all()  # every unit of the frame in one band, no other
    assert (np.unique(design.band[frame]) == np.arange(design.N.size)).all()
    assert (np.bincount(design.band[frame], weights=profile.count[frame]) == design.N).all()
    assert design.frame == units
    for band in range(design.N.size):
        assert np.unique(flagged[design.band == band]).size == 1  # no band crosses a side
    for side in (flagged & frame, ~flagged & frame):
        in_order = design.band[side][np.argsort(profile.guide_bin[side], kind="stable")]
        assert (np.diff(in_order) >= 0).all()  # bands follow the guide, so one bin is never split
    take = takes(design.mass, design.N, labels)
    assert (take >= np.minimum(design.N, SMALLEST_TAKE)).all()
    assert SMALLEST_TAKE * design.N.size <= labels or labels == units
    return design


@checked_less
@given(profiles(), st.sampled_from(GOALS), st.one_of(st.integers(4, 14), st.integers(4, 3000)))
def test_bands_keep_their_promises(profile: Profile, goals: list[str], labels: int) -> None:
    check(profile, goals, labels)


@pytest.mark.parametrize("goals", GOALS, ids="+".join)
@pytest.mark.parametrize("name", HOSTILE)
def test_bands_keep_their_promises_on_hostile_profiles(name: str, goals: list[str]) -> None:
    for guided in (True, False):
        for labels in (4, 5, 11, 100, 1000):
            check(profile_of(HOSTILE[name], guided=guided), goals, labels)


def test_a_band_cannot_be_made_of_fewer_labels_than_two_a_side() -> None:
    with pytest.raises(PlanError, match="at least 4 labels, but the budget is 3"):
        choose_design(profile_of({(0, 7): 50, (1, 9): 50}), [METRICS["f1"]], labels=3)


@checked
@given(profiles(), st.sampled_from(sorted(METRICS)), st.integers(4, 3000))
def test_no_region_is_left_out_whatever_the_guide_says(profile: Profile, name: str, labels: int) -> None:
    flagged, count = profile.predicted(0), profile.count.astype(np.float64)
    pi = inclusion(sizes(profile, flagged, [METRICS[name]]), count, flagged, min(labels, profile.N))
    total = min(labels, profile.N)
    rounding = 8 * (count.size + 1) * EPS
    assert abs((pi * count).sum() - total) <= rounding * total
    assert (pi >= USUAL.even * total / profile.N * (1 - rounding)).all()
    assert (pi <= 1).all()


@checked_less
@given(profiles(), st.integers(10, 500))
def test_groups_of_a_design_are_its_bands_ordered_by_side_and_guide(profile: Profile, labels: int) -> None:
    labels = min(labels, profile.N)
    for name in ("bands", "simple"):
        design = choose_design(profile, [METRICS["f1"]], labels=labels, name=name)
        groups = groups_of(profile, design)
        assert groups.N.sum() == profile.N == groups.N1 + groups.N0
        assert groups.N[groups.flagged].sum() == groups.N1
        assert (np.bincount(groups.of_cell, weights=profile.count) == groups.N).all()
        assert (groups.flagged[groups.of_cell] == profile.predicted(0)).all()
        assert (groups.band[groups.of_cell] == design.band).all()
        assert (np.diff(groups.flagged.astype(int)) >= 0).all()
        for side in (True, False):
            assert (np.diff(groups.logit[groups.flagged == side]) >= 0).all()


def test_a_unit_that_weighs_as_much_as_two_labels_is_certain() -> None:
    """One payment of 50 times the others' weight: whatever its score, no draw may miss it."""
    amount = np.where(np.arange(400) == 7, 50.0, 1.0)
    population = read_population(
        {"id": np.arange(400), "score": np.linspace(0.001, 0.999, 400), "amount": amount}, score="score", threshold=0.5, weight="amount"
    )
    profile = open_engine(population).profile()
    design = choose_design(profile, [metric_named("prevalence by amount")], labels=60)
    heavy = int(profile.mass.argmax())
    band = design.band[heavy]
    assert takes(design.mass, design.N, 60)[band] == design.N[band]
    twin = choose_design(replace(profile, weight=None), [metric_named("prevalence")], labels=60)
    assert takes(twin.mass, twin.N, 60)[twin.band[heavy]] < twin.N[twin.band[heavy]]
