"""The plan of an online study: its bands, and a budget that may be raised at any time, since looking is free."""

from collections.abc import Sequence

from fewlabels.designs.base import takes_of
from fewlabels.errors import PlanError
from fewlabels.nouns.design import Design
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.stopping import Stopping
from fewlabels.nouns.works_with import Trait, require
from fewlabels.planning.online import online_design, refuse_goals
from fewlabels.study.state.standing import Standing


def online_plan(standing: Standing, stopping: Stopping, *, budget: int) -> Plan:
    """The first online plan, or one with a larger budget."""
    refuse_goals(standing.goals, stopping)
    earlier, names, slices = standing.plans, standing.classifiers, standing.population["slices"]
    design = earlier[0].design if earlier else online_design(standing.profile, standing.goals, names=names, slices=slices)
    if budget > design.frame:
        raise PlanError(f"these goals can use at most the {design.frame:,} units they are about, but the budget is {budget:,}: lower it")
    if earlier and budget <= earlier[-1].budget:
        held = earlier[-1].budget
        raise PlanError(f"a later plan can only add labels, but {budget:,} were requested and {held:,} are planned: request more")
    return Plan(
        number=len(earlier) + 1,
        goals=standing.goals,
        design=design,
        budget=budget,
        take=takes_of(design, budget),
        salt=standing.salt,
        number_rule=standing.number_rule,
        grow_to=None,
        change="online",
        share=1.0,
        promise=promise(standing.goals, stopping),
        interval="anytime",
        stopping=stopping,
    )


def require_online(standing: Standing, *, design: str | Design, interval: str, pilot: bool, growth: bool) -> None:
    """Raise PlanError unless an online plan supports the other options asked for."""
    other = (design.name if isinstance(design, Design) else design) not in ("bands", "online")
    asked = {Trait.PILOT: pilot, Trait.GROWTH: growth, Trait.DESIGN: other}
    require("online", [*(trait for trait, there in asked.items() if there), *standing.traits], subject="this one has")
    if interval not in (USUAL_INTERVAL, "anytime"):
        raise PlanError(f"an online plan has its own interval, but {interval} was requested: leave it out, or plan one look")


def promise(goals: Sequence[Goal], stopping: Stopping) -> str:
    """The guarantee of an online study, in words."""
    error = 1 - goals[0].level
    one = len(goals) == 1
    holds = "its running band holds" if one else f"the {len(goals)} running bands hold together, each at {1 - error / len(goals):.4g},"
    said = f"look as often as you like: {holds} at every look at once with probability {1 - error:g}"
    if stopping.kind == "width":
        return f"{said}; labeling ends when {'it is' if one else 'they are'} narrow enough"
    within = f" (within {stopping.tolerance:g} of the target either answer counts as right)" if stopping.tolerance else ""
    each = "" if one else f", each goal at {error / len(goals):.4g}"
    wrong = f"'ship' is wrong with probability at most {error:g}, 'do not ship' too{each}"
    return f"{said}; {wrong}{within}"
