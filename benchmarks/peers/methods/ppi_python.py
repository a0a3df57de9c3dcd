"""ppi-python (ppi_py): PPI++ for means, the prediction-powered bootstrap for anything else."""

import numpy as np
from ppi_py import ppboot, ppi_mean_ci, ppi_mean_pointestimate

from benchmarks.peers.draws import simple_part
from benchmarks.peers.given import Estimate, Floats, Generator, Ints, Method, Part, Table

RESAMPLES = 200
UNLABELED = 10_000  # at most, or a replicate on 300,000 units takes seconds


def _plus_plus(units: Table, drawn: Ints, _: Generator) -> Estimate:
    told = np.zeros(units.y.size, dtype=bool)
    told[drawn] = True
    given = (units.y[told].astype(float), units.score[told], units.score[~told])
    low, high = ppi_mean_ci(*given, alpha=0.05)
    return Estimate(float(ppi_mean_pointestimate(*given)[0]), float(low[0]), float(high[0]))


def _f1(flagged: Floats, y: Floats) -> float:
    return float(2 * (flagged * y).sum() / max(flagged.sum() + y.sum(), 1e-9))


def _recall(flagged: Floats, y: Floats) -> float:
    return float((flagged * y).sum() / max(y.sum(), 1e-9))


def _boot(metric: str) -> Part:
    estimator = {"f1": _f1, "recall": _recall}[metric]

    def estimate(units: Table, drawn: Ints, rng: Generator) -> Estimate:
        told = np.zeros(units.y.size, dtype=bool)
        told[drawn] = True
        rest = rng.permutation(np.flatnonzero(~told))[:UNLABELED]
        y, flagged, score, seed = units.y.astype(float), units.flagged.astype(float), units.score, int(rng.integers(2**32))

        def limits(method: str) -> tuple[float, float]:
            np.random.seed(seed)  # noqa: NPY002 - the package draws from the global generator
            low, high = ppboot(
                estimator, y[drawn], score[drawn], score[rest], X=flagged[drawn], X_unlabeled=flagged[rest],
                n_resamples=RESAMPLES, alpha=0.05, method=method,
            )  # fmt: skip
            return float(low), float(high)

        low, high = limits("percentile")
        return Estimate((high + limits("basic")[0]) / 2, low, high)  # a basic limit is twice the value minus the percentile one

    return simple_part(metric, estimate)


METHODS = (
    Method("PPI++", (simple_part("precision", _plus_plus),), "a simple draw of the flagged units"),
    Method(
        "ppboot",
        (_boot("recall"), _boot("f1")),
        "a simple draw of all units",
        f"the estimators of recall and F1; the value, which it does not return, from its two kinds of limits; {RESAMPLES} resamples in "
        "place "
        f"of 1,000; at most {UNLABELED:,} unlabeled units",
    ),
)
