"""The dyadic ladder: which bin a score in [0, 1] falls into, identical on every engine.

A score s is binned by t = s below 1/2 and by t = 1 - s (exact in IEEE arithmetic) from 1/2 on:

    t >= 2^-4            floor(t * 2^10)      448 bins, each 2^-10 wide
    t >= 2^-8            floor(t * 2^12)      240 bins, each 2^-12 wide
    ... down to t >= 2^-32, 240 bins per rung of four octaves
    t <  2^-32           one bin

Multiplying by a power of two is exact, so no bin depends on rounding; a linear grid would put nearly all of a rare-event
population into its first bin. Bins are numbered upward with the score, 0 .. BINS - 1; NO_BIN marks a score that is null, NaN or
outside [0, 1], MISSING a null where a population allows it.
If a population has no guide, every unit is in bin 0, the only one (`Profile.guided` is False).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewlabels.nouns.arrays import FloatArray, IntArray, own_floats


class Rung(NamedTuple):
    """Scores t with low <= t < high get the bin floor(t * scale) + offset."""

    low: float
    high: float
    scale: float
    offset: int


def _rungs() -> tuple[Rung, ...]:
    """The rungs from the top (t near 1/2) down; offsets make the half's bins run from 1 (the lowest rung) upward."""
    edges = [(2.0**-4, 2.0**-1, 2.0**10)] + [(2.0**-e, 2.0 ** -(e - 4), 2.0 ** (e + 4)) for e in range(8, 33, 4)]
    rungs: list[Rung] = []
    start = 1  # bin 0 of a half is t < 2^-32
    for low, high, scale in reversed(edges):
        rungs.append(Rung(low, high, scale, start - int(low * scale)))
        start += int((high - low) * scale)
    return tuple(reversed(rungs))


RUNGS = _rungs()
HALF_BINS = int(0.5 * RUNGS[0].scale) + RUNGS[0].offset  # bins of t in [0, 1/2)
BINS = 2 * HALF_BINS + 1  # the upper half includes t = 1/2 itself, which needs one more bin
NO_BIN = -1


def _half_bin(t: NDArray[np.float64]) -> IntArray:
    """Bin of t in [0, 1/2] within its half."""
    found = np.zeros(t.shape, dtype=np.int64)
    for rung in RUNGS:
        inside = (t >= rung.low) & ((t < rung.high) if rung is not RUNGS[0] else np.ones(t.shape, dtype=bool))
        found[inside] = np.floor(t[inside] * rung.scale).astype(np.int64) + rung.offset
    return found


def bin_of(score: NDArray[np.float64]) -> IntArray:
    """The bin of each score; NO_BIN where the score is NaN or outside [0, 1]. The reference all engines must match."""
    s = np.asarray(score, dtype=np.float64)
    bins = np.full(s.shape, NO_BIN, dtype=np.int64)
    with np.errstate(invalid="ignore"):
        lower, upper = (s >= 0) & (s < 0.5), (s >= 0.5) & (s <= 1)
    bins[lower] = _half_bin(s[lower])
    bins[upper] = BINS - 1 - _half_bin(1.0 - s[upper])
    return bins


def _middles() -> FloatArray:
    """The middle of each bin; the lowest and highest bin stand for 2^-34 and 1 - 2^-34."""
    half = np.empty(HALF_BINS + 1)
    half[0] = 2.0**-34
    for rung in RUNGS:
        steps = np.arange(int(rung.low * rung.scale), int(rung.high * rung.scale))
        half[steps + rung.offset] = (steps + 0.5) / rung.scale
    half[HALF_BINS] = 0.5
    return own_floats(np.concatenate([half[:HALF_BINS], 1.0 - half[::-1]]))


def _edges() -> FloatArray:
    """Where each bin begins, and where the last ends: bin b lies within [edge b, edge b + 1]."""
    half = np.zeros(HALF_BINS + 1)
    for rung in RUNGS:
        steps = np.arange(int(rung.low * rung.scale), int(rung.high * rung.scale))
        half[steps + rung.offset] = steps / rung.scale
    half[HALF_BINS] = 0.5
    return own_floats(np.concatenate([half, 1.0 - half[::-1]]))


MIDDLES = _middles()
EDGES = _edges()
MISSING = BINS  # the bin of a unit without a score, where a population allows one
STEP = 64  # bins of the ladder that make one step: about a factor of two near 0 and 1


def step_of(bins: IntArray) -> IntArray:
    """The step of each bin: the resolution at which a candidate for a guide is read."""
    return bins >> 6


def step_middle(step: IntArray) -> FloatArray:
    """The score in the middle of each step."""
    return np.asarray(MIDDLES[np.minimum(step * STEP + STEP // 2, BINS - 1)])
