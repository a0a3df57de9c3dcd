"""Draws for packages that leave drawing to their user: simple, and by strata of scores. Ours; needs NumPy alone.

Each metric gets a draw of its own with all the labels: precision of the flagged units, recall and F1 of all units.
"""

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.peers.given import Bools, Estimate, Estimates, Floats, Generator, Ints, Once, Table, simple_draw
from benchmarks.peers.strata import score_strata

METRICS = ("precision", "recall", "f1")
SIMPLE = "a simple draw: of the flagged units for precision, of all units for recall and F1"
STRATA = "ten strata: of the flagged units for precision, of all units for recall and F1"

ByLabels = Callable[[str, Bools, Bools], Estimate]  # metric; decision and truth of every label
ByStrata = Callable[[Floats, Floats, Ints, Ints], Estimate]  # above and below the line, stratum of every label, size of every stratum


def part_for(metric: str, table: Table) -> Table:
    """The units that a metric is about."""
    return Table(*(column[table.flagged] for column in table)) if metric == "precision" else table


def _possible(metrics: Sequence[str], table: Table, labels: int) -> list[tuple[str, Table]]:
    parts = [(metric, part_for(metric, table)) for metric in metrics]
    return [(metric, part) for metric, part in parts if labels < part.y.size]


def by_simple_draws(estimate: ByLabels, metrics: Sequence[str] = METRICS) -> Callable[[Table, int], Once]:
    """Get ready to estimate metrics from simple draws."""

    def ready(table: Table, labels: int) -> Once:
        parts = _possible(metrics, table, labels)

        def once(rng: Generator) -> Estimates:
            found = {}
            for metric, part in parts:
                drawn = simple_draw(part.y.size, labels, rng)
                found[metric] = estimate(metric, part.flagged[drawn], part.y[drawn])
            return found

        return once

    return ready


def ratio_parts(metric: str, flagged: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A metric as a ratio of two totals: above and below the line."""
    hits = flagged * y
    return {"precision": (hits, flagged), "recall": (hits, y), "f1": (2 * hits, flagged + y)}[metric]


def ratio_by_simple_draws(ratio: ByStrata) -> Callable[[Table, int], Once]:
    """Get ready to estimate ratios from simple draws, which are one stratum."""

    def ready(table: Table, labels: int) -> Once:
        parts = _possible(METRICS, table, labels)

        def once(rng: Generator) -> Estimates:
            found = {}
            for metric, part in parts:
                drawn = simple_draw(part.y.size, labels, rng)
                totals = ratio_parts(metric, part.flagged[drawn].astype(float), part.y[drawn].astype(float))
                found[metric] = ratio(*totals, np.zeros(labels, dtype=np.int64), np.array([part.y.size]))
            return found

        return once

    return ready


def ratio_by_strata(ratio: ByStrata) -> Callable[[Table, int], Once]:
    """Get ready to estimate ratios from draws by strata of scores."""

    def ready(table: Table, labels: int) -> Once:
        parts = [(metric, part, score_strata(part, labels)) for metric, part in _possible(METRICS, table, labels)]

        def once(rng: Generator) -> Estimates:
            found = {}
            for metric, part, strata in parts:
                drawn = strata.draw(rng)
                totals = ratio_parts(metric, part.flagged[drawn].astype(float), part.y[drawn].astype(float))
                found[metric] = ratio(*totals, strata.of[drawn], strata.size)
            return found

        return once

    return ready
