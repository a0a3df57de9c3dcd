"""Jeffreys: quantiles of the beta distribution with half a positive and half a negative added to the labels of a side."""

import numpy as np
from scipy.special import betaincinv

from fewlabels.intervals.base import Interval
from fewlabels.nouns.evidence import Evidence, Limits


def jeffreys(side: Evidence, tail: float) -> Limits:
    """The limits of one side's positive share. Source: Brown, Cai & DasGupta 2001, Statistical Science 16:101, section 3.1.2.

    Of a draw that is not simple the labels count as n_e = p (1 - p) / v, where v is known to be above 0.
    """
    known = np.isfinite(side.p)
    p = np.where(known, side.p, 0.5)
    inside = (side.v > 0) & (p > 0) & (p < 1)
    n = np.where(inside, p * (1 - p) / np.where(inside, side.v, 1.0), np.maximum(side.n, 1.0))
    x = n * p
    low = np.where(x > 0, betaincinv(x + 0.5, n - x + 0.5, tail), 0.0)
    high = np.where(x < n, betaincinv(x + 0.5, n - x + 0.5, 1 - tail), 1.0)
    low, high = (np.where(side.v <= 0, p, end) for end in (low, high))
    low, high = (1 - side.unlabeled) * low, (1 - side.unlabeled) * high + side.unlabeled
    return Limits(np.where(known, low, 0.0), np.where(known, high, 1.0))


JEFFREYS = Interval(
    name="jeffreys", of_side=jeffreys, may_plan=True, statement="The interval adds half a positive and half a negative to the labels."
)
