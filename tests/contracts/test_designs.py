"""What every design promises, whatever the profile: one band a unit, none across the sides, the whole budget, growth that adds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.designs.base import pi_of, seats_of, takes_of
from fewlabels.errors import PlanError
from fewlabels.nouns.design import DESIGNS, Cut, Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.frames import frame_of
from tests.contracts.designs_under_test import CHOICES, SLICES, design_for, drawn, sliced, table
from tests.contracts.engines_under_test import GBM, reference
from tests.identities.made import EPS, checked_less, profile_of, profiles, through_text
from tests.identities.test_bands import HOSTILE, ONE_SIDED

GOALS = [["precision"], ["recall"], ["f1"], ["prevalence"], ["mcc"], ["precision", "recall", "f2"]]
HOW = {"classifiers": (GBM,), "id": "id", "slices": SLICES}
POISSON = [name for name in CHOICES if name in ("poisson", "importance", "given")]


def test_every_design_is_under_test() -> None:
    profile = sliced(profile_of({(0, 10): 90, (1, 3000): 10}))
    assert {CHOICES[under](profile, [METRICS["f1"]]).name for under in CHOICES} == set(DESIGNS)


def check(under: str, profile: Profile, goals: list[str], labels: int) -> None:
    """A design that keeps every promise, made for a profile with a probability and a country."""
    profile, metrics = sliced(profile), [metric_named(name) for name in goals]
    flagged = profile.predicted(0)
    if len(goals) == 1 and goals[0] in ONE_SIDED and not (flagged == ONE_SIDED[goals[0]]).any():
        with pytest.raises(PlanError, match=f"{goals[0]} is a share of"):
            frame_of(profile, metrics)
        return
    design, labels = design_for(under, profile, metrics, labels)
    frame = frame_of(profile, metrics)
    assert ((design.band >= 0) == frame).all()  # every cell the goals need is in one band, no other
    assert (np.unique(design.band[frame]) == np.arange(design.N.size)).all()
    assert (np.bincount(design.band[frame], weights=profile.count[frame]) == design.N).all()
    if design.name != "simple":
        assert all(np.unique(flagged[design.band == band]).size == 1 for band in range(design.N.size))
    again = DrawDesign.of_json(through_text(design.as_json()))
    assert again.as_json() == design.as_json()
    check_growth(again, labels)


def check_growth(design: DrawDesign, labels: int) -> None:
    """Takes are the budget, no smaller than promised, and those of a larger budget hold them."""
    order = seats_of(design, min(labels + 60, design.frame))
    before, chance = np.zeros(design.N.size, dtype=np.int64), np.zeros(design.N.size)
    for n in sorted({labels, min(labels + 1, order.size), order.size}):
        take = takes_of(design, n)
        assert take.sum() == n
        assert (take == np.bincount(order[:n], minlength=design.N.size)).all()
        assert ((before <= take) & (take <= design.N)).all()
        assert (take >= np.minimum(design.N, design.smallest)).all()
        rounding = 16 * (design.N.size + 1) * EPS
        pi = pi_of(design, n)
        assert ((pi > 0) & (pi <= 1) & (pi >= chance * (1 - rounding))).all()
        assert abs((pi * design.N).sum() - n) <= rounding * n
        before, chance = take, pi
    assert (takes_of(design, design.frame) == design.N).all()
    with pytest.raises(PlanError, match="a draw can hold at most"):
        takes_of(design, design.frame + 1)


@pytest.mark.parametrize("under", CHOICES)
@checked_less
@given(profiles(), st.sampled_from(GOALS), st.one_of(st.integers(4, 60), st.integers(4, 2000)))
def test_a_design_keeps_its_promises(under: str, profile: Profile, goals: list[str], labels: int) -> None:
    check(under, profile, goals, labels)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("under", CHOICES)
def test_a_design_keeps_its_promises_on_hostile_profiles(under: str, name: str) -> None:
    for goals in GOALS:
        for guided, labels in ((True, 4), (False, 45), (True, 700)):
            check(under, profile_of(HOSTILE[name], guided=guided), goals, labels)


def test_a_band_across_the_sides_is_seen() -> None:
    """The twin: strata by country alone would hold flagged and other units in one."""
    profile = sliced(profile_of({(0, 10): 90, (1, 3000): 60}))
    simple = choose_design(profile, [METRICS["f1"]], labels=50, name="simple")
    assert np.unique(profile.predicted(0)[simple.band == 0]).size == 2


@pytest.mark.parametrize("under", CHOICES)
def test_a_budgets_units_hold_those_of_the_one_before(under: str, tmp_path: Path) -> None:
    engine = reference(table(), **HOW)
    profile = engine.profile()
    design, first = design_for(under, profile, [METRICS["f1"]], 50)
    held = drawn(engine, profile, design, first)
    assert len(set(held)) == first
    for n in (first + 1, first + 60, 200, 201, design.frame):
        units = drawn(engine, profile, design, n)
        assert units[: len(held)] == held  # not only the same units: in the same order
        assert len(set(units)) == n
        held = units


@pytest.mark.parametrize("name", POISSON)
def test_engines_draw_the_same_units_one_by_one(name: str, under, tmp_path: Path) -> None:
    memory, engine = reference(table(), **HOW), under.build(table(), tmp_path, **HOW)
    profile = memory.profile()
    design, labels = design_for(name, profile, [METRICS["f1"]], 60)
    assert design.poisson
    counted = engine.profile()
    for n in (1, labels, 250, design.frame):
        assert drawn(engine, counted, design, n) == drawn(memory, profile, design, n)


def test_a_unit_of_twice_the_probability_comes_first_twice_as_often() -> None:
    """One draw of 60 of 400: the rare units have a rate of 0.05, the others of 0.9, and come accordingly."""
    engine = reference(table(), **HOW)
    profile = engine.profile()
    design, _ = design_for("given", profile, [METRICS["f1"]], 60)
    likely = {unit for unit, pi in zip(table()["id"], table()["pi"], strict=True) if pi == "0.9"}
    seen = np.mean([unit in likely for unit in drawn(engine, profile, design, 60)])
    expected = 0.9 * len(likely) / (0.9 * len(likely) + 0.05 * (400 - len(likely)))
    assert abs(seen - expected) < 5 * np.sqrt(expected * (1 - expected) / 60)
    assert seen > 1.5 * len(likely) / 400


# ---------------------------------------------------------------- strata as asked for


def scored(*cells: tuple[int, float, int]) -> Profile:
    """A profile of (flagged, score, units)."""
    return profile_of({(flagged, int(bin_of(np.array([score]))[0])): units for flagged, score, units in cells})


def test_manual_takes_are_those_named() -> None:
    profile = scored((0, 0.001, 500), (0, 0.3, 300), (1, 0.6, 200), (1, 0.95, 100))
    choice = Design(name="manual", cut=Cut("edges", edges=(0.2, 0.9)), takes=(31, 2, 57, 9))
    cut = choose_design(profile, [METRICS["f1"]], labels=99, name=choice)
    assert cut.N.tolist() == [500, 300, 200, 100]  # unflagged from low to high, then flagged
    assert takes_of(cut, 99).tolist() == [31, 2, 57, 9]


def test_strata_have_the_shares_their_names_promise() -> None:
    profile = scored((0, 0.0001, 6000), (0, 0.3, 3000), (1, 0.6, 1000))
    at = {
        name: takes_of(choose_design(profile, [METRICS["f1"]], labels=100, name=Design(name=name, cut=Cut("edges", edges=(0.2,)))), 100)
        for name in ("proportional", "constant", "neyman")
    }
    assert at["proportional"].tolist() == [60, 30, 10]
    assert sorted(at["constant"].tolist()) == [33, 33, 34]
    rate = at["neyman"] / np.array([6000, 3000, 1000])
    assert rate[0] < rate[1] / 3  # nearly no error where the guide is sure
    assert rate[0] < rate[2] / 3


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Design(name="manual", cut=Cut("score", parts=1), takes=(5, 5, 5)), "there must be one take per stratum, got 3 for 2 strata"),
        (Design(name="manual", cut=Cut("score", parts=1), takes=(1, 5)), "a take must lie between 2 and the units of its stratum"),
        (Design(name="manual", cut=Cut("score", parts=1), takes=(5, 5000)), "a take must lie between 2 and the units"),
        (Design(name="neyman", cut=Cut("column", column="city")), "'city' is not one of .*: name it with --slice"),
        (Design(name="given", pi="city"), "'city' is not one of .*: name it with --slice too"),
        (Design(name="given", pi="country"), "given probabilities must lie in .* but the column holds 'at'"),
        (Design(name="constant", smallest=30), "2 strata of at least 30 labels need 60, but the budget is 50: raise it, or cut fewer"),
    ],
)
def test_what_a_design_cannot_be_made_of_is_refused(choice: Design, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        choose_design(sliced(profile_of({(0, 10): 90, (1, 3000): 60})), [METRICS["f1"]], labels=50, name=choice, slices=SLICES)
