"""fewlabels in one file: one classifier, a draw for recall, precision read beside it, equal-risk bands, REC. Read it from top to bottom.

REC is the interval of `--trust-scores`; the default, `placed`, takes more room. The product does the same with more metrics, several goals,
engines, a ledger and refusals, and chooses the mixture among ten. A test holds the two against each other: same
salt, same labels, same units, same numbers. Run it with `python docs/tiny.py`. What the letters mean: docs/maths/.
"""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, ndtri, stdtrit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


# 1. Chance: a unit's permanent number is 52 bits of an md5. Small numbers are drawn first.
def number(salt: str, unit: str) -> int:
    """The unit's permanent number."""
    return int(hashlib.md5(f"{salt}:{unit}".encode(), usedforsecurity=False).hexdigest()[:13], 16)


# 2. Profile: scores fall into bins that get finer toward 0 and 1; only counts per bin and side go on from here.
def ladder(score: Floats) -> tuple[Ints, Floats]:
    """The bin of each score, and the bin's middle. t = min(s, 1 - s): 1,024 bins per unit down to t = 1/16, then 240 per factor 16."""
    t = np.where(score < 0.5, score, 1 - score)
    rung = np.sum([t < 16.0**-r for r in range(1, 8)], axis=0)
    scale = 2.0 ** np.where(rung == 0, 10, 8 + 4 * rung)
    steps = np.floor(t * scale).astype(np.int64)
    half = np.where(t < 2.0**-32, 0, np.where(rung == 0, steps - 64 + 1681, steps - 16 + 1 + 240 * (7 - rung)))
    middle = np.where(t < 2.0**-32, 2.0**-34, np.where(t == 0.5, 0.5, (steps + 0.5) / scale))
    return np.where(score < 0.5, half, 4258 - half), np.where(score < 0.5, middle, 1 - middle)


# 3. Plan: where labels are worth most, cut into bands of ten.
def fill(size: Floats, count: Floats, total: float) -> Floats:
    """Probabilities min(1, lam size) whose sum over all units is total."""
    if total >= count[size > 0].sum():
        return (size > 0).astype(np.float64)
    pi = np.zeros_like(size)
    while True:  # cells that would pass 1 are taken whole, the rest share what is left
        free = pi < 1
        pi[free] = size[free] * (total - count[~free].sum()) / (size * count)[free].sum()
        if (pi <= 1).all():
            return pi
        pi = np.minimum(pi, 1)


class Mixture(NamedTuple):
    """The least variance of an answer, of its side's mean; the shares of labels spread evenly, and evenly over flagged units."""

    floor: float = 0.03
    even: float = 0.3
    even_flagged: float = 0.2


USUAL = Mixture()  # where none is chosen


