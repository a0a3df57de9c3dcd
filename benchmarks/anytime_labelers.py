"""Fifty labelers at work at once: rates follow what was answered when a unit was asked, answers come in any order, some never.

A unit's bet needs the answers of all units asked before it, so bets are made in the order asked; whoever asks looks only at answers that
are in. Both are known before the unit is drawn.
"""

import heapq
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.anytime_made import precision
from benchmarks.anytime_paths import BAND, DECISION, Paths, Setting, chunks, drawn, highest
from benchmarks.anytime_store import Row
from fewlabels.designs.online import asking_rates
from fewlabels.intervals.anytime import Steps, bet, no_evidence
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.randomness import stream

WORKING, DROPPING, AHEAD, LOOSE = 91, 92, 93, 94  # purposes of the streams
LABELERS, LARGEST_BATCH = 50, 20
LOST = 0.05  # of all units: no answer ever comes
HARDER = 4.0  # where errors are lost more often: so many times as often as others
TRUTH, TARGETS = 0.95, (0.9, 0.85)
T = 2_000
Wanted = Iterator[tuple[str, Callable[[], Row]]]


class Losing(NamedTuple):
    """The chance that a unit's answer never comes, by its label, from each labeler it is given to; and how many it is given to."""

    negative: float
    positive: float
    attempts: int = 1

    def lost(self, label: IntArray, rng: np.random.Generator) -> list[BoolArray]:
        """Whether each attempt fails."""
        chance = np.where(label == 1, self.positive, self.negative)
        return [rng.random(label.size) < chance for _ in range(self.attempts)]


def ways() -> dict[str, Losing]:
    """None lost; one in twenty; the same, given to a second labeler; one in twenty, errors four times as often."""
    share = LOST / (TRUTH + HARDER * (1 - TRUTH))
    return {
        "every answer comes": Losing(0.0, 0.0),
        "5 % never come": Losing(LOST, LOST),
        "5 % never come, asked of a second labeler first": Losing(LOST, LOST, attempts=2),
        "5 % never come, errors four times as often": Losing(HARDER * share, share),
    }


class Office(Paths):
    """Paths with open batches: what is answered is less than what is drawn."""

    def __init__(self, at: Setting, paths: int, losing: Losing, rng: np.random.Generator) -> None:
        """Nothing asked, nothing answered."""
        super().__init__(at, paths)
        self.losing, self.rng = losing, rng
        self.known = np.zeros((2, *self.left.shape))  # negative and positive answers that are in
        self.answers = 0
        self.asked: list[tuple[IntArray, IntArray, list[BoolArray]]] = []

    def ask(self, size: FloatArray) -> Steps:
        """One more unit on every path, at rates that know only what is in."""
        told: list[tuple[IntArray, list[BoolArray]]] = []

        def lose(label: IntArray, rng: np.random.Generator) -> BoolArray:
            told.append((label, self.losing.lost(label, rng)))
            return np.asarray(np.all(told[0][1], axis=0))

        steps = self.draw(self.rates(size, self.answers), self.rng, lose)
        self.asked.append((steps.band, *told[0]))
        return steps

    def hear(self, t: int, attempt: int) -> None:
        """The answers to unit t that come at this attempt."""
        band, label, failed = self.asked[t]
        heard = ~failed[attempt] & (failed[0] if attempt else True)
        rows = np.flatnonzero(heard)
        self.known[label[rows], rows, band[rows]] += 1
        self.answers += attempt == 0

    def size_now(self) -> FloatArray:
        """How much a label of each band matters, by what is in."""
        return self.unit_size(self.known[1], self.known[0])


def work(office: Office, labels: int) -> Iterator[Steps]:
    """Draws in the order asked. Every labeler takes a batch, answers its units in any order, and takes the next when done."""
    rng, events = office.rng, [(float(i) / LABELERS, i, -1, 0) for i in range(LABELERS)]  # time, labeler, unit (-1: takes a batch), attempt
    heapq.heapify(events)
    t = 0
    while t < labels:
        time, labeler, unit, attempt = heapq.heappop(events)
        if unit >= 0:
            office.hear(unit, attempt)
            if attempt + 1 < office.losing.attempts:
                heapq.heappush(events, (time + rng.exponential(30.0), labeler, unit, attempt + 1))
            continue
        batch = min(int(rng.integers(1, LARGEST_BATCH + 1)), labels - t)
        size, done = office.size_now(), time + rng.exponential(batch)
        for _ in range(batch):
            yield office.ask(size)
            heapq.heappush(events, (time + rng.random() * (done - time), labeler, t, 0))
            t += 1
        heapq.heappush(events, (done, labeler, -1, 0))


