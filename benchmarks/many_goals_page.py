"""docs/many-goals.md from the rows of `many_goals`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from benchmarks.judging import verdict, verdict_of

HEAD = """# Many goals on one draw

    make many-goals DATA=FOLDER FOLDER=FOLDER

What one draw for many goals costs, whether a size for all of them comes true, what prices by slice save, and how often the largest
difference between slices is missed. The tables are made up (slices of very different sizes, a few per cent positive, scores that are what
they claim) and the card payments of a table that is not part of fewlabels. Nothing was chosen on them.
"""
SETTLED = (0.75, 0.90)
TEST = 1e-3


def page(rows: Mapping[str, Sequence[Any]], wanted: Mapping[str, int]) -> str:
    """The page of the cells that are made."""
    parts = {"cost": costs, "together": together, "priced": priced, "between": between, "every": every, "timed": timed}
    lines = [line for name, part in parts.items() if rows[name] for line in part(rows[name])]
    left = [f"{name} {len(rows[name])} of {wanted[name]}" for name in parts if len(rows[name]) < wanted[name]]
    more = ["Made so far: " + ", ".join(left) + "."] if left else []
    return "\n".join([HEAD, *lines, *more]).rstrip() + "\n"


def costs(rows: Sequence[Any]) -> Iterator[str]:
    """One draw against a draw for each goal."""
    yield "## One draw, or one for each goal"
    yield ""
    yield (
        "Labels with which each goal has its own chance: a draw for each, and one for all. *Coverage* is the lowest of all goals on the "
        "one draw, of 2,000 draws; by weight it is in [another table](coverage-dollars.md)."
    )
    yield ""
    yield "| slices | goals | number | a draw for each | one draw | ratio | coverage |"
    yield "|--:|---|--:|--:|--:|--:|--:|"
    for r in rows:
        covered = "" if r.covered is None else f"{r.covered / r.reps:.4f}{verdict_of(r.covered, r.reps)}"
        goals = r.goals.replace(" +-", " by views +-") if r.weight else r.goals
        yield f"| {r.slices} | {goals} | {r.number} | {r.apart:,} | {r.together:,} | {r.together / r.apart:.3f} | {covered} |"
    yield ""
    for name, some in (("disjoint", [r for r in rows if not r.overlapping]), ("overlapping", [r for r in rows if r.overlapping])):
        if some:
            ratios = [r.together / r.apart for r in some]
            yield f"Goals that are {name}: {min(ratios):.3f} to {max(ratios):.3f}."
    yield ""


def together(rows: Sequence[Any]) -> Iterator[str]:
    """Plans for all goals."""
    yield "## A size for all goals together"
    yield ""
    sized = [r for r in rows if r.labels is not None]
    inside = [r for r in sized if SETTLED[0] <= r.settled / r.studies <= SETTLED[1]]
    yield (
        "The size for all aims at a chance of 80 % that all goals are settled. *Settled* is the share of 500 studies that settled all; it "
        f"is between {SETTLED[0]:.2f} and {SETTLED[1]:.2f} in {len(inside)} of {len(sized)} plans. *Came* is the mean half-width over the "
        "one that was forecast, of the goal where it differs most."
    )
    yield ""
    yield "| table | goals | number | labels | promised | settled | came |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for r in rows:
        if r.labels is None:
            yield f"| {r.table} | {r.goals} | {r.number} | all are too few | | | |"
        else:
            yield f"| {r.table} | {r.goals} | {r.number} | {r.labels:,} | {r.promised:.2f} | {r.settled / r.studies:.3f} | {r.ratio:.2f} |"
    yield ""


def priced(rows: Sequence[Any]) -> Iterator[str]:
    """What prices save."""
    yield "## Prices by slice"
    yield ""
    yield (
        "Root mean squared error for the same money, 2,000 draws: rates by the root of the price, which [decision 0022]"
        "(decisions/0022-prices.md) has where the scores are trusted, over the same draw at one price, and over equal labels in every "
        "slice."
    )
    yield ""
    yield "| table | prices | goal | money | error, by price | over one price | over equal labels |"
    yield "|---|---|---|--:|--:|--:|--:|"
    for r in rows:
        yield (
            f"| {r.table} | {r.prices} | {r.goal} | {r.money:,.0f} | {r.by_price:.4f} | {r.by_price / r.one_price:.2f} | "
            f"{r.by_price / r.equal:.2f} |"
        )
    yield ""


def between(rows: Sequence[Any]) -> Iterator[str]:
    """Gaps."""
    yield "## The gap between slices"
    yield ""
    highest = max((max(r.too_low, r.too_high) / r.reps for r in rows), default=np.nan)
    rejected = [r for r in rows if min(binom.sf(m - 1, r.reps, 0.05) for m in (r.too_low, r.too_high)) < TEST / max(len(rows), 1)]
    short = [r for r in rows if verdict(r.covered, r.reps) != "passes"]
    yield (
        "Equal slices with the same scores; the truth follows them in all (*alike*), in all but one (*one apart*), or less and less "
        "(*spread*). 2,000 draws. *Too low*: the upper bound at 5 % lay below the truth, so that a target just below it was passed "
        "falsely; *too high*: the lower bound above it. *Twin*: the same with the lower bound of one pair at the full tail, which looks "
        "for the largest of many differences and believes it."
    )
    yield ""
    yield (
        f"{len(rows)} cells: {len(short)} fall short of the rule of the [atlas](atlas.md) two-sided; the highest share of one-sided misses "
        f"is {highest:.4f}, and an exact test at {TEST} over all of them rejects {len(rejected)}."
    )
    yield ""
    yield "| metric | slices | truth | labels | gap | covered | too low | too high | twin too high | half-width |"
    yield "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|"
    for r in rows:
        too = " | ".join(f"{m / r.reps:.4f}" for m in (r.too_low, r.too_high, r.twin))
        covered = f"{r.covered / r.reps:.4f}{verdict_of(r.covered, r.reps)}"
        yield f"| {r.metric} | {r.slices} | {r.shape} | {r.labels:,} | {r.truth:.3f} | {covered} | {too} | {r.half_width:.3f} |"
    yield ""


def every(rows: Sequence[Any]) -> Iterator[str]:
    """Targets in every slice."""
    yield "## A target in every slice"
    yield ""
    highest = max((r.passed / r.reps for r in rows), default=np.nan)
    yield (
        "The target lies just above the lowest slice, so that it is not met. *Passed*: every slice was shown to meet it. *Twin*: the same "
        f"asked of the whole table. The highest share of false passes is {highest:.4f}."
    )
    yield ""
    yield "| metric | slices | truth | labels | target | passed | twin |"
    yield "|---|--:|---|--:|--:|--:|--:|"
    for r in rows:
        yield f"| {r.metric} | {r.slices} | {r.shape} | {r.labels:,} | {r.target:.3f} | {r.passed / r.reps:.4f} | {r.twin / r.reps:.4f} |"
    yield ""


def timed(rows: Sequence[Any]) -> Iterator[str]:
    """Seconds."""
    yield "## Time"
    yield ""
    yield "Seconds of a processor for all that `fewlabels size` prints: each goal, all together, uniform draws, and scores at their worst."
    yield ""
    yield "| slices | goal | labels, each goal | labels, all together | processor seconds |"
    yield "|--:|---|--:|--:|--:|"
    for r in rows:
        counts = " | ".join("all are too few" if n is None else f"{n:,}" for n in (r.labels, r.for_all))
        yield f"| {r.slices} | {r.goal} | {counts} | {r.seconds:.1f} |"
    yield ""
