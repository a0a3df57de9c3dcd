"""Asking one unit after another: predictions, rates, picks and bands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.made import calibrated
from fewlabels.designs.online import (
    BANDS,
    EVEN_SHARE,
    EVEN_SHARE_RARE,
    LEARNING,
    PRIOR,
    asking_rates,
    even_share,
    online_bands,
    picked,
    predicted,
)
from fewlabels.estimators.linearize import sizes
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.metrics import F1
from fewlabels.randomness import stream
from tests.identities.made import checked

left_units = arrays(np.float64, 5, elements=st.integers(0, 1000).map(float)).filter(lambda left: left.sum() > 0)
unit_sizes = arrays(np.float64, 5, elements=st.floats(0, 10))


def test_without_labels_the_guide_is_believed() -> None:
    np.testing.assert_allclose(predicted(np.zeros(2), np.zeros(2), np.array([0.2, 0.9])), [0.2, 0.9], rtol=1e-15)


def test_labels_outweigh_the_guide() -> None:
    assert predicted(np.array([300.0]), np.array([300.0]), np.array([0.1]))[0] == pytest.approx(1, abs=0.01)
    assert predicted(np.array([0.0]), np.array([PRIOR]), np.array([0.8]))[0] == pytest.approx(0.4)


@checked
@given(unit_sizes, left_units, st.floats(0.01, 1))
def test_rates_are_probabilities_and_leave_no_unit_out(size: FloatArray, left: FloatArray, even: float) -> None:
    rate = asking_rates(size, left, even=even)
    assert rate.sum() == pytest.approx(1)
    assert (rate[left == 0] == 0).all()
    assert (rate >= even * left / left.sum() * (1 - 1e-9)).all()


@checked
@given(unit_sizes, left_units)
def test_a_surprise_counts_for_no_more_units_than_the_even_share_allows(size: FloatArray, left: FloatArray) -> None:
    rate = asking_rates(size, left, even=0.3)
    some = left > 0
    assert (left[some] / rate[some] <= left.sum() / 0.3 * (1 + 1e-9)).all()


def test_rates_of_several_paths_are_those_of_each() -> None:
    rng = stream(1, 5)
    size, left = rng.random((4, 3)), rng.integers(0, 9, (4, 3)).astype(np.float64)
    left[:, 0] += 1
    together = asking_rates(size, left, even=0.5)
    for i in range(4):
        np.testing.assert_array_equal(together[i], asking_rates(size[i], left[i], even=0.5))


def test_where_nothing_is_uncertain_units_are_asked_evenly() -> None:
    np.testing.assert_allclose(asking_rates(np.zeros(2), np.array([30.0, 10.0]), even=0.3), [0.75, 0.25])


def test_the_even_share_is_larger_while_little_is_known_and_where_the_denominator_is_counted() -> None:
    assert even_share(rare=False, labels=LEARNING - 1) == 0.5
    assert even_share(rare=False, labels=LEARNING) == EVEN_SHARE
    assert even_share(rare=True, labels=LEARNING) == EVEN_SHARE_RARE


def test_each_band_is_picked_by_numbers_in_its_part_of_the_unit_interval() -> None:
    rate, left = np.array([0.25, 0.0, 0.5, 0.25]), np.array([5.0, 0.0, 5.0, 5.0])
    assert [picked(rate, left, v) for v in (0.0, 0.2499, 0.25, 0.7499, 0.75, 1 - 2**-53)] == [0, 0, 2, 2, 3, 3]


def test_a_band_without_units_is_never_picked() -> None:
    rate, left = np.array([0.5, 0.5, 0.0]), np.array([4.0, 0.0, 0.0])
    assert {picked(rate, left, v) for v in np.linspace(0, 1 - 2**-53, 99)} == {0}


def test_picks_come_as_often_as_the_rates_say() -> None:
    rate, left = np.array([0.1, 0.6, 0.3]), np.ones(3)
    v = (np.arange(10_000) + 0.5) / 10_000
    np.testing.assert_array_equal(np.bincount([picked(rate, left, x) for x in v]), [1_000, 6_000, 3_000])


def test_online_bands_cross_neither_sides_nor_kinds_and_hold_the_frame() -> None:
    profile = calibrated(stream(2, 1)).known().profile
    flagged = profile.predicted(0)
    kind = (np.arange(flagged.size) % 2).astype(np.int64)
    frame = flagged | (profile.guide > 0.001)
    design = online_bands(profile, frame=frame, kind=kind, flagged=flagged, size=sizes(profile, flagged, [F1]))
    assert ((design.band >= 0) == frame).all()
    for k in range(design.N.size):
        inside = design.band == k
        assert len({*zip(flagged[inside].tolist(), kind[inside].tolist(), strict=True)}) == 1
        assert design.N[k] == profile.count[inside].sum()
    assert 2 <= design.N.size <= 2 * BANDS
