"""REC: a Clopper-Pearson interval on an effective number of labels, with one unseen error added, for rare errors.

For one side, with q the rarer of (p, 1 - p) and v its variance:

    n_e = q (1 - q) / v,   x = n_e q,            lower = Beta^-1(alpha/2; x, n_e - x + 1)
    w   = the weight of one more, unseen error (`unseen_error`)
    q+  = q + w,  v+ = v + w^2,  n+ = q+ (1 - q+) / v+,   upper = Beta^-1(1 - alpha/2; n+ q+, n+ (1 - q+))

Mid-p adds half an unseen error instead of a whole one, and half an error below for one that may have been seen by chance (`unseen`).
Two sides are joined by MOVER (`intervals/mover.py`). REC assumes that errors are where the guide says once the labels of the side
have shown the guide's order; `strict` never does, and is valid even if errors occur where the guide predicts none. Derivation and
coverage: docs/maths/rare.md, docs/coverage.md.
"""

from functools import partial

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from fewlabels.intervals.base import Interval
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Evidence, Limits

GUARD = 1e-12  # tolerance for rounding: a census is exact, and a share below this is 0


def rec(side: Evidence, tail: float, *, strict: bool = False, unseen: float = 1.0) -> Limits:
    """The limits of one side's positive share, each missed with probability at most about `tail` (alpha/2; alpha for one-sided).

    unseen   how many unseen errors are added: 1, or 1/2 for mid-p
    """
    known = np.isfinite(side.p)
    p = np.where(known, side.p, 0.5)
    mirrored = p > 0.5
    q = np.where(mirrored, 1 - p, p)
    q = np.where(q < GUARD, 0.0, q)  # rounding may bring a sum of shares that are all 1 slightly below 1: no error was seen
    inflation = (stdtrit(side.df, 1 - tail) / ndtri(1 - tail)) ** 2
    exact = side.v <= 0
    v = np.where(exact, 0.25, side.v * inflation)  # arbitrary for a census: its limits are the value itself
    low, high = rare_limits(q, v, tail, w=unseen_error(q, v, side, strict=strict), unseen=unseen)
    one_unit = np.where(side.n < side.N, 1 / side.N, 0.0) if side.N else np.zeros_like(q)
    low = np.minimum(low, np.maximum(q - one_unit - GUARD, 0.0))  # near a census an open unit may still be one error fewer
    low, high = np.where(exact, q - GUARD, low), np.where(exact, q + GUARD, high)
    low, high = np.where(mirrored, 1 - high, low), np.where(mirrored, 1 - low, high)
    low, high = (1 - side.unlabeled) * low, (1 - side.unlabeled) * high + side.unlabeled
    return Limits(np.where(known, np.clip(low, 0, 1), 0.0), np.where(known, np.clip(high, 0, 1), 1.0))


def rare_limits(q: FloatArray, v: FloatArray, tail: float, *, w: FloatArray, unseen: float) -> Limits:
    """REC for a share q <= 1/2 with variance v > 0 and an unseen error of weight w."""
    seen = q > 0
    safe_v = np.maximum(v, 1e-300)
    n_e = q * (1 - q) / safe_v
    x = n_e * q
    luck = (1 - unseen) * np.minimum(1, x)
    low = np.where(seen & (x > 0), betaincinv(np.maximum(x, 1e-12) + luck, np.maximum(n_e - x, 0) + unseen, tail), 0.0)
    q1, v1 = q + unseen * w, v + unseen * w * w
    n1 = np.divide(q1 * (1 - q1), v1, out=np.zeros_like(v1), where=v1 > 0)
    finite = (q1 < 1) & (n1 > 0)
    a, b = np.where(finite, n1 * q1, 1.0), np.where(finite, n1 * (1 - q1), 1.0)
    return Limits(low, np.where(finite, betaincinv(a, b, 1 - tail), 1.0))


def unseen_error(q: FloatArray, v: FloatArray, side: Evidence, *, strict: bool) -> FloatArray:
    """The weight of one unseen error: like those seen if the guide's order is shown, otherwise like one anywhere on the side.

    v / q      a typical error among those seen; at least half an even label, and at least one unit, which near a census is more
    spread     an error in a unit chosen uniformly, also where the guide predicts none
    heaviest   where units differ in metric weight, the heaviest of them: one unseen large unit may be the whole risk
    """
    typical = np.where(q > 0, np.divide(v, q, out=np.zeros_like(v), where=q > 0), side.spread)
    if side.N:
        even = np.divide(0.5 * (1 - side.n / side.N), side.n, out=np.zeros_like(v), where=side.n > 0)
        typical = np.maximum.reduce([typical, even, np.where(side.n < side.N, 1 / side.N, 0.0)])
    believed = side.ordered & (not strict)
    return np.where(believed, typical, np.maximum.reduce([typical, side.spread, np.broadcast_to(side.heaviest, typical.shape)]))


REC = Interval(
    name="rec",
    of_side=rec,
    may_plan=True,
    holds_over_looks=True,
    believes_guide=True,
    statement="The interval assumes that errors are where the scores say, once labels have shown that positives increase with the score. "
    "It does not cover positives where otherwise good scores predict none; the strict interval beside it does.",
)
STRICT = Interval(
    name="strict",
    of_side=partial(rec, strict=True),
    may_plan=True,
    holds_over_looks=True,
    statement="The interval is valid even if errors occur where the scores predict none.",
)
MIDP = Interval(
    name="midp",
    of_side=partial(rec, unseen=0.5),
    may_plan=True,
    believes_guide=True,
    statement="The interval adds half an unseen error instead of a whole one: its coverage is near its level on average, 0.90 at worst.",
)
