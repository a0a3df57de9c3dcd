"""Beta: quantiles of the beta distribution that has the estimate as its mean and Wald's variance. A baseline by name.

With m = (value - low) / (high - low) of the metric's range and s^2 its variance on that scale:

    c = m (1 - m) / s^2 - 1,    limits = Beta^-1(alpha/2 and 1 - alpha/2; m c, (1 - m) c)

It stays inside the range and is skewed the right way, but it trusts the variance: zero where no error was seen. Source: Yilmaz,
Hayes, Habib, Burgess & Barber 2021, "Sample efficient model evaluation", algorithm 1, step 10. Differences: the variance is that of
the draw at hand, the limits always include the value, and where no beta distribution is that wide the interval is the whole range.
Figures: docs/maths/baselines.md.
"""

import numpy as np
from scipy.special import betaincinv

from fewlabels.intervals.base import Interval
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metric import Metric


def beta_moment(metric: Metric, value: FloatArray, standard_error: FloatArray, tail: float) -> Limits:
    """The limits of the matching beta distribution; a point if the standard error is 0, the whole range without a value."""
    span = metric.high - metric.low
    known = np.isfinite(value)
    m = np.clip((np.where(known, value, metric.low) - metric.low) / span, 0, 1)
    s2 = (np.where(known, standard_error, 0.0) / span) ** 2
    certain = s2 <= 0
    c = m * (1 - m) / np.where(certain, 1.0, s2) - 1
    matched = ~certain & (c > 0)
    a, b = np.where(matched, m * c, 1.0), np.where(matched, (1 - m) * c, 1.0)
    low = np.where(matched, betaincinv(a, b, tail), np.where(certain, m, 0.0))
    high = np.where(matched, betaincinv(a, b, 1 - tail), np.where(certain, m, 1.0))
    low, high = (metric.low + span * np.where(known, end, whole) for end, whole in ((low, 0.0), (high, 1.0)))
    low, high = np.fmin(low, value), np.fmax(high, value)  # a skewed beta distribution may have its mean outside
    return Limits(np.clip(low, metric.low, metric.high), np.clip(high, metric.low, metric.high))


BETA = Interval(
    name="beta",
    of_error=beta_moment,
    is_baseline=True,
    caution="beta is a baseline: it rests on the variance of wald, so where no error was seen it has no width, and where errors are rare "
    "it misses as often",
)
