"""How many more labels should settle what is open, and where they would go.

Main path: population > profile > plan > draw > labels > estimate > [decision] > report
"""

from collections.abc import Collection, Sequence

import numpy as np

from assay.deciding.looks import spending
from assay.deciding.verdict import THIN_N_EFF, Reading, widest
from assay.designs.base import takes
from assay.estimators.effective import effective_n
from assay.estimators.grouping import Groups
from assay.estimators.measuring import measure, read_sides
from assay.nouns.arrays import FloatArray
from assay.nouns.decision import MoreLabels
from assay.nouns.plan import Plan
from assay.nouns.tally import Tally
from assay.planning.sizing import settles, smallest, smoothed_shares, spread_labels, tails


def more_labels(
    plans: Sequence[Plan], groups: Groups, readings: Sequence[Reading], labels: Tally, *, shown: Collection[int], answered: float = 1.0
) -> MoreLabels:
    """The labels that should settle every open goal and make no reading too thin: the declared growth if it does, else the fewest.

    Expected answers follow the smoothed shares of the labels so far (`labels`, by group), read at the error the next look may spend;
    a share `answered` of the units is expected to have a usable answer, as so far.
    """
    plan = plans[-1]
    frame = plan.design.frame
    shares = smoothed_shares(labels)

    def enough(budget: int) -> bool:
        n = answered * spread_labels(groups, plan.design, budget)
        share = spending(plans, budget=budget, grow_to=None, shown=shown).share
        return all(_settled(reading, groups, n, shares, share) for reading in readings)

    budget: int | None
    if plan.grow_to is not None and plan.grow_to <= frame and enough(plan.grow_to):
        budget = plan.grow_to
    else:
        budget = smallest(enough, low=min(plan.budget + 1, frame), high=frame)
    target = frame if budget is None else budget
    added = takes(plan.design.mass, plan.design.N, target) - plan.take
    flagged_share = np.bincount(groups.band, weights=groups.N * groups.flagged, minlength=plan.design.N.size) / plan.design.N
    flagged = round(float((added * flagged_share).sum()))
    total = target - plan.budget
    return MoreLabels(labels=total, flagged=flagged, unflagged=total - flagged, enough=budget is not None)


def _settled(reading: Reading, groups: Groups, n: FloatArray, shares: FloatArray, share: float) -> bool:
    """Whether the expected answers settle a goal and are not too thin."""
    tally = groups.tally(n, n * shares)
    metric = reading.goal.definition
    two, one = tails(reading.goal, share=share)
    kind = reading.estimate.interval
    shown = measure(metric, tally, tail=two, interval=kind)
    if shown.half_width > widest(metric) or not settles(reading.goal, shown, measure(metric, tally, tail=one, interval=kind)):
        return False
    sides = read_sides(tally)
    n_eff = effective_n(
        metric, tally, shown, p1=float(np.nan_to_num(sides.flagged.p)), p0=float(np.nan_to_num(sides.other.p)), tail=two, interval=kind
    )
    return n_eff is not None and n_eff >= THIN_N_EFF
