"""The numbers behind the planning chart: half-widths and the reach of bounds by labels, prevalence and level, chosen and uniform.

Every number is a forecast by the interval a study would report; the page only looks up and interpolates linearly.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from fewlabels.errors import PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.measuring import measure_sides, read_sides
from fewlabels.estimators.weighted import expit
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import THIN_N_EFF, widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.tally import Tally
from fewlabels.planning.assumptions import Believed, believed
from fewlabels.planning.design_choice import choose_design
from fewlabels.planning.forecasting import target_reach
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.simulated_draws import imagined_tally
from fewlabels.study.plan.one_draw import ColumnNames, PlanOptions, asks_for, narrowed
from fewlabels.study.plan.sizes import GoalSize, Sizing

LEVELS = (0.8, 0.9, 0.95, 0.99)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # multiply the odds of a positive everywhere
POINTS, REPS = 16, 24
MOST_LABELS, MOST_GOALS = 20_000, 12


def picture(
    profile: Profile,
    goals: Sequence[Goal],
    sizing: Sizing,
    *,
    ways: PlanOptions,
    names: ColumnNames,
    on_goal: Callable[[Goal], None] | None = None,
) -> dict[str, Json]:
    """Plain data for the page, for goals of one classifier each; `on_goal` is called with each goal before it is computed."""
    found: list[Json] = []
    profile, names = narrowed(profile, goals, ways.choice, names)
    for ask, size in zip(asks_for(profile, goals, names)[:MOST_GOALS], sizing.goals, strict=False):
        if not ask.has_worst:
            continue
        if on_goal:
            on_goal(ask.goal)
        drawn = _goal(profile, ask, ways, names, size)
        if drawn is not None:
            found.append(drawn)
    if not found:
        raise PlanError("a chart needs a goal of one classifier that has a value for every prevalence, got none: leave --html out")
    return {
        "units": profile.N,
        "flagged": sizing.flagged,
        "levels": list(LEVELS),
        "factors": list(FACTORS),
        "thin_n_eff": THIN_N_EFF,
        "budget": sizing.budget,
        "shown_at": None if sizing.shown_at is None else sizing.cost.answers(sizing.shown_at),  # labels are usable answers here
        "to_pay": sizing.cost.said(sizing.shown_at),
        "for_all": sizing.for_all,
        "chance": sizing.chance,
        "expected": sizing.expected,
        "goals": found,
    }


def _goal(profile: Profile, ask: Ask, ways: PlanOptions, names: ColumnNames, size: GoalSize) -> dict[str, Json] | None:
    """The numbers of one goal; None if the metric has no value or no design is possible."""
    alone = ask.alone
    belief = _beliefs(alone)
    top = min(MOST_LABELS, ask.frame, max(400, 8 * (size.labels or MOST_LABELS)))
    sizes = np.unique(np.geomspace(min(20, ask.frame), top, POINTS).round().astype(np.int64)).tolist()
    made = [(n, design) for n in sizes if (design := _design(alone, n, ways, names)) is not None]
    if not made or not np.isfinite(belief.value).all():
        return None
    labels, designs = [n for n, _ in made], [design for _, design in made]
    even = choose_design(alone.part, [ask.metric], labels=labels[-1], name="simple", classifier=ask.classifier)
    chosen = [widths_of(alone, design, n, belief, ways.interval) for design, n in zip(designs, labels, strict=True)]
    simple = [widths_of(alone, even, n, belief, ways.interval) for n in labels]
    share = ask.frame / profile.N
    spread = [widths_of(alone, even, max(1, round(n * share)), belief, ways.interval) for n in labels]
    usual = (LEVELS.index(0.95), FACTORS.index(1.0))
    return {
        "goal": str(ask.goal),
        "metric": ask.metric.name,
        "kind": ask.goal.kind,
        "value": ask.goal.in_points(float(belief.value[usual[1]])),
        "relative": ask.goal.value if ask.goal.relative else None,
        "allowed": widest(ask.metric),
        "low": ask.metric.low,
        "high": ask.metric.high,
        "frame": ask.frame,
        "labels": labels,
        "positives": [round(float((share * ask.part.count).sum() / ask.part.N), 7) for share in belief.share],
        "values": [round(float(v), 6) for v in belief.value],
        "chosen": _rounded([one.half_width for one in chosen]),
        "uniform": _rounded([one.half_width for one in spread]),
        "simple": _rounded([one.half_width for one in simple]),
        "reach_chosen": _rounded([one.reach for one in chosen]),
        "reach_uniform": _rounded([one.reach for one in spread]),
        "shown_chosen": [round(float(one.half_width[usual]), 6) for one in chosen],
        "shown_uniform": [round(float(one.half_width[usual]), 6) for one in spread],
        "needed": size.labels,
        "needed_uniform": size.uniform,
        "level": ask.goal.level,
        "forecast": None if size.forecast is None else size.forecast.as_json(),
    }


def _design(ask: Ask, labels: int, ways: PlanOptions, names: ColumnNames) -> DrawDesign | None:
    """The design with `labels` labels; None if they are too few for its strata."""
    try:
        design = choose_design(ask.part, [ask.metric], labels=labels, name=ways.choice, classifier=ask.classifier, slices=names.slices)
    except PlanError:
        return None
    return design if labels <= design.frame else None


def _beliefs(ask: Ask) -> Believed:
    """The shares if scores are calibrated, with the odds of a positive a quarter to four times as high everywhere."""
    s = np.clip(ask.part.claimed(ask.classifier), CLIP, 1 - CLIP)
    x = np.log(s / (1 - s))
    return believed(ask, *(expit(x + np.log(factor)) for factor in FACTORS))


class Widths(NamedTuple):
    """Mean half-widths and, for a target, how far its one-sided bound reaches: one row per level and one column per belief."""

    half_width: FloatArray
    reach: FloatArray


def widths_of(ask: Ask, design: DrawDesign, labels: int, belief: Believed, interval: IntervalKind) -> Widths:
    """What a draw of `labels` is expected to show; `reach` is the half-width if the goal is one."""
    tally = imagined_tally(ask, design, labels, belief.share, reps=REPS)
    assert isinstance(tally, Tally)
    sides = read_sides(tally)
    measured = partial(measure_sides, ask.metric, sides, tally=tally, interval=interval)
    half_width = np.stack([measured(tail=(1 - level) / 2).half_width.mean(axis=-1) for level in LEVELS])
    if ask.goal.kind == "+-":
        return Widths(half_width, half_width)
    return Widths(half_width, np.stack([target_reach(ask.goal, measured(tail=1 - level), belief.value) for level in LEVELS]))


def _rounded(widths: Sequence[FloatArray]) -> Json:
    """The rounded half-widths, indexed [labels][level][factor]."""
    return [[[round(float(x), 5) for x in row] for row in width] for width in widths]
