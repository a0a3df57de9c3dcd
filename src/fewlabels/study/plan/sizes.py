"""How many labels goals need and what a budget would show, before a study exists."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.deciding.error_spending import spending
from fewlabels.designs.simple import simple
from fewlabels.errors import PlanError
from fewlabels.estimators.measuring import clusters_behind
from fewlabels.estimators.process import too_few_clusters
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.design import Design, DesignName
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import DEFAULT_LEVEL, Goal
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About, Process
from fewlabels.nouns.profile import Profile
from fewlabels.planning.assumptions import Believed, at_their_worst, recalibrated
from fewlabels.planning.forecasting import Expected, Forecast, expected_of_all, forecast
from fewlabels.planning.goal_scope import Ask, left_out
from fewlabels.planning.recycling import recycled
from fewlabels.planning.shared_draw import design_together
from fewlabels.planning.simulated_draws import expected_tally
from fewlabels.planning.sizing import PLAIN, uniform_labels
from fewlabels.study.plan.one_draw import DEFAULT_WAYS, NO_NAMES, Assume, ColumnNames, Nearby, OneDraw, PlanOptions, asks_for, narrowed
from fewlabels.study.plan.paying import FREE, Cost, affordable, bills
from fewlabels.study.population.profile import profile_for, read_goals


class AllUnits(NamedTuple):
    """What labels of all units would show of units like these, and about how many units like these would be enough.

    half_width  with all units labeled; None if too few clusters carry the metric
    needed      units (and clusters, if units come in clusters) that would be enough; None if that depends on the value alone, or on
                clusters that are too few
    carrying    the clusters that carry the metric, if they are too few
    """

    units: int
    half_width: float | None
    needed: int | None
    clusters: int | None
    carrying: float | None = None

    @classmethod
    def of(cls, process: Process | None, units: int, half_width: float, short: float, *, N: int) -> "AllUnits":
        """From the half-width that all units give, and how far it falls short: the arm of the process falls with the root of the units.

        N   the units of the whole table; a part of it is taken to have clusters of the same size
        """
        needed = math.ceil(units * short**2) if np.isfinite(short) else None
        named = None if process is None else process.clusters
        clusters = None if named is None or needed is None else math.ceil(needed * named.number / N)
        return cls(units, half_width, needed, clusters)

    def __str__(self) -> str:
        """For people."""
        if self.half_width is None:
            return f"all {self.units:,} units are not enough: {too_few_clusters(self.carrying)}"
        said = f"all {self.units:,} units give +-{self.half_width:.3f}"
        if self.needed is None:
            return f"{said}; more would not settle it"
        of = "" if self.clusters is None else f" in {self.clusters:,} clusters"
        return f"{said}; it needs about {self.needed:,} units like these{of}"


def _more(labels: int | None, check: int) -> int | None:
    return None if labels is None else labels + check


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
    forecast: Forecast | None  # with `Sizing.shown_at` labels
    all_units: "AllUnits | None" = None  # if not even all units are enough for a number about units like these

    def beside(self, check: int) -> "GoalSize":
        """The same with the labels that check known answers."""
        if not check:
            return self
        each = (self.labels, self.worst, self.recalibrated, self.simple, self.uniform)
        labels, worst, learned, simple, uniform = (_more(n, check) for n in each)
        return replace(self, labels=labels, worst=worst, recalibrated=learned, simple=simple, uniform=uniform)

    @property
    def share(self) -> float | None:
        """The labels needed as a share of uniform ones: the rest would be wasted."""
        return None if self.labels is None or not self.uniform else self.labels / self.uniform

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "goal": str(self.goal),
            "labels": self.labels,
            "recalibrated": self.recalibrated,
            "worst": self.worst,
            "simple": self.simple,
            "uniform": self.uniform,
            "forecast": None if self.forecast is None else self.forecast.as_json(),
            **({} if self.all_units is None else {"all_units": self.all_units._asdict()}),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sizing(Displayed):
    """The labels the goals need, each and all together, if the scores are true probabilities.

    together     labels of one draw for all goals, each settled with its own chance
    for_all      labels of one draw that settles all goals together with a chance of 80 %
    separately   labels of one draw per goal
    shown_at     the units that forecasts are about: the budget, or else those of the size for all
    chance       the chance that these labels settle all goals; None if it is not known
    left_out     goals of slices that have no unit they are about
    recycled     if every goal is the precision of another classifier: labels of simple draws, one classifier's recycled for the others
    bills        where labels cost differently by slice: what the sizes named cost
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
    for_all: int | None = None
    shown_at: int | None = None
    chance: float | None = None
    left_out: tuple[Goal, ...] = ()
    recycled: tuple[str, int] | None = None
    bills: tuple[tuple[str, float], ...] = ()

    def money(self, name: str) -> float | None:
        """What a size costs, by its name: budget, together, for_all, uniform; None if that is not known."""
        return dict(self.bills).get(name) if self.bills else self.cost.money(self.units.get(name))

    @property
    def units(self) -> dict[str, int]:
        """The units to draw for a size, by its name: more than the usable answers that it needs, if some will stay unanswered."""
        sizes = {"together": self.together, "for_all": self.for_all, "uniform": self.uniform}
        needed = {name: self.cost.units(n) for name, n in sizes.items() if n is not None}
        return needed if self.budget is None else {"budget": self.budget, **needed}

    @property
    def budget_or_size(self) -> int | None:
        """The budget; without one, the units that settle all goals."""
        return self.budget or self.units.get("for_all")

    @property
    def expected(self) -> Expected | None:
        """The verdict to expect on all goals; None if nothing is forecast."""
        each = [size.forecast for size in self.goals if size.forecast is not None]
        return expected_of_all(each) if each else None

    @property
    def uniform(self) -> int | None:
        """Labels drawn uniformly over the table that serve every goal."""
        each = [g.uniform for g in self.goals if g.uniform is not None]
        return max(each) if len(each) == len(self.goals) else None

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        said = self.cost.said(self.budget_or_size)
        return {
            "units": self.N,
            "flagged": self.flagged,
            "goals": [g.as_json() for g in self.goals],
            "together": self.together,
            "for_all": self.for_all,
            "separately": self.separately,
            "optimum": self.optimum,
            "uniform": self.uniform,
            "budget": self.budget,
            "shown_at": self.shown_at,
            "chance": self.chance,
            "expected": self.expected,
            "recycled": None if self.recycled is None else {"parent": self.recycled[0], "labels": self.recycled[1]},
            "left_out": [str(goal) for goal in self.left_out],
            "cost": {
                name: {"units": n, "looks": self.cost.looks(n), "money": self.money(name), "hours": self.cost.hours(n)}
                for name, n in self.units.items()
            },
            "to_pay": {"unanswered": self.cost.unanswered, "twice": self.cost.twice, "said": said},
            "assumes": "labels: scores are true probabilities; recalibrated: scores are recalibrated by the answers; worst: scores are "
            "uninformative within a side and biased between sides",
        }


