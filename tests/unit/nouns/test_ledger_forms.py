"""Nouns as plain data: what is written is read back, and what cannot be valid does not exist."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.designs.base import takes
from fewlabels.errors import DrawError, PlanError, PopulationError
from fewlabels.estimators.estimating import estimate
from fewlabels.nouns.arrays import own_floats, own_ints
from fewlabels.nouns.draw import Units
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from tests.identities.made import checked_less, profile_of, profiles, tallies, tally_of, through_text


def plan_of(design: DrawDesign, budget: int, **other: Any) -> Plan:
    fields: dict[str, Any] = {
        "number": 1,
        "goals": (parse_goal("recall +-0.05"), parse_goal("f0.5 >= 0.8 for gbm")),
        "design": design,
        "budget": budget,
        "take": takes(design.mass, design.N, budget),
        "salt": "00ff",
        "grow_to": None,
        "change": "first",
        "share": 1.0,
        "promise": "one look",
    }
    return Plan(**{**fields, **other})


def units_of(ids: tuple[str, ...], **other: Any) -> Units:
    column = np.arange(len(ids))
    names = ("number", "band", "guide_bin", "pattern", "slice")
    fields: dict[str, Any] = {**dict.fromkeys(names, column), "scores": np.full((len(ids), 2), 0.1)}
    return Units(unit=ids, **{**fields, **other})


@checked_less
@given(profiles())
def test_profiles_designs_and_plans_survive_the_ledger(profile: Profile) -> None:
    assert Profile.of_json(through_text(profile.as_json())).fingerprint == profile.fingerprint
    labels = min(20, profile.N)
    design = choose_design(profile, [METRICS["f1"]], labels=labels)
    again = DrawDesign.of_json(through_text(design.as_json()))
    assert again.as_json() == design.as_json()
    assert (again.mass == design.mass).all()
    plan = plan_of(design, labels)
    assert Plan.of_json(through_text(plan.as_json())).hash == plan.hash


def test_a_plan_that_differs_anywhere_has_another_hash() -> None:
    design = DrawDesign(name="bands", band=np.array([0, 1]), N=np.array([50, 60]), mass=np.array([1.0, 2.0]))
    hashes = {plan_of(design, 20, **change).hash for change in ({}, {"salt": "0"}, {"share": 0.5}, {"grow_to": 30}, {"number": 2})}
    assert len(hashes) == 5


@checked_less
@given(st.lists(st.lists(st.none() | st.floats(0, 1), min_size=2, max_size=2), min_size=1, max_size=5))
def test_a_missing_score_is_null_in_the_ledger_and_unknown_again_after_it(scores: list[list[float | None]]) -> None:
    units = units_of(tuple(map(str, range(len(scores)))), scores=np.array(scores, dtype=np.float64))
    written = through_text(units.as_json())
    assert written["scores"] == scores
    again = Units.of_json(written)
    assert np.array_equal(again.scores, units.scores, equal_nan=True)
    assert again.as_json() == units.as_json()


def test_no_units_survive_the_ledger() -> None:
    assert len(Units.of_json(through_text(units_of(()).as_json()))) == 0


@pytest.mark.lengthy
@checked_less
@given(tallies())
def test_estimates_survive_the_ledger(tally: Tally) -> None:
    for metric in METRICS.values():
        found = estimate(metric, tally, classifier="gbm", level=0.95, planned=True)
        again = Estimate.of_json(through_text(found.as_json()))
        assert again == found
        assert (again.half_width, again.design_effect) == (found.half_width, found.design_effect)


def test_an_unknown_value_is_null_beside_a_reason() -> None:
    tally = tally_of([1, 0], [50, 500], [5, 20], [0, 0])
    found = estimate(METRICS["recall"], tally, classifier="gbm", level=0.95, planned=True)
    written = through_text(found.as_json())
    assert (written["value"], written["standard_error"], written["n_eff"], written["design_effect"]) == (None, None, None, None)
    assert "0/0" in written["why"]
    assert (written["low"], written["high"], written["half_width"]) == (0.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("N", "mass"), [([], []), ([0], [1.0]), ([5, 5], [1.0, 0.0]), ([5], [float("nan")])], ids=["none", "no unit", "no mass", "unknown mass"]
)
def test_a_band_without_units_or_mass_does_not_exist(N: list[int], mass: list[float]) -> None:
    with pytest.raises(PlanError):
        DrawDesign(name="bands", band=own_ints([0]), N=own_ints(N), mass=own_floats(mass))


def test_takes_that_are_not_the_budget_do_not_exist() -> None:
    design = DrawDesign(name="simple", band=np.array([0]), N=np.array([50]), mass=np.array([1.0]))
    with pytest.raises(PlanError, match="takes must sum to the budget"):
        plan_of(design, 20, take=np.array([19]))


def test_a_unit_drawn_twice_does_not_exist() -> None:
    with pytest.raises(DrawError, match="'a' came twice"):
        units_of(("a", "b", "a"))
    with pytest.raises(DrawError, match="one length"):
        units_of(("a", "b"), band=np.array([0]))


@pytest.mark.parametrize("cells", [{}, {(0, 3): 0}], ids=["empty", "empty cell"])
def test_a_profile_without_units_does_not_exist(cells: dict[tuple[int, int], int]) -> None:
    with pytest.raises(PopulationError):
        profile_of(cells)


def test_a_profile_out_of_order_does_not_exist() -> None:
    data = profile_of({(0, 3): 1, (1, 2): 4}).as_json()
    with pytest.raises(PopulationError, match="must be sorted"):
        Profile.of_json({**data, "pattern": [1, 0]})


def test_nouns_own_their_arrays() -> None:
    N = np.array([50, 60])
    design = DrawDesign(name="bands", band=np.array([0, 1]), N=N, mass=np.array([1.0, 2.0]))
    N[0] = 7
    assert design.N[0] == 50
    with pytest.raises(ValueError, match="read-only"):
        design.N[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        profile_of({(0, 3): 1}).count[0] = 2
