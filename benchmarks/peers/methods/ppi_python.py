"""ppi-python (ppi_py): PPI++ for means, the prediction-powered bootstrap for anything else."""

import numpy as np
from ppi_py import ppboot, ppi_mean_ci, ppi_mean_pointestimate

from benchmarks.peers.given import Estimate, Estimates, Floats, Generator, Method, Once, Table, simple_draw

RESAMPLES = 200
UNLABELED = 20_000  # at most, or a replicate on 300,000 units takes seconds


def _plus_plus(table: Table, labels: int) -> Once:
    y, score = table.y[table.flagged].astype(float), table.score[table.flagged]

    def once(rng: Generator) -> Estimates:
        drawn = np.zeros(y.size, dtype=bool)
        drawn[simple_draw(y.size, labels, rng)] = True
        given = (y[drawn], score[drawn], score[~drawn])
        low, high = ppi_mean_ci(*given, alpha=0.05)
        return {"precision": Estimate(float(ppi_mean_pointestimate(*given)[0]), float(low[0]), float(high[0]))}

    return once


def _f1(flagged: Floats, y: Floats) -> float:
    return float(2 * (flagged * y).sum() / max(flagged.sum() + y.sum(), 1e-9))


def _recall(flagged: Floats, y: Floats) -> float:
    return float((flagged * y).sum() / max(y.sum(), 1e-9))


def _boot(table: Table, labels: int) -> Once:
    y, flagged, score = table.y.astype(float), table.flagged.astype(float), table.score

    def once(rng: Generator) -> Estimates:
        np.random.seed(rng.integers(2**32))  # noqa: NPY002 - the package draws from the global generator
        order = simple_draw(y.size, min(y.size, labels + UNLABELED), rng)
        drawn, rest = order[:labels], order[labels:]
        found = {}
        for metric, estimator in (("f1", _f1), ("recall", _recall)):
            low, high = ppboot(
                estimator,
                y[drawn],
                score[drawn],
                score[rest],
                X=flagged[drawn],
                X_unlabeled=flagged[rest],
                n_resamples=RESAMPLES,
                alpha=0.05,
            )
            found[metric] = Estimate(float(low + high) / 2, float(low), float(high))
        return found

    return once


METHODS = (
    Method("PPI++", ("precision",), _plus_plus, "a simple draw of the flagged units"),
    Method(
        "ppboot",
        ("recall", "f1"),
        _boot,
        "a simple draw of all units",
        f"the estimators of recall and F1; the value is the middle of the interval, for it gives no other; {RESAMPLES} resamples; at most "
        f"{UNLABELED:,} unlabeled units",
    ),
)
