"""The coverage atlas: how far every interval was tested, cell by cell, and the table the product takes its cautions from.

    python -m benchmarks.atlas --data FOLDER --out docs/atlas.md        (make atlas DATA=FOLDER)

In full (2,000 replicates, 1,000 from 1,000 labels on): the usual interval at level .95, and its one-sided bounds at 5 % and 1 %; bands and
simple, eight metrics, 50 to 2,000 labels, three tables of real predictions and four made-up populations, with their own guide, with a guide
that says nothing and with one reversed inside each side. Everything else (other metrics, intervals, levels; metrics by weight, several
labels) at 500 labels on two made-up populations, 1,000 replicates.

Cells are kept in docs/atlas.json with the hash of the code that made them; a cell made by the same code is not made again, so the run
may be stopped and goes on where it was. Where the code moved and its numbers did not, `benchmarks.restamp` gives the file the new hash.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import made
from benchmarks.atlas_page import EIGHT, FULL_DESIGNS, page, summary
from benchmarks.tables import Mode, load
from fewlabels.designs.base import takes, water_fill
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.linearize import influence
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.weighted import recalibrate
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import METRICS, metric_named
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from fewlabels.study.simulate import measure_each, replicate, true_value

SEED = 42
ONE_SIDED = (0.05, 0.01)  # tails
EXACT = 1e-9
TABLE = Path("src/fewlabels/study/estimate/atlas.json")  # what the product reads
FULL_REPS = {50: 2_000, 100: 2_000, 200: 2_000, 500: 2_000, 1_000: 1_000, 2_000: 1_000}  # by labels
OTHER_REPS = 1_000
LABELS = tuple(FULL_REPS)
TABLES = (("mnist8", "mlp"), ("hate_tweets", "lr"), ("fraud_sample", "gbm"))
TABLE_MODES: tuple[Mode, ...] = ("real", "shuffled", "reversed", "noise")
# no number depends on these
WORDS = tuple(f"fewlabels.nouns.{name}" for name in ("estimate", "goal", "classifier", "population", "draw"))
OTHER_LABELS = 500
OTHER_METRICS = (*(name for name in METRICS if name not in EIGHT), "f2", "f0.5", "cost[0,1,5,0]")
OTHER_INTERVALS: tuple[IntervalKind, ...] = ("rec", "strict", "midp", "wald", "beta", "bootstrap", "rao_wu")
COUNT_INTERVALS: tuple[IntervalKind, ...] = ("clopper_pearson", "wilson")
COUNT_METRICS = ("precision", "recall", "f1", "accuracy", "prevalence")
OTHER_LEVELS = (0.8, 0.9, 0.99)
OTHER_DESIGNS: tuple[DesignName, ...] = ("proportional", "constant", "neyman", "two_bins", "poisson", "importance")
MATHEMATICS = (
    "fewlabels.designs.",
    "fewlabels.estimators.",
    "fewlabels.intervals.",
    "fewlabels.nouns.",
    "fewlabels.planning.",
    "fewlabels.study.simulate",
)


class Task(NamedTuple):
    """One cell to make: where, what, how."""

    population: str
    guide: str
    metric: str
    design: DesignName
    labels: int
    interval: IntervalKind
    level: float
    reps: int

    @property
    def key(self) -> str:
        """The cell's name in the file."""
        return "|".join(str(part) for part in self)


def code_hash(root: Path) -> str:
    """The sha256 of the code a number depends on: the mathematics this process has imported, and the made-up populations."""
    digest = hashlib.sha256()
    for name in sorted(sys.modules):
        if name.startswith(MATHEMATICS) and name not in WORDS:
            path = root / "src" / f"{name.replace('.', '/')}.py"
            digest.update(name.encode() + b"\0" + (path.read_bytes() if path.exists() else b""))
    digest.update((root / "benchmarks/made.py").read_bytes())
    return digest.hexdigest()[:16]


def populations(folder: Path | None, scratch: Path) -> Iterator[tuple[made.Known, str]]:
    """Every population with its guide mode: the made-up ones, then the tables if there is a folder of them."""
    for i, maker in enumerate(made.SYNTHETIC):
        units = maker(stream(SEED, i))
        for g, mode in enumerate(made.GUIDE_MODES):
            yield units.known(mode, stream(SEED, i, g)), mode
    for table, model in TABLES if folder is not None else ():
        assert folder is not None
        for kind in TABLE_MODES:
            bench = load(folder, table, model, mode=kind, seed=SEED, scratch=scratch)
            engine = open_engine(bench.population)
            profile = engine.profile()
            yield made.Known(table, profile, engine.positives(profile, truth=bench.truth)), "own" if kind == "real" else kind


