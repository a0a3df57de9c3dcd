"""Randomness, of two kinds that never mix: a unit's permanent number, and a simulation's seeded stream.

The permanent number (permanent random number) of a unit decides whether it is drawn and is the same on every engine. Two rules
derive it from the salt (random seed) and the id, and a study uses one of them:

    md5     the first 52 bits of md5("<salt>:<id>"): any id, and anyone can check it by hand
    fast    the first 52 bits of a 5-round Feistel permutation of a 64-bit integer id, keyed by the salt

A seeded stream is for simulation only.
"""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

BITS = 52
TOP = 1 << BITS  # permanent numbers lie in [0, TOP)
NumberRule: TypeAlias = Literal["md5", "fast"]
NUMBER_RULES: tuple[NumberRule, ...] = ("md5", "fast")

ROUNDS = 5
LOW_BITS = 20  # of a number, from the second half; its first 32 bits are the first half
HALF = (1 << 32) - 1  # the mask of half an id
ROUND_SHIFT = 14  # of the product t (t >> 2), which lies below 2^62.7: no engine's signed 64 bits overflow


def permanent_number(salt: str, unit: str, rule: NumberRule = "md5") -> int:
    """The unit's permanent number, an integer in [0, 2^52): by md5 the first 13 hex digits of md5("<salt>:<unit>")."""
    if rule == "fast":
        return int(fast_numbers(salt, np.array([int(unit)], dtype=np.int64))[0])
    digest = hashlib.md5(f"{salt}:{unit}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:13], 16)


def permanent_numbers(salt: str, units: Iterable[str], rule: NumberRule = "md5") -> NDArray[np.int64]:
    """The permanent numbers of many units, in their order."""
    if rule == "fast":
        return fast_numbers(salt, np.array([int(unit) for unit in units], dtype=np.int64))
    return np.array([permanent_number(salt, unit) for unit in units], dtype=np.int64)


def round_keys(salt: str) -> tuple[int, ...]:
    """The keys of the rounds, 30 bits each: the first words of sha256("pf|<salt>"), big-endian, without their last two bits."""
    digest = hashlib.sha256(f"pf|{salt}".encode()).digest()
    return tuple(int.from_bytes(digest[4 * i : 4 * i + 4], "big") >> 2 for i in range(ROUNDS))


def fast_numbers(salt: str, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fast permanent numbers of 64-bit integer ids.

    With (l, r) the halves of an id, each round with its key k is

        t = r + k,      (l, r) <- (r, l xor the low 32 bits of (t (t >> 2)) >> 14)

    and the number is l 2^20 + (r >> 12): the first 52 of the 64 bits, which together are a permutation of all ids. l is known a round
    before r, so an engine that compares with a bound needs the last round only for the few ids whose l is small enough.
    """
    left, right = (ids >> 32) & HALF, ids & HALF
    for key in round_keys(salt):
        t = right + key
        left, right = right, (left ^ ((t * (t >> 2)) >> ROUND_SHIFT)) & HALF
    return np.asarray((left << LOW_BITS) + (right >> (32 - LOW_BITS)))


def hex_bound(bound: int) -> str:
    """The text t such that the first 13 hex digits of an md5 sort before t if and only if their number is below the bound.

    Engines compare text with text, which is cheaper than parsing every digest. 2^52 has 14 digits, so "everything" is written as "g".
    """
    return "g" if bound >= TOP else f"{bound:013x}"


def new_salt() -> str:
    """A fresh salt: 128 random bits in hex, made after the population is fingerprinted."""
    return secrets.token_hex(16)


def stream(seed: int, *purpose: int) -> np.random.Generator:
    """The Generator for one purpose of a seed: same arguments, same numbers; the streams of other purposes do not affect it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def cluster_numbers(salt: str, clusters: Sequence[str | None], units: Sequence[str]) -> NDArray[np.int64]:
    """A number of 52 bits for the name of each unit's cluster; for its own id where it has none. Names stay where the table is."""
    named = (f"{salt}:cluster:{name}" if name is not None else f"{salt}:alone:{unit}" for name, unit in zip(clusters, units, strict=True))
    digests = (hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() for text in named)
    return np.array([int(digest[: BITS // 4], 16) for digest in digests], dtype=np.int64)


def is_double(salt: str, unit: str, share: float) -> bool:
    """Whether a unit is in the share that two labelers read: decided by salt and id alone, so that a larger share only adds units."""
    digest = hashlib.md5(f"{salt}:double:{unit}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:13], 16) < share * TOP
