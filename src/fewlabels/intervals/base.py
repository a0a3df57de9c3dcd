"""The type of an interval: how and from what its limits are computed, and what a reader must know about it.

An interval is computed from one of four inputs, which decides where it can be used:

    of_side     the evidence about one side (Evidence)         every draw, metric, slice, difference and correction; sides are joined
    of_error    the estimate and its usual standard error      a metric of one classifier
    of_counts   x of m labels inside a share                   a share of a domain, in a simple draw
    of_labels   the labels themselves, resampled               a metric of one classifier that counts units

The intervals are listed in `registered`; a package adds its own by an entry point (docs/how-to/extend.md).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.evidence import Evidence, Limits
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import Tally

NAME = re.compile("[a-z][a-z0-9_]*")

OfSide = Callable[[Evidence, float], Limits]
"""The limits of a side's positive share, each missed with probability at most about `tail` (alpha/2; alpha for one-sided).

Arguments and results are arrays over replicates, also `tail` if need be. Without a label p is NaN: the limits are then 0 and 1.
"""
End = Literal["low", "high"]
OfEnd = Callable[[Evidence, float, End], Limits]
"""The same with one of the limits alone, for half the work; the other is the share itself."""
OfError = Callable[[Metric, FloatArray, FloatArray, float], Limits]
"""The limits of a metric from its value, its usual standard error and `tail`, inside the metric's range."""
OfCounts = Callable[[FloatArray, FloatArray, float], Limits]
"""The limits of a share of which x of m labels are inside; m is at least 1."""


class OfLabels(Protocol):
    """The limits of a metric from resampled labels."""

    def __call__(self, metric: Metric, tally: Tally, value: FloatArray, /, *, tail: float, rng: np.random.Generator) -> Limits:
        """The limits, inside the metric's range."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interval:
    """How an interval is computed, and what is known about it.

    name                 its one name in code, command line, plans and JSON
    of_side, of_error, of_counts, of_labels   the function that computes its limits: exactly one of them
    of_end               beside of_side: one limit of a side alone, for forecasts that need no more; None if both are computed
    running              whether it is a confidence sequence for online draws instead, computed by its own code from the path of the labels
    symmetric            for of_error only: value -+ a normal quantile times the standard error, which works for differences too
    may_plan             whether a plan may be decided by it; such an interval has of_side, and a report includes its `statement`
    holds_over_looks     whether planned looks may share its error: each side errs at most as often as stated
    ends_with_units      whether its limits stop where the unlabeled units end; sides are then joined with at least their standard errors
    believes_guide       whether it assumes that the guide is calibrated: once labels show that it is not, strict decides in its place
    is_baseline          for comparison, not to be relied on; `caution` says where it is known to fail
    caution              what a reader must know wherever it is used; None if nothing
    statement            the assumptions of the interval, as a report states them
    package              the package that adds it; None for fewlabels itself
    """

    name: str
    of_side: OfSide | None = None
    of_error: OfError | None = None
    of_counts: OfCounts | None = None
    of_labels: OfLabels | None = None
    of_end: OfEnd | None = None
    running: bool = False
    symmetric: bool = False
    may_plan: bool = False
    holds_over_looks: bool = False
    ends_with_units: bool = False
    believes_guide: bool = False
    is_baseline: bool = False
    caution: str | None = None
    statement: str = ""
    package: str | None = None

    def __post_init__(self) -> None:
        """Check that the record is complete and consistent; raise PlanError otherwise."""
        made = [self.of_side, self.of_error, self.of_counts, self.of_labels, self.running or None]
        if not NAME.fullmatch(self.name):
            raise PlanError(f"the name of an interval must consist of lowercase letters, digits and _, got {self.name!r}: rename it")
        if sum(one is not None for one in made) != 1:
            raise PlanError(
                f"an interval must have exactly one of of_side, of_error, of_counts and of_labels, but {self.name} does not: give one"
            )
        if self.may_plan and (self.of_side is None or not self.statement):
            raise PlanError(
                f"an interval that may plan must have of_side and a statement for reports, but {self.name} lacks one: give both"
            )
        if self.is_baseline and not self.caution:
            raise PlanError(f"a baseline must say where it fails, but {self.name} has no caution: give one")

    @property
    def is_resampled(self) -> bool:
        """Whether it resamples labels and so needs an rng."""
        return self.of_labels is not None

    @property
    def untested(self) -> str | None:
        """A caution about an interval that fewlabels did not test; None for its own intervals."""
        if self.package is None:
            return None
        return f"the {self.name} interval comes from {self.package} and was not tested by fewlabels' coverage atlas"

    @property
    def cautions(self) -> tuple[str, ...]:
        """All cautions about it."""
        return tuple(caution for caution in (self.caution, self.untested) if caution)
