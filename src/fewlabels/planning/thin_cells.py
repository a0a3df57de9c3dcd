"""Draws that were not made to compare two classifiers: whether a band that mixes disagreement cells leaves one without labels by chance.

Derivation: docs/maths/comparing.md.
"""

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import CELLS, PairGroups, matters
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.planning.contests import Contest
from fewlabels.planning.simulated_draws import spread_labels
from fewlabels.planning.sizing import smallest

FEWEST, THIN = 5.0, 0.1  # at most this share of a cell's units may lie where a band that mixes cells expects fewer labels than FEWEST


def thin_share(groups: PairGroups, design: DrawDesign, labels: int) -> FloatArray:
    """The share of each disagreement cell's units in groups that may get no label, because a band mixes cells.

    Such a group is part of a band and expects fewer than five of its labels. A draw made for the two classifiers has none.
    """
    at = groups.groups
    expected = spread_labels(at, design, labels)
    thin = (design.N[at.band] > at.N) & (expected < FEWEST)
    found, whole = (np.bincount(groups.cell, weights=at.N * chosen, minlength=CELLS) for chosen in (thin, np.ones(thin.shape)))
    return np.asarray(np.divide(found, whole, out=np.zeros(CELLS), where=whole > 0))


def refuse_thin(contest: Contest, design: DrawDesign, labels: int, *, names: tuple[str, str]) -> None:
    """Raise PlanError if the draw was not made for the two classifiers and leaves too much of a disagreement cell to chance."""
    groups, need = contest.groups(design), matters(contest.metric, contest.size)

    def served(n: int) -> bool:
        return not (need & (thin_share(groups, design, n) > THIN)).any()

    if served(labels):
        return
    enough = smallest(served, low=labels, high=design.frame)
    more = f"about {enough:,} labels of this draw would suffice" if enough is not None else "no number of labels of this draw suffices"
    raise PlanError(
        f"a difference needs {FEWEST:g} expected labels in each part of a band that {names[0]} and {names[1]} classify differently, but "
        f"{labels:,} labels of a draw made for other goals leave over {THIN:.0%} of a cell to chance: {more}, or draw for the comparison"
    )
