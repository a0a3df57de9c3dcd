"""Paired differences: do their intervals hold, and what are they worth beside two draws of their own?

python -m benchmarks.comparing --data FOLDER --reps 2000 --seed 42 --out docs/comparing.md
"""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fewlabels
from benchmarks.comparing_page import GUIDES, KINDS, METRICS, Family, Guide, Row, page
from benchmarks.options import read_options
from fewlabels.deciding.ranking import claims
from fewlabels.engines.opening import open_engine
from fewlabels.estimators.comparing import PairTally, compare, pair_groups
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns import ladder
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.goal_scope import Ask, ask_of, contest_of
from fewlabels.planning.shared_draw import design_together
from fewlabels.randomness import stream
from fewlabels.study.simulate import replicate, replicate_cells

PAIRS = (
    ("fraud_sample", "gbm", "lr"),
    ("fraud_sample", "gbm", "rules"),
    ("mnist8", "mlp", "lr"),
    ("mnist8", "mlp", "nb"),
    ("mnist8", "lr", "nb"),
    ("hate_tweets", "lr", "hgb"),
    ("hate_tweets", "lr", "nb"),
    ("hate_tweets", "hgb", "nb"),
    ("news20_sci_space", "lr", "nb"),
    ("news20_talk_religion_misc", "lr", "hgb"),
)
PRICED = ("fraud_sample", "mnist8")  # tables whose pairs are also priced beside two draws
LABELS = (200, 500, 1_000, 2_000)
NEAR = 1.02  # two draws are priced to two per cent


class Judged(NamedTuple):
    """Cells of a profile of several classifiers, and their positives."""

    profile: Profile
    positives: NDArray[np.int64]


def judged(y: NDArray[np.bool_], guide_bin: NDArray[np.int64], pattern: NDArray[np.int64]) -> Judged:
    """The profile an engine would make of these units."""
    cells, where = np.unique(pattern * (ladder.BINS + 1) + guide_bin, return_inverse=True)
    profile = Profile(
        columns=(),
        guide_bin=cells % (ladder.BINS + 1),
        pattern=cells // (ladder.BINS + 1),
        slice=np.zeros(cells.size, dtype=np.int64),
        count=np.bincount(where),
        slice_values=((),),
        guided=True,
        smallest_id="",
        largest_id="",
    )
    return Judged(profile, np.bincount(where, weights=y).astype(np.int64))


def load(folder: Path, table: str, models: Sequence[str]) -> Judged:
    """A table of real predictions with its truth; the first model's score is the guide."""
    manifest = json.loads((folder / "manifest.json").read_text())[table]
    found = [
        fewlabels.Classifier(
            m, score=f"score_{m}", threshold=float(manifest["metrics"]["models"][m].get("threshold") or manifest["thresholds"][m])
        )
        for m in models
    ]
    engine = open_engine(fewlabels.read_population(folder / f"{table}.parquet", id="id", classifiers=found))
    profile = engine.profile()
    return Judged(profile, engine.positives(profile, truth="y"))


def turned(at: Judged, guide: Guide, rng: np.random.Generator) -> Judged:
    """The same units with the guide permuted over each pattern of decisions (shuffled), or turned round in it (reversed)."""
    if guide == "own":
        return at
    count = at.profile.count
    pattern, bins = np.repeat(at.profile.pattern, count), np.repeat(at.profile.guide_bin, count)
    first = np.repeat(np.cumsum(count) - count, count)
    y = np.arange(bins.size) - first < np.repeat(at.positives, count)
    new = bins.copy()
    for p in np.unique(pattern):
        mine = np.flatnonzero(pattern == p)
        new[mine] = rng.permutation(bins[mine]) if guide == "shuffled" else bins[mine][::-1]
    return judged(y, new, pattern)


def asked(at: Judged, name: str, first: int, second: int) -> Ask:
    """The goal that one classifier (by position) is better than another."""
    goal = Goal(metric=name, kind=">=", value=0.0, classifier=str(first), over=str(second))
    return ask_of(at.profile, goal, names=[str(j) for j in range(int(at.profile.pattern.max()).bit_length())])


def drawn_for(at: Judged, name: str, pairs: Sequence[tuple[int, int]], *, labels: int) -> DrawDesign:
    """The draw a study makes for these differences."""
    asks = [asked(at, name, *pair) for pair in pairs]
    return design_together(at.profile, asks, [None] * len(asks), labels=labels, choice=Design())


