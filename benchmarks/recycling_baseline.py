"""The procedure of the recycling paper on counts of units, and separate simple draws: what one draw for all classifiers is compared with.

Units are cells: the decision pattern of all classifiers, how many units, how many of them positive. Draws are counts of labels in each
cell and answer, many replicates at once, so a population of 10^8 units costs what one of 10^4 costs.

The paper's Algorithm 1 (S+, S-, remainder, shuffle), with what is wrong in it put right:

    |S-| = |A_C - A_P| |S+| / |A_P and A_C| is rounded at random without bias; the two parts are weighted by their known sizes
    disjoint sets have no S+ and no S-, and the child is drawn alone
    draws are without replacement, S is shuffled and never resampled
    the shuffle decides what is still labeled; labels of S+ that the cut to n_C would drop are paid for and kept
"""

from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray


class Cells(NamedTuple):
    """Units by decision pattern (and band, where there is one).

    flags      which classifiers flag the units of a cell, shape (S, k)
    N          units, shape (S,), or (reps, S) where every replicate has a population of its own
    positives  how many of them are positive, same shape
    """

    flags: BoolArray
    N: IntArray
    positives: IntArray

    @property
    def answers(self) -> IntArray:
        """Units by cell and answer, shape (..., S, 2)."""
        return np.stack([self.N - self.positives, self.positives], axis=-1)

    @property
    def flagged(self) -> IntArray:
        """Units each classifier flags, shape (..., k)."""
        return np.asarray(self.N @ self.flags.astype(np.int64))

    @property
    def precision(self) -> FloatArray:
        """The truth, shape (..., k)."""
        return np.asarray((self.positives @ self.flags.astype(np.int64)) / self.flagged)


class Drawn(NamedTuple):
    """Replicates of a draw for k classifiers.

    labels    different units labeled, shape (reps,)
    bought    of which for the sake of each classifier, in the order of drawing, shape (reps, k)
    value     estimated precisions, shape (reps, k)
    variance  of the values, from the labels
    """

    labels: IntArray
    bought: IntArray
    value: FloatArray
    variance: FloatArray


def some_of(pool: IntArray, n: IntArray, rng: np.random.Generator) -> IntArray:
    """N units of each replicate's pool without replacement: multivariate hypergeometric counts, shape of the pool (reps, ...)."""
    flat = pool.reshape(pool.shape[0], -1)
    out = np.zeros_like(flat)
    behind = flat.sum(1)
    left = np.minimum(n, behind)
    for j in np.flatnonzero(flat.any(0)):
        behind = behind - flat[:, j]
        out[:, j] = rng.hypergeometric(flat[:, j], behind, left)
        left = left - out[:, j]
    return out.reshape(pool.shape)


def simple_draws(cells: Cells, n: IntArray, *, reps: int, rng: np.random.Generator) -> Drawn:
    """A simple draw of n_c flagged units for each classifier, none knowing of the others; a unit drawn twice is labeled once."""
    return recycle(cells, n, parent=None, reps=reps, rng=rng)


def recycle(cells: Cells, n: IntArray, *, parent: int | None, reps: int, rng: np.random.Generator) -> Drawn:
    """A simple draw for the parent, and for every other classifier what Algorithm 1 makes of it. n is (k,), or (reps, k)."""
    answers = np.broadcast_to(cells.answers, (reps, *cells.flags.shape[:1], 2))
    k = cells.flags.shape[1]
    wanted = np.broadcast_to(n, (reps, k))
    mother = np.zeros_like(answers)  # the parent's labels
    others = np.zeros_like(answers)  # labels of children, on units without one of the parent's
    bought, value, variance = np.zeros((reps, k), dtype=np.int64), np.zeros((reps, k)), np.zeros((reps, k))
    for c in sorted(range(k), key=lambda c: c != parent):
        mine = cells.flags[:, c]
        shared = mine & cells.flags[:, parent] if parent is not None and c != parent else np.zeros_like(mine)
        held = mother * shared[:, None]
        fresh = _fresh(answers, held, mine=mine, shared=shared, n=wanted[:, c], rng=rng)
        if c == parent:
            mother, paid = fresh, fresh
        else:
            paid = fresh - rng.hypergeometric(others, answers - mother - others, fresh)
            others = others + paid
        bought[:, c] = paid.sum((1, 2))
        value[:, c], variance[:, c] = _two_parts(answers, held + fresh, (shared, mine & ~shared))
    return Drawn(bought.sum(1), bought, value, variance)


def _fresh(answers: IntArray, held: IntArray, *, mine: BoolArray, shared: BoolArray, n: IntArray, rng: np.random.Generator) -> IntArray:
    """S- and the remainder: what is drawn for a child beyond the parent's labels `held`."""
    X = held.sum((1, 2))
    inside, outside = answers[:, shared].sum((1, 2)), answers[:, mine & ~shared].sum((1, 2))
    exact = np.divide(X * outside, inside, out=np.zeros(X.shape), where=inside > 0)
    minus = np.minimum(np.floor(exact + rng.random(X.size)).astype(np.int64), outside)
    kept = rng.hypergeometric(X, minus, np.minimum(n, X + minus))  # of S+ among the first n of the shuffled S
    beyond = np.where(X + minus > n, n - kept, minus)
    drawn = some_of(answers * (mine & ~shared)[:, None], beyond, rng)
    rest = np.maximum(n - X - minus, 0)
    return np.asarray(drawn + some_of(answers * mine[:, None] - held - drawn, rest, rng))


def _two_parts(answers: IntArray, drawn: IntArray, parts: tuple[BoolArray, BoolArray]) -> tuple[FloatArray, FloatArray]:
    """Precision by the known sizes of the two parts, and its variance; the plain share where a part has no label."""
    N = np.stack([answers[:, p].sum((1, 2)) for p in parts], axis=1)
    n = np.stack([drawn[:, p].sum((1, 2)) for p in parts], axis=1)
    hit = np.stack([drawn[:, p, 1].sum(1) for p in parts], axis=1)
    thin = np.asarray((N > 0) & (n < 1)).any(axis=1, keepdims=True)
    N, n, hit = (np.where(thin, np.stack([a.sum(1), 0 * a[:, 0]], axis=1), a) for a in (N, n, hit))
    W = N / np.maximum(N.sum(1, keepdims=True), 1)
    share = hit / np.maximum(n, 1)
    spread = W**2 * (1 - n / np.maximum(N, 1)) * share * (1 - share) / np.maximum(n - 1, 1)
    return (W * share).sum(1), spread.sum(1)


def expected_labels(cells: Cells, n: IntArray, *, parent: int | None) -> float:
    """Different units labeled on average: recycling with a parent, or separate draws without one.

    With rates r_c = n_c / N1_c a unit outside the parent stays unlabeled with chance prod (1 - r_c); inside it the children add what their
    rate has beyond the parent's.
    """
    rate = n / cells.flagged
    miss = np.where(cells.flags, 1 - rate, 1.0)
    if parent is None:
        return float((cells.N * (1 - miss.prod(1))).sum())
    r = rate[parent]
    beyond = np.where(cells.flags & (rate > r), np.minimum(miss / max(1 - r, 1e-12), 1.0), 1.0)
    inside = 1 - (1 - r) * beyond.prod(1)
    return float((cells.N * np.where(cells.flags[:, parent], inside, 1 - miss.prod(1))).sum())


def best_parent(cells: Cells, n: IntArray) -> int:
    """The parent with the fewest expected labels."""
    return int(np.argmin([expected_labels(cells, n, parent=c) for c in range(cells.flags.shape[1])]))
