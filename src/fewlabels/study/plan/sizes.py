"""How many labels goals need and what a budget would show, before a study exists."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fewlabels.deciding.error_spending import spending
from fewlabels.designs.simple import simple
from fewlabels.errors import PlanError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.design import Design, DesignName
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.planning.assumptions import at_their_worst, recalibrated
from fewlabels.planning.forecasting import Forecast, forecast
from fewlabels.planning.goal_scope import Ask, ask_of, expand, kept_columns, left_out, merge
from fewlabels.planning.recycling import recycled
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.sizing import PLAIN, labels_for_all, labels_needed, uniform_labels
from fewlabels.study.population.calibration import Recalibration
from fewlabels.study.population.profile import profile_for, read_goals


class Cost(NamedTuple):
    """The cost of a label: money, and seconds of a person's time; None if unknown."""

    per_label: float | None = None
    seconds_per_label: float | None = None

    def money(self, labels: int | None) -> float | None:
        """The cost of `labels` labels."""
        return None if labels is None or self.per_label is None else labels * self.per_label

    def hours(self, labels: int | None) -> float | None:
        """The hours that `labels` labels take one person."""
        return None if labels is None or self.seconds_per_label is None else labels * self.seconds_per_label / 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalSize:
    """The labels one goal needs alone; None if not even all units are enough.

    labels   with the chosen design, if scores are calibrated
    worst    the same if scores are uninformative within a side and biased between sides; None also if the target may then be the truth
    recalibrated   the same with scores recalibrated by a few answers; None also without answers
    simple   with a simple random draw of the units the goal is about
    uniform  with labels drawn uniformly over the whole table
    """

    goal: Goal
    labels: int | None
    worst: int | None
    recalibrated: int | None
    simple: int | None
    uniform: int | None
    forecast: Forecast | None  # at the budget asked about

    @property
    def share(self) -> float | None:
        """The labels needed as a share of uniform ones: the rest would be wasted."""
        return None if self.labels is None or not self.uniform else self.labels / self.uniform

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        f = self.forecast
        shown: Json = None if f is None else {"value": f.value, "half_width": f.half_width, "chance": f.chance, "settles": f.settles}
        return {
            "goal": str(self.goal),
            "labels": self.labels,
            "recalibrated": self.recalibrated,
            "worst": self.worst,
            "simple": self.simple,
            "uniform": self.uniform,
            "at_budget": shown,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sizing(Displayed):
    """The labels the goals need, each and all together, if the scores are true probabilities.

    together     labels of one draw for all goals
    separately   labels of one draw per goal
    left_out     goals of slices that have no unit they are about
    recycled     if every goal is the precision of another classifier: labels of simple draws, one classifier's recycled for the others
    optimum      labels of one draw optimized where goals overlap, instead of the largest rates; None if that saves none, and for a
                 single goal or more than eight
    """

    N: int
    flagged: int
    goals: tuple[GoalSize, ...]
    together: int | None
    separately: int | None
    optimum: int | None
    budget: int | None
    cost: Cost
    left_out: tuple[Goal, ...] = ()
    recycled: tuple[str, int] | None = None

    @property
    def uniform(self) -> int | None:
        """Labels drawn uniformly over the table that serve every goal."""
        each = [g.uniform for g in self.goals if g.uniform is not None]
        return max(each) if len(each) == len(self.goals) else None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        sizes = {"budget": self.budget, "together": self.together, "uniform": self.uniform}
        return {
            "units": self.N,
            "flagged": self.flagged,
            "goals": [g.as_json() for g in self.goals],
            "together": self.together,
            "separately": self.separately,
            "optimum": self.optimum,
            "uniform": self.uniform,
            "budget": self.budget,
            "recycled": None if self.recycled is None else {"parent": self.recycled[0], "labels": self.recycled[1]},
            "left_out": [str(goal) for goal in self.left_out],
            "cost": {name: {"money": self.cost.money(n), "hours": self.cost.hours(n)} for name, n in sizes.items() if n is not None},
            "assumes": "labels: scores are true probabilities; recalibrated: scores are recalibrated by the answers; worst: scores are "
            "uninformative within a side and biased between sides",
        }


class PlanOptions(NamedTuple):
    """How labels would be drawn and read: what a plan locks besides its goals and sizes."""

    choice: Design = Design()
    interval: IntervalKind = USUAL_INTERVAL
    recalibration: Recalibration | None = None


class ColumnNames(NamedTuple):
    """The names that a profile does not store: of its classifiers and of its slice columns, in order."""

    classifiers: Sequence[str] = ()
    slices: Sequence[str] = ()


FINE_CELLS, COARSE = 1_000, 8  # profiles with more cells are sized with eight bins of the ladder merged into one
MOST_COMPARED = 8  # most goals for which the optimum is computed beside the largest rates
DEFAULT_WAYS, NO_NAMES, FREE = PlanOptions(), ColumnNames(), Cost()


def asks_for(profile: Profile, goals: Sequence[Goal], names: ColumnNames) -> list[Ask]:
    """What the goals ask; a goal by a slice column becomes one per value."""
    each = expand(profile, goals, slices=names.slices, names=names.classifiers)
    return [ask_of(profile, g, names=names.classifiers, slices=names.slices) for g in each]


class Nearby:
    """Sizes found so far: that of the same goal in another slice is a good starting point."""

    def __init__(self) -> None:
        """Start without any size."""
        self._found: dict[tuple[str, str, float, str], int] = {}

    def labels(self, ask: Ask, way: str, **how: Any) -> int | None:
        """Compute `labels_needed`, starting from the size last found for the same goal."""
        key = (ask.goal.metric, ask.goal.kind, ask.goal.value, way)
        found = labels_needed(ask, start=self._found.get(key), **how)
        if found is not None:
            self._found[key] = found
        return found


def narrowed(profile: Profile, goals: Sequence[Goal], choice: Design, names: ColumnNames) -> tuple[Profile, ColumnNames]:
    """The profile reduced to the slice columns that goals and design use: the same sizes, computed faster."""
    if profile.claims is not None:
        return profile, names
    keep = kept_columns(goals, choice)
    bins = COARSE if profile.guided and profile.count.size > FINE_CELLS else 1
    return merge(profile, keep, names.slices, bins=bins).profile, ColumnNames(names.classifiers, keep)


def size_goals(
    profile: Profile,
    goals: Sequence[Goal],
    *,
    budget: int | None = None,
    grow_to: int | None = None,
    ways: PlanOptions = DEFAULT_WAYS,
    names: ColumnNames = NO_NAMES,
    cost: Cost = FREE,
) -> Sizing:
    """The labels each goal needs, those all need together, and what a budget is expected to show of each at its look."""
    profile, names = narrowed(profile, goals, ways.choice, names)
    asks = asks_for(profile, goals, names)
    share = spending([], budget=budget, grow_to=grow_to).share if budget else 1.0
    near = Nearby()
    alone = [near.labels(ask, "chosen", name=ways.choice, slices=names.slices, interval=ways.interval) for ask in asks]
    shown = _at_budget(profile, asks, alone, budget, grow_to, ways, names, share) if budget else [None] * len(asks)
    sizes = tuple(_size_one(profile, *each, ways=ways, near=near) for each in zip(asks, alone, shown, strict=True))
    known = [n for n in alone if n is not None]
    shared = partial(labels_for_all, profile, asks, alone, slices=names.slices, interval=ways.interval)
    together = shared(choice=ways.choice)
    several = 1 < len(asks) <= MOST_COMPARED and together is not None and profile.claims is None and ways.choice == PLAIN
    optimum = shared(choice=Design(several="optimum")) if several else None
    flagged = int(profile.count[profile.pattern > 0 if profile.claims is not None else profile.predicted(0)].sum())
    return Sizing(
        N=profile.N,
        flagged=flagged,
        goals=sizes,
        together=together,
        separately=sum(known) if len(known) == len(alone) else None,
        optimum=optimum if several and optimum is not None and together is not None and optimum < together else None,
        budget=budget,
        cost=cost,
        left_out=left_out(profile, goals, slices=names.slices, names=names.classifiers),
        recycled=recycled(asks, [size.simple for size in sizes], names.classifiers),
    )


def _size_one(profile: Profile, ask: Ask, alone: int | None, shown: Forecast | None, *, ways: PlanOptions, near: "Nearby") -> GoalSize:
    """The sizes of one goal, in all ways."""
    interval = ways.interval
    simple = near.labels(ask, "simple", name="simple", interval=interval)
    open_target = ask.goal.kind != "+-" and ask.goal.expected is None  # at worst the value is the target, which no labels settle
    learned = None
    if ways.recalibration is not None and ask.has_value:
        belief = recalibrated(ask, ways.recalibration.flagged, ways.recalibration.other)
        learned = near.labels(ask, "recalibrated", believed=belief, interval=interval)
    return GoalSize(
        goal=ask.goal,
        recalibrated=learned,
        labels=alone,
        worst=None if open_target or not ask.has_worst else near.labels(ask, "worst", believed=at_their_worst(ask), interval=interval),
        simple=simple,
        uniform=uniform_labels(profile, ask, simple),
        forecast=shown,
    )


def _at_budget(
    profile: Profile,
    asks: Sequence[Ask],
    alone: Sequence[int | None],
    budget: int,
    grow_to: int | None,
    ways: PlanOptions,
    names: ColumnNames,
    share: float,
) -> list[Forecast]:
    """What the budget is expected to show of each goal, with one draw for all."""
    design = design_together(profile, asks, alone, labels=budget, choice=ways.choice, slices=names.slices)
    largest = max(budget, grow_to or 0)
    if largest > design.frame:
        raise PlanError(f"these goals can use at most the {design.frame:,} units they are about, but {largest:,} were requested: lower it")
    return [forecast(ask, design, budget, interval=ways.interval, share=share) for ask in asks]


def size(
    population: Population,
    goals: str | Goal | Sequence[str | Goal],
    *,
    budget: int | None = None,
    level: float = DEFAULT_LEVEL,
    design: DesignName | Design = "bands",
    interval: IntervalKind = USUAL_INTERVAL,
) -> Sizing:
    """How many labels the goals need, each and all together, and what a budget would show; nothing is recorded.

    This is what `fewlabels plan POPULATION` prints without a study. Sizes assume that scores are calibrated, and each goal also has the
    size it needs if they are uninformative.

    Examples:
        >>> import fewlabels
        >>> table = {"id": list(range(1000)), "score": [i / 1000 for i in range(1000)]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> sizes = fewlabels.size(population, "precision +-0.05")
        >>> sizes.together, sizes.goals[0].uniform
        (182, 424)
    """
    wanted = read_goals(goals, level)
    population, profile = profile_for(population, wanted)
    names = ColumnNames([c.name for c in population.classifiers], population.slices)
    choice = design if isinstance(design, Design) else Design(name=design)
    return size_goals(profile, wanted, budget=budget, ways=PlanOptions(choice, interval), names=names)


class SizePoint(NamedTuple):
    """Mean half-widths with `labels` labels: by the chosen design, and drawn uniformly over the table."""

    labels: int
    chosen: float
    uniform: float


def curve(
    profile: Profile, goal: Goal, *, ways: PlanOptions = DEFAULT_WAYS, names: ColumnNames = NO_NAMES, points: int = 8
) -> list[SizePoint]:
    """Half-width against labels for one goal, from 25 labels (or the fewest the design allows) to all its units, at most 20,000."""
    profile, names = narrowed(profile, [goal], ways.choice, names)
    ask = asks_for(profile, [goal], names)[0]
    alone = ask.alone
    sizes = np.unique(np.geomspace(min(25, ask.frame), min(ask.frame, 20_000), points).round().astype(int)).tolist()
    found = []
    for n in sizes:
        try:
            design = design_together(profile, [ask], [None], labels=n, choice=ways.choice, slices=names.slices)
        except PlanError:  # too few labels for so many strata
            continue
        even = simple(alone.part, frame=alone.needed)
        uniform = max(1, round(n * ask.frame / profile.N))
        found.append(
            SizePoint(
                n,
                forecast(ask, design, n, interval=ways.interval).half_width,
                forecast(alone, even, uniform, interval=ways.interval).half_width,
            )
        )
    return found
