"""scikit-learn's metrics with a percentile bootstrap."""

import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score

from benchmarks.peers.draws import SIMPLE, ratio_parts, simple_part
from benchmarks.peers.given import METRICS, Bools, Estimate, Floats, Generator, Ints, Method, Part, Table

RESAMPLES = 1_000
SCORES = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
KINDS = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])  # flagged and positive: what a label can be


def resampled(metric: str, flagged: Bools, y: Bools, rng: Generator) -> Floats:
    """The metric of rows drawn again with replacement: how many of each kind are drawn is multinomial, and the metric needs no more."""
    kind = 3 - 2 * flagged.astype(int) - y.astype(int)
    counts = rng.multinomial(y.size, np.bincount(kind, minlength=4) / y.size, size=RESAMPLES)
    above, below = (counts @ part for part in ratio_parts(metric, *KINDS.T))
    return np.divide(above, below, out=np.zeros(RESAMPLES), where=below > 0)  # as scikit-learn's zero_division


def _one(metric: str) -> Part:
    def estimate(units: Table, drawn: Ints, rng: Generator) -> Estimate:
        flagged, y = units.flagged[drawn], units.y[drawn]
        low, high = np.quantile(resampled(metric, flagged, y, rng), [0.025, 0.975])
        return Estimate(float(SCORES[metric](y, flagged, zero_division=0)), float(low), float(high))

    return simple_part(metric, estimate)


GLUE = f"the bootstrap, {RESAMPLES:,} resamples, drawn by counts of the four kinds of rows (the same as drawing rows)"
METHODS = (Method("bootstrap", tuple(map(_one, METRICS)), SIMPLE, GLUE),)
