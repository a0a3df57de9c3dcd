"""Totals of one side by expansion within bands, with a variance that is not 0 when a band saw no error.

    p   = sum_h W_h k_h / n_h                                      W_h = N_h / N_side
    V   = sum_h W_h^2 (1 - f_h) p_h (1 - p_h) / (n_h - 1)          f_h = n_h / N_h
    Vs  = sum_h W_h^2 (1 - f_h) q_h (1 - q_h) / (n_h - 1/2)        q_h = (k_h + 2 mu_h) / (n_h + 2)
    v   = max(V, Vs)

mu_h is a two-parameter recalibration of the guide (`recalibrate`). A band of ten labels with no error has V_h = 0, which is
wrong; Vs is the variance implied by the guide and the other bands. Derivation: docs/maths/weighted.md.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.evidence import Bands, Evidence
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import LabelSums, WeightSums

PRIOR_LABELS = 2.0  # the weight of mu_h in q_h, in labels
INTERCEPT_SD, SLOPE_SD = 2.0, 0.5  # prior of the recalibration: logit mu = a + b logit s, a ~ N(0, 2^2), b ~ N(1, 0.5^2)
NEWTON_STEPS = 40


def expit(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


class Calibration(NamedTuple):
    """The recalibrated log-odds a + b x of the guide's log-odds x; arrays over replicates."""

    a: FloatArray
    b: FloatArray

    def share(self, x: FloatArray) -> FloatArray:
        """The positive share at the guide's log-odds x, on the last axis."""
        return expit(self.a[..., None] + self.b[..., None] * x)


def recalibrate(tally: Tally) -> FloatArray:
    """mu_h: the positive share of each group according to the guide, recalibrated by two parameters with a ridge prior."""
    mu = calibration(tally).share(tally.logit)
    return mu if tally.known is None else np.where(tally.known, tally.expected, mu)


