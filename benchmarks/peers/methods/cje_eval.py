"""cje-eval: the calibrated mean of judge scores; precision is the mean over the flagged units."""

import numpy as np
from cje import calibrated_mean_ci

from benchmarks.peers.draws import simple_part
from benchmarks.peers.given import Estimate, Generator, Ints, Method, Table


def _estimate(units: Table, drawn: Ints, _: Generator) -> Estimate:
    told = np.full(units.y.size, np.nan)
    told[drawn] = units.y[drawn]
    found = calibrated_mean_ci(units.score, told)
    return Estimate(float(found.estimate), *map(float, found.ci))


METHODS = (Method("calibrated mean", (simple_part("precision", _estimate),), "a simple draw of the flagged units"),)
