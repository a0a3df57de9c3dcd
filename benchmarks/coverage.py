"""The coverage study: every interval against the truth of real prediction tables, good scores and worthless ones.

    python -m benchmarks.coverage --data FOLDER --reps 2000 --seed 42 --out docs/coverage.md

The default interval, and beside it on the same draws the one that trusts the scores. A cell passes if an exact binomial test at 1e-3 does
not reject a true coverage of 0.94, carries a caution if it does, and is refused below 0.90 observed.
"""

import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

import fewlabels
from benchmarks import judging
from benchmarks.options import parser_of
from benchmarks.tables import MODES, Bench, all_benches
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import TRUSTING_INTERVAL, USUAL_INTERVAL, IntervalKind
from fewlabels.planning.design_choice import DesignName
from fewlabels.study.simulate import SimulatedCell

METRICS = ("precision", "recall", "f1")
LABELS = (200, 500, 1_000)
HIDDEN_LABELS = (200, 500, 1_000, 2_000, 4_000)
STUDIES = 5  # real studies a table, to count how often the warning about scores comes up


class Row(NamedTuple):
    """One metric and number of labels of one table: bands with the default interval and the one that trusts, and the simple draw."""

    bench: Bench
    bands: SimulatedCell
    trusting: SimulatedCell
    simple: SimulatedCell

    @property
    def error(self) -> float:
        """Mean squared error of bands over that of the simple draw; NaN where both are a census."""
        assert self.bands.rmse is not None
        assert self.simple.rmse is not None
        return (self.bands.rmse / self.simple.rmse) ** 2 if self.simple.rmse > 1e-9 else math.nan


def verdict(cell: SimulatedCell) -> str:
    """passes, caution or refuse, by the rule above."""
    assert cell.coverage is not None
    return judging.verdict(round(cell.coverage * cell.reps), cell.reps)


def run(bench: Bench, *, reps: int, seed: int) -> list[Row]:
    """All cells of one table, bands and simple paired."""
    metrics, labels = (("recall", "f1"), HIDDEN_LABELS) if bench.mode == "hidden" else (METRICS, LABELS)

    def cells(designs: tuple[DesignName, ...], interval: IntervalKind) -> dict[tuple[str, int, str], SimulatedCell]:
        found = fewlabels.simulate(
            bench.population, truth="y", metrics=metrics, labels=labels, designs=designs, reps=reps, seed=seed, interval=interval
        )
        return {(c.metric, c.labels, c.design): c for c in found}

    usual, trusting = cells(("bands", "simple"), USUAL_INTERVAL), cells(("bands",), TRUSTING_INTERVAL)
    return [Row(bench, usual[m, n, "bands"], trusting[m, n, "bands"], usual[m, n, "simple"]) for m in metrics for n in labels]


def as_cells(rows: Sequence[Row]) -> list[dict[str, Json]]:
    """The cells of the rows as docs/coverage.json holds them."""
    return [{"mode": r.bench.mode, "table": r.bench.table, **c.as_json()} for r in rows for c in (r.bands, r.trusting, r.simple)]


