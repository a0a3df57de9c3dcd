"""Pilots: a first round of labels, a guide fitted to them, and a second round drawn by that guide.

The second round has its own salt, so that given the pilot it is an independent draw of the units the pilot left; the two rounds are
combined with a weight locked before the first label, never pooled (`estimators/phases.py`).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.deciding.error_spending import spending
from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw import Units
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.plan import Pilot, Plan
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import Ask, ask_of, cells_of
from fewlabels.planning.guiding import fit_guide, pilot_weight
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import labels_needed
from fewlabels.study.plan.one_draw import ColumnNames
from fewlabels.study.state.fitted_guide import columns_of, guide_of
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import read_answers

SMALLEST_PILOT = 20


def pilot_of(budget: int, pilot: int, frame: int) -> Pilot:
    """How labels are divided and weighted, locked before the first one. Raise PlanError if the pilot is too small or too large."""
    if not SMALLEST_PILOT <= pilot <= budget / 2:
        raise PlanError(
            f"a pilot must have at least {SMALLEST_PILOT} labels and at most half of the budget, got {pilot:,} of {budget:,}: "
            "a quarter is usual"
        )
    return Pilot(pilot, budget, pilot_weight(pilot, budget, frame=frame))


class Steered(NamedTuple):
    """A profile under another guide, and the position of each of its cells in the original profile."""

    profile: Profile
    order: IntArray


def steer(profile: Profile, guide: FloatArray, left: IntArray) -> Steered:
    """The cells that have units left, under another guide, in the usual order of profiles."""
    kept = np.flatnonzero(left > 0)
    bins = ladder.bin_of(guide[kept])
    order = kept[np.lexsort((profile.slice[kept], bins, profile.pattern[kept]))]
    share = left[order] / profile.count[order]
    return Steered(
        replace(
            profile,
            guide_bin=ladder.bin_of(guide[order]),
            pattern=profile.pattern[order],
            slice=profile.slice[order],
            count=left[order],
            guided=True,
            weight=None if profile.weight is None else np.maximum((profile.weight[order] * share).astype(np.int64), 0),
        ),
        order,
    )


def plan_rest(standing: Standing) -> Plan:
    """The plan after a pilot whose units are all resolved: a guide fitted to its labels, and bands of the units it left."""
    pilot = standing.plan
    assert pilot.pilot is not None  # asked only of a pilot
    assert standing.units is not None
    answers = read_answers(standing)
    told = np.isfinite(answers.positive[:, 0])
    if not told.any():
        raise PlanError("the pilot has no usable answer: have somebody answer its units, or plan without a pilot")
    fitted = fit_guide(columns_of(standing)[answers.cell[told]], answers.positive[told, 0], own=0)
    coefficients = (fitted.intercept, *fitted.slopes)
    left = standing.profile.count - np.bincount(answers.cell, minlength=standing.profile.count.size)
    design = _rest_design(standing, guide_of(standing, coefficients), left, pilot.pilot.total - pilot.pilot.labels)
    spend = spending(standing.plans, budget=pilot.pilot.total, grow_to=None, shown=standing.shown_plans)
    return Plan(
        number=2,
        goals=standing.goals,
        design=design,
        budget=pilot.pilot.total,
        take=takes_of(design, pilot.pilot.total - pilot.pilot.labels),
        salt=f"{standing.salt}:rest",
        number_rule=standing.number_rule,
        grow_to=None,
        change=spend.change,
        share=spend.share,
        promise=spend.promise,
        interval=pilot.interval,
        interval_from=pilot.interval_from,
        alarm=pilot.alarm,
        pilot=pilot.pilot,
        guide=coefficients,
    )


def _rest_design(standing: Standing, guide: FloatArray, left: IntArray, labels: int) -> DrawDesign:
    """The bands of the second round, aligned with the cells of the study's profile; N counts the units the pilot left."""
    steered = steer(standing.profile, guide, left)
    names = ColumnNames(standing.classifiers, standing.population["slices"])
    asks = _asks_left(steered.profile, standing, names)
    needs = [labels_needed(ask, interval=standing.plan.interval) for ask in asks] if len(asks) > 1 else [None]
    found = design_together(steered.profile, asks, needs, labels=labels, choice=Design(), slices=names.slices)
    band = np.full(standing.profile.count.size, -1, dtype=np.int64)
    band[steered.order] = found.band
    return replace(found, band=band)


def _asks_left(profile: Profile, standing: Standing, names: ColumnNames) -> list[Ask]:
    """What the goals still need from the units a pilot left; a slice it labeled completely needs nothing more."""
    found = []
    for goal in standing.goals:
        cells = cells_of(profile, goal.slice, names.slices)
        if cells.any() and not (ask := Ask(goal, 0, cells, profile.part(cells))).is_empty:
            found.append(ask)
    return found or [ask_of(profile, replace(standing.goals[0], metric="prevalence", kind="+-", value=0.1, slice=None, expected=None))]


def pilot_units(standing: Standing) -> Units | None:
    """The units of the pilot, if the current plan follows one; otherwise None."""
    before = standing.plan.before
    return None if not before or standing.units is None else standing.units.pick(np.arange(before))
