"""Many paths of an online draw side by side: the product's own rates, predictions and bets, on populations whose truth is known."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fewlabels.designs.online import asking_rates, even_share, predicted
from fewlabels.estimators.online import influences
from fewlabels.intervals.anytime import EFFECTS, MISSING, Steps, Terms, Wealth, bet, no_evidence
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

BATCH = 10
AT_ONCE = 2_500  # paths that are walked together
ERROR = 0.05
BAND, DECISION = -np.log(ERROR / 2), -np.log(ERROR)  # logarithms of what a bet must reach

Unanswered = Callable[[IntArray, np.random.Generator], BoolArray]  # labels -> which of them never come


class Setting(NamedTuple):
    """A population with its truth, and how it is drawn from.

    N, positives  of each band
    prior         what the guide says of the share of positives
    even          the share of draws that is spread evenly; None: the product's own
    rare          whether the metric's denominator is itself counted from labels
    batch         units asked before their answers change the rates
    """

    name: str
    N: IntArray
    positives: IntArray
    prior: FloatArray
    terms: Terms
    even: float | None = None
    rare: bool = False
    batch: int = BATCH

    def sums(self) -> tuple[float, float]:
        """The true sums of f and g."""
        t, k, rest = self.terms, self.positives, self.N - self.positives
        return float(t.known_f + (t.f1 * k + t.f0 * rest).sum()), float(t.known_g + (t.g1 * k + t.g0 * rest).sum())

    @property
    def truth(self) -> float:
        """The metric."""
        f, g = self.sums()
        return f / g

    @property
    def size(self) -> int:
        """Units of the bands."""
        return int(self.N.sum())


class Paths:
    """The state of several paths; row i is path i."""

    def __init__(self, at: Setting, paths: int) -> None:
        """Nothing drawn yet."""
        self.at = at
        self.left = np.tile(at.N.astype(np.float64), (paths, 1))
        self.hidden = np.tile(at.positives.astype(np.float64), (paths, 1))  # positives among those left
        self.positives, self.negatives, self.missing = (np.zeros(self.left.shape) for _ in range(3))

    def keep(self, rows: BoolArray) -> None:
        """Goes on with these paths only."""
        for name in ("left", "hidden", "positives", "negatives", "missing"):
            setattr(self, name, getattr(self, name)[rows])

    def unit_size(self, positives: FloatArray, negatives: FloatArray) -> FloatArray:
        """How much one label of each band matters, by the answers that are in."""
        at = self.at
        share = predicted(positives, positives + negatives, at.prior)
        return np.asarray(np.sqrt(share * (1 - share)) * influences([at.terms], [self._guess(share)], [1.0]))

    def _guess(self, share: FloatArray) -> FloatArray:
        """The metric as predicted, a row a path; of a difference one half, which is as good as any other."""
        t, N = self.at.terms, self.at.N
        if t.scale is not None:
            return np.full((share.shape[0], 1), 0.5)
        f, g = ((N * (a + (b - a) * share)).sum(axis=1) for a, b in ((t.f0, t.f1), (t.g0, t.g1)))
        return np.asarray((t.known_f + f) / np.maximum(t.known_g + g, 1e-12))[:, None]

    def rates(self, size: FloatArray, answered: int) -> FloatArray:
        """The probability of each band in the next draw."""
        even = even_share(rare=self.at.rare, labels=answered) if self.at.even is None else self.at.even
        return asking_rates(size, self.left, even=even)

    def draw(self, rate: FloatArray, rng: np.random.Generator, unanswered: Unanswered | None = None) -> Steps:
        """One draw on every path, as it is bet on; the state is then the one after it."""
        rows = np.arange(self.left.shape[0])
        cumulative = np.cumsum(rate, axis=1)
        u, v = rng.random((2, rows.size))
        band = np.minimum(np.count_nonzero((u * cumulative[:, -1])[:, None] >= cumulative, axis=1), self.at.N.size - 1)
        label = (v * self.left[rows, band] < self.hidden[rows, band]).astype(np.int64)
        self.hidden[rows, band] -= label
        if unanswered is not None:
            label = np.where(unanswered(label, rng), MISSING, label)
        share = predicted(self.positives, self.positives + self.negatives, self.at.prior)
        steps = Steps(self.left, rate, share, self.positives, self.negatives, self.missing, band, label)
        self.left, self.positives, self.negatives, self.missing = (counts.copy() for counts in (steps.left, *steps[3:6]))
        self.left[rows, band] -= 1
        for counts, kind in ((self.positives, 1), (self.negatives, 0), (self.missing, MISSING)):
            counts[rows, band] += label == kind
        return steps


def drawn(paths: Paths, *, T: int, rng: np.random.Generator, unanswered: Unanswered | None = None) -> Iterator[Steps]:
    """T draws, in batches: rates follow the answers of earlier batches, and the units left as they are drawn."""
    size = np.empty(0)
    for t in range(min(T, paths.at.size)):
        if t % paths.at.batch == 0 or size.shape[0] != paths.left.shape[0]:
            size = paths.unit_size(paths.positives, paths.negatives)
        yield paths.draw(paths.rates(size, t - t % paths.at.batch), rng, unanswered)


def chunks(paths: int) -> Iterator[int]:
    """How many paths to walk at a time."""
    for start in range(0, paths, AT_ONCE):
        yield min(AT_ONCE, paths - start)


def highest(
    at: Setting,
    m: FloatArray,
    *,
    paths: int,
    T: int,
    rng: np.random.Generator,
    effects: FloatArray = EFFECTS,
    unanswered: Unanswered | None = None,
) -> FloatArray:
    """The most each bet's mean has ever been after T draws, shape (paths, M, 2)."""
    found = []
    for some in chunks(paths):
        evidence = no_evidence((some,), m, effects)
        for steps in drawn(Paths(at, some), T=T, rng=rng, unanswered=unanswered):
            evidence = bet(evidence, at.terms, steps, m, N=float(at.size), effects=effects)
        found.append(evidence.best)
    return np.concatenate(found)


