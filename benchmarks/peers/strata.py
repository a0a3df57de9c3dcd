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


def square_root_strata(score: Floats, count: int = STRATA) -> Ints:
    """The rule of Dalenius and Hodges (1959): strata of equal sums of the square roots of the frequencies."""
    frequency, edges = np.histogram(score, bins=CELLS)
    summed = np.cumsum(np.sqrt(frequency))
    cuts = edges[1:-1][np.searchsorted(summed[:-1], summed[-1] * np.arange(1, count) / count).clip(max=CELLS - 2)]
    return np.unique(np.digitize(score, np.unique(cuts)), return_inverse=True)[1].astype(np.int64)


def neyman_takes(size: Ints, deviation: Floats, labels: int) -> Ints:
    """Takes in proportion to size times deviation, at least two and at most all of a stratum."""
    take = np.minimum(2, size)
    weight = size * np.maximum(deviation, 1e-9)
    while (left := labels - int(take.sum())) > 0 and (open_ := take < size).any():
        ideal = np.where(open_, weight, 0.0)
        share = labels * ideal / ideal.sum() - take
        more = np.clip(np.floor(share), 0, size - take).astype(np.int64)
        if more.sum() == 0 or more.sum() > left:
            more = np.zeros_like(take)
            more[np.argsort(np.where(open_, -share, np.inf), kind="stable")[: min(left, int(open_.sum()))]] = 1
        take = take + more
    return take


def score_strata(table: Table, labels: int) -> Strata:
    """Ten strata of the score with Neyman takes, as if the score were the probability that a unit is positive."""
    of = square_root_strata(table.score)
    size = np.bincount(of)
    share = np.bincount(of, weights=np.clip(table.score, 0, 1)) / size
    return Strata(of, size, neyman_takes(size, np.sqrt(share * (1 - share)), labels))
