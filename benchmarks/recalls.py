"""Recall and precision of many classifiers from one draw: what nobody flagged is looked at once, for all of them.

python -m benchmarks.recalls --data FOLDER --reps 1000 --seed 42 --out docs/recalls.md
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import fewlabels
from benchmarks.judging import verdict, verdict_of
from benchmarks.options import read_options
from fewlabels.designs.base import takes_of
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.design import Design
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.planning.goal_scope import ask_of
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import labels_needed
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value

TABLES = (("mnist8", ("mlp", "lr", "nb")), ("hate_tweets", ("lr", "hgb", "nb")), ("fraud_sample", ("gbm", "lr", "rules")))
LABELS = (500, 1_000, 2_000)
PRECISE = 4  # times the replicates, for precision
FEWER = (150, 300, 600, 900)  # for precision, whose frame is the flagged units
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


def ensemble(folder: Path, table: str, models: Sequence[str]) -> list[fewlabels.Classifier]:
    """Three classifiers, what two of them say, and what any says."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    known, given = manifest["metrics"]["models"], manifest.get("thresholds", {})
    judged = [fewlabels.Classifier(m, score=f"score_{m}", threshold=float(known[m].get("threshold") or given[m])) for m in models]
    return [*judged, fewlabels.Classifier("vote", of=models, at_least=2), fewlabels.Classifier("any", of=models)]


class Judged(NamedTuple):
    """A table with the decisions of several classifiers and its truth."""

    profile: Profile
    positives: IntArray
    names: list[str]

    def truth(self, metric: str, j: int) -> float:
        """The metric of a classifier if every unit were labeled."""
        return true_value(self.profile, self.positives, METRICS[metric], classifier=j)

    def without_scores(self) -> "Judged":
        """The same with nothing known but the decisions."""
        patterns, home = np.unique(self.profile.pattern, return_inverse=True)
        nothing = np.zeros(patterns.size, dtype=np.int64)
        count, found = (np.bincount(home, weights=w).astype(np.int64) for w in (self.profile.count, self.positives))
        plain = replace(
            self.profile, pattern=patterns, guide_bin=nothing, slice=nothing, count=count, slice_values=((),), guided=False
        )  # fmt: skip
        return Judged(plain, found, self.names)


def judged_on(folder: Path, table: str, models: Sequence[str]) -> Judged:
    """The ensemble on one table, steered by the first one's score."""
    judged = ensemble(folder, table, models)
    engine = open_engine(fewlabels.read_population(folder / f"{table}.parquet", id="id", classifiers=judged))
    profile = engine.profile()
    return Judged(profile, engine.positives(profile, truth="y"), [c.name for c in judged])


class Precise(NamedTuple):
    """Precision of one classifier on one draw for all."""

    table: str
    guide: str
    labels: int
    classifier: str
    coverage: float
    half_width: float


def precise(folder: Path, table: str, models: Sequence[str], *, reps: int, seed: int) -> Iterator[Precise]:
    """Every precision with one draw for all, steered by a score and by decisions alone."""
    whole = judged_on(folder, table, models)
    for guide, at in (("score", whole), ("decisions", whole.without_scores())):
        names = at.names[:4]  # the models and their vote
        asks = [ask_of(at.profile, parse_goal(f"precision +-0.03 for {name}"), names=at.names) for name in names]
        needs = [labels_needed(ask) for ask in asks]
        for n in FEWER:
            design = design_together(at.profile, asks, needs, labels=n, choice=Design())
            used = min(n, design.frame)
            for j, name in enumerate(names):
                groups = groups_of(at.profile, design, classifier=j, take=takes_of(design, used))
                chance = stream(seed, 1, [t for t, _ in TABLES].index(table), n, j)
                tally = replicate(groups, design, at.positives, labels=used, reps=reps, rng=chance)
                found, truth = measure(METRICS["precision"], tally, tail=0.025), at.truth("precision", j)
                covered = float(np.mean((found.low <= truth) & (truth <= found.high)))
                yield Precise(table, guide, used, name, covered, float(found.half_width.mean()))


def rows(folder: Path, table: str, models: Sequence[str], *, reps: int, seed: int) -> Iterator[Row]:
    """Every recall, and the elusion, with one draw for all."""
    profile, positives, names = whole = judged_on(folder, table, models)
    asks = [ask_of(profile, parse_goal(f"recall +-0.05 for {name}"), names=names) for name in names]
    needs = [labels_needed(ask) for ask in asks]
    for n in LABELS:
        design = design_together(profile, asks, needs, labels=n, choice=Design())
        take = takes_of(design, n)
        for j, name in enumerate(names):
            chance = stream(seed, [t for t, _ in TABLES].index(table), n, j)
            tally = replicate(groups_of(profile, design, classifier=j, take=take), design, positives, labels=n, reps=reps, rng=chance)
            own = design_together(profile, [asks[j]], [None], labels=n, choice=Design())
            alone = replicate(groups_of(profile, own, classifier=j), own, positives, labels=n, reps=max(100, reps // 5), rng=chance)
            for metric in ("recall", ELUSION) if name == "any" else ("recall",):
                truth = whole.truth(metric, j)
                found, one = (measure(METRICS[metric], t, tail=0.025) for t in (tally, alone))
                covered = float(np.mean((found.low <= truth) & (truth <= found.high)))
                yield Row(table, n, name, metric, truth, covered, float(found.half_width.mean()), float(one.half_width.mean()))


def page(found: Sequence[Row], others: Sequence[Precise], *, reps: int, seed: int) -> str:
    """docs/recalls.md."""
    failed = [r for r in found if verdict(round(r.coverage * reps), reps) != "passes"]
    wider = [r.half_width / r.alone for r in found if r.metric == "recall"]
    lines = [
        "# Recall and precision of many classifiers from one draw",
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
    poor = [r for r in others if verdict(round(r.coverage * PRECISE * reps), PRECISE * reps) != "passes"]
    lines += [
        "",
        "## Precision",
        "",
        f"The three classifiers and their vote, a precision goal each, on one draw of flagged units; steered by the first one's score, or "
        f"knowing nothing but the decisions. {PRECISE * reps:,} replicates. Lowest coverage {min(r.coverage for r in others):.3f}; "
        f"{len(others) - len(poor)} of {len(others)} cells pass.",
        "",
        "| table | steered by | labels | classifier | coverage | half-width |",
        "|---|---|--:|---|--:|--:|",
    ]
    for o in others:
        lines.append(f"| {o.table} | {o.guide} | {o.labels:,} | {o.classifier} | {o.coverage:.3f} | {o.half_width:.4f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs all tables and writes the page."""
    options = read_options(__doc__, reps=1_000)
    found = [row for table, models in TABLES for row in rows(options.data, table, models, reps=options.reps, seed=options.seed)]
    others = [
        row for table, models in TABLES for row in precise(options.data, table, models, reps=PRECISE * options.reps, seed=options.seed)
    ]  # fmt: skip
    options.out.write_text(page(found, others, reps=options.reps, seed=options.seed))


if __name__ == "__main__":
    main()
