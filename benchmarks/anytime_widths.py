"""How wide the running band is: limits on a grid that is fine near the truth, between its points by straight lines of its root."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.anytime_paths import BAND, BATCH, ERROR, Paths, Setting, drawn
from fewlabels.intervals.anytime import EFFECTS, Wealth, band_of, bet, no_evidence
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

NEAREST, GROWING = 0.001, 1.22  # offsets of the grid from the truth
AT_ONCE = 500  # paths that are walked together
PRUNE = 25  # draws between two checks of which values are still in question


def fine_grid(truth: float) -> FloatArray:
    """Values from 0 to 1, the nearer to the truth the closer; the truth is one of them."""
    offsets = NEAREST * GROWING ** np.arange(40)
    m = np.concatenate([truth - offsets, [truth], truth + offsets])
    ends = np.array([0.0, 0.001, 0.004])
    return np.unique(np.concatenate([ends, 1 - ends, m[(m > 0) & (m < 1)]]))


def limits(best: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The limits of each path, between the last value refuted and the first that is not; NaN where none is left."""
    height = best.max(axis=-1)
    alive = height < BAND
    first, last = alive.argmax(axis=1), m.size - 1 - alive[:, ::-1].argmax(axis=1)
    some = alive.any(axis=1)
    low, high = (np.where(some, _between(m, height, inside, step), np.nan) for inside, step in ((first, -1), (last, 1)))
    return low, high


def _between(m: FloatArray, height: FloatArray, inside: IntArray, step: int) -> FloatArray:
    """Where the evidence passes the limit, between the last value inside the band and its neighbor outside; that one if it is ruled out.

    The root of the evidence is taken for a straight line: it grows about as the square of the distance.
    """
    outside, rows = np.clip(inside + step, 0, m.size - 1), np.arange(inside.size)
    here, there = height[rows, inside], height[rows, outside]
    known = np.isfinite(there) & (there > here)
    a, b = (np.sqrt(np.where(known, height, float(i))) for i, height in enumerate((here, there)))
    part = np.where(known, (np.sqrt(BAND) - a) / (b - a), 1.0)
    return np.asarray(m[inside] + np.clip(part, 0, 1) * (m[outside] - m[inside]))


class Widths(NamedTuple):
    """Half-widths at every look, shape (paths, looks); whether the truth was outside, at every look; labels at each look."""

    half: FloatArray
    missed: BoolArray
    labels: FloatArray


def widths(
    at: Setting,
    *,
    looks: Sequence[int],
    paths: int,
    rng: np.random.Generator,
    effects: FloatArray = EFFECTS,
    until: float = 0.0,
    fewest: int = 0,
) -> Widths:
    """The band at each look. After at least `fewest` labels it ends once every path of a part is as narrow as `until`: 0 from then on."""
    parts = [
        _some(at, looks=looks, paths=min(AT_ONCE, paths - start), rng=rng, effects=effects, until=(until, fewest))
        for start in range(0, paths, AT_ONCE)
    ]
    return Widths(np.concatenate([p.half for p in parts]), np.concatenate([p.missed for p in parts]), parts[0].labels)


def _some(
    at: Setting, *, looks: Sequence[int], paths: int, rng: np.random.Generator, effects: FloatArray, until: tuple[float, int]
) -> Widths:
    m, position = fine_grid(at.truth), {t: i for i, t in enumerate(looks)}
    evidence = no_evidence((paths,), m, effects)
    half, missed = np.zeros((paths, len(looks))), np.zeros((paths, len(looks)), dtype=np.bool_)
    for t, steps in enumerate(drawn(Paths(at, paths), T=max(looks), rng=rng), start=1):
        evidence = bet(evidence, at.terms, steps, m, N=float(at.size), effects=effects)
        if t in position:
            low, high = limits(evidence.best, m)
            half[:, position[t]], missed[:, position[t]] = (high - low) / 2, ~((low <= at.truth) & (at.truth <= high))
            if t >= until[1] and not (half[:, position[t]] > until[0]).any():  # an empty band has no width, and has stopped too
                break
        if t % PRUNE == 0:
            m, evidence = in_question(m, evidence)
    return Widths(half, missed, np.array(looks, dtype=np.float64))


def in_question(m: FloatArray, evidence: Wealth, margin: int = 1) -> tuple[FloatArray, Wealth]:
    """The values that some path has not refuted, and a margin on each side: the others stay refuted for good."""
    rows = np.flatnonzero((evidence.best < BAND).all(axis=-1).any(axis=0))
    kept = slice(max(0, int(rows[0]) - margin), int(rows[-1]) + margin + 1)
    return m[kept], Wealth(evidence.wealth[:, kept], evidence.best[:, kept])


class Stops(NamedTuple):
    """Labels until the band was as narrow as asked, whether the truth was outside then, and paths that never were."""

    labels: FloatArray
    missed: BoolArray
    unfinished: int


def stops(found: Widths, half_width: float) -> Stops:
    """The first look at which the band is as narrow as asked; an empty band has stopped too, and missed."""
    narrow = ~(found.half > half_width)
    first = narrow.argmax(axis=1)
    done = narrow.any(axis=1)
    rows = np.arange(first.size)
    labels = np.where(done, found.labels[first], found.labels[-1])
    return Stops(labels, found.missed[rows, first], int((~done).sum()))


class Agreed(NamedTuple):
    """Paths that missed by the evidence at the truth, by the band on an even grid, by both; and grid points."""

    by_truth: int
    by_grid: int
    by_both: int
    paths: int
    points: int
    half: float  # mean half-width at the end by the even grid, and by straight lines on the fine one
    fine: float


def agreement(at: Setting, *, paths: int, T: int, points: int, rng: np.random.Generator) -> Agreed:
    """The same paths judged at the truth, and by the band as a study shows it at every look."""
    grid = np.linspace(0, 1, points + 2)[1:-1]
    m = np.unique(np.concatenate([grid, fine_grid(at.truth)]))
    evidence, missed = no_evidence((paths,), m), np.zeros(paths, dtype=np.bool_)
    for t, steps in enumerate(drawn(Paths(at, paths), T=T, rng=rng), start=1):
        evidence = bet(evidence, at.terms, steps, m, N=float(at.size))
        if t % BATCH == 0:
            missed |= _outside(evidence, m, grid, at.truth)
        if t % PRUNE == 0:
            m, evidence = in_question(m, evidence, margin=20)
    truth = (evidence.best[:, np.searchsorted(m, at.truth)] >= BAND).any(axis=-1)
    even = np.isin(m, grid)
    band = band_of(evidence.best[:, even], m[even], tail=ERROR / 2)
    low, high = limits(evidence.best, m)
    half, fine = (float(np.nanmean(h - lo)) / 2 for lo, h in ((band.low, band.high), (low, high)))
    return Agreed(int(truth.sum()), int(missed.sum()), int((truth & missed).sum()), paths, points, half, fine)


def _outside(evidence: Wealth, m: FloatArray, grid: FloatArray, truth: float) -> BoolArray:
    """Whether the band on the even grid leaves the truth out."""
    even = np.isin(m, grid)
    band = band_of(evidence.best[:, even], m[even], tail=ERROR / 2)
    return np.asarray(~((band.low <= truth) & (truth <= band.high)))
