"""Labels already owned: answers that exist for units chosen in any way. Their units are a part of their own, counted and never drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray, own_ints
from fewlabels.nouns.canonical import Json, fingerprint

Training: TypeAlias = Literal["yes", "no", "unknown"]  # whether the classifier learned from the known answers
TRAINING: tuple[Training, ...] = get_args(Training)
WRONG = 0.03  # the share of known answers that sizes expect a check to contradict
FEWEST_CHECKED = 5  # labels of the check in each part, or as many as it has units


class KnownTotals(NamedTuple):
    """Units of the known part on the two sides of a classifier, and how many of them are expected to be positive."""

    N1: float
    N0: float
    A: float
    B: float


class KnownCounts(NamedTuple):
    """The units with known answers, by prediction pattern and answer: one row for each of the two.

    pattern   the predictions; bit j is that of classifier j
    positive  the known answer
    N         units
    n         labels that the check gives them; 0 in all rows if nothing is checked, and the answers count as they are
    """

    pattern: IntArray
    positive: BoolArray
    N: IntArray
    n: IntArray

    @property
    def is_checked(self) -> bool:
        """Whether a random share is labeled again."""
        return bool(self.n.any())

    @property
    def labels(self) -> int:
        """The labels of the check."""
        return int(self.n.sum())

    @property
    def share(self) -> FloatArray:
        """The positive share that each row is expected to have."""
        return np.where(self.positive, 1 - WRONG, WRONG) if self.is_checked else self.positive.astype(np.float64)

    def flagged(self, classifier: int) -> BoolArray:
        """Which rows the classifier (by position) predicts positive."""
        return ((self.pattern >> classifier) & 1).astype(np.bool_)

    def totals(self, classifier: int) -> KnownTotals:
        """The units on the two sides of a classifier, and the positives expected among them."""
        flagged, positives = self.flagged(classifier), self.N * self.share
        return KnownTotals(*(float(values[side].sum()) for values in (self.N, positives) for side in (flagged, ~flagged)))


NOTHING = KnownTotals(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownLabels:
    """The answers that a study was given before its salt was made, with the cell of each unit.

    unit       ids, sorted
    positive   the answers
    pattern, guide_bin, slice   the cell of each unit
    check      the share of them to be labeled again, blind; 0 for none
    training   whether the classifier learned from them
    one_sided  whether only positives are known: nothing is said of the other units
    """

    unit: tuple[str, ...]
    positive: BoolArray
    pattern: IntArray
    guide_bin: IntArray
    slice: IntArray
    check: float = 0.0
    training: Training = "unknown"
    one_sided: bool = False

    def __post_init__(self) -> None:
        """Raise PlanError for a share that is none, an unknown word, and units that are not in order."""
        for name in ("pattern", "guide_bin", "slice"):
            object.__setattr__(self, name, own_ints(getattr(self, name)))
        if not 0 <= self.check <= 1:
            raise PlanError(f"the share of known answers to check must lie in [0, 1], got {self.check:g}: 0.05 is usual")
        if self.training not in TRAINING:
            raise PlanError(f"known answers were used in training: {', '.join(TRAINING)}, got {self.training!r}: choose one of these")
        lengths = {len(self.unit), self.positive.size, self.pattern.size, self.guide_bin.size, self.slice.size}
        if len(lengths) > 1 or not self.unit or any(a >= b for a, b in zip(self.unit, self.unit[1:], strict=False)):
            raise PlanError("known answers are of units in order, each once, with a cell: this is a defect, please report it")

    def __len__(self) -> int:
        """How many units have a known answer."""
        return len(self.unit)

    @property
    def row(self) -> IntArray:
        """The row of `counts` that each unit belongs to."""
        return np.asarray(np.unique(self.pattern * 2 + self.positive, return_inverse=True)[1]).astype(np.int64)

    @property
    def counts(self) -> KnownCounts:
        """The units by prediction pattern and answer, with the labels that the check gives them."""
        names, N = np.unique(self.pattern * 2 + self.positive, return_counts=True)
        n = np.minimum(np.maximum(np.ceil(self.check * N - 1e-9), FEWEST_CHECKED), N) if self.check else np.zeros(N.size)
        return KnownCounts(names // 2, names % 2 == 1, N.astype(np.int64), n.astype(np.int64))

    @property
    def hash(self) -> str:
        """The sha256 of all that is recorded of them."""
        return fingerprint(self._content())

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        return {**self._content(), "hash": self.hash}

    def _content(self) -> dict[str, Json]:
        cells: dict[str, Json] = {name: getattr(self, name).tolist() for name in ("pattern", "guide_bin", "slice")}
        answers = {"unit": list(self.unit), "positive": self.positive.astype(np.int64).tolist()}
        return {**answers, **cells, "check": self.check, "training": self.training, "one_sided": self.one_sided}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "KnownLabels":
        """The known answers that `as_json` wrote."""
        return cls(
            unit=tuple(data["unit"]),
            positive=np.array(data["positive"], dtype=np.bool_),
            pattern=own_ints(data["pattern"]),
            guide_bin=own_ints(data["guide_bin"]),
            slice=own_ints(data["slice"]),
            check=data["check"],
            training=data["training"],
            one_sided=data["one_sided"],
        )
