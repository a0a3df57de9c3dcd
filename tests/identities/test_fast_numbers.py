"""The fast permanent number against a second writing of it in integers without bounds, and turned back."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.number_rules import FORMER, RULES, feistel, halves
from fewlabels.randomness import LOW_BITS, ROUNDS, TOP, fast_numbers, permanent_number, permanent_numbers, round_keys
from tests.identities.made import checked

SALT = "9f86d081884c7d659a2feaa0c55ad015"
EXTREMES = (0, 1, -1, 2**31, -(2**31), 2**32, -(2**32), 2**53 + 1, 2**63 - 1, -(2**63))
GOLDEN = {
    0: 1076370959875835,
    1: 3868739564846724,
    -1: 3472922135587581,
    2**31: 1894170155914733,
    -(2**31): 3916409064577797,
    2**32: 411179965336017,
    -(2**32): 1060325807695130,
    2**53 + 1: 2068686249784405,
    2**63 - 1: 4369880524514343,
    -(2**63): 3599906864409122,
}
ids = st.integers(-(2**63), 2**63 - 1)
salts = st.text(st.characters(codec="utf-8"), max_size=40)


def by_hand(salt: str, unit: int) -> tuple[int, int]:
    """Both halves after the rounds, in Python integers. Nothing on the way may leave the 63 bits of an engine's positive integers."""
    digest = hashlib.sha256(b"pf|" + salt.encode()).hexdigest()
    left, right = divmod(unit % 2**64, 2**32)
    for i in range(ROUNDS):
        t = right + int(digest[8 * i : 8 * i + 8], 16) // 4
        product = t * (t // 4)
        assert 0 <= product < 2**63
        left, right = right, left ^ (product // 2**14 % 2**32)
    assert left * 2**20 < 2**63
    return left, right


def turned_back(salt: str, left: int, right: int) -> int:
    """The id whose halves became these: the rounds in reverse, as a signed integer."""
    for key in reversed(round_keys(salt)):
        t = left + key
        left, right = right ^ (t * (t >> 2) >> 14) % 2**32, left
    unit = left * 2**32 + right
    return unit - 2**64 if unit >= 2**63 else unit


@pytest.mark.parametrize("unit", EXTREMES)
def test_the_extremes_have_the_numbers_they_always_had(unit: int) -> None:
    assert int(fast_numbers(SALT, np.array([unit]))[0]) == GOLDEN[unit]
    assert permanent_number(SALT, str(unit), "fast") == GOLDEN[unit]


def test_the_extremes_do_not_share_numbers() -> None:
    assert len(set(GOLDEN.values())) == len(EXTREMES)


@pytest.mark.lengthy
@checked
@given(salts, st.lists(ids | st.sampled_from(EXTREMES), min_size=1, max_size=20))
def test_the_number_is_the_one_of_integers_without_bounds(salt: str, units: list[int]) -> None:
    expected = [left * 2**20 + right // 2**12 for left, right in (by_hand(salt, unit) for unit in units)]
    found = fast_numbers(salt, np.array(units, dtype=np.int64))
    assert found.tolist() == expected
    assert permanent_numbers(salt, map(str, units), "fast").tolist() == expected
    assert ((found >= 0) & (found < TOP)).all()


@checked
@given(salts, ids | st.sampled_from(EXTREMES))
def test_every_id_comes_back_from_its_64_bits(salt: str, unit: int) -> None:
    left, right = by_hand(salt, unit)
    assert turned_back(salt, left, right) == unit
    a, b = halves(salt, np.array([unit], dtype=np.int64))
    assert (int(a[0]), int(b[0])) == (left, right)


def test_the_largest_product_stays_below_the_sign() -> None:
    """The largest half and the largest key: t (t >> 2) is below 2^63 with room for no further bit."""
    t = (2**32 - 1) + (2**30 - 1)
    assert 2**62 < t * (t >> 2) < 2**63
    assert max(round_keys(str(salt))[0] for salt in range(1000)) < 2**30


@pytest.mark.lengthy
@pytest.mark.parametrize("count", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_a_million_ids_have_a_million_outcomes(count: int) -> None:
    """No two ids share all 64 bits. The twin keeps the first 32 bits, where 116 pairs of a million are expected to meet."""
    units = np.arange(-count // 2, count // 2, dtype=np.int64) << 13
    left, right = halves(SALT, units)
    assert np.unique((left << 32) | right).size == units.size
    assert np.unique(left).size < units.size


def test_the_rules_of_the_battery_are_the_rule_of_the_draw() -> None:
    units = np.array([*EXTREMES, *range(-1000, 1000)], dtype=np.int64)
    np.testing.assert_array_equal(feistel(SALT, units), fast_numbers(SALT, units))
    assert not (feistel(SALT, units, rounds=ROUNDS - 1) == fast_numbers(SALT, units)).any()


def test_the_first_32_bits_are_known_a_round_before_the_last_20() -> None:
    """An engine that compares with a bound may leave the last round out for all whose first bits are above it."""
    units = np.array([*EXTREMES, *range(-1000, 1000)], dtype=np.int64)
    np.testing.assert_array_equal(halves(SALT, units, rounds=ROUNDS - 1)[1], fast_numbers(SALT, units) >> LOW_BITS)
    assert not (fast_numbers(SALT, units) == RULES[FORMER](SALT, units)).any()  # the last 20 bits are not those of a round before


def test_round_keys_are_words_of_a_digest() -> None:
    """printf 'pf|abc' | sha256sum"""
    digest = hashlib.sha256(b"pf|abc").hexdigest()
    assert round_keys("abc") == tuple(int(digest[8 * i : 8 * i + 8], 16) >> 2 for i in range(ROUNDS))
    assert all(0 <= key < 2**30 for key in round_keys("abc"))
