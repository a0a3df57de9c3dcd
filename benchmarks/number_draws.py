"""What matters to a draw: ids in order, truth that follows the order, the smallest numbers of each stratum, and an exact interval.

The interval is Clopper and Pearson's for the share of positives of a stratum. Its true coverage is known, because a fair draw has a
hypergeometric count. A rule passes if its coverage over salts is that one, by the exact binomial. Every k-th id must not pass.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from benchmarks.number_rules import FAMILIES, Rule, salts
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.randomness import stream

STRATA, SIZE, TAKE = 4, 2_000, 50
DRAWS = 64  # the purpose of the streams below
TRUTHS: dict[str, Callable[[IntArray], BoolArray]] = {
    "every 7th": lambda i: i % 7 == 0,
    "a tenth of every 1000": lambda i: i % 1000 < 100,
    "period 8": lambda i: i % 8 == 3,
    "period 256": lambda i: i % 256 < 64,
    "a block in time": lambda i: (i % SIZE >= 600) & (i % SIZE < 1100),
}


class Covered(NamedTuple):
    """How often the intervals of one family and truth held the share, of how many, and how often they should."""

    family: str
    truth: str
    held: int
    of: int
    expected: float

    @property
    def p(self) -> float:
        """The two-sided p-value of the exact binomial."""
        return float(stats.binomtest(self.held, self.of, self.expected).pvalue)


def limits() -> tuple[FloatArray, FloatArray]:
    """The 95 % limits for each count of positives in a take."""
    k = np.arange(TAKE + 1)
    low, high = stats.beta.ppf(0.025, k, TAKE - k + 1), stats.beta.ppf(0.975, k + 1, TAKE - k)
    return np.where(k == 0, 0, low), np.where(k == TAKE, 1, high)


def takes(rule: Rule | None, ids: IntArray, seed: int, reps: int) -> IntArray:
    """Places of the units drawn, replicates by strata by take: the smallest numbers, or every k-th id if there is no rule."""
    if rule is None:
        start = stream(seed, DRAWS, 1).integers(0, SIZE // TAKE, (reps, STRATA, 1))
        return np.asarray(start + np.arange(TAKE) * (SIZE // TAKE) + np.arange(STRATA)[:, None] * SIZE)
    drawn = np.empty((reps, STRATA, TAKE), dtype=np.int64)
    for j, salt in enumerate(salts(seed, reps, DRAWS)):
        h = rule(salt, ids).reshape(STRATA, SIZE)
        drawn[j] = np.argpartition(h, TAKE, axis=1)[:, :TAKE] + np.arange(STRATA)[:, None] * SIZE
    return drawn


def covered(rule: Rule | None, family: str, *, seed: int, reps: int) -> list[Covered]:
    """Coverage for every truth over ids of one family."""
    places = takes(rule, FAMILIES[family](STRATA * SIZE), seed, reps)
    low, high = limits()
    found = []
    for name, truth in TRUTHS.items():
        y = truth(np.arange(STRATA * SIZE))
        positives = y.reshape(STRATA, SIZE).sum(axis=1)
        k, share = y[places].sum(axis=2), positives / SIZE
        held = (low[k] <= share) & (share <= high[k])
        chances = stats.hypergeom.pmf(np.arange(TAKE + 1), SIZE, positives[:, None], TAKE)
        right = (chances * ((low <= share[:, None]) & (high >= share[:, None]))).sum(axis=1)
        found.append(Covered(family, name, int(held.sum()), held.size, float(right.mean())))
    return found
