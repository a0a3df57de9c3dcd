"""The evidence about the flagged and the other side, and the limits of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from fewlabels.estimators.arriving import arriving, arriving_limits
from fewlabels.estimators.assisting import assisted, assisted_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.base import End
from fewlabels.intervals.registered import interval_named, side_limits_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.evidence import Bands, Evidence, Limits, Rest
from fewlabels.nouns.late import Arrivals
from fewlabels.nouns.tally import Tally

AT_END = 1e-5  # of a limit: it is where the units end


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
        self.known: dict[tuple[bool, float, IntervalKind], Limits] = {}
        self.ends: dict[tuple[bool, float, IntervalKind, End], Limits] = {}
        self._simple: dict[tuple[bool, bool, float, float], Sides] = {}

    def __iter__(self) -> Iterator[Evidence]:
        """The flagged side, then the other."""
        return iter((self.flagged, self.other))

    def of_simple(self, key: tuple[bool, bool, float, float], read: Callable[[], "Sides"]) -> "Sides":
        """The sides of simple draws with these shares, read once for all metrics. key: the sides drawn from, the least and the most n."""
        if key not in self._simple:
            self._simple[key] = read()
        return self._simple[key]

    def limits(self, tail: float, interval: IntervalKind, *, flagged: bool, needed: bool, joined: bool) -> Limits:
        """The interval's limits for a side; a point if the metric does not depend on it. joined: if it depends on both sides."""
        side = self.part(flagged=flagged)
        if not needed:
            return side_limits(side, tail, interval, needed=False)
        key = (flagged, tail, interval)
        if key not in self.known:
            self.known[key] = side_limits(side, tail, interval)
        return _joined_if(joined, side, self.known[key], tail, interval)

    def part(self, *, flagged: bool) -> Evidence:
        """One side."""
        return self.flagged if flagged else self.other


def prepare(several: Sequence[Sides], tails: Sequence[float], interval: IntervalKind) -> None:
    """Compute the limits of both sides of each at several tails at once, which costs little more than one of them."""
    wanted = [(sides, flagged, tail) for sides in several for flagged in (True, False) for tail in tails]
    counted = [(sides, flagged, tail) for sides, flagged, tail in wanted if _is_counted(sides.part(flagged=flagged))]
    if interval_named(interval).ends_with_units:
        found = limits_at([sides.part(flagged=flagged) for sides, flagged, _ in counted], [tail for *_, tail in counted], interval)
        for (sides, flagged, tail), limits in zip(counted, found, strict=True):
            sides.known[flagged, tail, interval] = limits


def with_ends(sides: Sides, tail: float, interval: IntervalKind, ends: Mapping[bool, End]) -> Sides | None:
    """The sides with one limit of each at a tail: that which a bound of the metric depends on; None if only both can be computed.

    ends   for the flagged (True) and the other side (False) that matter
    """
    of_end = interval_named(interval).of_end
    parts = [sides.part(flagged=flagged) for flagged in ends]
    if of_end is None or not all(_is_counted(part) and part.arrived is None for part in parts):
        return None
    found = Sides(*sides)
    for flagged, end in ends.items():
        held = sides.ends.get((flagged, tail, interval, end))
        found.known[flagged, tail, interval] = of_end(sides.part(flagged=flagged), tail, end) if held is None else held
    return found


class Wanted(NamedTuple):
    """A limit of a side at a tail: both, or one alone."""

    sides: Sides
    flagged: bool
    tail: float
    end: End | None = None

    @property
    def part(self) -> Evidence:
        """The side."""
        return self.sides.part(flagged=self.flagged)

    @property
    def alike(self) -> tuple[object, ...]:
        """What sides have in common whose limits are computed at once: about as many bands, so that few are empty."""
        assert self.part.bands is not None  # asked of counted sides
        return (self.end, self.part.p.shape, self.part.bands.magnitude)


def prepare_each(wanted: Sequence[Wanted], interval: IntervalKind) -> None:
    """Compute the limits of many sides, those that are alike at once; of a single band as exactly as alone."""
    kind = interval_named(interval)
    groups: dict[tuple[object, ...], list[Wanted]] = {}
    for one in wanted:
        if kind.ends_with_units and _is_counted(one.part) and one.part.arrived is None:
            groups.setdefault(one.alike, []).append(one)
    for some in groups.values():
        found = limits_at([one.part for one in some], [one.tail for one in some], interval, end=some[0].end)
        for one, limits in zip(some, found, strict=True):
            if one.end is None:
                one.sides.known[one.flagged, one.tail, interval] = limits
            else:
                one.sides.ends[one.flagged, one.tail, interval, one.end] = limits


def read_sides(tally: Tally) -> Sides:
    """The evidence about both sides of a tally."""
    one, zero = (tally.side(flagged=flagged) for flagged in (True, False))
    come = tally.arrivals or Arrivals(None, None)
    found = (_beside_known(assisted(read_side(side), side), side) for side in (one, zero))
    return Sides(*(arriving(side, arrived) for side, arrived in zip(found, come, strict=True)))


def _beside_known(found: Evidence, side: Tally) -> Evidence:
    """The evidence about a side, with that about its other units if the answers to some count as they are known."""
    if side.known is None:
        return found
    open_groups = ~(side.known & (side.n >= side.N).all(axis=tuple(range(side.n.ndim - 1))))
    if open_groups.all():
        return found
    rest = side.pick(open_groups)
    held = np.where(open_groups, 0.0, side.k).sum(-1) / side.N.sum()
    return found._replace(rest=Rest(read_side(rest), float(rest.N.sum() / side.N.sum()), held))


