"""How far existing labels serve a goal that was added later, and how many more it needs.

pi(c) = max(pi_held, max over new goals of pi_g(c n_g)),      c such that the rates sum to the labels held and added
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.designs.extending import HeldByCell, extend_design
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.profile import Profile
from fewlabels.planning.forecasting import Forecast, forecast
from fewlabels.planning.frames import sides_of
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.shared_draw import pattern_of, scaled
from fewlabels.planning.sizing import labels_needed, nearly_smallest


class Late(NamedTuple):
    """Goals added after units were drawn, on the profile that distinguishes their predictions.

    asks   the asks of the new goals
    needs  labels each would need if nothing were labeled yet; None if more than there are units
    judged all classifiers whose predictions are distinguished, by position
    """

    profile: Profile
    held: HeldByCell
    asks: Sequence[Ask]
    needs: Sequence[int | None]
    judged: Sequence[int]

    @property
    def labels(self) -> int:
        """The number of units drawn so far."""
        return int(self.held.units.sum())

    @property
    def frame(self) -> int:
        """The number of units that the earlier goals or these are about."""
        return int(self.profile.count[self.reached].sum())

    @property
    def reached(self) -> BoolArray:
        """The cells that the earlier goals or these are about."""
        inside = self.held.band >= 0
        for ask in self.asks:
            inside[ask.cells] |= ask.needed
        return inside


def late(
    profile: Profile, held: HeldByCell, asks: Sequence[Ask], *, judged: Sequence[int], interval: IntervalKind = USUAL_INTERVAL
) -> Late:
    """The new goals, sized as if nothing were labeled yet."""
    return Late(profile, held, asks, [labels_needed(ask, interval=interval) for ask in asks], judged)


def late_design(at: Late, labels: int) -> DrawDesign:
    """The design that keeps every unit drawn and has `labels` labels in all."""
    wanted = [ask.frame if need is None else need for ask, need in zip(at.asks, at.needs, strict=True)]
    count = np.where(at.reached, at.profile.count, 0).astype(np.float64)

    def rates(c: float) -> FloatArray:
        return np.asarray(np.maximum.reduce([at.held.rate, *(ask.rates(c * n) for ask, n in zip(at.asks, wanted, strict=True))]))

    pi = scaled(rates, count, labels) if at.asks and labels > at.labels else at.held.rate
    pattern = pattern_of(at.profile, at.judged)
    flagged = sides_of(at.profile, at.judged[0])
    told = flagged.astype(np.int64) if pattern is None else pattern
    return replace(extend_design(at.profile, at.held, pi=pi, pattern=told, flagged=flagged, labels=labels), judged=tuple(at.judged))


def late_forecast(at: Late, ask: Ask, labels: int, *, interval: IntervalKind = USUAL_INTERVAL) -> Forecast | None:
    """The forecast of a goal for `labels` labels, those held included; None if the draw misses units it is about."""
    design = late_design(at, labels)
    reached = np.zeros(at.profile.count.shape, dtype=np.bool_)
    reached[ask.cells] = ask.needed
    if (design.band[reached] < 0).any():
        return None
    return forecast(ask, design, labels, interval=interval, take=takes_of(design, labels))


def labels_with_reuse(at: Late, *, interval: IntervalKind = USUAL_INTERVAL) -> int | None:
    """Labels in all, those held included, that settle every new goal; None if not even a census does."""

    def short(n: int) -> float:
        found = [late_forecast(at, ask, n, interval=interval) for ask in at.asks]
        return max(2.0 if one is None else one.short for one in found)

    known = [n for n in at.needs if n is not None]
    return nearly_smallest(short, low=at.labels, high=at.frame, start=min(at.frame, at.labels + max(known, default=0) // 2))
