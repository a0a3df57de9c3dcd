"""Labels until every precision of a set of classifiers is known to +-0.03: separate draws, recycling, one draw."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import recycling_draw as one
from benchmarks.recycling_baseline import Cells, Drawn, best_parent, recycle, simple_draws, some_of
from benchmarks.recycling_sets import ClassifierSet
from fewlabels.nouns.arrays import FloatArray, IntArray

EPS, Z = 0.03, 1.959964
PILOT = 100
FLOOR, GUIDED_FLOOR = 0.7, 0.5  # of the largest rate
LEAST_NOISE = 0.03  # of a cell's p (1 - p) in a guided plan


class Score(NamedTuple):
    """One way of drawing: mean labels, and how often each classifier's error was at most 0.03 and its interval held the truth."""

    way: str
    labels: float
    within: IntArray
    covered: IntArray | None


class Setting(NamedTuple):
    """A set counted by pattern, and by pattern and part of the guide; `of` gives the coarse cell of each fine one."""

    coarse: Cells
    fine: Cells
    of: IntArray
    votes: FloatArray  # log-odds of the share of classifiers that flag a coarse cell
    claim: FloatArray  # mean claim of a fine cell

    @property
    def truth(self) -> FloatArray:
        """The precisions."""
        return self.coarse.precision


def setting_of(given: ClassifierSet) -> Setting:
    """The set's counts."""
    pattern, cell = given.pattern, given.cell
    coarse, fine = given.cells(pattern), given.cells(cell)
    first = np.unique(cell, return_index=True)[1]
    v, k = coarse.flags[:, :-1].sum(1), coarse.flags.shape[1] - 1
    claim = np.bincount(cell, weights=given.claim) / fine.N
    return Setting(coarse, fine, pattern[first], np.log((v + 0.5) / (k - v + 0.5)), claim)


def needs(p: FloatArray, N1: IntArray) -> IntArray:
    """z^2 p (1 - p) / eps^2 with the finite population factor: labels of a simple draw among N1 flagged units."""
    n0 = Z**2 * p * (1 - p) / EPS**2
    return np.asarray(np.clip(np.ceil(n0 / (1 + n0 / N1)), 2, N1)).astype(np.int64)


class Plan(NamedTuple):
    """What is believed when the draw is planned: precisions, and the positive share of each fine cell."""

    p: FloatArray
    share: FloatArray


def known_plan(at: Setting) -> Plan:
    """Planned with the truth."""
    return Plan(at.truth, (at.fine.positives + 0.5) / (at.fine.N + 1))


def pilot_plans(at: Setting, *, reps: int, rng: np.random.Generator) -> Iterator[Plan]:
    """Planned with a simple draw of 100 flagged units a classifier: p = (k + 1) / (n + 2), shares by a logistic fit on votes and claim."""
    answers = np.broadcast_to(at.fine.answers, (reps, at.fine.N.size, 2))
    drawn, p = np.zeros_like(answers), np.zeros((reps, at.truth.size))
    for c, flagged in enumerate(at.fine.flags.T):
        mine = some_of(answers * flagged[:, None], np.full(reps, PILOT), rng)
        p[:, c] = (mine[:, :, 1].sum(1) + 1) / (mine.sum((1, 2)) + 2)
        drawn = drawn + mine
    features = np.stack([at.votes[at.of], at.claim], axis=1)
    scaled = (features - features.mean(0)) / np.maximum(features.std(0), 1e-9)
    for r in range(reps):
        yield Plan(p[r], fitted(np.column_stack([np.ones(len(scaled)), scaled]), drawn[r].sum(1), drawn[r][:, 1]))


def fitted(x: FloatArray, n: IntArray, k: IntArray) -> FloatArray:
    """Shares of a logistic fit with a ridge of variance 4 on the slopes."""
    beta, ridge = np.zeros(x.shape[1]), np.diag([0.01] + [0.25] * (x.shape[1] - 1))
    for _ in range(25):
        mu = 0.5 * (1 + np.tanh(0.5 * x @ beta))
        step = np.linalg.solve((x.T * (n * mu * (1 - mu))) @ x + ridge, x.T @ (k - n * mu) - ridge @ beta)
        beta = beta + step * min(1.0, 2 / max(np.abs(step).max(), 1e-12))
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x @ beta)))


