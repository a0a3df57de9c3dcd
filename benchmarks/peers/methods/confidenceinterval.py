"""confidenceinterval: Wilson for precision and recall, Takahashi et al. for F1."""

from confidenceinterval import f1_score, ppv_score, tpr_score

from benchmarks.peers.draws import SIMPLE, by_simple_draws
from benchmarks.peers.given import Bools, Estimate, Method

SCORES = {"precision": ppv_score, "recall": tpr_score}


def _estimate(metric: str, flagged: Bools, y: Bools) -> Estimate:
    given = (y.astype(int), flagged.astype(int))
    value, (low, high) = f1_score(*given, average="binary") if metric == "f1" else SCORES[metric](*given)
    return Estimate(float(value), float(low), float(high))


METHODS = (Method("as it comes", by_simple_draws(_estimate), SIMPLE),)
