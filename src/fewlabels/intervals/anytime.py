"""A confidence sequence (running band), valid at every look: two bets against every value m of a ratio metric.

A metric is m* = sum f / sum g over the units of K bands; h(m) = f - m g, so that sum h(m) is 0 at m = m*. Draw t picks a band with
probability r_k and one of its n_k units not drawn yet; p_k is the predicted share of positives. With h^ = h at the prediction

    Z_t(m) = (1/N) [ sum over drawn h(m) + sum over others h^(m) + (h(m) - h^(m)) of the unit drawn  n_k / r_k ]

has mean sum h(m) / N given the past, whatever r and p are, as long as they do not look ahead. Bettor j assumes that the metric is d_j
above m (or below); its Kelly stake, with v and kappa v the predicted variance and third moment of Z, and e = d_j sum g^ / N, is

    lambda = min( e / max(v + e^2 -+ e kappa, (v + e^2) / 4),   CAP / largest possible loss )

    W_above(m) = mean over j of prod_t (1 + lambda Z_t(m)),       W_below(m) = mean over j of prod_t (1 - lambda Z_t(m))

Each is a nonnegative martingale at m = m*, so it ever reaches 1/a with probability at most a (Ville). The confidence sequence of level
1 - a includes every m at which neither has ever reached 2/a. A missing answer counts, for each m, as the one that helps the bettor least.

Every array may have leading axes: paths of a simulation, or the steps of one path. Source: Waudby-Smith & Ramdas 2024; Shekhar et al.
2023 for weighted draws without replacement. Derivation: docs/maths/anytime.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewlabels.intervals.base import Interval
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

EFFECTS = np.geomspace(0.004, 0.4, 12)  # the effects that bettors assume by default
CAP = 0.75  # the largest share of a bettor's wealth that one draw may cost
MISSING = -1  # the label of a unit that has none
SLACK = 1e-9  # of N: the allowance for rounding of a sum that is 0
SMALLEST = 1e-300
MOST = 600.0  # the largest log wealth: e^600 does not overflow
CHUNK = 1 << 20  # numbers held at once when steps are processed
ABOVE, BELOW = 0, 1  # the two bets: the metric is above m, or below


def width_effects(half_width: float) -> FloatArray:
    """The effects that bettors assume for a half-width named before the first label: about that large, or much larger."""
    return np.array([0.6 * half_width, half_width, 1.7 * half_width, 0.15, 0.3])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """What a unit of each band adds to sum f and sum g: with a negative label (f0, g0) and with a positive one (f1, g1); shape (K,).

    known_f, known_g   the sums over units outside the bands, known without any label
    scale              the unit of the effects: what a difference of 1 in m is worth per unit; by default the mean of g, as far as known
    """

    f0: FloatArray
    f1: FloatArray
    g0: FloatArray
    g1: FloatArray
    known_f: float = 0.0
    known_g: float = 0.0
    scale: float | None = None

    def at(self, m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What a unit adds to sum h, at each m: with a negative and with a positive label, shape (M, K)."""
        m = m[:, None]
        return self.f0 - m * self.g0, self.f1 - m * self.g1


class Steps(NamedTuple):
    """What was known before each draw, and its result. Leading axes are paths or steps; the last axis of the first six is over bands.

    left       units not drawn yet
    rate       the probability of each band
    share      the predicted share of positives among `left`
    positives  positive labels so far
    negatives  negative labels so far
    missing    units drawn so far whose label is missing
    band       the band of the unit drawn now
    label      1, 0, or MISSING
    """

    left: FloatArray
    rate: FloatArray
    share: FloatArray
    positives: FloatArray
    negatives: FloatArray
    missing: FloatArray
    band: IntArray
    label: IntArray

    def part(self, start: int, stop: int) -> "Steps":
        """The steps from `start` up to `stop`, where the leading axis is over steps."""
        left, rate, share, positives, negatives, missing = (array[start:stop] for array in self[:6])
        return Steps(left, rate, share, positives, negatives, missing, self.band[start:stop], self.label[start:stop])


class Payoffs(NamedTuple):
    """For each bet at each m, shape (..., M, 2): the observed Z, the largest possible loss (positive), v, kappa, and the mean of g^."""

    Z: FloatArray
    worst: FloatArray
    variance: FloatArray
    skew: FloatArray
    scale: FloatArray


