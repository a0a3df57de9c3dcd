"""OASIS: adaptive importance sampling over strata of scores, for one F-measure at a time. A value, no interval."""

import numpy as np
import scipy

scipy.percentile, scipy.ptp = np.percentile, np.ptp  # OASIS calls names that SciPy no longer has

import oasis  # noqa: E402
from oasis.stratification import auto_stratify  # noqa: E402

from benchmarks.peers.given import Estimate, Estimates, Generator, Method, Once, Part, Table  # noqa: E402

WEIGHTS = {"precision": 1.0, "recall": 0.0, "f1": 0.5}  # its alpha
MOST, BINS = 10_000, 1_000


def _strata(table: Table) -> object:
    """Its own strata; by so many bins where its rule for bins would need more memory than there is."""
    try:
        return auto_stratify(table.score)
    except MemoryError:
        return auto_stratify(table.score, stratification_n_bins=BINS)


def _one(metric: str) -> Method:
    """One metric, whose draws are its own."""

    def ready(table: Table, labels: int) -> Once:
        flagged, y, strata = table.flagged.astype(int), table.y.astype(int), _strata(table)
        if metric == "precision" and 2 * labels > flagged.sum():
            return lambda rng: {}

        def once(rng: Generator) -> Estimates:
            np.random.seed(rng.integers(2**32))  # noqa: NPY002 - the package draws from the global generator
            sampler = oasis.OASISSampler(WEIGHTS[metric], flagged, table.score, lambda i: y[i], proba=True, max_iter=MOST, strata=strata)
            sampler.sample_distinct(labels)
            return {metric: Estimate(float(np.ravel(sampler.estimate_[sampler.t_ - 1])[0]))}

        return once

    glue = (
        f"names that SciPy no longer has; strata made once a table, not once a draw; {BINS:,} bins where its own rule asks for more "
        "memory than "
        f"there is; at most {MOST:,} draws, repeats included"
    )
    only = "; only where at most half of the flagged units are labeled" if metric == "precision" else ""
    return Method(f"adaptive, {metric}", (Part((metric,), ready),), f"its own{only}", glue)


METHODS = tuple(map(_one, WEIGHTS))