MOST_COMPARED = 8  # most goals for which the optimum is computed beside the largest rates


def size_goals(
    profile: Profile,
    goals: Sequence[Goal],
    *,
    budget: int | None = None,
    spend: float | None = None,
    grow_to: int | None = None,
    ways: PlanOptions = DEFAULT_WAYS,
    names: ColumnNames = NO_NAMES,
    cost: Cost = FREE,
) -> Sizing:
    """The labels each goal needs, those all need together, and what a budget is expected to show of each at its look.

    spend   a budget in money instead: the most labels for it
    """
    check, near = 0 if profile.known is None else profile.known.labels, Nearby()
    draw = OneDraw(profile, goals, ways, names, near)
    if spend is not None:
        budget = affordable(draw, spend, cost, check)
    best = ways._replace(choice=Design(several="optimum"))
    several = 1 < len(draw.asks) <= MOST_COMPARED and draw.together is not None and profile.claims is None and ways.choice == PLAIN
    better = OneDraw(profile, goals, best, names, near).together if several else None
    profile, names, asks, alone = draw.profile, draw.names, draw.asks, draw.alone
    if budget:
        draw.check(budget - check, (grow_to or check) - check)
    sizes = _size_each(profile, asks, alone, ways=ways, near=near)
    known = [n for n in alone if n is not None]
    saves = better is not None and draw.together is not None and better < draw.together
    flagged = int(profile.count[profile.pattern > 0].sum()) if profile.claims is not None else profile.flagged(0)
    sizing = Sizing(
        N=profile.whole,
        flagged=flagged,
        goals=tuple(size.beside(check) for size in sizes),
        together=_more(draw.together, check),
        for_all=_more(draw.for_all, check),
        separately=sum(known) + check * len(known) if len(known) == len(alone) else None,
        optimum=_more(better, check) if saves else None,
        budget=budget,
        cost=cost,
        left_out=left_out(profile, goals, slices=names.slices, names=names.classifiers),
        recycled=recycled(asks, [size.simple for size in sizes], names.classifiers),
    )
    sizing = replace(sizing, bills=bills(draw, sizing.units, check, cost))
    return sizing if sizing.budget_or_size is None else _shown(sizing, draw, check, grow_to=grow_to)


