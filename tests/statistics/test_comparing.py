"""Differences of two classifiers hold at their level, rare classes included, and rankings claim nothing false; the twins fail."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.comparing import Judged, asked, drawn_for, judged, ranked, tied, turned
from benchmarks.comparing_page import Guide
from fewlabels.deciding.ranking import claims
from fewlabels.estimators.comparing import PairTally, compare
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.goal_scope import Ask, contest_of
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

pytestmark = pytest.mark.statistics
REPS = 2_000
METRICS = ("f1", "recall", "precision", "accuracy")
POPULATION, GUIDE, DRAW, FAMILY = 1, 2, 3, 4  # the purposes of the streams below


def rare(rng: np.random.Generator) -> Judged:
    """80,000 units, 0.3 % positive; the second classifier sees the first's log-odds through noise. The first's score is the guide."""
    share, N = 0.003, 80_000
    y = rng.random(N) < share
    log_odds = 3.5 * (rng.normal(0, 1, N) + 3.5 * y) - 3.5**2 / 2 + np.log(share / (1 - share))
    flagged: list[NDArray[np.bool_]] = [log_odds > -0.5, log_odds + rng.normal(0, 1.5, N) > 0]
    return judged(y, bin_of(1 / (1 + np.exp(-log_odds))), flagged[0].astype(np.int64) + 2 * flagged[1])


def draws(at: Judged, ask: Ask, labels: int, rng: np.random.Generator) -> PairTally:
    """Replicates of the draw a study makes for the difference."""
    design = drawn_for(at, ask.goal.metric, [(0, 1)], labels=labels)
    groups = contest_of(ask).groups(design)
    return groups.of(replicate(groups.groups, design, at.positives, labels=min(labels, design.frame), reps=REPS, rng=rng))


@pytest.mark.parametrize("guide", ["own", "shuffled", "reversed"])
@pytest.mark.parametrize("name", METRICS)
def test_the_difference_is_covered_in_a_rare_class(name: str, guide: Guide, seed: int) -> None:
    at = turned(rare(stream(seed, POPULATION)), guide, stream(seed, GUIDE))
    ask = asked(at, name, 0, 1)
    contest = contest_of(ask)
    truth = contest.value(at.positives / at.profile.count)
    tally = draws(at, ask, 200, stream(seed, DRAW))
    found = compare(contest.metric, tally, tail=0.025)
    assert int(((found.low <= truth) & (truth <= found.high)).sum()) >= binom.ppf(1e-6, REPS, 0.94)
    one_sided = compare(contest.metric, tally, tail=0.05)
    for missed in (truth < one_sided.low, truth > one_sided.high):
        assert int(missed.sum()) <= binom.ppf(1 - 1e-6, REPS, 0.06)


def test_wald_does_not_cover_it(seed: int) -> None:
    at = turned(rare(stream(seed, POPULATION)), "shuffled", stream(seed, GUIDE))
    ask = asked(at, "f1", 0, 1)
    contest = contest_of(ask)
    truth = contest.value(at.positives / at.profile.count)
    found = compare(contest.metric, draws(at, ask, 200, stream(seed, DRAW)), tail=0.025, interval="wald")
    assert int(((found.low <= truth) & (truth <= found.high)).sum()) < binom.ppf(1e-6, REPS, 0.94)


def test_ties_are_seldom_ranked(seed: int) -> None:
    """At least one false claim in at most 5 % of studies; bare Wald intervals of three pairs make one far more often."""
    at = tied(3, stream(seed, POPULATION))
    tallies = ranked(at, "accuracy", 3, labels=200, reps=REPS, rng=stream(seed, FAMILY))
    false = int(claims(metric_named("accuracy"), tallies, 3).any(axis=(-2, -1)).sum())
    wald = [compare(metric_named("accuracy"), tally, tail=0.025, interval="wald") for tally in tallies.values()]
    bare = int(np.any([(m.low > 0) | (m.high < 0) for m in wald], axis=0).sum())
    most = binom.ppf(1 - 1e-6, REPS, 0.05)
    assert false <= most
    assert bare > most
