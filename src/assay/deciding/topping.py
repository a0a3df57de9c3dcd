"""How many more labels should settle what is open, and where they would go.

Main path: population > profile > plan > draw > labels > estimate > [decision] > report
"""

from collections.abc import Sequence

import numpy as np

from assay.deciding.verdict import THIN_HALF_WIDTH, THIN_N_EFF, Reading
from assay.designs.base import takes
from assay.estimators.effective import effective_n
from assay.estimators.grouping import Groups
from assay.estimators.measuring import measure, read_sides
from assay.nouns.arrays import FloatArray
from assay.nouns.decision import MoreLabels
from assay.nouns.plan import Plan
from assay.planning.sizing import settles, smallest, smoothed_shares, spread_labels, tails


def more_labels(plan: Plan, groups: Groups, readings: Sequence[Reading], *, share: float) -> MoreLabels:
    """The smallest larger budget whose expected answers settle every open goal and make no reading too thin.

    Expected answers follow the smoothed shares of the labels so far; `share` is what the next look may spend.
    """
    frame = plan.design.frame
    shares = smoothed_shares(readings[0].tally) if readings[0].tally.N.size == groups.N.size else groups.expected

    def enough(budget: int) -> bool:
        n = spread_labels(groups, plan.design, budget)
        return all(_settled(reading, groups, n, shares, share) for reading in readings)

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
    shown = measure(metric, tally, tail=two)
    if shown.half_width > THIN_HALF_WIDTH or not settles(reading.goal, shown, measure(metric, tally, tail=one)):
        return False
    sides = read_sides(tally)
    n_eff = effective_n(metric, tally, shown, p1=float(np.nan_to_num(sides.flagged.p)), p0=float(np.nan_to_num(sides.other.p)), tail=two)
    return n_eff is not None and n_eff >= THIN_N_EFF
