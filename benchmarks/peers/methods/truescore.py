"""truescore: agreement of a judge with gold labels, and its prediction-powered mean."""

import truescore

from benchmarks.peers.draws import SIMPLE, by_simple_draws, simple_part
from benchmarks.peers.given import Bools, Estimate, Generator, Ints, Method, Table, f1_of

RESAMPLES = 2  # of kappa and AC1, which are not asked about


def _agreement(metric: str, flagged: Bools, y: Bools) -> Estimate:
    found = truescore.judge_agreement(flagged.astype(int), y.astype(int), n_bootstrap=RESAMPLES)
    if metric == "f1":
        return Estimate(f1_of(found.precision.point, found.sensitivity.point))
    one = found.precision if metric == "precision" else found.sensitivity
    return Estimate(one.point, one.low, one.high)


def _powered(units: Table, drawn: Ints, _: Generator) -> Estimate:
    found = truescore.ppi_estimate(units.score, units.y[drawn].astype(float), drawn)
    return Estimate(found.point, found.low, found.high)


GLUE = f"F1 from its precision and sensitivity, without an interval; {RESAMPLES} resamples for kappa, which is not read"
METHODS = (
    Method("agreement", by_simple_draws(_agreement), SIMPLE, GLUE),
    Method("PPI", (simple_part("precision", _powered),), "a simple draw of the flagged units"),
)
