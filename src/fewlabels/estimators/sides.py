"""The evidence about the flagged and the other side, and the limits of each."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.registered import side_limits_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.tally import Tally


class Measured(NamedTuple):
    """A metric with its limits and standard error; arrays over replicates. NaN if unknown."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray

    @property
    def half_width(self) -> FloatArray:
        """max(high - value, value - low); half the width if there is no value."""
        reach = np.maximum(self.high - self.value, self.value - self.low)
        return np.where(np.isfinite(self.value), reach, (self.high - self.low) / 2)


class Sides:
    """The evidence about the flagged and the other side, and the limits of each, computed once for all metrics."""

    def __init__(self, flagged: Evidence, other: Evidence) -> None:
        """Hold the evidence."""
        self.flagged, self.other = flagged, other
        self._limits: dict[tuple[bool, float, IntervalKind], Limits] = {}
        self._simple: dict[tuple[bool, bool, float, float], Sides] = {}

    def __iter__(self) -> Iterator[Evidence]:
        """The flagged side, then the other."""
        return iter((self.flagged, self.other))

    def of_simple(self, key: tuple[bool, bool, float, float], read: Callable[[], "Sides"]) -> "Sides":
        """The sides of simple draws with these shares, read once for all metrics. key: the sides drawn from, the least and the most n."""
        if key not in self._simple:
            self._simple[key] = read()
        return self._simple[key]

    def limits(self, tail: float, interval: IntervalKind, *, flagged: bool, needed: bool) -> Limits:
        """The interval's limits for a side; a point if the metric does not depend on it."""
        side = self.flagged if flagged else self.other
        if not needed:
            return side_limits(side, tail, interval, needed=False)
        key = (flagged, tail, interval)
        if key not in self._limits:
            self._limits[key] = side_limits(side, tail, interval)
        return self._limits[key]


def read_sides(tally: Tally) -> Sides:
    """The evidence about both sides of a tally."""
    return Sides(read_side(tally.side(flagged=True)), read_side(tally.side(flagged=False)))


def side_limits(side: Evidence, tail: float, interval: IntervalKind, *, needed: bool = True) -> Limits:
    """The interval's limits for a side; a point if the metric does not depend on it."""
    if not needed:
        return Limits(np.zeros_like(side.p), np.zeros_like(side.p))
    return side_limits_of(interval, what="a share of one side")(side, tail)
