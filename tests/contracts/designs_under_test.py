"""Every design the contract is run on, with what it must be told. A new design is added to CHOICES; a test fails if one is missing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.engines.base import Engine
from fewlabels.nouns.design import STRATIFIED, Cut, Design, DesignName
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.frames import frame_of
from fewlabels.randomness import stream
from fewlabels.study.draw.fixed import draw_plan
from tests.contracts.engines_under_test import SALT

SLICES = ("pi", "country")
FEWEST = {name: 40 for name in STRATIFIED}  # two labels in each of ten strata a side

MANUAL = Cut("score", parts=1)


def _manual(profile: Profile, metrics: Sequence[Metric]) -> Design:
    """Nine labels of each side there is, unflagged first."""
    frame, flagged = frame_of(profile, metrics), profile.predicted(0)
    return Design(name="manual", cut=MANUAL, takes=tuple(int(min(9, n)) for n in _sizes(profile, frame, flagged)))


def _sizes(profile: Profile, frame: np.ndarray, flagged: np.ndarray) -> list[int]:
    return [int(n) for n in (profile.count[frame & side].sum() for side in (~flagged, flagged)) if n]


def _plainly(name: DesignName, **how: Any) -> Callable[[Profile, Sequence[Metric]], Design]:
    return lambda *_: Design(name=name, **how)


CHOICES: Mapping[str, Callable[[Profile, Sequence[Metric]], Design]] = {
    "bands": _plainly("bands"),
    "simple": _plainly("simple"),
    "proportional": _plainly("proportional"),
    "constant": _plainly("constant"),
    "constant, four each": _plainly("constant", smallest=4, cut=Cut("score", parts=3)),
    "neyman": _plainly("neyman"),
    "neyman at edges": _plainly("neyman", cut=Cut("edges", edges=(0.01, 0.2, 0.9))),
    "neyman by country": _plainly("neyman", cut=Cut("column", column="country")),
    "two_bins": _plainly("two_bins"),
    "two_bins as expected": _plainly("two_bins", expect=(0.4, 0.05), weights=(1.0, 1.0, 1.0), cut=MANUAL),
    "manual": _manual,
    "poisson": _plainly("poisson"),
    "importance": _plainly("importance"),
    "given": _plainly("given", pi="pi"),
}


def sliced(profile: Profile) -> Profile:
    """The profile with a probability and a country, as far as its one slice allows."""
    return replace(profile, slice_values=(("0.25", "at"),))


def design_for(under: str, profile: Profile, metrics: Sequence[Metric], labels: int) -> tuple[DrawDesign, int]:
    """The design and the budget it was made for: `labels`, or as few or many as it can be made for."""
    choice = CHOICES[under](profile, metrics)
    frame = int(profile.count[frame_of(profile, metrics)].sum())
    labels = min(max(labels, FEWEST.get(choice.name, 4)), frame)
    return choose_design(profile, metrics, labels=labels, name=choice, slices=SLICES), labels


def table(units: int = 400) -> dict[str, Any]:
    """A small population: scores mostly low, a probability that rises with them, two countries."""
    rng = stream(42, 31)
    score = rng.beta(0.5, 1.5, units)
    country = np.where(rng.random(units) < 0.3, "at", "be")
    return {"id": [f"u{i}" for i in range(units)], "s": score, "pi": np.where(score > 0.3, "0.9", "0.05"), "country": country}


def drawn(engine: Engine, profile: Profile, design: DrawDesign, budget: int) -> tuple[str, ...]:
    """The units of a plan of so many labels, in asking order."""
    plan = Plan(
        number=1,
        goals=(parse_goal("f1 +-0.1"),),
        design=design,
        budget=budget,
        take=takes_of(design, budget),
        salt=SALT,
        grow_to=None,
        change="first",
        share=1.0,
        promise="",
    )
    return draw_plan(engine, profile, plan).units.unit
