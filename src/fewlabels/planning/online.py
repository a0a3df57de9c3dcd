"""An online plan: the bands from which units are asked, and what each goal bets on.

A goal about one classifier over another needs labels only where they disagree. If the denominator is the same for both and does not
depend on labels (accuracy), the difference itself is tested and has a confidence sequence; otherwise only its sign is tested: if the
first were no better than the second, whose metric is m, then sum h_first(m) - h_second(m) <= 0, which is refuted at every m or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewlabels.designs.online import online_bands
from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import doubted_guide
from fewlabels.estimators.online import difference_terms, influences, terms_of
from fewlabels.intervals.anytime import EFFECTS, Terms, width_effects
from fewlabels.nouns.arrays import BoolArray, FloatArray
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.stopping import Stopping
from fewlabels.nouns.works_with import require
from fewlabels.planning.goal_scope import cells_of, domain_of

STEP = 0.001  # of a metric's range: the grid step of a confidence sequence
FINEST = 0.1  # of the half-width of the goal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contested:
    """One goal, as tested by betting.

    terms     what a unit of each band adds to its two sums
    grid      the values m that are bet against, increasing
    effects   the effect sizes that the bets are tuned for
    sign      whether only the sign of a difference is tested; the grid is then over a common value of both metrics
    rare      whether the metric's denominator is itself estimated from labels
    """

    goal: Goal
    terms: Terms
    grid: FloatArray
    effects: FloatArray
    sign: bool
    rare: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """What an online plan bets on: for each band its units, the guide's prior and whether it is flagged, and the goals."""

    N: FloatArray
    prior: FloatArray
    flagged: BoolArray
    goals: tuple[Contested, ...]


def refuse_goals(goals: Sequence[Goal], stopping: Stopping) -> None:
    """Raise PlanError for a goal without a valid confidence sequence, or one that the stopping rule cannot end on."""
    for goal in goals:
        require("online", goal.definition.traits, subject=f"{goal.metric} is")
        if not goal.definition.terms:
            raise PlanError(
                f"a confidence sequence needs a ratio of counts such as precision or f1, got {goal}: leave it out, or plan one look"
            )
        if (stopping.kind == "width") != (goal.kind == "+-"):
            wanted = "a half-width, +-" if stopping.kind == "width" else "a target, >= or <="
            raise PlanError(f"a study that stops by {stopping.kind} must have goals with {wanted}, got {goal}: change the goal or the rule")
        if goal.relative:
            raise PlanError(
                f"a study that stops by width must have half-widths in points, but {goal} is a share of the value: write it in points, "
                "or plan one look"
            )
        _refuse_tolerance(goal, stopping.tolerance)
        if _is_sign(goal) and (goal.kind == "+-" or goal.value != 0):
            raise PlanError(
                f"online, only the sign of a difference in {goal.metric} can be settled, got {goal}: write >= 0, or plan one look"
            )


def _refuse_tolerance(goal: Goal, tolerance: float) -> None:
    """Raise PlanError for a tolerance that covers a whole side of the target: the first label would decide."""
    low, high = goal.range
    if tolerance and _is_sign(goal):
        raise PlanError(f"a tolerance is for the value of a metric, but only the sign of {goal} is tested: leave the tolerance out")
    if tolerance and not (low < goal.value - tolerance and goal.value + tolerance < high):
        most = min(goal.value - low, high - goal.value)
        raise PlanError(
            f"a tolerance must leave wrong values on both sides of the target, but {goal} +-{tolerance:g} reaches the end of "
            f"[{low:g}, {high:g}]: name one below {most:g}"
        )


def online_design(profile: Profile, goals: Sequence[Goal], *, names: Sequence[str], slices: Sequence[str]) -> DrawDesign:
    """The bands of an online plan: no band mixes predictions or slices that a goal distinguishes; only units whose label matters."""
    asked = [_cell_terms(profile, goal, names, slices) for goal in goals]
    frame = np.any([_matters(terms) for terms in asked], axis=0)
    if not frame.any():
        raise PlanError(
            "no unit's label matters for these goals, because the classifiers agree everywhere or flag nothing: check their "
            "thresholds, or change the goals"
        )
    judged = sorted({names.index(name or names[0]) for goal in goals for name in goal.judged})
    told = sum(profile.predicted(j).astype(np.int64) << i for i, j in enumerate(judged))
    domain = domain_of(profile, goals, slices)
    kind = np.asarray(told if domain is None else told + (1 << len(judged)) * domain)
    flagged = profile.predicted(judged[0])
    share = doubted_guide(profile, flagged)
    size = _influences(asked, profile.count.astype(np.float64), share) * np.sqrt(share * (1 - share))
    found = online_bands(profile, frame=frame, kind=kind, flagged=flagged, size=size)
    return replace(found, judged=tuple(judged))