def warned(bench: Bench, *, labels: int = 500) -> tuple[int, int]:
    """How many of STUDIES real studies of F1 warn that the scores do not predict as they claim: status halfway, estimate at the end."""
    source = bench.population.source
    truth = dict(duckdb.execute(f"select id, y from '{source}'").fetchall())
    halfway = end = 0
    for s in range(STUDIES):
        with tempfile.TemporaryDirectory() as folder:
            study = fewlabels.Study.create(f"s{s}", bench.population, goals=["f1 +-0.05"], ledger=f"sqlite:///{folder}/a.db")
            study.plan(labels)
            first = study.ask(labels // 2)
            assert first is not None
            study.tell({unit: truth[unit] for unit in first.units})
            halfway += any("do not predict" in w for w in study.status().warnings)
            rest = study.ask(labels)
            assert rest is not None
            study.tell({unit: truth[unit] for unit in rest.units})
            end += any("do not predict" in w for w in study.estimate().warnings)
    return halfway, end


def geometric(values: Sequence[float]) -> float:
    """Geometric mean of the finite values."""
    finite = [v for v in values if math.isfinite(v) and v > 0]
    return math.exp(sum(math.log(v) for v in finite) / len(finite))


def page(rows: Sequence[Row], warnings: dict[tuple[str, str], tuple[int, int]], *, reps: int, seed: int) -> str:
    """docs/coverage.md."""
    lines = [
        "# Coverage: how far the intervals were tested",
        "",
        "Every cell is a nominal 95 % interval, simulated on a table of real predictions whose truth is known (the tables are not part of "
        f"fewlabels). The designs are made by the planner as for a study, each for its own metric. `{USUAL_INTERVAL}` is the default "
        f"([placed](maths/placed.md)); `{TRUSTING_INTERVAL}` is the interval of `--trust-scores` ([rare](maths/rare.md)).",
        "",
        f"    python -m benchmarks.coverage --data FOLDER --reps {reps} --seed {seed} --out docs/coverage.md",
        "",
        "A cell *passes* if an exact binomial test at 1e-3 does not reject a true coverage of 0.94, carries a *caution* if it does, and "
        "is marked *refuse* below 0.90 observed. `error` is the mean squared error of bands over that of a simple draw of as many labels; "
        "`-` where the labels reach all units the metric is about. A simple draw that found nothing to estimate from is scored at the "
        "middle of its interval.",
        "",
    ]
    for mode in MODES:
        mine = [r for r in rows if r.bench.mode == mode]
        if mine:
            lines += _section(mode, mine, warnings)
    return "\n".join(lines) + "\n"


TITLES = {
    "real": "Scores as they are",
    "noise": "Scores and decisions both noise",
    "shuffled": "Scores shuffled, decisions kept",
    "reversed": "Scores reversed inside each side",
    "hidden": "Positives hidden where the guide says there are none",
}


def _section(mode: str, rows: Sequence[Row], warnings: dict[tuple[str, str], tuple[int, int]]) -> list[str]:
    summary = []
    for name, cells in ((USUAL_INTERVAL, [c for r in rows for c in (r.bands, r.simple)]), (TRUSTING_INTERVAL, [r.trusting for r in rows])):
        verdicts = [verdict(c) for c in cells]
        counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("passes", "caution", "refuse"))
        summary.append(f"{name}, {len(cells)} cells: {counts}; lowest coverage {min(c.coverage or 0 for c in cells):.4f}.")
    f1 = geometric([r.error for r in rows if r.bands.metric == "f1" and r.bands.labels == 1_000])
    head = [f"## {TITLES[mode]}", "", *summary, f"Error of F1 at 1,000 labels: {f1:.3f} (geometric mean)."]
    table = [
        "",
        "| table, model | metric | labels | truth | coverage | half-width | rec: coverage | half-width | error "
        "| simple: coverage | half-width |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        error = f"{r.error:.3f}" if math.isfinite(r.error) else "-"
        marks = {"passes": "", "caution": " (caution)", "refuse": " (refuse)"}
        table.append(
            f"| {r.bench.name} | {r.bands.metric} | {r.bands.labels:,} | {r.bands.truth:.3f} "
            f"| {r.bands.coverage:.4f}{marks[verdict(r.bands)]} | {r.bands.half_width:.3f} "
            f"| {r.trusting.coverage:.4f}{marks[verdict(r.trusting)]} | {r.trusting.half_width:.3f} | {error} "
            f"| {r.simple.coverage:.4f}{marks[verdict(r.simple)]} | {r.simple.half_width:.3f} |"
        )
    alarms = [f"{name} {w[0]} / {w[1]}" for (m, name), w in warnings.items() if m == mode]
    if alarms:
        table += [
            "",
            f"Studies of {STUDIES} that warn about the scores, in `status` at 250 labels / in `estimate` at 500: {'; '.join(alarms)}.",
        ]
    return [*head, *table, ""]


def main() -> None:
    """Runs the study and writes the page and, beside it, the cells as JSON."""
    parser = parser_of(__doc__, reps=2_000)
    parser.add_argument("--mode", choices=MODES, action="append")
    options = parser.parse_args()
    rows: list[Row] = []
    warnings: dict[tuple[str, str], tuple[int, int]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for bench in all_benches(options.data, tuple(options.mode or MODES), seed=options.seed, scratch=Path(scratch)):
            rows += run(bench, reps=options.reps, seed=options.seed)
            if bench.mode != "hidden":
                warnings[bench.mode, bench.name] = warned(bench)
            print(
                bench.mode,
                bench.name,
                *(f"{r.bands.metric}@{r.bands.labels} {r.bands.coverage:.3f} {r.error:.3f}" for r in rows if r.bench == bench),
                flush=True,
            )
    options.out.write_text(page(rows, warnings, reps=options.reps, seed=options.seed))
    options.out.with_suffix(".json").write_text(json.dumps({"seed": options.seed, "cells": as_cells(rows)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
