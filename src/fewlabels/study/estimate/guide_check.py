"""Whether the labels contradict the guide, and which interval is read if they do.

The draw believes the guide about where errors are, and so does an interval that trusts the scores. A study with such an interval whose
labels contradict the guide is read by the one its plan names for that case, the strict one; see docs/maths/calibration.md.
"""

import numpy as np

from fewlabels.estimators.calibration import Mismatch, check_guide
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.study.state.pages import UNUSABLE
from fewlabels.study.state.standing import Standing


def guide_alarms(standing: Standing) -> list[Mismatch]:
    """The parts of the labels in which the guide is not calibrated; empty if there is no evidence against it, or no guide."""
    units = standing.units
    if units is None or not standing.profile.guided:
        return []
    alarms: list[Mismatch] = []
    for j, classifier in enumerate(standing.read_population().classifiers[: None if standing.profile.claims is not None else 1]):
        codes = standing.counted(classifier.question)
        drawn = (units.band >= 0) & ~_arriving(standing)
        rows = np.flatnonzero((codes > UNUSABLE) & (units.guide_bin < ladder.MISSING) & drawn)  # a missing score predicts nothing
        claimed = _claims(standing, j)[rows]
        yes = classifier.value if classifier.value is not None else "yes"
        positive = codes[rows] == standing.code_of(yes)
        if classifier.score is not None or standing.profile.claims is None:
            rank = units.guide_bin[rows] if standing.profile.claims is None else None
            alarms += check_guide(claimed, ((units.pattern[rows] >> j) & 1).astype(np.bool_), positive, rank=rank)
    return alarms


def _arriving(standing: Standing) -> BoolArray:
    """Which units are of a side whose positives arrive by themselves: how many there are is not known before all have."""
    come, units = standing.arrivals, standing.units
    if come is None or units is None:
        return np.zeros(standing.rows, dtype=np.bool_)
    return np.where((units.pattern & 1) > 0, come.flagged is not None, come.unflagged is not None)


def interval_in_force(standing: Standing) -> IntervalKind:
    """The interval that numbers are read by: the plan's, or the one it names for a guide that the labels contradict."""
    plan = standing.plan
    return plan.alarm if plan.alarm is not None and guide_alarms(standing) else plan.interval


def _claims(standing: Standing, classifier: int) -> FloatArray:
    """The probability each drawn unit's guide claims: the guide's bin, or its own score if several labels or classes are judged."""
    units = standing.units
    assert units is not None  # asked only of a study with units
    if standing.profile.claims is None:
        return ladder.MIDDLES[np.minimum(units.guide_bin, ladder.BINS - 1)]
    low, high = standing.read_population().classifiers[classifier].score_range
    return np.asarray(np.clip((units.scores[:, classifier] - low) / (high - low), 0, 1))
