"""What more labels would gain in a study that has some."""

from dataclasses import dataclass
from typing import NamedTuple

from fewlabels.deciding.error_spending import spending
from fewlabels.errors import PlanError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.goal import Goal
from fewlabels.planning.forecasting import Expected, Forecast, expected_of_all
from fewlabels.study.plan.design import grown_design
from fewlabels.study.plan.one_draw import ColumnNames, asks_for
from fewlabels.study.plan.outlook import shown_by
from fewlabels.study.state.standing import Standing

NO_FORECAST = "nothing: a study that began with a pilot is not forecast from its scores"


class Grown(NamedTuple):
    """The forecast of one goal before and after."""

    goal: Goal
    before: Forecast
    after: Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What a larger budget gains: what each goal is expected to show at the current budget and at the larger one.

    chance    the chance that all goals are settled, at the current budget and at the larger one; None where it is not known
    """

    held: int
    budget: int
    frame: int
    goals: tuple[Grown, ...]
    chance: tuple[float | None, float | None] = (None, None)
    assumes: str = "the scores taken as true probabilities"

    @property
    def expected(self) -> Expected | None:
        """The verdict to expect on all goals at the larger budget; None if nothing is forecast."""
        return expected_of_all([grown.after for grown in self.goals]) if self.goals else None

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
            "goals": [{"goal": str(g.goal), "before": g.before.as_json(), "after": g.after.as_json()} for g in self.goals],
            "chance": list(self.chance),
            "expected": self.expected,
            "assumes": self.assumes,
        }


def growth(standing: Standing, budget: int) -> Growth:
    """What `budget` labels would show, compared with those planned, by the bands each would have. Recorded labels are not read."""
    if not standing.plans:
        raise PlanError(f"study {standing.name!r} has no plan to grow: name its POPULATION and goals, and a first --budget")
    plan = standing.plan
    largest = plan.design.frame + plan.before + plan.check
    if budget > largest:
        raise PlanError(
            f"these goals can use at most the {largest:,} units they are about{standing.profile.apart}, but the budget is {budget:,}: "
            "lower it"
        )
    if plan.pilot is not None:  # the rest depends on what the pilot taught, which a forecast from the scores ignores
        return Growth(held=plan.budget, budget=budget, frame=largest, goals=(), assumes=NO_FORECAST)
    names = ColumnNames(standing.classifiers, standing.population["slices"])
    share = spending(standing.plans, budget=budget, grow_to=None, shown=standing.shown_plans).share if budget > plan.budget else plan.share
    asks = asks_for(standing.profile, standing.goals, names)
    before = shown_by(standing, asks, plan.design, plan.by_bands, share=plan.share, take=plan.take)
    after = shown_by(standing, asks, grown_design(standing, budget), budget - plan.check, share=share)
    goals = tuple(Grown(ask.goal, *both) for ask, *both in zip(asks, before.goals, after.goals, strict=True))
    return Growth(held=plan.budget, budget=budget, frame=plan.design.frame, goals=goals, chance=(before.chance, after.chance))