def covered(at: Judged, name: str, pair: str, *, guide: Guide, reps: int, seed: int) -> Iterator[Row]:
    """Coverage of one metric of the first two classifiers at every budget that is not a census."""
    contest = contest_of(asked(at, name, 0, 1))
    truth = contest.value(at.positives / at.profile.count)
    for labels in LABELS:
        design = drawn_for(at, name, [(0, 1)], labels=labels)
        if labels >= design.frame:
            continue
        groups = contest.groups(design)
        tally = groups.of(replicate(groups.groups, design, at.positives, labels=labels, reps=reps, rng=stream(seed, labels)))
        found = {kind: compare(contest.metric, tally, tail=0.025, interval=kind) for kind in KINDS}
        hits = {kind: int(((m.low - 1e-12 <= truth) & (truth <= m.high + 1e-12)).sum()) for kind, m in found.items()}
        width = float((found["rec"].high - found["rec"].low).mean() / 2)
        yield Row(pair, name, labels, guide, truth, hits, width, None)


def two_draws(alone: Sequence[Judged], name: str, labels: int, *, reps: int, seed: int) -> float:
    """The mean half-width of the difference from a draw for each classifier, half of the labels each, in its default bands."""
    metric, each = metric_named(name), []
    for c, at in enumerate(alone):
        design = choose_design(at.profile, [metric], labels=labels // 2)
        used = min(labels // 2, design.frame)
        tally = replicate(groups_of(at.profile, design), design, at.positives, labels=used, reps=reps, rng=stream(seed, labels, c))
        each.append(measure(metric, tally, tail=0.025))
    a, b = each
    return float((np.hypot(a.value - a.low, b.high - b.value) + np.hypot(a.high - a.value, b.value - b.low)).mean() / 2)


def priced(row: Row, alone: Sequence[Judged], *, reps: int, seed: int) -> Row:
    """The row with the labels of two draws as wide."""
    low, high = row.labels, 2 * alone[0].profile.N
    while high > NEAR * low:
        middle = round(np.sqrt(low * high))
        wide = two_draws(alone, row.metric, middle, reps=reps, seed=seed) > row.half_width
        low, high = (middle, high) if wide else (low, middle)
    return row._replace(two=high)


def rows(folder: Path, *, reps: int, seed: int) -> Iterator[Row]:
    """Every pair, metric, budget and guide."""
    for table, *models in PAIRS:
        at = load(folder, table, models)
        alone = [load(folder, table, [m]) for m in models] if table in PRICED else []
        for g, guide in enumerate(GUIDES):
            known = turned(at, guide, stream(seed, g))
            for name in METRICS:
                for row in covered(known, name, f"{table} {models[0]} - {models[1]}", guide=guide, reps=reps, seed=seed):
                    yield priced(row, alone, reps=200, seed=seed) if alone and guide == "own" else row


def tied(k: int, rng: np.random.Generator) -> Judged:
    """20,000 units and k classifiers that tie exactly in every metric: each way to disagree holds 30 positives and 60 others."""
    patterns, truths = [], []
    for pattern in range(1 << k):
        sizes = {0: (100, 20_000 - 460 - 90 * ((1 << k) - 2)), (1 << k) - 1: (300, 60)}.get(pattern, (30, 60))
        patterns.append(np.full(sum(sizes), pattern))
        truths.append(np.arange(sum(sizes)) < sizes[0])
    y = np.concatenate(truths)
    log_odds = 2 * (rng.normal(0, 1, y.size) + 2.0 * y) - 4
    return judged(y, ladder.bin_of(1 / (1 + np.exp(-log_odds))), np.concatenate(patterns))


def families(*, reps: int, seed: int) -> Iterator[Family]:
    """Studies with a false claim, by Holm's rule and by bare Wald intervals."""
    for k in (3, 4):
        at = tied(k, stream(seed, k))
        for name in ("f1", "recall", "accuracy"):
            for labels in (200, 400):
                tallies = ranked(at, name, k, labels=labels, reps=reps, rng=stream(seed, k, labels))
                false = claims(metric_named(name), tallies, k).any(axis=(-2, -1))
                wald = [compare(metric_named(name), t, tail=0.025, interval="wald") for t in tallies.values()]
                bare = np.any([(m.low > 0) | (m.high < 0) for m in wald], axis=0)
                yield Family(k, name, labels, int(false.sum()), int(bare.sum()))


def ranked(at: Judged, name: str, k: int, *, labels: int, reps: int, rng: np.random.Generator) -> dict[tuple[int, int], PairTally]:
    """Draws for all pairs of k classifiers, read for each pair."""
    pairs = list(combinations(range(k), 2))
    design = drawn_for(at, name, pairs, labels=labels)
    drawn = replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=reps, rng=rng)
    each = {pair: pair_groups(at.profile, design, *pair) for pair in pairs}
    return {pair: groups.tally(groups.groups.summed(drawn.n), groups.groups.summed(drawn.k)) for pair, groups in each.items()}


def main() -> None:
    """Runs all pairs and writes the page."""
    options = read_options(__doc__, reps=2_000)
    chance = {"reps": options.reps, "seed": options.seed}
    options.out.write_text(page(list(rows(options.data, **chance)), list(families(**chance)), **chance))


if __name__ == "__main__":
    main()