class Decided(NamedTuple):
    """Labels until the decision, those of the last batch included, and the decision: 1 yes, -1 no, 0 none within T."""

    labels: IntArray
    answer: IntArray


def decided(
    at: Setting,
    target: float,
    *,
    paths: int,
    T: int,
    rng: np.random.Generator,
    tolerance: float = 0.0,
    effects: FloatArray = EFFECTS,
    unanswered: Unanswered | None = None,
) -> Decided:
    """Whether the metric is at least the target; with a tolerance either answer will do within it."""
    m = np.array([target - tolerance, target + tolerance]) if tolerance else np.array([target])
    found = []
    for some in chunks(paths):
        labels, answer = np.full(some, min(T, at.size)), np.zeros(some, dtype=np.int64)
        still, state, evidence = np.arange(some), Paths(at, some), no_evidence((some,), m, effects)
        for t, steps in enumerate(drawn(state, T=T, rng=rng, unanswered=unanswered), start=1):
            evidence = bet(evidence, at.terms, steps, m, N=float(at.size), effects=effects)
            if t % BATCH and t < T:
                continue
            said = np.where(answer[still] != 0, answer[still], verdicts(evidence.best))
            labels[still[(said != 0) & (answer[still] == 0)]], answer[still] = t, said
            if (said != 0).mean() > 0.1:
                going = said == 0
                still, evidence = still[going], Wealth(evidence.wealth[going], evidence.best[going])
                state.keep(going)
            if not still.size:
                break
        found.append(Decided(labels, answer))
    return Decided(*(np.concatenate(part) for part in zip(*found, strict=True)))


def verdicts(best: FloatArray) -> IntArray:
    """1 where "above" is shown at the lowest m, -1 where "below" is at the highest, else 0; the side with more evidence if both are."""
    above, below = best[:, 0, 0], best[:, -1, 1]
    said = np.where(above >= DECISION, 1, 0)
    return np.asarray(np.where((below >= DECISION) & (below > np.where(said == 1, above, -np.inf)), -1, said))
