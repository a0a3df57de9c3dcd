"""Draws for packages that leave drawing to their user: simple, and by strata of scores. Ours; needs NumPy alone.

Each metric gets a draw of its own with all the labels: precision of the flagged units, recall and F1 of all units.
"""

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.peers.given import METRICS, Bools, Estimate, Estimates, Floats, Generator, Ints, Once, Part, Table, simple_draw
from benchmarks.peers.strata import score_strata

SIMPLE = "a simple draw: of the flagged units for precision, of all units for recall and F1"
STRATA = "ten strata: of the flagged units for precision, of all units for recall and F1"

ByLabels = Callable[[str, Bools, Bools], Estimate]  # metric; decision and truth of every label
ByStrata = Callable[[Floats, Floats, Ints, Ints], Estimate]  # above and below the line, stratum of every label, size of every stratum
ByUnits = Callable[[Table, Ints, Generator], Estimate]  # the units a metric is about, and the places of those that are labeled


def units_for(metric: str, table: Table) -> Table:
    """The units that a metric is about."""
    if metric != "precision":
        return table
    return Table(table.score[table.flagged], table.flagged[table.flagged], table.y[table.flagged])


def simple_part(metric: str, estimate: ByUnits) -> Part:
    """One metric from a simple draw of its units."""

    def ready(table: Table, labels: int) -> Once:
        units = units_for(metric, table)

        def once(rng: Generator) -> Estimates:
            return {metric: estimate(units, simple_draw(units.y.size, labels, rng), rng)}

        return once

    return Part((metric,), ready)


def by_simple_draws(estimate: ByLabels, metrics: Sequence[str] = METRICS) -> tuple[Part, ...]:
    """Metrics from the decisions and answers of simple draws."""

    def one(metric: str) -> Part:
        return simple_part(metric, lambda units, drawn, rng: estimate(metric, units.flagged[drawn], units.y[drawn]))

    return tuple(map(one, metrics))


def ratio_parts(metric: str, flagged: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A metric as a ratio of two totals: above and below the line."""
    hits = flagged * y
    return {"precision": (hits, flagged), "recall": (hits, y), "f1": (2 * hits, flagged + y)}[metric]


def _totals(metric: str, units: Table, drawn: Ints) -> tuple[Floats, Floats]:
    return ratio_parts(metric, units.flagged[drawn].astype(float), units.y[drawn].astype(float))


def ratio_by_simple_draws(ratio: ByStrata) -> tuple[Part, ...]:
    """Ratios from simple draws, which are one stratum."""

    def one(metric: str) -> Part:
        def estimate(units: Table, drawn: Ints, _: Generator) -> Estimate:
            return ratio(*_totals(metric, units, drawn), np.zeros(drawn.size, dtype=np.int64), np.array([units.y.size]))

        return simple_part(metric, estimate)

    return tuple(map(one, METRICS))


def ratio_by_strata(ratio: ByStrata) -> tuple[Part, ...]:
    """Ratios from draws by strata of scores."""

    def one(metric: str) -> Part:
        def ready(table: Table, labels: int) -> Once:
            units = units_for(metric, table)
            strata = score_strata(units, labels)

            def once(rng: Generator) -> Estimates:
                drawn = strata.draw(rng)
                return {metric: ratio(*_totals(metric, units, drawn), strata.of[drawn], strata.size)}

            return once

        return Part((metric,), ready)

    return tuple(map(one, METRICS))
