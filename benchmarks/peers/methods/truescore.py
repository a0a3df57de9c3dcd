"""truescore: agreement of a judge with gold labels, and its prediction-powered mean."""

import truescore

from benchmarks.peers.draws import METRICS, SIMPLE, by_simple_draws
from benchmarks.peers.given import Bools, Estimate, Estimates, Generator, Method, Once, Table, f1_of, simple_draw

RESAMPLES = 2  # of kappa and AC1, which are not asked about


def _agreement(metric: str, flagged: Bools, y: Bools) -> Estimate:
    found = truescore.judge_agreement(flagged.astype(int), y.astype(int), n_bootstrap=RESAMPLES)
    if metric == "f1":
        return Estimate(f1_of(found.precision.point, found.sensitivity.point))
    one = found.precision if metric == "precision" else found.sensitivity
    return Estimate(one.point, one.low, one.high)


def _powered(table: Table, labels: int) -> Once:
    y, score = table.y[table.flagged].astype(float), table.score[table.flagged]

    def once(rng: Generator) -> Estimates:
        drawn = simple_draw(y.size, labels, rng)
        found = truescore.ppi_estimate(score, y[drawn], drawn)
        return {"precision": Estimate(found.point, found.low, found.high)}

    return once


METHODS = (
    Method("agreement", METRICS, by_simple_draws(_agreement), SIMPLE, "F1 from its precision and sensitivity, without an interval"),
    Method("PPI", ("precision",), _powered, "a simple draw of the flagged units"),
)
