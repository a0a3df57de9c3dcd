"""How the interval of each goal narrowed as labels came in.

A fixed plan is reread at the first k units of its asking order, which are themselves the plan of that size, and only once its look is
reached: no interval is seen early, and the earlier ones illustrate, they are not looks. An online plan has a running band at every step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.deciding.online_status import standpoint
from fewlabels.designs.base import takes_of
from fewlabels.errors import FewlabelsError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import Goal, whose
from fewlabels.nouns.works_with import FEATURES, refusal_of
from fewlabels.study.estimate.estimates import name_of, read_estimates
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.state.online_path import walked
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing

POINTS, FEWEST = 14, 20
KIND = Literal["afterwards", "running", "none"]


class ConvergencePoint(NamedTuple):
    """The interval of a goal after `labels` labels; `value` is None if it had none yet."""

    labels: int
    low: float
    value: float | None
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """The points of each goal, from few labels to all; `why` gives the reason if there are none."""

    kind: KIND
    goals: tuple[tuple[Goal, tuple[ConvergencePoint, ...]], ...] = ()
    why: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        goals: list[Json] = [{"goal": str(goal), "points": [{**point._asdict()} for point in points]} for goal, points in self.goals]
        return {"kind": self.kind, "goals": goals, "why": self.why}


def read_convergence(standing: Standing) -> Convergence:
    """How the intervals of the goals narrowed."""
    plan, done = standing.plan, progress(standing)
    if not done.complete:
        return Convergence(kind="none", why=f"no interval before all {done.planned:,} planned units are resolved, {done.labels:,} are")
    refused = refusal_of("convergence", standing.traits)
    if refused is not None:
        return Convergence(kind="none", why=f"{FEATURES['convergence'].rule}, not with {refused.trait}: {refused.why}")
    seen: dict[Goal, list[ConvergencePoint]] = {goal: [] for goal in plan.goals}
    interval = interval_in_force(standing)  # one for all points
    for labels in sizes(plan.budget):
        for goal, point in _points(standing, labels, interval):
            seen[goal].append(point)
    return Convergence(kind="afterwards", goals=tuple((goal, tuple(points)) for goal, points in seen.items()))


def sizes(most: int) -> list[int]:
    """Numbers of labels from few to all, in geometric progression."""
    found = np.unique(np.geomspace(min(FEWEST, most), most, POINTS).round().astype(np.int64)).tolist() if most else []
    return [*(a for a, b in pairwise(found) if a < b), *found[-1:]]


def _points(standing: Standing, labels: int, interval: IntervalKind) -> Iterator[tuple[Goal, ConvergencePoint]]:
    """The interval of each goal that has one after the first `labels` units of the asking order."""
    plan, units = standing.plan, standing.units
    assert units is not None  # complete
    then = replace(plan, budget=labels, take=takes_of(plan.design, labels), interval=interval, alarm=None)
    try:
        found = read_estimates(replace(standing, plans=(*standing.plans[:-1], then), units=units.pick(np.arange(labels))), goals_only=True)
    except FewlabelsError:
        return  # too few labels for this design
    for goal in plan.goals:
        of = whose(name_of(goal.definition, goal.classifier or standing.classifiers[0]), goal.over)
        for one in found.estimates:
            if (one.metric, one.whose, one.slice) == (goal.definition.name, of, goal.slice):
                yield goal, ConvergencePoint(labels, one.low, one.value, one.high)


def read_running_path(standing: Standing) -> Convergence:
    """The confidence sequences of an online study at growing numbers of labels."""
    plan, found = standing.plan, walked(standing)
    assert plan.stopping is not None  # asked of online plans only
    goals = []
    for one in found.course.goals:
        stands = ((k, standpoint(found.course, one, found.steps.part(0, k), plan.stopping)) for k in sizes(found.labels))
        goals.append((one.goal, tuple(ConvergencePoint(k, s.low, s.value, s.high) for k, s in stands)))
    return Convergence(kind="running", goals=tuple(goals))
