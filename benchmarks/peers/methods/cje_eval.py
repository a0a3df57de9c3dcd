"""cje-eval: the calibrated mean of judge scores; precision is the mean over the flagged units."""

import numpy as np
from cje import calibrated_mean_ci

from benchmarks.peers.given import Estimate, Estimates, Generator, Method, Once, Table, simple_draw


def _ready(table: Table, labels: int) -> Once:
    y, score = table.y[table.flagged].astype(float), table.score[table.flagged]

    def once(rng: Generator) -> Estimates:
        told = np.full(y.size, np.nan)
        drawn = simple_draw(y.size, labels, rng)
        told[drawn] = y[drawn]
        found = calibrated_mean_ci(score, told)
        return {"precision": Estimate(float(found.estimate), *map(float, found.ci))}

    return once


METHODS = (Method("calibrated mean", ("precision",), _ready, "a simple draw of the flagged units"),)
