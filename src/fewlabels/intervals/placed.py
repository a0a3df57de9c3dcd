"""Placed: the limits of a side's positives wherever the unseen ones are, by placing them where the labels would show them least.

For the upper limit of m = sum_h m_h from T = sum_h N_h k_h / n_h, positives are added along the path that raises m most for the
likelihood it costs: every band at the same price 1 - e for one more positive,

    m_h / (m_h - k_h)  x  (N_h - m_h - n_h + k_h) / (N_h - m_h)  =  1 - e

    e m^2 + m (n - e (N + k)) - (1 - e) k N = 0          in each band; m = max(0, N - n / e) where none was seen: water-filling

from e = 0, the estimate itself, up to the e at which P(T <= what was seen) = tail (`weighted_sum`). The lower limit is the same for the
other answer. So an unseen positive may be anywhere, and no score is believed.

A band's share is estimated from its own few labels, which makes T look steadier than it is. The tail is lowered by what one band's share
of the variance V leaves to the others, r_h = V_h / V:

    tail' = Phi(z c),   c^2 = (1 + sum_h r_h (1 - r_h) / (n_h - 1)) (t_df / z)^2,   1/df = sum_h r_h^2 (1 - r_h) / (n_h - 1)

With one band, or where no positive was seen, tail' = tail, and the limit is nearly that of the exact test. Where counts of bands do not
determine the estimate (metric weights, two phases), strict takes its place. Derivation and what was tried: docs/maths/placed.md.
"""

from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit, xlogy

from fewlabels.intervals.base import Interval
from fewlabels.intervals.falling import Bracket, Falling, find_root, narrowed
from fewlabels.intervals.rare import GUARD, rec
from fewlabels.intervals.weighted_sum import FILLING, WeightedSum, gaps, none_seen
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.evidence import Bands, Evidence, Limits

Ends = Literal["both", "low", "high"]
THIN, SCANNED = 2, 16  # labels of a band, and prices
COUNTS = 0.01  # of the variance that T would have if all bands were alike
BESIDE = 0.1  # of log e: how fast the likelihood falls
LEAST = 1e-15  # a smaller probability is as good as none
RAREST = 1e-13  # a tail below which nothing is ruled out: probabilities near 1 are known to about LEAST
TINY = 1e-12
ROUNDING = 1e-6  # of the limit, toward the safe side
FEW = 32  # rows
AT_ONCE = 1 << 21  # numbers in an array over replicates and pairs of bands


def placed(side: Evidence, tail: float) -> Limits:
    """The limits of one side's positive share, each missed with probability at most about `tail` (alpha/2; alpha for one-sided)."""
    return ends_of(side, tail, "both")


def ends_of(side: Evidence, tail: float, ends: Ends) -> Limits:
    """The same, or one of the two for half the work: the other is then the share itself, which says nothing."""
    if side.bands is None or not side.bands.N.size:
        return rec(side, tail, strict=True)
    known = np.isfinite(side.p)
    shape, H = side.p.shape, side.bands.N.shape[-1]
    bands = Bands(*(np.broadcast_to(counts, (*shape, H)).reshape(-1, H) for counts in side.bands))
    units = np.where(bands.n > 0, bands.N, 0.0).sum(-1)
    found = limits_of_bands(bands, np.broadcast_to(tail, shape).reshape(-1), ends)
    low, high = (np.divide(end, units, out=np.zeros_like(end), where=units > 0).reshape(shape) for end in found)
    exact = side.v <= 0
    low, high = np.where(exact, side.p, np.minimum(low, side.p)) - GUARD, np.where(exact, side.p, np.maximum(high, side.p)) + GUARD
    low, high = (1 - side.unlabeled) * low, (1 - side.unlabeled) * high + side.unlabeled
    return Limits(np.where(known, np.clip(low, 0, 1), 0.0), np.where(known, np.clip(high, 0, 1), 1.0))


def limits_of_bands(bands: Bands, tails: FloatArray, ends: Ends = "both") -> Limits:
    """The limits of the number of positives in all bands, arrays of shape (R, H); a band without a label is left out.

    ends   if only one limit is wanted, the other is the estimate
    """
    empty = bands.n <= 0
    N, n, k = (np.where(empty, one, counts) for counts, one in zip(bands, (1.0, 1.0, 0.0), strict=True))  # as one known unit
    low, high = (np.where(empty, 0.0, N * k / n).sum(-1) for _ in range(2))
    rows = _rows_at_once(n)
    for start in range(0, n.shape[0], rows):
        at = slice(start, start + rows)
        some = Bands(N[at], n[at], k[at])
        rarer = lowered_tail(some, tails[at])
        if ends == "both":
            high[at], low[at] = _both(some, rarer)
        else:
            (low if ends == "low" else high)[at] = limit(some, rarer, np.full(rarer.shape, ends == "low"))
    return Limits(low, high)


