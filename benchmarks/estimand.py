"""Intervals about units like these, where units come in clusters: docs/estimand.md.

    python -m benchmarks.estimand --reps 2000 --seed 42 --out docs/estimand.md        (make estimand)

Twelve processes, listed before they were run, each with its true precision, recall, specificity and F1. A replicate draws a table from
the process, labels it as its design says, and reads it by the interval that decides, three times: about the process with its clusters,
about the process as if every unit stood for itself (the twin), and about the table. Where all units are labeled, a bootstrap of clusters
stands beside. Last, the gate's self-test about units like these: how often it passes what just misses a target.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.judging import TEST
from benchmarks.made import known
from benchmarks.options import parser_of
from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import fill_empty, groups_of
from fewlabels.estimators.measuring import clusters_behind, measure, sides_of
from fewlabels.estimators.sides import Sides
from fewlabels.nouns import ladder
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.policy import parse_policy
from fewlabels.nouns.process import Clusters, Process
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.decision.gate_self_test import Trial, Tried
from fewlabels.study.population.read import read_population
from fewlabels.study.state.tallies import Answers, Clustered, tally
from fewlabels.study.study import Study

METRICS = ("precision", "recall", "specificity", "f1")
READINGS = ("process", "units", "table")  # with clusters; as if every unit stood for itself; about the table
ENOUGH, FEW, TOO_FEW = 50, 20, 10  # effective clusters
ASKED = {"enough": 0.93, "few": 0.90}
RESAMPLED, RESAMPLES = 200, 400  # tables whose clusters are resampled, and how often
SENSITIVITY, FALSE_ALARMS = 0.85, 0.05


class Like(NamedTuple):
    """A process: clusters of about so many units, a share of positives, how alike a cluster's units are, and how its tables are labeled."""

    clusters: int
    units: int
    share: float
    alike: float  # the correlation within a cluster, of positives and of errors
    design: Literal["census", "bands", "simple"]
    labels: int = 0
    sensitivity: float = SENSITIVITY

    def __str__(self) -> str:
        """For a table."""
        how = self.design if self.design == "census" else f"{self.design}, {self.labels:,}"
        return f"{self.clusters:,} x {self.units} | {self.share:g} | {self.alike:g} | {how}"

    @property
    def truth(self) -> dict[str, float]:
        """The metrics of the process."""
        TP, FP = self.share * self.sensitivity, (1 - self.share) * FALSE_ALARMS
        totals = Totals(*map(np.asarray, (TP, FP, self.share - TP, 1 - self.share - FP)))
        return {name: float(metric_named(name).value(totals)) for name in METRICS}


PROCESSES = (
    Like(30, 40, 0.3, 0.0, "census"),
    Like(30, 40, 0.3, 0.1, "bands", 400),
    Like(30, 40, 0.5, 0.4, "simple", 400),
    Like(150, 4, 0.3, 0.1, "census"),
    Like(150, 4, 0.5, 0.4, "bands", 300),
    Like(150, 20, 0.1, 0.0, "simple", 400),
    Like(150, 20, 0.1, 0.1, "census"),
    Like(150, 20, 0.1, 0.4, "bands", 400),
    Like(150, 20, 0.5, 0.1, "bands", 1_000),
    Like(1_000, 10, 0.01, 0.1, "census"),
    Like(1_000, 5, 0.1, 0.4, "simple", 1_000),
    Like(1_000, 10, 0.05, 0.0, "bands", 600),
)
GATES = ((1_000, 500), (1_000, 1_000), (4_000, 600), (4_000, 1_500))  # units, and how many are labeled
POLICY = parse_policy(
    'rule = [{metric = "recall", target = ">= 0.7"}, {metric = "precision", target = ">= 0.7"}, {metric = "f1", target = ">= 0.7"}]'
)
EXAMPLE = Like(150, 4, 0.3, 0.1, "census", sensitivity=0.944)  # 600 images of 150 patients, all labeled


class Table(NamedTuple):
    """One table of a process: each unit's cluster, truth, decision and score."""

    cluster: NDArray[np.int64]
    y: NDArray[np.bool_]
    flagged: NDArray[np.bool_]
    score: NDArray[np.float64]


