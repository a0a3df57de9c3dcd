"""Recall of many classifiers from one draw: what nobody flagged is looked at once, for all of them.

python -m benchmarks.recalls --data FOLDER --reps 1000 --seed 42 --out docs/recalls.md
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import assay
from assay.designs.base import takes_of
from assay.engines.opening import open_engine
from assay.estimators.grouping import groups_of
from assay.estimators.measuring import measure
from assay.nouns.choice import Choice
from assay.nouns.goal import parse_goal
from assay.nouns.metric import Totals
from assay.nouns.metrics import METRICS
from assay.planning.asking import ask_of
from assay.planning.several import design_together
from assay.planning.sizing import labels_needed
from assay.randomness import stream
from assay.study.simulate import replicate
from benchmarks.judging import verdict, verdict_of

TABLES = (("mnist8", ("mlp", "lr", "nb")), ("hate_tweets", ("lr", "hgb", "nb")), ("fraud_sample", ("gbm", "lr", "rules")))
LABELS = (500, 1_000, 2_000)
ELUSION = "false_omission_rate"  # of what at least one classifier flags: the share of positives among units nobody flagged


class Row(NamedTuple):
    """One quantity of one classifier on one draw."""

    table: str
    labels: int
    classifier: str
    metric: str
    truth: float
    coverage: float
    half_width: float
    alone: float  # mean half-width of a draw of as many labels for this classifier alone


def ensemble(folder: Path, table: str, models: Sequence[str]) -> list[assay.Classifier]:
    """Three classifiers, what two of them say, and what any says."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    known, given = manifest["metrics"]["models"], manifest.get("thresholds", {})
    judged = [assay.Classifier(m, score=f"score_{m}", threshold=float(known[m].get("threshold") or given[m])) for m in models]
    return [*judged, assay.Classifier("vote", of=models, at_least=2), assay.Classifier("any", of=models)]


def rows(folder: Path, table: str, models: Sequence[str], *, reps: int, seed: int) -> Iterator[Row]:
    """Every recall, and the elusion, with one draw for all."""
    judged = ensemble(folder, table, models)
    engine = open_engine(assay.read_population(folder / f"{table}.parquet", id="id", classifiers=judged))
    profile = engine.profile()
    positives, names = engine.positives(profile, truth="y"), [c.name for c in judged]
    asks = [ask_of(profile, parse_goal(f"recall +-0.05 for {name}"), names=names) for name in names]
    needs = [labels_needed(ask) for ask in asks]
    for n in LABELS:
        design = design_together(profile, asks, needs, labels=n, choice=Choice())
        take = takes_of(design, n)
        for j, name in enumerate(names):
            chance = stream(seed, [t for t, _ in TABLES].index(table), n, j)
            tally = replicate(groups_of(profile, design, classifier=j, take=take), design, positives, labels=n, reps=reps, rng=chance)
            own = design_together(profile, [asks[j]], [None], labels=n, choice=Choice())
            alone = replicate(groups_of(profile, own, classifier=j), own, positives, labels=n, reps=max(100, reps // 5), rng=chance)
            flagged = profile.predicted(j)
            A, B = (np.asarray(float(positives[side].sum())) for side in (flagged, ~flagged))
            N1 = float(profile.count[flagged].sum())
            for metric in ("recall", ELUSION) if name == "any" else ("recall",):
                truth = float(METRICS[metric].value(Totals.of_sides(A, B, N1=N1, N0=profile.N - N1)))
                found, one = (measure(METRICS[metric], t, tail=0.025) for t in (tally, alone))
                covered = float(np.mean((found.low <= truth) & (truth <= found.high)))
                yield Row(table, n, name, metric, truth, covered, float(found.half_width.mean()), float(one.half_width.mean()))


def page(found: Sequence[Row], *, reps: int, seed: int) -> str:
    """docs/recalls.md."""
    failed = [r for r in found if verdict(round(r.coverage * reps), reps) != "passes"]
    wider = [r.half_width / r.alone for r in found if r.metric == "recall"]
    lines = [
        "# Recall of many classifiers from one draw",
        "",
        f"    python -m benchmarks.recalls --data FOLDER --reps {reps} --seed {seed} --out docs/recalls.md",
        "",
        "Three classifiers, their vote (two of three), and any of them, each with a recall goal, on one draw: units somebody flags, by who "
        "flags them, and bands of what nobody flags. *elusion*: the share of positives among units nobody flagged, as e-discovery reports "
        f"it; the false omission rate of *any*. Coverage of 95 % intervals over {reps:,} replicates; *alone*: the mean half-width of as "
        "many labels drawn for that classifier only.",
        "",
        f"Lowest coverage {min(r.coverage for r in found):.3f}; {len(found) - len(failed)} of {len(found)} cells pass. Recall of five "
        f"classifiers on one draw has {min(wider):.2f} to {max(wider):.2f} times (median {np.median(wider):.2f}) the half-width that "
        "the same number of labels gives one of them alone: five answers for the labels of one.",
        "",
        "| table | labels | classifier | metric | truth | coverage | half-width | alone |",
        "|---|--:|---|---|--:|--:|--:|--:|",
    ]
    for r in found:
        covered = f"{r.coverage:.3f}{verdict_of(round(r.coverage * reps), reps)}"
        name = "elusion" if r.metric == ELUSION else r.metric
        lines.append(
            f"| {r.table} | {r.labels:,} | {r.classifier} | {name} | {r.truth:.4f} | {covered} | {r.half_width:.4f} | {r.alone:.4f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs all tables and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reps", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = [row for table, models in TABLES for row in rows(options.data, table, models, reps=options.reps, seed=options.seed)]
    options.out.write_text(page(found, reps=options.reps, seed=options.seed))


if __name__ == "__main__":
    main()
