"""What a population's goals need and what a budget buys, before a study exists.

Main path: population > profile > [plan] > draw > labels > estimate > decision > report
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.deciding.looks import spending
from assay.errors import PlanError
from assay.nouns.canonical import Json
from assay.nouns.estimate import IntervalKind
from assay.nouns.goal import Goal
from assay.nouns.profile import Profile
from assay.planning.choosing import DesignName, choose_design, frame_of
from assay.planning.sizing import Forecast, forecast_plan, labels_needed, uniform_labels


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalSize:
    """Labels one goal needs: under bands, in a simple draw of the units it is about, evenly over the table; None: not even all do."""

    goal: Goal
    bands: int | None
    simple: int | None
    uniform: int | None
    forecast: Forecast | None  # at the budget asked about

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        shown: Json = None
        if self.forecast is not None:
            shown = {"value": self.forecast.value, "half_width": self.forecast.half_width, "settles": self.forecast.settles}
        return {"goal": str(self.goal), "bands": self.bands, "simple": self.simple, "uniform": self.uniform, "at_budget": shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """What the goals need, each and all together, if the scores are true probabilities."""

    N: int
    flagged: int
    goals: tuple[GoalSize, ...]
    together: int | None
    budget: int | None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "units": self.N,
            "flagged": self.flagged,
            "goals": [g.as_json() for g in self.goals],
            "together": self.together,
            "budget": self.budget,
            "assumes": "scores are true probabilities",
        }


class Ways(NamedTuple):
    """How labels would be drawn and read: what a plan fixes beside its goals and sizes."""

    design: DesignName = "bands"
    interval: IntervalKind = "rec"


DEFAULT_WAYS = Ways()


def size_goals(
    profile: Profile,
    goals: Sequence[Goal],
    *,
    budget: int | None = None,
    grow_to: int | None = None,
    ways: Ways = DEFAULT_WAYS,
    names: Sequence[str] = (),
) -> Sizing:
    """Labels each goal needs, all together, and what a budget is expected to show of each at its look. `names` are the classifiers'."""
    of = {goal: names.index(goal.classifier) if goal.classifier is not None and names else 0 for goal in goals}
    frame = int(profile.count[frame_of(profile, [g.definition for g in goals])].sum())
    if max(budget or 0, grow_to or 0) > frame:
        raise PlanError(
            f"these goals can use at most the {frame:,} units they are about, but {max(budget or 0, grow_to or 0):,} were asked for"
        )
    share = spending([], budget=budget, grow_to=grow_to).share if budget else 1.0
    kind = ways.interval

    def at_budget(goal: Goal) -> Forecast | None:
        if not budget:
            return None
        design = choose_design(profile, [g.definition for g in goals], labels=budget, name=ways.design)
        used = min(budget, design.frame)
        return forecast_plan(profile, goal, labels=used, design=design, share=share, interval=kind, classifier=of[goal])

    sizes = []
    for goal in goals:
        simple = labels_needed(profile, [goal], name="simple", interval=kind, classifiers=[of[goal]])
        sizes.append(
            GoalSize(
                goal=goal,
                bands=labels_needed(profile, [goal], interval=kind, classifiers=[of[goal]]),
                simple=simple,
                uniform=uniform_labels(profile, goal, simple),
                forecast=at_budget(goal),
            )
        )
    together = sizes[0].bands if len(goals) == 1 else labels_needed(profile, goals, interval=kind, classifiers=list(of.values()))
    flagged = int(profile.count[profile.pattern > 0 if profile.claims is not None else profile.predicted(0)].sum())
    return Sizing(N=profile.N, flagged=flagged, goals=tuple(sizes), together=together, budget=budget)
