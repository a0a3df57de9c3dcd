"""The evidence about one side and the limits drawn from it: what estimators and intervals pass to each other."""

from typing import NamedTuple

from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.late import Arrived


class Bands(NamedTuple):
    """Units, labels and positive labels of each band of a side; arrays whose last axis is over bands, the others over replicates."""

    N: FloatArray
    n: FloatArray
    k: FloatArray

    @property
    def magnitude(self) -> int:
        """The same for sides with about as many bands, whose limits are computed at once; 0 for a single band, which is exact."""
        many: int = self.N.shape[-1]
        return many.bit_length() if many > 1 else 0


class Evidence(NamedTuple):
    """The evidence about the positive share of one side; arrays over replicates.

    N, n       units and labels
    p          estimated positive share; NaN without a label
    raw        the usual variance of p; 0 where no band saw both answers
    v          the variance of p that intervals use: the larger of the usual and the smoothed one
    df         degrees of freedom of v
    spread     the weight of an error in a unit chosen uniformly from the side; 1 / Kish's effective n for an almost unlabeled side
    ordered    whether the labels have shown that positives increase with the guide on this side
    unlabeled  share of the side in groups without any label
    heaviest   the largest weight that one unlabeled unit's answer could have, where units differ in metric weight; else 0
    bands      the counts behind it, where they determine it: each band a simple random sample of its units, and units counted; else None
    alone      the evidence without other columns, where they steadied p and v, or about what has arrived so far; else None
    arrived    how earlier positives had arrived, where those of this side arrive by themselves; else None
    rest       the evidence about the units whose answers were not known beforehand, where all of the others count as known; else None
    """

    N: float
    n: FloatArray
    p: FloatArray
    raw: FloatArray
    v: FloatArray
    df: FloatArray
    spread: FloatArray
    ordered: BoolArray
    unlabeled: FloatArray
    heaviest: FloatArray | float = 0.0
    bands: Bands | None = None
    alone: "Evidence | None" = None
    arrived: Arrived | None = None
    rest: "Rest | None" = None


class Rest(NamedTuple):
    """The part of a side whose answers were not known: the evidence about it, its share of the side, and known positives per unit."""

    evidence: Evidence
    share: float
    held: FloatArray


class Limits(NamedTuple):
    """Lower and upper limit, arrays over replicates."""

    low: FloatArray
    high: FloatArray
