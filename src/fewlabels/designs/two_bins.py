"""Two bins: how many flagged units to label, given only a guess of the positive share of each side; no table, no scores.

    s = flagged share,   P = s pi1 + (1 - s) pi0,   r = s pi1 / P,   F = 2 s pi1 / (s + P),   q = 1 - pi

                 a simple draw of n             n1 flagged and n0 unflagged units, drawn separately: c1 / n1 + c0 / n0
    precision    pi1 q1 / (n s)                 c1 = pi1 q1                                           c0 = 0
    recall       r (1 - r) / (n P)              c1 = (r (1 - r))^2 q1 / pi1                           c0 = (r (1 - r))^2 q0 / pi0
    f1           F (1 - F)(2 - F) / (n (s + P))   c1 = (2 s (s + (1 - s) pi0) / (s + P)^2)^2 pi1 q1   c0 = (F (1 - s) / (s + P))^2 pi0 q0

These are squared standard errors, to first order and for an infinite table. They correspond to testsampleR's `test_samplesize` and
`optimal_n_positives`. A study with a table is sized by `planning/sizing.py`, for the interval that it will report.
Derivation, and where it fails: docs/maths/two-bins.md.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray

ROUNDING = 1e-12  # of a variance: a limit that is met exactly counts as met
MAX_LABELS = 10_000


class Errors(NamedTuple):
    """Standard errors of the three metrics; NaN where unknown because pi0 is."""

    precision: float
    recall: float
    f1: float


class MaxErrors(NamedTuple):
    """The largest standard errors allowed; infinity for no limit."""

    precision: float = math.inf
    recall: float = math.inf
    f1: float = math.inf


class Weights(NamedTuple):
    """The weight of each standard error in the sum that a split minimizes."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0


F1_ALONE = Weights(f1=1.0)


class Split(NamedTuple):
    """How many flagged and unflagged units to label."""

    flagged: int
    unflagged: int

    @property
    def labels(self) -> int:
        """The total number of labels."""
        return self.flagged + self.unflagged


class Sizes(NamedTuple):
    """The fewest labels that suffice; None if more than the maximum."""

    simple: int | None
    two_bins: Split | None