def payoffs(terms: Terms, steps: Steps, m: FloatArray, *, N: float) -> Payoffs:
    """The payoff of each draw at each m, and what could be known about it before."""
    h0, h1 = terms.at(m)
    slope, low, high = h1 - h0, np.minimum(h0, h1), np.maximum(h0, h1)
    w = np.divide(steps.left, N * steps.rate, out=np.zeros(steps.left.shape), where=steps.left > 0)
    p = steps.share
    seen = steps.negatives @ h0.T + steps.positives @ h1.T + (terms.known_f - m * terms.known_g)
    mean = (seen + steps.left @ h0.T + (steps.left * p) @ slope.T) / N  # before what is missing
    base = np.stack([mean + steps.missing @ low.T / N, mean + steps.missing @ high.T / N], axis=-1)
    noise = steps.rate * w * w * p * (1 - p)
    squared = slope * slope
    variance = noise @ squared.T
    third = (noise * w * (1 - 2 * p)) @ (squared * slope).T
    expected = h0 + slope * p[..., None, :]  # (..., M, K)
    loss, gain = ((w[..., None, :] * (edge - expected)) for edge in (low, high))
    worst = np.stack([-(base[..., 0] + loss.min(axis=-1)), base[..., 1] + gain.max(axis=-1)], axis=-1)
    drawn = _drawn(steps, w, expected, (h0, h1, low, high))
    return Payoffs(base + drawn, worst, variance, third / np.maximum(variance, SMALLEST), _scale(terms, steps, N))


def _scale(terms: Terms, steps: Steps, N: float) -> FloatArray:
    """The mean of g over all units, as far as known; a missing answer counts as half of each."""
    if terms.scale is not None:
        return np.full(steps.band.shape, terms.scale)
    p = steps.share
    negatives, positives = steps.left * (1 - p) + steps.negatives, steps.left * p + steps.positives
    return np.asarray((negatives @ terms.g0 + positives @ terms.g1 + steps.missing @ ((terms.g0 + terms.g1) / 2) + terms.known_g) / N)


def _drawn(steps: Steps, w: FloatArray, expected: FloatArray, edges: tuple[FloatArray, ...]) -> FloatArray:
    """What the unit drawn adds to each bet's Z, shape (..., M, 2)."""
    h0, h1, low, high = (np.moveaxis(edge, -1, 0)[steps.band] for edge in edges)  # (..., M)
    label = steps.label[..., None]
    said = np.where(label == 1, h1, h0)
    least, most = (np.where(label == MISSING, edge, said) for edge in (low, high))
    mine = np.take_along_axis(w, steps.band[..., None], axis=-1)
    guess = np.take_along_axis(expected, np.broadcast_to(steps.band[..., None, None], (*expected.shape[:-1], 1)), axis=-1)[..., 0]
    return np.asarray(np.stack([mine * (least - guess), mine * (most - guess)], axis=-1))


def growth(terms: Terms, steps: Steps, m: FloatArray, *, N: float, effects: FloatArray = EFFECTS) -> FloatArray:
    """The log factor by which each draw multiplies each bettor's wealth, shape (..., M, 2, J)."""
    found = payoffs(terms, steps, m, N=N)
    sign = np.array([1.0, -1.0])
    e = (found.scale[..., None] * effects)[..., None, None, :]  # (..., 1, 1, J)
    square = found.variance[..., None, None] + e * e  # (..., M, 1, J)
    stake = (found.skew[..., None] * sign)[..., None] * e  # the large array: worked on in place
    np.maximum(np.subtract(square, stake, out=stake), np.maximum(square / 4, SMALLEST), out=stake)
    np.divide(e, stake, out=stake)
    cap = CAP / np.maximum(found.worst, CAP * SMALLEST**0.5)
    np.minimum(stake, cap[..., None], out=stake)
    stake *= (sign * found.Z)[..., None]
    return np.asarray(np.log1p(stake, out=stake))


def impossible(terms: Terms, steps: Steps, m: FloatArray, *, N: float) -> BoolArray:
    """Whether the labels so far rule out m, whatever the rest holds; by bet, shape (..., M, 2). Strict: a sum of 0 rules out nothing."""
    h0, h1 = terms.at(m)
    seen = steps.negatives @ h0.T + steps.positives @ h1.T + (terms.known_f - m * terms.known_g)
    open_ = steps.left + steps.missing
    least, most = seen + open_ @ np.minimum(h0, h1).T, seen + open_ @ np.maximum(h0, h1).T
    return np.stack([least > SLACK * N, most < -SLACK * N], axis=-1)


def after(steps: Steps) -> Steps:
    """The counts after each draw; the fields about the next draw are unchanged."""
    at = np.arange(steps.left.shape[-1]) == steps.band[..., None]
    label = steps.label[..., None]
    return steps._replace(
        left=steps.left - at,
        positives=steps.positives + (at & (label == 1)),
        negatives=steps.negatives + (at & (label == 0)),
        missing=steps.missing + (at & (label == MISSING)),
    )


def _then_impossible(terms: Terms, steps: Steps, m: FloatArray, *, N: float) -> BoolArray:
    """The result of `impossible` after each draw, without recounting."""
    h0, h1 = terms.at(m)
    edges = np.minimum(h0, h1), np.maximum(h0, h1)
    label, open_ = steps.label[..., None], steps.left + steps.missing
    d0, d1, low, high = (np.moveaxis(edge, -1, 0)[steps.band] for edge in (h0, h1, *edges))  # of the unit drawn, (..., M)
    seen = steps.negatives @ h0.T + steps.positives @ h1.T + (terms.known_f - m * terms.known_g)
    said = np.where(label == 1, d1, d0)
    least, most = (
        seen + open_ @ edge.T + np.where(label == MISSING, 0.0, said - mine) for edge, mine in zip(edges, (low, high), strict=True)
    )
    return np.stack([least > SLACK * N, most < -SLACK * N], axis=-1)


