"""Metrics by dollars: precision, recall and F1 of card fraud weighted by the amount, against the truth.

python -m benchmarks.dollars --data FOLDER --reps 2000 --seed 42 --out docs/coverage-dollars.md
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fewlabels
from benchmarks.judging import verdict_of
from benchmarks.options import read_options
from benchmarks.units import Urn
from fewlabels.engines.base import Known
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.weights import QUANTA
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream

MODELS = ("gbm", "lr", "rules")
METRICS = ("precision by amount", "recall by amount", "f1 by amount")
LABELS = (500, 1_000, 2_000)
DESIGNS: tuple[DesignName, ...] = ("bands", "simple")
INTERVALS: tuple[IntervalKind, ...] = ("rec", "strict")
SHOWN: tuple[tuple[DesignName, IntervalKind], ...] = (("bands", "rec"), ("bands", "strict"), ("simple", "rec"))
Found = dict[tuple[DesignName, IntervalKind], Measured]


class Bench(NamedTuple):
    """One model's payments, with the truth of every unit and the metric weight on each side of it."""

    profile: Profile
    known: Known
    truth: NDArray[np.bool_]
    totals: Totals


def load(folder: Path, model: str) -> Bench:
    """The payments as a model decides on them."""
    manifest = json.loads((folder / "manifest.json").read_text())["fraud_sample"]
    threshold = float(manifest["metrics"]["models"][model].get("threshold") or manifest["thresholds"][model])
    judged = fewlabels.Classifier(model, score=f"score_{model}", threshold=threshold)
    engine = open_engine(fewlabels.read_population(folder / "fraud_sample.parquet", id="id", classifiers=[judged], weight="amount"))
    profile = engine.profile()
    known = engine.known(profile, truths=["y"])
    assert known.weight is not None
    y, x, flagged = np.array(known.truths[0]) == "1", known.weight / QUANTA, profile.predicted(0)[known.cell]
    totals = Totals(*(np.asarray(x[side].sum()) for side in (y & flagged, ~y & flagged, y & ~flagged, ~y & ~flagged)))
    return Bench(profile, known, y, totals)


def run(bench: Bench, metric: Metric, *, labels: int, reps: int, streams: Sequence[np.random.Generator]) -> Found:
    """What every design and interval shows, one stream a design; empty where a census is as cheap."""
    found: Found = {}
    for name, rng in zip(DESIGNS, streams, strict=True):
        design = choose_design(bench.profile, [metric], labels=labels, name=name)
        if labels >= design.frame:
            continue
        groups = groups_of(bench.profile, design, weight=metric.weight)
        tally = Urn(bench.known, design, labels).weighted_tally(groups, bench.truth, reps=reps, rng=rng)
        for interval in INTERVALS:
            found[name, interval] = measure(metric, tally, tail=0.025, interval=interval)
    return found


def row_of(head: str, truth: float, found: Found) -> str:
    """A line of the table. A replicate without a value is scored at the middle of its interval."""
    cells = []
    for key in SHOWN:
        covered = (found[key].low <= truth) & (truth <= found[key].high)
        cells += [f"{covered.mean():.4f}{verdict_of(int(covered.sum()), covered.size)}", f"{found[key].half_width.mean():.3f}"]
    value = {key: np.where(np.isfinite(f.value), f.value, (f.low + f.high) / 2) for key, f in found.items()}
    bands, simple = (float(np.mean((value[d, "rec"] - truth) ** 2)) for d in DESIGNS)
    return f"| {head} | {truth:.3f} | {' | '.join(cells[:4])} | {bands / simple:.3f} | {' | '.join(cells[4:])} |"


def rows_of(folder: Path, *, reps: int, seed: int) -> Iterator[str]:
    """The lines of the table, as they are found."""
    for m, model in enumerate(MODELS):
        bench = load(folder, model)
        for i, name in enumerate(METRICS):
            metric = metric_named(name)
            truth = float(metric.value(bench.totals))
            for n in LABELS:
                streams = [stream(seed, m, i, n, d) for d in range(len(DESIGNS))]
                if found := run(bench, metric, labels=n, reps=reps, streams=streams):
                    yield row_of(f"{model} | {name} | {n:,}", truth, found)


def main() -> None:
    """Runs the study and writes the page."""
    options = read_options(__doc__, reps=2_000)
    rows: list[str] = []
    for row in rows_of(options.data, reps=options.reps, seed=options.seed):
        rows.append(row)
        print(row, flush=True)
    command = f"    python -m benchmarks.dollars --data FOLDER --reps {options.reps} --seed {options.seed} --out docs/coverage-dollars.md"
    options.out.write_text("\n".join([*HEAD, command, "", *TABLE, *rows, ""]))


HEAD = [
    "# Coverage of metrics by dollars",
    "",
    "Nominal 95 % intervals of metrics weighted by the amount of a card payment, simulated unit by unit on a made-up table of 300,000",
    "payments (0.2 % fraud, amounts from 0.5 to 3,000) whose truth is known. `error` is the mean squared error of bands over that of a",
    "simple draw. Formulas: [weights](maths/weights.md). A cell without a mark passes the rule of the [coverage study](coverage.md).",
    "",
]
TABLE = [
    "| model | metric | labels | truth | coverage | half-width | strict: coverage | half-width | error | simple: coverage | half-width |",
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
]

if __name__ == "__main__":
    main()
