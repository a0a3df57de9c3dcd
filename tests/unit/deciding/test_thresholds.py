"""Where a search for a threshold ends, and what is said of it."""

import json

import numpy as np
import pytest

from benchmarks.search_draw import design_for_search
from fewlabels.deciding.thresholds import FoundThreshold, choose_threshold
from fewlabels.designs.base import takes_of
from fewlabels.estimators.thresholds import score_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metrics import F1, PRECISION, RECALL
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.threshold_search import Search, search_of
from fewlabels.randomness import stream
from tests.unit.planning.made import PROFILE

CHOOSING = 23  # the purpose of the streams below


def told(design: DrawDesign, labels: int, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Labels by cell of one draw, positive with these shares."""
    rng, n = stream(42, CHOOSING, labels), np.zeros(PROFILE.count.size)
    for band, size in enumerate(takes_of(design, labels)):
        cells = np.flatnonzero(design.band == band)
        n[cells] = rng.multivariate_hypergeometric(PROFILE.count[cells], size, method="marginals")
    return n, rng.binomial(n.astype(np.int64), share).astype(np.float64)


def chosen(search: Search, labels: int, share: FloatArray = PROFILE.guide) -> FoundThreshold:
    design = choose_design(PROFILE, [F1], labels=labels)
    n, k = told(design, labels, share)
    return choose_threshold(PROFILE, design, n, k, search=search, labels=labels)


@pytest.mark.lengthy
def test_a_precision_found_is_shown_with_its_bound_its_units_and_the_recall() -> None:
    found = chosen(search_of(PRECISION, 0.4), 250)
    assert found.threshold is not None
    assert found.bound is not None
    assert found.value is not None
    assert found.bound >= 0.4
    assert found.value > found.bound
    flagged = score_of(PROFILE.guide_bin) >= found.threshold
    assert found.units == PROFILE.count[flagged].sum()
    assert found.other == "recall"
    assert found.other_value is not None
    assert found.other_low < found.other_value < found.other_high
    assert found.needed is None
    assert "lowest threshold found with precision at least 0.4" in found.reason


@pytest.mark.lengthy
def test_a_recall_found_is_the_highest() -> None:
    found = chosen(search_of(RECALL, 0.3), 200)
    assert found.bound is not None
    assert found.bound >= 0.3
    assert found.other == "precision"
    assert "highest threshold found with recall" in found.reason


@pytest.mark.lengthy
def test_a_harder_target_is_found_higher_up() -> None:
    easy, hard = (chosen(search_of(PRECISION, target), 200) for target in (0.2, 0.4))
    assert easy.threshold is not None
    assert hard.threshold is not None
    assert easy.threshold < hard.threshold


@pytest.mark.lengthy
def test_none_found_says_how_many_labels_would() -> None:
    search = search_of(PRECISION, 0.7)
    found = chosen(search, 60)
    assert found.threshold is None
    assert found.bound is None
    assert found.needed is not None
    assert found.needed > 60
    assert f"a budget of about {found.needed:,} labels finds one" in found.reason


def test_none_found_says_where_no_threshold_seems_to_reach_the_target() -> None:
    found = chosen(search_of(PRECISION, 0.9), 150, share=PROFILE.guide / 4)
    assert found.threshold is None
    assert found.needed is None
    assert "not even all units of this draw" in found.reason


@pytest.mark.lengthy
def test_no_recall_found_asks_for_labels() -> None:
    found = chosen(search_of(RECALL, 0.999), 60)
    assert found.threshold is None
    assert found.needed is None or found.needed > 60


def test_too_few_labels_say_so() -> None:
    design = choose_design(PROFILE, [PRECISION], labels=40)
    n, k = told(design, 40, PROFILE.guide)
    found = choose_threshold(PROFILE, design, n, k, search=search_of(PRECISION, 0.97), labels=40)
    assert found.tried == 0
    assert "that could show it (40 are planned in all)" in found.reason


@pytest.mark.parametrize("target", [0.4, 0.97])
def test_a_result_is_plain_data(target: float) -> None:
    found = chosen(search_of(PRECISION, target), 120)
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["target"] == target


def test_a_draw_for_the_search_leaves_recall_open_but_bounded() -> None:
    search = search_of(PRECISION, 0.7)
    design = design_for_search(PROFILE, search, labels=250)
    n, k = told(design, 250, PROFILE.guide)
    found = choose_threshold(PROFILE, design, n, k, search=search, labels=250)
    assert found.threshold is not None
    assert design.frame < PROFILE.N
    assert found.other_value is None
    assert 0 <= found.other_low < found.other_high <= 1
