"""The design of a study's next draw: one draw for all its goals, or the one it has, split for many more labels."""

from dataclasses import replace

import numpy as np

from fewlabels.designs.extending import HeldByCell, grow_design
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw import NO_BAND
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.study.plan.one_draw import ColumnNames, OneDraw, PlanOptions
from fewlabels.study.state.standing import Standing


def first_design(standing: Standing, budget: int, choice: Design, interval: IntervalKind) -> DrawDesign:
    """The design of a study's first plan: one draw for all its goals."""
    names = ColumnNames(standing.classifiers, standing.population["slices"])
    draw = OneDraw(standing.profile, standing.goals, PlanOptions(choice, interval), names)
    found = draw.design(budget)
    return replace(found, band=found.band[draw.home])


def grown_design(standing: Standing, budget: int) -> DrawDesign:
    """The design of a larger budget: that of the last plan, its bands split where they would get twice the labels of a band.

    Bands are split by scores and sizes alone, never by labels. They stay as they are in a study that was extended or began with a pilot,
    with a design of the user's own, and as long as units are planned but not drawn.
    """
    last, units, labels = standing.plan, standing.units, budget - standing.plan.check
    own = last.choice is not None or last.design.name != "bands" or last.design.poisson
    if own or standing.profiles or last.pilot is not None or units is None or not standing.is_drawn or budget <= last.budget:
        return last.design
    band = last.design.band
    rate = np.where(band >= 0, (last.take / last.design.N)[band], 0.0)
    units = units.pick(np.flatnonzero(units.band != NO_BAND)) if last.check else units
    cells = standing.profile.cells(units.pattern, units.guide_bin, units.slice)
    held = HeldByCell(band, rate, np.bincount(cells, minlength=band.size))
    fresh = first_design(standing, labels, Design(), last.interval)
    if ((band >= 0) != (fresh.band >= 0)).any():
        return last.design
    split = grow_design(standing.profile, held, fresh, labels=labels)
    return last.design if split is None else replace(split, judged=last.design.judged)
