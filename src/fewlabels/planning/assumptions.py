"""Assumptions about the positives before labels are requested: scores calibrated, recalibrated, uninformative, or moved to a value.

An assumption never enters an estimate. It tells how many labels a goal needs if it is true.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.weighted import expit
from fewlabels.nouns.arrays import FloatArray
from fewlabels.planning.goal_scope import Ask

OFF = 4.0  # if scores are uninformative, missed positives are up to this many times as many or as few as the scores say
FURTHEST = 40.0  # the largest shift of log-odds


class Believed(NamedTuple):
    """The assumed positive share of each cell of an ask's part, one row per possibility, and the resulting metric."""

    share: FloatArray
    value: FloatArray


def at_their_word(ask: Ask) -> Believed:
    """The scores as calibrated probabilities; moved to the goal's expected value of the metric, if it has one."""
    share = ask.part.claimed(ask.classifier)
    if ask.goal.expected is not None and ask.has_value:
        share = moved(ask, share, ask.goal.expected)
    return believed(ask, share)


def believed(ask: Ask, *shares: FloatArray) -> Believed:
    """These possibilities, each with the resulting metric."""
    return Believed(np.stack(shares), np.array([ask.value(share) for share in shares]))


def recalibrated(ask: Ask, flagged: tuple[float, float], other: tuple[float, float]) -> Believed:
    """The scores recalibrated on each side, with log-odds a + b x of the guide's x: what a pilot or an earlier study has shown."""
    s = np.clip(ask.part.claimed(ask.classifier), CLIP, 1 - CLIP)
    x = np.log(s / (1 - s))
    one, zero = (expit(a + b * x) for a, b in (flagged, other))
    share = np.where(ask.part.predicted(ask.classifier), one, zero)
    return believed(ask, share if ask.goal.expected is None else moved(ask, share, ask.goal.expected))


def at_their_worst(ask: Ask) -> Believed:
    """The possibilities if scores are uninformative within a side.

    Half of the flagged units are positive, or as many as the scores say; as many positives are missed as found, or as many as the scores
    say, or four times as many or as few.
    """
    if not ask.has_worst:
        return at_their_word(ask)
    shares = list(_worst(ask))
    return believed(ask, *(shares if ask.goal.expected is None else [moved(ask, share, ask.goal.expected) for share in shares]))


def _worst(ask: Ask) -> Iterator[FloatArray]:
    flagged, count, claimed = ask.part.predicted(ask.classifier), ask.part.count, ask.part.claimed(ask.classifier)
    N1, N0 = float(count[flagged].sum()), float(count[~flagged].sum())
    found, missed = (float((claimed * count)[side].sum()) for side in (flagged, ~flagged))
    for one in (0.5, found / max(N1, 1)):
        for zero in dict.fromkeys((missed, missed * OFF, missed / OFF, one * N1)):
            yield np.where(flagged, one, min(zero / max(N0, 1), 0.5))


def moved(ask: Ask, share: FloatArray, value: float) -> FloatArray:
    """The shares with all log-odds shifted by one amount, each in the direction of its influence, until the metric has the value."""
    s = np.clip(share, CLIP, 1 - CLIP)
    x, direction = np.log(s / (1 - s)), ask.slopes(s)
    low, high = -FURTHEST, FURTHEST
    for _ in range(60):
        middle = (low + high) / 2
        if ask.value(expit(x + middle * direction)) < value:
            low = middle
        else:
            high = middle
    found = expit(x + high * direction)
    if abs(ask.value(found) - value) > 1e-3:
        raise PlanError(f"{ask.goal} expects {value:g}, but no share of positives gives {ask.metric.name} that value: name another")
    return found
