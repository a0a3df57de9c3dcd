"""How many more labels an online study should need, by simulating its continuation from the posterior of its labels.

    share of band k ~ Beta(positives + 3 prior, negatives + 3 (1 - prior)),      then the study continues by its own rules

A forecast, never a promise: it enters no confidence sequence and no decision.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.deciding.online_status import Standpoint, tested_at
from fewlabels.designs.online import PRIOR, asking_rates, even_share, predicted
from fewlabels.estimators.online import influences
from fewlabels.intervals.anytime import ABOVE, BELOW, Steps, Wealth, after, bet, growth, no_evidence
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.stopping import Stopping
from fewlabels.planning.online import Contested, Course

PATHS = 100
COARSE = 12  # values at which a sign is tested in a forecast
LEAST = 0.01


class Remaining(NamedTuple):
    """Labels until the stopping rule should end the study, over the paths that end: the median, and the 10th and 90th percentiles.

    ends    the share of paths that end within the horizon
    within  the horizon, in labels
    """

    middle: int | None
    low: int | None
    high: int | None
    ends: float
    within: int

    def __str__(self) -> str:
        """For people."""
        if self.middle is None:
            return f"no end in sight within {self.within:,} more labels"
        chance = "" if self.ends > 0.99 else f"; {self.ends:.0%} of such studies end within {self.within:,}"
        return f"about {self.middle:,} more labels ({self.low:,} to {self.high:,}){chance}"

    def in_all(self, labels: int) -> str:
        """The forecast in words, with the labels so far included."""
        if self.middle is None or self.low is None or self.high is None:
            return f"more than {labels + self.within:,} labels by all that is known"
        chance = "" if self.ends > 0.99 else f", if the budget does not end it first: {self.ends:.0%} of such studies are decided within it"
        return f"about {labels + self.middle:,} labels in all ({labels + self.low:,} to {labels + self.high:,}){chance}"

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


class Bets(NamedTuple):
    """One goal in the simulation: the values at which it is tested, and the evidence there."""

    one: Contested
    m: FloatArray
    evidence: Wealth

    def met(self, goals: int) -> BoolArray:
        """Which paths have met the goal."""
        error, best = 1 - self.one.goal.level, self.evidence.best
        if self.one.goal.kind == "+-":
            limit = -np.log(error / goals / 2)
            return np.asarray((best[..., 0, ABOVE] >= limit) & (best[..., -1, BELOW] >= limit))
        side = ABOVE if self.one.goal.kind == ">=" else BELOW
        found = best[..., side].min(axis=-1) if self.one.sign else best[..., 0, side]
        return np.asarray(found >= -np.log(error))

    def failed(self, goals: int) -> BoolArray:
        """Which paths have shown that the goal is not met."""
        best = self.evidence.best
        if self.one.goal.kind == "+-":
            return np.zeros(best.shape[:-2], dtype=np.bool_)
        side = BELOW if self.one.goal.kind == ">=" else ABOVE
        found = best[..., side].min(axis=-1) if self.one.sign else best[..., -1, side]
        return np.asarray(found >= -np.log((1 - self.one.goal.level) / goals))


def remaining(
    course: Course, stands: tuple[Standpoint, ...], steps: Steps, stopping: Stopping, *, within: int, rng: np.random.Generator
) -> Remaining:
    """How many more labels the study should need, within a horizon of `within` labels."""
    bets = [_begun(course, one, stand, steps, stopping) for one, stand in zip(course.goals, stands, strict=True)]
    state = _opened(course, steps)
    truth = _truth(course, state, rng)
    ended = np.zeros(PATHS, dtype=np.int64)
    rare = any(one.rare for one in course.goals)
    for ahead in range(1, within + 1):
        if (state.left.sum(axis=-1) < 1).any() or (ended > 0).all():
            break
        state = _asked(course, state, truth, even=even_share(rare=rare, labels=steps.band.size + ahead), rng=rng)
        bets = [b._replace(evidence=bet(b.evidence, b.one.terms, state, b.m, N=float(course.N.sum()), effects=b.one.effects)) for b in bets]
        state = after(state)
        met = np.all([b.met(len(bets)) for b in bets], axis=0)
        over = met | np.any([b.failed(len(bets)) for b in bets], axis=0)
        ended = np.where((ended == 0) & over, ahead, ended)
    done = ended[ended > 0]
    if done.size < PATHS * LEAST:
        return Remaining(None, None, None, 0.0, within)
    low, middle, high = np.quantile(done, [0.1, 0.5, 0.9], method="nearest").astype(int).tolist()
    return Remaining(middle, low, high, done.size / PATHS, within)


def _begun(course: Course, one: Contested, stand: Standpoint, steps: Steps, stopping: Stopping) -> Bets:
    """A goal with the evidence so far, on every path."""
    if one.goal.kind == "+-":
        value = stand.value if stand.value is not None else 0.5
        m = np.clip(np.array(one.goal.ends(value)), one.grid[0], one.grid[-1])
    else:
        m = tested_at(one, stopping)
        m = m[:: max(1, m.size // COARSE)] if one.sign else m
    wealth = np.zeros((m.size, 2, one.effects.size))
    for start in range(0, steps.band.size, 256):
        part = steps.part(start, start + 256)
        wealth = wealth + growth(one.terms, part, m, N=float(course.N.sum()), effects=one.effects).sum(axis=0)
    empty = no_evidence((PATHS,), m, one.effects)
    return Bets(one, m, Wealth(empty.wealth + wealth, empty.best))


def _opened(course: Course, steps: Steps) -> Steps:
    """The current counts, the same on every path; rate, share, band and label are placeholders before the first step."""
    nothing = np.zeros(course.N.size)
    counts = (course.N, nothing, nothing, nothing)
    if steps.band.size:
        last = after(steps)
        counts = (last.left[-1], last.positives[-1], last.negatives[-1], last.missing[-1])
    left, positives, negatives, missing = (np.tile(one, (PATHS, 1)) for one in counts)
    nowhere = np.zeros(PATHS, dtype=np.int64)
    return Steps(left, left, left, positives, negatives, missing, nowhere, nowhere)


def _truth(course: Course, state: Steps, rng: np.random.Generator) -> FloatArray:
    """The share of positives among the remaining units of each band, drawn from its posterior once per path."""
    prior = np.clip(course.prior, 1e-6, 1 - 1e-6)
    return rng.beta(state.positives + PRIOR * prior, state.negatives + PRIOR * (1 - prior))


def _asked(course: Course, state: Steps, truth: FloatArray, *, even: float, rng: np.random.Generator) -> Steps:
    """One more unit asked on every path, as the study would ask it, and its label."""
    share = predicted(state.positives, state.positives + state.negatives, course.prior)
    size = _influence(course, state, share) * np.sqrt(share * (1 - share))
    rate = asking_rates(size, state.left, even=even)
    cumulative = np.cumsum(rate, axis=-1)
    band = (rng.random((PATHS, 1)) * cumulative[:, -1:] >= cumulative).sum(axis=-1)
    label = rng.random(PATHS) < np.take_along_axis(truth, band[:, None], axis=-1)[:, 0]
    return state._replace(rate=rate, share=share, band=band, label=label.astype(np.int64))


def _influence(course: Course, state: Steps, share: FloatArray) -> FloatArray:
    """How much a label in each band moves the goals, at the mean of all paths: close enough for a forecast."""
    p = share.mean(axis=0)
    values, sums = [], []
    for one in course.goals:
        f, g = ((course.N * ((1 - p) * a + p * b)).sum() for a, b in ((one.terms.f0, one.terms.f1), (one.terms.g0, one.terms.g1)))
        total = float(g) + one.terms.known_g
        value = (float(f) + one.terms.known_f) / total if total > 0 else 0.5
        values.append(float(np.clip(value if one.goal.kind == "+-" or one.sign else one.goal.value, one.grid[0], one.grid[-1])))
        sums.append(float(course.N.sum()) if one.sign or total <= 0 else total)
    return influences([one.terms for one in course.goals], values, sums)
