"""What a number is about: the units of the table, or the process that the table came from."""

from typing import Literal, NamedTuple

from fewlabels.nouns.arrays import FloatArray

About = Literal["table", "process"]
ABOUT: tuple[About, ...] = ("table", "process")


class Clusters(NamedTuple):
    """The clusters of a table: how many there are, the units of the largest, and the sum over clusters of m^2 / N (`alike`).

    A unit without a cluster is one of its own; `alone` counts these.
    """

    number: int
    largest: int
    alike: float
    alone: int = 0

    @classmethod
    def of_sizes(cls, *, named: int, units: int, squares: float, largest: int, alone: int) -> "Clusters":
        """From the clusters that have a name, their units and sums of squared sizes, and the units that have none."""
        return cls(named + alone, max(largest, min(alone, 1)), (squares + alone) / max(1, units + alone), alone)


class Process(NamedTuple):
    """The table read as one of many that the same process could have given.

    clusters   the clusters that its units come in; None if each stands for itself
    pairs      from the labels: the estimated number of ordered pairs of different units in one cluster, by type of unit, shape
               (..., K, K); None before there are labels, and without clusters. Types are TP, FP, FN, TN; by weight, products are summed
    """

    clusters: Clusters | None = None
    pairs: FloatArray | None = None
