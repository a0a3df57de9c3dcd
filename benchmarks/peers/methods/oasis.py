"""OASIS: adaptive importance sampling over strata of scores, for one F-measure at a time. A value, no interval."""

import numpy as np
import scipy

scipy.percentile, scipy.ptp = np.percentile, np.ptp  # OASIS calls names that SciPy no longer has

import oasis  # noqa: E402
from oasis.stratification import auto_stratify  # noqa: E402

from benchmarks.peers.given import Estimate, Estimates, Generator, Method, Once, Table  # noqa: E402

WEIGHTS = {"precision": 1.0, "recall": 0.0, "f1": 0.5}  # its alpha
MOST = 10_000  # draws, of which those of a unit already labeled cost nothing


def _one(metric: str) -> Method:
    """One metric, whose draws are its own."""

    def ready(table: Table, labels: int) -> Once:
        flagged, y = table.flagged.astype(int), table.y.astype(int)
        strata = auto_stratify(table.score)
        if metric == "precision" and 2 * labels > flagged.sum():
            return lambda rng: {}  # it draws with replacement, and would not come to an end

        def once(rng: Generator) -> Estimates:
            np.random.seed(rng.integers(2**32))  # noqa: NPY002 - the package draws from the global generator
            sampler = oasis.OASISSampler(WEIGHTS[metric], flagged, table.score, lambda i: y[i], proba=True, max_iter=MOST, strata=strata)
            sampler.sample_distinct(labels)
            return {metric: Estimate(float(np.ravel(sampler.estimate_[sampler.t_ - 1])[0]))}

        return once

    glue = "names that SciPy no longer has; strata made once a table, not once a draw"
    return Method(f"adaptive, {metric}", (metric,), ready, "its own", glue)


METHODS = tuple(map(_one, WEIGHTS))
