"""fewlabels on the same tables: a draw for the metric asked about, and one draw for all three."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.peers.cells import Cell, Place, judge
from benchmarks.tables import Bench
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

PACKAGE = "fewlabels"
ALONE, TOGETHER = "for this metric", "one draw for all"


def our_cells(
    bench: Bench, truths: dict[str, float], *, most: dict[str, int], labels: Sequence[int], reps: int, seed: int
) -> Iterator[Cell]:
    """Every metric at every number of labels below `most`, drawn for it alone and for all three; drawn all at once, so untimed."""
    engine = open_engine(bench.population)
    profile = engine.profile()
    positives = engine.positives(profile, truth=bench.truth)
    every = [metric_named(name) for name in truths]
    for n in labels:
        ways: list[tuple[str, list[Metric]]] = [(ALONE, [one]) for one in every if n < most[one.name]]
        for place, (way, goals) in enumerate([*ways, (TOGETHER, every)]):
            design = choose_design(profile, goals, labels=n)
            tally = replicate(groups_of(profile, design), design, positives, labels=n, reps=reps, rng=stream(seed, 20, n, place))
            for one in goals:
                found = measure(one, tally, tail=0.025)
                rows = np.stack([found.value, found.low, found.high], axis=1)
                yield judge(Place(bench.name, PACKAGE, way, one.name, n), truths[one.name], rows, crashed=0, seconds=math.nan)
