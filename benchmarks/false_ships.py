"""How often a study ships what just misses its target, where confident scores are wrong: real studies, from plan to verdict.

The target is the true value plus a hair, so every SHIP is false; at level 0.95 at most 5 % may be. Each study is judged twice from the same
labels: by the default interval and, as the twin that must fail, by rec, which trusts the scores.

The cases run on a made-up table of the kind that broke the rule before: naive Bayes scores, close to 0 and 1, in the right order but wrong
in the tail. The width is also measured on every table of a folder.

python -m benchmarks.false_ships --data FOLDER --reps 300 --seed 42 --out docs/false-ships.md
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

import duckdb
import numpy as np
from scipy.stats import binom

import fewlabels
from benchmarks.options import parser_of
from fewlabels.nouns.arrays import BoolArray
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.plan import Plan
from fewlabels.study.decision.gate import PLANNED
from fewlabels.study.estimate.estimates import Estimates, read_decision, read_estimates
from fewlabels.study.plan.looks import at_look
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study

LEVEL, TEST = 0.95, 1e-3
HAIR = 1e-6
Act = Callable[[Callable[..., Plan]], Iterator[int]]  # given how to plan, yields the labels at which a verdict may be read


class Case(NamedTuple):
    """A way to use a study: what it asks, and how it gets its labels; it yields at every moment at which a verdict may be read."""

    name: str
    metric: str
    act: Act


class Found(NamedTuple):
    """One study: whether it shipped at any of its looks, by either rule, and the last half-widths."""

    ships: bool
    shipped_before: bool
    half_width: float
    half_width_before: float


def grown(plan: Callable[..., Plan]) -> Iterator[int]:
    """300 labels, a look, 1,000 labels."""
    yield from (plan(labels).budget for labels in (300, 1_000))


def declared(plan: Callable[..., Plan]) -> Iterator[int]:
    """500 labels declared to grow to 1,000."""
    yield plan(500, grow_to=1_000).budget
    yield plan(1_000).budget


def looked(plan: Callable[..., Plan]) -> Iterator[int]:
    """1,000 labels with five planned looks."""
    budget = plan(1_000, stopping="5 looks").budget
    yield from (budget * k // 5 for k in range(1, 6))


CASES = (
    Case("300 labels, then 1,000", "recall", grown),
    Case("500 declared to grow to 1,000", "recall", declared),
    Case("1,000 with five planned looks", "negative_predictive_value", looked),
)


def make_table(folder: Path) -> None:
    """Write the made-up table: of 370 positives 29 lie below the threshold, and 8 far below it, where the scores say none."""
    rng = np.random.default_rng(1)
    units, positives, missed, far, wrong = 3_500, 370, 29, 8, 40
    logits = np.concatenate([
        rng.gamma(2, 4, positives - missed - far) + 0.01, -rng.gamma(1, 2, missed) - 0.01, -rng.uniform(12, 30, far),
        rng.gamma(1, 2, wrong) + 0.01, -rng.gamma(3, 6, units - positives - wrong) - 0.01,
    ])  # fmt: skip
    order = rng.permutation(units)
    found = {
        "id": np.array([f"u{i:06d}" for i in range(units)]), "y": (np.arange(units) < positives).astype(int)[order],
        "score_nb": (1 / (1 + np.exp(-logits)))[order],
    }  # fmt: skip
    with duckdb.connect() as writer:
        lists = {name: values.tolist() for name, values in found.items()}
        writer.execute("create table made as select unnest($id) as id, unnest($y) as y, unnest($score_nb) as score_nb", lists)
        writer.execute(f"copy made to '{folder / 'made.parquet'}' (format parquet)")
    manifest = {"made": {"columns": list(found), "thresholds": {"nb": 0.5}, "metrics": {"models": {"nb": {"threshold": 0.5}}}}}
    (folder / "manifest.json").write_text(json.dumps(manifest))


@cache
def truth_of(folder: Path, table: str, model: str) -> tuple[dict[str, bool], np.ndarray, float]:
    """The true answer of every unit, what the model decides, and its threshold."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    threshold = float(manifest["metrics"]["models"][model].get("threshold") or manifest["thresholds"][model])
    with duckdb.connect() as reader:
        rows = reader.execute(f"select cast(id as varchar), y, score_{model} from '{folder / table}.parquet'").fetchnumpy()
    ids, y, score = rows.values()
    return dict(zip(ids.tolist(), (y == 1).tolist(), strict=True)), np.asarray(score, dtype=np.float32) >= np.float32(threshold), threshold


def truths(y: BoolArray, flagged: BoolArray) -> dict[str, float]:
    """The true value of every metric."""
    tp, fp, fn, tn = (float(found.sum()) for found in (flagged & y, flagged & ~y, ~flagged & y, ~flagged & ~y))
    return {
        "precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": 2 * tp / (2 * tp + fp + fn), "accuracy": (tp + tn) / y.size,
        "negative_predictive_value": tn / (tn + fn),
    }  # fmt: skip


def judged(standing: Standing) -> tuple[Decision, Estimates]:
    """The verdict, without the forecast of labels that are still needed, and the estimates it rests on.

    The effective n, which takes most of the time, is read only where the verdict depends on it.
    """
    planned = standing.plan.kind == PLANNED
    now, then = ((at_look(standing, one_sided=side) or standing) if planned else standing for side in (False, True))
    shown = read_estimates(now, goals_only=True)
    ample = replace(shown, estimates=tuple(replace(one, n_eff=math.inf) for one in shown.estimates))
    found = read_decision(then, ample, forecast=False)
    return (read_decision(then, read_estimates(now), forecast=False) if found.outcome == "ship" else found), shown