def table_of(like: Like, rng: np.random.Generator) -> Table:
    """A table: in each cluster the share of positives and of errors are beta with the correlation of the process."""
    cluster = np.repeat(np.arange(like.clusters), rng.poisson(like.units - 1, like.clusters) + 1)
    N = cluster.size

    def shares(mean: float) -> NDArray[np.float64]:
        if not like.alike:
            return np.full(N, mean)
        times = (1 - like.alike) / like.alike
        return rng.beta(mean * times, (1 - mean) * times, like.clusters)[cluster]

    y = rng.random(N) < shares(like.share)
    found, alarmed = rng.random(N) < shares(like.sensitivity), rng.random(N) < shares(FALSE_ALARMS)
    flagged = np.where(y, found, alarmed)
    score = np.where(flagged, 0.5 + 0.5 * rng.beta(1 + 2.0 * y, 2, N), 0.5 * rng.beta(1.0 + y, 4, N))
    return Table(cluster, y, flagged, np.minimum(score, 1 - 1e-9))


def design_of(profile: Profile, like: Like, labels: int) -> DrawDesign:
    """The design of a study with a goal for F1; a simple draw of all units for a census."""
    return choose_design(profile, [metric_named("f1")], labels=labels, name="bands" if like.design == "bands" else "simple")


