"""The next plan of a study, given its current state."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from fewlabels.deciding.error_spending import declared_next, spending
from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.intervals.registered import plan_interval
from fewlabels.nouns.design import Design, DesignName
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.late import Late
from fewlabels.nouns.plan import Pilot, Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.stopping import ONLINE, Stopping
from fewlabels.nouns.works_with import FEATURES, Trait, refusal_of, require
from fewlabels.planning.goal_scope import expand
from fewlabels.planning.guiding import pilot_weight
from fewlabels.planning.region import region_of
from fewlabels.study.plan.design import first_design, grown_design
from fewlabels.study.plan.looks import with_looks
from fewlabels.study.plan.online import online_plan, require_online
from fewlabels.study.plan.pilot import pilot_of
from fewlabels.study.population.profile import check_late
from fewlabels.study.state.standing import Standing


class PlanWays(NamedTuple):
    """What a first plan locks besides its sizes; `pilot`: labels of a pilot, if any; `stopping`: the stopping rule, if not one look."""

    design: DesignName | Design
    interval: IntervalKind
    pilot: int | None = None
    stopping: Stopping | None = None


def check_fixed(
    standing: Standing,
    design: DesignName | Design | None,
    interval: IntervalKind | None,
    pilot: int | None = None,
    stopping: Stopping | None = None,
) -> None:
    """Raise PlanError unless design, interval, pilot and stopping rule are those that the first plan locked."""
    if not standing.plans:
        return
    first = standing.plans[0]
    if stopping is not None and stopping != first.stopping:
        raise PlanError(
            f"the stopping rule is locked with the first plan, which has {first.stopping or 'one look'}, but {stopping} was requested: "
            "leave it out"
        )
    held = first.pilot.labels if first.pilot is not None else None
    if pilot is not None and pilot != held:
        raise PlanError(f"a pilot is locked with the first plan, which has {held or 'none'}, but {pilot:,} was requested: leave it out")
    name = design.name if isinstance(design, Design) else design
    for what, asked, fixed in (("design", name, first.design.name), ("interval", interval, first.interval)):
        if asked is not None and asked != fixed:
            raise PlanError(f"the {what} is locked with the first plan, which has {fixed}, but {asked} was requested: leave it out")
    if isinstance(design, Design) and design != (held_choice := first.choice or Design(name=design.name)):
        raise PlanError(
            f"the design is locked with the first plan, which has {held_choice.as_json()}, but {design.as_json()} was requested: "
            "leave it out"
        )


def next_plan(standing: Standing, *, budget: int, grow_to: int | None, ways: PlanWays) -> Plan:
    """The next plan: after the first, or after the plan that followed a pilot, with its bands or parts of them."""
    if budget < 1 and not standing.plans:
        raise PlanError(f"the budget must be at least 1 label, got {budget}: raise it")
    if standing.plans and standing.plan.is_pilot:
        raise PlanError("finish the pilot before making a new plan: label its remaining units (fewlabels draw)")
    rule = standing.plan.stopping if standing.plans else ways.stopping
    _refuse_known(standing, ways)
    if rule is not None and rule.kind in ONLINE:
        require_online(standing, design=ways.design, interval=ways.interval, pilot=ways.pilot is not None, growth=grow_to is not None)
        return online_plan(standing, rule, budget=budget)
    if not standing.plans:
        first = _first_plan(standing, budget, grow_to, ways)
        if rule is None:
            return first
        require("planned looks", standing.traits, subject="this one has")
        return with_looks(first, rule)
    require("larger budget", standing.traits)
    spend = spending(standing.plans, budget=budget, grow_to=grow_to, shown=standing.shown_plans)
    last = standing.plan
    _refuse_more(standing.profile, last.design.frame + last.before + last.check, budget, grow_to)
    pilot = last.pilot
    if pilot is not None:  # a rule set in advance: the weight of the pilot falls as labels are added, to zero for a census
        pilot = Pilot(pilot.labels, budget, pilot_weight(pilot.labels, budget, frame=last.design.frame + last.before))
    design = grown_design(standing, budget)
    return replace(
        last,
        pilot=pilot,
        number=len(standing.plans) + 1,
        design=design,
        budget=budget,
        take=takes_of(design, budget - last.before - last.check),
        grow_to=declared_next(last, budget),
        change=spend.change,
        share=spend.share,
        promise=spend.promise,
        fresh=still_fresh(last, standing.shown_plans),
    )


def still_fresh(last: Plan, shown: Collection[int]) -> tuple[str, ...]:
    """The classifiers without a number shown yet, although the study has shown others."""
    return () if last.number in shown else last.fresh


def _first_plan(standing: Standing, budget: int, grow_to: int | None, ways: PlanWays) -> Plan:
    """A study's first plan, or its pilot."""
    interval = plan_interval(ways.interval)
    spend = spending([], budget=budget, grow_to=grow_to, pilot=ways.pilot)
    if ways.pilot is not None and not isinstance(ways.design, Design) and ways.design == "bands":
        pilot_of(budget, ways.pilot, budget + 1)  # raise for a pilot too small or too large before anything is sized
    first = ways.pilot or budget
    choice = ways.design if isinstance(ways.design, Design) else Design(name=ways.design)
    if choice.takes and budget != sum(choice.takes):
        raise PlanError(f"manual takes must sum to the budget of {budget:,} labels, got {sum(choice.takes):,}: give the same, or none")
    rule = ways.stopping
    looks = rule.looks if rule is not None and ways.pilot is None else 1
    if grow_to is not None:
        require("growth", standing.traits, subject="this one has")
    check = _check_within(standing, first)
    by_bands = first - check
    chosen = first_design(standing, -(-by_bands // max(1, looks)), choice, ways.interval)  # the first look has to fill every band
    _refuse_more(standing.profile, chosen.frame + check, budget, grow_to)
    _refuse_known(standing, ways, poisson=chosen.poisson)
    _refuse_pilot(standing, chosen, grow_to, ways)
    return Plan(
        number=1,
        goals=standing.goals,
        design=chosen,
        budget=first,
        take=takes_of(chosen, by_bands),
        salt=standing.salt,
        number_rule=standing.number_rule,
        grow_to=grow_to,
        change=spend.change,
        share=spend.share,
        promise=spend.promise,
        interval=interval.name,
        interval_from=interval.package,
        pilot=None if ways.pilot is None else pilot_of(budget, ways.pilot, chosen.frame),
        choice=choice if choice.as_json().keys() - {"name"} else None,
        alarm="strict" if interval.believes_guide else None,
        region=None if standing.profile.known is not None else region_of(standing.profile, chosen),
        assist=_assisting(standing, chosen, ways),
        about=standing.about,
        check=check,
    )


def _check_within(standing: Standing, budget: int) -> int:
    """The labels of the budget that check known answers; raise PlanError if they leave none to draw."""
    check = 0 if standing.profile.known is None else standing.profile.known.labels
    if check >= budget:
        raise PlanError(
            f"the check of known answers takes {check:,} labels of the budget, which is {budget:,}: raise it, or check a smaller share"
        )
    return check


def _refuse_known(standing: Standing, ways: PlanWays, *, poisson: bool = False) -> None:
    """Raise PlanError for a plan that known answers do not work with."""
    if standing.profile.known is None:
        return
    online = ways.stopping is not None and ways.stopping.kind in ONLINE
    looks = ways.stopping is not None and not online
    asked = {Trait.ONLINE: online, Trait.LOOKS: looks, Trait.PILOT: ways.pilot is not None, Trait.POISSON: poisson}
    require("known answers", [trait for trait, there in asked.items() if there], subject="this one has")


def check_first(
    population: Population,
    profile: Profile,
    goals: Sequence[Goal],
    *,
    budget: int,
    grow_to: int | None,
    ways: PlanWays,
    late: Late | None = None,
) -> None:
    """Raise PlanError, before a study of that name exists, if its first plan could not be locked."""
    check_late(population, goals, late, has={Trait.PROCESS: profile.process is not None})
    wanted = expand(profile, goals, slices=population.slices, names=[c.name for c in population.classifiers])
    standing = Standing(name="", population=population.as_json(), profile=profile, salt="", goals=wanted, late=late)
    next_plan(standing, budget=budget, grow_to=grow_to, ways=ways)


def _assisting(standing: Standing, design: DrawDesign, ways: PlanWays) -> tuple[str, ...]:
    """The columns that make estimates of this plan steadier: the candidates of a study of one question, by bands, without a pilot."""
    refused = refusal_of("other columns", standing.traits) is not None
    refused = refused or standing.profile.known is not None
    works = not refused and standing.profile.claims is None and ways.pilot is None and design.name == "bands"
    return tuple(standing.population.get("candidates", ())) if works and plan_interval(ways.interval).of_side is not None else ()


def _refuse_more(profile: Profile, largest: int, budget: int, grow_to: int | None) -> None:
    """Raise PlanError if there are fewer units than labels."""
    if max(budget, grow_to or 0) > largest:
        what = f"the budget is {budget:,}" if budget > largest else f"grow_to is {grow_to:,}"
        raise PlanError(f"these goals can use at most the {largest:,} units they are about{profile.apart}, but {what}: lower it")


def _refuse_pilot(standing: Standing, design: DrawDesign, grow_to: int | None, ways: PlanWays) -> None:
    """Raise PlanError unless the study supports a pilot."""
    if ways.pilot is None:
        return
    asked = {Trait.DESIGN: design.name != "bands", Trait.GROWTH: grow_to is not None, Trait.LOOKS: ways.stopping is not None}
    traits = [trait for trait, there in asked.items() if there]
    require("pilot", [*traits, *standing.traits, *(trait for goal in standing.goals for trait in goal.traits)], subject="this one has")
    if len({goal.whose for goal in standing.goals} | {None}) > 2:
        raise PlanError(f"{FEATURES['pilot'].rule}, but goals are about several: {FEATURES['pilot'].instead}, or ask about one")
