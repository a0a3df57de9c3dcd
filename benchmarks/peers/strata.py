"""Strata of scores and the takes from them, for packages that leave both to their user. Ours; needs NumPy alone."""

from typing import NamedTuple

import numpy as np

from benchmarks.peers.given import Floats, Generator, Ints, Table

STRATA = 10
CELLS = 1_000  # of the histogram whose square roots are summed


class Strata(NamedTuple):
    """The stratum of every unit, its size and the labels it gets."""

    of: Ints
    size: Ints
    take: Ints

    def draw(self, rng: Generator) -> Ints:
        """Places of a simple random draw inside every stratum."""
        return np.concatenate([rng.choice(np.flatnonzero(self.of == h), size=n, replace=False) for h, n in enumerate(self.take) if n])


def square_root_cuts(score: Floats, count: int = STRATA, *, weights: Floats | None = None) -> Floats:
    """The rule of Dalenius and Hodges (1959): between strata of equal sums of the square roots of the frequencies."""
    frequency, edges = np.histogram(score, bins=CELLS, weights=weights)
    summed = np.cumsum(np.sqrt(frequency))
    return np.unique(edges[1:-1][np.searchsorted(summed[:-1], summed[-1] * np.arange(1, count) / count).clip(max=CELLS - 2)])


def square_root_strata(score: Floats, count: int = STRATA) -> Ints:
    """The stratum of each unit by that rule."""
    return np.unique(np.digitize(score, square_root_cuts(score, count)), return_inverse=True)[1].astype(np.int64)


def neyman_takes(size: Ints, deviation: Floats, labels: int) -> Ints:
    """Takes in proportion to size times deviation, at least two and at most all of a stratum, which sum to the labels."""
    least, weight = np.minimum(2, size), size * np.maximum(deviation, 1e-9)
    low, high = 0.0, labels / weight.min()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.clip(middle * weight, least, size).sum() < labels else (low, middle)
    ideal = np.clip(high * weight, least, size)
    take = np.floor(ideal + 1e-9).astype(np.int64)
    room = take < size
    nearest = np.argsort(np.where(room, take - ideal, np.inf), kind="stable")
    take[nearest[: labels - int(take.sum())]] += 1
    return take


def score_strata(table: Table, labels: int) -> Strata:
    """Ten strata of the score with Neyman takes, as if the score were the probability that a unit is positive."""
    of = square_root_strata(table.score)
    size = np.bincount(of)
    share = np.bincount(of, weights=np.clip(table.score, 0, 1)) / size
    return Strata(of, size, neyman_takes(size, np.sqrt(share * (1 - share)), labels))
