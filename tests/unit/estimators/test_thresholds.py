"""Thresholds of a classifier: which there are, what the labels say at each, and the ribbon over all of them."""

import numpy as np
import pytest

from fewlabels.designs.base import takes_of
from fewlabels.errors import GoalError
from fewlabels.estimators.grouping import groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.ribbons import Curve, between, measure_thresholds
from fewlabels.estimators.thresholds import (
    STEP,
    Pieces,
    Thresholds,
    limits_of,
    pieces_of,
    rank_of,
    read_thresholds,
    score_of,
    thresholds_of,
)
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.metrics import F1, PRECISION, RECALL
from fewlabels.planning.design_choice import DesignName, choose_design
from fewlabels.randomness import stream
from tests.identities.made import profile_of
from tests.unit.planning.made import HALF, PROFILE, calibrated

BIN_EDGES = 21  # the purpose of the streams below
METRICS = (PRECISION, RECALL, F1)


def drawn(labels: int, reps: int = 4, name: DesignName = "bands") -> tuple[Pieces, FloatArray, FloatArray]:
    """A draw for F1 on the calibrated profile, and labels by cell that are as the scores claim."""
    design = choose_design(PROFILE, [F1], labels=labels, name=name)
    take = takes_of(design, labels)
    pieces = pieces_of(PROFILE, design, thresholds_of(PROFILE, design, take), take)
    rng, n = stream(42, BIN_EDGES, labels), np.zeros((reps, PROFILE.count.size))
    for band, size in enumerate(take):
        cells = np.flatnonzero(design.band == band)
        n[:, cells] = rng.multivariate_hypergeometric(PROFILE.count[cells], size, size=reps, method="marginals")
    return pieces, n, rng.binomial(n.astype(np.int64), PROFILE.guide).astype(np.float64)


def curves(labels: int, reps: int = 4) -> tuple[Curve, ...]:
    pieces, n, k = drawn(labels, reps)
    return measure_thresholds(pieces, n, k, metrics=METRICS, level=0.95)


def test_the_score_of_a_bin_flags_that_bin_and_none_below() -> None:
    bins = np.arange(ladder.BINS)
    score = score_of(bins)
    assert (ladder.bin_of(score) == bins).all()
    assert (ladder.bin_of(np.nextafter(score[1:], -1)) == bins[:-1]).all()


@pytest.mark.parametrize("name", ["bands", "simple"])
def test_thresholds_flag_the_units_they_say_and_expect_labels_on_every_part(name: DesignName) -> None:
    pieces, _, _ = drawn(400, name=name)
    found = pieces.thresholds
    flagged = rank_of(PROFILE)[None, :] >= found.bin[:, None]
    assert (found.units == flagged @ PROFILE.count).all()
    assert (np.diff(found.planned) >= STEP - 1e-6)[:-1].all()
    assert found.planned[0] >= STEP - 1e-6
    for j in range(found.bin.size):
        for band in range(pieces.band.max() + 1):
            parts = [pieces.planned[(pieces.band == band) & ((pieces.first <= j) == side)].sum() for side in (True, False)]
            assert min(parts) == 0 or min(parts) >= STEP - 1e-6


def test_no_threshold_flags_what_the_draw_leaves_out() -> None:
    design = choose_design(PROFILE, [PRECISION], labels=200)
    found = thresholds_of(PROFILE, design, takes_of(design, 200))
    assert found.bin.min() >= HALF
    assert found.units.max() <= design.frame


def test_units_without_a_score_are_never_flagged() -> None:
    profile = profile_of({(0, 100): 300, (0, ladder.MISSING): 200, (1, HALF): 100, (1, HALF + 90): 100})
    design = choose_design(profile, [F1], labels=100)
    found = thresholds_of(profile, design, takes_of(design, 100))
    assert found.units.max() == 500


def test_a_classifier_without_a_score_and_a_draw_of_too_few_labels_have_no_thresholds() -> None:
    blind = profile_of({(0, 0): 400, (1, 0): 100}, guided=False)
    with pytest.raises(GoalError, match="none that guides the draw"):
        thresholds_of(blind, choose_design(blind, [F1], labels=50), np.array([25, 25]))
    design = choose_design(PROFILE, [PRECISION], labels=4)
    with pytest.raises(GoalError, match="a threshold needs 5 labels flagged"):
        thresholds_of(PROFILE, design, takes_of(design, 4))


@pytest.mark.parametrize("metric", METRICS)
def test_at_its_own_threshold_a_classifier_has_the_interval_it_has_alone(metric: Metric) -> None:
    design = choose_design(PROFILE, [F1], labels=300)
    take, flagged = takes_of(design, 300), PROFILE.predicted(0)
    own = Thresholds(np.array([HALF]), score_of(np.array([HALF])), np.array([float(PROFILE.count[flagged].sum())]), np.array([100.0]))
    pieces = pieces_of(PROFILE, design, own, take)
    _, n, k = drawn(300)
    groups = groups_of(PROFILE, design)
    of_group = np.eye(groups.N.size)[groups.of_cell]
    tally = groups.tally(n @ of_group, k @ of_group)
    expected = measure(metric, tally, tail=0.025)
    found = limits_of(metric, read_thresholds(pieces, pieces.summed(n), pieces.summed(k)), tail=0.025)
    for mine, theirs in ((found.value, expected.value), (found.low, expected.low), (found.high, expected.high)):
        assert mine[:, 0] == pytest.approx(theirs, abs=1e-7)  # a limit is a root, found to 1e-6 of itself


