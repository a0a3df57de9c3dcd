"""What may be asked of a design, and that old ledgers say the same as ever."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.errors import PlanError
from fewlabels.nouns.design import DESIGNS, STRATIFIED, Cut, Design, parse_cut
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.plan import Plan
from tests.identities.made import checked, through_text


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("score:10", Cut("score", parts=10)),
        ("score:1", Cut("score", parts=1)),
        ("percentile:1000", Cut("percentile", parts=1000)),
        ("edges:0.1,0.5,0.9", Cut("edges", edges=(0.1, 0.5, 0.9))),
        ("edges:.25", Cut("edges", edges=(0.25,))),
        ("column:country", Cut("column", column="country")),
        ("column:a:b", Cut("column", column="a:b")),
    ],
)
def test_a_cut_is_read_as_typed(text: str, cut: Cut) -> None:
    assert parse_cut(text) == cut
    assert parse_cut(str(cut)) == cut


@pytest.mark.parametrize(
    "text",
    [
        "", "score", "score:", "score:0", "score:-1", "score:1001", "score:2.5", "score:ten", "percentile:", "deciles:10",
        "edges:", "edges:0", "edges:1", "edges:0.5,0.1", "edges:0.5,0.5", "edges:0.1,,0.5", "edges:nan", "edges:0.1;0.5",
        "column:", "column", "10", "score:10:10", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_cut_is_refused(text: str) -> None:
    with pytest.raises(PlanError, match=r"strata must be cut by .*: write percentile:10"):
        parse_cut(text)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"name": "neymann"}, "no design 'neymann': fewlabels knows bands, simple"),
        ({"cut": Cut("score", parts=3)}, "strata can be cut only for .* but the design is bands: leave the cut out"),
        ({"name": "poisson", "cut": Cut("score", parts=3)}, "but the design is poisson"),
        ({"name": "neyman", "smallest": 0}, "the smallest take must be at least 1 and is for strata only, but neyman has 0"),
        ({"name": "simple", "smallest": 5}, "but simple has 5: leave it out"),
        ({"takes": (5, 5)}, "takes is only for the design 'manual', but the design is 'bands': leave it out"),
        ({"name": "neyman", "expect": (0.4, 0.1)}, "expect is only for the design 'two_bins', but the design is 'neyman'"),
        ({"weights": (1.0, 1.0, 1.0)}, "weights is only for the design 'two_bins', but the design is 'bands'"),
        ({"pi": "rate"}, "pi is only for the design 'given', but the design is 'bands'"),
        ({"name": "manual"}, "design 'manual' needs the labels of each stratum, got none: name them"),
        ({"name": "given"}, "design 'given' needs the slice column"),
    ],
)
def test_what_does_not_belong_together_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Design(**asked)


inside = st.floats(0, 1, exclude_min=True, exclude_max=True)
edges = st.lists(inside, min_size=1, max_size=5, unique=True).map(lambda at: tuple(sorted(at)))
cuts = st.one_of(
    st.integers(1, 1000).map(lambda parts: Cut("score", parts=parts)),
    st.integers(1, 1000).map(lambda parts: Cut("percentile", parts=parts)),
    edges.map(lambda at: Cut("edges", edges=at)),
    st.text(min_size=1, max_size=9).map(lambda name: Cut("column", column=name)),
)


@st.composite
def choices(draw: st.DrawFn) -> Design:
    """Any choice that exists."""
    name = draw(st.sampled_from(DESIGNS))
    said: dict[str, Any] = {"name": name, "several": draw(st.sampled_from(["largest", "optimum"]))}
    if name in STRATIFIED:
        said |= {"cut": draw(st.none() | cuts), "smallest": draw(st.integers(1, 9))}
    if name == "manual":
        said["takes"] = tuple(draw(st.lists(st.integers(1, 99), min_size=1, max_size=5)))
    if name == "two_bins":
        said["expect"] = draw(st.none() | st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)))
        said["weights"] = draw(st.tuples(*[st.floats(0, 9)] * 3))
    if name == "given":
        said["pi"] = draw(st.text(min_size=1, max_size=9))
    return Design(**said)


@checked
@given(choices())
def test_a_choice_survives_the_ledger(choice: Design) -> None:
    assert Design.of_json(through_text(choice.as_json())) == choice


def test_the_usual_choice_says_nothing() -> None:
    assert Design().as_json() == {}
    assert Design(name="neyman").as_json() == {"name": "neyman"}


# ---------------------------------------------------------------- old ledgers


OLD_PLAN = {
    "number": 1,
    "goals": [
        {"metric": "recall", "kind": ">=", "value": 0.9, "classifier": None, "level": 0.95},
        {"metric": "f1", "kind": "+-", "value": 0.05, "classifier": "gbm", "level": 0.9},
    ],
    "design": {"name": "bands", "band": [0, 1, -1], "N": [50, 60], "mass": [1.0, 2.5]},
    "budget": 20,
    "take": [6, 14],
    "salt": "00ff",
    "grow_to": None,
    "change": "first",
    "share": 1.0,
    "promise": "one look",
    "interval": "rec",
}


def test_a_plan_of_an_old_ledger_is_written_as_it_was_and_keeps_its_hash() -> None:
    """The hash is that of the plan's canonical text: one new key would give every study in force another."""
    plan = Plan.of_json(OLD_PLAN)
    assert plan.as_json() == OLD_PLAN
    text = json.dumps(OLD_PLAN, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert plan.hash == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "change", [{"smallest": 3}, {"smallest": 0, "poisson": True}, {"poisson": True}], ids=["smallest", "Poisson", "Poisson of two"]
)
def test_what_is_new_in_a_design_is_in_the_plan_and_its_hash(change: dict[str, Any]) -> None:
    old = Plan.of_json(OLD_PLAN)
    new = replace(old, design=replace(old.design, **change))
    assert new.hash != old.hash
    again = Plan.of_json(through_text(new.as_json()))
    assert again.hash == new.hash
    assert (again.design.smallest, again.design.poisson) == (new.design.smallest, new.design.poisson)


@pytest.mark.parametrize("text", ["recall >= 0.9 in c=d", "recall >= 0.9 by c", "recall >= 0.9 with 0.9 power", "recall >= 0.9 if 0.95"])
def test_what_is_new_in_a_goal_is_in_the_plan_and_its_hash(text: str) -> None:
    old = Plan.of_json(OLD_PLAN)
    new = replace(old, goals=(parse_goal(text), old.goals[1]))
    assert new.hash != old.hash
    assert Plan.of_json(through_text(new.as_json())).goals == new.goals


def test_a_design_as_usual_has_no_new_keys() -> None:
    design = DrawDesign(name="bands", band=np.array([0, 1]), N=np.array([50, 60]), mass=np.array([1.0, 2.0]))
    assert list(design.as_json()) == ["name", "band", "N", "mass"]
