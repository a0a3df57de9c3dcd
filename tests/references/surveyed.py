"""Tallies written out unit by unit, for packages that read tables of units; and fewlabels' standard error from the usual variance."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import svy
from scipy.stats import norm
from statsmodels.stats._delta_method import NonlinearDeltaCov
from statsmodels.tools.numdiff import approx_fprime

from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from tests.identities.made import tally_of

SAME = 1e-6  # what two independent routes must agree to, relative
TAIL = 0.4  # a Wald interval short enough never to be clipped
CELLS = ("tp", "fp", "fn", "tn")

# each stratum on one side: flagged, units, labels, positive labels
DESIGNS = {
    "one stratum a side": tally_of([1, 0], [120, 900], [30, 60], [21, 9]),
    "several strata a side": tally_of([1, 1, 1, 0, 0, 0], [40, 200, 900, 5000, 700, 90], [12, 20, 30, 80, 40, 25], [5, 13, 27, 4, 9, 11]),
    "a stratum taken whole": tally_of([1, 1, 0, 0], [15, 300, 2000, 20], [15, 40, 70, 20], [9, 31, 6, 8]),
    "two labels a stratum": tally_of([1, 1, 0, 0], [9, 50, 400, 60], [2, 2, 2, 2], [1, 1, 1, 1]),
    "almost all labeled": tally_of([1, 0], [50, 400], [49, 399], [33, 21]),
    "large": tally_of([1, 1, 0], [1e6, 4e7, 2e9], [400, 300, 2000], [390, 201, 3]),
}


def units_of(tally: Tally) -> pl.DataFrame:
    """One row a labeled unit: its stratum, weight N_h / n_h, the size of the stratum, and the cell of the confusion matrix it is in."""
    rows = []
    for h, (flagged, N, n, k) in enumerate(zip(tally.flagged, tally.N, tally.n, tally.k, strict=True)):
        for i in range(int(n)):
            cell = ("tp" if i < k else "fp") if flagged else ("fn" if i < k else "tn")
            rows.append({"h": h, "w": N / n, "N": int(N), "cell": cell, "flagged": int(flagged), **{c: float(c == cell) for c in CELLS}})
    return pl.DataFrame(rows)


def survey(units: pl.DataFrame) -> Any:
    """The stratified simple random sample of these units, without replacement. Any: svy types each estimate as one or a list of them."""
    return svy.Sample(units, svy.Design(stratum="h", wgt="w", pop_size="N"))


def usual_error(name: str | Metric, tally: Tally) -> float:
    """fewlabels' standard error from the usual variance: the half-width of its Wald interval over z."""
    metric = metric_named(name) if isinstance(name, str) else name
    found = measure(metric, tally, tail=TAIL, interval="wald")
    assert metric.low < found.low < found.high < metric.high  # not clipped
    return float(found.high - found.low) / 2 / float(norm.isf(TAIL))


def share_function(name: str, cells: Sequence[str] = CELLS) -> Callable[[FloatArray], FloatArray]:
    """The metric as a function of the shares of the four cells, given in this order."""
    order = [list(cells).index(cell) for cell in CELLS]

    def value(shares: FloatArray) -> FloatArray:
        return np.atleast_1d(metric_named(name).value(Totals(*(np.asarray(np.asarray(shares)[j]) for j in order))))

    return value


def delta_method(function: Callable[[FloatArray], FloatArray], at: FloatArray, covariance: FloatArray) -> NonlinearDeltaCov:
    """statsmodels' delta method; central differences with steps of 1e-5 of each share, whose error is about 1e-10."""
    return NonlinearDeltaCov(
        function, at, covariance, deriv=lambda x: np.atleast_2d(approx_fprime(x, function, epsilon=1e-5 * x, centered=True))
    )
