"""How many labels the interval of one share needs, without a table: the sample size before there is anything to plan.

The requested interval is computed from the expected answers, n labels of which n p are positive (fractions are allowed):

    wald              p -+ z sqrt(p (1 - p) / n), so n = ceil(z^2 p (1 - p) / e^2); the textbook's size, and a baseline
    wilson            the score interval of n p of n
    clopper_pearson   the exact interval of n p of n
    placed            what a study reports for a simple draw from one infinite side: as good as clopper_pearson
    rec               the same if the scores are trusted and the guide is right

and likewise any other interval that does not resample.

A share refers to the units of its domain: for precision, n counts flagged units. `uniform` tells how many labels of the whole table
contain that many. Derivation, and where it fails: docs/maths/shares.md.
"""

import math
from typing import Literal

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.measuring import Measured, measure
from fewlabels.estimators.multinomial import endless
from fewlabels.intervals.binomial import binomial
from fewlabels.intervals.registered import interval_named, reading_labels
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.metrics import PRECISION
from fewlabels.nouns.tally import Tally
from fewlabels.planning.sizing import smallest

Around = Literal["value", "middle"]
"""What a half-width is measured from.

value    the share itself: the distance to the farther limit, as in every goal "+-" of a study
middle   the middle of the interval: half of its width, which is less if the interval is not symmetric
"""
MAX_LABELS = 100_000_000
ROUNDING = 1e-12


def labels_for_share(
    half_width: float,
    share: float,
    *,
    level: float = DEFAULT_LEVEL,
    interval: IntervalKind = USUAL_INTERVAL,
    around: Around = "value",
) -> int:
    """The fewest labels at which the interval of an expected share has a half-width of at most `half_width`.

    A plan, not a promise: if the labels show a share nearer to 1/2 than the expected one, the interval is wider.
    """
    if not 0 < half_width < 1:
        raise PlanError(f"a half-width must lie in (0, 1), got {half_width}: 0.03 means three points either way")
    _check(share, level, interval)

    def enough(n: int) -> bool:
        return half_width_for(n, share, level=level, interval=interval, around=around) <= half_width * (1 + ROUNDING)

    found = smallest(enough, low=1, high=MAX_LABELS)
    if found is None:
        raise PlanError(f"half_width {half_width} around a share of {share} needs more than {MAX_LABELS:,} labels: widen it")
    return found


def half_width_for(
    labels: int,
    share: float,
    *,
    level: float = DEFAULT_LEVEL,
    interval: IntervalKind = USUAL_INTERVAL,
    around: Around = "value",
) -> float:
    """The half-width of the interval of a share estimated from `labels` labels."""
    found = expected_share(labels, share, level=level, interval=interval)
    return float(found.half_width if around == "value" else (found.high - found.low) / 2)


def expected_share(labels: int, share: float, *, level: float = DEFAULT_LEVEL, interval: IntervalKind = USUAL_INTERVAL) -> Measured:
    """The share and its limits if exactly that share of the labels is positive."""
    _check(share, level, interval)
    if labels < 1:
        raise PlanError(f"a share needs at least 1 label, got {labels}: raise it")
    n, p, tail = np.asarray(float(labels)), np.asarray(share), (1 - level) / 2
    kind = interval_named(interval)
    error = np.sqrt(p * (1 - p) / n)
    if kind.of_error is not None:
        return Measured(p, *kind.of_error(PRECISION, p, error, tail), error)
    if kind.of_counts is not None:
        return Measured(p, *binomial(n * p, n, tail, limits=kind.of_counts), error)
    return measure(PRECISION, _one_side(n, p), tail=tail, interval=interval)


def uniform(labels_flagged: int, flagged_share: float) -> int:
    """How many labels, drawn uniformly from the whole table, contain `labels_flagged` flagged units on average.

    On average: about half of all such draws contain fewer.
    """
    if not 0 < flagged_share <= 1:
        raise PlanError(f"flagged_share must lie in (0, 1], got {flagged_share}: give flagged units / all units")
    if labels_flagged < 0:
        raise PlanError(f"labels_flagged must be at least 0, got {labels_flagged}: raise it")
    return math.ceil(labels_flagged / flagged_share * (1 - ROUNDING))


def _one_side(n: FloatArray, p: FloatArray) -> Tally:
    """The tally of n labels of one infinite side, n p of them positive, whose guide is p."""
    s = np.clip(p, CLIP, 1 - CLIP)
    units = endless(float(np.max(n)))
    return Tally(
        flagged=np.array([True]), N=np.array([units]), n=n[None], k=(n * p)[None], logit=np.log(s / (1 - s))[None], expected=p[None],
        N1=units, N0=0.0,
    )  # fmt: skip


def _check(share: float, level: float, interval: IntervalKind) -> None:
    """Raise PlanError if the interval of the share cannot be computed."""
    if (kind := interval_named(interval)).is_resampled:
        known = ", ".join(name for name in reading_labels() if not interval_named(name).is_resampled)
        raise PlanError(f"the interval of a share must be one of {known}, got {interval!r}: use placed")
    if not 0 <= share <= 1:
        raise PlanError(f"a share must lie in [0, 1], got {share}: 0.9 means nine out of ten")
    if not 0.5 < level < 1:
        raise PlanError(f"a level must lie in (0.5, 1), got {level}: 0.95 is usual")
    if kind.of_error is not None and share in (0, 1):
        raise PlanError(
            f"{interval} has no width at a share of {share}, so any number of labels would do: use placed, clopper_pearson or wilson"
        )
