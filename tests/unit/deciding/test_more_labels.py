"""How many more labels: enough by the forecast, and not much more than enough."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fewlabels.deciding.more_labels import Ahead, more_labels
from fewlabels.deciding.verdict import Reading, thinness
from fewlabels.designs.base import takes
from fewlabels.estimators.estimating import estimate
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.measuring import measure
from fewlabels.nouns.decision import THIN_HALF_WIDTH, THIN_N_EFF, MoreLabels
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.ladder import bin_of
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.tally import Tally
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.forecasting import settles, tails, with_power
from fewlabels.planning.simulated_draws import spread_labels
from fewlabels.planning.sizing import smoothed_shares
from fewlabels.randomness import stream
from tests.identities.made import Cells, profile_of

GOALS = ["recall +-0.04", "precision +-0.03", "precision >= 0.75", "f1 <= 0.7", "recall >= 0.6 at 0.9"]
BUDGET = 120


def ahead(groups: Groups, tally: Tally) -> Ahead:
    """What is expected of more labels of one classifier's groups."""
    return Ahead({(None, None): [groups]}, {(None, None): [smoothed_shares(tally)]}, [0])


def population() -> Cells:
    scores = stream(42, 1).beta(0.4, 2.5, 20_000)
    bins, units = np.unique(bin_of(scores), return_counts=True)
    return {(int(b >= int(bin_of(np.array([0.5]))[0])), int(b)): int(c) for b, c in zip(bins, units, strict=True)}


PROFILE = profile_of(population())


@cache
def topped(text: str) -> tuple[Plan, Groups, Tally, MoreLabels]:
    """A study of BUDGET labels that answered as the guide expects, and what it says is still needed."""
    goal = parse_goal(text)
    design = choose_design(PROFILE, [goal.definition], labels=BUDGET)
    plan = Plan(
        number=1,
        goals=(goal,),
        design=design,
        budget=BUDGET,
        take=takes(design.mass, design.N, BUDGET),
        salt="00",
        grow_to=None,
        change="first",
        share=1.0,
        promise="",
    )
    groups = groups_of(PROFILE, design)
    n = spread_labels(groups, design, BUDGET)
    tally = groups.tally(n, np.round(n * groups.expected))
    found = estimate(goal.definition, tally, classifier="gbm", level=goal.level, planned=True)
    return plan, groups, tally, more_labels([plan], ahead(groups, tally), [Reading(goal, found, tally)], shown={1})


def settles_at(text: str, budget: int) -> bool:
    """Whether the forecast at a budget settles the goal and is not too thin to ship on."""
    plan, groups, tally, _ = topped(text)
    n = spread_labels(groups, plan.design, budget)
    grown = groups.tally(n, n * smoothed_shares(tally))
    goal = plan.goals[0]
    found = estimate(goal.definition, grown, classifier="gbm", level=1 - (1 - goal.level) / 2, planned=True)
    two, one = tails(goal, share=0.5)
    shown, bound = (measure(goal.definition, grown, tail=tail) for tail in (two, with_power(goal, one)))
    return bool(settles(goal, shown, bound)) and thinness(found) is None


@pytest.mark.parametrize("text", GOALS)
def test_the_number_settles_the_goal_and_half_of_it_does_not(text: str) -> None:
    more = topped(text)[3]
    assert more.enough
    assert settles_at(text, BUDGET + more.labels)
    assert more.labels < 10 or not settles_at(text, BUDGET + more.labels // 2)


@pytest.mark.parametrize("text", GOALS)
def test_the_number_is_split_as_the_next_plan_would_draw(text: str) -> None:
    plan, groups, _, more = topped(text)
    grown = takes(plan.design.mass, plan.design.N, BUDGET + more.labels) - plan.take
    assert (grown >= 0).all()
    is_flagged = np.zeros(plan.design.N.size, dtype=bool)
    is_flagged[groups.band] = groups.flagged
    assert (more.flagged, more.unflagged) == (grown[is_flagged].sum(), grown[~is_flagged].sum())


def test_a_goal_nothing_could_settle_says_so() -> None:
    """All units would show recall exactly, but a target at that very value lies on no side of it until then."""
    plan, groups, tally, _ = topped("recall +-0.04")
    shares = smoothed_shares(tally)
    exact = measure(parse_goal("recall +-0.04").definition, groups.tally(groups.N, groups.N * shares), tail=0.025)
    goal = parse_goal("recall >= 0.5")
    at_truth = type(goal)(metric="recall", kind=">=", value=float(exact.value))
    found = estimate(goal.definition, tally, classifier="gbm", level=0.95, planned=True)
    more = more_labels([plan], ahead(groups, tally), [Reading(at_truth, found, tally)], shown=())
    assert (more.labels, more.enough) == (plan.design.frame - BUDGET, False)
    assert more.flagged + more.unflagged == more.labels


def test_declared_growth_is_advised_where_it_is_enough() -> None:
    plan, groups, tally, fewest = topped("recall +-0.04")
    goal = plan.goals[0]
    found = estimate(goal.definition, tally, classifier="gbm", level=0.99, planned=True)
    declared = replace(plan, grow_to=BUDGET + 2 * fewest.labels, share=0.2)
    assert more_labels([declared], ahead(groups, tally), [Reading(goal, found, tally)], shown={1}).labels == 2 * fewest.labels


def test_a_settled_goal_that_is_thin_asks_until_it_is_not() -> None:
    goal = parse_goal("precision >= 0.5")
    design = choose_design(PROFILE, [goal.definition], labels=12)
    groups = groups_of(PROFILE, design)
    n = spread_labels(groups, design, 12)
    tally = groups.tally(n, n)
    found = estimate(goal.definition, tally, classifier="gbm", level=0.95, planned=True)
    assert found.half_width > THIN_HALF_WIDTH or (found.n_eff or 0) < THIN_N_EFF
    plan = Plan(
        number=1,
        goals=(goal,),
        design=design,
        budget=12,
        take=takes(design.mass, design.N, 12),
        salt="00",
        grow_to=None,
        change="first",
        share=1.0,
        promise="",
    )
    more = more_labels([plan], ahead(groups, tally), [Reading(goal, found, tally)], shown=())
    assert more.enough
    n = spread_labels(groups, design, 12 + more.labels)
    grown = groups.tally(n, n * smoothed_shares(tally))
    again = estimate(goal.definition, grown, classifier="gbm", level=0.95, planned=True)
    assert again.half_width <= THIN_HALF_WIDTH
    assert again.n_eff is not None
    assert again.n_eff >= THIN_N_EFF
