"""Ribbons hold at all thresholds together and a search keeps its promise; each test has a twin that must fail."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.search_draw import design_for_search
from fewlabels.designs.base import takes_of
from fewlabels.estimators.ribbons import between, measure_thresholds
from fewlabels.estimators.thresholds import Pieces, limits_of, pieces_of, rank_of, read_thresholds, thresholds_of
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import F1, PRECISION, RECALL
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.threshold_search import find, search_of, search_order
from fewlabels.randomness import stream
from fewlabels.study.simulate import CellCounts, replicate_cells
from tests.statistics.populations import Known, known, overconfident, precise

pytestmark = pytest.mark.statistics
RIBBONS, SEARCHES = 24, 25  # the purposes of the streams below
REPS, LABELS = 150, 200


def flat(rng: np.random.Generator) -> Known:
    """Of 6,000 units above one half 79.7 % are positive whatever their score."""
    score = np.concatenate([rng.uniform(0.5, 1, 6_000), rng.uniform(0, 0.5, 24_000)])
    y = rng.random(score.size) < 0.05
    y[np.argsort(-score)[:6_000]] = (np.arange(6_000) * 797) % 1_000 < 797
    return known("flat", y, score, score >= 0.5)


def draws(at: Known, design: DrawDesign, labels: int, reps: int, rng: np.random.Generator) -> CellCounts:
    """Labels and positive ones by cell."""
    return replicate_cells(design, at.profile.count, at.positives, labels=labels, reps=reps, rng=rng)


def opened(at: Known, design: DrawDesign, labels: int) -> Pieces:
    take = takes_of(design, labels)
    return pieces_of(at.profile, design, thresholds_of(at.profile, design, take), take)


def truths(at: Known, bins: IntArray) -> dict[str, FloatArray]:
    flagged = rank_of(at.profile)[None, :] >= bins[:, None]
    found = (flagged @ at.positives).astype(np.float64)
    return {"precision": found / (flagged @ at.profile.count), "recall": found / at.positives.sum()}


def test_a_ribbon_holds_at_all_thresholds_and_intervals_alone_do_not(seed: int) -> None:
    at = overconfident(stream(seed, RIBBONS))
    design = choose_design(at.profile, [F1], labels=LABELS)
    pieces = opened(at, design, LABELS)
    n, k = draws(at, design, LABELS, REPS, stream(seed, RIBBONS, 1))
    bins = np.unique(rank_of(at.profile))
    inside = bins[(bins >= pieces.thresholds.bin[-1]) & (bins <= pieces.thresholds.bin[0])][::-1]
    units = (rank_of(at.profile)[None, :] >= inside[:, None]) @ at.profile.count.astype(np.float64)
    least = binom.ppf(1e-6, REPS, 0.95)
    for curve in measure_thresholds(pieces, n, k, metrics=(PRECISION, RECALL), level=0.95):
        truth = truths(at, pieces.thresholds.bin)[curve.metric]
        low, high = between(curve, units)
        everywhere = truths(at, inside)[curve.metric]
        assert ((low <= everywhere + 1e-12) & (everywhere <= high + 1e-12)).all(axis=1).sum() >= least
        alone = ((curve.low <= truth + 1e-12) & (truth <= curve.high + 1e-12)).all(axis=1).sum()
        assert alone < least or curve.metric == "recall"
        assert (curve.ribbon_high - curve.ribbon_low).mean() <= 2 * (curve.high - curve.low).mean()


def test_a_search_in_a_fixed_order_keeps_its_promise_and_one_without_does_not(seed: int) -> None:
    at = flat(stream(seed, SEARCHES))
    search, labels, reps = search_of(PRECISION, 0.8), 600, 200
    design = design_for_search(at.profile, search, labels=labels)
    pieces = opened(at, design, labels)
    wrong = truths(at, pieces.thresholds.bin)["precision"] < search.target
    n, k = (pieces.summed(x) for x in draws(at, design, labels, reps, stream(seed, SEARCHES, 1)))
    most = binom.ppf(1 - 1e-6, reps, 0.05)
    ends = find(pieces, search_order(pieces, at.profile, search), n, k, search)
    assert ((ends >= 0) & wrong[ends]).sum() <= most
    shown = limits_of(PRECISION, read_thresholds(pieces, n, k, flagged_only=True), tail=0.05)
    tried = (pieces.thresholds.planned >= search.fewest) & wrong
    for end in (shown.low, shown.value):  # any bound that passes, and any estimate
        assert (end[:, tried] >= search.target).any(axis=1).sum() > most


@pytest.mark.parametrize(("metric", "target"), [(PRECISION, 0.7), (RECALL, 0.8)])
def test_a_search_finds_thresholds_that_have_the_target(metric: Metric, target: float, seed: int) -> None:
    at = (overconfident if metric is PRECISION else precise)(stream(seed, SEARCHES, 2))
    search, labels, reps = search_of(metric, target), 300, 100
    design = design_for_search(at.profile, search, labels=labels) if metric is PRECISION else choose_design(at.profile, [F1], labels=labels)
    pieces = opened(at, design, labels)
    wrong = truths(at, pieces.thresholds.bin)[metric.name] < target
    n, k = (pieces.summed(x) for x in draws(at, design, labels, reps, stream(seed, SEARCHES, 3)))
    ends = find(pieces, search_order(pieces, at.profile, search), n, k, search)
    assert ((ends >= 0) & wrong[ends]).sum() <= binom.ppf(1 - 1e-6, reps, 0.05)
    assert (ends >= 0).mean() > 0.5
