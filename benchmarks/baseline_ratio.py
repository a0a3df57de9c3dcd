"""F1 by Poisson and by importance sampling, after Yilmaz, Hayes, Habib, Burgess and Barber 2021 ("Sample Efficient Model Evaluation").

    p_a   = 0.9 score + 0.1 * 0.5                                      eq. 13, lambda = 0.9
    f = y d,   g = (d + y) / 2                                         eq. 3 at alpha = 1/2
    F_a   = sum E_a f / sum E_a g                                      eq. 14
    h_i^2 = p_a (f(d, 1) - F_a g(d, 1))^2 + (1 - p_a) (f(d, 0) - F_a g(d, 0))^2      eq. 12

Poisson: unit i is labeled with probability b_i, each by itself; F = sum(f / b) / sum(g / b) over the labeled (eq. 18). b comes from
algorithm 3 as printed. Its line 13 fills with (M - j) / (H - S_j) where (M - j + 1) / (H - S_(j-1)) is meant, so once a unit is certain
the sum of b falls short of M by up to one label, and where the loop ends at j = M units with h > 0 get b = 0 and the estimate is biased.
Where M reaches the number of units with h > 0 the printed algorithm divides 0 by 0 and returns nothing: refused here. None of the
compared cells is degenerate (h > 0 everywhere, because p_a >= 0.05).

Importance: M units drawn with replacement, q proportional to h; F = sum(f / q) / sum(g / q) (eqs. 4, 5). A unit drawn again costs no new
label, and the paper's figures count distinct units. So M is the smallest number of draws with an expected number of distinct units of
at least the labels paid for; `free_repeats=False` counts every draw.

A unit with d = y = 0 has f = g = 0 and moves neither sum, so replicates draw only the others.
"""

import numpy as np

from benchmarks.baselines import Floats, Ints, Judged

TRUST = 0.9  # lambda
CHUNK = 4_000_000  # numbers drawn at once


def regularized(score: Floats) -> Floats:
    """p_a: the score, drawn a tenth of the way towards one half."""
    return TRUST * score + (1 - TRUST) * 0.5


def deviations(units: Judged) -> Floats:
    """The deviation h of every unit, for F1."""
    p, d = regularized(units.score), units.flagged.astype(np.float64)
    F = float((p * d).sum() / ((d + p) / 2).sum())
    if_yes, if_no = d - F * (d + 1) / 2, -F * d / 2
    return np.sqrt(p * if_yes**2 + (1 - p) * if_no**2)


def printed_filling(h: Floats, M: int) -> Floats:
    """The probabilities b of algorithm 3, line by line, its error in line 13 included."""
    order = np.argsort(-h, kind="stable")
    ordered = h[order]
    H = ordered.sum()
    if M * ordered[0] <= H:
        return M * h / H
    rest = H - np.cumsum(ordered)  # H - S after line 8
    j = np.arange(1, h.size + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        G = ordered * (M - j) / rest
    stops = np.flatnonzero(G <= 1)
    if stops.size == 0:
        raise ValueError(f"algorithm 3 needs fewer labels than units with h > 0, but M is {M} and there are {np.count_nonzero(h)}")
    first = stops[0]
    filled = np.ones_like(h)
    filled[first:] = ordered[first:] * (M - j[first]) / rest[first]
    b = np.empty_like(h)
    b[order] = filled
    return b


def ratio_parts(units: Judged) -> tuple[Ints, Floats, Floats]:
    """The units that can move a sum, with their f and g."""
    d, y = units.flagged.astype(np.float64), units.y.astype(np.float64)
    rows = np.flatnonzero(units.flagged | units.y)
    return rows, (d * y)[rows], ((d + y) / 2)[rows]


def poisson_f1(units: Judged, b: Floats, *, reps: int, rng: np.random.Generator) -> Floats:
    """F1 of `reps` Poisson samples with the probabilities b; NaN where no unit that matters was drawn."""
    rows, f, g = ratio_parts(units)
    chance = b[rows]
    weight = np.divide(1.0, chance, out=np.zeros_like(chance), where=chance > 0)
    above, below = np.empty(reps), np.empty(reps)
    step = max(1, CHUNK // rows.size)
    for start in range(0, reps, step):
        part = slice(start, min(start + step, reps))
        drawn = rng.random((part.stop - part.start, rows.size)) < chance
        above[part], below[part] = drawn @ (weight * f), drawn @ (weight * g)
    return np.divide(above, below, out=np.full(reps, np.nan), where=below > 0)


def poisson(units: Judged, *, labels: int, reps: int, rng: np.random.Generator) -> Floats:
    """F1 by the paper's Poisson sampling."""
    return poisson_f1(units, printed_filling(deviations(units), labels), reps=reps, rng=rng)


def expected_distinct(q: Floats, draws: int) -> float:
    """How many different units `draws` draws with replacement are expected to hold."""
    return float(-np.expm1(draws * np.log1p(-q)).sum())


def draws_for(q: Floats, labels: int) -> int:
    """The fewest draws whose expected number of distinct units reaches `labels`."""
    low, high = labels - 1, labels
    while expected_distinct(q, high) < labels:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if expected_distinct(q, middle) >= labels else (middle, high)
    return high


def importance(units: Judged, *, labels: int, reps: int, rng: np.random.Generator, free_repeats: bool = True) -> Floats:
    """F1 by the paper's importance sampling; NaN where no unit that matters was drawn."""
    h = deviations(units)
    q = h / h.sum()
    draws = draws_for(q, labels) if free_repeats else labels
    rows, f, g = ratio_parts(units)
    # the last entry stands for all units that move neither sum
    edges = np.cumsum(q[rows])
    above, below = (np.append(part / q[rows], 0.0) for part in (f, g))
    x, y = np.empty(reps), np.empty(reps)
    step = max(1, CHUNK // draws)
    for start in range(0, reps, step):
        part = slice(start, min(start + step, reps))
        picked = np.searchsorted(edges, rng.random((part.stop - part.start, draws)), side="right")
        x[part], y[part] = above[picked].sum(1), below[picked].sum(1)
    return np.divide(x, y, out=np.full(reps, np.nan), where=y > 0)
