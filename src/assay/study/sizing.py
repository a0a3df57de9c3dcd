"""What a population's goals need and what a budget buys, before a study exists.

Main path: population > profile > [plan] > draw > labels > estimate > decision > report
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.nouns.canonical import Json
from assay.nouns.goal import Goal
from assay.nouns.profile import Profile
from assay.planning.choosing import DesignName, choose_design
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


def size_goals(profile: Profile, goals: Sequence[Goal], *, budget: int | None = None, design: DesignName = "bands") -> Sizing:
    """Labels each goal needs, all together, and what a budget is expected to show of each."""
    metrics = [goal.definition for goal in goals]
    chosen = choose_design(profile, metrics, labels=budget, name=design) if budget else None
    sizes = []
    for goal in goals:
        simple = labels_needed(profile, [goal], name="simple")
        shown = forecast_plan(profile, goal, labels=min(budget, chosen.frame), design=chosen) if budget and chosen else None
        sizes.append(
            GoalSize(
                goal=goal,
                bands=labels_needed(profile, [goal]),
                simple=simple,
                uniform=uniform_labels(profile, goal, simple),
                forecast=shown,
            )
        )
    together = sizes[0].bands if len(goals) == 1 else labels_needed(profile, goals)
    flagged = int(profile.count[profile.predicted(0)].sum())
    return Sizing(N=profile.N, flagged=flagged, goals=tuple(sizes), together=together, budget=budget)
