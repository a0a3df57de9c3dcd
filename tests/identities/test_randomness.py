"""Permanent numbers, checked by hand."""

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fewlabels.randomness import TOP, hex_bound, new_salt, permanent_number, permanent_numbers, stream
from tests.identities.made import checked

words = st.text(st.characters(codec="utf-8"))


def test_a_permanent_number_anyone_can_check() -> None:
    """printf 'abc:42' | md5sum gives c53f7de0f306835e7893e2ecd38ceac4; the first 13 digits are the number."""
    assert permanent_number("abc", "42") == 0xC53F7DE0F3068


@checked
@given(words, st.lists(words, max_size=5))
def test_permanent_numbers_are_the_top_52_bits_of_md5(salt: str, units: list[str]) -> None:
    by_hand = [int.from_bytes(hashlib.md5((salt + ":" + u).encode(), usedforsecurity=False).digest(), "big") >> 76 for u in units]
    assert permanent_numbers(salt, units).tolist() == by_hand
    assert all(0 <= number < TOP for number in by_hand)
    assert permanent_numbers(salt, units).astype(np.float64).astype(np.int64).tolist() == by_hand  # exact as a double


@checked
@given(st.integers(0, TOP - 1), st.one_of(st.integers(0, TOP), st.sampled_from([0, 1, TOP - 1, TOP])), st.integers(-2, 2))
def test_text_order_is_number_order(number: int, bound: int, near: int) -> None:
    for b in (bound, min(max(number + near, 0), TOP)):
        assert (f"{number:013x}" < hex_bound(b)) == (number < b)


def test_salts_differ_and_streams_are_kept_apart() -> None:
    assert len({new_salt() for _ in range(100)}) == 100
    assert stream(1, 2).random() == stream(1, 2).random()
    assert len({stream(1).random(), stream(1, 2).random(), stream(1, 3).random(), stream(1, 2, 3).random(), stream(2, 2).random()}) == 5