class Wealth(NamedTuple):
    """The bettors' log `wealth`, shape (..., M, 2, J), and the largest log mean it has ever had, `best`, shape (..., M, 2)."""

    wealth: FloatArray
    best: FloatArray


def no_evidence(shape: tuple[int, ...], m: FloatArray, effects: FloatArray = EFFECTS) -> Wealth:
    """The evidence before the first draw: every bettor has wealth 1. `shape` gives the leading axes."""
    return Wealth(np.zeros((*shape, m.size, 2, effects.size)), np.zeros((*shape, m.size, 2)))


def bet(evidence: Wealth, terms: Terms, steps: Steps, m: FloatArray, *, N: float, effects: FloatArray = EFFECTS) -> Wealth:
    """The evidence after one more draw on each path."""
    wealth = evidence.wealth + growth(terms, steps, m, N=N, effects=effects)
    now = np.where(_then_impossible(terms, steps, m, N=N), np.inf, _mean(wealth))
    return Wealth(wealth, np.maximum(evidence.best, now))


def walk(terms: Terms, steps: Steps, m: FloatArray, *, N: float, effects: FloatArray = EFFECTS) -> Iterator[FloatArray]:
    """The largest mean of each bet so far after each step of one path, shape (some steps, M, 2), in chunks.

    The leading axis of `steps` is over the steps, in the order asked.
    """
    evidence = no_evidence((), m, effects)
    at_once = max(1, CHUNK // (m.size * effects.size * 2))
    for start in range(0, steps.band.size, at_once):
        part = steps.part(start, start + at_once)
        grown = growth(terms, part, m, N=N, effects=effects)
        grown[0] += evidence.wealth  # summed in the order of the steps, however they are cut into parts
        wealth = np.cumsum(grown, axis=0)
        now = np.where(_then_impossible(terms, part, m, N=N), np.inf, _mean(wealth))
        best = np.maximum(np.maximum.accumulate(now, axis=0), evidence.best)
        evidence = Wealth(wealth[-1], best[-1])
        yield best


def last_best(terms: Terms, steps: Steps, m: FloatArray, *, N: float, limit: float, effects: FloatArray = EFFECTS) -> FloatArray:
    """The last result of `walk`, shape (M, 2), except that m is dropped once a bet has paid e^limit: it stays ruled out."""
    best = np.zeros((m.size, 2))
    alive, wealth, start = np.arange(m.size), np.zeros((m.size, 2, effects.size)), 0
    while start < steps.band.size and alive.size:
        part = steps.part(start, start + max(1, CHUNK // 4 // (alive.size * effects.size * 2)))
        grown = growth(terms, part, m[alive], N=N, effects=effects)
        grown[0] += wealth
        grown = np.cumsum(grown, axis=0)
        now = np.where(impossible(terms, after(part), m[alive], N=N), np.inf, _mean(grown))
        best[alive] = np.maximum(best[alive], now.max(axis=0))
        kept = (best[alive] < limit).all(axis=-1)
        alive, wealth, start = alive[kept], grown[-1][kept], start + part.band.size
    return best


def _mean(wealth: FloatArray) -> FloatArray:
    """The logarithm of the bettors' mean wealth; capped at e^MOST, which settles every question."""
    owned = np.exp(np.minimum(wealth, MOST)).reshape(-1, wealth.shape[-1])  # one product of a matrix and a vector is the fastest mean
    mean = owned @ np.full(wealth.shape[-1], 1 / wealth.shape[-1])
    return np.asarray(np.log(np.maximum(mean, SMALLEST)).reshape(wealth.shape[:-1]))


class Possible(NamedTuple):
    """The values that are still possible, from `low` to `high`; both NaN if there is none, which has probability at most 1 - level."""

    low: FloatArray
    high: FloatArray


def band_of(best: FloatArray, m: FloatArray, *, tail: float) -> Possible:
    """The band from the evidence on an increasing grid of m; `tail` is the error of each side. Limits are one step outside.

    It extends from the value below the first that is not shown to be too low to the value above the last that is not shown to be too
    high, and may lie between two values of the grid.
    """
    limit, top = -np.log(tail), m.size - 1
    above, below = (best[..., side] < limit for side in (ABOVE, BELOW))
    first = np.where(above.any(axis=-1), above.argmax(axis=-1), m.size)
    last = np.where(below.any(axis=-1), top - below[..., ::-1].argmax(axis=-1), -1)
    low, high = m[np.clip(first - 1, 0, top)], m[np.clip(last + 1, 0, top)]
    return Possible(np.where(first <= last + 1, low, np.nan), np.where(first <= last + 1, high, np.nan))


ANYTIME = Interval(
    name="anytime",
    running=True,
    statement="The confidence sequence is valid at every look, and even if errors occur where the scores predict none.",
)
