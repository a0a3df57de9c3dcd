"""Tipping points: whether the labels rule out what truly hides, and what ruling it out costs: docs/tipping.md.

    python -m benchmarks.tipping --data FOLDER --seed 42 --out docs/tipping.md        (make tipping)

The region where the scores see none is that of a plan of 600 labels for recall. Three questions, each on every table and made-up population
with its own scores, and with positives hidden evenly or where the draw would show them least:

    limit     how often more hide than U, the most that the labels do not rule out
    verdict   how often the target is said to stand whatever hides (U <= m*), with a target that the truth just misses
    price     how often the labels it takes rule out more than m: with none there, with as many as the scores expect, with m + 1
"""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.belief_free import LABELS, POPULATIONS, Where, units_of, water_filled
from benchmarks.made import Known
from benchmarks.options import parser_of
from benchmarks.tables import TWENTY_ONE
from benchmarks.tipping_page import page
from fewlabels.deciding.tipping import Hidden, evenly, labels_to_rule_out, tipping_point
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.sides import side_limits
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.weighted_sum import none_seen
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.metrics import RECALL
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.region import region_of
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, true_value

TAIL = 0.05
VERDICTS = 400
HIDDEN = (5, 20, 100)  # m of the price
SCORES = ("own", "hidden evenly", "hidden by water-filling")
A_HAIR = 1e-6


class Limits(NamedTuple):
    """How often a region held more than U at the tail and at half of it, and how often the target was falsely said to stand."""

    where: str
    scores: str
    units: int
    labels: int
    hidden: int
    reps: int
    above: int
    above_half: int
    verdicts: int
    false: int


class Price(NamedTuple):
    """How often so many labels rule out more than m positives."""

    where: str
    units: int
    most: int
    labels: int
    reps: int
    none_there: int
    expected: int  # positives, by the scores
    with_expected: int
    chance: float  # that the labels show none of the expected ones
    with_more: int


def region_groups(at: Known, groups: Groups, end: int) -> BoolArray:
    """The groups that are the region."""
    inside = groups.of_cell >= 0
    above = np.bincount(groups.of_cell[inside], weights=at.profile.guide_bin[inside] >= end, minlength=groups.N.size)
    return np.asarray(~groups.flagged & (above == 0))


def upper(tally: Tally, region: BoolArray, tail: float) -> FloatArray:
    """U, of every draw."""
    units = float(tally.N[region].sum())
    return np.floor(units * side_limits(read_side(tally.pick(region)), tail, USUAL_INTERVAL).high + 1e-6)


def at_place(where: Where, data: Path, *, reps: int, seed: int) -> tuple[Limits, list[Price]] | None:
    """Answer the three questions in one place; None if a plan for it has no region."""
    at = units_of(where, data, seed=42).known()
    if at.profile.count.sum() <= LABELS:
        return None
    design = choose_design(at.profile, [RECALL], labels=LABELS)
    end = region_of(at.profile, design)
    if end is None:
        return None
    groups = groups_of(at.profile, design)
    region = region_groups(at, groups, end)
    rng = stream(seed, int(hashlib.sha256("|".join(where).encode()).hexdigest()[:8], 16))
    if where.scores == "hidden by water-filling":
        at = at._replace(positives=water_filled(at, design, LABELS, TAIL))
    cells = np.isin(groups.of_cell, np.flatnonzero(region))
    hidden = int(at.positives[cells].sum())
    tally = replicate(groups, design, at.positives, labels=LABELS, reps=reps, rng=rng)
    above, above_half = (int((upper(tally, region, tail) < hidden).sum()) for tail in (TAIL, TAIL / 2))
    goal = parse_goal(f"recall >= {min(1.0, true_value(at.profile, at.positives, RECALL) + A_HAIR):.9f}")
    draws = list(zip(tally.n, tally.k, strict=True))[:VERDICTS]
    points = [tipping_point(goal, Hidden(tally.counted(n, k), region, 0.0), tail=TAIL) for n, k in draws]
    false = sum(point.holds for point in points)
    labels = round(float(tally.n[:, region].sum(-1).mean()))
    found = Limits(where.name, where.scores, int(groups.N[region].sum()), labels, hidden, reps, above, above_half, len(points), false)
    expected = round(float((at.profile.count * at.profile.guide)[cells].sum()))
    return found, list(prices(where, groups.N[region], expected, reps=reps, rng=rng)) if where.scores == "own" else []


def prices(where: Where, N: FloatArray, expected: int, *, reps: int, rng: np.random.Generator) -> Iterator[Price]:
    """What ruling out costs, in a region whose bands have so many units."""
    units, flat = int(N.sum()), np.zeros(N.size)
    bands = Tally(flagged=flat > 0, N=N, n=N, k=flat, logit=flat, expected=flat, N1=0.0, N0=float(units))

    def ruled_out(most: int, positives: int, take: FloatArray) -> int:
        there = rng.multivariate_hypergeometric(N.astype(np.int64), positives, size=reps, method="marginals")
        k = rng.hypergeometric(there, N.astype(np.int64) - there, take.astype(np.int64))
        tally = bands.counted(np.broadcast_to(take, k.shape).astype(np.float64), k.astype(np.float64))
        return int((upper(tally, flat == 0, TAIL / 2) <= most).sum())

    for most in HIDDEN:
        if most + 1 < units:
            labels = labels_to_rule_out(bands, most, tail=TAIL / 2)
            take = evenly(N, labels)
            chance = float(np.exp(none_seen(np.array([float(units)]), np.array([float(labels)]), np.array([float(expected)]))))
            shares = (ruled_out(most, 0, take), expected, ruled_out(most, expected, take), chance, ruled_out(most, most + 1, take))
            yield Price(where.name, units, most, labels, reps, *shares)


def places() -> list[Where]:
    """Everything."""
    names = [*(f"{table} {model}" for table, model in TWENTY_ONE), *(maker.__name__ for maker in POPULATIONS)]
    return [Where(name, scores) for scores in SCORES for name in names]


def main() -> None:
    """Make all cells and the page."""
    parser = parser_of(__doc__, reps=4_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    limits: list[Limits] = []
    found: list[Price] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for one in pool.map(partial(at_place, data=given.data, reps=given.reps, seed=given.seed), places()):
            if one is not None:
                limits.append(one[0])
                found += one[1]
                print(*one[0], flush=True)
    given.out.write_text(page(limits, found))


if __name__ == "__main__":
    main()
