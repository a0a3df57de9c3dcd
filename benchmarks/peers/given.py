"""What a method is given and what it gives back. Imported where a peer is installed, so it needs NumPy alone."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Generator = np.random.Generator
NAN = float("nan")


class Table(NamedTuple):
    """Every unit's score, whether it is flagged, and what it truly is; a method may look at the truth of what it draws, and no other."""

    score: Floats
    flagged: Bools
    y: Bools

    @property
    def flagged_units(self) -> Ints:
        """The places of the flagged units."""
        return np.flatnonzero(self.flagged)


class Estimate(NamedTuple):
    """A value and its 95 % interval; nan where a package gives none."""

    value: float
    low: float = NAN
    high: float = NAN


METRICS = ("precision", "recall", "f1")
Estimates = dict[str, Estimate]  # by metric
Once = Callable[[Generator], Estimates]  # one draw, one estimate of every metric it is read for


class Part(NamedTuple):
    """A draw and the metrics that are read from it: if it raises, those are lost and no others."""

    metrics: tuple[str, ...]
    ready: Callable[[Table, int], Once]


class Method(NamedTuple):
    """One way to use a package: what it estimates, and how to get ready on a table for a number of labels.

    `glue` says which part of it is ours, and which defaults are changed. `draws` says which units it labels.
    """

    name: str
    parts: tuple[Part, ...]
    draws: str
    glue: str = ""

    @property
    def metrics(self) -> tuple[str, ...]:
        """What it estimates."""
        return tuple(metric for part in self.parts for metric in part.metrics)


def simple_draw(units: int, labels: int, rng: Generator) -> Ints:
    """Places of a simple random draw without replacement."""
    return rng.choice(units, size=labels, replace=False).astype(np.int64)


def f1_of(precision: float, recall: float) -> float:
    """F1 of a precision and a recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
