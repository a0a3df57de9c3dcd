"""What a number of labels is expected to show: the same interval that the study will report, on simulated labels.

Answers are simulated from the assumed positive share of every cell (by default the scores, taken as calibrated), then counted and
analyzed as in a study. Expected counts would do for a first guess; but the interval of the average answers is not the average
interval, and whether a target is settled depends on the actual answers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import bdtr, ndtr, ndtri

from fewlabels.designs.base import takes_of
from fewlabels.estimators.grouping import Groups, groups_of
from fewlabels.estimators.joint import uncorrelated
from fewlabels.estimators.measuring import Measured, bound_of, gap_of_slices, measure, read_sides
from fewlabels.intervals.base import End
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.tally import AnyTally, GapTally, Tally
from fewlabels.planning.assumptions import Believed, at_their_word
from fewlabels.planning.goal_scope import Ask, GapAsk, JointAsk, PairAsk
from fewlabels.randomness import stream

WIDTH_REPS, CHANCE_REPS = 32, 200  # simulated draws behind a mean half-width, and behind a probability
NARROW = 0.7  # of the widest half-width that may ship: a mean below it leaves no draw too wide
COUNTED = 0.9  # a power up to which so many draws are counted
TINY = 1e-12
FEWEST_REPS, REPS_OF_ALL = 50, 1_600  # of one goal among many, and of all together
SEED = 20_260  # the same simulated answers every time


Expected = Literal["pass", "fail", "open"]


class Forecast(NamedTuple):
    """What a number of labels is expected to show about a goal.

    half_width   the mean half-width
    chance       the probability that the labels settle the goal: the half-width is reached, the target is met or shown not to be
    settles      whether the mean half-width is small enough, or the target is settled with the goal's power; and it may ship
    short        how far it falls short of that: 1 is just enough, 2 means about four times too few labels
    expected     the verdict to expect: a failure need not be known precisely, so its chance is enough
    """

    value: float | None
    half_width: float
    chance: float
    settles: bool
    short: float
    expected: Expected

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "value": self.value,
            "half_width": self.half_width,
            "chance": self.chance,
            "settles": self.settles,
            "expected": self.expected,
        }


def expected_of_all(forecasts: Sequence[Forecast]) -> Expected:
    """The verdict to expect on all goals: one that fails decides, one that stays open leaves it open."""
    each = {one.expected for one in forecasts}
    return "fail" if "fail" in each else "open" if "open" in each else "pass"


class Effort(NamedTuple):
    """How thoroughly draws are simulated: so many behind a chance, and whether a target's interval is asked how wide it is."""

    reps: int = CHANCE_REPS
    widths: bool = True


FULL = Effort()


