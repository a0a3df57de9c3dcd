"""Published ways to spend labels on a classifier, as their papers write them; benchmarks.against compares `bands` with them.

    simple        a simple draw of the whole table, without replacement, and the F1 of the labels drawn
    two_bin       testsampleR: as many flagged units as minimize the standard error of F1, then proportional over score bins
    poisson       Yilmaz et al. 2021, algorithm 2 with algorithm 3 as printed: benchmarks.baseline_ratio
    importance    Yilmaz et al. 2021, algorithm 1: benchmarks.baseline_ratio
    online        Bennett & Carvalho 2010, "opt", for precision: benchmarks.baseline_online

Each takes units with their truth, a number of labels, a number of replicates and a generator, and gives one estimate a replicate, NaN
where the labels do not define one. Where a paper can be read in two ways the reading here is the one that favors the paper; each
module says which.

testsampleR (manual of 2025; formulas and ideas only):

    F1(pi1, pi0) = 2 pi1 N1 / (N1 + pi1 N1 + pi0 N0)
    SE(F1)^2     = (dF1/dpi1)^2 pi1 (1 - pi1) / n1 + (dF1/dpi0)^2 pi0 (1 - pi0) / (n - n1)

pi1 and pi0 are guesses of the share of positives on each side, and the n1 that minimizes SE(F1) (weights 1, 0, 0: the default) is found
among whole numbers. The package asks its user for the guesses. Here they are the mean scores of the sides, which is all that is known
before the first label; pi1 is kept within 0.05 and 0.95, because a guess of 1 puts next to no label on the flagged side (mnist8 nb flags
every unit at a score of exactly 1). The manual does not print the variance; with one guess a side, large sides and a smooth F1 the
formula above is the only first-order one. Five bins of equal width on each side of the threshold, at least one label in each that holds
a unit, drawn without replacement, expanded by N_h / n_h: the defaults of `testsampler`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

BINS = 5  # on each side
SUREST_GUESS = 0.95


class Judged(NamedTuple):
    """All units of one table: the classifier's score, its decision and the true answer."""

    score: Floats
    flagged: Bools
    y: Bools

    @property
    def N1(self) -> int:
        """Flagged units."""
        return int(self.flagged.sum())

    @property
    def N0(self) -> int:
        """Units not flagged."""
        return int((~self.flagged).sum())

    @property
    def f1(self) -> float:
        """The truth."""
        return float(2 * (self.flagged & self.y).sum() / (self.flagged.sum() + self.y.sum()))

    @property
    def precision(self) -> float:
        """The truth."""
        return float(self.y[self.flagged].mean())


def simple(units: Judged, *, labels: int, reps: int, rng: np.random.Generator) -> Floats:
    """F1 of a simple draw: 2 tp / (2 tp + fp + fn) counted in the labels; NaN where they hold no flagged and no positive unit."""
    tp, fp, fn = units.flagged & units.y, units.flagged & ~units.y, ~units.flagged & units.y
    counts = [int(part.sum()) for part in (tp, fp, fn)]
    found = rng.multivariate_hypergeometric([*counts, units.y.size - sum(counts)], labels, size=reps, method="marginals")
    below = 2 * found[:, 0] + found[:, 1] + found[:, 2]
    return np.divide(2.0 * found[:, 0], below, out=np.full(reps, np.nan), where=below > 0)


class Guesses(NamedTuple):
    """The share of positives among flagged units and among the others, as expected before the first label."""

    pi1: float
    pi0: float


def guesses(units: Judged) -> Guesses:
    """The mean score of each side; pi1 kept within 0.05 and 0.95."""
    pi1 = float(np.clip(units.score[units.flagged].mean(), 1 - SUREST_GUESS, SUREST_GUESS))
    return Guesses(pi1, float(units.score[~units.flagged].mean()))


def true_shares(units: Judged) -> Guesses:
    """What the guesses would be for somebody who knew."""
    return Guesses(units.precision, float(units.y[~units.flagged].mean()))