def calibration(tally: Tally) -> Calibration:
    """The posterior mode of logit mu = a + b x, x the guide's mean log-odds.

    Found by damped Newton steps (the log posterior is strictly concave, so there is one mode). Without labels it is the guide itself.
    """
    told = tally.drawn
    x, n, k = told.logit, told.n, told.k
    a, b = np.zeros(n.shape[:-1]), np.ones(n.shape[:-1])
    for _ in range(NEWTON_STEPS):
        mu = expit(a[..., None] + b[..., None] * x)
        residual, weight = k - n * mu, n * mu * (1 - mu)
        ga = residual.sum(-1) - a / INTERCEPT_SD**2
        gb = (residual * x).sum(-1) - (b - 1) / SLOPE_SD**2
        haa = weight.sum(-1) + 1 / INTERCEPT_SD**2
        hab = (weight * x).sum(-1)
        hbb = (weight * x * x).sum(-1) + 1 / SLOPE_SD**2
        det = haa * hbb - hab * hab
        step_a, step_b = (hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det
        scale = 1 / np.maximum(1, np.maximum(np.abs(step_a), np.abs(step_b) * 4))
        a, b = a + scale * step_a, b + scale * step_b
        if max(np.abs(step_a).max(initial=0), np.abs(step_b).max(initial=0)) < 1e-10:
            break
    return Calibration(a, b)


ORDER_Z = 2.326  # one-sided 1 %: beyond this, the guide's order counts as shown on a side


def order_z(tally: Tally) -> FloatArray:
    """The score statistic for "positives increase with the guide" against "the guide is uninformative": about N(0, 1) under the latter.

    0 if there is no information: all labels are equal, or all groups have the same guide value.
    """
    n, k, x = tally.n, tally.k, tally.logit
    labels = np.maximum(n.sum(-1), 1)
    share = k.sum(-1) / labels
    centered = x - ((n * x).sum(-1) / labels)[..., None]
    variance = share * (1 - share) * (n * centered**2).sum(-1)
    top = (centered * (k - n * share[..., None])).sum(-1)
    return np.asarray(np.divide(top, np.sqrt(variance), out=np.zeros_like(top), where=variance > 1e-12))


LARGE = 0.1  # of a side's units: a stratum that holds as much must show the guide's order by itself


def order_shown(tally: Tally) -> BoolArray:
    """Whether the labels of a side have shown that positives increase with the guide, in each large stratum if there are several.

    Another classifier's predictions separate positives as well as a guide does. Labels placed by it would show the guide's order for a
    side of which most units were drawn without it.
    """
    tally = tally.drawn
    if tally.stratum is None or (tally.stratum == tally.stratum[:1]).all():
        return np.asarray(order_z(tally) > ORDER_Z)
    parts = [tally.pick(tally.stratum == s) for s in np.unique(tally.stratum)]
    return np.asarray(np.logical_and.reduce([order_z(part) > ORDER_Z for part in parts if part.N.sum() >= LARGE * tally.N.sum()]))


class Shares(NamedTuple):
    """The estimated share of each group, whatever the metric sums (units, or metric weight).

    amount     the units or the metric weight of the group
    share      its positive share, the ratio of labeled sums
    noise      the usual estimate of n Var(share) without the finite-population factor; 0 if all labels agree
    n, k       the equivalent numbers of equally weighted labels and positives: n and k themselves if units are counted
    top        the largest possible weight of an unlabeled unit, relative to the average weight of a label
    """

    amount: FloatArray
    share: FloatArray
    noise: FloatArray
    n: FloatArray
    k: FloatArray
    top: FloatArray


def read_shares(tally: Tally) -> Shares:
    """The shares of a tally's groups; 0 for a group without labels.

    By weight: r_h = sum(x y) / sum(x), noise = s^2(x (y - r_h)) / mean(x)^2 and n = sum(x)^2 / sum(x^2) (Kish). The same with expansion
    weights instead of x, if a group joins parts drawn at different rates.
    """
    n, k = tally.n, tally.k
    labels = np.maximum(n, 1e-12)
    spare = np.divide(n, np.maximum(n - 1, 0.5), out=np.zeros(n.shape), where=n > 0)
    if tally.weights is None and tally.expansions is None:
        share = np.where(n > 0, k / labels, 0.0)
        return Shares(tally.N, share, spare * share * (1 - share), n, k, np.ones(n.shape))
    w: WeightSums | LabelSums
    if tally.weights is not None:
        w, amount, top = tally.weights, tally.weights.X, tally.weights.top
    else:
        assert tally.expansions is not None
        w, amount, top = tally.expansions, tally.N, np.zeros(tally.N.shape)
    share = np.where(w.x > 0, np.clip(w.xy / np.maximum(w.x, 1e-300), 0, 1), 0.0)
    squares = np.maximum(w.xxy * (1 - 2 * share) + share * share * w.xx, 0.0)
    even = np.where(w.x > 0, w.x * w.x / np.maximum(w.xx, 1e-300), n)
    mean = np.divide(w.x, labels, out=np.zeros(n.shape), where=n > 0)
    heaviest = np.divide(top, mean, out=np.ones(n.shape), where=mean > 0)
    noise = np.divide(spare * squares / labels, mean * mean, out=np.zeros(n.shape), where=mean > 0)
    return Shares(amount, share, noise, even, even * share, heaviest)


def read_side(tally: Tally) -> Evidence:
    """The estimated positive share of one side (a tally of that side only), its variance, and the weight of an unseen error."""
    group = read_shares(tally)
    n = tally.n
    seen = n > 0
    held = float(group.amount.sum())
    labeled = np.where(seen, group.amount, 0).sum(-1)
    W = np.divide(np.where(seen, group.amount, 0.0), labeled[..., None], out=np.zeros(n.shape), where=labeled[..., None] > 0)
    open_share = np.where(seen, _open_share(tally), 0.0)
    safe_n = np.where(seen, n, 1.0)
    p = np.where(labeled > 0, (W * group.share).sum(-1), np.nan)
    scale = W**2 * open_share
    V = (scale * group.noise / safe_n).sum(-1)
    q_h = (group.k + PRIOR_LABELS * recalibrate(replace(tally, n=group.n, k=group.k))) / (group.n + PRIOR_LABELS)
    even_n = np.where(seen, group.n, 1.0)
    Vs = (scale * q_h * (1 - q_h) / np.maximum(even_n - 0.5, 0.5)).sum(-1)  # a forecast may expect less than one label
    left = _weight_left(n, tally.N)
    return Evidence(
        N=float(tally.N.sum()),
        n=n.sum(-1),
        p=p,
        raw=V,
        v=np.maximum(V, Vs),
        df=np.maximum(1.0, np.where(open_share > 0, n - 1, 0).sum(-1)),
        spread=(W**2 * left * safe_n / even_n).sum(-1),
        ordered=order_shown(tally),
        unlabeled=1 - labeled / held if held else np.zeros(n.shape[:-1]),
        heaviest=(W * left * group.top).max(-1, initial=0.0) if tally.weights is not None else 0.0,
        bands=Bands(tally.N, n, tally.k) if tally.weights is None and tally.expansions is None else None,
    )


def _open_share(tally: Tally) -> FloatArray:
    """The finite-population factor of each group: 1 - f; for joined parts 1 - sum(w) / sum(w^2), w the expansion weights."""
    if tally.expansions is None:
        return np.asarray(np.maximum(1 - tally.n / tally.N, 0.0))  # a forecast of a census may exceed it by rounding
    w = tally.expansions
    return np.asarray(np.maximum(1 - np.divide(w.x, w.xx, out=np.ones(w.x.shape), where=w.xx > 0), 0.0))


def _weight_left(n: FloatArray, N: FloatArray) -> FloatArray:
    """1 / (N (-ln(1 - f))), f = n / N: about 1 / n for few labels, 0 for a completely labeled or an unlabeled group.

    The number of errors m among N units of which n labels show none is plausible up to (1 - f)^m = alpha, m = ln alpha / ln(1 - f):
    each counts as much as one error among -N ln(1 - f) labels of an infinite side.
    """
    open_group = (n > 0) & (n < N)
    f = np.where(open_group, n / N, 0.5)
    return np.where(open_group, 1 / (N * -np.log1p(-f)), 0.0)
