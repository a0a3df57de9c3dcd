"""The samplers of Yilmaz et al. 2021 for any ratio metric: uniform and importance draws with replacement, Bernoulli draws without.

A metric is sum f / sum g, where f and g depend on the decision d and the truth y. All five are linear in the weighted counts of the four
cells of a confusion matrix, so a replicate is four sums and, for the error, their squares.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from benchmarks.baseline_ratio import draws_for, regularized
from benchmarks.baselines import Bools, Floats, Judged
from fewlabels.designs.base import water_fill

CHUNK = 3_000_000
CELLS = ((1, 1), (1, 0), (0, 1), (0, 0))  # d, y
METRICS = ("f1", "accuracy", "precision", "recall", "specificity")
TINY = 1e-10  # their epsilon


def f_and_g(metric: str, d: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Above and below the line."""
    return {
        "f1": (d * y, (d + y) / 2),
        "accuracy": (d * y + (1 - d) * (1 - y), np.ones_like(d)),
        "precision": (d * y, d),
        "recall": (d * y, y),
        "specificity": ((1 - d) * (1 - y), 1 - y),
    }[metric]


def of_cells(metric: str) -> tuple[Floats, Floats]:
    """Both of the four cells."""
    d, y = np.array(CELLS, dtype=np.float64).T
    return f_and_g(metric, d, y)


def deviations(units: Judged, metric: str) -> Floats:
    """Deviation h of every unit (eqs. 12 to 14)."""
    p, d = regularized(units.score), units.flagged.astype(np.float64)
    (f1, g1), (f0, g0) = f_and_g(metric, d, np.ones_like(d)), f_and_g(metric, d, np.zeros_like(d))
    F = (p * f1 + (1 - p) * f0).sum() / (p * g1 + (1 - p) * g0).sum()
    return np.asarray(np.sqrt(p * (f1 - F * g1) ** 2 + (1 - p) * (f0 - F * g0) ** 2))


class Sums(NamedTuple):
    """By replicate and cell: the weighted count, and the sum of what each unit adds to the squared error."""

    weighted: Floats
    square: Floats


def bernoulli(units: Judged, b: Floats, *, reps: int, rng: np.random.Generator) -> Sums:
    """Each unit by itself with probability b."""
    cell = _cells(units)
    weights = np.zeros((2, b.size, 4))
    expansion = np.divide(1.0, b, out=np.zeros_like(b), where=b > 0)  # a unit that cannot be drawn counts for nothing
    weights[0, np.arange(b.size), cell] = expansion
    weights[1, np.arange(b.size), cell] = np.maximum(expansion - 1, 0) * expansion
    count, square = np.empty((reps, 4)), np.empty((reps, 4))
    step = max(1, CHUNK // b.size)
    for start in range(0, reps, step):
        part = slice(start, min(start + step, reps))
        drawn = (rng.random((part.stop - part.start, b.size)) < b).astype(np.float64)
        count[part], square[part] = drawn @ weights[0], drawn @ weights[1]
    return Sums(count, square)


def with_replacement(units: Judged, q: Floats, *, labels: int, reps: int, rng: np.random.Generator) -> Sums:
    """So many draws that the expected number of distinct units is the labels."""
    cell, draws = _cells(units), draws_for(q, labels)
    edges = np.cumsum(q)
    edges[-1] = 1.0
    count, square = np.empty((reps, 4)), np.empty((reps, 4))
    step = max(1, CHUNK // draws)
    for start in range(0, reps, step):
        part = slice(start, min(start + step, reps))
        picked = np.searchsorted(edges, rng.random((part.stop - part.start, draws)), side="right")
        w = 1 / q[picked]
        for c in range(4):
            mine = np.where(cell[picked] == c, w, 0.0)
            count[part, c], square[part, c] = mine.sum(1), (mine**2).sum(1)
    return Sums(count, square)


def _cells(units: Judged) -> np.ndarray:
    return 3 - 2 * units.flagged.astype(np.int64) - units.y.astype(np.int64)


class Read(NamedTuple):
    """Estimates of a metric with the limits of a 90 % interval, by replicate."""

    value: Floats
    low: Floats
    high: Floats

    def covered(self, truth: float) -> Bools:
        """Whether the interval holds the truth."""
        return np.asarray((self.low <= truth) & (truth <= self.high))


def read(sums: Sums, metric: str) -> Read:
    """The estimate, and limits from a Beta distribution of its mean and variance (algorithms 1 and 2)."""
    f, g = of_cells(metric)
    below = sums.weighted @ g
    with np.errstate(divide="ignore", invalid="ignore"):
        F = sums.weighted @ f / below
        variance = ((f - F[:, None] * g) ** 2 * sums.square).sum(1) / below**2 + TINY
        size = F * (1 - F) / variance - 1
        low, high = (beta.ppf(tail, F * size, (1 - F) * size) for tail in (0.05, 0.95))
    exact = ~(size > 0) | (F <= 0) | (F >= 1)
    return Read(F, np.where(exact, F, low), np.where(exact, F, high))


def draw(way: str, units: Judged, metric: str, *, labels: int, reps: int, rng: np.random.Generator) -> Sums:
    """Samples of one way, drawn for a metric."""
    if way == "bernoulli":
        return bernoulli(units, water_fill(deviations(units, metric), np.ones(units.y.size), labels), reps=reps, rng=rng)
    h = deviations(units, metric) if way == "importance" else np.ones(units.y.size)
    return with_replacement(units, h / h.sum(), labels=labels, reps=reps, rng=rng)


def truth_of(units: Judged, metric: str) -> float:
    """The metric of all units."""
    f, g = of_cells(metric)
    count = np.bincount(_cells(units), minlength=4)
    return float(count @ f / (count @ g))
