"""What a number of labels is expected to show: the same interval that the study will report, on simulated labels.

Answers are simulated from the assumed positive share of every cell (by default the scores, taken as calibrated), then counted and
analyzed as in a study. Expected counts would do for a first guess; but the interval of the average answers is not the average
interval, and whether a target is settled depends on the actual answers.
"""

from dataclasses import replace
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.joint import uncorrelated
from fewlabels.estimators.measuring import Measured, measure, measure_sides, read_sides
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.decision import widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.tally import AnyTally, PairTally, Tally
from fewlabels.planning.assumptions import Believed, at_their_word
from fewlabels.planning.goal_scope import Ask, JointAsk, PairAsk
from fewlabels.randomness import stream

WIDTH_REPS, CHANCE_REPS = 32, 200  # simulated draws behind a mean half-width, and behind a probability
SEED = 20_260  # the same simulated answers every time


class Forecast(NamedTuple):
    """What a number of labels is expected to show about a goal.

    half_width   the mean half-width
    chance       the probability that the labels settle the goal: the half-width is reached, the target is met or shown not to be
    settles      whether the mean half-width is small enough, or the target is settled with the goal's power; and it may ship
    short        how far it falls short of that: 1 is just enough, 2 means about four times too few labels
    """

    value: float | None
    half_width: float
    chance: float
    settles: bool
    short: float


def spread_labels(groups: Groups, design: DrawDesign, labels: int, take: IntArray | None = None) -> FloatArray:
    """Return the expected labels per group when `labels` are drawn.

    Each band's take, computed if not given, is split in proportion to group sizes.
    """
    take = takes_of(design, labels) if take is None else take
    return np.asarray(take[groups.band] * groups.N / design.N[groups.band])


def tails(goal: Goal, *, share: float = 1.0) -> tuple[float, float]:
    """The tails of the two-sided interval shown and of the one-sided bound that settles a target; `share` of the error may be spent."""
    error = (1 - goal.level) * share
    return error / 2, error


def with_power(goal: Goal, tail: float) -> float:
    """The tail at which a bound on expected answers must settle a target, so that a bound at `tail` does with the goal's power.

    The distance from value to target is then z(tail) + z(power) standard errors instead of z(tail), which suffices only half the time.
    """
    return tail if goal.kind == "+-" else float(ndtr(ndtri(tail) - ndtri(goal.power)))


def settles(goal: Goal, two_sided: Measured, one_sided: Measured) -> FloatArray:
    """Whether these intervals would settle the goal, either way."""
    if goal.kind == "+-":
        return np.asarray(two_sided.half_width <= goal.value)
    return np.asarray((one_sided.low >= goal.value) | (one_sided.high <= goal.value))


def groups_for(ask: Ask, design: DrawDesign, classifier: int | None = None, *, take: IntArray | None = None) -> Groups:
    """The groups of an ask's part under a design of the whole profile; with the takes, parts of bands are grouped as in a study."""
    part, judged = replace(design, band=design.band[ask.cells]), ask.classifier if classifier is None else classifier
    return groups_of(ask.part, part, classifier=judged, weight=ask.metric.weight, take=take)


def expected_tally(ask: Ask, design: DrawDesign, labels: int) -> AnyTally:
    """The average tally of `labels` labels if scores are calibrated."""
    if ask.has_value or ask.part.claims is None:
        groups = groups_for(ask, design)
        n = spread_labels(groups, design, labels)
        return groups.tally(n, n * groups.expected)
    each = [groups_for(ask, design, j) for j in range(ask.part.claims.shape[1])]
    return uncorrelated(each, [spread_labels(g, design, labels) for g in each], [g.expected for g in each])


def imagined_pair(
    ask: PairAsk, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None
) -> PairTally:
    """Tallies of `reps` simulated draws for a difference, by the parts of bands that the two classifiers distinguish."""
    pair = ask.contest.groups(replace(design, band=design.band[ask.cells]))
    groups = pair.groups
    inside = groups.of_cell >= 0
    member = (groups.of_cell[inside, None] == np.arange(groups.N.size)).astype(np.float64)
    p = ((share * ask.part.count)[:, inside] @ member) / groups.N
    rng = stream(SEED, labels)
    each = spread_labels(groups, design, labels, take)
    if (each != np.floor(each)).any():
        rate = np.minimum(each / groups.N, 1.0)
        each = rng.binomial(groups.N.astype(np.int64), rate, size=(len(p), reps, groups.N.size)).astype(np.float64)
    n = np.broadcast_to(each, (len(p), reps, groups.N.size)).astype(np.int64)
    k = rng.binomial(n, np.clip(p, 0, 1)[:, None, :])
    return pair.tally(n.astype(np.float64), k.astype(np.float64))