def _rows_at_once(counts: FloatArray) -> int:
    """How many replicates with so many bands fit into memory together."""
    H: int = counts.shape[-1]
    return max(1, AT_ONCE // (H * min(H, FILLING)))


def _both(bands: Bands, tail: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The upper and the lower limits; of a few rows at once, since a call costs more than a row."""
    upper, lower = (np.full(tail.shape, is_lower) for is_lower in (False, True))
    if tail.size > FEW:
        return limit(bands, tail, upper), limit(bands, tail, lower)
    twice = Bands(*(np.concatenate([counts, counts]) for counts in bands))
    high, low = np.split(limit(twice, np.tile(tail, 2), np.concatenate([upper, lower])), 2)
    return high, low


def lowered_tail(bands: Bands, tail: FloatArray) -> FloatArray:
    """tail': the tail that allows for the bands' shares being estimated; shape (R,)."""
    N, n, k = bands
    p = k / n
    V = N * (N - n) * p * (1 - p) / n
    whole = V.sum(-1, keepdims=True)
    r = np.divide(V, whole, out=np.zeros_like(V), where=whole > 0)
    spare = r * (1 - r) / np.maximum(n - 1, 1)
    df = 1 / np.maximum((r * spare).sum(-1), 1e-9)
    z = ndtri(tail)
    return np.asarray(ndtr(z * np.sqrt(1 + spare.sum(-1)) * np.where(df < 1e8, stdtrit(df, tail) / z, 1.0)))


def path(e: FloatArray, bands: Bands) -> FloatArray:
    """m_h at the price 1 - e, 0 < e <= 1; shape (R, H)."""
    N, n, k = bands
    b = n - e * (N + k)
    root = np.sqrt(b * b + 4 * e * (1 - e) * k * N)
    rising, falling = b + root, root - b
    m = np.where(b > 0, np.divide(2 * (1 - e) * k * N, rising, out=np.zeros_like(root), where=rising > 0), falling / (2 * e))
    return np.asarray(np.clip(m, k, N - n + k))


def limit(bands: Bands, tail: FloatArray, lower: BoolArray) -> FloatArray:
    """The largest number of positives that the labels allow along the path, or the smallest along that of the other answer; shape (R,)."""
    N, n, k = bands
    searched = Bands(N, n, np.where(lower[:, None], n - k, k))  # of which answer there may be more than was seen
    found = (N - n + searched.k).sum(-1)
    none = (searched.k <= 0).all(-1)
    every = none_seen(N, N - n, n - searched.k) >= np.log(np.maximum(tail, LEAST))  # unit of the other answer may have been labeled
    some = ~every & (tail >= RAREST)
    thin = _is_thin(bands) & ~none
    for rows, is_none, is_thin in ((some & ~none & ~thin, False, False), (some & thin, False, True), (some & none, True, False)):
        if rows.any():
            part = Bands(*(counts[rows] for counts in searched))
            m = path(_price(part, tail[rows], lower[rows], none=is_none, scan=is_thin)[:, None], part)
            rounding = ROUNDING * (1 + np.where(part.n < part.N, m, 0.0).sum(-1))
            found[rows] = np.minimum(found[rows], m.sum(-1) + rounding)
    return np.asarray(np.where(lower, N.sum(-1) - found, found))


def _is_thin(bands: Bands) -> BoolArray:
    """Whether bands with a label or two are a part of T that counts."""
    N, n, _ = bands
    open_part = N * (N - n) / n
    return np.asarray(np.where(n <= THIN, open_part, 0.0).sum(-1) > COUNTS * open_part.sum(-1))


def _price(bands: Bands, tail: FloatArray, lower: BoolArray, *, none: bool, scan: bool) -> FloatArray:
    """The price at which what was seen has probability `tail`; `none` if none of the answer was seen, `lower` if it is the negative one.

    With a label or two in a band the approximation is not monotone: `scan` looks for the last such price.
    """
    heavy = _heavy(bands)
    N, n, k = (np.where(heavy, one, counts) for counts, one in zip(bands, (1.0, 1.0, 0.0), strict=True))  # as one known unit
    any_heavy, mirrored = bool(heavy.any()), lower[:, None]
    open_gaps = gaps(*bands)  # a heavy band shows none, so it fills no gap
    t = (N * np.where(mirrored, n - k, k) / n).sum(-1)
    saddle = np.zeros(t.shape)

    def excess(log_e: FloatArray, rows: IntArray) -> FloatArray:
        """The log of the probability over the tail."""
        mine = bands if rows.size == t.size else Bands(*(counts[rows] for counts in bands))
        m = path(np.exp(log_e)[:, None], mine)
        if none:
            return np.asarray(np.maximum(none_seen(mine.N, mine.n, m), np.log(LEAST)) - np.log(tail[rows]))
        unseen = none_seen(mine.N, mine.n, np.where(heavy[rows], m, 0.0)) if any_heavy else np.zeros(rows.size)
        m = np.where(heavy[rows], 0.0, m) if any_heavy else m
        total = WeightedSum(N[rows], n[rows], np.where(mirrored[rows], N[rows] - m, m))
        P, saddle[rows] = total.tail(t[rows], saddle[rows], open_gaps.of(rows), lower[rows])
        return np.asarray(np.maximum(np.log(np.maximum(P, LEAST)) + unseen, np.log(LEAST)) - np.log(tail[rows]))

    start = np.log((bands.n / bands.N).min(-1)) - 4
    ends = Bracket(start, -np.log(tail), np.full(t.shape, -TINY), np.log(LEAST / tail))  # where all is to be expected, and nothing
    if scan:
        ends = _last_change(excess, ends, max(1, _rows_at_once(N) // t.size))
    elif not none:
        guess = find_root(lambda at, rows: _likely(bands, tail, at, rows), ends)
        slope = _likely(bands, tail, guess - BESIDE, np.arange(t.size)) / BESIDE
        ends = narrowed(excess, ends, guess, np.maximum(slope, TINY))
    return np.exp(find_root(excess, ends))


def _likely(bands: Bands, tail: FloatArray, log_e: FloatArray, rows: IntArray) -> FloatArray:
    """The same by the likelihood ratio alone: about where to begin."""
    N, n, k = (counts[rows] for counts in bands)
    m = path(np.exp(log_e)[:, None], Bands(N, n, k))
    ratio = xlogy(k, k * N / np.maximum(n * m, TINY)) + xlogy(n - k, np.maximum((n - k) * N, TINY) / np.maximum(n * (N - m), TINY))
    z = ndtri(tail[rows])
    return np.asarray(z * z / 2 - (ratio * N / np.maximum(N - n, 1)).sum(-1))


def _last_change(excess: Falling, ends: Bracket, at_once: int) -> Bracket:
    """The last of some prices between which the probability crosses the tail, so many prices at a time."""
    shares = np.linspace(1, 0, SCANNED)[1:-1]
    at = ends.low + shares[:, None] * (ends.high - ends.low)
    rows = np.arange(ends.low.size)
    parts = [at[i : i + at_once] for i in range(0, shares.size, at_once)]
    f = np.concatenate([excess(part.ravel(), np.tile(rows, len(part))).reshape(part.shape) for part in parts])
    last = np.where((f > 0).any(0), (f > 0).argmax(0), shares.size)
    prices, values = np.concatenate([ends.high[None], at, ends.low[None]]), np.concatenate([ends.below[None], f, ends.above[None]])
    return Bracket(prices[last + 1, rows], values[last + 1, rows], prices[last, rows], values[last, rows])


def _heavy(bands: Bands) -> BoolArray:
    """The bands of which one positive more would weigh more than all that were seen: T <= t only if they show none."""
    N, n, k = bands
    sure = np.maximum(n - N * (1 - k / n), 0)  # shown by any draw, once the estimate is true
    seen = (N * (k - sure) / n).sum(-1, keepdims=True)
    return np.asarray((k <= 0) & (N / n > seen * (1 + ROUNDING)))


PLACED = Interval(
    name="placed",
    of_side=placed,
    of_end=ends_of,
    may_plan=True,
    holds_over_looks=True,
    ends_with_units=True,
    statement="The interval is valid wherever the unseen errors are: it places them where the labels would show them least.",
)
