"""Wald: the estimate plus and minus a normal quantile times its usual standard error. A baseline by name, never a default.

It has zero width where no error was seen, and its coverage drops to a fifth with rare errors (docs/coverage.md); tests use it as the
negative control that must fail.
"""

import numpy as np
from scipy.special import ndtri

from fewlabels.intervals.base import Interval
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric


def wald(metric: Metric, value: FloatArray, standard_error: FloatArray, tail: float) -> Limits:
    """The limits value -+ z standard_error, clipped to the metric's range; the whole range where there is no value."""
    reach = ndtri(1 - tail) * standard_error
    known = np.isfinite(value)
    low, high = np.where(known, value - reach, metric.low), np.where(known, value + reach, metric.high)
    return Limits(np.clip(low, metric.low, metric.high), np.clip(high, metric.low, metric.high))


WALD = Interval(
    name="wald",
    of_error=wald,
    symmetric=True,
    is_baseline=True,
    caution="wald is a baseline: where errors are rare it holds far less often than its level says, and where no error was seen it has no "
    "width",
)
