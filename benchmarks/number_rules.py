"""The rules that make permanent numbers, the twins that a battery must refuse, and the ids and salts they are tried on.

fast                          what fewlabels draws by: five rounds, shift 14, the left half first
md5                           the control: nobody doubts it
shift 16                      fast with a shift that mixes less: not told apart from random either
2, 3, 4 rounds                twins of fast with too few rounds: the first half is as it was a round before the last
4 rounds (right half first)   what was tried before: the same first 32 bits as fast, but the last 20 come out of three rounds
linear                        a twin whose rounds only add and multiply
"""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from fewlabels.nouns.arrays import IntArray
from fewlabels.randomness import HALF, ROUND_SHIFT, ROUNDS, fast_numbers, permanent_numbers, stream

Rule: TypeAlias = Callable[[str, IntArray], IntArray]
SALTS, IDS, STREAMS = 60, 61, 62  # purposes of the streams below


def keys(salt: str, rounds: int) -> list[int]:
    """Round keys for up to eight rounds: `round_keys` and the words of the same digest after them."""
    digest = hashlib.sha256(f"pf|{salt}".encode()).digest()
    return [int.from_bytes(digest[4 * i : 4 * i + 4], "big") >> 2 for i in range(rounds)]


def halves(salt: str, ids: IntArray, *, rounds: int = ROUNDS, shift: int = ROUND_SHIFT, linear: bool = False) -> tuple[IntArray, IntArray]:
    """Both halves of an id after the rounds, left and right: 64 bits, of which the number keeps 52."""
    left, right = (ids >> 32) & HALF, ids & HALF
    for key in keys(salt, rounds):
        t = right + key
        mixed = (t & HALF) * 0x2C1B3C6D >> shift if linear else (t * (t >> 2)) >> shift
        left, right = right, (left ^ mixed) & HALF
    return left, right


def feistel(salt: str, ids: IntArray, *, rounds: int = ROUNDS, shift: int = ROUND_SHIFT, linear: bool = False) -> IntArray:
    """The number by so many rounds: the very rule `fast` with the defaults, a twin of it otherwise."""
    left, right = halves(salt, ids, rounds=rounds, shift=shift, linear=linear)
    return np.asarray((left << 20) + (right >> 12))


def right_first(salt: str, ids: IntArray, *, rounds: int = ROUNDS - 1) -> IntArray:
    """The number with the right half first: it needs a round less for its first 32 bits, but its last 20 then come out of three."""
    left, right = halves(salt, ids, rounds=rounds)
    return np.asarray((right << 20) + (left >> 12))


def md5_numbers(salt: str, ids: IntArray) -> IntArray:
    """The md5 numbers of integer ids."""
    return permanent_numbers(salt, map(str, ids.tolist()))


FORMER = "4 rounds (right half first)"
RULES: dict[str, Rule] = {
    "fast": fast_numbers,
    "md5": md5_numbers,
    "shift 16": partial(feistel, shift=16),
    "2 rounds": partial(feistel, rounds=2),
    "3 rounds": partial(feistel, rounds=3),
    "4 rounds": partial(feistel, rounds=4),
    FORMER: right_first,
    "linear": partial(feistel, linear=True),
}
TWINS = tuple(RULES)[3:]


def salts(seed: int, count: int, purpose: int = SALTS) -> list[str]:
    """Salts as `new_salt` makes them, 128 bits in hex, from a recorded seed."""
    drawn = stream(seed, purpose).bytes(16 * count)
    return [drawn[16 * i : 16 * i + 16].hex() for i in range(count)]


def related(salt: str, bit: int) -> str:
    """The salt with one of its 128 bits turned."""
    return f"{int(salt, 16) ^ (1 << bit):032x}"


def strided(stride: int, n: int) -> IntArray:
    """Every stride-th integer."""
    return np.arange(n, dtype=np.int64) * stride


def snowflakes(n: int) -> IntArray:
    """Time in ms << 22 | worker << 12 | sequence: 8 workers, up to 4 ids a ms each."""
    i = np.arange(n, dtype=np.int64)
    return ((1_700_000_000_000 - 1_288_834_974_657 + i // 32) << 22) | ((i // 4 % 8) << 12) | (i % 4)


def two_fields(n: int) -> IntArray:
    """A number of a group in the upper half, a number within the group in the lower: 1,000 to a group."""
    i = np.arange(n, dtype=np.int64)
    return (i // 1000 << 32) | (i % 1000)


def timestamps(n: int, *, start: int, step: int) -> IntArray:
    """Events in time at uneven distances, all different."""
    return start + np.cumsum(stream(0, IDS).integers(1, 2 * step, n))


FAMILIES: dict[str, Callable[[int], IntArray]] = {
    "sequential": partial(strided, 1),
    "every 10th": partial(strided, 10),
    "every 1000th": partial(strided, 1000),
    "every 1024th": partial(strided, 1024),
    "shifted by 20 bits": partial(strided, 1 << 20),
    "shifted by 32 bits": partial(strided, 1 << 32),
    "negative": partial(strided, -1),
    "two fields": two_fields,
    "snowflake": snowflakes,
    "time in us": partial(timestamps, start=1_700_000_000_000_000, step=1_000),
    "time in ms": partial(timestamps, start=1_700_000_000_000, step=10),
    "random": lambda n: stream(0, IDS, 1).integers(-(1 << 63), (1 << 63) - 1, n),
}
