"""What more labels would gain in a study that has some."""

from dataclasses import dataclass
from typing import NamedTuple

from fewlabels.deciding.error_spending import spending
from fewlabels.errors import PlanError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.goal import Goal
from fewlabels.planning.forecasting import Forecast, forecast
from fewlabels.study.plan.design import grown_design
from fewlabels.study.plan.sizes import ColumnNames, asks_for
from fewlabels.study.state.standing import Standing

NO_FORECAST = "nothing: a study that began with a pilot is not forecast from its scores"


class Grown(NamedTuple):
    """The forecast of one goal before and after."""

    goal: Goal
    before: Forecast
    after: Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What a larger budget gains: the expected half-width of each goal at the current budget and at the larger one."""

    held: int
    budget: int
    frame: int
    goals: tuple[Grown, ...]
    assumes: str = "the scores taken as true probabilities"

    @property
    def added(self) -> int:
        """Number of labels the larger budget adds; every label held is kept."""
        return self.budget - self.held

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "held": self.held,
            "budget": self.budget,
            "added": self.added,
            "frame": self.frame,
            "goals": [
                {
                    "goal": str(g.goal),
                    "before": {"half_width": g.before.half_width, "chance": g.before.chance, "settles": g.before.settles},
                    "after": {"half_width": g.after.half_width, "chance": g.after.chance, "settles": g.after.settles},
                }
                for g in self.goals
            ],
            "assumes": self.assumes,
        }


def growth(standing: Standing, budget: int) -> Growth:
    """What `budget` labels would show, compared with those planned, by the bands each would have. Recorded labels are not read."""
    if not standing.plans:
        raise PlanError(f"study {standing.name!r} has no plan to grow: name its POPULATION and goals, and a first --budget")
    plan = standing.plan
    largest = plan.design.frame + plan.before
    if budget > largest:
        raise PlanError(f"these goals can use at most the {largest:,} units they are about, but the budget is {budget:,}: lower it")
    if plan.pilot is not None:  # the rest depends on what the pilot taught, which a forecast from the scores ignores
        return Growth(held=plan.budget, budget=budget, frame=largest, goals=(), assumes=NO_FORECAST)
    names = ColumnNames(standing.classifiers, standing.population["slices"])
    share = spending(standing.plans, budget=budget, grow_to=None, shown=standing.shown_plans).share if budget > plan.budget else plan.share
    asks = asks_for(standing.profile, standing.goals, names)
    larger = grown_design(standing, budget)
    goals = tuple(
        Grown(
            ask.goal,
            forecast(ask, plan.design, plan.budget, interval=plan.interval, share=plan.share),
            forecast(ask, larger, budget, interval=plan.interval, share=share),
        )
        for ask in asks
    )
    return Growth(held=plan.budget, budget=budget, frame=plan.design.frame, goals=goals)
