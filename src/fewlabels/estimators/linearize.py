"""The influence of a unit on a metric: one gradient path for all metrics.

a1 = dtheta/dTP - dtheta/dFP   for a flagged unit          a0 = dtheta/dFN - dtheta/dTN   for another

Var(theta) ~ a1^2 Var(A) + a0^2 Var(B),    A, B the positives on the two sides
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.profile import Profile

CLIP = 1e-6  # a guide of exactly 0 has no log-odds
SUREST = 0.99  # the largest guide used when labels are allocated
DOUBT = 0.01  # the weight of the side's mean in the guide


class Influence(NamedTuple):
    """The effect of one more positive among the flagged (a1) and the other (a0) units on the metric."""

    a1: FloatArray
    a0: FloatArray


def influence(metric: Metric, totals: Totals) -> Influence:
    """The metric's influence at the given totals; 0 if it is undefined there."""
    g = metric.gradient(totals)
    return Influence(np.nan_to_num(g.TP - g.FP), np.nan_to_num(g.FN - g.TN))


def guided_totals(profile: Profile, flagged: BoolArray, weight: str | None = None, *, classifier: int = 0) -> Totals:
    """The totals, of units or of their metric weight, if the guide is calibrated."""
    amount = profile.amount(weight)
    expected = amount * profile.claimed(classifier)
    aside = profile.aside(classifier)
    A, B = np.asarray(expected[flagged].sum() + aside.A), np.asarray(expected[~flagged].sum() + aside.B)
    N1 = float(amount[flagged].sum())
    return Totals.of_sides(A, B, N1=N1 + aside.N1, N0=float(amount.sum()) - N1 + aside.N0)


def doubted_guide(profile: Profile, flagged: BoolArray) -> FloatArray:
    """The guide as designs without a floor use it: shrunk by one per cent toward the mean of its side, and at most 0.99.

        s' = clip(0.99 s + 0.01 mean(s on its side), 1e-6, 0.99)

    Scores of exactly 0 or 1 claim that labels are useless there. The shrinkage is toward the side's mean, so it does not swamp a rare
    class as a fixed one would. Costs and benefits: docs/decisions/0005-mixture.md.
    """
    s = profile.guide.copy()
    for side in (flagged, ~flagged):
        if side.any():
            s[side] = (1 - DOUBT) * s[side] + DOUBT * np.average(s[side], weights=profile.count[side])
    return np.clip(s, CLIP, SUREST)


def floored_noise(profile: Profile, flagged: BoolArray, floor: float) -> FloatArray:
    """The standard deviation of a unit's answer that a draw believes: by the guide, but its square at least `floor` times the side's mean.

    So the units of which the guide is surest share one rate: nothing in them is left to the guide.
    """
    v = profile.guide * (1 - profile.guide)
    for side in (flagged, ~flagged):
        if side.any():
            v[side] = np.maximum(v[side], max(floor * float(np.average(v[side], weights=profile.count[side])), CLIP))
    return np.sqrt(v)


def sizes(profile: Profile, flagged: BoolArray, metrics: Sequence[Metric], *, floor: float | None = None) -> FloatArray:
    """How much a unit of each cell matters: |a| sqrt(s (1 - s)); for several metrics, the root sum of squares of their shares.

    size = sqrt(sum_m (a_m / S_m)^2) sqrt(s (1 - s)),   S_m = sum over all units of |a_m| sqrt(s (1 - s))

    A unit of metric weight x has x times the influence of one of weight 1. With a floor, by `floored_noise`; else by the doubted guide.
    """
    s = doubted_guide(profile, flagged)
    noise = np.sqrt(s * (1 - s)) if floor is None else floored_noise(profile, flagged, floor)
    squares = np.zeros(s.shape)
    for metric in metrics:
        a1, a0 = influence(metric, guided_totals(profile, flagged, metric.weight))
        a = np.abs(np.where(flagged, a1, a0)) * profile.amount(metric.weight) / profile.count
        whole = float((a * noise * profile.count).sum())
        if whole > 0:
            squares += (a / whole) ** 2
    return np.asarray(np.sqrt(squares) * noise)


def outcome_sizes(profile: Profile, flagged: BoolArray, metrics: Sequence[Metric]) -> FloatArray:
    """sqrt(E z^2), z the influence of a unit's whole outcome, as needed for a draw without known sides (Yilmaz et al. 2021).

    z^2 = s (dtheta/dTP)^2 + (1 - s) (dtheta/dFP)^2 for a flagged unit, with FN and TN for another; several metrics as in `sizes`.
    """
    s = doubted_guide(profile, flagged)
    squares = np.zeros(s.shape)
    for metric in metrics:
        totals = guided_totals(profile, flagged, metric.weight)
        g = Totals(*(np.nan_to_num(part) for part in metric.gradient(totals)))
        each = np.where(flagged, s * g.TP**2 + (1 - s) * g.FP**2, s * g.FN**2 + (1 - s) * g.TN**2)
        each = each * (profile.amount(metric.weight) / profile.count) ** 2
        whole = float((np.sqrt(each) * profile.count).sum())
        if whole > 0:
            squares += each / whole**2
    return np.sqrt(squares)
