"""How short the default interval is and how small the error, beside the version before and beside other draws: docs/shorter.md.

    python -m benchmarks.shorter --data FOLDER --folder FOLDER --before CHECKOUT --out docs/shorter.md        (make shorter)

Draws by bands made for the metric, 100 to 1,000 labels, the default interval at 95 %; the version before is a checkout that this script
is run with, too. Beside them a simple draw, and ten strata by the square-root rule with Neyman's takes. Rows are kept in --folder.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.kept import Kept
from benchmarks.made import Known
from benchmarks.options import parser_of
from benchmarks.peers.strata import square_root_cuts
from benchmarks.shorter_page import page
from benchmarks.tables import CHOSEN_ON, TWENTY_ONE, table_units
from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.linearize import sizes
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value

REPS, WIDTHS = 4_000, 1_000  # replicates of errors, and of intervals
METRICS = ("precision", "recall", "f1", "accuracy")
LABELS = (100, 200, 500, 1_000)
TAIL = 0.025
VERSIONS = ("before", "now")


class Row(NamedTuple):
    """One cell of one version: means over replicates. Errors are squared; floor is how short an arm can be without belief."""

    version: str
    table: str
    model: str
    metric: str
    labels: int
    frame: int
    arm: float
    half: float
    error: float
    simple_half: float
    strata_error: float
    proportional_error: float
    floor: float

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What is measured."""
        return (self.table, self.model, self.metric, self.labels)


def square_root_strata(at: Known, metric: Metric, *, neyman: bool) -> DrawDesign:
    """Ten square-root strata, cut at the threshold too; takes are Neyman's, or proportional."""
    profile = at.profile
    frame, flagged = choose_design(profile, [metric], labels=1, name="simple").band >= 0, profile.predicted(0)
    cuts = square_root_cuts(profile.guide[frame], weights=profile.count[frame].astype(np.float64))
    _, home = np.unique(2 * np.digitize(profile.guide[frame], cuts) + flagged[frame], return_inverse=True)
    band = np.full(frame.shape, -1, dtype=np.int64)
    band[frame] = home.ravel()
    count = profile.count[frame]
    N = np.bincount(home.ravel(), weights=count).astype(np.int64)
    weighed = np.bincount(home.ravel(), weights=count * sizes(profile, flagged, [metric])[frame])
    mass = np.maximum(weighed, 1e-9 * max(float(weighed.max()), 1e-12)) if neyman else N.astype(np.float64)
    return DrawDesign(name="neyman" if neyman else "proportional", band=band, N=N, mass=mass, smallest=2)


def squared_error(at: Known, metric: Metric, design: DrawDesign, labels: int, rng: np.random.Generator) -> float:
    """The mean squared error of the estimate."""
    tally = replicate(groups_of(at.profile, design), design, at.positives, labels=labels, reps=REPS, rng=rng)
    found = measure(metric, tally, tail=TAIL, interval="wald")
    value = np.where(np.isfinite(found.value), found.value, (found.low + found.high) / 2)
    return float(np.mean((value - true_value(at.profile, at.positives, metric)) ** 2))


def intervals(at: Known, metric: Metric, design: DrawDesign, labels: int, rng: np.random.Generator) -> Measured:
    """The default interval of some draws."""
    tally = replicate(groups_of(at.profile, design), design, at.positives, labels=labels, reps=WIDTHS, rng=rng)
    return measure(metric, tally, tail=TAIL)


