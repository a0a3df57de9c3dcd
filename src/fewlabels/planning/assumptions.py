"""What is believed of the positives before labels are asked: the scores at their word, recalibrated, at their worst, or moved to a value.

A belief never enters an estimate. It says how many labels a goal needs if it is so.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.weighted import expit
from fewlabels.nouns.arrays import FloatArray
from fewlabels.planning.goal_scope import Ask

OFF = 4.0  # at the worst, positives missed are this many times as many or few as the scores say
FURTHEST = 40.0  # log-odds beyond which nothing is moved


class Believed(NamedTuple):
    """The positive share of each cell of an ask's part, one row a possibility, and the metric if it is so."""

    share: FloatArray
    value: FloatArray


def at_their_word(ask: Ask) -> Believed:
    """Scores taken as true probabilities; moved so that the metric is what the goal expects it to be, where it says."""
    share = ask.part.claimed(ask.classifier)
    if ask.goal.expected is not None and ask.has_value:
        share = moved(ask, share, ask.goal.expected)
    return believed(ask, share)


def believed(ask: Ask, *shares: FloatArray) -> Believed:
    """These possibilities, each with the metric it makes."""
    return Believed(np.stack(shares), np.array([ask.value(share) for share in shares]))


def recalibrated(ask: Ask, flagged: tuple[float, float], other: tuple[float, float]) -> Believed:
    """Scores recalibrated on each side, log-odds a + b x of the guide's x: what a pilot or an earlier study has shown."""
    s = np.clip(ask.part.claimed(ask.classifier), CLIP, 1 - CLIP)
    x = np.log(s / (1 - s))
    one, zero = (expit(a + b * x) for a, b in (flagged, other))
    share = np.where(ask.part.predicted(ask.classifier), one, zero)
    return believed(ask, share if ask.goal.expected is None else moved(ask, share, ask.goal.expected))


def at_their_worst(ask: Ask) -> Believed:
    """Scores that say nothing inside a side: half of the flagged units positive, or as many as the scores say; as many positives missed
    as found, or four times as many or few as the scores say.
    """  # noqa: D205
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
    """The shares with their log-odds moved alike, up where that raises the metric and down where it lowers it, until it has the value."""
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
        raise PlanError(f"{ask.goal} expects {value:g}, but no share of positives makes {ask.metric.name} that: name another value")
    return found