def office_row(losing: Losing, *, paths: int, rng: np.random.Generator, labels: int = T) -> Row:
    """Misses, and labels until it is shown that precision is at least .9 and .85."""
    at, m = precision(TRUTH), np.array([TRUTH, *TARGETS])
    missed, when, again = 0, [], 0.0
    for some in chunks(paths):
        office, evidence = Office(at, some, losing, rng), no_evidence((some,), m)
        first = np.full((some, len(TARGETS)), labels)
        for t, steps in enumerate(work(office, labels), start=1):
            evidence = bet(evidence, at.terms, steps, m, N=float(at.size))
            first = np.where((evidence.best[:, 1:, 0] >= DECISION) & (first == labels), t, first)
        missed += int((evidence.best[:, 0] >= BAND).any(axis=1).sum())
        when.append(first)
        again += float(sum(failed[0].sum() for _, _, failed in office.asked)) if losing.attempts > 1 else 0.0
    found = np.concatenate(when)
    return {
        "paths": paths, "labels": labels, "missed": missed, "mean": found.mean(axis=0).tolist(),
        "shown": (found < labels).mean(axis=0).tolist(), "again": again / (paths * labels),
    }  # fmt: skip


def labelers(*, paths: int, seed: int) -> Wanted:
    """With and without losses."""
    for i, (name, losing) in enumerate(ways().items()):
        yield name, partial(office_row, losing, paths=paths, rng=stream(seed, WORKING, i))


# ---------------------------------------------------------------- twins, which must fail


def dropped_row(*, paths: int, rng: np.random.Generator) -> Row:
    """Units without an answer are left out, as if they had never been drawn: the band is then of those that can be answered."""
    at, losing = precision(TRUTH), ways()["5 % never come, errors four times as often"]
    negatives = np.round((at.N - at.positives) * (1 - losing.negative)).astype(np.int64)
    positives = np.round(at.positives * (1 - losing.positive)).astype(np.int64)
    best = highest(at._replace(N=positives + negatives, positives=positives), np.array([TRUTH]), paths=paths, T=3_000, rng=rng)
    return {"paths": paths, "labels": 3_000, "missed": int((best >= BAND).any(axis=(1, 2)).sum())}


def ahead_row(*, paths: int, rng: np.random.Generator) -> Row:
    """The rates that are written down already know the answer to the unit drawn."""
    at, m = precision(TRUTH, even=0.1, batch=1), np.array([TRUTH])
    missed = 0
    for some in chunks(paths):
        state, evidence = Paths(at, some), no_evidence((some,), m)
        for t in range(3_000):
            steps = state.draw(state.rates(state.unit_size(state.positives, state.negatives), t), rng)
            late = asking_rates(state.unit_size(state.positives, state.negatives), steps.left, even=0.1)
            evidence = bet(evidence, at.terms, steps._replace(rate=late), m, N=float(at.size))
        missed += int((evidence.best >= BAND).any(axis=(1, 2)).sum())
    return {"paths": paths, "labels": 3_000, "missed": missed}


def loose_row(*, paths: int, rng: np.random.Generator) -> Row:
    """A value is refuted as soon as what has been seen leaves nothing on one side of it: at the truth that is nothing to refute."""
    at = precision(TRUTH, N=500, even=0.1, batch=5)
    (h0,), (h1,) = at.terms.at(np.array([at.truth]))
    state, refuted = Paths(at, paths), np.zeros(paths, dtype=np.bool_)
    for _ in drawn(state, T=at.size, rng=rng):
        seen = state.negatives @ h0 + state.positives @ h1
        refuted |= (seen + state.left @ np.minimum(h0, h1) >= 0) | (seen + state.left @ np.maximum(h0, h1) <= 0)
    return {"paths": paths, "labels": at.size, "missed": int(refuted.sum())}


def twins(*, paths: int, seed: int) -> Wanted:
    """What is not allowed, done."""
    yield "unanswered units left out, errors lost four times as often", partial(dropped_row, paths=paths, rng=stream(seed, DROPPING))
    yield "rates that know the answer", partial(ahead_row, paths=paths, rng=stream(seed, AHEAD))
    yield "500 units to the last, a bound that is not strict", partial(loose_row, paths=paths, rng=stream(seed, LOOSE))
