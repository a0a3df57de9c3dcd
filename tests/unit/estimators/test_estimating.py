"""Estimates: what several metrics of one tally share changes none of them."""

from dataclasses import replace

import pytest

from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.measuring import sides_of
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.tally import AnyTally
from tests.identities.made import tally_of
from tests.unit.estimators.test_phases import phased, pilot_tally

TALLIES: dict[str, AnyTally] = {
    "bands": pilot_tally(),
    "simple": replace(pilot_tally(), simple=True),
    "after a pilot": phased(),
    "sides of one size": tally_of([1, 0], [1_000, 1_000], [50, 40], [45, 3]),
}


@pytest.mark.parametrize("name", TALLIES)
@pytest.mark.parametrize("interval", ["rec", "strict"])
def test_metrics_read_together_are_those_read_alone(name: str, interval: IntervalKind) -> None:
    """Limits, bounds and effective n, to the last bit: sides and the simple draws behind effective n are read once for all."""
    tally = TALLIES[name]
    sides = sides_of(tally)
    for metric in METRICS.values():
        for level in (0.9, 0.95):
            alone, shared = (
                estimate(metric, tally, classifier="c", level=level, planned=False, interval=interval, sides=one) for one in (None, sides)
            )
            assert shared == alone, metric.name
