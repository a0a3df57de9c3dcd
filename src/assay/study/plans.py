"""The plan that follows where a study stands.

Main path: population > profile > [plan] > draw > labels > estimate > decision > report
"""

from assay.deciding.looks import declared_next, spending
from assay.designs.base import takes
from assay.errors import PlanError
from assay.nouns.estimate import IntervalKind
from assay.nouns.plan import Plan
from assay.planning.choosing import DesignName, choose_design
from assay.study.replay import Standing


def check_fixed(standing: Standing, design: DesignName | None, interval: IntervalKind | None) -> None:
    """Refuses another design or interval than the first plan fixed."""
    if not standing.plans:
        return
    first = standing.plans[0]
    for what, asked, fixed in (("design", design, first.design.name), ("interval", interval, first.interval)):
        if asked is not None and asked != fixed:
            raise PlanError(f"the {what} is fixed with the first plan, which has {fixed}, but {asked} was asked for: leave it out")


def next_plan(standing: Standing, *, budget: int, grow_to: int | None, design: DesignName, interval: IntervalKind) -> Plan:
    """The plan that follows, with the first plan's bands where there is one."""
    spend = spending(standing.plans, budget=budget, grow_to=grow_to, shown=standing.shown_plans)
    if budget < 1:
        raise PlanError(f"a plan holds at least one label, but the budget is {budget}: raise it")
    metrics = [goal.definition for goal in standing.goals]
    chosen = standing.plans[0].design if standing.plans else choose_design(standing.profile, metrics, labels=budget, name=design)
    largest = chosen.frame
    if max(budget, grow_to or 0) > largest:
        what = f"the budget is {budget:,}" if budget > largest else f"grow_to is {grow_to:,}"
        raise PlanError(f"these goals can use at most the {largest:,} units they are about, but {what}: lower it")
    return Plan(
        number=len(standing.plans) + 1,
        goals=standing.goals,
        design=chosen,
        budget=budget,
        take=takes(chosen.mass, chosen.N, budget),
        salt=standing.salt,
        grow_to=declared_next(standing.plan, budget) if standing.plans else grow_to,
        change=spend.change,
        share=spend.share,
        promise=spend.promise,
        interval=standing.plans[0].interval if standing.plans else interval,
    )
