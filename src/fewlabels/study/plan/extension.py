"""Extend a study by what came later: another classifier, threshold or goal. Labels are kept, units are only added."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.deciding.error_spending import extended
from fewlabels.designs.base import takes_of
from fewlabels.designs.extending import HeldByCell
from fewlabels.engines.base import Engine, take_smallest
from fewlabels.errors import FingerprintError, PlanError, StudyError
from fewlabels.nouns.arrays import IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.works_with import require
from fewlabels.planning.extending import Late, labels_with_reuse, late, late_design, late_forecast
from fewlabels.planning.forecasting import Forecast
from fewlabels.planning.goal_scope import ask_of, expand
from fewlabels.study.plan.next_plan import still_fresh
from fewlabels.study.population.profile import check_goals
from fewlabels.study.state.standing import Standing


class Served(NamedTuple):
    """What the labels at hand say about a new goal.

    serving   number of drawn units the goal is about
    already   what they are expected to show; None if the draw left out units it is about
    alone     labels that a separate draw would need; None if not even a census is enough
    """

    goal: Goal
    serving: int
    already: Forecast | None
    alone: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse:
    """What new goals cost a study that has labels.

    held     number of units drawn so far
    total    number of units that settles every new goal, those held included; None if not even a census is enough
    goals    each new goal
    """

    held: int
    total: int | None
    goals: tuple[Served, ...]

    @property
    def added(self) -> int | None:
        """Number of labels to add."""
        return None if self.total is None else max(self.total - self.held, 0)

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "held": self.held,
            "total": self.total,
            "added": self.added,
            "goals": [
                {
                    "goal": str(s.goal),
                    "serving": s.serving,
                    "already": None if s.already is None else {"half_width": s.already.half_width, "settles": s.already.settles},
                    "alone": s.alone,
                }
                for s in self.goals
            ],
        }


def extended_population(standing: Standing, classifiers: Sequence[Classifier], goals: Sequence[Goal], table: object | None) -> Population:
    """The population with the classifiers added. Raise if they or the goals cannot be added."""
    population = standing.read_population(table)
    require("extension", standing.traits)
    if not classifiers and all(goal in standing.goals for goal in goals):
        has = f", but it already has {goals[0]}" if goals else ""
        raise PlanError(f"an extension must add a classifier or a goal that the study lacks{has}: name another, or plan a larger budget")
    if not standing.is_drawn:
        raise StudyError(
            f"study {standing.name!r} has units planned but not drawn: draw them first (fewlabels draw), so that nothing is lost"
        )
    names = [c.name for c in population.classifiers]
    if again := [c.name for c in classifiers if c.name in names]:
        raise PlanError(f"a classifier keeps its name and threshold, but the study already has {', '.join(again)}: choose another name")
    wider = replace(population, classifiers=(*population.classifiers, *classifiers))
    if wider.is_joint:
        raise PlanError("an added classifier must answer the same question as the others, but this one asks another: make a study for it")
    check_goals(wider, goals)
    return wider


def extension_body(standing: Standing, engine: Engine, population: Population, goals: Sequence[Goal]) -> dict[str, Json]:
    """The ledger entry: the extended population, its profile, all goals, and the units drawn so far with their new decisions."""
    profile = engine.profile()
    parent = parents(standing.profile, profile, len(standing.population["classifiers"]))
    plan, units = standing.plan, standing.units
    assert units is not None  # checked before
    band = np.where(parent >= 0, plan.design.band[parent], -1)
    found = take_smallest(engine, profile, band=band, take=plan.take, salt=plan.salt, rule=plan.number_rule).units
    place = {unit: i for i, unit in enumerate(found.unit)}
    if set(place) != set(units.unit):
        raise FingerprintError("the table no longer gives the units that were drawn: restore it, or start a new study")
    again = found.pick(np.array([place[unit] for unit in units.unit], dtype=np.int64))
    wanted = expand(profile, goals, slices=population.slices, names=[c.name for c in population.classifiers])
    every = tuple(dict.fromkeys([*standing.goals, *wanted]))
    return {
        "population": population.as_json(),
        "profile": profile.as_json(),
        "fingerprint": profile.fingerprint,
        "goals": [g.as_json() for g in every],
        "units": {"pattern": again.pattern.tolist(), "scores": again.as_json()["scores"]},
    }


def parents(old: Profile, new: Profile, classifiers: int) -> IntArray:
    """The old cell of each cell of a profile with more classifiers. Raise FingerprintError unless the table is the same."""
    found = old.cells(new.pattern & ((1 << classifiers) - 1), new.guide_bin, new.slice)
    ends = (new.smallest_id, new.largest_id) == (old.smallest_id, old.largest_id)
    same = ends and new.slice_values == old.slice_values and set(old.columns) <= set(new.columns) and (found >= 0).all()
    if not same or (np.bincount(found, weights=new.count, minlength=old.count.size) != old.count).any():
        raise FingerprintError(
            f"an extension is read from the table the study was made on (fingerprint {old.fingerprint[:12]}, {old.N:,} units), but this "
            "one has other units, scores or slices: restore the old columns, or start a study that follows this one"
        )
    return found


def late_of(standing: Standing) -> Late:
    """The goals added last, and the labels held before them."""
    before, plan, units = standing.profiles[-2], standing.plan, standing.units
    assert units is not None  # extended only once drawn
    names = standing.classifiers
    parent = parents(before, standing.profile, standing.known)
    band = plan.design.band[parent]
    rate = np.where(band >= 0, (plan.take / plan.design.N)[band], 0.0)
    held = HeldByCell(band, rate, np.bincount(standing.profile.cells(units.pattern, units.guide_bin, units.slice), minlength=parent.size))
    new = [goal for goal in standing.goals if goal not in plan.goals]
    asks = [ask_of(standing.profile, goal, names=names, slices=standing.population["slices"]) for goal in new]
    named = {name or names[0] for goal in standing.goals for name in goal.judged}
    judged = sorted(names.index(name) for name in named)
    return late(standing.profile, held, asks, judged=judged, interval=plan.interval)


def reuse(standing: Standing) -> Reuse:
    """What the labels held say about the goals added last, and how many more settle them. `standing` is extended, not yet planned."""
    at = late_of(standing)
    units = standing.units
    assert units is not None  # extended only once drawn
    cells = standing.profile.cells(units.pattern, units.guide_bin, units.slice)
    served = []
    for ask, alone in zip(at.asks, at.needs, strict=True):
        mine = np.zeros(standing.profile.count.shape, dtype=np.bool_)
        mine[ask.cells] = ask.needed
        already = late_forecast(at, ask, at.labels, interval=standing.plan.interval)
        served.append(Served(ask.goal, int(mine[cells].sum()), already, alone))
    total = labels_with_reuse(at, interval=standing.plan.interval) if at.asks else at.labels
    return Reuse(held=at.labels, total=total, goals=tuple(served))


def extension_plan(standing: Standing, budget: int) -> Plan:
    """The plan after an extension: every unit drawn is kept; `budget` counts those held and those added."""
    at, last = late_of(standing), standing.plan
    if not at.labels <= budget <= at.frame:
        raise PlanError(
            f"the budget counts the units held and those added, so it must lie between the {at.labels:,} held and the {at.frame:,} the "
            f"goals are about, got {budget:,}: name one in between"
        )
    design = late_design(at, budget)
    spend = extended(standing.plans, shown=standing.shown_plans)
    return replace(
        last,
        number=len(standing.plans) + 1,
        goals=standing.goals,
        design=design,
        budget=budget,
        take=takes_of(design, budget),
        grow_to=None,
        change=spend.change,
        share=spend.share,
        promise=spend.promise,
        choice=None,
        fresh=(*still_fresh(last, standing.shown_plans), *standing.classifiers[standing.known :]),
    )
