"""ssepy: strata by k-means on the prediction, Neyman takes, the difference estimator of a mean."""

import random

import numpy as np
from sklearn.cluster import KMeans
from ssepy import ModelPerformanceEvaluator
from ssepy.model_performance_evaluator import Estimator

from benchmarks.peers.draws import units_for
from benchmarks.peers.given import Estimate, Estimates, Floats, Generator, Ints, Method, Once, Part, Table

CLUSTERS, Z = 5, 1.959963984540054


class Drawer:
    """One table's strata and takes; each call draws anew. The package draws from the global generators."""

    def __init__(self, predicted: Floats, labels: int) -> None:
        """Cluster the predictions, as the package's page does."""
        np.random.seed(labels)  # noqa: NPY002 - it allots what rounding leaves by chance
        self.evaluator = ModelPerformanceEvaluator(Yh=predicted, budget=labels)
        self.evaluator.stratify_data(KMeans(CLUSTERS, random_state=0, n_init="auto"), X=predicted)
        self.evaluator.allocate_budget("neyman")

    def draw(self, rng: Generator) -> Ints:
        """Places of the units to label."""
        random.seed(int(rng.integers(2**32)))
        return np.asarray(self.evaluator.sample(sampling_method="ssrs"), dtype=np.int64)


def _mean(table: Table, labels: int) -> Once:
    units = units_for("precision", table)
    y, drawer = units.y.astype(float), Drawer(units.score, labels)

    def once(rng: Generator) -> Estimates:
        value, variance = drawer.evaluator.compute_estimate(y[drawer.draw(rng)], estimator="df")
        reach = Z * float(np.sqrt(variance[0]))
        return {"precision": Estimate(float(value[0]), float(value[0]) - reach, float(value[0]) + reach)}

    return once


def _linear(table: Table, labels: int) -> Once:
    y, flagged, drawer = table.y.astype(float), table.flagged.astype(float), Drawer(table.score, labels)
    strata = drawer.evaluator.strata_labels
    predicted = np.stack([flagged * table.score, table.score], axis=1)
    parts = np.stack([flagged * y, y], axis=1)

    def mean(of: Floats, guess: Floats, drawn: Ints) -> tuple[Floats, Floats]:
        found: tuple[Floats, Floats] = Estimator(guess, strata, drawn, "ssrs", drawer.evaluator.samples_per_stratum).compute(
            of[drawn], "df"
        )
        return found

    def once(rng: Generator) -> Estimates:
        drawn = drawer.draw(rng)
        (hits, positives), _ = mean(parts, predicted, drawn)
        found = {}
        for metric, times, known in (("recall", 1.0, np.zeros_like(flagged)), ("f1", 2.0, flagged)):
            below = known.mean() + positives
            value = times * hits / below
            off, guess = (times * kind[:, 0] - value * (kind[:, 1] + known) for kind in (parts, predicted))
            _, variance = mean(off, guess, drawn)
            reach = Z * float(np.sqrt(variance[0])) / abs(below)
            found[metric] = Estimate(float(value), float(value - reach), float(value + reach))
        return found

    return once


_AFTER = "Neyman takes and the difference estimator, as on its page (not its defaults); the normal interval, for it gives a variance"
METHODS = (
    Method("means", (Part(("precision",), _mean),), "strata of the flagged units", _AFTER),
    Method(
        "ratios",
        (Part(("recall", "f1"), _linear),),
        "strata of all units",
        f"{_AFTER}; recall and F1 as ratios of two of its means, linearized",
    ),
)
