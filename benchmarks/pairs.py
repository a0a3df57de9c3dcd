"""Two goals on one draw, or a draw for each: how many labels, and whether each goal has what its own draw would have given.

python -m benchmarks.pairs --data FOLDER --reps 500 --seed 42 --out docs/pairs.md
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.options import read_options
from benchmarks.tables import load
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.design import Design, Several
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import labels_needed
from fewlabels.planning.together import labels_for_all, needs_together
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate

TABLES = (("mnist8", "mlp"), ("hate_tweets", "lr"), ("fraud_sample", "gbm"))
PAIRS = (
    ("precision +-0.05", "recall +-0.1"),
    ("f1 +-0.05", "precision +-0.05"),
    ("f1 +-0.1", "prevalence +-0.005"),
    ("recall +-0.1", "false_omission_rate +-0.002"),
    ("accuracy +-0.01", "f1 +-0.05"),
)


class Row(NamedTuple):
    """One pair on one table: labels of each alone, of one draw for both, and half-widths of the one draw over those of the own draws."""

    table: str
    pair: tuple[str, str]
    alone: tuple[int, int]
    largest: int
    optimum: int
    largest_ratio: tuple[float, float]
    optimum_ratio: tuple[float, float]

    @property
    def saved(self) -> float:
        """The share of the labels of two draws that one draw saves."""
        return 1 - self.largest / sum(self.alone)


class Bench(NamedTuple):
    """A table with its truth."""

    profile: Profile
    positives: IntArray
    reps: int
    seed: int

    def half_width(self, ask: Ask, design: DrawDesign, labels: int) -> float:
        """The mean half-width of the goal's metric in draws of so many labels."""
        groups = groups_of(self.profile, design)
        tally = replicate(groups, design, self.positives, labels=labels, reps=self.reps, rng=stream(self.seed, labels))
        return float(measure(ask.metric, tally, tail=0.025).half_width.mean())


def rows(table: str, at: Bench) -> Iterator[Row]:
    """All pairs of one table that need no census."""
    for pair in PAIRS:
        asks = [ask_of(at.profile, parse_goal(text)) for text in pair]
        needs = [labels_needed(ask) for ask in asks]
        if any(n is None or n >= ask.frame for n, ask in zip(needs, asks, strict=True)):
            continue
        alone = [n or 0 for n in needs]
        own = [
            at.half_width(ask, choose_design(at.profile, [ask.metric], labels=n), n) for ask, n in zip(asks, alone, strict=True)
        ]  # fmt: skip
        sizes, ratios = [], []
        kinds: tuple[Several, ...] = ("largest", "optimum")
        for several in kinds:
            choice = Design(several=several)
            asked = needs_together(at.profile, asks, alone, choice=choice)
            labels = labels_for_all(at.profile, asks, asked, choice=choice) or 0
            design = design_together(at.profile, asks, asked, labels=labels, choice=choice)
            sizes.append(labels)
            ratios.append(tuple(at.half_width(ask, design, labels) / h for ask, h in zip(asks, own, strict=True)))
        yield Row(table, pair, (alone[0], alone[1]), sizes[0], sizes[1], (ratios[0][0], ratios[0][1]), (ratios[1][0], ratios[1][1]))


def page(found: Sequence[Row], *, reps: int, seed: int) -> str:
    """docs/pairs.md."""
    lines = [
        "# Two goals on one draw",
        "",
        f"    python -m benchmarks.pairs --data FOLDER --reps {reps} --seed {seed} --out docs/pairs.md",
        "",
        "*alone*: labels of a draw for each goal, scores at their word. *largest*: one draw in which every unit is as likely as the goal "
        "that needs it most has it; *optimum*: the fewest labels with which every goal's linearized variance is that of its own draw, no "
        "rate below 0.7 of the largest. *width*: the mean half-width of the reported interval in the one draw over that in the goal's own "
        f"draw, {reps:,} replicates against the truth: at most 1 where the one draw serves the goal as well.",
        "",
        f"One draw by the largest rate saves {min(r.saved for r in found):.0%} to {max(r.saved for r in found):.0%} of the labels of two "
        f"(mean {np.mean([r.saved for r in found]):.0%}), and no half-width comes out more than "
        f"{max(max(r.largest_ratio) for r in found):.2f} times that of the own draw; with the optimum "
        f"{max(max(r.optimum_ratio) for r in found):.2f} times.",
        "",
        "| table | goals | alone | two draws | largest | saved | width | optimum | width |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in found:
        largest, optimum = (f"{a:.2f}, {b:.2f}" for a, b in (r.largest_ratio, r.optimum_ratio))
        lines.append(
            f"| {r.table} | {r.pair[0]}; {r.pair[1]} | {r.alone[0]:,}, {r.alone[1]:,} | {sum(r.alone):,} | {r.largest:,} | {r.saved:.0%} "
            f"| {largest} | {r.optimum:,} | {optimum} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Runs all pairs and writes the page."""
    options = read_options(__doc__, reps=500)
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        for table, model in TABLES:
            engine = open_engine(load(options.data, table, model, mode="real", seed=options.seed, scratch=Path(scratch)).population)
            profile = engine.profile()
            bench = Bench(profile, engine.positives(profile, truth="y"), options.reps, options.seed)
            found += rows(f"{table} {model}", bench)
    options.out.write_text(page(found, reps=options.reps, seed=options.seed))


if __name__ == "__main__":
    main()
