"""Why a peer is better where it is: by package, method and metric, with the labels that it and fewlabels spend at the scores in question.

A cell without an entry says that the reason is not known.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import made
from benchmarks.peers.cells import Against
from benchmarks.peers.draws import units_for
from benchmarks.peers.given import Table
from benchmarks.peers.strata import score_strata
from fewlabels.designs.base import takes_of
from fewlabels.nouns import ladder
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.design_choice import choose_design

UNKNOWN = "not known"
FRAUD, DIGITS = "fraud_sample gbm", "mnist8 mlp"
SURE, SUREST, DOUBT = 0.9, 0.9996, (0.001, 0.3)  # scores
Reasons = Mapping[tuple[str, str, str], str]


class Spent(NamedTuple):
    """Units and positives between two scores, of all that a metric is about, and the labels they get from strata and from fewlabels."""

    all: int
    units: int
    positives: int
    strata: float
    ours: float


def spent(table: Table, metric: str, labels: int, low: float, high: float = 1.0) -> Spent:
    """What a draw for a metric spends on scores from low to high."""
    units = units_for(metric, table)
    mine = (units.score >= low) & (units.score <= high)
    strata = score_strata(units, labels)
    profile = made.known("", table.y.astype(np.bool_), table.score.astype(np.float64), table.flagged.astype(np.bool_)).profile
    design = choose_design(profile, [metric_named(metric)], labels=labels)
    bins = ladder.bin_of(units.score.astype(np.float64))
    band = design.band[profile.cells(units.flagged.astype(np.int64), bins, np.zeros(bins.size, dtype=np.int64))]
    theirs, ours = (strata.take / strata.size)[strata.of], (takes_of(design, labels) / design.N)[band]
    return Spent(mine.size, int(mine.sum()), int(units.y[mine].sum()), float(theirs[mine].sum()), float(ours[mine].sum()))


def reasons(tables: Mapping[str, Table], pairs: Sequence[Against]) -> Reasons:
    """The reasons that are known, from the tables by name and every peer's cell with ours."""
    near, digits = spent(tables[FRAUD], "precision", 500, SURE), spent(tables[DIGITS], "precision", 1_000, SUREST)
    doubt, rare = spent(tables[FRAUD], "recall", 200, *DOUBT), tables[FRAUD]
    missed = int((rare.y & ~rare.flagged).sum())
    left = near.all - 500
    surest = (
        f"Ten strata of scores with Neyman's takes leave out the surest units. With 500 of {FRAUD}'s {near.all:,} flagged units labeled, "
        f"{near.units - near.strata:.0f} of the {left} left out are scored above {SURE:g}, where {near.units - near.positives} of "
        f"{near.units} are errors; of those that fewlabels leaves out, {near.units - near.ours:.0f}. Of the {digits.units:,} units of "
        f"{DIGITS} scored above {SUREST:g}, {digits.units - digits.positives} of them errors, the strata label {digits.strata:.0f}, "
        f"fewlabels {digits.ours:.0f}. With honest scores that is the better draw; but an interval from few labels where errors are rare "
        "is too short."
    )
    census = (
        "Near a census: strata of scores with Neyman's takes leave out the surest units alone, fewlabels "
        f"{left - near.units + near.ours:.0f} of its {left} at scores below {SURE:g}."
    )
    between = (
        f"The strata spend {doubt.strata:.0f} of 200 labels where the score lies between {DOUBT[0]:g} and {DOUBT[1]:g}, which hold "
        f"{doubt.positives} of the {missed} missed frauds; fewlabels {doubt.ours:.0f}, for half of its labels do not follow the scores. "
        "The interval of the strata pays for it."
    )

    def all_in(package: str, method: str) -> str:
        worst = max(1 / pair.share for pair in pairs if (pair.theirs.package, pair.theirs.method) == (package, method))
        return (
            "It draws where scores and earlier answers put the variance, again and again, and spends next to nothing elsewhere: the best "
            f"draw where scores are as good as here, up to {worst:.0f} times worse where they are not, and no interval that would tell."
        )

    return {
        **{(package, "score strata", "precision"): surest for package in ("svy", "samplics")},
        **{(package, "score strata", "recall"): between for package in ("svy", "samplics")},
        ("ssepy", "means", "precision"): census,
        **{("oasis", f"adaptive, {metric}", metric): all_in("oasis", f"adaptive, {metric}") for metric in ("recall", "f1")},
    }
