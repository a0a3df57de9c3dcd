"""The outlook for goals if scores are calibrated: the verdict to expect, goals that others imply, and what another budget would show."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.design import Design
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.planning.forecasting import Expected, Forecast, expected_of_all
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.together import Outcome, forecast_together
from fewlabels.study.plan.one_draw import ColumnNames, asks_for, narrowed
from fewlabels.study.plan.paying import FREE, Cost
from fewlabels.study.plan.sizes import GoalSize, Sizing
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing

MOST_SAID = 8  # sentences about goals of one kind, such as those of every slice
TELLING = 50  # resolved units that say how many answers stay out
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
    enough = size.labels is not None if seen is None else seen.expected != "open"
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


class Outlook(NamedTuple):
    """What the labels of a locked plan are expected to show, by the plan, the scores and how many answers are usable: none is read.

    labels   units of the plan
    usable   of these, the answers that can be used, if as many stay out as so far
    goals    the forecast of each goal
    chance   the chance that all are settled; None if it is not known
    """

    labels: int
    usable: int
    goals: tuple[tuple[Goal, Forecast], ...]
    chance: float | None

    @property
    def expected(self) -> Expected:
        """The verdict to expect on all goals."""
        return expected_of_all([one for _, one in self.goals])

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        goals: list[Json] = [{"goal": str(goal), **one.as_json()} for goal, one in self.goals]
        return {"labels": self.labels, "usable": self.usable, "chance": self.chance, "expected": self.expected, "goals": goals}


def outlook_of(standing: Standing) -> Outlook | None:
    """What the last plan should show at its look; None for a plan that is not forecast from the scores: with a pilot, or several looks."""
    plan = standing.plans[-1] if standing.plans else None
    if plan is None or plan.pilot is not None or plan.stopping is not None:
        return None
    asks = asks_for(standing.profile, standing.goals, ColumnNames(standing.classifiers, standing.population["slices"]))
    seen = shown_by(standing, asks, plan.design, plan.by_bands, share=plan.share, take=plan.take)
    usable = staying_out(standing).answers(plan.budget)
    return Outlook(plan.budget, usable, tuple(zip((ask.goal for ask in asks), seen.goals, strict=True)), seen.chance)


def shown_by(
    standing: Standing, asks: Sequence[Ask], design: DrawDesign, units: int, *, share: float, take: IntArray | None = None
) -> Outcome:
    """What so many units of a study should show of its goals, if as many answers stay out as so far; `share` of the error may be spent.

    take   the units of each band, if they are known already
    """
    usable = staying_out(standing).answers(units)
    known = take if usable == units else None
    return forecast_together(asks, design, usable, interval=standing.plan.interval, share=share, take=known)


def staying_out(standing: Standing) -> Cost:
    """The share of units without a usable answer so far; none while too few are resolved to tell. A count alone, so it costs no look."""
    done = progress(standing) if standing.plans else None
    told = done is not None and done.labels >= TELLING and done.answered > 0
    return Cost(unanswered=1 - done.answered / done.labels) if done is not None and told else FREE


def falls_short(sizing: Sizing) -> list[str]:
    """The goals the budget is not expected to settle, each with the labels it needs alone."""
    short = [size for size in sizing.goals if size.forecast is not None and size.forecast.expected == "open"]
    return [f"{size.goal} ({'not even all units would do' if size.labels is None else f'{size.labels:,} needed'})" for size in short]
