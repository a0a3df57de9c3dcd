"""One rule of a gate on many simulated draws at once: the verdicts that the gate would give, draw by draw."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.designs.base import takes_of
from fewlabels.estimators.comparing import fill_pair, pair_groups
from fewlabels.estimators.effective import read_alike, simple_widths
from fewlabels.estimators.grouping import fill_empty
from fewlabels.estimators.measuring import Measured, measure, sides_of
from fewlabels.estimators.sides import prepare
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.decision import widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import EXACT, IntervalKind
from fewlabels.nouns.policy import Rule
from fewlabels.nouns.tally import AnyTally, PairTally, Tally
from fewlabels.study.estimate.answerable import cells_about
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.simulate import CellCounts, replicate_cells
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import groups_for


def drawn(design: DrawDesign, count: IntArray, positives: IntArray, *, labels: int, reps: int, rng: np.random.Generator) -> CellCounts:
    """Labels and positive labels of every cell in `reps` simulated draws."""
    return replicate_cells(design, count, positives, labels=labels, reps=reps, rng=rng)


class Table(NamedTuple):
    """A study of a table of its own, and the positives of its cells."""

    standing: Standing
    positives: IntArray


def table_from(standing: Standing, positives: IntArray, rng: np.random.Generator) -> Table | None:
    """The study on another table from the same process: as many units, their cells and answers drawn by the shares of this one.

    None if it happens to have no unit that the plan is about.
    """
    profile, plan = standing.profile, standing.plan
    count = rng.multinomial(profile.N, profile.count / profile.N)
    inside = count > 0
    K = rng.binomial(count[inside], (positives / profile.count)[inside])
    band = plan.design.band[inside]
    if (band < 0).all():
        return None
    used, of_cell = np.unique(band[band >= 0], return_inverse=True)
    home = np.full(band.size, -1, dtype=np.int64)
    home[band >= 0] = of_cell
    N = np.bincount(of_cell, weights=count[inside][band >= 0]).astype(np.int64)
    design = replace(plan.design, band=home, N=N, mass=plan.design.mass[used], held=None)
    labels = min(plan.budget, design.frame)
    then = replace(plan, design=design, budget=labels, take=takes_of(design, labels))
    table = replace(profile.part(inside), count=count[inside])
    return Table(replace(standing, profile=table, plans=(*standing.plans[:-1], then)), K)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialRule:
    """A rule, and how its labels are counted and read.

    of_cell   the group of each profile cell; -1: none
    groups    number of groups
    count     labels and positives by group -> a tally
    fill      joins empty groups of one draw's tally to their neighbors
    frame     number of units the rule is about
    share     share of the error that the look may spend
    interval  by which the study stands to be read: strict if its labels contradict the guide
    """

    rule: Rule
    of_cell: IntArray
    groups: int
    count: Callable[[FloatArray, FloatArray], AnyTally]
    fill: Callable[[AnyTally], AnyTally]
    frame: int
    share: float
    interval: IntervalKind

    def judge(self, counts: CellCounts, *, among: int) -> tuple[BoolArray, BoolArray]:
        """Whether the rule ships and whether it fails in each draw: vectorized over draws that fill every group, else one by one."""
        n, k = self._by_group(counts.n), self._by_group(counts.k)
        ships, fails = np.zeros(len(n), dtype=np.bool_), np.zeros(len(n), dtype=np.bool_)
        full = (n > 0).all(axis=1)
        if full.any():
            ships[full], fails[full] = self._judge_full(n[full], k[full], among=among)
        for r in np.flatnonzero(~full).tolist():
            tally = self.fill(self.count(n[r], k[r]))
            passed, failed, shown = self._bounds(tally, among=among)
            ships[r], fails[r] = bool(passed) and not bool(failed) and self._is_thick(tally, shown), bool(failed)
        return ships, fails

    def _judge_full(self, n: FloatArray, k: FloatArray, *, among: int) -> tuple[BoolArray, BoolArray]:
        passed, failed, shown = self._bounds(self.count(n, k), among=among)
        ships = passed & ~failed
        for r in np.flatnonzero(ships).tolist():
            ships[r] = self._is_thick(self.count(n[r], k[r]), Measured(*(part[r] for part in shown)))
        return ships, failed

    def _bounds(self, tally: AnyTally, *, among: int) -> tuple[BoolArray, BoolArray, Measured]:
        """Whether the target is shown, whether it is shown to fail among all rules, and the interval shown."""
        goal, error = self.rule.goal, (1 - self.rule.goal.level) * self.share
        interval, sides, spent = self.interval, sides_of(tally), (error / 2, error, error / among)
        if sides is not None:
            prepare([sides], spent, interval)
        shown, bound, shared = (measure(goal.definition, tally, tail=tail, interval=interval, sides=sides) for tail in spent)
        if goal.kind == ">=":
            return np.asarray(bound.low >= goal.value), np.asarray(shared.high < goal.value), shown
        return np.asarray(bound.high <= goal.value), np.asarray(shared.low > goal.value), shown

    def _is_thick(self, tally: AnyTally, shown: Measured) -> bool:
        """Whether one reading is precise enough to ship on."""
        goal, half_width = self.rule.goal, float(shown.half_width)
        if not np.isfinite(shown.value):
            return False
        if half_width < EXACT:
            return True
        allowed = self.rule.max_half_width
        if allowed is None:
            allowed = widest(goal.definition, unlimited=goal.may_be_wide)
        return half_width <= allowed and self._is_effective(tally, shown)

    def _is_effective(self, tally: AnyTally, shown: Measured) -> bool:
        """Whether the effective n is enough: a simple random draw of the fewest labels allowed would have a wider interval."""
        metric, fewest = self.rule.goal.definition, self.rule.min_n_eff
        tail = (1 - self.rule.goal.level) * self.share / 2
        if fewest > self.frame:
            return False
        sides = sides_of(tally)
        width = simple_widths(
            metric, tally, np.array([float(fewest)]), tail=tail, interval=read_alike(metric, sides, self.interval), sides=sides
        )  # fmt: skip
        return bool(width[0] >= float(shown.high - shown.low))

    def _by_group(self, by_cell: FloatArray) -> FloatArray:
        inside = self.of_cell >= 0
        found = np.zeros((self.groups, len(by_cell)))
        np.add.at(found, self.of_cell[inside], by_cell[:, inside].T)
        return found.T


def bench_of(standing: Standing, rule: Rule, *, labels: int, interval: IntervalKind | None = None) -> TrialRule:
    """A rule under the study's design with `labels` labels; `interval`: by which it is read, found out if omitted."""
    goal, plan = rule.goal, standing.plan
    sized = replace(plan, budget=labels, take=takes_of(plan.design, labels))
    mine = replace(standing, plans=(*standing.plans[:-1], sized))
    judged = [standing.position(name) for name in goal.judged]
    share = plan.share_of(*(standing.classifiers[j] for j in judged))
    frame = int(standing.profile.count[cells_about(standing, goal)].sum())
    count: Callable[[FloatArray, FloatArray], AnyTally]
    if goal.is_difference:
        pair = pair_groups(standing.profile, plan.design, *judged)
        groups, count = pair.groups, pair.tally
    else:
        groups = groups_for(mine, None, goal.slice)[judged[0]]
        count = groups.tally
    return TrialRule(
        rule=rule, of_cell=groups.of_cell, groups=groups.N.size, count=count, fill=_fill, frame=frame, share=share,
        interval=interval or interval_in_force(mine),
    )  # fmt: skip


def _fill(tally: AnyTally) -> AnyTally:
    if isinstance(tally, PairTally):
        return fill_pair(tally)
    assert isinstance(tally, Tally)  # neither joint nor after a pilot: those are refused
    return fill_empty(tally)
