"""The recycling paper's own experiments again: savings by overlap (its Table 1), and three models with their vote (its Figure 2)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.recycling_baseline import Cells, Drawn, expected_labels, recycle, simple_draws
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.planning.recycling import expected_savings, one_draw_savings
from fewlabels.randomness import stream

LABELS, TRIALS, Z = 1_100, 200, 1.959964
GRID = tuple(float(r) for r in np.round(np.arange(0.05, 0.951, 0.05), 2))
PARENT_CHILD = np.array([[1, 1], [1, 0], [0, 1]], dtype=np.bool_)  # both, the parent alone, the child alone
# Table 1 of the paper: PIR, CIR, mean saving, and its 2.5th and 97.5th percentile, in %.
PAPER = (
    (0.05, 0.05, 4.72, 3.64, 5.38), (0.05, 0.25, 4.91, 3.39, 6.42), (0.05, 0.45, 4.95, 3.23, 6.54), (0.05, 0.65, 4.92, 3.06, 6.58),
    (0.05, 0.85, 4.91, 2.79, 6.70), (0.25, 0.05, 4.93, 3.65, 6.11), (0.25, 0.25, 24.21, 20.60, 25.57), (0.25, 0.45, 24.73, 19.73, 27.79),
    (0.25, 0.65, 24.61, 18.70, 27.73), (0.25, 0.85, 24.61, 18.70, 27.75), (0.45, 0.05, 4.89, 3.55, 6.29), (0.45, 0.25, 24.58, 20.63, 26.72),
    (0.45, 0.45, 43.85, 36.15, 46.03), (0.45, 0.65, 44.45, 33.75, 48.56), (0.45, 0.85, 44.47, 32.82, 48.74), (0.65, 0.05, 4.83, 3.28, 6.20),
    (0.65, 0.25, 24.34, 18.44, 26.88), (0.65, 0.45, 44.17, 33.15, 47.19), (0.65, 0.65, 63.68, 48.02, 67.07),
    (0.65, 0.85, 64.39, 49.58, 69.21),
    (0.85, 0.05, 4.82, 3.19, 6.20), (0.85, 0.25, 24.29, 18.98, 26.95), (0.85, 0.45, 44.00, 32.28, 47.36), (0.85, 0.65, 64.14, 48.59, 67.95),
    (0.85, 0.85, 84.04, 55.49, 88.83),
)  # fmt: skip


class Saving(NamedTuple):
    """Savings of one cell in %: of 200 trials by labels drawn and by different units against simple draws, by Lemma 3, and of one draw."""

    drawn: FloatArray
    different: FloatArray
    expected: float
    one_draw: float


def saving(parent_ratio: float, child_ratio: float, *, n: int, trials: int, rng: np.random.Generator) -> Saving:
    """N labels each for a parent and a child that share 10,000 to 100,000 units, as in section 5.3; three of four units positive."""
    both = rng.integers(10_000, 100_001, trials)
    N = np.stack([both, np.round(both / parent_ratio) - both, np.round(both / child_ratio) - both], axis=1).astype(np.int64)
    cells, wanted = Cells(PARENT_CHILD, N, (0.75 * N).astype(np.int64)), np.array([n, n])
    bought = recycle(cells, wanted, parent=0, reps=trials, rng=rng).bought[:, 1]
    alone = simple_draws(cells, wanted, reps=trials, rng=rng).bought[:, 1]
    return Saving(
        100 * (1 - bought / n),
        100 * (1 - bought / alone),
        100 * expected_savings(parent_ratio, child_ratio, parent_labels=n, child_labels=n) / n,
        100 * one_draw_savings(parent_ratio, child_ratio, parent_labels=n, child_labels=n) / n,
    )


def savings(*, n: int, trials: int, seed: int) -> dict[tuple[float, float], Saving]:
    """All 361 cells of the paper's grid."""
    return {(p, c): saving(p, c, n=n, trials=trials, rng=stream(seed, 1, n, i, j)) for i, p in enumerate(GRID) for j, c in enumerate(GRID)}


POSITIVES, BLOCK = 1_000_000, 0.03


def trial(rng: np.random.Generator, *, decaying: bool) -> Cells:
    """Section 5.2: three models and their vote over a million positives, counted by pattern.

    One order of scores, truncated exponential, shuffled inside blocks of 0.03 for models 2 and 3. A model of precision p flags recall x
    positives / p units from the top; models 2 and 3 have a precision between 0.5 and model 1's, and its recall, for the paper names no
    other. Model 1's positives are spread evenly over what it flags, the others over the rest, evenly or decaying with the block.
    """
    N = int(POSITIVES / rng.uniform(0.01, 0.5))
    precision, recall = rng.uniform(0.7, 1.0), rng.uniform(0.1, 1.0)
    block = _blocks(N)
    precisions = [precision, *rng.uniform(0.5, precision, 2)]
    flagged = [_top(block, round(recall * POSITIVES / p)) for p in precisions]
    inside = round(recall * POSITIVES)
    weight = np.exp(-np.arange(block.size) / 8.0) if decaying else np.ones(block.size)
    rest = _spread(POSITIVES - inside, block - flagged[0], weight)
    counts = np.stack([_patterns(b, [int(f[i]) for f in flagged], rng) for i, b in enumerate(block)])
    return _count(counts, inside=inside, rest=rest, rng=rng)


