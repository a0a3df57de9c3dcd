"""A study that grows and splits its bands keeps its word, one-sided too; the textbook interval is the twin that must fail."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.belief_free import certain
from benchmarks.reuse import Counts, Pair
from fewlabels.designs.base import takes_of
from fewlabels.designs.extending import HeldByCell, grow_design
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metrics import METRICS
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import true_value

pytestmark = pytest.mark.statistics
GROWN = 61  # the purpose of the streams below
REPS, FIRST, LAST = 200, 100, 300


def misses(at: Pair, metric: str, rng: np.random.Generator, interval: IntervalKind = USUAL_INTERVAL, *, reps: int = REPS) -> dict[str, int]:
    """How often the bounds at 5 % are above and below the truth, and the interval at 95 % misses it, after growth."""
    of, truth = METRICS[metric], true_value(at.profile, at.positives, METRICS[metric])
    design, fresh = (choose_design(at.profile, [of], labels=labels) for labels in (FIRST, LAST))
    found = dict.fromkeys(("too high", "too low", "missed"), 0)
    for _ in range(reps):
        before = at.drawn(design, takes_of(design, FIRST), rng)
        grown = split(at, design, before, fresh)
        counts = at.drawn(grown, takes_of(grown, LAST), rng, before)
        groups = groups_of(at.profile, grown)
        inside = groups.of_cell >= 0
        n, k = (np.bincount(groups.of_cell[inside], weights=c[inside], minlength=groups.N.size).astype(np.float64) for c in counts)
        bound, both = (measure(of, groups.tally(n, k), tail=tail, interval=interval) for tail in (0.05, 0.025))
        found["too high"] += bool(bound.low > truth)
        found["too low"] += bool(bound.high < truth)
        found["missed"] += not both.low <= truth <= both.high
    return found


def confident(seed: int) -> Pair:
    """4 % positive; scores near 0 and 1 that are wrong in the tail, as those of naive Bayes are."""
    at = certain(stream(seed, GROWN)).known()
    return Pair(at.profile, at.positives)


def most(reps: int) -> int:
    """The most misses that a true 5 % gives with probability 1 - 1e-4."""
    return int(binom.ppf(1 - 1e-4, reps, 0.05))


def split(at: Pair, design: DrawDesign, before: Counts, fresh: DrawDesign) -> DrawDesign:
    rate = np.where(design.band >= 0, (takes_of(design, FIRST) / design.N)[design.band], 0.0)
    grown = grow_design(at.profile, HeldByCell(design.band, rate, before.n), fresh, labels=LAST)
    assert grown is not None
    return grown


@pytest.mark.parametrize("metric", ["recall", "accuracy"])
def test_a_grown_study_keeps_its_word(metric: str, seed: int) -> None:
    at = confident(seed)
    found = misses(at, metric, stream(seed, GROWN, 1))
    assert max(found.values()) <= most(REPS), found


def test_the_textbook_interval_does_not(seed: int) -> None:
    at = confident(seed)
    assert max(misses(at, "recall", stream(seed, GROWN, 1), "wald", reps=8 * REPS).values()) > most(8 * REPS)
