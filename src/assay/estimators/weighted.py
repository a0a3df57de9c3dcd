"""Totals of one side by expansion inside bands, with a variance that stays honest when a band saw no error.

    p   = sum_h W_h k_h / n_h                                      W_h = N_h / N_side
    V   = sum_h W_h^2 (1 - f_h) p_h (1 - p_h) / (n_h - 1)          f_h = n_h / N_h
    Vs  = sum_h W_h^2 (1 - f_h) q_h (1 - q_h) / (n_h - 1/2)        q_h = (k_h + 2 mu_h) / (n_h + 2)
    v   = max(V, Vs)

mu_h is a two-parameter recalibration of the guide (`recalibrate`). A band of five labels with no error has V_h = 0, which is
false; Vs is what the guide and the other bands say of it. Derivation: docs/maths/weighted.md.

Main path: population > profile > plan > draw > labels > [estimate] > decision > report
"""

import numpy as np

from assay.nouns.arrays import FloatArray
from assay.nouns.evidence import Evidence
from assay.nouns.tally import Tally

PRIOR_LABELS = 2.0  # what mu_h weighs in q_h
INTERCEPT_SD, SLOPE_SD = 2.0, 0.5  # prior of the recalibration: logit mu = a + b logit s, a ~ N(0, 2^2), b ~ N(1, 0.5^2)
NEWTON_STEPS = 40


def expit(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def recalibrate(tally: Tally) -> FloatArray:
    """mu_h: the positive share of each group according to the guide, recalibrated by two parameters with a ridge prior.

    The posterior mode of logit mu = a + b x, x the guide's mean log-odds, found by damped Newton steps (the log posterior is
    strictly concave, so there is one mode). Without labels it is the guide itself.
    """
    x, n, k = tally.logit, tally.n, tally.k
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
    return expit(a[..., None] + b[..., None] * x)


ORDER_Z = 2.326  # one-sided 1 %: the guide counts as proven on a side beyond this


def order_z(tally: Tally) -> FloatArray:
    """Score statistic of "positives rise with the guide" against "the guide says nothing": about N(0, 1) under the latter.

    0 where nothing can be said: all labels alike, or all groups of one guide value.
    """
    n, k, x = tally.n, tally.k, tally.logit
    labels = np.maximum(n.sum(-1), 1)
    share = k.sum(-1) / labels
    centered = x - ((n * x).sum(-1) / labels)[..., None]
    variance = share * (1 - share) * (n * centered**2).sum(-1)
    top = (centered * (k - n * share[..., None])).sum(-1)
    return np.asarray(np.divide(top, np.sqrt(variance), out=np.zeros_like(top), where=variance > 1e-12))


def read_side(tally: Tally) -> Evidence:
    """The estimated positive share of one side (a tally of that side only), its variance, and what an unseen error could weigh."""
    N_side = float(tally.N.sum())
    n, k = tally.n, tally.k
    seen = n > 0
    labeled_N = np.where(seen, tally.N, 0).sum(-1)
    W = np.divide(np.where(seen, tally.N, 0.0), labeled_N[..., None], out=np.zeros(n.shape), where=labeled_N[..., None] > 0)
    open_share = np.where(seen, 1 - n / tally.N, 0.0)
    safe_n = np.where(seen, n, 1.0)
    p_h = k / safe_n
    p = np.where(labeled_N > 0, (W * p_h).sum(-1), np.nan)
    scale = W**2 * open_share
    V = (scale * p_h * (1 - p_h) / np.maximum(safe_n - 1, 0.5)).sum(-1)
    q_h = (k + PRIOR_LABELS * recalibrate(tally)) / (n + PRIOR_LABELS)
    Vs = (scale * q_h * (1 - q_h) / np.maximum(safe_n - 0.5, 0.5)).sum(-1)  # a forecast may expect less than one label
    return Evidence(
        N=N_side,
        n=n.sum(-1),
        p=p,
        raw=V,
        v=np.maximum(V, Vs),
        df=np.maximum(1.0, np.where(open_share > 0, n - 1, 0).sum(-1)),
        spread=(W**2 * _weight_left(n, tally.N)).sum(-1),
        ordered=order_z(tally) > ORDER_Z,
        unlabeled=1 - labeled_N / N_side if N_side else np.zeros(n.shape[:-1]),
    )


def _weight_left(n: FloatArray, N: FloatArray) -> FloatArray:
    """1 / (N (-ln(1 - f))), f = n / N: about 1 / n for few labels, 0 for a group taken whole or without a label.

    The number of errors m among N units of which n labels show none is believable up to (1 - f)^m = alpha, m = ln alpha / ln(1 - f):
    each costs as much as one error among -N ln(1 - f) labels of an endless side.
    """
    open_group = (n > 0) & (n < N)
    f = np.where(open_group, n / N, 0.5)
    return np.where(open_group, 1 / (N * -np.log1p(-f)), 0.0)
