"""A classifier that arrives when a study of another is finished: how many labels it still needs, and whether its intervals hold.

python -m benchmarks.reuse --data FOLDER --reps 1000 --seed 42 --out docs/reuse.md
"""

import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

import fewlabels
from benchmarks.judging import verdict
from benchmarks.options import read_options
from fewlabels.designs.base import takes_of
from fewlabels.designs.extending import HeldByCell
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import fill_empty, groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import METRICS
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.extending import Late, late, late_design
from fewlabels.planning.goal_scope import ask_of
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value

TABLE, MODELS = "hate_tweets", ("lr", "hgb", "nb")
SHOWN = ("precision", "recall", "f1")
FIRST, TOTAL, SCRATCH = 600, 1_000, 600  # labels of the finished study, of the extended one, and of a draw from scratch
GRID = (0, 50, 100, 200, 300, 400)  # labels added, where a half-width equal to that from scratch is looked for


class Pair(NamedTuple):
    """A table with the decisions of two classifiers, guided by the first one's score, and its truth."""

    profile: Profile
    positives: IntArray

    def drawn(self, design: DrawDesign, take: IntArray, rng: np.random.Generator, before: "Counts | None" = None) -> "Counts":
        """Labels and positives of every cell after a draw that adds to what was drawn before."""
        n, k = (np.zeros_like(self.positives), np.zeros_like(self.positives)) if before is None else (before.n.copy(), before.k.copy())
        for band, size in enumerate(take.tolist()):
            cells = np.flatnonzero(design.band == band)
            K, left = (self.positives - k)[cells], (self.profile.count - n)[cells]
            found = rng.multivariate_hypergeometric(np.stack([K, left - K], 1).ravel(), size - int(n[cells].sum()), method="marginals")
            k[cells] += found[0::2]
            n[cells] += found[0::2] + found[1::2]
        return Counts(n, k)

    def tally(self, design: DrawDesign, take: IntArray, counts: "Counts") -> Tally:
        """The second classifier's labels as a study would read them."""
        groups = groups_of(self.profile, design, classifier=1, take=take)
        inside = groups.of_cell >= 0
        n, k = (np.bincount(groups.of_cell[inside], weights=c[inside], minlength=groups.N.size).astype(np.float64) for c in counts)
        return fill_empty(groups.tally(n, k))


class Counts(NamedTuple):
    """Labels and positives by cell."""

    n: IntArray
    k: IntArray


class Row(NamedTuple):
    """One ordered pair: coverage and half-width over a fresh draw's of the same total, by metric; and labels to add over from scratch."""

    first: str
    second: str
    coverage: dict[str, float]
    width: dict[str, float]
    added: float


def pair_of(folder: Path, first: str, second: str) -> Pair:
    """The two classifiers on the table."""
    manifest = json.loads((folder / "manifest.json").read_text())[TABLE]
    models = manifest["metrics"]["models"]
    judged = [fewlabels.Classifier(m, score=f"score_{m}", threshold=float(models[m]["threshold"])) for m in (first, second)]
    engine = open_engine(fewlabels.read_population(folder / f"{TABLE}.parquet", id="id", classifiers=judged))
    profile = engine.profile()
    return Pair(profile, engine.positives(profile, truth="y"))


def extended(at: Pair, total: int, *, reps: int, rng: np.random.Generator) -> Iterator[Tally]:
    """The second classifier's labels in extensions of a finished study of the first, F1 the goal of both."""
    design = choose_design(at.profile, [METRICS["f1"]], labels=FIRST)
    take = takes_of(design, FIRST)
    rate = (take / design.N)[design.band]
    goal = ask_of(at.profile, parse_goal("f1 +-0.05 for b"), names=("a", "b"))
    asked: Late | None = None
    for _ in range(reps):
        before = at.drawn(design, take, rng)
        held = HeldByCell(design.band, rate, before.n)
        asked = late(at.profile, held, [goal], judged=(0, 1)) if asked is None else asked._replace(held=held)
        wider = late_design(asked, total)
        sizes = takes_of(wider, total)
        yield at.tally(wider, sizes, at.drawn(wider, sizes, rng, before))


