"""What the running band is compared with: fixed sizes by someone who knows the truth, and rules that look and stop without paying for it.

Wald           p +- z sqrt(p (1 - p) / n), looked at again and again
Wilson         the same with Wilson's interval, from 30 labels on
twice in a row after Bennett & Carvalho 2010 ("Online stratified sampling", CIKM): Wald's interval from smoothed shares
               p_k = (h_k + m / 2) / (n_k + m), m = 1 / sqrt(n_k), that says the same at two looks in a row. A baseline only.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from benchmarks.anytime_paths import BATCH, ERROR, Decided, Paths, Setting, drawn
from benchmarks.baseline_online import smoothed_shares
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

TWO_SIDED, ONE_SIDED, POWER = (float(norm.ppf(p)) for p in (1 - ERROR / 2, 1 - ERROR, 0.9))
FEWEST = 30  # labels before Wald's and Wilson's intervals are looked at


def with_population(n: float, N: float) -> float:
    """Labels without replacement that say as much as n with."""
    return n / (1 + n / N)


def fixed_half_width(p: float, n: float, N: float) -> float:
    """Wald's half-width of a simple random draw planned for n labels."""
    return TWO_SIDED * float(np.sqrt(p * (1 - p) / n * (1 - n / N)))


def fixed_for_width(p: float, half_width: float, N: float) -> float:
    """Labels of a simple random draw by someone who knows p."""
    return with_population(p * (1 - p) * (TWO_SIDED / half_width) ** 2, N)


def fixed_for_decision(p: float, target: float, N: float) -> float:
    """Labels of a one-sided test at 5 % that finds p on its side of the target with probability 0.9, by someone who knows p."""
    spread = ONE_SIDED * np.sqrt(target * (1 - target)) + POWER * np.sqrt(p * (1 - p))
    return with_population(float(spread / (p - target)) ** 2, N)


def best_half_width(at: Setting, n: float) -> float:
    """Wald's half-width of n labels in the best shares of all bands, by someone who knows every band's share."""
    p, (_, g) = at.positives / at.N, at.sums()
    c = np.abs((at.terms.f1 - at.terms.f0) - at.truth * (at.terms.g1 - at.terms.g0))
    spread = at.N * c * np.sqrt(p * (1 - p))
    variance = spread.sum() ** 2 / n - (at.N * c * c * p * (1 - p)).sum()
    return float(TWO_SIDED * np.sqrt(max(variance, 0.0)) / g)


# ---------------------------------------------------------------- rules that look


class Counts(NamedTuple):
    """Labels and positives of every path at every look, shape (paths, looks, bands), and the units of each band."""

    n: FloatArray
    k: FloatArray
    N: FloatArray


class Said(NamedTuple):
    """An interval at every look; shape (paths, looks)."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray


Rule = Callable[[Counts, float], Said]


def simple_counts(p: float, N: int, *, T: int, paths: int, rng: np.random.Generator, every: int = BATCH) -> Counts:
    """A simple random draw of T labels, looked at after every few."""
    y = np.zeros(N, dtype=np.int8)
    y[: round(p * N)] = 1
    k = np.stack([np.cumsum(rng.permutation(y)[:T], dtype=np.float64)[every - 1 :: every] for _ in range(paths)])
    n = np.broadcast_to(np.arange(every, T + 1, every, dtype=np.float64), k.shape)
    return Counts(n[..., None], k[..., None], np.array([float(N)]))


def adaptive_counts(at: Setting, *, T: int, paths: int, rng: np.random.Generator) -> Counts:
    """The product's own draws, looked at after every batch."""
    state, n, k = Paths(at, paths), [], []
    for t, _ in enumerate(drawn(state, T=T, rng=rng), start=1):
        if t % BATCH == 0:
            n.append((state.positives + state.negatives).astype(np.float32))
            k.append(state.positives.astype(np.float32))
    return Counts(np.stack(n, axis=1), np.stack(k, axis=1), at.N.astype(np.float64))


def wald(at: Counts, z: float) -> Said:
    """Wald's interval of a stratified draw; a band without labels counts as one half."""
    p = np.divide(at.k, at.n, out=np.full(at.k.shape, 0.5), where=at.n > 0)
    return _stratified(at, p, z)


def late_wald(at: Counts, z: float) -> Said:
    """Wald's interval from 30 labels on: before, it is often a point."""
    said, early = wald(at, z), at.n.sum(axis=-1) < FEWEST
    return Said(said.estimate, np.where(early, -np.inf, said.low), np.where(early, np.inf, said.high))


def smoothed(at: Counts, z: float) -> Said:
    """The same from smoothed shares."""
    return _stratified(at, smoothed_shares(at.k, at.n), z)


def _stratified(at: Counts, p: FloatArray, z: float) -> Said:
    weight = at.N / at.N.sum()
    estimate = p @ weight
    se = np.sqrt((p * (1 - p) / np.maximum(at.n, 1) * (1 - at.n / at.N)) @ (weight * weight))
    return Said(estimate, estimate - z * se, estimate + z * se)


def wilson(at: Counts, z: float) -> Said:
    """Wilson's interval of a simple random draw, by the labels that would say as much without end; from 30 on."""
    n, p = at.n[..., 0] / np.maximum(1 - at.n[..., 0] / at.N[0], 1e-9), at.k[..., 0] / at.n[..., 0]
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    early = at.n[..., 0] < FEWEST
    return Said(p, np.where(early, -np.inf, middle - half), np.where(early, np.inf, middle + half))


def first_of(holds: BoolArray, *, twice: bool) -> IntArray:
    """The first look at which it holds (twice: and held at the one before), -1 if never."""
    seen = holds.copy()
    if twice:
        seen[:, 1:] &= holds[:, :-1]
        seen[:, 0] = False
    return np.where(seen.any(axis=1), seen.argmax(axis=1), -1)


def decide(rule: Rule, at: Counts, target: float, *, twice: bool) -> Decided:
    """When the one-sided interval first leaves the target out, on which side."""
    said, labels = rule(at, ONE_SIDED), at.n.sum(axis=-1)
    yes, no = (first_of(side, twice=twice) for side in (said.low > target, said.high < target))
    never = labels.shape[1]
    first = np.minimum(np.where(yes < 0, never, yes), np.where(no < 0, never, no))
    answer = np.where(first == never, 0, np.where(first == yes, 1, -1))
    return Decided(labels[np.arange(first.size), np.minimum(first, never - 1)].astype(np.int64), answer)


class Stopped(NamedTuple):
    """Labels until an interval was as narrow as asked, and whether it held the truth then."""

    labels: FloatArray
    missed: BoolArray


def stop_at_width(rule: Rule, at: Counts, truth: float, half_width: float, *, twice: bool) -> Stopped:
    """When the interval is first as narrow as asked."""
    said = rule(at, TWO_SIDED)
    first = first_of((said.high - said.low) / 2 <= half_width, twice=twice)
    rows = np.arange(first.size)
    missed = (truth < said.low[rows, first]) | (truth > said.high[rows, first])
    return Stopped(at.n.sum(axis=-1)[rows, first], np.asarray(missed))


def ever_missed(rule: Rule, at: Counts, truth: float) -> BoolArray:
    """Whether the interval left the truth out at any look."""
    said = rule(at, TWO_SIDED)
    return np.asarray(((truth < said.low) | (truth > said.high)).any(axis=1))