def f1_standard_error(n1: Floats, n0: Floats, *, guess: Guesses, share: float) -> Floats:
    """SE(F1) of n1 flagged and n0 other units drawn at random; `share` is the share of flagged units in the table."""
    below = share + guess.pi1 * share + guess.pi0 * (1 - share)
    d1 = 2 * share * (share + guess.pi0 * (1 - share)) / below**2
    d0 = -2 * guess.pi1 * share * (1 - share) / below**2
    return np.sqrt(d1**2 * guess.pi1 * (1 - guess.pi1) / n1 + d0**2 * guess.pi0 * (1 - guess.pi0) / n0)


def optimal_positives(labels: int, *, guess: Guesses, share: float, fewest: int = 1, most: int | None = None) -> int:
    """The number of flagged units, fewest <= n1 <= most, that minimizes SE(F1) when `labels` are drawn in all."""
    n1 = np.arange(fewest, (labels - 1 if most is None else most) + 1, dtype=np.float64)
    return int(n1[np.argmin(f1_standard_error(n1, labels - n1, guess=guess, share=share))])


def proportional(N: Ints, total: int) -> Ints:
    """Takes proportional to N: rounded, at least one and at most N_h each, then moved by ones until they sum to `total`."""
    ideal = total * N / N.sum()
    take = np.clip(np.rint(ideal), 1, N).astype(np.int64)
    while (excess := int(take.sum()) - total) != 0:
        step = -1 if excess > 0 else 1
        free = take > 1 if step < 0 else take < N
        if not free.any():
            break
        worst = np.argmax(np.where(free, step * (ideal - take), -np.inf))
        take[worst] += step
    return take


def score_bins(units: Judged, threshold: float) -> Ints:
    """The bin of every unit: 0 .. 4 of equal width from 0 to the threshold, 5 .. 9 from the threshold to 1 (one if that is 1 itself)."""
    width = (1 - threshold) or 1.0
    left = np.clip(np.floor(units.score / threshold * BINS), 0, BINS - 1)
    right = np.clip(np.floor((units.score - threshold) / width * BINS), 0, BINS - 1)
    return np.where(units.flagged, BINS + right, left).astype(np.int64)


class Strata(NamedTuple):
    """Strata that hold a unit: sizes, positives, side and takes."""

    N: Ints
    K: Ints
    flagged: Bools
    take: Ints


def two_bin_strata(units: Judged, *, threshold: float, labels: int, guess: Guesses) -> Strata:
    """The bins and their takes for a budget of `labels`."""
    bins = score_bins(units, threshold)
    N = np.bincount(bins, minlength=2 * BINS)
    K = np.bincount(bins, weights=units.y, minlength=2 * BINS).astype(np.int64)
    held, right = N > 0, np.arange(2 * BINS) >= BINS
    bins1, bins0 = int((held & right).sum()), int((held & ~right).sum())
    fewest, most = max(bins1, labels - units.N0), min(labels - bins0, units.N1)
    n1 = optimal_positives(labels, guess=guess, share=units.N1 / units.y.size, fewest=fewest, most=most)
    take = np.zeros(2 * BINS, dtype=np.int64)
    for side, total in ((held & right, n1), (held & ~right, labels - n1)):
        take[side] = proportional(N[side], total)
    return Strata(N[held], K[held], right[held], take[held])


def stratified_f1(strata: Strata, *, reps: int, rng: np.random.Generator) -> Floats:
    """F1 of the expanded confusion matrix: 2 A / (A + B + N1), A and B the sums of N_h k_h / n_h on each side."""
    k = rng.hypergeometric(strata.K, strata.N - strata.K, strata.take, size=(reps, strata.N.size))
    expanded = k * (strata.N / strata.take)
    A, B = expanded[:, strata.flagged].sum(1), expanded[:, ~strata.flagged].sum(1)
    return 2 * A / (A + B + strata.N[strata.flagged].sum())


def two_bin(units: Judged, *, threshold: float, labels: int, guess: Guesses, reps: int, rng: np.random.Generator) -> Floats:
    """F1 by testsampleR's optimal allocation."""
    return stratified_f1(two_bin_strata(units, threshold=threshold, labels=labels, guess=guess), reps=reps, rng=rng)