def floor(at: Known, metric: Metric, design: DrawDesign, labels: int) -> float:
    """How far the metric is from what it would be with the positives that such a draw shows none of with twice the tail's chance.

    They lie in unflagged bands that show no positive anyway, placed by water-filling: m = N - L n (maths D2).
    """
    if not metric.needs_unflagged:
        return 0.0
    groups = groups_of(at.profile, design)
    inside = groups.of_cell >= 0
    K = np.bincount(groups.of_cell[inside], weights=at.positives[inside], minlength=groups.N.size)
    n = takes_of(design, labels)[groups.band] * groups.N / design.N[groups.band]
    empty = ~groups.flagged & (K * n / groups.N < np.log(2)) & (n < groups.N)
    if not empty.any():
        return 0.0
    N, n = groups.N[empty], n[empty]
    low, high = 1.0, float((N / n).max())
    for _ in range(100):
        L = (low + high) / 2
        m = np.maximum(N - L * n, 0)
        low, high = (low, L) if (m * np.log1p(-n / N)).sum() > np.log(2 * TAIL) else (L, high)
    flagged = at.profile.predicted(0)
    A, B, N1 = (float(x[flagged == side].sum()) for x, side in ((at.positives, True), (at.positives, False), (at.profile.count, True)))

    def value(more: float) -> float:
        return float(metric.value(Totals.of_sides(np.asarray(A), np.asarray(B + more), N1=N1, N0=at.profile.N - N1)))

    return abs(value(0.0) - value(float(m.sum())))


def rows_at(where: tuple[str, str], data: Path, *, version: str, seed: int) -> list[Row]:
    """The rows of one table and model; none for what would be a census."""
    at, found = table_units(data, *where).known(), []
    place = TWENTY_ONE.index(where)
    for m, name in enumerate(METRICS):
        metric = metric_named(name)
        for labels in LABELS:
            design = choose_design(at.profile, [metric], labels=labels)
            if labels >= design.frame:
                continue
            rng = stream(seed, place, m, labels)
            shown = intervals(at, metric, design, labels, rng)
            beside = intervals(at, metric, choose_design(at.profile, [metric], labels=labels, name="simple"), labels, rng)
            found.append(
                Row(
                    version=version,
                    table=where[0],
                    model=where[1],
                    metric=name,
                    labels=labels,
                    frame=int(design.frame),
                    arm=float(shown.half_width.mean()),
                    half=float((shown.high - shown.low).mean() / 2),
                    error=squared_error(at, metric, design, labels, rng),
                    simple_half=float((beside.high - beside.low).mean() / 2),
                    strata_error=squared_error(at, metric, square_root_strata(at, metric, neyman=True), labels, rng),
                    proportional_error=squared_error(at, metric, square_root_strata(at, metric, neyman=False), labels, rng),
                    floor=floor(at, metric, design, labels),
                )
            )
    return found


def measured(kept: Kept[Row], data: Path, *, version: str, seed: int, jobs: int) -> None:
    """Make what is missing of a version."""
    known = {(row.table, row.model) for row in kept.rows if row.version == version}
    left = [where for where in reversed(TWENTY_ONE) if where not in known]
    with ProcessPoolExecutor(jobs) as pool:
        for where, rows in zip(left, pool.map(partial(rows_at, data=data, version=version, seed=seed), left), strict=True):
            kept.add(rows)
            print(version, *where, flush=True)


def measured_before(checkout: Path, arguments: Sequence[str]) -> None:
    """The same by an earlier version, in a process of its own."""
    paths = os.pathsep.join([str(checkout.resolve() / "src"), str(Path.cwd())])
    subprocess.run(
        [sys.executable, "-m", "benchmarks.shorter", *arguments, "--version", "before"], check=True, env={**os.environ, "PYTHONPATH": paths}
    )


def main() -> None:
    """Make all rows and the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where rows are kept")
    parser.add_argument("--before", type=Path, help="a checkout of the earlier version")
    parser.add_argument("--version", choices=VERSIONS, default="now", help="which version this process runs with")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    path = given.folder / f"shorter-{given.seed}.jsonl"
    measured(Kept(path, Row), given.data, version=given.version, seed=given.seed, jobs=given.jobs)
    if given.before is not None:
        measured_before(given.before, sys.argv[1 : sys.argv.index("--before")] + sys.argv[sys.argv.index("--before") + 2 :])
    if given.version == "now":
        given.out.write_text(page(Kept(path, Row).rows, reps=(REPS, WIDTHS), chosen_on=CHOSEN_ON))


if __name__ == "__main__":
    main()
