"""What an interval is: how it makes low and high, of what, and what a reader must know of it.

An interval reads one of four things. Which one decides what it may be asked about:

    of_side     what the labels of one side say (Evidence)     every draw, metric, slice, difference and correction; sides are joined
    of_error    the estimate and its usual standard error      a metric of one classifier
    of_counts   x of m labels inside a share                   a share of a domain, in a simple draw
    of_labels   the labels themselves, drawn again by chance   a metric of one classifier that counts units

The records are listed in `registered`; a package adds its own by an entry point (docs/how-to/extend.md).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import Tally

NAME = re.compile("[a-z][a-z0-9_]*")

OfSide = Callable[[Evidence, float], Limits]
"""The limits of a side's positive share, each missed with probability at most about `tail` (alpha/2; alpha for one-sided).

Arrays over replicates come in and go out, and `tail` may be one of them. Without a label p is NaN: the limits are then 0 and 1.
"""
OfError = Callable[[Metric, FloatArray, FloatArray, float], Limits]
"""The limits of a metric from its value, its usual standard error and `tail`, inside the metric's range."""
OfCounts = Callable[[FloatArray, FloatArray, float], Limits]
"""The limits of a share of which x of m labels are inside; m is at least 1."""


class OfLabels(Protocol):
    """The limits of a metric from labels drawn again."""

    def __call__(self, metric: Metric, tally: Tally, value: FloatArray, /, *, tail: float, rng: np.random.Generator) -> Limits:
        """The limits, inside the metric's range."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interval:
    """How an interval is made, and what is known of it.

    name                 its one name in code, command line, plans and JSON
    of_side, of_error, of_counts, of_labels   the function that makes its limits: one of them
    running              a band for online draws instead: made from the path of the labels, one by one, by code of its own
    symmetric            of_error only: value -+ a normal quantile times the standard error, which reads differences too
    may_plan             whether a plan may be decided by it; such an interval reads sides, and a report says its `statement`
    holds_over_looks     whether planned looks may share its error: it errs on each side as often as it says, or less
    is_baseline          there to be compared with, not to be relied on; `caution` says where it is known to fail
    caution              what a reader must know wherever it is used; None: nothing
    statement            what a report says the interval rests on
    package              the package that adds it; None: fewlabels itself
    """

    name: str
    of_side: OfSide | None = None
    of_error: OfError | None = None
    of_counts: OfCounts | None = None
    of_labels: OfLabels | None = None
    running: bool = False
    symmetric: bool = False
    may_plan: bool = False
    holds_over_looks: bool = False
    is_baseline: bool = False
    caution: str | None = None
    statement: str = ""
    package: str | None = None

    def __post_init__(self) -> None:
        """Refuses a record that says too little, or what contradicts itself."""
        made = [self.of_side, self.of_error, self.of_counts, self.of_labels, self.running or None]
        if not NAME.fullmatch(self.name):
            raise PlanError(f"an interval is named by small letters, digits and _, but got {self.name!r}: rename it")
        if sum(one is not None for one in made) != 1:
            raise PlanError(f"an interval has one of of_side, of_error, of_counts and of_labels, but {self.name} has not: give one")
        if self.may_plan and (self.of_side is None or not self.statement):
            raise PlanError(f"an interval that may plan has of_side and a statement for reports, but {self.name} lacks one: give both")
        if self.is_baseline and not self.caution:
            raise PlanError(f"a baseline says where it fails, but {self.name} has no caution: give one")

    @property
    def is_resampled(self) -> bool:
        """Whether it draws labels again, and so needs an rng."""
        return self.of_labels is not None

    @property
    def untested(self) -> str | None:
        """What a reader must know of an interval that fewlabels did not test; None of fewlabels' own."""
        if self.package is None:
            return None
        return f"the {self.name} interval comes from {self.package} and was not tested by fewlabels' coverage atlas"

    @property
    def cautions(self) -> tuple[str, ...]:
        """All that a reader must know of it."""
        return tuple(caution for caution in (self.caution, self.untested) if caution)
