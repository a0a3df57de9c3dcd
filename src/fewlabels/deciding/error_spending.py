"""When an interval may be shown, and how much of the error it may spend: the four cases of looking and growing.

    first plan                       one look at its budget, the whole error
    plan(500, grow_to=800)           declared: the first look spends 1/5 of the error, the last 4/5
    larger plan, nothing was shown   as if it were the first: the earlier draw is part of this one
    larger plan after a look         half of what the last look spent, and the sum is stated, never a bare 95%

Shares are added up (Bonferroni), because REC is not normal. Source of the figures: docs/maths/error-spending.md.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from fewlabels.errors import PlanError
from fewlabels.nouns.plan import Change, Plan

FIRST_SHARE, LAST_SHARE = 0.2, 0.8
OF_BOTH = ", both together 1.5 of it (7.50% at level 0.95)"


class Spending(NamedTuple):
    """What a plan's look may spend, and in words what that guarantees."""

    change: Change
    share: float
    promise: str


def spending(
    earlier: Sequence[Plan], *, budget: int, grow_to: int | None, shown: Collection[int] = (), pilot: int | None = None
) -> Spending:
    """What a new plan's look may spend, given the earlier plans and the numbers of the plans at which something was shown.

    pilot   labels of a first round within the budget: no interval is shown before both rounds are in
    """
    _check(earlier, budget, grow_to)
    if pilot is not None and not earlier:
        promise = f"a pilot of {pilot:,} labels: no interval before all {budget:,} of both rounds are in, which is one look"
        return Spending("pilot", 1.0, promise)
    if len(earlier) == 1 and earlier[0].is_pilot:
        return _after_pilot(earlier[0], budget, shown)
    declared = grow_to if not earlier else earlier[-1].grow_to
    spent = [plan.share for plan in earlier if plan.number in shown]
    if not spent:
        change: Change = "growth, nothing shown" if earlier else "first"
        if declared is None or declared <= budget:
            return Spending(change, 1.0, "one look, when all labels are in: the interval holds at its level")
        return Spending(change, FIRST_SHARE, _declared(budget, declared))
    if budget == declared and spent == [FIRST_SHARE]:
        looked = next(plan.budget for plan in earlier if plan.number in shown)
        return Spending("declared growth", LAST_SHARE, _declared(looked, budget))
    share, total = spent[-1] / 2, sum(spent) + spent[-1] / 2
    return Spending(
        "growth after a look",
        share,
        f"numbers were shown before this growth was decided: this interval spends {share:g} of the error 1 - level, all intervals "
        f"of this study together {total:g} of it ({total * 0.05:.2%} at level 0.95)",
    )


def extended(earlier: Sequence[Plan], *, shown: Collection[int] = ()) -> Spending:
    """What a plan that adds a classifier or a goal may spend: as for growth on what was shown before, the whole error on the new."""
    spent = [plan.share for plan in earlier if plan.number in shown]
    if not spent:
        return Spending("extension", 1.0, "one look, when all labels are in: the interval holds at its level")
    share, total = spent[-1] / 2, sum(spent) + spent[-1] / 2
    return Spending(
        "extension",
        share,
        f"numbers were shown before this study took in more: intervals of what was shown spend {share:g} of the error 1 - level, together "
        f"{total:g} of it ({total * 0.05:.2%} at level 0.95); those of a classifier added since hold at their level",
    )


def _after_pilot(pilot: Plan, budget: int, shown: Collection[int]) -> Spending:
    """What the round after a pilot may spend: the whole error, unless somebody peeked at the pilot."""
    if pilot.number in shown:
        return Spending(
            "after the pilot", 0.5, f"numbers of the pilot were shown: this interval spends 0.5 of the error 1 - level{OF_BOTH}"
        )
    return Spending("after the pilot", 1.0, f"one look, when all {budget:,} labels of both rounds are in: the interval holds at its level")


def declared_next(plan: Plan, budget: int) -> int | None:
    """The declared size that a new plan keeps: the earlier declaration if it still exceeds the budget."""
    return plan.grow_to if plan.grow_to is not None and plan.grow_to > budget else None


def _declared(first: int, last: int) -> str:
    return f"two looks were declared, at {first:,} and {last:,} labels: together they err no more often than the level says"


def _check(earlier: Sequence[Plan], budget: int, grow_to: int | None) -> None:
    """Raise PlanError if the sizes break what an earlier plan promised."""
    if grow_to is not None and grow_to <= budget:
        raise PlanError(f"grow_to must exceed the budget of {budget:,}, got {grow_to:,}: raise grow_to or leave it out")
    if earlier and budget <= earlier[-1].budget:
        raise PlanError(
            f"a later plan can only add labels, but {budget:,} were requested and {earlier[-1].budget:,} are planned: request more"
        )
    if earlier and grow_to is not None and grow_to != earlier[-1].grow_to:
        raise PlanError("growth is declared with the first plan, not later: leave grow_to out")
