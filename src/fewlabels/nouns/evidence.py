"""What the labels of one side say, and what is believed of it: the two things estimators and intervals hand each other."""

from typing import NamedTuple

from fewlabels.nouns.arrays import BoolArray, FloatArray


class Evidence(NamedTuple):
    """What the labels of one side say of its positive share; arrays over replicates.

    N, n       units and labels
    p          estimated positive share; NaN without a label
    raw        the usual variance of p; 0 where no band saw both answers
    v          the variance of p that intervals use: the larger of the usual and the smoothed one
    df         degrees of freedom of v
    spread     what an error in a unit chosen evenly over the side weighs; 1 / Kish's effective n of an almost unlabeled side
    ordered    whether the labels have shown that positives rise with the guide on this side
    unlabeled  share of the side in groups without any label
    heaviest   the most that one open unit's label could weigh, where units differ in metric weight; else 0
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


class Limits(NamedTuple):
    """Lower and upper limit, arrays over replicates."""

    low: FloatArray
    high: FloatArray