def _blocks(N: int) -> IntArray:
    """Units in each block of scores, the highest first; density proportional to exp(-score / 2) on [0, 1]."""
    edges = np.clip(np.arange(0, 1 + BLOCK, BLOCK), 0, 1)
    below = np.round(N * (1 - np.exp(-0.5 * edges)) / (1 - np.exp(-0.5)))
    return np.diff(below).astype(np.int64)[::-1]


def _top(block: IntArray, n: int) -> IntArray:
    """The first n units, counted by block."""
    before = np.cumsum(block) - block
    return np.clip(n - before, 0, block)


def _spread(n: int, room: IntArray, weight: FloatArray) -> IntArray:
    """N positives over blocks in proportion to weight x room, none beyond its room."""
    out = np.zeros(room.size)
    while n - out.sum() >= 1:
        free = weight * (room - out)
        add = np.minimum((n - out.sum()) * free / free.sum(), room - out)
        out = out + add
    return np.floor(out + 1e-6).astype(np.int64)


def _patterns(units: int, flagged: list[int], rng: np.random.Generator) -> IntArray:
    """Units of a block by pattern (bits: models 1, 2, 3), the three flagged sets independent inside the block."""
    counts = np.array([units - flagged[0], flagged[0]])
    for f in flagged[1:]:
        chosen = rng.multivariate_hypergeometric(counts, f, method="marginals")
        counts = np.concatenate([counts - chosen, chosen])
    return counts


def _count(counts: IntArray, *, inside: int, rest: IntArray, rng: np.random.Generator) -> Cells:
    """Patterns with their positives: model 1's anywhere in what it flags, the others by block; patterns nobody flags are left out."""
    mine = np.arange(8) % 2 == 1
    positives = np.zeros(8, dtype=np.int64)
    total = counts.sum(0)
    positives[mine] = rng.multivariate_hypergeometric(total[mine], inside, method="marginals")
    for row, n in zip(counts, rest, strict=True):
        positives[~mine] += rng.multivariate_hypergeometric(row[~mine], n, method="marginals")
    bits = (np.arange(8)[:, None] >> np.arange(3)) % 2 == 1
    flags: BoolArray = np.column_stack([bits, bits.sum(1) >= 2])
    some = flags.any(1) & (total > 0)
    return Cells(flags[some], total[some], positives[some])


class Totals(NamedTuple):
    """Labels for three models and their vote together, one value a trial."""

    separate: FloatArray
    recycled: FloatArray
    one_draw: FloatArray


def totals(*, trials: int, seed: int) -> Totals:
    """Expected different units labeled in the trials of Figure 2, 1,100 labels a classifier."""
    found = []
    for t in range(trials):
        cells = trial(stream(seed, 2, t), decaying=t % 2 == 1)
        n = np.minimum(np.full(4, LABELS), cells.flagged)
        largest = float((np.where(cells.flags, n / cells.flagged, 0.0).max(1) * cells.N).sum())
        found.append((expected_labels(cells, n, parent=None), expected_labels(cells, n, parent=3), largest))
    return Totals(*np.array(found).T)


class Box(NamedTuple):
    """One model's figures over all trials and draws, in %, recycled and by simple draws."""

    saving: FloatArray
    error: tuple[FloatArray, FloatArray]
    reach: tuple[FloatArray, FloatArray]  # the farther interval limit from the truth


def figure2(*, trials: int, draws: int, seed: int) -> list[Box]:
    """Savings and errors of three models recycled from their vote, 1,100 labels each, every other trial with decaying positives."""
    found = list(_trials(trials=trials, draws=draws, seed=seed))
    return [Box(*(_joined([f[m] for f in found]))) for m in range(3)]


def _joined(parts: list[Box]) -> tuple[FloatArray, tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    both = [tuple(np.concatenate([getattr(p, name)[way] for p in parts]) for way in range(2)) for name in ("error", "reach")]
    return np.concatenate([p.saving for p in parts]), (both[0][0], both[0][1]), (both[1][0], both[1][1])


def _trials(*, trials: int, draws: int, seed: int) -> Iterator[list[Box]]:
    for t in range(trials):
        rng = stream(seed, 2, t)
        cells = trial(rng, decaying=t % 2 == 1)
        n = np.minimum(np.full(4, LABELS), cells.flagged)
        ways = (recycle(cells, n, parent=3, reps=draws, rng=rng), simple_draws(cells, n, reps=draws, rng=rng))
        truth = cells.precision
        yield [
            Box(
                100 * (1 - ways[0].bought[:, m] / n[m]),
                (_error(ways[0], m, truth), _error(ways[1], m, truth)),
                (_reach(ways[0], m, truth), _reach(ways[1], m, truth)),
            )
            for m in range(3)
        ]


def _error(drawn: Drawn, m: int, truth: FloatArray) -> FloatArray:
    return np.asarray(100 * np.abs(drawn.value[:, m] - truth[m]) / truth[m])


def _reach(drawn: Drawn, m: int, truth: FloatArray) -> FloatArray:
    """%MaxCIError of the normal interval."""
    half = Z * np.sqrt(drawn.variance[:, m])
    return np.asarray(100 * (np.abs(drawn.value[:, m] - truth[m]) + half) / truth[m])
