"""statsmodels: Wilson's interval of a proportion."""

import math

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from benchmarks.peers.draws import SIMPLE, by_simple_draws
from benchmarks.peers.given import Bools, Estimate, Method


def _estimate(metric: str, flagged: Bools, y: Bools) -> Estimate:
    of = flagged if metric == "precision" else y
    hits, count = int(np.sum(flagged & y)), int(of.sum())
    low, high = proportion_confint(hits, count, alpha=0.05, method="wilson")
    return Estimate(hits / count if count else math.nan, float(low), float(high))


METHODS = (Method("Wilson", by_simple_draws(_estimate, ("precision", "recall")), SIMPLE, "the counts"),)