def tasks(name: str, guide: str) -> Iterator[Task]:
    """The cells of one population and guide. A simple draw does not read the guide, so it is made once."""
    designs = FULL_DESIGNS if guide in ("own", "noise") else FULL_DESIGNS[:1]
    for design in designs:
        yield from (Task(name, guide, m, design, n, USUAL_INTERVAL, 0.95, FULL_REPS[n]) for m in EIGHT for n in LABELS)
    if guide == "own":
        yield from (Task(name, guide, m, d, OTHER_LABELS, USUAL_INTERVAL, 0.95, OTHER_REPS) for d in OTHER_DESIGNS for m in EIGHT)
    if guide != "own" or name not in ("calibrated", "overconfident"):
        return
    n, reps = OTHER_LABELS, OTHER_REPS
    for design in designs:
        yield from (Task(name, guide, m, design, n, USUAL_INTERVAL, 0.95, reps) for m in OTHER_METRICS)
        yield from (Task(name, guide, m, design, n, kind, 0.95, reps) for m in EIGHT for kind in OTHER_INTERVALS)
        yield from (Task(name, guide, m, design, n, USUAL_INTERVAL, level, reps) for m in EIGHT for level in OTHER_LEVELS)
    yield from (Task(name, guide, m, "simple", n, kind, 0.95, reps) for m in COUNT_METRICS for kind in COUNT_INTERVALS)


def run(at: made.Known, task: Task) -> dict[str, Any]:
    """The cell: coverage, width, and what an oracle would have."""
    metric, number = metric_named(task.metric), int(hashlib.sha256(task.key.encode()).hexdigest()[:8], 16)
    rng = stream(SEED, number)
    design = choose_design(at.profile, [metric], labels=task.labels, name=task.design)
    used = min(task.labels, design.frame)
    groups = groups_of(at.profile, design)
    tally = replicate(groups, design, at.positives, labels=used, reps=task.reps, rng=rng)
    how = measure_each if design.poisson else measure
    found = how(metric, tally, tail=(1 - task.level) / 2, interval=task.interval, rng=rng)
    truth = true_value(at.profile, at.positives, metric)
    covered = (found.low <= truth) & (truth <= found.high)
    aimed = task.interval == USUAL_INTERVAL and task.level == 0.95 and not design.poisson
    bounds = {str(tail): how(metric, tally, tail=tail, interval=task.interval, rng=rng) for tail in ONE_SIDED} if aimed else {}
    z = abs(float(np.sqrt(2) * _erfinv(task.level)))
    own, best = own_error(at, metric, design, groups, used), oracle_error(at, metric, used)
    return {
        **task._asdict(),
        "census": used >= design.frame,
        "truth": truth,
        "hits": int(covered.sum()),
        "too_high": {tail: int((bound.low > truth + EXACT).sum()) for tail, bound in bounds.items()},
        "too_low": {tail: int((bound.high < truth - EXACT).sum()) for tail, bound in bounds.items()},
        "half_width": float(found.half_width.mean()),
        "own": z * own,
        "oracle": z * best,
        "errors": expected_errors(tally, metric),
    }


def _erfinv(level: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(level))


def _sides(at: made.Known, metric: Metric) -> tuple[Any, Any, Any]:
    """Influence of a positive on each side at the truth, and which cells are flagged."""
    flagged, count = at.profile.predicted(0), at.profile.count.astype(np.float64)
    A, B = (np.asarray(float(at.positives[side].sum())) for side in (flagged, ~flagged))
    N1 = float(count[flagged].sum())
    a1, a0 = influence(metric, Totals.of_sides(A, B, N1=N1, N0=float(count.sum()) - N1))
    return float(a1), float(a0), flagged


def own_error(at: made.Known, metric: Metric, design: DrawDesign, groups: Groups, labels: int) -> float:
    """The linearised standard error of the estimate under its own design, for somebody who knows the truth of every band."""
    a1, a0, _ = _sides(at, metric)
    inside = groups.of_cell >= 0
    p = np.bincount(groups.of_cell[inside], weights=at.positives[inside], minlength=groups.N.size) / groups.N
    n = takes(design.mass, design.N, labels)[groups.band] * groups.N / design.N[groups.band]
    a = np.where(groups.flagged, a1, a0)
    S2 = p * (1 - p) * groups.N / np.maximum(groups.N - 1, 1)
    return float(np.sqrt((a**2 * groups.N**2 * (1 - n / groups.N) / n * S2).sum()))


