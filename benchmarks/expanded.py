"""Whether the interval for unequal probabilities holds: prints the table of docs/maths/expanded.md.

    python -m benchmarks.expanded --reps 4000 --seed 1

A population is a few strata, each with its units by TP, FP, FN and TN and the probability of its units. Draws are made one by one, as many
as expected of each stratum, or as a random fold (two fifths) of the latter.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.intervals.expanded import Expansions, measure_expanded
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.randomness import stream

METRICS = ("precision", "recall", "f1", "accuracy")
DRAWS = ("one by one", "stratified", "a random fold")
FOLD = 0.4
Stratum = tuple[tuple[int, int, int, int], float]
POPULATIONS: dict[str, tuple[Stratum, ...]] = {
    "drawn by side": (((3200, 800, 0, 0), 0.02), ((0, 0, 384, 95616), 0.003)),
    "drawn by another score": (((1500, 300, 300, 900), 0.05), ((970, 1940, 1940, 92150), 0.003)),
    "four strata": (
        ((1700, 100, 100, 100), 0.08), ((1200, 800, 800, 1200), 0.03), ((400, 600, 1000, 18000), 0.006), ((37, 148, 296, 73519), 0.002)
    ),
    "misses of 1 in 1,000": (((950, 50, 0, 0), 0.1), ((0, 0, 99, 98901), 0.004)),
    "half positive": (((2250, 250, 250, 2250), 0.02), ((2250, 250, 250, 2250), 0.005)),
}  # fmt: skip


class Held(NamedTuple):
    """How often the interval, and how often two standard errors, held the truth."""

    interval: float
    errors: float


def counts(stratum: Stratum, draw: str, reps: int, rng: np.random.Generator) -> IntArray:
    """Labels by TP, FP, FN and TN of one stratum, one row a replicate."""
    cells, pi = stratum
    if draw == "one by one":
        return np.asarray(rng.binomial(cells, pi, size=(reps, 4)), dtype=np.int64)
    found = rng.multivariate_hypergeometric(cells, round(pi * sum(cells)), size=reps)
    return np.asarray(found if draw == "stratified" else rng.binomial(found, FOLD), dtype=np.int64)


def expansions(strata: tuple[Stratum, ...], labels: list[IntArray]) -> Expansions:
    """What the labels of each replicate stand for."""
    weights = [1 / pi for _, pi in strata]
    total, square = (sum(k.T * w**power for k, w in zip(labels, weights, strict=True)) for power in (1, 2))

    def heaviest(places: slice) -> FloatArray:
        return np.maximum.reduce([np.where(k[:, places].sum(1) > 0, w, 0.0) for k, w in zip(labels, weights, strict=True)])

    sides = [heaviest(slice(0, 2)), heaviest(slice(2, 4))]
    most = np.maximum(*sides)
    one, zero = (np.where(side > 0, side, most) for side in sides)
    return Expansions(Totals(*np.asarray(total)), Totals(*np.asarray(square)), Totals(one, one, zero, zero))


def held(metric: str, strata: tuple[Stratum, ...], cells: Expansions) -> Held:
    """How often a metric's limits hold."""
    definition = metric_named(metric)
    truth = float(definition.value(Totals(*(np.asarray(float(n)) for n in np.sum([cells for cells, _ in strata], axis=0)))))
    found = measure_expanded(definition, cells, tail=0.025)
    near = np.abs(np.nan_to_num(found.value, nan=9.0) - truth) <= 1.96 * np.nan_to_num(found.standard_error)
    return Held(float(np.mean((found.low <= truth) & (truth <= found.high))), float(near.mean()))


def rows(reps: int, seed: int) -> Iterator[str]:
    """The table."""
    yield "| population | labels | draw | " + " | ".join(METRICS) + " | two standard errors, at worst |"
    yield "|---|" + "---|" * (len(METRICS) + 3)
    for i, (name, strata) in enumerate(POPULATIONS.items()):
        for j, draw in enumerate(DRAWS):
            rng = stream(seed, i, j)
            labels = [counts(stratum, draw, reps, rng) for stratum in strata]
            cells = expansions(strata, labels)
            each = [held(metric, strata, cells) for metric in METRICS]
            mean = sum(float(k.sum()) for k in labels) / reps
            shown = " | ".join(f"{one.interval:.3f}" for one in each)
            yield f"| {name} | {mean:.0f} | {draw} | {shown} | {min(one.errors for one in each):.3f} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("\n".join(rows(given.reps, given.seed)))