def plan(s: Floats, flagged: NDArray[np.bool_], count: Floats, labels: int, mixture: Mixture) -> tuple[Ints, Floats]:
    """The band of each cell (s: its guide) and the mass of each band, for recall."""
    N1, A, B = count[flagged].sum(), (s * count)[flagged].sum(), (s * count)[~flagged].sum()
    v1, v0 = (float((s * (1 - s) * count)[side].sum() / count[side].sum()) for side in (flagged, ~flagged))
    noise = np.sqrt(np.maximum(s * (1 - s), mixture.floor * np.where(flagged, v1, v0)))
    size = np.where(flagged, B, A) / (A + B) ** 2 * noise  # influence on recall, times what the answer varies by
    n, (_, even, flags) = min(max(labels, 100), count.sum()), mixture
    pi = fill((1 - even - flags) * fill(size, count, n) + even * n / count.sum() + flags * flagged * min(n, N1) / N1, count, n)
    band, bands = np.empty(s.size, dtype=np.int64), 0
    for side in (True, False):
        cells = np.flatnonzero(flagged == side)
        mass, certain = (pi * count)[cells], np.isclose(pi[cells], 1, rtol=1e-9)
        goal, held = mass.sum() / max(1, round(mass.sum()) // 10), 0.0
        for i, cell in enumerate(cells):  # by score, because cells are sorted by it
            if held and ((held + mass[i] - goal > goal - held and not certain[i]) or certain[i] != certain[i - 1]):
                bands, held = bands + 1, 0.0
            band[cell], held = bands, held + mass[i]
        bands += 1
    return band, np.bincount(band, weights=pi * count)


def takes(mass: Floats, N: Floats, labels: int) -> Ints:
    """Labels of each band: two each, then one at a time to the largest mass / (2 held + 1)."""
    held = np.minimum(N, 2)
    while held.sum() < labels:
        held[np.argmax(np.where(held < N, mass / (2 * held + 1), -1))] += 1
    return held.astype(np.int64)


# 4. Estimate: one side's share of positives, with limits that hold when errors are rare (REC).
class Side(NamedTuple):
    """The share of positives of one side and its limits."""

    p: float
    low: float
    high: float


def read_side(N: Floats, n: Floats, k: Floats, x: Floats, tail: float) -> Side:
    """The share and its limits from units, labels, positives and mean log-odds of each band of the side."""
    W, f = N / N.sum(), n / N
    a, b = 0.0, 1.0
    for _ in range(100):  # recalibrate the guide: logit mu = a + b x, a ~ N(0, 2^2), b ~ N(1, 0.5^2); Newton steps
        mu = expit(a + b * x)
        r, w = k - n * mu, n * mu * (1 - mu)
        H = np.array([[w.sum() + 1 / 4, (w * x).sum()], [(w * x).sum(), (w * x * x).sum() + 4]])
        step = np.linalg.solve(H, [r.sum() - a / 4, (r * x).sum() - 4 * (b - 1)])
        a, b = (a, b) + step / max(1, abs(step[0]), 4 * abs(step[1]))
    p_h, q_h = k / n, (k + 2 * expit(a + b * x)) / (n + 2)
    V = (W**2 * (1 - f) * p_h * (1 - p_h) / np.maximum(n - 1, 0.5)).sum()
    Vs = (W**2 * (1 - f) * q_h * (1 - q_h) / (n - 0.5)).sum()
    p = float((W * p_h).sum())
    if max(V, Vs) == 0:  # a census is exact
        return Side(p, p, p)
    df = max(1.0, float((n - 1)[f < 1].sum()))
    v = max(V, Vs) * (stdtrit(df, 1 - tail) / ndtri(1 - tail)) ** 2
    q = min(p, 1 - p)
    share, c = k.sum() / n.sum(), x - (n * x).sum() / n.sum()
    spread = (W[f < 1] ** 2 / (-N * np.log1p(-np.minimum(f, 0.999999999)))[f < 1]).sum()  # what an error anywhere weighs
    noise = share * (1 - share) * (n * c**2).sum()
    proven = noise > 1e-12 and (c * (k - n * share)).sum() / np.sqrt(noise) > 2.326  # positives rise with the guide
    w = max(v / q if q else spread, 0.5 * (1 - n.sum() / N.sum()) / n.sum(), 1 / N.sum())  # what one unseen error may weigh
    w = w if proven else max(w, spread)
    n_e = q * (1 - q) / v
    low = betaincinv(n_e * q, n_e * (1 - q) + 1, tail) if q else 0.0
    q1, n1 = q + w, (q + w) * (1 - q - w) / (v + w * w)
    high = betaincinv(n1 * q1, n1 * (1 - q1), 1 - tail) if q1 < 1 else 1.0
    return Side(p, 1 - high, 1 - low) if p > 0.5 else Side(p, low, high)


# 5. All of it.
class Tiny:
    """A study of recall, with precision beside it: `units` to label, then `estimate(answers)`."""

    def __init__(self, ids: list[str], score: Floats, threshold: float, *, labels: int, salt: str, mixture: Mixture = USUAL) -> None:
        """Plans and draws `labels` units, at least 100."""
        flagged = score >= threshold
        bins, middle = ladder(score)
        _, first, cell, count = np.unique(bins + 4259 * flagged, return_index=True, return_inverse=True, return_counts=True)
        s = middle[first]
        band, mass = plan(s, flagged[first], count.astype(np.float64), labels, mixture)
        self.N = np.bincount(band, weights=count)
        self.x = np.bincount(band, weights=count * logit(np.clip(s, 1e-6, 1 - 1e-6))) / self.N
        self.side = np.bincount(band, weights=flagged[first]) > 0
        self.band = dict(zip(ids, band[cell].tolist(), strict=True))
        order, left = sorted(ids, key=lambda unit: (number(salt, unit), unit.encode())), takes(mass, self.N, labels)
        self.units: list[str] = []
        for unit in order:
            if left[self.band[unit]]:
                left[self.band[unit]] -= 1
                self.units.append(unit)

    def estimate(self, answers: dict[str, bool], level: float = 0.95) -> dict[str, Side]:
        """Precision and recall with their limits, from an answer for every drawn unit."""
        n, k = np.zeros(self.N.size), np.zeros(self.N.size)
        for unit in self.units:
            n[self.band[unit]] += 1
            k[self.band[unit]] += answers[unit]
        one, zero = (read_side(self.N[h], n[h], k[h], self.x[h], (1 - level) / 2) for h in (self.side, ~self.side))
        N1, N0 = self.N[self.side].sum(), self.N[~self.side].sum()

        def recall(p1: float, p0: float) -> float:
            return float(N1 * p1 / (N1 * p1 + N0 * p0))

        r = recall(one.p, zero.p)  # MOVER: each side's reach, squared and added
        low = r - np.hypot(r - recall(one.low, zero.p), r - recall(one.p, zero.high))
        high = r + np.hypot(recall(one.high, zero.p) - r, recall(one.p, zero.low) - r)
        return {"precision": one, "recall": Side(r, max(0.0, float(low)), min(1.0, float(high)))}


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    truth = rng.random(20_000) < 0.05
    score = expit(3 * (rng.normal(0, 1, truth.size) + 3 * truth) - 4.5 + logit(0.05))
    names = [f"u{i}" for i in range(truth.size)]
    study = Tiny(names, score, 0.5, labels=500, salt="any text")
    for metric, shown in study.estimate({unit: bool(truth[int(unit[1:])]) for unit in study.units}).items():
        print(f"{metric} {shown.p:.3f}, 95 % interval {shown.low:.3f} .. {shown.high:.3f}, {len(study.units)} labels")
