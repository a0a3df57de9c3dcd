"""Other thresholds for goals that were shown to fail: which goals a search may help, and what a threshold found does to the other goals."""

from collections.abc import Iterator
from typing import NamedTuple

from fewlabels.deciding.thresholds import FoundThreshold
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import Decision
from fewlabels.nouns.goal import Goal
from fewlabels.study.estimate.thresholds import CURVES

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
