"""What a budget can show, and how many labels a goal needs: sized for the interval that will be reported.

The expected answers of every group (from the guide before the first label, from the smoothed rates after) are put through the
very interval the study will report, so a size is not a normal approximation of it.

Main path: population > profile > [plan] > draw > labels > estimate > [decision] > report
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assay.designs.base import takes
from assay.estimators.grouping import Groups, groups_of
from assay.estimators.joint import uncorrelated
from assay.estimators.measuring import Measured, measure
from assay.estimators.weighted import PRIOR_LABELS, recalibrate
from assay.nouns.arrays import FloatArray
from assay.nouns.design import Design
from assay.nouns.estimate import IntervalKind
from assay.nouns.goal import Goal
from assay.nouns.profile import Profile
from assay.nouns.tally import AnyTally, Tally
from assay.planning.choosing import DesignName, choose_design, frame_of


class Forecast(NamedTuple):
    """What a number of labels is expected to show of a goal."""

    value: float | None
    half_width: float
    settles: bool


def spread_labels(groups: Groups, design: Design, labels: int) -> FloatArray:
    """Labels per group when `labels` are drawn: the band's take, shared by the units of its groups."""
    take = takes(design.mass, design.N, labels).astype(np.float64)
    return np.asarray(take[groups.band] * groups.N / design.N[groups.band])


def tails(goal: Goal, *, share: float = 1.0) -> tuple[float, float]:
    """The tail of the two-sided interval shown, and of the one-sided bound that settles a target; `share` of the error may be spent."""
    error = (1 - goal.level) * share
    return error / 2, error


def settles(goal: Goal, two_sided: Measured, one_sided: Measured) -> bool:
    """Whether these numbers would settle the goal, either way."""
    if goal.kind == "+-":
        return bool(two_sided.half_width <= goal.value)
    return bool(one_sided.low >= goal.value or one_sided.high <= goal.value)


def forecast(goal: Goal, tally: AnyTally, *, share: float = 1.0, interval: IntervalKind = "rec") -> Forecast:
    """What the expected answers of a tally show of a goal."""
    two, one = tails(goal, share=share)
    shown, bound = (measure(goal.definition, tally, tail=tail, interval=interval) for tail in (two, one))
    value = float(shown.value)
    return Forecast(value if np.isfinite(value) else None, float(shown.half_width), settles(goal, shown, bound))


def forecast_plan(
    profile: Profile,
    goal: Goal,
    *,
    labels: int,
    design: Design,
    share: float = 1.0,
    interval: IntervalKind = "rec",
    classifier: int = 0,
) -> Forecast:
    """What a draw of `labels` is expected to show if the scores are true probabilities."""
    return forecast(
        goal, expected_tally(profile, goal, design=design, labels=labels, classifier=classifier), share=share, interval=interval
    )


def expected_tally(profile: Profile, goal: Goal, *, design: Design, labels: int, classifier: int = 0) -> AnyTally:
    """What `labels` labels would say on average if the scores are true probabilities."""
    metric = goal.definition
    judged = range(profile.claims.shape[1]) if metric.joint and profile.claims is not None else [classifier]
    groups = [groups_of(profile, design, classifier=j, weight=metric.weight) for j in judged]
    spread = [spread_labels(mine, design, labels) for mine in groups]
    if metric.joint:
        return uncorrelated(groups, spread, [mine.expected for mine in groups])
    return groups[0].tally(spread[0], spread[0] * groups[0].expected)


def smallest(enough: Callable[[int], bool], *, low: int, high: int) -> int | None:
    """The smallest n in [low, high] that is enough, by doubling and bisection; None if even `high` is not."""
    n = low
    while not enough(n):
        if n >= high:
            return None
        low, n = n + 1, min(2 * n, high)
    high = n
    while low < high:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle + 1
    return high


def labels_needed(
    profile: Profile,
    goals: Sequence[Goal],
    *,
    name: DesignName = "bands",
    interval: IntervalKind = "rec",
    classifiers: Sequence[int] | None = None,
) -> int | None:
    """How many labels one draw needs to settle all goals if the scores are true probabilities; None: not even a census does.

    For a target this is the size at which the expected answers settle it: about an even chance. `classifiers` says which each goal is of
    (by position); the first, if not said.
    """
    metrics = [goal.definition for goal in goals]
    frame = int(profile.count[frame_of(profile, metrics)].sum())

    def enough(n: int) -> bool:
        design = choose_design(profile, metrics, labels=n, name=name)
        each = zip(goals, classifiers or [0] * len(goals), strict=True)
        return all(forecast_plan(profile, goal, labels=n, design=design, interval=interval, classifier=j).settles for goal, j in each)

    return smallest(enough, low=min(10, frame), high=frame)


def uniform_labels(profile: Profile, goal: Goal, simple: int | None) -> int | None:
    """How many units of the whole table would have to be labeled, drawn evenly, to have `simple` of the kind the goal needs."""
    if simple is None:
        return None
    frame = int(profile.count[frame_of(profile, [goal.definition])].sum())
    return min(profile.N, -(-simple * profile.N // frame))


def smoothed_shares(tally: Tally) -> FloatArray:
    """The positive share of every group as the labels and the recalibrated guide have it: (k + 2 mu) / (n + 2), per side."""
    q = np.empty_like(tally.k)
    for flagged in (True, False):
        mine = tally.flagged == flagged
        side = tally.side(flagged=flagged)
        q[..., mine] = (side.k + PRIOR_LABELS * recalibrate(side)) / (side.n + PRIOR_LABELS)
    return q