def _shown(sizing: Sizing, draw: OneDraw, check: int, *, grow_to: int | None) -> Sizing:
    """The sizes with what the budget, or else the size for all, is expected to show."""
    labels = sizing.budget_or_size
    assert labels is not None
    share = spending([], budget=labels, grow_to=grow_to).share
    seen = draw.shows(labels - check, share, usable=sizing.cost.answers(labels - check))
    goals = (replace(size, forecast=one) for size, one in zip(sizing.goals, seen.goals, strict=True))
    return replace(sizing, goals=tuple(goals), shown_at=labels, chance=seen.chance)


def sized_at(profile: Profile, goals: Sequence[Goal], sizing: Sizing, *, budget: int, grow_to: int | None, names: ColumnNames) -> Sizing:
    """The same sizes, with what a budget is expected to show."""
    draw = OneDraw(profile, goals, names=names)
    return _shown(replace(sizing, budget=budget), draw, 0 if profile.known is None else profile.known.labels, grow_to=grow_to)


def _size_each(
    profile: Profile, asks: Sequence[Ask], alone: Sequence[int | None], *, ways: PlanOptions, near: Nearby
) -> tuple[GoalSize, ...]:
    """The sizes of each goal, in all ways."""
    interval, learned = ways.interval, ways.recalibration

    def among(way: str, wanted: Callable[[Ask], bool], believed: Assume | None = None, choice: Design = PLAIN) -> list[int | None]:
        """The labels of each goal that is wanted."""
        mine = [i for i, ask in enumerate(asks) if wanted(ask)]
        each = near.labels_of_each([asks[i] for i in mine], way, choice=choice, interval=interval, believed=believed)
        found = dict(zip(mine, each, strict=True))
        return [found.get(i) for i in range(len(asks))]

    def by_answers(ask: Ask) -> Believed:
        assert learned is not None
        return recalibrated(ask, learned.flagged, learned.other)

    simple = among("simple", lambda ask: True, choice=Design(name="simple"))
    worst = among("worst", _has_worst, at_their_worst)
    recalibration = among("recalibrated", lambda ask: learned is not None and ask.has_value, by_answers)
    return tuple(
        GoalSize(
            goal=ask.goal,
            recalibrated=recalibration[i],
            labels=alone[i],
            worst=worst[i],
            simple=simple[i],
            uniform=uniform_labels(profile, ask, simple[i]),
            forecast=None,
            all_units=_all_units(ask, profile.N, interval) if alone[i] is None and ask.part.process is not None else None,
        )
        for i, ask in enumerate(asks)
    )


def _has_worst(ask: Ask) -> bool:
    """Whether a goal can be sized at worst: the value of an open target is then the target, which no labels settle."""
    return ask.has_worst and (ask.goal.kind == "+-" or ask.goal.expected is not None)


def _all_units(ask: Ask, N: int, interval: IntervalKind) -> AllUnits:
    """What all units would show; the chance of the table falls with its units."""
    alone, process = ask.alone, ask.part.process
    units, everything = alone.part.N, simple(alone.part, frame=alone.needed)
    carrying = clusters_behind(alone.metric, expected_tally(alone, everything, alone.frame))
    if too_few_clusters(carrying) is not None:
        return AllUnits(units, half_width=None, needed=None, clusters=None, carrying=carrying)
    found = forecast(alone, everything, alone.frame, interval=interval)
    return AllUnits.of(process, units, found.half_width, found.short, N=N)


def size(
    population: Population,
    goals: str | Goal | Sequence[str | Goal],
    *,
    budget: int | None = None,
    spend: float | None = None,
    level: float = DEFAULT_LEVEL,
    design: DesignName | Design = "bands",
    interval: IntervalKind = USUAL_INTERVAL,
    about: About | None = None,
) -> Sizing:
    """How many labels the goals need, each and all together, and what a budget would show; nothing is recorded.

    This is what `fewlabels plan POPULATION` prints without a study. Sizes assume that scores are calibrated, and each goal also has the
    size it needs if they are uninformative. With prices by slice, `Design(prices=...)`, a budget may be money: spend=500. about="process"
    sizes for numbers about units like these, as `Study.create` does.

    Examples:
        >>> import fewlabels
        >>> table = {"id": list(range(1000)), "score": [i / 1000 for i in range(1000)]}
        >>> population = fewlabels.read_population(table, score="score", threshold=0.5)
        >>> sizes = fewlabels.size(population, "precision +-0.05")
        >>> sizes.together, sizes.goals[0].uniform
        (182, 424)
    """
    wanted = read_goals(goals, level)
    population, profile = profile_for(population, wanted, about)
    names = ColumnNames([c.name for c in population.classifiers], population.slices)
    choice = design if isinstance(design, Design) else Design(name=design)
    return size_goals(profile, wanted, budget=budget, spend=spend, ways=PlanOptions(choice, interval), names=names)


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
