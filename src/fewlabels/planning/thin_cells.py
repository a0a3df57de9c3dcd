"""Draws that were not made for two classifiers: whether a band that crosses what they tell apart leaves it to chance.

Derivation: docs/maths/comparing.md.
"""

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import CELLS, PairGroups, matters
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.planning.contests import Contest
from fewlabels.planning.forecasting import spread_labels
from fewlabels.planning.sizing import smallest

FEWEST, THIN = 5.0, 0.1  # a cell may have this share of its units where a band that crosses cells expects fewer labels than FEWEST


def thin_share(groups: PairGroups, design: DrawDesign, labels: int) -> FloatArray:
    """The share of each disagreement cell's units where a band that crosses cells leaves to chance whether any label comes.

    Such a group is part of a band, and expects fewer than five labels of it. A draw made for the two has none.
    """
    at = groups.groups
    expected = spread_labels(at, design, labels)
    thin = (design.N[at.band] > at.N) & (expected < FEWEST)
    found, whole = (np.bincount(groups.cell, weights=at.N * chosen, minlength=CELLS) for chosen in (thin, np.ones(thin.shape)))
    return np.asarray(np.divide(found, whole, out=np.zeros(CELLS), where=whole > 0))


def refuse_thin(contest: Contest, design: DrawDesign, labels: int, *, names: tuple[str, str]) -> None:
    """Nothing comes back. Refuses to read the difference from a draw that was not made for the two and leaves a cell to chance."""
    groups, need = contest.groups(design), matters(contest.metric, contest.size)

    def served(n: int) -> bool:
        return not (need & (thin_share(groups, design, n) > THIN)).any()

    if served(labels):
        return
    enough = smallest(served, low=labels, high=design.frame)
    more = f"about {enough:,} labels of this draw would do" if enough is not None else "no number of labels of this draw will do"
    raise PlanError(
        f"a difference needs {FEWEST:g} labels expected in each part of a band that {names[0]} and {names[1]} tell apart, but {labels:,} "
        f"labels of a draw made for something else leave more than {THIN:.0%} of a cell to chance: {more}, or draw for the comparison"
    )
