"""The order of a search, the draw made for it, and how many labels it needs."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.search_draw import design_for_search
from fewlabels.designs.base import takes_of
from fewlabels.errors import GoalError
from fewlabels.estimators.thresholds import Pieces, pieces_of, rank_of, thresholds_of
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metrics import F1, PRECISION, RECALL
from fewlabels.nouns.profile import Profile
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.threshold_search import (
    IMAGINED,
    POWER,
    STRIDE,
    beliefs,
    find,
    imagined_counts,
    labels_to_find,
    last_passed,
    passes,
    prospect,
    search_of,
    search_order,
)
from fewlabels.randomness import stream
from tests.identities.made import profile_of
from tests.unit.planning.made import PROFILE

SEARCH = search_of(PRECISION, 0.8)
SEARCHING = 22  # the purpose of the streams below


def opened(design: DrawDesign, labels: int, profile: Profile = PROFILE) -> Pieces:
    take = takes_of(design, labels)
    return pieces_of(profile, design, thresholds_of(profile, design, take), take)


@pytest.mark.parametrize("made", [lambda: search_of(F1, 0.5), lambda: search_of(PRECISION, 1.0), lambda: search_of(RECALL, 0.5, 0.3)])
def test_a_search_that_no_labels_could_end_is_refused(made: Callable[[], object]) -> None:
    with pytest.raises(GoalError, match="precision or recall of at least a target"):
        made()


def test_the_fewest_labels_that_show_a_target_have_no_error() -> None:
    search = search_of(PRECISION, 0.95)
    assert search.target ** math.ceil(search.fewest) <= 0.05 < search.target ** math.floor(search.fewest)


@pytest.mark.lengthy
def test_precision_is_tried_from_a_start_down_and_recall_from_a_start_up() -> None:
    pieces = opened(choose_design(PROFILE, [F1], labels=150), 150)
    order = search_order(pieces, PROFILE, SEARCH)
    planned = pieces.thresholds.planned[order]
    assert planned[0] >= SEARCH.fewest
    assert (planned[1:] >= STRIDE * planned[:-1] - 1e-9).all()
    recall = search_order(pieces, PROFILE, search_of(RECALL, 0.8))
    assert (np.diff(recall) < 0).all()
    assert pieces.thresholds.units[recall[0]] < PROFILE.N  # to flag all units is no finding


def test_the_order_does_not_depend_on_labels_and_is_the_same_every_time() -> None:
    pieces = opened(choose_design(PROFILE, [F1], labels=120), 120)
    assert (search_order(pieces, PROFILE, SEARCH) == search_order(pieces, PROFILE, SEARCH)).all()


def test_with_fewer_labels_than_could_show_the_target_nothing_is_tried() -> None:
    search = search_of(PRECISION, 0.99)
    pieces = opened(choose_design(PROFILE, [PRECISION], labels=60), 60)
    order = search_order(pieces, PROFILE, search)
    assert order.size == 0
    n = pieces.planned[None, :]
    assert (find(pieces, order, n, n, search) == -1).all()


def test_a_search_ends_before_the_first_failure() -> None:
    passed = np.array([[1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]], dtype=np.bool_)
    assert last_passed(passed).tolist() == [1, -1, 3]


@pytest.mark.lengthy
@pytest.mark.parametrize("metric", [PRECISION, RECALL])
def test_the_threshold_found_passes_and_so_do_all_tried_before_it(metric: object) -> None:
    search = search_of(PRECISION if metric is PRECISION else RECALL, 0.4)
    pieces = opened(choose_design(PROFILE, [F1], labels=200), 200)
    order = search_order(pieces, PROFILE, search)
    n, k = imagined_counts(pieces, PROFILE, PROFILE.guide, reps=20, rng=stream(42, SEARCHING))
    passed = passes(pieces, n, k, search)
    ends = find(pieces, order, n, k, search)
    assert (ends >= 0).any()
    for row, end in zip(passed, ends.tolist(), strict=True):
        place = np.flatnonzero(order == end)[0] if end >= 0 else -1
        assert row[order[: place + 1]].all()
        assert place == order.size - 1 or not row[order[place + 1]]


def test_a_draw_for_a_search_looks_below_and_above_where_the_scores_say() -> None:
    design = design_for_search(PROFILE, SEARCH, labels=300)
    bins = np.unique(rank_of(PROFILE))[::-1]
    flagged = rank_of(PROFILE)[None, :] >= bins[:, None]
    claimed = (flagged @ (PROFILE.count * PROFILE.guide)) / (flagged @ PROFILE.count)
    crossing = bins[np.flatnonzero(claimed >= SEARCH.target)[-1]]
    drawn = design.band >= 0
    assert rank_of(PROFILE)[drawn].min() < crossing
    assert takes_of(design, 300).sum() == 300
    even = choose_design(PROFILE, [F1], labels=300)
    near = rank_of(PROFILE) >= crossing
    mine, evenly = ((takes_of(d, 300) / d.N)[d.band][near].mean() for d in (design, even))
    assert mine > 2 * evenly


def test_beliefs_weigh_one_and_lie_on_both_sides_of_the_scores() -> None:
    found = beliefs(PROFILE)
    assert sum(b.weight for b in found) == pytest.approx(1)
    middle = (PROFILE.guide > 1e-5) & (PROFILE.guide < 0.9)
    assert (found[0].share[middle] < PROFILE.guide[middle]).all()
    assert (found[-1].share[middle] > PROFILE.guide[middle]).all()


@pytest.mark.lengthy
def test_the_labels_needed_find_a_threshold_and_those_there_are_do_not() -> None:
    search, design = search_of(PRECISION, 0.6), choose_design(PROFILE, [F1], labels=60)
    needed = labels_to_find(PROFILE, search, PROFILE.guide, design=design, labels=60)
    assert needed is not None
    shown = prospect(PROFILE, search, PROFILE.guide, design=design, labels=needed)
    assert shown.chance >= POWER
    assert shown == prospect(PROFILE, search, PROFILE.guide, design=design, labels=needed)
    assert prospect(PROFILE, search, PROFILE.guide, design=design, labels=60).chance < POWER


def test_where_no_threshold_has_the_target_no_number_of_labels_finds_one() -> None:
    design = choose_design(PROFILE, [F1], labels=100)
    assert labels_to_find(PROFILE, search_of(PRECISION, 0.8), PROFILE.guide / 2, design=design, labels=100) is None


@pytest.mark.lengthy
def test_a_draw_for_the_search_finds_more_than_one_for_f1() -> None:
    designs = design_for_search(PROFILE, SEARCH, labels=150), choose_design(PROFILE, [F1], labels=150)
    made = [prospect(PROFILE, SEARCH, PROFILE.guide, labels=150, design=d) for d in designs]
    error = math.sqrt(0.25 / IMAGINED)
    assert made[0].chance > made[1].chance + 5 * error


def test_a_table_of_one_score_has_one_threshold() -> None:
    profile = profile_of({(0, 100): 900, (1, 2_500): 300})
    pieces = opened(design_for_search(profile, SEARCH, labels=100), 100, profile)
    assert search_order(pieces, profile, SEARCH).size <= 2