def largest_rates(at: Setting, plan: Plan) -> FloatArray:
    """Pi = max over classifiers, by pattern."""
    return one.largest(at.coarse, needs(plan.p, at.coarse.flagged))


def optimum_rates(at: Setting, plan: Plan) -> FloatArray:
    """The fewest labels with every variance as in the own simple draw, p (1 - p) constant; no rate below 0.7 of the largest."""
    n, N1 = needs(plan.p, at.coarse.flagged), at.coarse.flagged
    noise = plan.p * (1 - plan.p)
    squares = np.repeat(noise[:, None], at.coarse.N.size, axis=1)
    return one.fewest(at.coarse, squares, noise * (N1 / n - 1) / N1 + 1e-15, FLOOR * largest_rates(at, plan))


def guided_rates(at: Setting, plan: Plan) -> FloatArray:
    """The fewest labels with every variance (0.03 / z)^2 if the shares are right; no rate below 0.5 of the largest."""
    noise = np.maximum(plan.share * (1 - plan.share), LEAST_NOISE)
    squares = np.repeat(noise[None], at.truth.size, axis=0)
    floor = GUIDED_FLOOR * one.largest(at.fine, needs(plan.p, at.fine.flagged))
    return one.fewest(at.fine, squares, np.full(at.truth.size, (EPS / Z) ** 2), floor)


Rates = Callable[[Setting, Plan], FloatArray]
ONE_DRAW: dict[str, Rates] = {"largest": largest_rates, "optimum": optimum_rates, "guided": guided_rates}


def one_draw(way: str, at: Setting, plans: list[Plan], *, reps: int, rng: np.random.Generator) -> Score:
    """Replicates of one draw under each plan, read with REC."""
    cells = at.fine if way == "guided" else at.coarse
    logit, pattern = (at.claim, at.of) if way == "guided" else (at.votes, np.arange(cells.N.size))
    within, covered, labels = np.zeros(at.truth.size, dtype=np.int64), np.zeros(at.truth.size, dtype=np.int64), 0.0
    for plan in plans:
        strata = one.stratify(cells, ONE_DRAW[way](at, plan), pattern, logit)
        answer = one.read(cells, strata, one.draw(cells, strata, reps=reps, rng=rng), logit)
        within += (np.abs(answer.value - at.truth) <= EPS + 1e-12).sum(0)
        covered += ((answer.limits.low <= at.truth) & (at.truth <= answer.limits.high)).sum(0)
        labels += float(strata.n.sum())
    return Score(way, labels / len(plans), within, covered)


def other_draws(way: str, at: Setting, plans: list[Plan], *, reps: int, rng: np.random.Generator) -> Score:
    """Replicates of separate draws, or of recycling with the vote or with the best parent of each plan."""
    n = np.stack([needs(plan.p, at.coarse.flagged) for plan in plans])
    parents = _parents(way, at, n)
    within, labels = np.zeros(at.truth.size, dtype=np.int64), 0.0
    for parent in set(parents):
        mine = np.repeat(n[[p == parent for p in parents]], reps, axis=0)
        done: Drawn = (
            simple_draws(at.coarse, mine, reps=len(mine), rng=rng)
            if parent is None
            else recycle(at.coarse, mine, parent=parent, reps=len(mine), rng=rng)
        )
        within += (np.abs(done.value - at.truth) <= EPS + 1e-12).sum(0)
        labels += float(done.labels.sum())
    return Score(way, labels / (len(plans) * reps), within, None)


def _parents(way: str, at: Setting, n: IntArray) -> list[int | None]:
    if way == "separate":
        return [None] * len(n)
    vote = at.truth.size - 1
    return [vote] * len(n) if way == "recycled from the vote" else [best_parent(at.coarse, row) for row in n]


OTHERS = ("separate", "recycled from the vote", "recycled from the best")


def scores(at: Setting, *, pilot: bool, reps: int, rng: np.random.Generator) -> list[Score]:
    """All ways on one set: one plan and many draws, or one draw for each of many pilots."""
    plans = list(pilot_plans(at, reps=reps, rng=rng)) if pilot else [known_plan(at)]
    each = reps // len(plans)
    found = [other_draws(way, at, plans, reps=each, rng=rng) for way in OTHERS]
    return found + [one_draw(way, at, plans, reps=each, rng=rng) for way in ONE_DRAW]
