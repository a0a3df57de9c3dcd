"""The outlook for goals if scores are calibrated: the verdict to expect, goals that others imply, and what another budget would show."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from fewlabels.deciding.error_spending import spending
from fewlabels.nouns.design import Design
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.forecasting import forecast
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.shared_draw import design_together
from fewlabels.study.plan.sizes import ColumnNames, GoalSize, Sizing, asks_for, narrowed

MOST_SAID = 8  # sentences about goals of one kind, such as those of every slice
NO_TARGET = "no goal has a target: the verdict will say how precisely the number is known, not whether it is good enough"


def verdicts_expected(profile: Profile, goals: Sequence[Goal], sizing: Sizing, names: ColumnNames) -> list[str]:
    """The verdict to expect for each goal with a target if the scores are true probabilities, and which goals others imply."""
    if all(goal.kind == "+-" for goal in goals):
        return [*implied(goals), NO_TARGET]
    if not profile.guided and profile.claims is None:
        return implied(goals)
    profile, names = narrowed(profile, goals, Design(), names)
    pairs = zip(asks_for(profile, goals, names), sizing.goals, strict=True)
    said = [_expected(size, claimed) for ask, size in pairs if ask.goal.kind != "+-" and (claimed := _claimed(ask, size)) is not None]
    more = len(said) - MOST_SAID
    said = said if more <= 0 else sorted(said, key=lambda line: "FAILS" not in line)[:MOST_SAID]
    return [*implied(goals), *said, *([f"and {more:,} more goals"] if more > 0 else [])]


def _claimed(ask: Ask, size: GoalSize) -> float | None:
    """The value of a goal's metric that the scores imply; None if they imply none."""
    if not ask.has_value:
        return None if size.forecast is None else size.forecast.value
    value = ask.value(ask.part.claimed(ask.classifier))
    return value if value == value else None


def _expected(size: GoalSize, claimed: float) -> str:
    """The verdict to expect for one goal, in a sentence."""
    goal, seen = size.goal, size.forecast
    fails = claimed < goal.value if goal.kind == ">=" else claimed > goal.value
    enough = size.labels is not None
    if seen is not None:  # a failure need not be known precisely
        enough = seen.chance >= goal.power if fails else seen.settles
    if fails and goal.expected is not None:
        what = f"so unless it is {goal.expected:g}, as the goal assumes, it FAILS (do not ship)"
    elif fails and enough:
        what = "so these labels are expected to show that it FAILS (do not ship)"
    elif fails:
        what = "so it FAILS if they are right, and these labels may not be enough to show even that"
    elif enough:
        what = "so these labels are expected to show that it holds"
    else:
        what = "so it holds if they are right, but these labels are not expected to show it (label more)"
    return f"{goal}: the scores themselves say {claimed:.3f}, {what}"


def implied(goals: Sequence[Goal]) -> list[str]:
    """Which goals are implied by another, and which contradict each other, one sentence per pair."""
    return [line for one, other in combinations(goals, 2) if (line := _together(one, other)) is not None]


def _together(one: Goal, other: Goal) -> str | None:
    """How two goals of the same metric are related, in a sentence; None if they are independent."""
    if replace(one, kind="+-", value=0.01, power=0.8, expected=None) != replace(other, kind="+-", value=0.01, power=0.8, expected=None):
        return None
    if one.kind == other.kind:
        if one.value == other.value:
            return f"{one} is given twice"
        strict, weak = sorted((one, other), key=lambda goal: goal.value, reverse=one.kind == ">=")
        return f"{weak} is implied by {strict}: leave it out, since the verdict is ship only if both hold"
    if "+-" in (one.kind, other.kind):
        return None
    low, high = (one, other) if one.kind == ">=" else (other, one)
    return f"{low} and {high} contradict each other: no value meets both" if low.value > high.value else None


def sized_at(profile: Profile, goals: Sequence[Goal], sizing: Sizing, *, budget: int, grow_to: int | None, names: ColumnNames) -> Sizing:
    """The same sizes, with the forecast of each goal at the look of a budget."""
    profile, names = narrowed(profile, goals, Design(), names)
    asks = asks_for(profile, goals, names)
    design = design_together(profile, asks, [g.labels for g in sizing.goals], labels=budget, choice=Design(), slices=names.slices)
    share = spending([], budget=budget, grow_to=grow_to).share
    sizes = (replace(size, forecast=forecast(ask, design, budget, share=share)) for ask, size in zip(asks, sizing.goals, strict=True))
    return replace(sizing, goals=tuple(sizes), budget=budget)


def falls_short(sizing: Sizing) -> list[str]:
    """The goals the budget is not expected to settle, each with the labels it needs alone."""
    short = [size for size in sizing.goals if size.forecast is not None and not size.forecast.settles]
    return [f"{size.goal} ({'not even all units would do' if size.labels is None else f'{size.labels:,} needed'})" for size in short]
