"""When an interval may be shown, and what error it may spend: the four cases of looking and topping up.

    first plan                       one look at its budget, the whole error
    plan(500, grow_to=800)           declared: the first look spends 1/5 of the error, the last 4/5
    larger plan, nothing was shown   the whole error: the first draw was only a part of this one
    larger plan after a look         half of what the look before it spent, and the sum is stated, never a bare 95 %

Shares are added up (Bonferroni), because REC is not normal. Source of the figures: docs/maths/looks.md.

Main path: population > profile > [plan] > draw > labels > estimate > [decision] > report
"""

from typing import NamedTuple

from assay.errors import PlanError
from assay.nouns.plan import Change, Plan

FIRST_SHARE, LAST_SHARE = 0.2, 0.8


class Spending(NamedTuple):
    """What a plan's look may spend, and what that is worth in words."""

    change: Change
    share: float
    promise: str


def spending(earlier: list[Plan], *, budget: int, grow_to: int | None, shown: bool) -> Spending:
    """What a new plan's look may spend, given the earlier plans and whether any number was shown."""
    if grow_to is not None and grow_to <= budget:
        raise PlanError(
            f"grow_to must exceed the budget, but grow_to is {grow_to:,} and the budget {budget:,}: raise grow_to or leave it out"
        )
    if not earlier:
        if grow_to is None:
            return Spending("first", 1.0, "one look, when all labels are in: the interval holds at its level")
        return Spending(
            "first",
            FIRST_SHARE,
            f"two looks were declared, at {budget:,} and {grow_to:,} labels: together they err no more often than the level says",
        )
    last = earlier[-1]
    if budget <= last.budget:
        raise PlanError(f"a later plan only adds labels, but {budget:,} were asked for and {last.budget:,} are planned: ask for more")
    if grow_to is not None:
        raise PlanError("growth is declared with the first plan, not later: leave grow_to out")
    if last.grow_to == budget:
        return Spending("declared growth", LAST_SHARE, last.promise)
    if not shown:
        return Spending("growth, nothing shown", last.share, last.promise)
    spent = sum(plan.share for plan in earlier)
    share = earlier[-1].share / 2
    return Spending(
        "growth after a look",
        share,
        f"numbers were shown before this growth was decided: this interval spends {share:g} of the error 1 - level, all intervals "
        f"of this study together {spent + share:g} of it ({(spent + share) * 0.05:.2%} at level 0.95)",
    )