def course_of(
    profile: Profile, design: DrawDesign, goals: Sequence[Goal], stopping: Stopping, *, names: Sequence[str], slices: Sequence[str]
) -> Course:
    """What the plan bets on. Pure: the same profile and plan give the same course."""
    inside = design.band >= 0
    first = np.array([int(np.flatnonzero(design.band == k)[0]) for k in range(design.N.size)])
    flagged = profile.predicted(design.judged[0])
    count = profile.count[inside]
    claimed = np.bincount(design.band[inside], weights=count * doubted_guide(profile, flagged)[inside], minlength=design.N.size)
    contested = []
    for goal in goals:
        terms = _cell_terms(profile, goal, names, slices)
        rest = profile.count[~inside]
        known = ((terms.f0[~inside] * rest).sum(), (terms.g0[~inside] * rest).sum())  # where no label matters, f and g are known
        banded = replace(
            terms,
            f0=terms.f0[first],
            f1=terms.f1[first],
            g0=terms.g0[first],
            g1=terms.g1[first],
            known_f=float(known[0]),
            known_g=float(known[1]),
        )
        contested.append(_contested(goal, banded, stopping, whole=profile.N / float(design.N.sum())))
    return Course(N=design.N.astype(np.float64), prior=claimed / design.N, flagged=flagged[first], goals=tuple(contested))


def _contested(goal: Goal, terms: Terms, stopping: Stopping, *, whole: float) -> Contested:
    """The goal with its grid of values to bet against; `whole` is the ratio of all units to those in the bands."""
    metric, sign = goal.definition, _is_sign(goal)
    rare = bool((terms.g0 != terms.g1).any()) or sign
    low, high = (metric.low, metric.high) if sign else goal.range
    if goal.is_difference and not sign:  # a difference is at most the share of units on which both disagree: effects are relative to that
        terms = replace(terms, scale=1.0)
        low, high = low / whole, high / whole
    step = STEP * (high - low) if goal.kind != "+-" else min(STEP * (high - low), FINEST * goal.value)
    grid = np.linspace(low, high, max(201, round((high - low) / step) + 1))
    spread = metric.high - metric.low  # for a cost, in its own units
    effects = width_effects(goal.value / spread) * spread if stopping.kind == "width" else EFFECTS * spread
    return Contested(goal=goal, terms=terms, grid=grid, effects=effects, sign=sign, rare=rare)


def _cell_terms(profile: Profile, goal: Goal, names: Sequence[str], slices: Sequence[str]) -> Terms:
    """What a unit of each cell adds to the goal's sums."""
    position = names.index(goal.classifier) if goal.classifier is not None else 0
    first, inside = profile.predicted(position), cells_of(profile, goal.slice, slices)
    if goal.over is None:
        return terms_of(goal.definition, first, inside=inside)
    second = profile.predicted(list(names).index(goal.over))
    found = difference_terms(goal.definition, first, second)
    if not _is_linear(goal.definition):
        return found
    own = terms_of(goal.definition, first)
    return replace(found, g0=own.g0, g1=own.g1, scale=None)


def _is_sign(goal: Goal) -> bool:
    """Whether only the sign can be settled: a difference of two ratios with different denominators."""
    return goal.is_difference and not _is_linear(goal.definition)


def _is_linear(metric: Metric) -> bool:
    """Whether every unit adds the same to the denominator, whatever its label and prediction, as for accuracy."""
    return len({g for _, g in metric.terms}) == 1


def _matters(terms: Terms) -> BoolArray:
    """Which cells' labels matter."""
    return np.asarray((terms.f0 != terms.f1) | (terms.g0 != terms.g1))


def _influences(terms: Sequence[Terms], count: FloatArray, share: FloatArray) -> FloatArray:
    """How much a label in each cell moves all goals together, if the guide is right."""
    values, sums = [], []
    for one in terms:
        f, g = ((count * ((1 - share) * a + share * b)).sum() for a, b in ((one.f0, one.f1), (one.g0, one.g1)))
        values.append(float(f / g) if g > 0 else 0.5)
        sums.append(float(g) if g > 0 else float(count.sum()))
    return influences(terms, values, sums)
