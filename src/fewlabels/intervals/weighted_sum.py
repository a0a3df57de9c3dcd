"""How likely a weighted sum of counts is to be at most, or at least, what was seen: a saddle-point approximation.

    T = sum_h w_h K_h,   w_h = N_h / n_h,   K_h the positives among n_h labels of N_h units of which m_h are positive

K_h is hypergeometric; a binomial count with its mean and variance takes its place. It counts the rarer answer, M of N units, in the
smaller part of them, labeled or not, g units: where few of either are left to count, it is the exact law.

    chance p = M/N + (1 - M/N) (g - 1) / (N - 1),   size = g M / (N p)

With K the cumulant function of the sum and s the saddle point, K'(s) = t:

    P(T <= t) = Phi(z) + phi(z) (1/z - 1/v)      z = sign(s) sqrt(2 (s t - K(s))),   v = (2/d) sinh(s d / 2) sqrt(K''(s))

taken at t + d/2, and P(T >= t) likewise at t - d/2. d is how far apart the values of T are: w for one band. With several weights the values
of one band lie between those of another, so a band's gap counts as far as the others leave it open, g_h = w_h prod_j |phi_j(2 pi / w_h)|:

    d = max( sum_h g_h V_h / V,  max_h g_h (1 - exp(-2 v_h)) )        v_h the variance of the tilted count, V_h = w_h^2 v_h

A single band needs no approximation: its matched count is binomial. Against exact convolution: tests/references/test_placed.py. Derivation:
docs/maths/placed.md. Source: Lugannani & Rice 1980, Advances in Applied Probability 12:475; Daniels 1987, International Statistical Review
55:37 for values on a lattice.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, gammaln, ndtr

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

FILLING = 256  # bands whose values fill gaps: more would take memory and time by the square of their number
NEWTON_STEPS = 25
CLOSE = 1e-6  # of a standard deviation: the saddle point is found
NEARLY = 1e-2  # the same where only the gap depends on it
WORTH_MOVING = 0.7  # of the rows still move: the others are left out
LONGEST = 3.0  # a step, in the weight that dominates
TINY = 1e-300
LARGEST = 600.0  # of an exponent
MANY = 1e3  # times as many units as labels: a^5 / x^4 is nothing
CENTER = 1e-3  # of z: at the mean the correction is a difference of two poles
INVERSE_ROOT = 0.3989422804014327  # of 2 pi


class Gaps(NamedTuple):
    """How far bands j fill the gaps between the values of bands h: 1 - cos(2 pi w_j / w_h), shape (R, H, J), or (1, H, J) for all alike.

    by      which bands j, shape (R, J) or (1, J); all of them if None
    """

    filled: FloatArray
    by: IntArray | None

    def of(self, rows: IntArray) -> "Gaps":
        """Those of some rows."""
        if self.filled.shape[0] == 1:
            return self
        return Gaps(self.filled[rows], None if self.by is None else self.by[rows])

    def filled_by(self, variance: FloatArray) -> FloatArray:
        """The sum over j of what each fills times the variance of its count; shape (R, H)."""
        if self.by is not None:
            variance = np.take_along_axis(variance, np.broadcast_to(self.by, (variance.shape[0], self.by.shape[1])), axis=1)
        if self.filled.shape[0] == 1:
            return np.asarray(variance @ self.filled[0].T)
        return np.asarray((self.filled @ variance[..., None])[..., 0])


def gaps(N: FloatArray, n: FloatArray, k: FloatArray) -> Gaps:
    """The gaps of draws with these counts. Of many bands only the FILLING most open count: that leaves gaps wider, which is safe."""
    w = N / n
    alike = bool((w == w[:1]).all())
    w = w[:1] if alike else w
    if w.shape[-1] <= FILLING:
        return Gaps(_unfilled(w, w), None)
    spread = (k + 0.5) * (n - k + 0.5) / n
    by = np.argsort(-(spread.mean(0, keepdims=True) if alike else spread), axis=1, kind="stable")[:, :FILLING]
    return Gaps(_unfilled(w, np.take_along_axis(w, by, axis=1)), by)


def _unfilled(w: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(1 - np.cos(2 * np.pi * others[..., None, :] / w[..., :, None]))


def none_seen(N: FloatArray, n: FloatArray, m: FloatArray) -> FloatArray:
    """The log of the exact chance that n labels of N units show none of the m, in every band; shape (R,)."""
    left = np.maximum(N - m - n, 0)
    return np.asarray((_log_rising(left + 1, N - m - left) - _log_rising(N - n + 1, n)).sum(-1))


def _log_rising(x: FloatArray, a: FloatArray) -> FloatArray:
    """The log of Gamma(x + a) / Gamma(x); by Stirling's series where x is so large that a difference would lose the digits."""
    middle = x + (a - 1) / 2
    return np.where(x > MANY * np.maximum(a, 1), a * np.log(middle) - a * (a * a - 1) / (24 * middle**2), gammaln(x + a) - gammaln(x))


