"""Precision by online stratified sampling, style "opt", after Bennett & Carvalho 2010 ("Online stratified sampling", CIKM).

The flagged units are cut into K = 4 strata at the quartiles of their score ("perc", the best of the paper's strata). Then in rounds of
two draws a stratum, with replacement:

    p_k = (h_k + m / 2) / (n_k + m),   m = 2 if n_k = 0, else 1 / sqrt(n_k)          h_k positives among n_k draws
    stratum k is drawn with probability proportional to N_k sqrt(p_k (1 - p_k))      by the p_k at the start of the round
    precision = sum N_k p_k / sum N_k

How the paper is read, where it leaves a choice:

    a number of labels   its stopping rule is not used; draws go on until the number of labels is reached
    labels               a unit drawn again costs no new label: distinct units are counted. The paper counts draws, on a collection so
                         large that it is the same; `free_repeats=False` does so here
    draws of a round     by chance from the allocation, not rounded: two draws a stratum would round a small share down to nothing
    m                    1 / sqrt(n_k), the weaker smoothing of those the sentence allows
    the estimate         from the smoothed p_k, as the paper does for all its estimates; `smoothed=False` uses h_k / n_k
    ties                 equal scores share a stratum, so there may be fewer than four (one where all scores are equal)

Replicates draw counts, not units: a draw from stratum k is positive with the stratum's share, and new with the share of its positives
(or negatives) not yet seen.
"""

from typing import NamedTuple

import numpy as np

from benchmarks.baselines import Floats, Ints, Judged

STRATA = 4
DRAWS_A_STRATUM = 2  # in each round


class Quartiles(NamedTuple):
    """Strata of the flagged units: sizes and positives."""

    N: Ints
    K: Ints


def quartiles(units: Judged) -> Quartiles:
    """The flagged units, cut at the quartiles of their score."""
    score, y = units.score[units.flagged], units.y[units.flagged]
    edges = np.quantile(score, np.arange(1, STRATA) / STRATA)
    _, stratum = np.unique(np.searchsorted(edges, score, side="right"), return_inverse=True)
    return Quartiles(np.bincount(stratum), np.bincount(stratum, weights=y).astype(np.int64))


def smoothed_shares(h: Floats, n: Floats) -> Floats:
    """The m-estimate of each stratum's share: half of m virtual positives among m virtual draws."""
    m = np.where(n > 0, 1 / np.sqrt(np.maximum(n, 1)), 2.0)
    return (h + m / 2) / (n + m)


def allocation(h: Floats, n: Floats, N: Ints) -> Floats:
    """The probability of each stratum in the next round."""
    p = smoothed_shares(h, n)
    size = N * np.sqrt(p * (1 - p))
    return np.asarray(size / size.sum(-1, keepdims=True))


class _Run:
    """Replicates side by side; row r, stratum k."""

    def __init__(self, strata: Quartiles, reps: int) -> None:
        self.N, self.K = strata
        self.n, self.h = np.zeros((reps, self.N.size)), np.zeros((reps, self.N.size))
        self.seen = np.zeros((2, reps, self.N.size))  # distinct negatives, distinct positives
        self.rows = np.arange(reps)

    def draw(self, edges: Floats, going: Floats, rng: np.random.Generator) -> Floats:
        """One draw in every replicate that goes on; 1 where the unit is new."""
        u, v, w = rng.random((3, self.rows.size))
        k = np.minimum((u[:, None] >= edges).sum(1), self.N.size - 1)
        positive = v * self.N[k] < self.K[k]
        kind = positive.astype(np.int64)
        left = np.where(positive, self.K[k], self.N[k] - self.K[k])
        new = going * (w * left >= self.seen[kind, self.rows, k])
        self.seen[kind, self.rows, k] += new
        self.n[self.rows, k] += going
        self.h[self.rows, k] += going * positive
        return np.asarray(new)

    def precision(self, *, smoothed: bool) -> Floats:
        """The estimate of every replicate; a stratum without a draw counts as one half either way."""
        p = smoothed_shares(self.h, self.n) if smoothed else np.divide(self.h, self.n, out=np.full_like(self.n, 0.5), where=self.n > 0)
        return p @ (self.N / self.N.sum())


def online(units: Judged, *, labels: int, reps: int, rng: np.random.Generator, free_repeats: bool = True, smoothed: bool = True) -> Floats:
    """Precision by online stratified sampling, style "opt"."""
    strata = quartiles(units)
    if labels >= strata.N.sum():
        raise ValueError(f"fewer labels than flagged units are compared, but {labels} were asked for of {strata.N.sum()}")
    run = _Run(strata, reps)
    paid, draws = np.zeros(reps), 0
    edges = np.empty((reps, strata.N.size))
    while (going := (paid < labels).astype(np.float64)).any():
        if draws % (DRAWS_A_STRATUM * strata.N.size) == 0:
            edges = np.cumsum(allocation(run.h, run.n, strata.N), axis=1)
        new = run.draw(edges, going, rng)
        paid += new if free_repeats else going
        draws += 1
    return run.precision(smoothed=smoothed)
