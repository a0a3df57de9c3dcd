"""The array types of the nouns, and how a noun takes ownership of one."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


def own_ints(values: Sequence[int] | NDArray[np.generic]) -> IntArray:
    """A read-only int64 copy that belongs to the noun."""
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


def own_floats(values: Sequence[float] | Sequence[Sequence[float]] | NDArray[np.generic]) -> FloatArray:
    """A read-only float64 copy that belongs to the noun."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
