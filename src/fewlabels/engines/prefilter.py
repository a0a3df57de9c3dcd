"""Prefiltering of a draw before bins are computed: a constant bound, and the few parts of the table that need a wider one.

Most bands take one unit in thousands, a few small ones every second or all. One constant, the largest bound, would then let the whole
table pass. A sieve passes

    number < bound,     or the guide within one of a few ranges,     or the pattern among a few

chosen so that the fewest units pass; each unit that passes is then compared with the bound of its own band, so a sieve only saves work.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.profile import Profile
from fewlabels.randomness import TOP

MOST_PARTS = 8  # ranges or patterns of a sieve


class Sieve(NamedTuple):
    """What passes: numbers below `bound`, guides within a range, the guide's absence, or these patterns; `units` is the expected number."""

    bound: int
    units: float
    ranges: tuple[tuple[float, float], ...] = ()
    missing: bool = False
    patterns: tuple[int, ...] = ()

    @property
    def lets_all_pass(self) -> bool:
        """Whether everything passes."""
        return self.bound >= TOP


def sieve_of(profile: Profile, *, band: IntArray, bound: IntArray) -> Sieve:
    """Return the sieve that the fewest units pass, including every unit below its bound."""
    wanted = np.where(band >= 0, bound[np.maximum(band, 0)], 0)
    by_pattern = _by(profile.pattern, profile.count, wanted)
    if not profile.guided:
        return by_pattern
    return min(_by_guide(profile, wanted), by_pattern, key=lambda sieve: sieve.units)


def _by(part: IntArray, count: IntArray, wanted: IntArray) -> Sieve:
    """Return the best sieve by pattern."""
    patterns, place = np.unique(part, return_inverse=True)
    widest, units = _widest(place, patterns.size, wanted), np.bincount(place, weights=count)
    best = Sieve(bound=int(widest.max()), units=float(units.sum()) * float(widest.max()) / TOP)
    for bound in np.unique(widest)[:-1].tolist():
        beyond = widest > bound
        passing = float(units[beyond].sum()) + float(units[~beyond].sum()) * bound / TOP
        if beyond.sum() <= MOST_PARTS and passing < best.units:
            best = Sieve(bound=bound, units=passing, patterns=tuple(patterns[beyond].tolist()))
    return best


def _by_guide(profile: Profile, wanted: IntArray) -> Sieve:
    """Return the best sieve by ranges of the guide."""
    bins = ladder.BINS + 1  # the last is that of a missing guide
    widest, units = (
        _widest(profile.guide_bin, bins, wanted),
        np.bincount(profile.guide_bin, weights=profile.count, minlength=bins).astype(np.float64),
    )
    best = Sieve(bound=int(widest.max()), units=float(units.sum()) * float(widest.max()) / TOP)
    for bound in np.unique(widest)[:-1].tolist():
        beyond = _ranges(widest[:-1] > bound, units[:-1])
        inside = np.zeros(bins, dtype=np.bool_)
        for low, high in beyond:
            inside[low : high + 1] = True
        inside[-1] = widest[-1] > bound
        passing = float(units[inside].sum()) + float(units[~inside].sum()) * bound / TOP
        if passing < best.units:
            edges = tuple((float(ladder.EDGES[low]), float(ladder.EDGES[high + 1])) for low, high in beyond)
            best = Sieve(bound=bound, units=passing, ranges=edges, missing=bool(inside[-1]))
    return best


def _widest(place: IntArray, places: int, wanted: IntArray) -> IntArray:
    """Return the largest bound at each position."""
    widest = np.zeros(places, dtype=np.int64)
    np.maximum.at(widest, place, wanted)
    return widest


def _ranges(beyond: BoolArray, units: FloatArray) -> list[tuple[int, int]]:
    """Return runs of bins (first, last), joined across the gaps with the fewest units until there are few enough."""
    at = np.flatnonzero(beyond)
    if not at.size:
        return []
    below = np.concatenate([[0.0], np.cumsum(units)])
    gap = below[at[1:]] - below[at[:-1] + 1]  # units between neighboring bins; joining across empty bins is free
    split = np.flatnonzero(gap > 0)
    if split.size >= MOST_PARTS:
        split = np.sort(split[np.argsort(gap[split], kind="stable")[-(MOST_PARTS - 1) :]])
    first, last = [0, *(split + 1).tolist()], [*split.tolist(), at.size - 1]
    return [(int(at[a]), int(at[b])) for a, b in zip(first, last, strict=True)]