class ErrorParts(NamedTuple):
    """The components of the squared errors of precision, recall and f1: whole / n, or c1 / n1 + c0 / n0."""

    whole: FloatArray
    c1: FloatArray
    c0: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoBins:
    """What is guessed about a table before anything is labeled.

    pi1             positive share of the flagged units: the expected precision
    pi0             positive share of the unflagged units; None for no guess: then only precision has an error
    flagged_share   share of the units that are flagged; for a ratio flagged : unflagged see `flagged_share_of`
    """

    pi1: float
    pi0: float | None = None
    flagged_share: float

    def __post_init__(self) -> None:
        """Raise PlanError unless all shares lie strictly between 0 and 1."""
        _check_inside("pi1", self.pi1)
        _check_inside("flagged_share", self.flagged_share)
        if self.pi0 is not None:
            _check_inside("pi0", self.pi0)

    @classmethod
    def from_recall(cls, *, pi1: float, recall: float, flagged_share: float, measured_share: float | None = None) -> "TwoBins":
        """The same from a guess of recall instead of pi0.

            pi0 = s' pi1 (1 - recall) / (recall (1 - s'))

        measured_share   s', the flagged share of the data on which that recall was measured; by default that of this table. If this
                         table has another flagged share, it has another recall: what carries over is the two positive shares.
        """
        _check_inside("pi1", pi1)
        _check_inside("recall", recall)
        s = flagged_share if measured_share is None else measured_share
        _check_inside("flagged_share" if measured_share is None else "measured_share", s)
        pi0 = s * pi1 * (1 - recall) / (recall * (1 - s))
        if not pi0 < 1:
            raise PlanError(
                f"a positive share must be below 1, but recall {recall:g} with precision {pi1:g} and a share of {s:g} flagged needs one of "
                f"{pi0:.4g} among the unflagged units: raise recall above {s * pi1 / (s * pi1 + 1 - s):.4g}, lower pi1, or give the "
                "flagged share of the data that recall was measured on (measured_share)"
            )
        return cls(pi1=pi1, pi0=pi0, flagged_share=flagged_share)

    @property
    def parts(self) -> ErrorParts:
        """The components of the squared errors, in the order precision, recall, f1; NaN where unknown."""
        s, p1, p0 = self.flagged_share, self.pi1, math.nan if self.pi0 is None else self.pi0
        v1, v0 = p1 * (1 - p1), p0 * (1 - p0)
        P = s * p1 + (1 - s) * p0
        r, F = s * p1 / P, 2 * s * p1 / (s + P)
        moved = (r * (1 - r)) ** 2
        return ErrorParts(
            whole=np.array([v1 / s, r * (1 - r) / P, F * (1 - F) * (2 - F) / (s + P)]),
            c1=np.array([v1, moved * (1 - p1) / p1, (2 * s * (s + (1 - s) * p0) / (s + P) ** 2) ** 2 * v1]),
            c0=np.array([0.0, moved * (1 - p0) / p0, (F * (1 - s) / (s + P)) ** 2 * v0]),
        )

    def simple_errors(self, labels: int) -> Errors:
        """Standard errors if `labels` units are drawn from the whole table and each metric is the quotient of its counts."""
        _check_count("labels", labels, 1)
        return Errors(*np.sqrt(self.parts.whole / labels).tolist())

    def errors(self, flagged: int, unflagged: int) -> Errors:
        """Standard errors if flagged and unflagged units are drawn separately; without an unflagged one, only that of precision."""
        _check_count("flagged", flagged, 1)
        _check_count("unflagged", unflagged, 0)
        if not unflagged:
            return Errors(math.sqrt(float(self.parts.c1[0]) / flagged), math.nan, math.nan)
        return Errors(*np.sqrt(self._squared(np.array([flagged]), flagged + unflagged)[:, 0]).tolist())

    def best_flagged(self, labels: int, weights: Weights = F1_ALONE) -> int:
        """How many of `labels` (1 .. labels - 1) to spend on flagged units so that the weighted sum of the standard errors is smallest.

        Ties go to the smaller number. Corresponds to testsampleR's `optimal_n_positives`.
        """
        _check_count("labels", labels, 2)
        self._check(weights)
        n1 = np.arange(1, labels)
        return int(n1[np.argmin(self._sum(weights, n1, labels))])

    def labels_for(self, largest: MaxErrors, weights: Weights | None = None, *, max_labels: int = MAX_LABELS) -> Sizes:
        """The fewest labels whose standard errors are all at most `largest`, for a simple draw and for two bins.

        Among the splits of that many labels that meet the limits, the one with the smallest weighted sum of standard errors.
        weights   by default equal for the limited metrics. Corresponds to testsampleR's `test_samplesize`, which weights all three.
        """
        limited = [math.isfinite(limit) for limit in largest]
        if not any(limited) or not all(limit > 0 for limit in largest):
            raise PlanError(f"the largest errors must be above 0, and at least one finite, got {largest}: give one, such as f1=0.03")
        chosen = Weights(*map(float, limited)) if weights is None else weights
        self._check(largest)
        self._check(chosen)
        squares = np.square(largest) * (1 + ROUNDING)
        whole = self.parts.whole
        simple = _smallest(lambda n: bool(_kept(whole[:, None] / n, squares)[0]), low=1, high=max_labels)
        both = _smallest(lambda n: bool(self._splits(n, squares).any()), low=2, high=max_labels)
        if both is None:
            return Sizes(simple, None)
        n1 = 1 + np.flatnonzero(self._splits(both, squares))
        flagged = int(n1[np.argmin(self._sum(chosen, n1, both))])
        return Sizes(simple, Split(flagged, both - flagged))

    def _squared(self, n1: IntArray, labels: int) -> FloatArray:
        """Squared errors of the three metrics, one row each, for every n1 of `labels`."""
        _, c1, c0 = self.parts
        return np.asarray(c1[:, None] / n1 + c0[:, None] / (labels - n1))

    def _splits(self, labels: int, squares: FloatArray) -> BoolArray:
        """Which n1 = 1 .. labels - 1 meet the limits on the errors."""
        return _kept(self._squared(np.arange(1, labels), labels), squares)

    def _sum(self, weights: Weights, n1: IntArray, labels: int) -> FloatArray:
        """The weighted sum of the standard errors for every n1."""
        counts = np.array(weights) > 0  # an unknown error of weight 0 does not enter
        return np.asarray(np.array(weights)[counts] @ np.sqrt(self._squared(n1, labels)[counts]))

    def _check(self, asked: MaxErrors | Weights) -> None:
        """Raise PlanError for weights that are all 0, or for recall or f1 without a guess of pi0."""
        if isinstance(asked, Weights) and not (all(0 <= w < math.inf for w in asked) and any(asked)):
            raise PlanError(f"weights must be at least 0, finite and not all 0, got {asked}: give one, such as f1=1")
        idle = 0.0 if isinstance(asked, Weights) else math.inf
        if self.pi0 is None and (asked.recall != idle or asked.f1 != idle):
            raise PlanError(f"recall and f1 need the positive share of the unflagged units, but pi0 is not given for {asked}: guess pi0")


def flagged_share_of(ratio: float) -> float:
    """The flagged share where there are `ratio` flagged units for each unflagged one: testsampleR's k."""
    if not 0 < ratio < math.inf:
        raise PlanError(f"the ratio of flagged to unflagged units must be above 0 and finite, got {ratio}: give flagged / unflagged")
    return ratio / (1 + ratio)


def _kept(squared: FloatArray, squares: FloatArray) -> BoolArray:
    """Which columns meet the limits on the errors; a metric without a limit always does, known or not."""
    limited = np.isfinite(squares)
    return np.asarray((squared[limited] <= squares[limited, None]).all(axis=0))


def _smallest(enough: Callable[[int], bool], *, low: int, high: int) -> int | None:
    """The smallest n in [low, high] that suffices, if every larger one does; None if there is none."""
    sizes = range(low, high + 1)
    found = bisect_left(sizes, True, key=enough)
    return sizes[found] if found < len(sizes) else None


def _check_inside(name: str, share: float) -> None:
    """Raise PlanError unless the share lies in (0, 1)."""
    if not 0 < share < 1:
        raise PlanError(
            f"{name} must be above 0 and below 1, got {share}: at the ends the linearized error is 0, which is false; guess a little "
            "inside, such as 0.001 or 0.999"
        )


def _check_count(name: str, count: int, least: int) -> None:
    """Raise PlanError if there are too few labels."""
    if count < least:
        raise PlanError(f"{name} must be at least {least}, got {count}: raise it")
