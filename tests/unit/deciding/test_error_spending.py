"""The four cases of looking and topping up."""

import numpy as np
import pytest

from fewlabels.deciding.error_spending import FIRST_SHARE, LAST_SHARE, declared_next, spending
from fewlabels.errors import PlanError
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import parse_goal
from fewlabels.nouns.plan import Plan

DESIGN = DrawDesign(name="simple", band=np.array([0]), N=np.array([10_000]), mass=np.array([1.0]))


def planned(*budgets: tuple[int, int | None, bool]) -> list[Plan]:
    """Plans made one after the other; each is (budget, grow_to, whether numbers had been shown when it was made)."""
    plans: list[Plan] = []
    for budget, grow_to, shown in budgets:
        spend = spending(plans, budget=budget, grow_to=grow_to, shown={p.number for p in plans} if shown else ())
        plans.append(
            Plan(
                number=len(plans) + 1,
                goals=(parse_goal("recall +-0.05"),),
                design=DESIGN,
                budget=budget,
                take=np.array([budget]),
                salt="00",
                grow_to=declared_next(plans[-1], budget) if plans else grow_to,
                change=spend.change,
                share=spend.share,
                promise=spend.promise,
            )
        )
    return plans


def test_one_look_spends_the_whole_error() -> None:
    (plan,) = planned((500, None, False))
    assert (plan.change, plan.share) == ("first", 1.0)


def test_declared_growth_spends_a_fifth_and_then_four_fifths() -> None:
    first, last = planned((500, 800, False), (800, None, True))
    assert (first.share, last.share) == (FIRST_SHARE, LAST_SHARE) == (0.2, 0.8)
    assert last.change == "declared growth"
    assert first.share * 0.05 == pytest.approx(0.01)
    assert last.share * 0.05 == pytest.approx(0.04)
    assert first.share + last.share == 1  # so the level holds for both looks together
    assert "500" in last.promise
    assert "800" in last.promise


def test_growth_before_anything_was_shown_is_free() -> None:
    first, second = planned((500, None, False), (800, None, False))
    assert (second.change, second.share, second.promise) == ("growth, nothing shown", 1.0, first.promise)


def test_growth_after_a_look_halves_the_error_and_says_the_sum() -> None:
    _, second, third = planned((500, None, False), (800, None, True), (900, None, True))
    assert (second.change, second.share) == ("growth after a look", 0.5)
    assert "7.50%" in second.promise
    assert third.share == 0.25
    assert "8.75%" in third.promise


def test_the_errors_of_all_looks_never_exceed_twice_the_level() -> None:
    plans = planned((100, None, False), *[(100 + i, None, True) for i in range(1, 12)])
    assert sum(plan.share for plan in plans) < 2


def test_growth_to_another_size_than_declared_is_not_the_declared_one() -> None:
    _, second = planned((500, 800, False), (700, None, True))
    assert (second.change, second.share) == ("growth after a look", FIRST_SHARE / 2)


def test_growth_toward_the_declared_size_before_anything_was_shown_keeps_the_declaration() -> None:
    _, second, last = planned((500, 800, False), (700, None, False), (800, None, True))
    assert (second.change, second.share, second.grow_to) == ("growth, nothing shown", FIRST_SHARE, 800)
    assert "700" in second.promise
    assert last.change == "growth after a look"  # this helper says that both plans were shown; see the next test for one look only


def test_only_looks_that_were_had_count() -> None:
    first, second = planned((500, 800, False), (700, None, False))
    assert spending([first, second], budget=800, grow_to=None, shown={2}) == ("declared growth", LAST_SHARE, second.promise)
    assert spending([first, second], budget=800, grow_to=None).share == 1.0
    assert "10.00%" not in spending([first, second], budget=900, grow_to=None, shown={2}).promise


@pytest.mark.parametrize(
    ("earlier", "budget", "grow_to", "message"),
    [
        ([], 500, 500, "grow_to must exceed"),
        ([], 500, 400, "grow_to must exceed"),
        ([(500, None, False)], 500, None, "only add labels"),
        ([(500, None, False)], 400, None, "only add labels"),
        ([(500, None, False)], 800, 900, "declared with the first plan"),
    ],
)
def test_a_plan_that_breaks_an_earlier_promise_is_refused(
    earlier: list[tuple[int, int | None, bool]], budget: int, grow_to: int | None, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        spending(planned(*earlier), budget=budget, grow_to=grow_to)