def _with_known(side: Evidence, rest: Rest, limits: Limits) -> Limits:
    """The limits of a side from those of the units whose answers were not known: the others add the same to all of them.

    Unlike a variance, the shape of an interval depends on how many positives carry the chance: known ones carry none.
    """
    low, high = (np.clip(end * rest.share + rest.held, 0, 1) if rest.share else rest.held for end in limits)
    return Limits(low, high)


def side_limits(side: Evidence, tail: float, interval: IntervalKind, *, needed: bool = True, joined: bool = False) -> Limits:
    """The interval's limits for a side; a point if the metric does not depend on it. joined: for MOVER, with those of other sides."""
    if not needed:
        return Limits(np.zeros_like(side.p), np.zeros_like(side.p))
    if side.arrived is not None and side.alone is not None:
        return arriving_limits(side, side_limits(side.alone, tail, interval, joined=joined), tail)
    limits_of = side_limits_of(interval, what="a share of one side")
    by_bands = interval_named(interval).ends_with_units and side.bands is not None  # then bands whose answers are known are exact
    if side.rest is not None and not by_bands:
        limits = _with_known(side, side.rest, limits_of(side.rest.evidence, tail))
    else:
        limits = limits_of(side, tail) if side.alone is None else assisted_limits(side, limits_of(side.alone, tail), tail)
    return _joined_if(joined, side, limits, tail, interval)


def _joined_if(joined: bool, side: Evidence, limits: Limits, tail: float, interval: IntervalKind) -> Limits:
    return joined_limits(side, limits, tail) if joined and interval_named(interval).ends_with_units else limits


def joined_limits(side: Evidence, limits: Limits, tail: float) -> Limits:
    """The limits of a side for MOVER, which adds arms as it adds standard errors.

    Where a limit is all that the unlabeled units allow, the truth may well lie on it: with one unit left it does, most of the time. Its arm
    is then no measure of the error, and at least that of the standard error counts.
    """
    if side.bands is None:
        return limits
    N, n, k = side.bands
    units = np.maximum(np.where(n > 0, N, 0.0).sum(-1), 1)
    seen, left = (np.where(n > 0, counts, 0.0).sum(-1) / units * (1 - side.unlabeled) for counts in (k, N - n))
    reach = -ndtri(tail) * np.sqrt(side.v)
    low = np.where(limits.low <= seen * (1 + AT_END), np.minimum(limits.low, side.p - reach), limits.low)
    most = seen + left + side.unlabeled
    high = np.where(limits.high >= most * (1 - AT_END), np.maximum(limits.high, side.p + reach), limits.high)
    known = np.isfinite(side.p)
    return Limits(np.where(known, np.clip(low, 0, 1), limits.low), np.where(known, np.clip(high, 0, 1), limits.high))


def limits_of_each(sides: Sequence[Evidence], tail: float, interval: IntervalKind) -> list[Limits]:
    """The interval's limits for each of many sides, for MOVER; those with bands at once, since a call costs more than a side."""
    takes_many = interval_named(interval).ends_with_units
    counted = [side for side in sides if takes_many and _is_counted(side)]
    at_once = iter(limits_at(counted, [tail] * len(counted), interval))
    return [
        joined_limits(side, next(at_once), tail) if takes_many and _is_counted(side) else side_limits(side, tail, interval, joined=True)
        for side in sides
    ]


def limits_at(sides: Sequence[Evidence], tails: Sequence[float], interval: IntervalKind, *, end: End | None = None) -> list[Limits]:
    """The limits of each side with bands at its tail, by one call; or one end of them."""
    if not sides:
        return []
    limits_of, of_end = side_limits_of(interval, what="a share of one side"), interval_named(interval).of_end
    each: Any = np.stack([np.broadcast_to(tail, sides[0].p.shape) for tail in tails])  # an array, as OfSide allows
    limits = limits_of(_stacked(sides), each) if end is None or of_end is None else of_end(_stacked(sides), each, end)
    return [Limits(low, high) for low, high in zip(*limits, strict=True)]


def _is_counted(side: Evidence) -> bool:
    """Whether the limits are made from the counts of its bands alone."""
    return side.bands is not None and bool(side.bands.N.size) and side.alone is None


def _stacked(sides: Sequence[Evidence]) -> Evidence:
    """Sides with bands as one, its first axis over the sides; those with fewer bands are filled up with empty ones."""
    shape = sides[0].p.shape
    most = max(side.bands.N.shape[-1] for side in sides if side.bands is not None)

    def stack(name: str) -> FloatArray:
        return np.stack([np.broadcast_to(getattr(side, name), shape) for side in sides])

    bands = [np.stack([_filled(side.bands[i], shape, most) for side in sides if side.bands is not None]) for i in range(len(Bands._fields))]
    apart = {"bands": Bands(*bands), "alone": None, "rest": None}
    return Evidence._make(apart[name] if name in apart else stack(name) for name in Evidence._fields)


def _filled(counts: FloatArray, shape: tuple[int, ...], most: int) -> FloatArray:
    whole = np.zeros((*shape, most))
    whole[..., : counts.shape[-1]] = counts
    return whole