def test_parts_hold_all_units_and_all_labels() -> None:
    pieces, n, k = drawn(200)
    by_piece = pieces.summed(n), pieces.summed(k)
    assert by_piece[0].sum(axis=-1) == pytest.approx(n.sum(axis=-1))
    for j, parts in enumerate(read_thresholds(pieces, *by_piece)):
        assert sum(part.N for part in parts) == PROFILE.N
        assert sum(part.N for part in parts if part.flagged) == pieces.thresholds.units[j]
        assert sum(part.evidence.n for part in parts if part.evidence) == pytest.approx(n.sum(axis=-1))


def test_a_part_of_a_band_with_few_labels_joins_its_neighbor() -> None:
    pieces, n, k = drawn(200)
    home = pieces.of_cell
    band = int(pieces.band[home[PROFILE.guide_bin > HALF]].min())
    cells = np.sort(PROFILE.guide_bin[pieces.band[home] == band])
    inside = pieces.thresholds.bin[:1] * 0 + cells[cells.size * 7 // 8]
    design = choose_design(PROFILE, [F1], labels=200)
    units = np.array([float(PROFILE.count[PROFILE.guide_bin >= inside[0]].sum())])
    cut = pieces_of(PROFILE, design, Thresholds(inside, score_of(inside), units, units), takes_of(design, 200))
    tally = cut._tally(np.flatnonzero(cut.first == 0), *(cut.summed(x)[:, cut.first == 0] for x in (n, k)))
    assert tally.N.size < np.unique(cut.band[cut.first == 0]).size
    assert tally.N.sum() == units[0]


def test_replicates_are_read_as_studies_are() -> None:
    pieces, n, k = drawn(300)
    together = measure_thresholds(pieces, n, k, metrics=METRICS, level=0.95)
    for i, (one, both) in enumerate(zip(measure_thresholds(pieces, n[1], k[1], metrics=METRICS, level=0.95), together, strict=True)):
        assert one.value == pytest.approx(both.value[1], nan_ok=True), i
        assert one.ribbon_low == pytest.approx(both.ribbon_low[1], abs=1e-9)
        assert one.tail == pytest.approx(both.tail[1], abs=1e-9)


def test_a_ribbon_is_wider_than_one_interval_and_narrower_than_bonferroni() -> None:
    for curve in curves(250, reps=2):
        assert (curve.tail < 0.025 / 2).all()
        assert (curve.tail > 0.025 / curve.thresholds.bin.size).all()
        if curve.metric == "f1":
            assert (curve.ribbon_low <= curve.low + 1e-12).all()
            assert (curve.ribbon_high >= curve.high - 1e-12).all()


def test_positives_found_never_fall_along_a_ribbon() -> None:
    precision, recall, _ = curves(250, reps=2)
    for curve, scale in ((precision, precision.thresholds.units), (recall, np.ones(1))):
        for end in (curve.ribbon_low, curve.ribbon_high):
            assert (np.diff(end * scale, axis=-1) >= -1e-9).all()


def test_a_census_has_no_width() -> None:
    profile = calibrated(300)
    design = choose_design(profile, [F1], labels=profile.N)
    pieces = pieces_of(profile, design, thresholds_of(profile, design, design.N), design.N)
    n = profile.count.astype(np.float64)
    k = np.round(n * profile.guide)
    for curve in measure_thresholds(pieces, n, k, metrics=METRICS, level=0.95):
        assert curve.ribbon_high - curve.ribbon_low == pytest.approx(0, abs=1e-9)
        assert curve.value == pytest.approx(curve.ribbon_low, abs=1e-9)


def test_what_lies_between_two_thresholds_is_the_ribbon_at_them_and_wider_inside() -> None:
    for curve in curves(200, reps=2)[:2]:
        units = curve.thresholds.units
        low, high = between(curve, units)
        assert low == pytest.approx(curve.ribbon_low)
        assert high == pytest.approx(curve.ribbon_high)
        low, high = between(curve, (units[:-1] + units[1:]) / 2)
        assert (low <= high).all()
        if curve.metric == "recall":
            assert (high - low >= (curve.ribbon_high - curve.ribbon_low)[..., 1:] - 1e-12).all()
    with pytest.raises(GoalError, match="flagged units: ask for a threshold between them"):
        between(curve, np.array([1.0]))


def test_recall_is_unknown_where_nobody_drew_from_the_other_side() -> None:
    design = choose_design(PROFILE, [PRECISION], labels=200)
    take = takes_of(design, 200)
    pieces = pieces_of(PROFILE, design, thresholds_of(PROFILE, design, take), take)
    n = np.where(design.band >= 0, (take / design.N)[design.band] * PROFILE.count, 0.0)
    precision, recall = measure_thresholds(pieces, n, n * PROFILE.guide, metrics=(PRECISION, RECALL), level=0.95)
    assert np.isfinite(precision.value).all()
    assert np.isnan(recall.value).all()
    assert (recall.low < 0.04).all()  # everything left out may be positive
    assert recall.high[-1] == 1  # or nothing
    assert (np.diff(recall.high) >= 0).all()


def test_a_part_without_a_label_may_be_anything() -> None:
    pieces, n, k = drawn(300, reps=1)
    top = pieces._replace(thresholds=pieces.thresholds.pick(np.array([0])), first=np.where(pieces.first <= 0, 0, 1))
    nothing = np.where(top.first == 0, 0.0, top.summed(n))
    found = limits_of(PRECISION, read_thresholds(top, nothing, np.minimum(nothing, top.summed(k))), tail=0.025)
    assert np.isnan(found.value).all()
    assert (found.low == 0).all()
    assert (found.high == 1).all()
