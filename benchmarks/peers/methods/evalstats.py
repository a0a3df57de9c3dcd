"""evalstats: the debiased mean of judge scores; precision is the mean over the flagged units."""

import numpy as np
from evalstats import judge_debias_mean_ci

from benchmarks.peers.given import Estimate, Estimates, Generator, Method, Once, Table, simple_draw


def _ready(table: Table, labels: int) -> Once:
    y, score = table.y[table.flagged].astype(float), table.score[table.flagged]

    def once(rng: Generator) -> Estimates:
        told = np.full(y.size, np.nan)
        drawn = simple_draw(y.size, labels, rng)
        told[drawn] = y[drawn]
        found = judge_debias_mean_ci(score, told, rng=rng)
        return {"precision": Estimate(float(found.mean), float(found.ci_low), float(found.ci_high))}

    return once


METHODS = (Method("debiased mean", ("precision",), _ready, "a simple draw of the flagged units"),)