def fresh_width(at: Pair, labels: int, *, reps: int, rng: np.random.Generator) -> dict[str, float]:
    """Mean half-widths in draws made for the second classifier alone, steered by its own score (it is the first here)."""
    design = choose_design(at.profile, [METRICS["f1"]], labels=labels)
    tally = replicate(groups_of(at.profile, design), design, at.positives, labels=labels, reps=reps, rng=rng)
    return {name: float(measure(METRICS[name], tally, tail=0.025).half_width.mean()) for name in SHOWN}


def row(folder: Path, first: str, second: str, *, reps: int, seed: int) -> Row:
    """All figures of one ordered pair."""
    at, alone = pair_of(folder, first, second), pair_of(folder, second, first)
    chance = stream(seed, MODELS.index(first), MODELS.index(second))
    truth = {name: true_value(alone.profile, alone.positives, METRICS[name]) for name in SHOWN}
    hits, widths = dict.fromkeys(SHOWN, 0), dict.fromkeys(SHOWN, 0.0)
    for tally in extended(at, TOTAL, reps=reps, rng=chance):
        for name in SHOWN:
            found = measure(METRICS[name], tally, tail=0.025)
            hits[name] += bool(found.low <= truth[name] <= found.high)
            widths[name] += float(found.half_width) / reps
    fresh = fresh_width(alone, TOTAL, reps=reps, rng=chance)
    wanted = fresh_width(alone, SCRATCH, reps=reps, rng=chance)["f1"]
    few = max(50, reps // 10)
    reached = [
        np.mean([float(measure(METRICS["f1"], t, tail=0.025).half_width) for t in extended(at, FIRST + a, reps=few, rng=chance)])
        for a in GRID
    ]  # fmt: skip
    added = float(np.interp(-wanted, -np.array(reached), GRID))  # half-widths fall as labels are added
    return Row(first, second, {n: hits[n] / reps for n in SHOWN}, {n: widths[n] / fresh[n] for n in SHOWN}, added)


def page(rows: Sequence[Row], *, reps: int, seed: int) -> str:
    """docs/reuse.md."""
    failed = [f"{r.first} then {r.second}, {n}" for r in rows for n in SHOWN if verdict(round(r.coverage[n] * reps), reps) != "passes"]
    lines = [
        "# A classifier that arrives later",
        "",
        f"    python -m benchmarks.reuse --data FOLDER --reps {reps} --seed {seed} --out docs/reuse.md",
        "",
        f"{TABLE}: a study of the first classifier, {FIRST} labels drawn for its F1 and steered by its score, is finished. Then the second "
        f"arrives, with an F1 goal of its own, and the study is extended to {TOTAL:,} labels. *coverage*: of the second classifier's 95 % "
        f"intervals, {reps:,} replicates. *width*: its mean half-width over that of a fresh draw of {TOTAL:,} labels made for the second "
        f"classifier and steered by its own score. *added*: labels to add to the {FIRST} for the F1 half-width that {SCRATCH} labels from "
        f"scratch give, and their share of those {SCRATCH}; interpolated between {', '.join(map(str, GRID))} labels added, "
        f"{max(50, reps // 10)} replicates each.",
        "",
        f"Labels to add are {min(r.added for r in rows) / SCRATCH:.0%} to {max(r.added for r in rows) / SCRATCH:.0%} of those from scratch "
        f"(mean {np.mean([r.added for r in rows]) / SCRATCH:.0%}). Lowest coverage {min(min(r.coverage.values()) for r in rows):.3f}"
        f"{'; below the rule: ' + '; '.join(failed) if failed else ', every cell passes'}. Half-widths are "
        f"{min(min(r.width.values()) for r in rows):.2f} to {max(max(r.width.values()) for r in rows):.2f} times those of the fresh draw.",
        "",
        "| finished | added | coverage: precision, recall, F1 | width: precision, recall, F1 | labels added | share of scratch |",
        "|---|---|---|---|--:|--:|",
    ]
    for r in rows:
        coverage, width = (", ".join(f"{values[n]:.{d}f}" for n in SHOWN) for values, d in ((r.coverage, 3), (r.width, 2)))
        lines.append(f"| {r.first} | {r.second} | {coverage} | {width} | {r.added:.0f} | {r.added / SCRATCH:.0%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs all pairs and writes the page."""
    options = read_options(__doc__, reps=1_000)
    rows = [row(options.data, a, b, reps=options.reps, seed=options.seed) for a, b in permutations(MODELS, 2)]
    options.out.write_text(page(rows, reps=options.reps, seed=options.seed))


if __name__ == "__main__":
    main()
