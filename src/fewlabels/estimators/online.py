"""One path of an online draw as the confidence sequence needs it: terms of a goal, and what was known before each step."""

from collections.abc import Sequence

import numpy as np

from fewlabels.designs.online import predicted
from fewlabels.intervals.anytime import MISSING, Steps, Terms
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metric import Metric


def terms_of(metric: Metric, flagged: BoolArray, *, inside: BoolArray | None = None) -> Terms:
    """What a unit of each band adds to the two sums of a ratio metric; 0 outside its slice."""
    tp, fp, fn, tn = (np.array(pair) for pair in metric.terms)
    counts = np.ones(flagged.shape) if inside is None else inside.astype(np.float64)
    positive, negative = (np.where(flagged[:, None], one, other) * counts[:, None] for one, other in ((tp, fn), (fp, tn)))
    return Terms(f0=negative[:, 0], f1=positive[:, 0], g0=negative[:, 1], g1=positive[:, 1])


def difference_terms(metric: Metric, first: BoolArray, second: BoolArray) -> Terms:
    """The same for one classifier minus another: a label matters only where they disagree.

    h(m) = h_first(m) - h_second(m). If the first were no better than the second, whose metric is m, sum h(m) would be at most 0: it is
    shown to be better when that is refuted at every m the metric may have. Effects are counted in units of the frame.
    """
    a, b = terms_of(metric, first), terms_of(metric, second)
    return Terms(f0=a.f0 - b.f0, f1=a.f1 - b.f1, g0=a.g0 - b.g0, g1=a.g1 - b.g1, scale=1.0)


def influences(terms: Sequence[Terms], values: Sequence[float | FloatArray], sums: Sequence[float]) -> FloatArray:
    """How much one label in each band moves all goals together: the root sum of squares of its influence on each.

    values   the value of each goal's metric, or its target; for several paths one column per goal, one row per path
    sums     each goal's sum of g over all units
    """
    moved = [((t.f1 - t.f0) - m * (t.g1 - t.g0)) / max(g, 1e-300) for t, m, g in zip(terms, values, sums, strict=True)]
    return np.asarray(np.sqrt(sum(np.square(one) for one in moved)))


def path(N: FloatArray, prior: FloatArray, *, band: IntArray, label: IntArray, rate: FloatArray) -> Steps:
    """What was known before each step from all earlier ones, in the order asked. `rate` has one row per step."""
    at = np.arange(N.size) == band[:, None]
    said = label[:, None]
    drawn, positives, negatives, missing = (
        np.cumsum(part, axis=0) - part for part in (at * 1.0, at * (said == 1.0), at * (said == 0.0), at * (said == MISSING) * 1.0)
    )
    share = predicted(positives, positives + negatives, prior)
    return Steps(N - drawn, rate, share, positives, negatives, missing, band, label)


def point(terms: Terms, N: FloatArray, prior: FloatArray, *, positives: FloatArray, negatives: FloatArray) -> float:
    """The metric from each band's share of positives among its labels, or the predicted share if it has none; NaN for 0/0."""
    labels = positives + negatives
    share = np.where(labels > 0, positives / np.maximum(labels, 1.0), prior)
    rest = N - labels
    f = terms.known_f + (terms.f1 * (positives + rest * share) + terms.f0 * (negatives + rest * (1 - share))).sum()
    g = terms.known_g + (terms.g1 * (positives + rest * share) + terms.g0 * (negatives + rest * (1 - share))).sum()
    return float(f / g) if g != 0 else float("nan")
