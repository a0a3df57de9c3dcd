"""Joining groups that non-response left without a label to a neighbor."""

import numpy as np
import pytest
from hypothesis import given

from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.weighted import read_side
from fewlabels.nouns.tally import Tally
from tests.identities.made import EPS, checked, tallies, tally_of


@checked
@given(tallies(fewest=0))
def test_merging_keeps_every_sum_of_each_side(tally: Tally) -> None:
    merged = fill_empty(tally)
    for side in (True, False):
        before, after = tally.side(flagged=side), merged.side(flagged=side)
        assert (after.N.sum(), after.n.sum(), after.k.sum()) == (before.N.sum(), before.n.sum(), before.k.sum())
        weight = (np.abs(before.N * before.logit).sum() + 1) * 8 * EPS * (before.N.size + 1)
        assert abs((after.N * after.logit).sum() - (before.N * before.logit).sum()) <= weight
        assert abs((after.N * after.expected).sum() - (before.N * before.expected).sum()) <= weight + before.N.sum() * 8 * EPS
    assert (merged.N1, merged.N0) == (tally.N1, tally.N0)


@checked
@given(tallies(fewest=0))
def test_after_filling_an_empty_group_has_no_open_neighbor_with_labels(tally: Tally) -> None:
    filled = fill_empty(tally)
    for g in np.flatnonzero(filled.n == 0):
        same_side = filled.flagged == filled.flagged[g]
        assert not (same_side & (filled.n > 0) & (filled.n < filled.N)).any()


@checked
@given(tallies(fewest=0))
def test_merging_does_not_look_at_the_answers(tally: Tally) -> None:
    flipped = Tally(
        flagged=tally.flagged,
        N=tally.N,
        n=tally.n,
        k=tally.n - tally.k,
        logit=tally.logit,
        expected=tally.expected,
        N1=tally.N1,
        N0=tally.N0,
    )
    assert fill_empty(flipped).N.tolist() == fill_empty(tally).N.tolist()


def test_a_full_tally_is_left_alone() -> None:
    tally = tally_of([0, 0, 1], [10, 1, 30], [2, 1, 5], [1, 1, 0])
    assert fill_empty(tally) is tally


def test_a_census_of_ten_units_does_not_speak_for_a_thousand() -> None:
    """Ten certain units, all positive, beside a thousand of which one answered no: joined, they would claim 10 of 11."""
    merged = fill_empty(tally_of([1, 1], [10, 1000], [10, 1], [10, 0]))
    assert read_side(merged).p == pytest.approx(10 / 1010)


def test_one_label_speaks_for_its_own_group_only() -> None:
    """A hundred units sampled densely beside ten thousand with one answer: pooled, the first would claim the second."""
    assert read_side(fill_empty(tally_of([1, 1], [100, 10_000], [5, 1], [5, 0]))).p == pytest.approx(100 / 10_100)


@pytest.mark.parametrize(
    ("n", "N"),
    [
        ([5, 1, 5], [10, 10, 10]),
        ([0, 5, 5], [20, 10]),
        ([5, 5, 0], [10, 20]),
        ([0, 0, 5], [30]),
        ([1, 0, 1], [20, 10]),
        ([10, 0, 10], [10, 10, 10]),
    ],
)
def test_an_empty_group_joins_its_nearest_labeled_neighbor(n: list[int], N: list[int]) -> None:
    assert fill_empty(tally_of([1, 1, 1], [10, 10, 10], n, [0, 0, 0])).N.tolist() == N
