"""Chance, in two kinds that never mix: a unit's permanent number, and a simulation's seeded stream.

The permanent number of a unit is `md5("<salt>:<id>")` read as 52 bits. It decides who is drawn, is the same on every engine and
can be checked by hand. A seeded stream serves simulation only.
"""

import hashlib
import secrets
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

BITS = 52
TOP = 1 << BITS  # permanent numbers lie in [0, TOP)


def permanent_number(salt: str, unit: str) -> int:
    """The unit's permanent number, an integer in [0, 2^52): the first 13 hex digits of md5("<salt>:<unit>")."""
    digest = hashlib.md5(f"{salt}:{unit}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:13], 16)


def permanent_numbers(salt: str, units: Iterable[str]) -> NDArray[np.int64]:
    """The permanent numbers of many units, in their order."""
    return np.array([permanent_number(salt, unit) for unit in units], dtype=np.int64)


def hex_bound(bound: int) -> str:
    """Text t such that the first 13 hex digits of an md5 sort before t exactly if their number is below the bound.

    Engines compare text with text: cheaper than parsing every digest. 2^52 has 14 digits, so "everything" is written as "g".
    """
    return "g" if bound >= TOP else f"{bound:013x}"


def new_salt() -> str:
    """A fresh salt: 128 random bits in hex, made after the population is fingerprinted."""
    return secrets.token_hex(16)


def stream(seed: int, *purpose: int) -> np.random.Generator:
    """The Generator for one purpose of one seed: same arguments, same numbers; another purpose never shifts this one."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))