def oracle_error(at: made.Known, metric: Metric, labels: int) -> float:
    """The linearised standard error of the best probabilities for this metric, for somebody who knows P(positive | guide, side).

    P is a two-parameter logistic fit to the whole truth of the side.
    """
    a1, a0, flagged = _sides(at, metric)
    count = at.profile.count.astype(np.float64)
    s = np.clip(at.profile.guide, 1e-6, 1 - 1e-6)
    p = np.zeros(count.size)
    for side in (flagged, ~flagged):
        if side.any():
            whole = Tally(
                flagged=flagged[side], N=count[side], n=count[side], k=at.positives[side].astype(np.float64),
                logit=np.log(s / (1 - s))[side], expected=s[side], N1=0.0, N0=0.0,
            )  # fmt: skip
            p[side] = recalibrate(whole)
    needed = np.where(flagged, metric.needs_flagged, metric.needs_unflagged)
    size = np.abs(np.where(flagged, a1, a0)) * np.sqrt(p * (1 - p)) * needed
    if labels >= count[size > 0].sum():
        return 0.0
    pi = water_fill(size, count, labels)
    some = size > 0
    return float(np.sqrt((count * size**2)[some] @ (1 / pi[some] - 1)))


def expected_errors(tally: Tally, metric: Metric) -> list[float]:
    """The mean number of the rarer answer among the labels of each side the metric needs."""
    found = []
    for side, needed in ((True, metric.needs_flagged), (False, metric.needs_unflagged)):
        mine = tally.flagged == side
        if needed and mine.any():
            k, n = float(tally.k[:, mine].sum(-1).mean()), float(tally.n[:, mine].sum(-1).mean())
            found.append(min(k, n - k))
    return found


class Atlas:
    """The file of cells; each is written as soon as it is made."""

    def __init__(self, path: Path, code: str) -> None:
        """Reads the cells this code made; others are forgotten."""
        self.path, self.code = path, code
        held = json.loads(path.read_text()) if path.exists() else {}
        ours = held.get("code") == code and held.get("seed") == SEED
        self.cells: dict[str, dict[str, Any]] = held.get("cells", {}) if ours else {}
        self.restamped: list[dict[str, Any]] = held.get("restamped", []) if ours else []

    def save(self) -> None:
        """Writes the whole file or nothing."""
        draft = self.path.with_suffix(".part")
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(cell)}" for key, cell in sorted(self.cells.items()))
        stamps = json.dumps(self.restamped, indent=1)
        draft.write_text(f'{{"code": "{self.code}", "seed": {SEED}, "restamped": {stamps}, "cells": {{\n{rows}\n}}}}\n')
        draft.replace(self.path)

    def publish(self, *, page_path: Path, table_path: Path) -> None:
        """Writes the page and the product's table from the cells."""
        cells = [cell for _, cell in sorted(self.cells.items())]
        table_path.write_text(json.dumps(summary(cells, code=self.code, seed=SEED), indent=1) + "\n")
        page_path.write_text(page(cells, code=self.code, seed=SEED, restamped=self.restamped))


def make(at: made.Known, guide: str, have: frozenset[str], deadline: float) -> tuple[dict[str, dict[str, Any]], bool]:
    """Makes what is missing of one population, and says whether the time sufficed."""
    cells: dict[str, dict[str, Any]] = {}
    for task in tasks(at.name, guide):
        if task.key not in have:
            if time.monotonic() > deadline:
                return cells, False
            cells[task.key] = run(at, task)
    return cells, True


def main() -> None:
    """Makes the atlas, its page and the product's table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--hours", type=float, default=6.0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    atlas = Atlas(options.out.with_suffix(".json"), code_hash(Path.cwd()))
    deadline = time.monotonic() + options.hours * 3600
    done = True
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(options.jobs) as pool:
        wanted = list(populations(options.data, Path(scratch)))
        making = {pool.submit(make, *one, frozenset(atlas.cells), deadline): one for one in wanted}
        for made_now in as_completed(making):
            cells, in_time = made_now.result()
            atlas.cells |= cells
            atlas.save()
            done &= in_time
            at, guide = making[made_now]
            print(f"{at.name} {guide}: {len(cells)} cells", flush=True)
    if not done:
        raise SystemExit("the time is over: run again to go on")
    atlas.publish(page_path=options.out, table_path=options.table)


if __name__ == "__main__":
    main()