class WeightedSum:
    """T for R populations with H bands each: arrays of shape (R, H), or (1, H) where all are alike."""

    def __init__(self, N: FloatArray, n: FloatArray, m: FloatArray) -> None:
        """Match the counts."""
        common, past_half = 2 * m > N, 2 * n > N
        M, g = np.where(common, N - m, m), np.minimum(n, N - n)
        self.w = N / n
        self.chance = np.clip(M / N + (1 - M / N) * ((g - 1) / np.maximum(N - 1, 1)), TINY, 1)
        self.size = g * M / (N * self.chance)
        self.signed = np.where(common ^ past_half, -self.w, self.w)
        certain = np.where(common, n, 0.0) + np.where(past_half, np.where(common, -M, M), 0.0)
        self.certain = (self.w * certain).sum(-1)
        self.least, self.most = ((self.w * count).sum(-1) for count in (np.maximum(n - (N - m), 0), np.minimum(n, m)))

    def _tilted(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The normalizer and variance of each count, and mean and variance of T, tilted by s."""
        e = np.exp(np.clip(s[:, None] * self.signed, -LARGEST, LARGEST))
        normal = 1 - self.chance + self.chance * e
        q = self.chance * e / normal
        mean = self.size * q
        variance = mean * (1 - q)
        return normal, variance, self.certain + (mean * self.signed).sum(-1), (variance * self.w**2).sum(-1)

    def _of(self, rows: BoolArray) -> "WeightedSum":
        """The sums of some rows, as far as `_tilted` needs them."""
        some = copy(self)
        for name in ("w", "chance", "size", "signed", "certain"):
            values = getattr(self, name)
            setattr(some, name, values if values.shape[0] == 1 else values[rows])
        return some

    def _saddle(self, t: FloatArray, s: FloatArray, close: float = CLOSE) -> FloatArray:
        """The s with K'(s) = t, by Newton steps on log K', which is nearly linear where counts are rare."""
        found, left, some = s.copy(), np.arange(s.size), self
        moving = np.ones(s.size, dtype=np.bool_)  # a row does not move on while others do: it is the same alone
        for _ in range(NEWTON_STEPS):
            _, variance, mean, spread = some._tilted(s)
            spread, positive = np.maximum(spread, TINY), np.maximum(mean, TINY)
            step = np.where(mean > 0, np.log(positive / t) * positive, mean - t) / spread  # nearly all labeled, matched counts fall below 0
            most = LONGEST * spread / np.maximum((variance * some.w**3).sum(-1), TINY)
            s = s - np.where(moving, np.clip(step, -most, most), 0.0)
            moving &= ~(np.abs(step) * np.sqrt(spread) < close)
            if not moving.any():
                break
            if moving.mean() < WORTH_MOVING:
                found[left[~moving]] = s[~moving]
                some, left, t, s = some._of(moving), left[moving], t[moving], s[moving]
                moving = moving[moving]
        found[left] = s
        return found

    def _gap(self, s: FloatArray, open_gaps: Gaps) -> FloatArray:
        """How far apart the values of the tilted T are: by the bands' shares of its variance, or by a band whose count is open."""
        _, variance, _, spread = self._tilted(s)
        gap = self.w * np.exp(-open_gaps.filled_by(variance))
        share = variance * self.w**2 / np.maximum(spread, TINY)[:, None]
        return np.asarray(np.maximum((share * gap).sum(-1), (-np.expm1(-2 * variance) * gap).max(-1)))

    def _of_one_band(self, t: FloatArray, at_least: BoolArray) -> FloatArray:
        """The same for a single band, whose matched count needs no approximation."""
        size, chance, signed = self.size[:, 0], self.chance[:, 0], self.signed[:, 0]
        x = (t - self.certain) / signed  # the count at t; more of it is a smaller T where the sign is negative
        many = (signed > 0) == at_least
        x = np.clip(np.where(many, x - 1, x), -1, size)
        at_most = np.where(x >= size, 1.0, np.where(x <= -1, 0.0, betainc(np.maximum(size - x, TINY), np.maximum(x + 1, TINY), 1 - chance)))
        return np.asarray(np.where(many, 1 - at_most, at_most))

    def tail(self, t: FloatArray, s: FloatArray, open_gaps: Gaps, at_least: BoolArray) -> tuple[FloatArray, FloatArray]:
        """P(T <= t), or P(T >= t), of t > 0; and the saddle point, from which a similar sum may start."""
        if self.w.shape[-1] == 1:
            return self._of_one_band(t, at_least), s
        toward = np.where(at_least, -0.5, 0.5)
        d = np.broadcast_to(np.where(self.size > 0, self.w, np.inf).min(-1), t.shape)
        for _ in range(2):  # d depends on s
            s = self._saddle(t + toward * np.minimum(d, t), s, NEARLY)
            d = self._gap(s, open_gaps)
        d = np.where(at_least, np.minimum(d, t), d)
        s = self._saddle(t + toward * d, s)
        normal, _, mean, spread = self._tilted(s)
        cumulant = (self.size * np.log(normal)).sum(-1) + s * self.certain
        z = np.sign(s) * np.sqrt(np.maximum(2 * (s * (t + toward * d) - cumulant), 0))
        half = np.clip(s * d / 2, -LARGEST / 2, LARGEST / 2)
        v = s * np.sqrt(spread) * np.divide(np.sinh(half), half, out=np.ones_like(half), where=np.abs(half) > 1e-8)
        P = _lugannani_rice(z, v)
        P = np.where(at_least, 1 - P, P)
        near = CLOSE * self.w.min(-1)
        sure = np.where(at_least, t <= self.least + near, t >= self.most - near)
        missed = t + toward * d - mean  # t is above, or below, all that the matched counts can give
        P = np.where(np.abs(missed) > np.sqrt(spread), (missed > 0) ^ at_least, P)
        found = np.isfinite(P) & np.isfinite(s) & ~sure
        near_by = found & (P > CLOSE) & (P < 1 - CLOSE)  # beyond, s is so far out that Newton's steps from it may not come back
        return np.where(sure, 1.0, np.where(found, np.clip(P, 0, 1), 0.0)), np.where(near_by, s, 0.0)


def _lugannani_rice(z: FloatArray, v: FloatArray) -> FloatArray:
    """Phi(z) + phi(z) (1/z - 1/v); Phi(z) alone at the mean."""
    away: BoolArray = (np.abs(z) > CENTER) & (v != 0)
    safe_z, safe_v = np.where(away, z, 1.0), np.where(away, v, 1.0)
    return np.asarray(ndtr(z) + np.where(away, INVERSE_ROOT * np.exp(-safe_z * safe_z / 2) * (1 / safe_z - 1 / safe_v), 0.0))
