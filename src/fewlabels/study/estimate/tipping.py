"""The tipping points of a study's targets: how many positives may hide where the scores see none; docs/maths/tipping.md."""

from collections.abc import Iterator

import numpy as np

from fewlabels.deciding.tipping import Hidden, tipping_point
from fewlabels.nouns import ladder
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.tipping import TippingPoint
from fewlabels.nouns.works_with import refusal_of
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers, groups_for, read_answers, tally


def read_tipping(standing: Standing, missing: Missing) -> tuple[TippingPoint, ...]:
    """The tipping points of the goals that have one, at the plan's look."""
    if standing.plan.region is None or missing.differs:
        return ()
    return tuple(_of_goals(standing, read_answers(standing)))


def _of_goals(standing: Standing, answers: Answers) -> Iterator[TippingPoint]:
    plan = standing.plan
    for goal in plan.goals:
        found = tipping_of(standing, answers, goal, share=plan.share_of(goal.classifier or standing.classifiers[0]))
        if found is not None:
            yield found


def why_none(standing: Standing, goal: Goal) -> str | None:
    """Why the plan gives a target no tipping point; None if it may have one."""
    found = refusal_of("tipping point", (*standing.traits, *goal.traits))
    if found is not None:
        return f"this study has {found.trait} ({found.why})"
    return "the plan sets no low scores apart" if standing.plan.region is None else None


def tipping_of(standing: Standing, answers: Answers, goal: Goal, *, share: float) -> TippingPoint | None:
    """The tipping point of one target at a share of its error; None if it has none."""
    if not goal.may_tip or why_none(standing, goal) is not None:
        return None
    hidden = _hidden(standing, answers, goal)
    return None if hidden is None else tipping_point(goal, hidden, tail=(1 - goal.level) * share)


def _hidden(standing: Standing, answers: Answers, goal: Goal) -> Hidden | None:
    """The labels of the goal's classifier, and which of its groups are the region; None unless it consists of whole groups."""
    end, j = standing.plan.region, standing.position(goal.classifier)
    assert end is not None  # asked only of a plan with a region
    groups = groups_for(standing)[j]
    told = tally(answers, groups, j)
    home = groups.of_cell if groups.pool is None else np.where(groups.of_cell < 0, -1, groups.pool.home[groups.of_cell])
    inside = home >= 0
    below = np.bincount(home[inside], weights=standing.profile.guide_bin[inside] < end, minlength=told.N.size)
    region = ~told.flagged & (below == np.bincount(home[inside], minlength=told.N.size))
    if (~told.flagged & (below > 0) & ~region).any() or not region.any():
        return None
    low, high = standing.read_population().guide_range
    return Hidden(told, region, low + (high - low) * float(ladder.EDGES[end]))
