"""One draw for k classifiers on cells of units: rates, strata with fixed takes, and each classifier's precision with its interval.

    largest    pi_s = max over classifiers that flag pattern s of n_c / N1_c, constant inside a pattern
    fewest     least sum of rates with every classifier's variance at its target, nowhere below a floor

A pattern that carries about five labels or more is a stratum with a fixed take; rarer patterns of about the same rate are pooled into
one. A classifier's groups are the strata it flags whole, and its parts of the others, joined without looking at labels until each
expects five.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.recycling_baseline import Cells
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.rare import rec
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.tally import Tally
from fewlabels.nouns.weights import LabelSums

FEWEST = 5  # labels a stratum, and a group, should expect
ROUNDS = 400
SETTLED = 1e-4  # share of the labels that a round still saved


class Strata(NamedTuple):
    """Where each cell is drawn, how many labels each stratum has, and how many units."""

    of_cell: IntArray
    n: IntArray
    N: IntArray

    @property
    def expansion(self) -> FloatArray:
        """Units a label of each cell stands for."""
        return np.asarray((self.N / np.maximum(self.n, 1))[self.of_cell])


class Answer(NamedTuple):
    """Precisions of all classifiers with their intervals, shape (reps, k)."""

    value: FloatArray
    limits: Limits


def largest(cells: Cells, n: IntArray) -> FloatArray:
    """The rate of each cell: that of the classifier that needs it most."""
    return np.asarray(np.where(cells.flags, n / cells.flagged, 0.0).max(1))


def fewest(cells: Cells, squares: FloatArray, targets: FloatArray, floor: FloatArray) -> FloatArray:
    """Min sum N pi with sum over flagged cells of N e_c^2 (1 / pi - 1) / N1_c^2 <= target_c and pi >= floor; squares are e^2, (k, S)."""
    load = np.where(cells.flags.T, squares, 0.0) / cells.flagged[:, None].astype(float) ** 2
    mu = np.array([(cells.N * np.sqrt(row)).sum() ** 2 for row in load]) / targets**2
    pi, weighed, least, before = np.ones(cells.N.size), load * cells.N, np.maximum(floor, 1e-9), np.inf
    for _ in range(ROUNDS):
        pi = np.clip(np.sqrt(mu @ load), least, 1.0)
        short = weighed @ (1 / pi - 1) / targets
        labels = float(pi @ cells.N)
        if (short <= 1.002).all() and before - labels < SETTLED * labels:
            break
        mu, before = mu * np.clip(short, 0.1, 10.0), labels
    return pi


def stratify(cells: Cells, pi: FloatArray, pattern: IntArray, logit: FloatArray) -> Strata:
    """Strata of about five expected labels or more: bands by guide inside a pattern, rare patterns pooled by rate."""
    mass = pi * cells.N
    held = np.bincount(pattern, weights=mass).astype(np.float64)
    of_cell = np.full(cells.N.size, -1, dtype=np.int64)
    top = 0
    for cut in _orders(held, pattern, pi, logit):
        for part in _cut(cut, mass[cut]):
            of_cell[part] = top
            top += 1
    N = np.bincount(of_cell, weights=cells.N).astype(np.int64)
    return Strata(of_cell, _takes(np.bincount(of_cell, weights=mass).astype(np.float64), N), N)


def _takes(mass: FloatArray, N: IntArray) -> IntArray:
    """Whole labels by largest remainder, in all no more than expected; two at least where a stratum has so many units."""
    takes = np.floor(mass + 1e-9)
    spare = int(mass.sum() - takes.sum() + 1e-6)
    takes[np.argsort(takes - mass, kind="stable")[:spare]] += 1
    return np.minimum(np.maximum(takes, 2), N).astype(np.int64)


def _orders(held: FloatArray, pattern: IntArray, pi: FloatArray, logit: FloatArray) -> Iterator[IntArray]:
    """Cells that may share strata, in order: those of one common pattern, by guide; those of all rare patterns, by rate and guide."""
    for s in np.flatnonzero(held >= FEWEST):
        mine = np.flatnonzero(pattern == s)
        yield mine[np.argsort(logit[mine], kind="stable")]
    rare = np.flatnonzero(held[pattern] < FEWEST)
    if rare.size:
        yield rare[np.lexsort((logit[rare], np.round(np.log(np.maximum(pi[rare], 1e-12)), 3)))]


def _cut(order: IntArray, mass: FloatArray) -> list[IntArray]:
    """Consecutive parts of at least five expected labels each; what is left over joins the last."""
    return _split(order, mass) or [order]


def _split(order: IntArray, mass: FloatArray) -> list[IntArray]:
    parts: list[IntArray] = []
    start, sum_ = 0, 0.0
    for j, m in enumerate(mass):
        sum_ += m
        if sum_ >= FEWEST:
            parts.append(order[start : j + 1])
            start, sum_ = j + 1, 0.0
    if start < order.size and parts:
        parts[-1] = np.concatenate([parts[-1], order[start:]])
    return parts


def draw(cells: Cells, strata: Strata, *, reps: int, rng: np.random.Generator) -> IntArray:
    """Labels by cell and answer, shape (reps, S, 2): a simple draw in each stratum."""
    out = np.zeros((reps, cells.N.size, 2), dtype=np.int64)
    answers = cells.answers
    for h, n in enumerate(strata.n):
        mine = np.flatnonzero(strata.of_cell == h)
        found = rng.multivariate_hypergeometric(answers[mine].ravel(), n, size=reps, method="marginals")
        out[:, mine] = found.reshape(reps, mine.size, 2)
    return out


def groups_of(cells: Cells, strata: Strata, flagged: BoolArray, logit: FloatArray) -> IntArray:
    """The group of each cell for the classifier with these flags, -1 where it flags nothing: fixed before any label."""
    whole = np.bincount(strata.of_cell, weights=~flagged) == 0
    group = np.full(flagged.size, -1, dtype=np.int64)
    own = flagged & whole[strata.of_cell]
    group[own] = np.unique(strata.of_cell[own], return_inverse=True)[1]
    top = int(group.max(initial=-1)) + 1
    parts = np.flatnonzero(flagged & ~own)
    parts = parts[np.lexsort((logit[parts], -strata.expansion[parts]))]
    expects = cells.N[parts] / strata.expansion[parts]
    joined = _split(parts, expects)
    if joined or not top:
        for g, part in enumerate(joined or [parts]):
            group[part] = top + g
    elif parts.size:  # too few for a group of their own: they join the stratum of the nearest rate
        home = np.flatnonzero(own)
        group[parts] = group[home[np.argmin(np.abs(strata.expansion[home] - strata.expansion[parts].mean()))]]
    return group


def read(cells: Cells, strata: Strata, drawn: IntArray, logit: FloatArray) -> Answer:
    """Every classifier's precision and REC interval at 0.95."""
    found = []
    for flagged in cells.flags.T:
        side = evidence(cells, strata, drawn, group=groups_of(cells, strata, flagged, logit), logit=logit)
        found.append((side.p, *rec(side, 0.025, strict=True)))  # an unseen error may be where a label weighs most: no rate is below c's own
    value, low, high = (np.stack(a, axis=-1) for a in zip(*found, strict=True))
    return Answer(value, Limits(low, high))