def drawn(design: DrawDesign, cell: NDArray[np.int64], labels: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The rows of a draw: so many of each band as the design takes."""
    band = design.band[cell]
    order = np.lexsort((rng.random(cell.size), band))
    first = np.searchsorted(band[order], np.arange(design.N.size))
    rank = np.arange(cell.size) - first[band[order]]
    return order[rank < takes_of(design, labels)[band[order]]]


class Result(NamedTuple):
    """One replicate: for each metric its value, clusters, and the limits of each reading."""

    value: dict[str, float]
    clusters: dict[str, float]
    limits: dict[str, dict[str, tuple[float, float]]]


def replicate(like: Like, table: Table, rng: np.random.Generator) -> Result:
    """A table, drawn from and read in each way."""
    at = known("made", table.y, table.score, table.flagged)
    profile, N = at.profile, table.y.size
    labels = N if like.design == "census" else like.labels
    cell = profile.cells(table.flagged.astype(np.int64), ladder.bin_of(table.score), np.zeros(N, dtype=np.int64))
    design = design_of(profile, like, labels)
    rows = drawn(design, cell, labels, rng)
    sizes = np.bincount(table.cluster)
    clusters = Clusters(sizes.size, int(sizes.max()), float((sizes**2).sum() / N))
    value: dict[str, float] = {}
    behind: dict[str, float] = {}
    limits: dict[str, dict[str, tuple[float, float]]] = {}
    sides: Sides | None = None
    for reading in READINGS:
        process = {"process": Process(clusters), "units": Process(), "table": None}[reading]
        groups = groups_of(profile, design, take=takes_of(design, labels))._replace(process=process)
        said = Answers(
            cell[rows], table.y[rows, None].astype(np.float64), np.full((rows.size, 1), np.nan), None,
            Clustered(table.cluster[rows], design.band[cell[rows]], design.N) if reading == "process" else None,
        )  # fmt: skip
        told = fill_empty(tally(said, groups))
        sides = sides or sides_of(told)  # the evidence about the table is the same in every reading
        limits[reading] = {}
        for name in METRICS:
            metric = metric_named(name)
            found = measure(metric, told, tail=0.025, sides=sides)
            value[name], limits[reading][name] = float(found.value), (float(found.low), float(found.high))
            if reading == "process":
                behind[name] = clusters_behind(metric, told) or np.nan
    return Result(value, behind, limits)


def bootstrapped(table: Table, rng: np.random.Generator) -> dict[str, float]:
    """The widths of percentile intervals over resampled clusters, of a table whose units are all labeled."""
    kinds = np.where(table.flagged, np.where(table.y, 0, 1), np.where(table.y, 2, 3))
    by_cluster = np.zeros((table.cluster.max() + 1, 4))
    np.add.at(by_cluster, (table.cluster, kinds), 1.0)
    times = rng.multinomial(len(by_cluster), np.full(len(by_cluster), 1 / len(by_cluster)), size=RESAMPLES)
    totals = Totals(*(times @ by_cluster).T)
    ends = {name: np.nanquantile(metric_named(name).value(totals), (0.025, 0.975)) for name in METRICS}
    return {name: float(high - low) for name, (low, high) in ends.items()}


class Cell(NamedTuple):
    """One metric of one process: effective clusters (the middle of the replicates), and for each reading coverage and width."""

    like: Like
    metric: str
    clusters: float
    refused: float  # share of replicates with too few clusters for an interval
    misses: dict[str, tuple[int, int]]
    width: dict[str, float]
    bootstrap: float | None

    def coverage(self, reading: str, reps: int) -> float:
        """How often the interval held the truth."""
        return 1 - sum(self.misses[reading]) / reps

    @property
    def asked(self) -> float | None:
        """The coverage that is asked of it; None where few clusters carry it."""
        return ASKED["enough"] if self.clusters >= ENOUGH else ASKED["few"] if self.clusters >= FEW else None


def cells_of(like: Like, *, reps: int, seed: int) -> list[Cell]:
    """All replicates of one process."""
    number = [*PROCESSES, EXAMPLE].index(like)
    results, widths = [], []
    for r in range(reps):
        rng = stream(seed, number, r)
        table = table_of(like, rng)
        results.append(replicate(like, table, rng))
        if like.design == "census" and r < RESAMPLED:
            widths.append(bootstrapped(table, rng))
    return [_cell(like, name, results, widths) for name in METRICS]


def _cell(like: Like, name: str, results: Sequence[Result], widths: Sequence[dict[str, float]]) -> Cell:
    truth = like.truth[name]
    ends = {reading: np.array([one.limits[reading][name] for one in results]) for reading in READINGS}
    clusters = np.array([one.clusters[name] for one in results])
    beside = None
    if widths:
        mine = ends["process"][: len(widths)]
        beside = float(np.mean(mine[:, 1] - mine[:, 0]) / np.mean([one[name] for one in widths]))
    return Cell(
        like, name, float(np.nanmedian(clusters)), float(np.mean(clusters < TOO_FEW)),
        {reading: (int((low > truth).sum()), int((high < truth).sum())) for reading, (low, high) in ((k, v.T) for k, v in ends.items())},
        {reading: float(np.mean(both[:, 1] - both[:, 0])) for reading, both in ends.items()},
        beside,
    )  # fmt: skip


def row(cell: Cell, reps: int) -> str:
    """A cell as a line of the table."""
    low, high = cell.misses["process"]
    asked = "-" if cell.asked is None else f"{cell.asked:.2f}"
    beside = "-" if cell.bootstrap is None else f"{cell.bootstrap:.2f}"
    covered = [f"{cell.coverage(reading, reps):.3f}" for reading in READINGS]
    return (
        f"| {cell.like} | {cell.metric} | {cell.clusters:.0f} | {asked} | {covered[0]} | {low / reps:.1%} / {high / reps:.1%} | "
        f"{cell.width['process']:.3f} | {beside} | {covered[1]} | {covered[2]} |"
    )


def judged(cells: Sequence[Cell], reps: int) -> Iterator[str]:
    """What the test says: which cells cover less than is asked of them, and where the twin does."""
    asked = [cell for cell in cells if cell.asked is not None]
    short = [c for c in asked if c.asked and binom.cdf(reps - sum(c.misses["process"]), reps, c.asked) < TEST]
    below = [c for c in asked if c.asked and c.coverage("process", reps) < c.asked]
    matter = [c for c in asked if c.like.alike > 0]
    twin = [c for c in matter if c.asked and binom.cdf(reps - sum(c.misses["units"]), reps, c.asked) < TEST]
    yield (
        f"{len(asked)} cells of which coverage is asked: {len(short)} fall short by the exact binomial test at {TEST:g}, {len(below)} as "
        "observed."
    )
    yield f"As if every unit stood for itself, {len(twin)} of the {len(matter)} cells with correlated clusters fall short."


class GateTried(NamedTuple):
    """A plan, and how often its gate passed what just misses a target."""

    units: int
    labels: int
    tried: tuple[Tried, ...]


def gate_tried(units: int, labels: int, *, reps: int, seed: int) -> GateTried:
    """The false passes of the gate's self-test, of a study about units like these."""
    score = stream(seed, 79).beta(0.3, 0.7, units)
    population = read_population({"id": [f"u{i}" for i in range(units)], "score": score}, score="score", threshold=0.5)
    goals = [str(rule.goal) for rule in POLICY.rules]
    study = Study.create("gate", population, goals=goals, ledger="sqlite:///:memory:", about="process")
    study.plan(labels)
    trial = Trial(study.standing, POLICY.rules, among=len(goals), reps=reps, seed=seed)
    return GateTried(units, labels, tuple(next(trial.of_rule(i, "scores")) for i in range(len(goals))))


def gate_rows(gates: Sequence[GateTried]) -> Iterator[str]:
    """The part of the page about the gate."""
    every = [(gate, one) for gate in gates for one in gate.tried]
    broken = sum(one.is_broken for _, one in every)
    yield "## The gate about units like these"
    yield ""
    yield (
        f"The false passes of `fewlabels gate --self-test`: {every[0][1].ships.reps:,} studies of a truth that just misses the target, "
        f"each on a table of its own from the process. {broken} of {len(every)} rates lie above the 5 % allowed, by an exact binomial test."
    )
    yield ""
    yield "| units | labels | rule | true value | false passes |"
    yield "|--:|--:|---|--:|--:|"
    yield from (f"| {gate.units:,} | {gate.labels:,} | {one.rule} | {one.value:.4f} | {one.ships.share:.1%} |" for gate, one in every)


def page(cells: Sequence[Cell], example: Sequence[Cell], gates: Sequence[GateTried], reps: int) -> str:
    """The page."""
    beside = [cell.bootstrap for cell in [*cells, *example] if cell.bootstrap is not None]
    head = (
        "| clusters x units | positive | correlation | labeled | metric | effective clusters | asked | coverage | misses, low / high | "
        "width | over bootstrap | as if alone | about the table |\n|---|--:|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    return "\n".join(
        [
            "# What the number is about: how far it was tested",
            "",
            f"    make estimand        ({reps:,} replicates a process)",
            "",
            "Twelve processes, listed before they were run ([how](maths/process.md)). A replicate draws a whole table from the process "
            "and labels it; the interval that decides (`placed`) is read about the process with its clusters, about the process as if "
            f"every unit stood for itself, and about the table. Sensitivity {SENSITIVITY:g}, false alarms {FALSE_ALARMS:g}, both and the "
            "positives correlated within clusters. Asked: .93 where 50 or more effective clusters carry the metric (the middle of the "
            "replicates), .90 with a caution from 20 to 50; below 20 there is a caution, below 10 no interval.",
            "",
            *judged(cells, reps),
            f"Width over that of a bootstrap of clusters, where all units are labeled: {min(beside):.2f} to {max(beside):.2f}.",
            "",
            head,
            *(row(cell, reps) for cell in cells),
            "",
            "## A fully labeled test set: 600 images of 150 patients",
            "",
            f"Recall {EXAMPLE.sensitivity:g}. About the table every interval is a point, and says nothing of other patients.",
            "",
            head,
            *(row(cell, reps) for cell in example),
            "",
            *gate_rows(gates),
            "",
        ]
    )


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=2_000, tables=False)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        *found, example = pool.map(partial(cells_of, reps=given.reps, seed=given.seed), [*PROCESSES, EXAMPLE])
        gates = list(pool.map(partial(gate_tried, reps=given.reps, seed=given.seed), *zip(*GATES, strict=True)))
    given.out.write_text(page([cell for cells in found for cell in cells], example, gates, given.reps))


if __name__ == "__main__":
    main()
