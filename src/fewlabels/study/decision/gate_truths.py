"""Truths a gate is tried on: integer counts of positives in every cell of a profile, chosen so that a metric has a given value.

Shares are those the scores claim, or those the labels showed. Their log-odds are shifted by a constant until the metric has the value,
then rounded to whole units, and units are changed one by one until the metric is on the required side of the target.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.goal import Goal
from fewlabels.planning.assumptions import moved
from fewlabels.planning.goal_scope import Ask, ask_of
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import groups_for, read_answers, tally

Shape = Literal["scores", "labels"]
MOST_STEPS = 10_000  # units changed one by one


def shapes_of(standing: Standing) -> tuple[Shape, ...]:
    """The shapes a truth may have: before the look only the scores, because the labels must not be read."""
    return ("scores", "labels") if progress(standing).complete else ("scores",)


def shares_of(standing: Standing, shape: Shape, classifier: int) -> FloatArray:
    """The share of positives in every cell: as the classifier's score claims, or as the labels showed for its group."""
    claimed = standing.profile.claimed(classifier)
    if shape == "scores":
        return claimed
    groups = groups_for(standing)[classifier]
    seen = groups.spread(smoothed_shares(tally(read_answers(standing), groups, classifier)))
    return np.where(groups.of_cell >= 0, seen[groups.of_cell], claimed)


def truth_at(standing: Standing, goal: Goal, shape: Shape, value: float | None, *, wrong: bool) -> IntArray:
    """Positives in every cell, so that the goal's metric is `value` (None: that of the shape); `wrong`: it just misses the target."""
    ask = ask_of(standing.profile, goal, names=standing.classifiers, slices=standing.population["slices"])
    share = np.clip(shares_of(standing, shape, ask.classifier), CLIP, 1 - CLIP)
    if value is not None:
        share[ask.cells] = moved(replace(ask, goal=replace(goal, expected=None)), share[ask.cells], value)
    positives = _whole(share, standing.profile.count, standing.profile.pattern * 2 + ask.cells)
    if wrong:
        positives[ask.cells] = _nudged(ask, positives[ask.cells])
    return positives


def value_at(standing: Standing, goal: Goal, positives: IntArray) -> float:
    """The goal's metric if these are the positives."""
    ask = ask_of(standing.profile, goal, names=standing.classifiers, slices=standing.population["slices"])
    return _value(ask, positives[ask.cells])


def is_kept(goal: Goal, value: float) -> bool:
    """Whether a value meets the goal's target."""
    return value >= goal.value if goal.kind == ">=" else value <= goal.value


def _value(ask: Ask, positives: IntArray) -> float:
    return ask.value(positives / ask.part.count)


def _whole(share: FloatArray, count: IntArray, kind: IntArray) -> IntArray:
    """Shares as whole units: the rounding error is carried to the next cell of the same kind, so that sums are preserved."""
    found = np.zeros(count.shape, dtype=np.int64)
    for one in np.unique(kind):
        mine = kind == one
        carried = np.floor(np.cumsum((share * count)[mine]) + 0.5)
        found[mine] = np.diff(carried, prepend=0.0).astype(np.int64)
    return np.clip(found, 0, count)


def _nudged(ask: Ask, positives: IntArray) -> IntArray:
    """The positives with the fewest units changed that put the metric on the wrong side of the target."""
    found = positives.copy()
    for _ in range(MOST_STEPS):
        if not is_kept(ask.goal, _value(ask, found)):
            return found
        found = _one_step(ask, found)
    raise PlanError(f"{ask.goal}: no truth was found on the wrong side of the target: the metric barely depends on the labels there")


def _one_step(ask: Ask, positives: IntArray) -> IntArray:
    """The positives with one unit changed: the one that moves the metric the wrong way by the least."""
    here, best = _value(ask, positives), None
    down = ask.goal.kind == ">="
    for cell, change in _candidates(ask, positives):
        tried = positives.copy()
        tried[cell] += change
        moved_by = _value(ask, tried) - here
        if (moved_by < 0) == down and moved_by != 0 and (best is None or abs(moved_by) < best[0]):
            best = (abs(moved_by), tried)
    if best is None:
        raise PlanError(f"{ask.goal}: no label moves the metric past its target: leave the rule out of the self-test")
    return best[1]


def _candidates(ask: Ask, positives: IntArray) -> list[tuple[int, int]]:
    """For each pattern of decisions, a cell that can gain a positive and one that can lose one."""
    found = []
    for pattern in np.unique(ask.part.pattern).tolist():
        mine = np.flatnonzero(ask.part.pattern == pattern)
        room, held = (ask.part.count - positives)[mine], positives[mine]
        found += [(int(mine[np.argmax(left)]), change) for left, change in ((room, 1), (held, -1)) if left.max() > 0]
    return found
