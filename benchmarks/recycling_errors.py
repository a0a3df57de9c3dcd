"""What two errors of the recycling paper cost: resampling with replacement (its Lemma 1), and |S-| that is not a whole number.

python -m benchmarks.recycling_errors --seed 42
"""

import argparse

import numpy as np

from benchmarks.recycling_baseline import Cells, recycle
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.randomness import stream

FLAGS = np.array([[1, 1], [1, 0], [0, 1]], dtype=np.bool_)
LARGE = Cells(FLAGS, np.array([40_000, 10_000, 10_000]), np.array([34_000, 5_000, 4_500]))
SMALL = Cells(FLAGS, np.array([400, 400, 150]), np.array([360, 200, 45]))


def pool(cells: Cells, X: IntArray, minus: IntArray, rng: np.random.Generator) -> FloatArray:
    """Positive share of S+ and S- together."""
    inside, _, outside = cells.answers
    hits = rng.hypergeometric(inside[1], inside[0], X) + rng.hypergeometric(outside[1], outside[0], minus)
    return np.asarray(hits / np.maximum(X + minus, 1))


def resampled(reps: int, rng: np.random.Generator) -> list[str]:
    """S as it is, and drawn from itself with replacement, 1,100 labels of the parent: spread, and coverage of the normal interval."""
    X = rng.hypergeometric(LARGE.N[0], LARGE.N[1], 1_100, size=reps)
    minus = np.floor(X * LARGE.N[2] / LARGE.N[0] + rng.random(reps)).astype(np.int64)
    n, share = X + minus, pool(LARGE, X, minus, rng)
    lines = []
    for name, p in (("shuffled", share), ("resampled", rng.binomial(n, share) / n)):
        held = np.abs(p - LARGE.precision[1]) <= 1.96 * np.sqrt(p * (1 - p) / n)
        lines.append(f"{name:10} sd {p.std():.4f}, normal 95 % interval holds the truth in {held.mean():.3f}")
    return lines


def rounded(reps: int, rng: np.random.Generator) -> list[str]:
    """Bias of the child's precision with 24 labels of the parent, |S-| rounded in three ways, and with parts of known size."""
    X = rng.hypergeometric(SMALL.N[0], SMALL.N[1], 24, size=reps)
    exact = X * SMALL.N[2] / SMALL.N[0]
    ways = {"down": np.floor(exact), "to nearest": np.round(exact), "at random": np.floor(exact + rng.random(reps))}
    found = {name: pool(SMALL, X, minus.astype(np.int64), rng) for name, minus in ways.items()}
    found["known sizes"] = recycle(SMALL, np.array([24, 20]), parent=0, reps=reps, rng=rng).value[:, 1]
    return [f"{name:11} bias {p.mean() - SMALL.precision[1]:+.4f} (s.e. {p.std() / np.sqrt(reps):.4f})" for name, p in found.items()]


def main() -> None:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=42)
    o = parser.parse_args()
    print("\n".join([*resampled(o.reps, stream(o.seed, 1)), *rounded(o.reps, stream(o.seed, 2))]))


if __name__ == "__main__":
    main()
