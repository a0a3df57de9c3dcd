"""How many more labels should settle the open goals, and where they would be drawn."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from fewlabels.deciding.error_spending import spending
from fewlabels.deciding.verdict import Reading, judge
from fewlabels.designs.base import takes_of
from fewlabels.estimators.comparing import PairGroups
from fewlabels.estimators.effective import effective_n, process_of
from fewlabels.estimators.grouping import Groups
from fewlabels.estimators.measuring import measure, sides_of
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.decision import Declared, MoreLabels, widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.tally import AnyTally, GapTally, JointTally, PairTally
from fewlabels.planning.forecasting import settles, tails, with_power
from fewlabels.planning.simulated_draws import spread_labels
from fewlabels.planning.sizing import smallest

Kind: TypeAlias = tuple[str | None, tuple[str, str] | None]


class PairAhead(NamedTuple):
    """The groups that two classifiers distinguish, and the smoothed positive share of each."""

    groups: PairGroups
    shares: FloatArray


class Ahead(NamedTuple):
    """What a larger draw of the same design should show, if further labels are like those so far.

    groups   the groups of every judged classifier, by (weight column, slice) of the goals; (None, None) counts all units
    shares   the smoothed positive share of these groups, in their order
    of       the classifier of each reading
    pairs    for readings about one classifier over another, by their names
    """

    groups: Mapping[Kind, Sequence[Groups]]
    shares: Mapping[Kind, Sequence[FloatArray]]
    of: Sequence[int]
    pairs: Mapping[str | None, PairAhead] = {}

    def tally(self, reading: Reading, classifier: int, design: DrawDesign, budget: int, answered: float) -> AnyTally:
        """The expected tally of a reading, with a share `answered` of the budget's labels and the correlation seen so far."""
        if isinstance(reading.tally, PairTally):
            pair = self.pairs[reading.goal.whose]
            n = answered * spread_labels(pair.groups.groups, design, budget)
            found = pair.groups.tally(n, n * pair.shares)
            return found._replace(tally=replace(found.tally, process=process_of(reading.tally)))
        if isinstance(reading.tally, GapTally):
            return self._by_slice(reading.goal, reading.tally.slices, classifier, design, budget, answered)
        each = []
        kind = (reading.goal.definition.weight, reading.goal.slice)
        for mine, p in zip(self.groups[kind], self.shares[kind], strict=True):
            n = answered * spread_labels(mine, design, budget)
            each.append(mine.tally(n, n * mine.spread(p)))
        if isinstance(reading.tally, JointTally):
            return JointTally(tuple(each), reading.tally.correlation)
        return replace(each[classifier], process=process_of(reading.tally))  # with the clustering that the labels have shown

    def _by_slice(self, goal: Goal, slices: Sequence[str], classifier: int, design: DrawDesign, budget: int, answered: float) -> GapTally:
        """The expected tally of a gap: that of every slice."""
        gap, tallies = goal.definition.gap, []
        assert gap is not None  # counted by slice for a gap only
        for value in slices:
            kind = (None, (gap.column, value))
            mine, p = self.groups[kind][classifier], self.shares[kind][classifier]
            n = answered * spread_labels(mine, design, budget)
            tallies.append(mine.tally(n, n * mine.spread(p)))
        return GapTally(tuple(slices), tuple(tallies))


def more_labels(
    plans: Sequence[Plan], ahead: Ahead, readings: Sequence[Reading], *, shown: Collection[int], answered: float = 1.0
) -> MoreLabels:
    """The labels that should settle every open goal and leave no reading too thin: the declared growth if enough, else the fewest.

    Where more are needed than were declared, it says what those would settle.

    Expected answers follow the smoothed shares of the labels so far, at the error the next look may spend. A target must be cleared by
    enough to be settled with the goal's power. A share `answered` of the units is expected to have a usable answer.
    """
    plan = plans[-1]
    frame = plan.design.frame + plan.check

    def settled(budget: int) -> Iterator[bool]:
        share = spending(plans, budget=budget, grow_to=None, shown=shown).share
        for reading, j in zip(readings, ahead.of, strict=True):
            yield _settled(reading, ahead.tally(reading, j, plan.design, budget - plan.check, answered), share)

    budget, declared = None, None
    if plan.grow_to is not None and plan.budget < plan.grow_to <= frame:
        at_growth = list(settled(plan.grow_to))
        budget = plan.grow_to if all(at_growth) else None
        open_goals = [judge(reading, share=plan.share).status == "open" for reading in readings]
        closed = tuple(str(r.goal) for r, is_open, done in zip(readings, open_goals, at_growth, strict=True) if is_open and done)
        declared = None if budget else Declared(plan.grow_to - plan.budget, closed)
    if budget is None:
        budget = smallest(lambda n: all(settled(n)), low=min(plan.budget + 1, frame), high=frame)
    target = frame if budget is None else budget
    added = takes_of(plan.design, target - plan.check) - plan.take
    counted = ahead.groups[None, None][0]
    flagged_share = np.bincount(counted.band, weights=counted.N * counted.flagged, minlength=plan.design.N.size) / plan.design.N
    flagged = round(float((added * flagged_share).sum()))
    total = target - plan.budget
    return MoreLabels(labels=total, flagged=flagged, unflagged=total - flagged, enough=budget is not None, declared=declared)


def _settled(reading: Reading, tally: AnyTally, share: float) -> bool:
    """Whether the expected answers settle a goal, a target with its power, and are not too thin."""
    metric = reading.goal.definition
    two, one = tails(reading.goal, share=min(share * reading.spends, 1.0))
    kind, sides = reading.estimate.interval, sides_of(tally)
    shown = measure(metric, tally, tail=two, interval=kind, sides=sides)
    allowed = reading.widest
    if allowed is None:
        allowed = widest(metric, unlimited=reading.goal.may_be_wide)
    too_wide = shown.half_width > allowed
    if too_wide:
        return False
    bound = measure(metric, tally, tail=with_power(reading.goal, one), interval=kind, sides=sides)
    if not settles(reading.goal, shown, bound):
        return False
    n_eff = effective_n(metric, tally, shown, tail=two, interval=kind, sides=sides)
    return n_eff is not None and n_eff >= reading.fewest
