"""Where labels help several labels or classes at once: one risk per unit, the sum of the effects of each classifier's error there.

    risk_i = sum_j c_j(side) s_ij (1 - s_ij),      c_j = sum over goals of a_j^2 / sum over units of risk

a_j is the influence of a positive of classifier j on the goal, on the flagged and on the other side. The square root of the risk is
the unit's size in the draw: how much one more label there reduces the standard error. Derivation: docs/maths/joint.md.
"""

from collections.abc import Sequence

import numpy as np

from fewlabels.estimators.linearize import guided_totals, influence
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.profile import Profile

LARGEST_RISK = 0.25  # risks lie in [0, 1/4], where the ladder is fine near 0


def joint_totals(profile: Profile, classifiers: int) -> Totals:
    """The totals of every classifier if its scores are calibrated, one per classifier on the last axis."""
    each = [guided_totals(profile, profile.predicted(j), classifier=j) for j in range(classifiers)]
    return Totals(*(np.stack(parts, axis=-1) for parts in zip(*each, strict=True)))


def risk_of(profile: Profile, goals: Sequence[Goal], names: Sequence[str]) -> tuple[tuple[float, float], ...]:
    """The weight of each classifier's noise in the risk, unflagged and flagged. `names` are the classifiers, in order."""
    totals = joint_totals(profile, len(names))
    noise = _noise(profile, len(names))
    counts = np.zeros((len(names), 2))
    for goal in goals:
        squares = _squares(goal, totals, names)
        whole = float((squares * noise).sum())
        if whole > 0:
            counts += squares / whole
    largest = counts.max(axis=1).sum() / 4  # s (1 - s) is at most 1/4
    scaled = counts * (LARGEST_RISK / largest) if largest > 0 else np.full_like(counts, 1.0 / len(names))
    return tuple((float(unflagged), float(flagged)) for unflagged, flagged in scaled)


def _squares(goal: Goal, totals: Totals, names: Sequence[str]) -> FloatArray:
    """Squared influence of each classifier's positives on a goal: unflagged, flagged."""
    metric = goal.definition
    if metric.joint:
        a1, a0 = influence(metric, totals)
        return np.stack([a0, a1], axis=1) ** 2
    j = names.index(goal.classifier) if goal.classifier is not None else 0
    a1, a0 = influence(metric, Totals(*(t[j] for t in totals)))
    squares = np.zeros((len(names), 2))
    squares[j] = float(a0) ** 2, float(a1) ** 2
    return squares


def _noise(profile: Profile, classifiers: int) -> FloatArray:
    """The sum of s (1 - s) over unflagged and flagged units of each classifier, at the resolution of the cells."""
    noise = np.zeros((classifiers, 2))
    for j in range(classifiers):
        s, flagged = profile.claimed(j), profile.predicted(j)
        each = profile.count * s * (1 - s)
        noise[j] = each[~flagged].sum(), each[flagged].sum()
    return noise
