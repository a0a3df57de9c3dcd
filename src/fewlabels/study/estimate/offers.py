"""Other thresholds for goals that were shown to fail: which goals a search may help, and what a threshold found does to the other goals."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from fewlabels.deciding.thresholds import FoundThreshold
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.goal import Goal
from fewlabels.study.estimate.thresholds import CURVES, Curves

SEARCHED = tuple(metric.name for metric in CURVES)


class AlsoShown(NamedTuple):
    """Another goal of the same classifier, and whether the threshold found is shown to meet it."""

    goal: str
    shown: bool


class Offer(NamedTuple):
    """What a search for a threshold found for a goal that fails at the present one."""

    goal: Goal
    found: FoundThreshold
    also: tuple[AlsoShown, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        return {"goal": str(self.goal), **self.found.as_json(), "also": [{**one._asdict()} for one in self.also]}


def searchable(decision: Decision | None) -> Iterator[Goal]:
    """The goals shown to fail that another threshold may meet: precision or recall of all units, at least a target."""
    for verdict in decision.goals if decision is not None and decision.outcome == "do not ship" else ():
        goal = verdict.goal
        if verdict.status == "not met" and is_searched(goal):
            yield goal


def is_searched(goal: Goal) -> bool:
    """Whether a threshold can be searched for by this goal."""
    return goal.definition.name in SEARCHED and goal.kind == ">=" and goal.slice is None and goal.over is None


def offer(goal: Goal, found: FoundThreshold, decision: Decision) -> Offer:
    """What was found for a goal, and for each other goal whether the ribbon, which holds wherever the search ends, shows it there."""
    others = [one.goal for one in decision.goals if one.goal != goal and one.goal.classifier == goal.classifier]
    if found.threshold is None:
        return Offer(goal, found, ())
    return Offer(
        goal,
        found,
        tuple(
            AlsoShown(str(one), is_searched(one) and one.definition.name == found.other and found.other_low >= one.value) for one in others
        ),
    )


class ThereShown(NamedTuple):
    """What the curves say of one goal at a threshold: the value, and its ribbon, which holds wherever the threshold is picked."""

    goal: str
    metric: str
    target: float
    value: float
    low: float
    high: float


class Together(NamedTuple):
    """The threshold at which all goals that a threshold decides come out best.

    found   shown: the ribbons of all lie on the right side there; by value: only the values do; none: nowhere, not even the values
    """

    found: Literal["shown", "by value", "none"]
    threshold: float
    units: int
    goals: tuple[ThereShown, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        return {**self._asdict(), "goals": [{**one._asdict()} for one in self.goals]}


def together(curves: Curves, goals: Sequence[Goal]) -> Together | None:
    """The threshold at which all such goals of the classifier of the curves come out best; None if there is no such goal."""
    wanted = [goal for goal in goals if is_searched(goal) and goal.classifier in (None, curves.classifier)]
    if not wanted:
        return None
    places = [found for i in range(len(curves.thresholds)) if (found := _there(curves, wanted, i)) is not None]
    if not places:
        return None
    by_ribbon = max(places, key=lambda one: min(there.low - there.target for there in one.goals))
    if all(there.low >= there.target for there in by_ribbon.goals):
        return by_ribbon._replace(found="shown")
    by_value = max(places, key=lambda one: min(there.value - there.target for there in one.goals))
    meets = all(there.value >= there.target for there in by_value.goals)
    return by_value._replace(found="by value" if meets else "none")


def _there(curves: Curves, goals: Sequence[Goal], i: int) -> Together | None:
    """What the curves say of all goals at one of their thresholds; None where a curve is unknown."""
    found: list[ThereShown] = []
    for goal in goals:
        curve = curves.curves[goal.definition.name]
        value, low, high = (curve[part][i] for part in ("value", "ribbon_low", "ribbon_high"))
        if value is None or low is None or high is None:
            return None
        found.append(ThereShown(str(goal), goal.definition.name, goal.value, value, low, high))
    return Together("none", curves.thresholds[i], curves.units[i], tuple(found))
