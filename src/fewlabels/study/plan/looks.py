"""Looks planned before the first label: their sizes, the error each may spend, and the state of the study at the last one reached."""

from dataclasses import replace

import numpy as np

from fewlabels.deciding.error_spending import Spending
from fewlabels.deciding.planned_looks import PlannedLook, due, planned_looks, promise_of, refuse_unplannable
from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.stopping import Stopping
from fewlabels.nouns.works_with import Trait, require
from fewlabels.study.state.standing import Standing


def looks_of(design: DrawDesign, budget: int, stopping: Stopping, *, level: float) -> tuple[PlannedLook, ...]:
    """The planned looks of a plan."""
    fewest = int(np.minimum(design.N, design.smallest).sum())
    return planned_looks(budget, looks=stopping.looks, level=level, frame=design.frame, fewest=fewest)


def with_looks(plan: Plan, stopping: Stopping) -> Plan:
    """The plan with planned looks. Raise PlanError for metrics and intervals for which they were not shown to be valid."""
    for goal in plan.goals:
        refuse_unplannable(goal.definition)
    asked = {Trait.PILOT: plan.pilot is not None, Trait.POISSON: plan.design.poisson, Trait.GROWTH: plan.grow_to is not None}
    require("planned looks", [trait for trait, there in asked.items() if there], subject="this plan has")
    if not INTERVALS.named(plan.interval).holds_over_looks:
        raise PlanError(f"planned looks were not shown to hold for the interval {plan.interval}: leave it out, or plan one look")
    spend = spending_of(replace(plan, stopping=stopping))
    return replace(plan, stopping=stopping, share=spend.share, promise=spend.promise)


def spending_of(plan: Plan) -> Spending:
    """The error that the last look of such a plan may spend, and what all looks guarantee."""
    assert plan.stopping is not None  # asked of plans with planned looks
    level = plan.goals[0].level
    looks = looks_of(plan.design, plan.budget, plan.stopping, level=level)
    return Spending("first", looks[-1].two_sided, promise_of(looks, level))


def holds_at_looks(metric: str) -> bool:
    """Whether planned looks were shown to be valid for a metric: its denominator needs no label."""
    try:
        refuse_unplannable(metric_named(metric))
    except PlanError:
        return False
    return True


def at_look(standing: Standing, *, one_sided: bool = False) -> Standing | None:
    """The study as of the last planned look that its answers reach, with that look's share of the error; None before the first.

    Only the answers to the first units of the asking order are read, as many as the look has.
    """
    plan, units = standing.plan, standing.units
    if units is None or plan.stopping is None:
        return None
    resolved = standing.resolved
    answered = resolved.size if resolved.all() else int(np.argmin(resolved))
    look = due(looks_of(plan.design, plan.budget, plan.stopping, level=plan.goals[0].level), answered)
    if look is None:
        return None
    share = look.one_sided if one_sided else look.two_sided
    then = replace(plan, budget=look.labels, take=takes_of(plan.design, look.labels), share=share, stopping=None)
    return replace(standing, plans=(*standing.plans[:-1], then), units=units.pick(np.arange(look.labels)))
