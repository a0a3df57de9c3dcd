"""evalstats: the debiased mean of judge scores; precision is the mean over the flagged units."""

import numpy as np
from evalstats import judge_debias_mean_ci

from benchmarks.peers.draws import simple_part
from benchmarks.peers.given import Estimate, Generator, Ints, Method, Table


def _estimate(units: Table, drawn: Ints, rng: Generator) -> Estimate:
    told = np.full(units.y.size, np.nan)
    told[drawn] = units.y[drawn]
    found = judge_debias_mean_ci(units.score, told, rng=rng)
    return Estimate(float(found.mean), float(found.ci_low), float(found.ci_high))


METHODS = (Method("debiased mean", (simple_part("precision", _estimate),), "a simple draw of the flagged units"),)
