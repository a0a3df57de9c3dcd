"""Claims of a ranking: made by bounds that share the error, closed under what follows, and leaving the best unharmed."""

import numpy as np
import pytest

from fewlabels.deciding.ranking import claims, rank
from fewlabels.errors import PlanError
from fewlabels.estimators.comparing import PairTally, compare
from fewlabels.nouns.metrics import metric_named
from tests.unit.estimators.test_comparing import tally_of

RECALL = metric_named("recall")
FIRST = tally_of([80, 30, 30, 20], [1, 1, 29, 17])  # the first is far better
SECOND = tally_of([80, 30, 30, 20], [1, 29, 1, 17])
UNSURE = tally_of([80, 10, 10, 20], [1, 5, 5, 17])


def just_better(tail: float) -> PairTally:
    """A first whose lower bound at this tail is about 0: better at a larger tail, not at a smaller one."""
    low, high = 9.0, 30.0
    for _ in range(16):
        middle = (low + high) / 2
        better = compare(RECALL, tally_of([80, 30, 30, 20], [1, 9, middle, 17]), tail=tail).low > 0
        low, high = (low, middle) if better else (middle, high)
    return tally_of([80, 30, 30, 20], [1, 9, high, 17])


def test_the_ranking_says_what_is_settled() -> None:
    found = rank(RECALL, {(0, 1): FIRST, (0, 2): FIRST, (1, 2): UNSURE}, ["a", "b", "c"])
    assert found.better == (("a", "b"), ("a", "c"))
    assert found.best == ("a",)
    open_one = rank(RECALL, {(0, 1): UNSURE, (0, 2): FIRST, (1, 2): UNSURE}, ["a", "b", "c"])
    assert open_one.better == (("a", "c"),)
    assert open_one.best == ("a", "b")
    none = rank(RECALL, {(0, 1): UNSURE}, ["a", "b"])
    assert (none.better, none.best) == ((), ("a", "b"))


def test_the_other_direction_is_read_from_the_same_bounds() -> None:
    assert rank(RECALL, {(0, 1): SECOND}, ["a", "b"]).best == ("b",)
    assert rank(RECALL, {(0, 1): SECOND}, ["a", "b"], lower_is_better=True).best == ("a",)


def test_what_follows_is_claimed() -> None:
    made = claims(RECALL, {(0, 1): FIRST, (1, 2): FIRST, (0, 2): UNSURE}, 3)
    assert made[0, 2]
    assert not made[2, 0]


def test_two_classifiers_share_the_error_of_both_directions() -> None:
    tally = just_better(0.04)
    assert rank(RECALL, {(0, 1): tally}, ["a", "b"]).better == ()


def test_a_claim_made_frees_its_share_for_the_others() -> None:
    """Of three classifiers the first claim is made at 0.05 / 6, the next at 0.05 / 5, the third at 0.05 / 4."""
    tally = just_better(0.05 / 5.5)
    alone = claims(RECALL, {(0, 1): UNSURE, (0, 2): tally, (1, 2): UNSURE}, 3)
    helped = claims(RECALL, {(0, 1): FIRST, (0, 2): tally, (1, 2): UNSURE}, 3)
    assert not alone[0, 2]
    assert helped[0, 2]


def test_replicates_are_ranked_each_for_itself() -> None:
    parts = [FIRST, UNSURE, SECOND]
    n, k = (np.stack([getattr(t.tally, name) for t in parts]) for name in ("n", "k"))
    together = FIRST._replace(tally=FIRST.tally.counted(n, k))
    made = claims(RECALL, {(0, 1): together}, 2)
    assert made[:, 0, 1].tolist() == [True, False, False]
    assert made[:, 1, 0].tolist() == [False, False, True]


def test_every_pair_is_needed() -> None:
    with pytest.raises(PlanError, match="a tally for each pair"):
        rank(RECALL, {(0, 1): FIRST}, ["a", "b", "c"])
    with pytest.raises(PlanError, match="two classifiers"):
        rank(RECALL, {}, ["a"])
