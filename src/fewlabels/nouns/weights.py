"""Metric weights (dollars, views, users): how they are read, and the sums that a tally keeps.

A weight is rounded to 1/65,536 and summed as an integer, so that every engine gets the same sums to the last digit. Units are layered
by the power of two their weight reaches: within a layer no weight is more than twice another.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

QUANTA = 2.0**16  # whole numbers per unit of weight
LARGEST_WEIGHT = 2.0**40
MOST_QUANTA = 2**62  # of a whole population
FEWEST_QUANTA = 1_000  # per unit on average: with less, rounding to 1/65,536 would lose more than a thousandth
NO_LAYER = -1  # of units without weight
LAYERS = 57  # powers of two that quanta can reach


def layer_of(quanta: IntArray) -> IntArray:
    """The power of two each number of quanta reaches; NO_LAYER for none."""
    return np.where(quanta > 0, np.frexp(quanta.astype(np.float64))[1] - 1, NO_LAYER).astype(np.int64)


class LabelSums(NamedTuple):
    """Sums of metric weights x over labeled units by group, shape (..., G): x and x^2, and both over positive labels only."""

    x: FloatArray
    xx: FloatArray
    xy: FloatArray
    xxy: FloatArray


class WeightSums(NamedTuple):
    """Sums of the metric weights x over the groups of a tally and over their labeled units.

    X, XX     sums of x and x^2 over the group's units (x^2 as finely as cells distinguish weights), shape (G,)
    top       upper bound on the weight of a unit of the group, shape (G,)
    x, xx     sums of x and x^2 over labeled units, shape (..., G)
    xy, xxy   the same over labeled units that are positive
    """

    X: FloatArray
    XX: FloatArray
    top: FloatArray
    x: FloatArray
    xx: FloatArray
    xy: FloatArray
    xxy: FloatArray

    def pick(self, groups: BoolArray | IntArray) -> "WeightSums":
        """The sums of these groups."""
        return WeightSums(*(values[..., groups] for values in self))
