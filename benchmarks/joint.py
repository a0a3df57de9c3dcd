"""Several labels of the same units: micro and macro F1 of six emotions, against the truth.

python -m benchmarks.joint --data FOLDER --reps 1000 --seed 42 --out docs/coverage-joint.md
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fewlabels
from benchmarks.judging import verdict_of
from benchmarks.options import parser_of
from benchmarks.units import Urn
from fewlabels.engines.base import Known
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.joint import joint_tally, measure_joint
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metric import Metric, Totals
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from fewlabels.study.population.profile import profile_for

EMOTIONS = ("gratitude", "anger", "sadness", "disgust", "fear", "embarrassment")
MODELS = ("lr", "hgb", "nb")
METRICS = ("micro[f1]", "macro[f1]")
LABELS = (500, 1_000)


class Bench(NamedTuple):
    """One model's six labels, profiled for one goal, with the truth of every unit."""

    profile: Profile
    known: Known
    truth: NDArray[np.float64]


def load(folder: Path, model: str, metric: str) -> Bench:
    """The population of a model, steered by the risk of the metric."""
    thresholds = json.loads((folder / "manifest.json").read_text())["goemotions6"]["thresholds"]
    judged = [fewlabels.Classifier(e, score=f"score_{e}_{model}", threshold=thresholds[e][model], question=e) for e in EMOTIONS]
    population = fewlabels.read_population(folder / "goemotions6.parquet", id="id", classifiers=judged)
    steered, profile = profile_for(population, [parse_goal(f"{metric} +-0.05")])
    known = open_engine(steered).known(profile, truths=[f"y_{e}" for e in EMOTIONS])
    return Bench(profile, known, (np.array(known.truths) == "1").T.astype(np.float64))


def true_value(bench: Bench, metric: Metric) -> float:
    """The metric if every unit were labeled."""
    flags = np.stack([bench.profile.predicted(j)[bench.known.cell] for j in range(len(EMOTIONS))], axis=1)
    y = bench.truth > 0
    return float(
        metric.value(Totals(*(np.asarray(side.sum(0), dtype=np.float64) for side in (y & flags, ~y & flags, y & ~flags, ~y & ~flags))))
    )


def run(bench: Bench, metric: Metric, *, design: DesignName, labels: int, reps: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Value, low and high of every replicate; a row without a value is scored at the middle of its interval."""
    chosen = choose_design(bench.profile, [metric], labels=labels, name=design)
    groups = [groups_of(bench.profile, chosen, classifier=j) for j in range(len(EMOTIONS))]
    urn = Urn(bench.known, chosen, labels)
    found = []
    for _ in range(reps):
        rows = urn.draw(rng)
        tally = joint_tally(groups, chosen, cell=bench.known.cell[rows], positive=bench.truth[rows])
        m = measure_joint(metric, tally, tail=0.025)
        found.append((float(m.value), float(m.low), float(m.high)))
    out = np.array(found)
    out[:, 0] = np.where(np.isfinite(out[:, 0]), out[:, 0], out[:, 1:].mean(axis=1))
    return out


def main() -> None:
    """Runs the study and writes the page."""
    parser = parser_of(__doc__, reps=1_000)
    parser.add_argument("--model", choices=MODELS, action="append")
    options = parser.parse_args()
    rows: list[str] = []
    for m, model in enumerate(MODELS):
        for i, name in enumerate(METRICS):
            if options.model and model not in options.model:
                continue
            bench, metric = load(options.data, model, name), metric_named(name)
            truth = true_value(bench, metric)
            for n in LABELS:
                found = {
                    d: run(bench, metric, design=d, labels=n, reps=options.reps, rng=stream(options.seed, m, i, n, d == "simple"))
                    for d in ("bands", "simple")
                }
                error = {d: float(np.mean((f[:, 0] - truth) ** 2)) for d, f in found.items()}
                cells = []
                for f in found.values():
                    covered = (f[:, 1] <= truth) & (truth <= f[:, 2])
                    width = np.maximum(f[:, 2] - f[:, 0], f[:, 0] - f[:, 1]).mean()
                    cells += [f"{covered.mean():.4f}{verdict_of(int(covered.sum()), covered.size)}", f"{width:.3f}"]
                ratio = f"{error['bands'] / error['simple']:.3f}"
                rows.append(f"| {model} | {name} | {n:,} | {truth:.3f} | {cells[0]} | {cells[1]} | {ratio} | {cells[2]} | {cells[3]} |")
                print(rows[-1], flush=True)
    command = f"    python -m benchmarks.joint --data FOLDER --reps {options.reps} --seed {options.seed} --out docs/coverage-joint.md"
    options.out.write_text("\n".join([*HEAD, command, "", *TABLE, *rows, ""]))


HEAD = [
    "# Coverage of metrics of several labels",
    "",
    "Nominal 95 % intervals of micro and macro F1 over six labels of the same units (27,263 comments, labels from 6.2 % down to 0.7 %),",
    "simulated unit by unit on real predictions whose truth is known. The draw is made for the metric. `error` is the mean squared error",
    "of bands over that of a simple draw; both are post-stratified by each label's sides. Formulas: [joint](maths/joint.md). A cell",
    "without a mark passes the rule of the [coverage study](coverage.md).",
    "",
]
TABLE = [
    "| model | metric | units labeled | truth | coverage | half-width | error | simple: coverage | half-width |",
    "|---|---|--:|--:|--:|--:|--:|--:|--:|",
]

if __name__ == "__main__":
    main()