def looks(
    metrics: Sequence[str], act: Act, folder: Path, table: str, model: str, salt: str, interval: IntervalKind = USUAL_INTERVAL
) -> Iterator[Standing]:
    """A study with targets that are just missed, at each of its looks."""
    truth, flagged, threshold = truth_of(folder, table, model)
    value = truths(np.array(list(truth.values())), flagged)
    classifier = fewlabels.Classifier(model, score=f"score_{model}", threshold=threshold)
    population = fewlabels.read_population(folder / f"{table}.parquet", id="id", classifiers=[classifier])
    goals = [f"{metric} >= {value[metric] + HAIR:.8f}" for metric in metrics]
    with patch("fewlabels.study.create.new_salt", lambda: salt):
        study = Study.create(f"{table} {salt}", population, goals=goals, ledger="sqlite:///:memory:")
    for labels in act(partial(study.plan, interval=interval)):
        while (told := len(study.standing.answers)) < labels and (batch := study.ask(labels - told)) is not None:
            study.tell({unit: truth[unit] for unit in batch.units})
        study.estimate()  # a look, which is recorded
        yield study.standing


def one_study(case: Case, folder: Path, table: str, model: str, seed: int) -> Found:
    """One study with its own salt, from plan to verdict."""
    ships = before = False
    widths = (0.0, 0.0)
    for standing in looks([case.metric], case.act, folder, table, model, f"false-ships-{seed}"):
        plain = replace(standing, plans=(*standing.plans[:-1], replace(standing.plan, interval="rec", alarm=None)))
        (mine, shown), (twin, other) = (judged(one) for one in (standing, plain))
        ships, before = ships or mine.outcome == "ship", before or twin.outcome == "ship"
        widths = (shown[case.metric].half_width, other[case.metric].half_width)
    return Found(ships, before, *widths)


def once(labels: int, plan: Callable[..., Plan]) -> Iterator[int]:
    """One look."""
    yield plan(labels).budget


class Row(NamedTuple):
    """A case on a table: false ships by the default and by the twin, and the ratio of half-widths."""

    table: str
    case: str
    reps: int
    ships: int
    shipped_before: int
    ratio: float

    @property
    def fails(self) -> bool:
        """Whether more ship than chance explains at 5 %."""
        return bool(binom.sf(self.ships - 1, self.reps, 1 - LEVEL) < TEST)

    @property
    def twin_fails(self) -> bool:
        """Whether more would have shipped without the rule than chance explains at 5 %."""
        return bool(binom.sf(self.shipped_before - 1, self.reps, 1 - LEVEL) < TEST)


def run(case: Case, folder: Path, table: str, model: str, *, reps: int, seed: int, jobs: int) -> Row:
    """A case on a table."""
    with ProcessPoolExecutor(jobs) as pool:
        seeds = range(seed * 1_000_000, seed * 1_000_000 + reps)
        found = list(pool.map(partial(one_study, case, folder, table, model), seeds, chunksize=4))
    ratio = float(np.exp(np.mean([np.log(one.half_width / one.half_width_before) for one in found if one.half_width_before > 0])))
    counts = (sum(one.ships for one in found), sum(one.shipped_before for one in found))
    return Row(f"{table} {model}", f"{case.metric}: {case.name}", reps, *counts, ratio)


def page(rows: list[Row]) -> str:
    """The page."""
    lines = [
        "# False SHIP where confident scores are wrong",
        "",
        "Real studies whose target is the true value plus a hair: every SHIP is false, and at level 0.95 at most 5 % may be (exact",
        "binomial test at 1e-3). The twin reads the same labels by rec alone, without the rule that strict decides once labels contradict",
        "the scores. The last column is the geometric mean of the half-width over that of the twin. Made by `make false-ships`.",
        "",
        "| table | case | studies | false SHIP | twin | width |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        counts = ((row.ships, row.fails), (row.shipped_before, row.twin_fails))
        mine, twin = (f"{n} ({n / row.reps:.1%}){' FAILS' if bad else ''}" for n, bad in counts)
        lines.append(f"| {row.table} | {row.case} | {row.reps} | {mine} | {twin} | {row.ratio:.3f} |")
    return "\n".join(lines) + "\n"


def tables(folder: Path) -> list[tuple[str, str]]:
    """Every table with one label, and each of its models."""
    manifest = json.loads((folder / "manifest.json").read_text())
    models = {name: held["metrics"].get("models", {}) for name, held in manifest.items() if "y" in held["columns"]}
    return [(name, model) for name in models for model in models[name] if f"score_{model}" in manifest[name]["columns"]]


def main() -> None:
    """Run all cases, then one look on every table."""
    parser = parser_of(__doc__, reps=300)
    parser.add_argument("--table", help="table and model of the cases, in the folder; unless told, the made-up one")
    parser.add_argument("--every", type=int, default=20, help="studies of one look on each table; 0: none")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case", type=int, action="append", help="only this case, from 0")
    given = parser.parse_args()
    table, model = (given.table or "made nb").split()
    how = {"seed": given.seed, "jobs": given.jobs}
    rows = []
    with TemporaryDirectory() as made:
        make_table(Path(made))
        for i, case in enumerate(CASES):
            if given.case is None or i in given.case:
                rows.append(run(case, given.data if given.table else Path(made), table, model, reps=given.reps, **how))
                print(rows[-1], flush=True)
    if given.every:
        wide = Case("500 labels, one look", "recall", partial(once, 500))
        for name, one in tables(given.data):
            rows.append(run(wide, given.data, name, one, reps=given.every, **how))
            print(rows[-1], flush=True)
    given.out.write_text(page(rows))


if __name__ == "__main__":
    main()