def reps_among(goals: int) -> int:
    """The simulated draws behind a chance of one goal among so many."""
    return min(max(FEWEST_REPS, REPS_OF_ALL // max(goals, 1)), CHANCE_REPS)


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


def by_mean(goal: Goal) -> bool:
    """Whether a goal is sized by its mean: a half-width in points. A share of the value may be infinite, if nothing is found."""
    return goal.kind == "+-" and not goal.relative


def settles(goal: Goal, two_sided: Measured, one_sided: Measured) -> BoolArray:
    """Whether these intervals would settle the goal, either way."""
    if goal.kind == "+-":
        return goal.reached(two_sided.value, two_sided.low, two_sided.high)
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


class Draws(NamedTuple):
    """Labels and positives of simulated draws, arrays of beliefs, replicates and groups, and how they are counted."""

    n: FloatArray
    k: FloatArray
    counted: Callable[[FloatArray, FloatArray], AnyTally]

    def tally(self, most: int | None = None) -> AnyTally:
        """The tallies of all draws, or of the first."""
        return self.counted(self.n[:, :most], self.k[:, :most])


class Labeled(NamedTuple):
    """The groups that labels are counted in, and how their counts become a tally."""

    groups: Groups
    counted: Callable[[FloatArray, FloatArray], AnyTally]


def groups_labeled(ask: Ask, design: DrawDesign, take: IntArray) -> Labeled:
    """Of a difference, the parts of bands that the two classifiers distinguish."""
    if isinstance(ask, PairAsk):
        pair = ask.contest.groups(replace(design, band=design.band[ask.cells]))
        return Labeled(pair.groups, pair.tally)
    if isinstance(ask, GapAsk):
        return _labeled_by_slice(ask, design, take)
    groups = groups_for(ask, design, take=take)
    return Labeled(groups, groups.tally)


def _labeled_by_slice(ask: GapAsk, design: DrawDesign, take: IntArray | None) -> Labeled:
    """The groups of every slice of a gap, one slice after the other."""
    each = [groups_for(part, design, take=take) for part in ask.parts]
    start = np.cumsum([0, *(groups.N.size for groups in each)]).tolist()
    home = np.full(ask.cells.shape, -1, dtype=np.int64)
    for part, groups, first in zip(ask.parts, each, start, strict=False):
        home[part.cells] = np.where(groups.of_cell >= 0, first + groups.of_cell, -1)
    joined = each[0]._replace(of_cell=home, band=np.concatenate([g.band for g in each]), N=np.concatenate([g.N for g in each]))

    def counted(n: FloatArray, k: FloatArray) -> GapTally:
        parts = [slice(a, b) for a, b in pairwise(start)]
        tallies = (groups.tally(n[..., mine], k[..., mine]) for groups, mine in zip(each, parts, strict=True))
        return GapTally(ask.slices, tuple(tallies))

    return Labeled(joined, counted)


def imagined(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    """`reps` simulated draws for each row of `share`, the assumed positive shares of the part's cells."""
    take = takes_of(design, labels) if take is None else take
    groups, counted = groups_labeled(ask, design, take)
    inside = groups.of_cell >= 0
    home, size = groups.of_cell[inside], groups.N.size
    p = np.stack([np.bincount(home, weights=row, minlength=size) for row in (share * ask.part.count)[:, inside]]) / groups.N
    drawn = draw_pieces(groups.N, spread_labels(groups, design, labels, take), p, labels=labels, reps=reps, poisson=design.poisson)
    return Draws(*drawn, counted)


def draw_pieces(N: FloatArray, each: FloatArray, p: FloatArray, *, labels: int, reps: int, poisson: bool) -> tuple[FloatArray, FloatArray]:
    """Labels and positives of simulated draws, of which the first WIDTH_REPS are the same however many there are."""
    blocks = []
    for block, some in enumerate((min(reps, WIDTH_REPS), reps - WIDTH_REPS)):
        if some <= 0:
            continue
        shape = (len(p), some, N.size)
        if poisson or (each != np.floor(each)).any():  # or a band spans sides or slices: then the labels per group are random too
            rng = stream(SEED, labels, block)
            whole, rate = N.astype(np.int64), np.minimum(each / N, 1.0)  # at a census all come, nothing is random
            n = rng.binomial(whole, rate, size=shape)
            n = np.maximum(n, 1) if poisson else n  # an empty band joins its neighbor
            k = rng.binomial(n, np.clip(p, 0, 1)[:, None, :])
        else:
            n = np.broadcast_to(each, shape).astype(np.int64)
            k = _spread_evenly(each.astype(np.int64), np.clip(p, 0, 1), some, stream(SEED, block))
        blocks.append((n, k))
    labeled, positive = (np.concatenate(parts, axis=1).astype(np.float64) for parts in zip(*blocks, strict=True))
    return labeled, positive


def _spread_evenly(n: IntArray, p: FloatArray, reps: int, rng: np.random.Generator) -> IntArray:
    """Binomial counts of n labels with chance p by draw, each count's chances spread evenly over the draws (a Latin hypercube).

    Chances do not depend on n, so that draws of about as many labels are alike: averages are steadier, and fall with the labels.
    """
    k = np.empty((len(p), reps, n.size), dtype=np.int64)
    at = np.arange(reps)
    for g, labels in enumerate(n.tolist()):
        u = (rng.permutation(at) + rng.random(reps)) / reps
        for row, chance in enumerate(p[:, g].tolist()):
            k[row, :, g] = _quantile(u, labels, chance)
    return k


def _quantile(u: FloatArray, n: int, p: float) -> IntArray:
    """The binomial counts at these probabilities; of many labels, within nine standard deviations of the mean."""
    reach = 9 * math.sqrt(n * p * (1 - p)) + 9
    low, high = max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach))
    counts = np.arange(low, high + 1)
    return low + np.minimum(np.searchsorted(bdtr(counts, n, p), u, side="right"), high - low)


def imagined_tally(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> AnyTally:
    """Tallies of these draws."""
    return imagined(ask, design, labels, share, reps=reps, take=take).tally()


@singledispatch
def imagine(ask: Ask, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    """The draws for the goal, by its type: simulated for each row of `share`, or the expected answers."""
    return imagined(ask, design, labels, share, reps=reps, take=take)


@imagine.register
def _(ask: JointAsk, design: DrawDesign, labels: int, share: FloatArray, *, reps: int, take: IntArray | None = None) -> Draws:
    found, none = expected_tally(ask, design, labels), np.zeros((1, 1))
    return Draws(none, none, lambda n, k: found)


def forecast(
    ask: Ask,
    design: DrawDesign,
    labels: int,
    *,
    believed: Believed | None = None,
    interval: IntervalKind = USUAL_INTERVAL,
    share: float = 1.0,
    take: IntArray | None = None,
    effort: Effort = FULL,
) -> Forecast:
    """What a draw of `labels` by a design is expected to show about a goal; `share` of the error may be spent at its look.

    take   the labels of each band, if they are known already
    """
    belief = believed or at_their_word(ask)
    reps = -(-(WIDTH_REPS if by_mean(ask.goal) else effort.reps) // len(belief.share))
    draws = imagine(ask, design, labels, belief.share, reps=reps, take=take)
    return read_draws(ask, draws, belief, interval=interval, share=share, widths=effort.widths).forecast()


class Seen(NamedTuple):
    """What draws show about a goal.

    value       of the metric, one for each belief
    half_width  its mean, likewise
    ratio       how far each draw's interval, or its bound toward the target, reaches of how far it may, and how wide its interval is of
                how wide it may be, whichever is more: of beliefs and draws. At most 1 where a draw settles the goal
    """

    goal: Goal
    value: FloatArray
    half_width: FloatArray
    ratio: FloatArray

    @property
    def settled(self) -> BoolArray:
        """Whether each draw settles the goal."""
        return np.asarray(self.ratio <= 1)

    def forecast(self) -> Forecast:
        """The forecast, for the belief that asks for the most labels."""
        goal, short = self.goal, self._short
        worst = int(np.argmax(short))
        at, chance, settles = float(self.value[worst]), float(self.settled[worst].mean()), bool(short[worst] <= 1)
        holds = goal.kind == "+-" or (at > goal.value) == (goal.kind == ">=")
        enough = settles if holds else chance >= goal.power
        return Forecast(
            value=at if np.isfinite(at) else None,
            half_width=float(self.half_width[worst]),
            chance=chance,
            settles=settles,
            short=float(short[worst]),
            expected="open" if not enough else "pass" if holds else "fail",
        )

    @property
    def _short(self) -> FloatArray:
        """How far it falls short: of a half-width in points its mean, of any other goal the ratio with the goal's power."""
        if by_mean(self.goal):
            return self.half_width / min(self.goal.value, _allowed(self.goal))
        return np.asarray(np.quantile(self.ratio, self.goal.power, axis=-1, method="inverted_cdf"))


def chance_within(limit: float, ratio: FloatArray, rare: FloatArray | None = None) -> float:
    """The chance that a draw's ratio stays within a limit; a rare excess is extrapolated from the usual ratios, by logarithms.

    rare   how far ratios like these lie from their medians (`excesses`), if there are enough to count; otherwise as in a normal law
    """
    counted = float((ratio <= limit).mean())
    if counted < COUNTED:
        return counted
    middle, usual = _usual(ratio)
    if usual <= middle:
        return 1.0
    excess = float(np.log(limit / middle) / np.log(usual / middle))
    return float(ndtr(ndtri(COUNTED) * excess)) if rare is None else max(counted, float((rare <= excess).mean()))


def excesses(ratios: Sequence[FloatArray]) -> FloatArray:
    """How far each ratio lies from its median, in logarithms and in units of how far the usual ones reach; of many goals together."""
    found = [
        np.log(np.maximum(r, TINY) / middle) / np.log(usual / middle) for r in ratios for middle, usual in [_usual(r)] if usual > middle
    ]
    return np.concatenate(found) if found else np.zeros(1)


def _usual(ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The median of the ratios, and what the usual ones stay within."""
    found = np.maximum(np.quantile(ratio, (0.5, COUNTED), axis=-1, method="inverted_cdf"), TINY)
    return found[0], found[1]


def read_draws(
    ask: Ask,
    draws: Draws,
    belief: Believed,
    *,
    interval: IntervalKind,
    share: float = 1.0,
    widths: bool = True,
) -> Seen:
    """What these draws show about a goal, by the interval that decides; `share` of the error may be spent.

    widths   whether it is asked how wide the interval is also where a target decides; its half-width is 0 if it is not
    """
    goal, allowed = ask.goal, _allowed(ask.goal)
    two, one = tails(goal, share=share)

    def half_widths(most: int | None) -> Measured:
        return measure(goal.definition, draws.tally(most), tail=two, interval=interval)

    if goal.kind == "+-":
        shown = half_widths(None)
        value, each = belief.value if ask.has_value else np.atleast_1d(shown.value), np.atleast_2d(shown.half_width)
        own = each if by_mean(goal) else np.atleast_2d(np.nan_to_num(goal.half_width(shown.value, shown.low, shown.high), nan=np.inf))
        ratio = np.maximum(own / goal.value, each / allowed)
        return Seen(goal, value, each[:, :WIDTH_REPS].mean(axis=-1), ratio)
    if not widths and ask.has_value:
        return Seen(goal, belief.value, np.zeros_like(belief.value), _ratios(goal, draws, belief.value, tail=one, interval=interval))
    shown = half_widths(WIDTH_REPS)
    value, each = belief.value if ask.has_value else np.atleast_1d(shown.value), np.atleast_2d(shown.half_width)
    half_width = each.mean(axis=-1)
    is_narrow = bool((half_width <= NARROW * allowed).all())
    each = half_width[:, None] if is_narrow else np.atleast_2d(half_widths(None).half_width)
    return Seen(goal, value, half_width, np.maximum(_ratios(goal, draws, value, tail=one, interval=interval), each / allowed))


def _allowed(goal: Goal) -> float:
    """The widest half-width that may ship."""
    return widest(goal.definition, unlimited=goal.may_be_wide)


def _ratios(goal: Goal, draws: Draws, value: FloatArray, *, tail: float, interval: IntervalKind) -> FloatArray:
    """How far the bound toward the target reaches of its distance from the value: of beliefs and draws. No draw settles a value at it."""
    gap = np.abs(value - goal.value)[:, None]
    reach = _reaches(goal, draws.tally(), value, tail=tail, interval=interval)
    return np.where(gap > 0, reach / np.where(gap > 0, gap, 1.0), np.inf)


def _reaches(goal: Goal, tally: AnyTally, value: FloatArray, *, tail: float, interval: IntervalKind) -> FloatArray:
    """How far the bound toward the target lies from the value: in each draw, of beliefs and draws."""
    above, center = value > goal.value, value[:, None]
    metric = goal.definition
    if isinstance(tally, Tally) and (above.all() or not above.any()):
        end: End = "low" if above[0] else "high"
        bound = np.atleast_2d(bound_of(metric, read_sides(tally), tally=tally, tail=tail, interval=interval, end=end))
        return np.asarray(center - bound if above[0] else bound - center)
    if isinstance(tally, GapTally) and not above.any():
        found = gap_of_slices(metric, tally, tail=tail, interval=interval, end="high")
    else:
        found = measure(metric, tally, tail=tail, interval=interval)
    return np.where(above[:, None], center - np.atleast_2d(found.low), np.atleast_2d(found.high) - center)


def target_reach(goal: Goal, bound: Measured, value: FloatArray) -> FloatArray:
    """How far from the value the bound toward the target lies with the goal's power: a target at least so far away is settled."""
    low, high = (np.quantile(np.atleast_2d(end), q, axis=-1) for end, q in ((bound.low, 1 - goal.power), (bound.high, goal.power)))
    return np.where(value > goal.value, value - low, high - value)