def evidence(cells: Cells, strata: Strata, drawn: IntArray, *, group: IntArray, logit: FloatArray) -> Evidence:
    """What the labels say of the flagged side, and what the heaviest label weighs: an unseen error may be where labels are thinnest.

    No rate of the largest is below the classifier's own, so that is never more than a label of its own simple draw would weigh.
    """
    mine = group >= 0
    member = (group[mine, None] == np.arange(group.max() + 1)).astype(np.float64)
    w, n, k = strata.expansion[mine], drawn[:, mine].sum(-1), drawn[:, mine, 1]
    N = cells.N[mine] @ member
    x = (cells.N[mine] * logit[mine]) @ member / N
    tally = Tally(
        flagged=np.ones(N.size, dtype=np.bool_),
        N=N,
        n=n @ member,
        k=k @ member,
        logit=x,
        expected=1 / (1 + np.exp(-x)),
        N1=float(N.sum()),
        N0=0.0,
        expansions=LabelSums((n * w) @ member, (n * w * w) @ member, (k * w) @ member, (k * w * w) @ member),
    )
    open_group = (tally.n > 0) & (tally.n < N)
    return read_side(tally)._replace(heaviest=np.where(open_group, N / N.sum() / np.maximum(tally.n, 1), 0.0).max(-1))
