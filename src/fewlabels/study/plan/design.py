"""The design of a study's next draw: one draw for all its goals, or the one it has, split for many more labels."""

from dataclasses import replace

import numpy as np

from fewlabels.designs.extending import HeldByCell, grow_design
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.planning.goal_scope import Ask, kept_columns, merge
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import labels_needed
from fewlabels.study.plan.sizes import ColumnNames, asks_for, narrowed
from fewlabels.study.state.standing import Standing


def first_design(standing: Standing, budget: int, choice: Design, interval: IntervalKind) -> DrawDesign:
    """The design of a study's first plan: one draw for all its goals."""
    names = ColumnNames(standing.classifiers, standing.population["slices"])
    if standing.profile.claims is not None:
        return design_together(standing.profile, asks_for(standing.profile, standing.goals, names), [None], labels=budget, choice=choice)
    keep = kept_columns(standing.goals, choice)
    merged = merge(standing.profile, keep, names.slices)
    asks = _answerable(asks_for(merged.profile, standing.goals, ColumnNames(names.classifiers, keep)))
    coarse = narrowed(standing.profile, standing.goals, choice, names)  # as the sizes that people are shown
    sized = _answerable(asks_for(coarse[0], standing.goals, coarse[1])) if len(asks) > 1 else []
    needs = [labels_needed(ask, interval=interval) for ask in sized] or [None]
    found = design_together(merged.profile, asks, needs, labels=budget, choice=choice, slices=keep)
    return replace(found, band=found.band[merged.home])


def _answerable(asks: list[Ask]) -> list[Ask]:
    """Without goals that have no units, which do not block the others; one for a slice is refused: no group could hold its labels."""
    return [ask for ask in asks if ask.goal.slice is not None or not ask.is_empty] or asks


def grown_design(standing: Standing, budget: int) -> DrawDesign:
    """The design of a larger budget: that of the last plan, its bands split where they would get twice the labels of a band.

    Bands are split by scores and sizes alone, never by labels. They stay as they are in a study that was extended or began with a pilot,
    with a design of the user's own, and as long as units are planned but not drawn.
    """
    last, units = standing.plan, standing.units
    own = last.choice is not None or last.design.name != "bands" or last.design.poisson
    if own or standing.profiles or last.pilot is not None or units is None or not standing.is_drawn or budget <= last.budget:
        return last.design
    band = last.design.band
    rate = np.where(band >= 0, (last.take / last.design.N)[band], 0.0)
    cells = standing.profile.cells(units.pattern, units.guide_bin, units.slice)
    held = HeldByCell(band, rate, np.bincount(cells, minlength=band.size))
    fresh = first_design(standing, budget, Design(), last.interval)
    if ((band >= 0) != (fresh.band >= 0)).any():
        return last.design
    split = grow_design(standing.profile, held, fresh, labels=budget)
    return last.design if split is None else replace(split, judged=last.design.judged)