def imagined_tally(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    """Tallies of `reps` simulated draws for each row of `share`, the assumed positive shares of the part's cells."""
    take = takes_of(design, labels) if take is None else take
    groups = groups_for(ask, design, take=take)
    inside = groups.of_cell >= 0
    home, size = groups.of_cell[inside], groups.N.size
    p = np.stack([np.bincount(home, weights=row, minlength=size) for row in (share * ask.part.count)[:, inside]]) / groups.N
    rng = stream(SEED, labels)
    each = spread_labels(groups, design, labels, take)
    if design.poisson or (each != np.floor(each)).any():  # or a band spans sides or slices: then the labels per group are random too
        whole, rate = groups.N.astype(np.int64), np.minimum(each / groups.N, 1.0)  # at a census all come, nothing is random
        each = rng.binomial(whole, rate, size=(len(p), reps, size)).astype(np.float64)
        each = np.maximum(each, 1.0) if design.poisson else each  # an empty band joins its neighbor
    n = np.broadcast_to(each, (len(p), reps, size)).astype(np.int64)
    k = rng.binomial(n, np.clip(p, 0, 1)[:, None, :])
    return groups.tally(n.astype(np.float64), k.astype(np.float64))


@singledispatch
def imagine(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    """The tally a draw would give for the goal, by its type: simulated draws for each row of `share`, or the expected answers."""
    return imagined_tally(ask, design, labels, share, reps=reps, take=take)


@imagine.register
def _(ask: PairAsk, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    return imagined_pair(ask, design, labels, share, reps=reps, take=take)


@imagine.register
def _(ask: JointAsk, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    return expected_tally(ask, design, labels)


def forecast(
    ask: Ask,
    design: DrawDesign,
    labels: int,
    *,
    believed: Believed | None = None,
    interval: IntervalKind = USUAL_INTERVAL,
    share: float = 1.0,
    take: IntArray | None = None,
) -> Forecast:
    """What a draw of `labels` by a design is expected to show about a goal; `share` of the error may be spent at its look.

    take   the labels of each band, if they are known already
    """
    goal = ask.goal
    belief = believed or at_their_word(ask)
    reps = -(-(WIDTH_REPS if goal.kind == "+-" else CHANCE_REPS) // len(belief.share))
    tally = imagine(ask, design, labels, belief.share, reps=reps, take=take)
    shown, bound = _measured(goal, tally, interval, share)
    half_width = np.mean(np.atleast_2d(shown.half_width), axis=-1)
    value = belief.value if ask.has_value else np.atleast_1d(shown.value)
    allowed = widest(goal.definition, difference=goal.is_difference)
    short = half_width / allowed if np.isfinite(allowed) else np.zeros_like(half_width)
    short = np.maximum(short, half_width / goal.value if goal.kind == "+-" else _target_short(goal, bound, value))
    chance = np.mean(np.atleast_2d(settles(goal, shown, bound)), axis=-1)
    worst = int(np.argmax(short))
    at = float(value[worst])
    return Forecast(
        at if np.isfinite(at) else None, float(half_width[worst]), float(chance[worst]), bool(short[worst] <= 1), float(short[worst])
    )


def _measured(goal: Goal, tally: AnyTally, interval: IntervalKind, share: float) -> tuple[Measured, Measured]:
    """The two-sided interval shown, and the one-sided bounds that settle a target."""
    two, one = tails(goal, share=share)
    if not isinstance(tally, Tally):
        shown = measure(goal.definition, tally, tail=two, interval=interval)
        return shown, measure(goal.definition, tally, tail=one, interval=interval)
    sides = read_sides(tally)
    shown = measure_sides(goal.definition, sides, tally=tally, tail=two, interval=interval)
    return shown, shown if goal.kind == "+-" else measure_sides(goal.definition, sides, tally=tally, tail=one, interval=interval)


def target_reach(goal: Goal, bound: Measured, value: FloatArray) -> FloatArray:
    """How far from the value the bound toward the target lies with the goal's power: a target at least so far away is settled."""
    low, high = (np.quantile(np.atleast_2d(end), q, axis=-1) for end, q in ((bound.low, 1 - goal.power), (bound.high, goal.power)))
    return np.where(value > goal.value, value - low, high - value)


def _target_short(goal: Goal, bound: Measured, value: FloatArray) -> FloatArray:
    """How far the bound is from settling the target with the goal's power, in distances from value to target."""
    gap = np.abs(value - goal.value)
    reach = target_reach(goal, bound, value)
    return np.where(gap > 0, reach / np.where(gap > 0, gap, 1.0), np.inf)  # at the target itself no number of labels is enough
