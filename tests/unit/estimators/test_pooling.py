"""Parts of bands that are read together."""

import numpy as np
import pytest

from fewlabels.estimators.grouping import fill_empty, groups_of
from fewlabels.estimators.pooling import FEWEST, pool_parts, pooled
from fewlabels.estimators.weighted import read_side
from fewlabels.intervals.rare import rec
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally


def parts(N: FloatArray, n: FloatArray, k: FloatArray) -> Tally:
    return Tally(
        flagged=np.ones(N.size, dtype=np.bool_), N=N, n=n, k=k, logit=np.arange(N.size, dtype=np.float64), expected=np.full(N.size, 0.5),
        N1=float(N.sum()), N0=0.0,
    )  # fmt: skip


def test_a_part_that_is_its_whole_band_stands_alone() -> None:
    assert pool_parts(
        np.array([True, True]), np.zeros(2), expected=np.array([1.0, 2.0]), whole=np.array([True, True]), expansion=np.array([3.0, 4.0])
    ) is None  # fmt: skip


def test_parts_are_joined_until_they_expect_five_labels_and_never_across_sides() -> None:
    flagged = np.array([True] * 6 + [False] * 2)
    expected = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 9.0, 1.0, 1.0])
    pool = pool_parts(flagged, np.zeros(8), expected=expected, whole=np.zeros(8, dtype=np.bool_), expansion=np.arange(1.0, 9.0))
    assert pool is not None
    for home in np.unique(pool.home):
        members = pool.home == home
        assert len(set(flagged[members])) == 1
        assert expected[members].sum() >= FEWEST or not flagged[members][0]  # the other side expects two labels in all


def test_parts_of_unlike_rates_are_not_read_together() -> None:
    """A few labels that stand for little say nothing of many units that were hardly drawn from."""
    flagged = np.ones(3, dtype=np.bool_)
    expected, expansion = np.array([3.0, 3.0, 1.0]), np.array([2.0, 3.0, 200.0])
    pool = pool_parts(flagged, np.zeros(3), expected=expected, whole=np.zeros(3, dtype=np.bool_), expansion=expansion)
    assert pool is not None
    assert pool.home[0] == pool.home[1] != pool.home[2]


def test_a_part_without_a_label_stays_open() -> None:
    both = parts(np.array([100.0, 900.0]), np.array([10.0, 0.0]), np.array([10.0, 0.0]))
    pool = pool_parts(
        both.flagged, both.logit, expected=np.array([10.0, 1.0]), whole=np.zeros(2, dtype=np.bool_), expansion=np.array([10.0, 900.0])
    )
    assert pool is not None
    read = read_side(fill_empty(pooled(both, pool)))
    assert read.unlabeled == pytest.approx(0.9)
    assert float(rec(read, 0.025).low) < 0.1 < 0.9 < float(rec(read, 0.025).high)


def test_one_rate_is_plain_counting() -> None:
    both = parts(np.array([100.0, 200.0]), np.array([4.0, 8.0]), np.array([1.0, 3.0]))
    pool = pool_parts(
        both.flagged, both.logit, expected=np.array([4.0, 4.0]), whole=np.zeros(2, dtype=np.bool_), expansion=np.full(2, 25.0)
    )
    assert pool is not None
    joined = read_side(pooled(both, pool))
    plain = read_side(parts(np.array([300.0]), np.array([12.0]), np.array([4.0])))
    assert joined.p == pytest.approx(4 / 12)
    assert joined.raw == pytest.approx(float(plain.raw), rel=1e-12)


def test_different_rates_are_expanded_apart() -> None:
    both = parts(np.array([100.0, 900.0]), np.array([10.0, 9.0]), np.array([10.0, 0.0]))
    pool = pool_parts(
        both.flagged, both.logit, expected=np.array([4.0, 4.0]), whole=np.zeros(2, dtype=np.bool_), expansion=np.array([10.0, 100.0])
    )
    assert pool is not None
    assert read_side(pooled(both, pool)).p == pytest.approx(0.1)  # 10 labels stand for 100 units, 9 for 900; plain counting says 10/19


@pytest.mark.lengthy
def test_joined_parts_are_right_on_average() -> None:
    """Two bands that cross the sides of a second classifier, at rates four times apart: no bias beyond that of a ratio."""
    count = np.array([30, 270, 40, 660])  # cells: pattern 1, 1, 3, 3 would be whole; here bands mix the second classifier's sides
    profile = Profile(
        columns=(), pattern=np.array([0, 0, 2, 2]), guide_bin=np.array([1, 2, 1, 2]), slice=np.zeros(4, dtype=np.int64), count=count,
        slice_values=((),), guided=True, smallest_id="", largest_id="",
    )  # fmt: skip
    design = DrawDesign(name="bands", band=np.array([0, 1, 0, 1]), N=np.array([70, 930]), mass=np.array([7.0, 20.0]))
    take, truth = np.array([7, 20]), np.array([0, 0, 30, 200])
    groups = groups_of(profile, design, classifier=1, take=take)
    assert groups.pool is not None
    rng = np.random.default_rng(4)
    found = []
    for _ in range(4_000):
        n, k = np.zeros(groups.N.size), np.zeros(groups.N.size)
        for band in (0, 1):
            cells = np.flatnonzero(design.band == band)
            drawn = rng.multivariate_hypergeometric(np.stack([truth[cells], (count - truth)[cells]], 1).ravel(), int(take[band]))
            np.add.at(n, groups.of_cell[cells], drawn[0::2] + drawn[1::2])
            np.add.at(k, groups.of_cell[cells], drawn[0::2])
        found.append(float(read_side(groups.tally(n, k).side(flagged=True)).p))
    assert np.mean(found) == pytest.approx(230 / 700, abs=4 * np.std(found) / np.sqrt(4_000) + 0.004)
