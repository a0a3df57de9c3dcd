"""Intervals of samples drawn elsewhere keep their word; the twin, sizes of groups taken as known, must fail where these matter."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import BoolArray, IntArray
from fewlabels.nouns.metrics import METRICS
from fewlabels.randomness import stream
from tests.unit.estimators.sampled import known, one_by_one, stratified, tally_of

pytestmark = pytest.mark.statistics
REPS, FALSE_ALARM = 250, 1e-6
LEAST = int(binom.ppf(FALSE_ALARM, REPS, 0.95))
UNITS = 4_000


class Made(NamedTuple):
    """A population: the region of each unit, whether it is flagged, and whether it is positive."""

    region: IntArray
    flagged: BoolArray
    positive: BoolArray

    def truth(self, metric: str) -> float:
        tp = (self.flagged & self.positive).sum()
        return float(tp / {"precision": self.flagged, "recall": self.positive}[metric].sum())


def made() -> Made:
    """Four regions that mix predictions; few units are flagged, and most positives are not among them: sizes matter to recall."""
    rng = stream(90)
    region = rng.choice(4, UNITS, p=[0.5, 0.25, 0.15, 0.1])
    flagged = rng.random(UNITS) < np.array([0.02, 0.03, 0.04, 0.05])[region]
    return Made(region, flagged, rng.random(UNITS) < np.where(flagged, 0.95, np.array([0.05, 0.1, 0.15, 0.2])[region]))


def pure(one: Made, rng: np.random.Generator) -> Mapping[str, Any]:
    stratum = one.region * 2 + one.flagged
    return stratified(rng, stratum, np.minimum(np.bincount(stratum), 40), one.flagged, one.positive)


def mixed(one: Made, rng: np.random.Generator) -> Mapping[str, Any]:
    return stratified(rng, one.region, np.array([160, 120, 120, 80]), one.flagged, one.positive)


def few_probabilities(one: Made, rng: np.random.Generator) -> Mapping[str, Any]:
    return one_by_one(rng, np.array([0.08, 0.12, 0.2, 0.2])[one.region], one.flagged, one.positive)


def many_probabilities(one: Made, rng: np.random.Generator) -> Mapping[str, Any]:
    rate = 0.12 * np.exp(stream(91).normal(0, 0.5, UNITS)) * np.where(one.flagged, 1.5, 1.0)
    return one_by_one(rng, np.minimum(rate, 1.0), one.flagged, one.positive)


WAYS = (pytest.param(pure, marks=pytest.mark.slow), mixed, pytest.param(few_probabilities, marks=pytest.mark.slow), many_probabilities)


@pytest.mark.parametrize("draw", WAYS, ids=lambda draw: draw.__name__)
def test_a_sample_drawn_elsewhere_is_covered_and_its_twin_is_not(draw: Callable[..., Mapping[str, Any]], seed: int) -> None:
    one = made()
    hits = {(metric, twin): 0 for metric in ("precision", "recall") for twin in (False, True)}
    for r in range(REPS):
        tally = tally_of(draw(one, stream(seed, 92, r)))
        for metric, twin in hits:
            found = measure(METRICS[metric], known(tally) if twin else tally, tail=0.025)
            hits[metric, twin] += bool(found.low <= one.truth(metric) <= found.high)
    assert hits["precision", False] >= LEAST
    assert hits["recall", False] >= LEAST
    if draw in (mixed, few_probabilities):
        assert hits["recall", True] < LEAST
