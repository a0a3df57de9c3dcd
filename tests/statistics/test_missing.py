"""Intervals with missing answers: they hold where answers are missing by chance, and only the worst case holds where they are not."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.missing import Fill, fill_all, worst_limits
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value
from tests.statistics.populations import Known, calibrated, noise, overconfident, precise

pytestmark = pytest.mark.statistics
REPS = 2_000
LABELS = 400
MISSING = 8  # the purpose of the streams below


class Lost(NamedTuple):
    """Tallies of the answers that came, and what else is needed to fill the rest."""

    answered: Tally
    n: FloatArray  # drawn
    missing: FloatArray

    def filled(self, fill: Fill) -> Tally:
        """The tallies with every missing answer of a side yes, or no."""
        t = self.answered
        k = t.k + self.missing * np.where(t.flagged, fill.flagged, fill.other)
        return Tally(flagged=t.flagged, N=t.N, n=self.n, k=k, logit=t.logit, expected=t.expected, N1=t.N1, N0=t.N0)


def draw_and_lose(at: Known, metric: str, *, of_yes: float, of_no: float, rng: np.random.Generator) -> Lost:
    """Replicates of a draw in which this share of the yes and no answers never comes."""
    design = choose_design(at.profile, [metric_named(metric)], labels=LABELS)
    groups = groups_of(at.profile, design)
    full = replicate(groups, design, at.positives, labels=LABELS, reps=REPS, rng=rng)
    yes, no = full.k.astype(np.int64), (full.n - full.k).astype(np.int64)
    lost_yes, lost_no = rng.binomial(yes, of_yes), rng.binomial(no, of_no)
    k = (yes - lost_yes).astype(np.float64)
    return Lost(groups.tally(k + no - lost_no, k), full.n, (lost_yes + lost_no).astype(np.float64))


def hits(at: Known, metric: str, limits: Limits) -> int:
    truth = true_value(at.profile, at.positives, metric_named(metric))
    return int(((limits.low <= truth) & (truth <= limits.high)).sum())


def enough_hits() -> int:
    """The fewest hits a true coverage of 0.94 gives with probability 1 - 1e-6."""
    return int(binom.ppf(1e-6, REPS, 0.94))


def plain(metric: str, lost: Lost) -> Limits:
    found = measure(metric_named(metric), lost.answered, tail=0.025)
    return Limits(found.low, found.high)


def worst(metric: str, lost: Lost) -> Limits:
    return worst_limits(metric_named(metric), plain(metric, lost), fill_all(lost.filled), tail=0.025, interval="rec")


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "prevalence"])
@pytest.mark.parametrize("maker", [calibrated, overconfident, noise, precise], ids=lambda m: m.__name__)
def test_fifteen_percent_missing_by_chance_leaves_the_interval_its_level(maker, metric: str, seed: int) -> None:
    at = maker(stream(seed, MISSING, 0))
    lost = draw_and_lose(at, metric, of_yes=0.15, of_no=0.15, rng=stream(seed, MISSING, 1))
    assert hits(at, metric, plain(metric, lost)) >= enough_hits()


@pytest.mark.parametrize("metric", ["precision", "prevalence", "recall"])
def test_positives_skipped_three_times_as_often_break_the_plain_interval_and_not_the_worst_case(metric: str, seed: int) -> None:
    at = noise(stream(seed, MISSING, 0))
    lost = draw_and_lose(at, metric, of_yes=0.6, of_no=0.2, rng=stream(seed, MISSING, 2))
    if metric != "recall":  # on both sides alike: recall hardly moves
        assert hits(at, metric, plain(metric, lost)) < enough_hits()
    assert hits(at, metric, worst(metric, lost)) >= enough_hits()


@pytest.mark.parametrize(("metric", "of_yes"), [("precision", 0.3), ("prevalence", 0.3), ("recall", 0.3)])
@pytest.mark.parametrize("maker", [calibrated, overconfident, precise], ids=lambda m: m.__name__)
def test_the_worst_case_covers_whatever_is_skipped(maker, metric: str, of_yes: float, seed: int) -> None:
    at = maker(stream(seed, MISSING, 0))
    lost = draw_and_lose(at, metric, of_yes=of_yes, of_no=0.1, rng=stream(seed, MISSING, 3))
    assert hits(at, metric, worst(metric, lost)) >= enough_hits()
