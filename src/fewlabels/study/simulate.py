"""Simulate designs on known labels: coverage, width, error and labels, before money is spent.

A replicate replaces the permanent numbers by a seeded random stream. Given a design, the number of positives found in a band is
hypergeometric, so counts are drawn; everything after that is the code a study runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import pi_of, takes_of
from fewlabels.engines.opening import open_engine
from fewlabels.errors import PlanError
from fewlabels.estimators.assisting import Columns, control
from fewlabels.estimators.grouping import Groups, fill_empty, groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.intervals.registered import interval_named
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import ControlSums, Tally
from fewlabels.nouns.works_with import require
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.planning.guiding import columns_by_cell
from fewlabels.randomness import stream

MOST_UNITS = 10**9  # the limit of NumPy's hypergeometric generator
RESAMPLING = 1  # the purpose of the random streams for bootstrap intervals


class Chance(NamedTuple):
    """The random streams of one cell: for the draw, and for intervals that resample."""

    draw: np.random.Generator
    interval: np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCell:
    """The results of one design for one metric with one number of labels.

    mean, rmse   of the estimate; a replicate without a value is scored by the midpoint of its interval (`undefined` counts those)
    coverage     share of replicates whose interval contains the truth
    half_width   mean over replicates
    """

    classifier: str
    metric: str
    design: str
    interval: str
    labels: int
    reps: int
    truth: float | None
    mean: float
    rmse: float | None
    coverage: float | None
    half_width: float
    labels_used: int
    undefined: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def simulate(  # noqa: PLR0913 - one keyword for each option of the command
    population: Population,
    *,
    truth: str,
    metrics: Sequence[str],
    labels: Sequence[int],
    designs: Sequence[DesignName] = ("bands", "simple"),
    reps: int = 400,
    seed: int = 42,
    level: float = DEFAULT_LEVEL,
    joint: bool = False,
    interval: IntervalKind = USUAL_INTERVAL,
    on_cell: Callable[[SimulatedCell], None] | None = None,
) -> list[SimulatedCell]:
    """Simulate draws on known labels; return one cell for each classifier, metric, design and number of labels.

    Each metric has its own draw; joint=True draws once for all of them. `on_cell` is called with each cell when it is done.

    Examples:
        >>> import fewlabels
        >>> table = {"id": list(range(200)), "score": [i / 200 for i in range(200)], "truth": [i > 120 for i in range(200)]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> for cell in fewlabels.simulate(population, truth="truth", metrics=["precision"], labels=[40], reps=50):
        ...     print(cell.design, round(cell.truth, 2), cell.labels)
        bands 0.79 40
        simple 0.79 40
    """
    if reps < 1:
        raise PlanError(f"reps must be at least 1, got {reps}: 400 is usual")
    if not 0.5 <= level < 1:
        raise PlanError(f"a level must lie in [0.5, 1), got {level:g}: 0.95 is usual")
    wanted = [_counted(name) for name in metrics]
    cells: list[SimulatedCell] = []
    for c, classifier in enumerate(population.classifiers):
        bench = _Bench.open(population, classifier, truth=truth, reps=reps, level=level, interval=interval)
        for d, name in enumerate(designs):
            for n in labels:
                for m, metric in enumerate(wanted):
                    chance = Chance(draw=stream(seed, c, d, n, 0 if joint else m), interval=stream(seed, c, d, n, m, RESAMPLING))
                    cells.append(bench.cell(metric, designed_for=wanted if joint else [metric], labels=n, name=name, chance=chance))
                    if on_cell:
                        on_cell(cells[-1])
    return cells


def _counted(name: str) -> Metric:
    """The metric of that name. Raise for metrics that counts by cell do not determine: by weight, or of several labels or classes."""
    metric = metric_named(name)
    require("simulate", metric.traits, subject=f"{metric.name} is")
    return metric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bench:
    """One classifier with its truth, ready for repeated draws."""

    classifier: str
    position: int
    profile: Profile
    positives: IntArray
    reps: int
    level: float
    interval: IntervalKind
    columns: Columns | None

    @classmethod
    def open(
        cls, population: Population, classifier: Classifier, *, truth: str, reps: int, level: float, interval: IntervalKind
    ) -> "_Bench":
        """Read the classifier's profile and the truth of every cell."""
        interval_named(interval)  # raise for an unknown one before the table is read
        voters = tuple(c for c in population.classifiers if c.name in classifier.of)
        engine = open_engine(replace(population, classifiers=(*voters, classifier), slices=()))
        profile = engine.profile()
        positives = engine.positives(profile, truth=truth)
        candidates = len(population.candidates) if not voters else 0
        x = columns_by_cell(profile, slices=0, candidates=candidates) if candidates else None
        return cls(
            classifier=classifier.name,
            position=len(voters),
            profile=profile,
            positives=positives,
            reps=reps,
            level=level,
            interval=interval,
            columns=None if x is None else Columns(x, profile.count.astype(np.float64)),
        )

    def cell(self, metric: Metric, *, designed_for: Sequence[Metric], labels: int, name: DesignName, chance: Chance) -> SimulatedCell:
        """Choose the design as a study would, draw replicates as counts, and measure each of them."""
        design = choose_design(self.profile, designed_for, labels=labels, name=name, classifier=self.position)
        used = min(labels, design.frame)
        groups = groups_of(self.profile, design, classifier=self.position)
        if self.columns is not None and design.name == "bands" and interval_named(self.interval).of_side is not None:
            tally = replicate_steadied(
                self.profile, groups, design, self.positives, self.columns, labels=used, reps=self.reps, rng=chance.draw
            )
        else:
            tally = replicate(groups, design, self.positives, labels=used, reps=self.reps, rng=chance.draw)
        how = measure_each if design.poisson else measure
        measured = how(metric, tally, tail=(1 - self.level) / 2, interval=self.interval, rng=chance.interval)
        named = {"classifier": self.classifier, "metric": metric.name, "design": name, "interval": self.interval}
        truth = true_value(self.profile, self.positives, metric, classifier=self.position)
        return summarize(measured, truth, named=named, labels=labels, used=used)


def measure_each(metric: Metric, tally: Tally, *, tail: float, interval: IntervalKind, rng: np.random.Generator) -> Measured:
    """Measure the replicates one by one, joining bands without a label to a neighbor as a study does."""
    each = [
        measure(metric, fill_empty(tally.counted(n, k)), tail=tail, interval=interval, rng=rng)
        for n, k in zip(tally.n, tally.k, strict=True)
    ]
    return Measured(*(np.stack(parts) for parts in zip(*each, strict=True)))


def replicate(groups: Groups, design: DrawDesign, positives: IntArray, *, labels: int, reps: int, rng: np.random.Generator) -> Tally:
    """Tallies of `reps` independent draws of `labels` units."""
    if groups.N.sum() > MOST_UNITS:
        raise PlanError(f"simulation supports populations of up to {MOST_UNITS:,} units: simulate on a part of it")
    inside = groups.of_cell >= 0
    K = np.bincount(groups.of_cell[inside], weights=positives[inside], minlength=groups.N.size).astype(np.int64)
    N = groups.N.astype(np.int64)
    if design.poisson:
        take = sequential(design, labels=labels, reps=reps, rng=rng)
    else:
        take = np.broadcast_to(takes_of(design, labels), (reps, design.N.size))
    n, k = np.empty((reps, N.size)), np.empty((reps, N.size))
    for band in range(design.N.size):
        mine = np.flatnonzero(groups.band == band)
        parts = np.stack([K[mine], (N - K)[mine]], axis=1).ravel()
        for size in np.unique(take[:, band]):
            rows = np.flatnonzero(take[:, band] == size)
            found = rng.multivariate_hypergeometric(parts, int(size), size=rows.size, method="marginals")
            k[np.ix_(rows, mine)] = found[:, 0::2]
            n[np.ix_(rows, mine)] = found[:, 0::2] + found[:, 1::2]
    return groups.tally(n, k)


class CellCounts(NamedTuple):
    """Labels and positive labels of every profile cell, one row per replicate."""

    n: FloatArray
    k: FloatArray


def replicate_cells(
    design: DrawDesign, count: IntArray, positives: IntArray, *, labels: int, reps: int, rng: np.random.Generator
) -> CellCounts:
    """Counts of `reps` draws cell by cell, for draws that are read in several ways: by classifier, slice or threshold."""
    n, k = np.zeros((reps, count.size)), np.zeros((reps, count.size))
    for band, take in enumerate(takes_of(design, labels)):
        cells = np.flatnonzero(design.band == band)
        parts = np.stack([positives[cells], (count - positives)[cells]], axis=1).ravel()
        found = rng.multivariate_hypergeometric(parts, int(take), size=reps, method="marginals")
        k[:, cells], n[:, cells] = found[:, 0::2], found[:, 0::2] + found[:, 1::2]
    return CellCounts(n, k)


def replicate_steadied(
    profile: Profile,
    groups: Groups,
    design: DrawDesign,
    positives: IntArray,
    columns: Columns,
    *,
    labels: int,
    reps: int,
    rng: np.random.Generator,
) -> Tally:
    """Tallies of independent draws, each with what other columns predict of its labels; without, if a draw leaves a group empty."""
    counts = replicate_cells(design, profile.count, positives, labels=labels, reps=reps, rng=rng)
    tally = groups.tally(groups.summed(counts.n), groups.summed(counts.k))
    found = []
    for n, k in zip(counts.n.astype(np.int64), counts.k.astype(np.int64), strict=True):
        cell = np.repeat(np.tile(np.arange(n.size), 2), np.concatenate([k, n - k]))
        y = np.repeat([1.0, 0.0], [k.sum(), (n - k).sum()])
        order = rng.permutation(cell.size)
        found.append(control(columns, groups, cell[order], y[order]))
    told = [one for one in found if one is not None]
    return tally if len(told) < reps else replace(tally, control=ControlSums(*(np.stack(sums) for sums in zip(*told, strict=True))))


def sequential(design: DrawDesign, *, labels: int, reps: int, rng: np.random.Generator) -> IntArray:
    """How many units each band contributes to sequential Poisson draws of `labels`: those with the smallest number divided by rate.

    The j-th smallest of N uniform numbers is a function of a sum of exponential gaps (Renyi), so only those that could matter are made.
    """
    rate = design.mass / design.N
    expected = pi_of(design, labels) * design.N
    place, home = [], []
    for h, N in enumerate(design.N.tolist()):
        m = int(min(N, np.ceil(expected[h] + 8 * np.sqrt(expected[h]) + 12)))
        gaps = rng.exponential(size=(reps, m)) / (N - np.arange(m))
        place.append(-np.expm1(-np.cumsum(gaps, axis=1)) / rate[h])
        home.append(np.full(m, h))
    first = np.argpartition(np.concatenate(place, axis=1), labels - 1, axis=1)[:, :labels]
    drawn = np.concatenate(home)[first]
    return np.stack([np.bincount(row, minlength=design.N.size) for row in drawn]).astype(np.int64)


def true_value(profile: Profile, positives: IntArray, metric: Metric, *, classifier: int = 0) -> float:
    """The metric of a classifier (by position) if every unit were labeled."""
    flagged = profile.predicted(classifier)
    A, B = np.asarray(float(positives[flagged].sum())), np.asarray(float(positives[~flagged].sum()))
    N1 = float(profile.count[flagged].sum())
    return float(metric.value(Totals.of_sides(A, B, N1=N1, N0=profile.N - N1)))


def summarize(measured: Measured, truth: float, *, named: Mapping[str, str], labels: int, used: int) -> SimulatedCell:
    """Summarize the replicates in a cell."""
    undefined = ~np.isfinite(measured.value)
    value: FloatArray = np.where(undefined, (measured.low + measured.high) / 2, measured.value)
    known = bool(np.isfinite(truth))
    return SimulatedCell(
        classifier=named["classifier"],
        metric=named["metric"],
        design=named["design"],
        interval=named["interval"],
        labels=labels,
        reps=value.size,
        truth=truth if known else None,
        mean=float(value.mean()),
        rmse=float(np.sqrt(np.mean((value - truth) ** 2))) if known else None,
        coverage=float(np.mean((measured.low <= truth) & (truth <= measured.high))) if known else None,
        half_width=float(measured.half_width.mean()),
        labels_used=used,
        undefined=int(undefined.sum()),
    )
