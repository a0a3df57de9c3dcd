"""What a number of labels is expected to show: the same interval that the study will report, on simulated labels.

Answers are simulated from the assumed positive share of every cell (by default the scores, taken as calibrated), then counted and
analyzed as in a study. Expected counts would do for a first guess; but the interval of the average answers is not the average
interval, and whether a target is settled depends on the actual answers.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.estimators.measuring import Measured, bound_of, ends_needed, gap_of_slices, measure, read_sides
from fewlabels.estimators.sides import Sides, Wanted, prepare_each
from fewlabels.intervals.base import End
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import widest
from fewlabels.nouns.draw_design import DrawDesign
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.tally import AnyTally, GapTally, Tally
from fewlabels.planning.assumptions import Believed, at_their_word
from fewlabels.planning.goal_scope import Ask
from fewlabels.planning.simulated_draws import WIDTH_REPS, Draws, expected_draws, imagine

CHANCE_REPS = 200  # simulated draws behind a probability
NARROW = 0.7  # of the widest half-width that may ship: a mean below it leaves no draw too wide
COUNTED = 0.9  # a power up to which so many draws are counted
TINY = 1e-12
FAR_BELOW = 0.4  # of a limit, or of the largest reach: what stays within it tells nothing of rare ones
FEWEST_REPS, REPS_OF_ALL = 16, 1_600  # of one goal among many, and of all together


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
    """How thoroughly draws are simulated: so many behind a chance, and whether a target's interval is asked how wide it is.

    With no draw at all the answers that are expected take their place: a quick guess, of which a target is met with the goal's power.
    """

    reps: int = CHANCE_REPS
    widths: bool = True


FULL, GUESS = Effort(), Effort(reps=0)


def reps_among(goals: int) -> int:
    """The simulated draws behind a chance of one goal among so many."""
    return min(max(FEWEST_REPS, REPS_OF_ALL // max(goals, 1)), CHANCE_REPS)


def further(labels: float, times: float, units: int) -> float:
    """The labels with which a squared error is so many times smaller: it falls with 1/n - 1/N, of N units."""
    return 1 / (1 / units + max(1 / labels - 1 / units, 0.0) / times)


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


class Question(NamedTuple):
    """What a draw of so many labels by a design is expected to show about a goal.

    believed   what is assumed of the answers; by default that scores are calibrated
    share      of the error that may be spent at its look
    take       the labels of each band, if they are known already
    """

    ask: Ask
    design: DrawDesign
    labels: int
    believed: Believed | None = None
    share: float = 1.0
    take: IntArray | None = None
    effort: Effort = FULL


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
    """What a draw of `labels` by a design is expected to show about a goal; the arguments are those of a Question."""
    return forecast_each([Question(ask, design, labels, believed, share, take, effort)], interval=interval)[0]


def forecast_each(questions: Sequence[Question], *, interval: IntervalKind = USUAL_INTERVAL) -> list[Forecast]:
    """The forecasts of many goals, each by its own draw: together they take a fraction of the time of one after the other."""
    return [seen.forecast() for seen in read_each([_simulated(question) for question in questions], interval=interval)]


def _simulated(question: Question) -> "Simulated":
    """The draws that answer a question."""
    ask, effort = question.ask, question.effort
    belief = question.believed or at_their_word(ask)
    if effort.reps:
        reps = -(-min(WIDTH_REPS if by_mean(ask.goal) else effort.reps, effort.reps) // len(belief.share))
        draws = imagine(ask, question.design, question.labels, belief.share, reps=reps, take=question.take)
    else:
        draws = expected_draws(ask, question.design, question.labels, belief.share, take=question.take)
    return Simulated(ask, draws, belief, question.share, effort)


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


class Reach:
    """How far the draws of one goal, or of goals that share units, reach of how far they may."""

    def __init__(self, ratio: FloatArray, *, is_target: bool = False) -> None:
        """Find the median of the ratios, and what the usual ones stay within."""
        self.ratio, self.is_target = ratio, is_target
        self.middle, self.usual = np.maximum(np.quantile(ratio, (0.5, COUNTED), axis=-1, method="inverted_cdf"), TINY).tolist()

    def within(self, limit: float, rare: FloatArray | None = None) -> float:
        """The chance that a draw's ratio stays within a limit; a rare excess is extrapolated from the usual ratios, by logarithms.

        rare   how far ratios like these lie from their medians (`excesses`), if there are enough to count; otherwise as in a normal law.
               Bounds of targets reach as far as their truth varies, each by a law of its own: at least what was counted is believed
        """
        counted = float((self.ratio <= limit).mean())
        if counted < COUNTED:
            return counted
        if self.usual <= self.middle or self.ratio.max() <= FAR_BELOW * limit:
            return 1.0
        excess = math.log(limit / self.middle) / math.log(self.usual / self.middle)
        if rare is None:
            return float(ndtr(ndtri(COUNTED) * excess))
        pooled = float(np.searchsorted(rare, excess, side="right")) / rare.size
        return max(counted, pooled) if self.is_target else pooled


def excesses(reaches: Sequence[Reach]) -> FloatArray:
    """How far each ratio lies from its median, in logarithms and in units of how far the usual ones reach; of many goals, in order.

    Of goals that are settled with ease, as by a census, ratios are nearly 0 and their logarithms anywhere: they are left out.
    """
    least = FAR_BELOW * max(r.middle for r in reaches)
    like = [r for r in reaches if r.usual > r.middle >= least]
    found = [np.log(np.maximum(r.ratio, TINY) / r.middle) / math.log(r.usual / r.middle) for r in like]
    return np.sort(np.concatenate(found)) if found else np.zeros(1)


class Simulated(NamedTuple):
    """Draws for a goal, simulated by what is assumed of the answers; `share` of the error may be spent at its look."""

    ask: Ask
    draws: Draws
    belief: Believed
    share: float = 1.0
    effort: Effort = FULL


def read_each(several: Sequence[Simulated], *, interval: IntervalKind) -> list[Seen]:
    """What each goal's draws show about it, by the interval that decides: the limits of all are computed at once."""
    readings = [_Reading(one, interval) for one in several]
    prepare_each([wanted for reading in readings for wanted in reading.wanted], interval)
    prepare_each([wanted for reading in readings for wanted in reading.wanted_of_all], interval)
    return [reading.seen() for reading in readings]


class _Reading:
    """How the draws for one goal are read: its half-width on all draws or the first, its bound toward a target on all."""

    def __init__(self, one: Simulated, interval: IntervalKind) -> None:
        """Count the draws."""
        self.ask, self.draws, self.belief, self.share, self.effort = one
        self.interval, self.goal = interval, one.ask.goal
        two, bound = tails(self.goal, share=self.share)
        self.two, self.one = two, bound if self.effort.reps else with_power(self.goal, bound)

    @cached_property
    def all(self) -> "_Counted":
        """All draws."""
        return _Counted.of(self.draws.tally())

    @cached_property
    def first(self) -> "_Counted":
        """The draws behind a mean half-width: all, where a half-width decides."""
        few = self.draws.n.shape[1] <= WIDTH_REPS
        return self.all if few or self.goal.kind == "+-" else _Counted.of(self.draws.tally(WIDTH_REPS))

    @property
    def _asks_width(self) -> bool:
        return self.goal.kind == "+-" or self.effort.widths or not self.ask.has_value

    @property
    def wanted(self) -> Iterator[Wanted]:
        """The limits to prepare."""
        metric = self.goal.definition
        if self._asks_width:
            yield from self._both_limits(self.first)
        if self.goal.kind != "+-" and self.all.sides is not None and self._end(self.belief.value) is not None:
            assert isinstance(self.all.tally, Tally)  # the others have no sides
            ends = ends_needed(metric, self.all.sides, self.all.tally, self._end(self.belief.value) or "low")
            yield from (Wanted(self.all.sides, flagged, self.one, end) for flagged, end in (ends or {}).items())

    @property
    def wanted_of_all(self) -> Iterator[Wanted]:
        """The limits to prepare where the first draws leave open whether all are narrow enough to ship."""
        partial = self.goal.kind != "+-" and self._asks_width and self.first is not self.all
        if partial and self.first.sides is not None and not self._is_narrow:
            yield from self._both_limits(self.all)

    def _both_limits(self, counted: "_Counted") -> Iterator[Wanted]:
        if counted.sides is not None:
            needed = {True: self.goal.definition.needs_flagged, False: self.goal.definition.needs_unflagged}
            yield from (Wanted(counted.sides, flagged, self.two) for flagged in needed if needed[flagged])

    @cached_property
    def _shown(self) -> Measured:
        """The intervals of the first draws."""
        return self._half_widths(self.first)

    @property
    def _is_narrow(self) -> bool:
        return bool((np.atleast_2d(self._shown.half_width).mean(axis=-1) <= NARROW * _allowed(self.goal)).all())

    def _end(self, value: FloatArray) -> End | None:
        """The end of the interval that lies toward the target; None if that depends on the belief."""
        above = value > self.goal.value
        return None if not above.all() and above.any() else "low" if above[0] else "high"

    def seen(self) -> Seen:
        """What the draws show."""
        goal, allowed = self.goal, _allowed(self.goal)
        if goal.kind == "+-":
            shown = self._shown
            value, each = self._value(shown), np.atleast_2d(shown.half_width)
            own = each
            if not by_mean(goal):
                own = np.atleast_2d(np.nan_to_num(goal.half_width(shown.value, shown.low, shown.high), nan=np.inf, posinf=np.inf))
            ratio = np.maximum(own / goal.value, each / allowed)
            return Seen(goal, value, each[:, :WIDTH_REPS].mean(axis=-1), ratio)
        if not self._asks_width:
            return Seen(goal, self.belief.value, np.zeros_like(self.belief.value), self._ratios(self.belief.value))
        value, half_width = self._value(self._shown), np.atleast_2d(self._shown.half_width).mean(axis=-1)
        each = half_width[:, None] if self._is_narrow else np.atleast_2d(self._half_widths(self.all).half_width)
        return Seen(goal, value, half_width, np.maximum(self._ratios(value), each / allowed))

    def _value(self, shown: Measured) -> FloatArray:
        return self.belief.value if self.ask.has_value else np.atleast_1d(shown.value)

    def _half_widths(self, counted: "_Counted") -> Measured:
        return measure(self.goal.definition, counted.tally, tail=self.two, interval=self.interval, sides=counted.sides)

    def _ratios(self, value: FloatArray) -> FloatArray:
        """How far the bound toward the target reaches of its distance from the value; a value at the target is never settled."""
        gap = np.abs(value - self.goal.value)[:, None]
        return np.where(gap > 0, self._reaches(value) / np.where(gap > 0, gap, 1.0), np.inf)

    def _reaches(self, value: FloatArray) -> FloatArray:
        """How far the bound toward the target lies from the value: in each draw, of beliefs and draws."""
        (tally, sides), center, end = self.all, value[:, None], self._end(value)
        metric, tail, interval = self.goal.definition, self.one, self.interval
        if isinstance(tally, Tally) and sides is not None and end is not None:
            bound = np.atleast_2d(bound_of(metric, sides, tally=tally, tail=tail, interval=interval, end=end))
            return np.asarray(center - bound if end == "low" else bound - center)
        if isinstance(tally, GapTally) and end == "high":
            found = gap_of_slices(metric, tally, tail=tail, interval=interval, end="high")
        else:
            found = measure(metric, tally, tail=tail, interval=interval)
        above = value > self.goal.value
        return np.where(above[:, None], center - np.atleast_2d(found.low), np.atleast_2d(found.high) - center)


class _Counted(NamedTuple):
    """Tallies of draws, with the evidence about both sides where a metric is read from it."""

    tally: AnyTally
    sides: Sides | None

    @classmethod
    def of(cls, tally: AnyTally) -> "_Counted":
        return cls(tally, read_sides(tally) if isinstance(tally, Tally) else None)


def _allowed(goal: Goal) -> float:
    """The widest half-width that may ship."""
    return widest(goal.definition, unlimited=goal.may_be_wide)


def target_reach(goal: Goal, bound: Measured, value: FloatArray) -> FloatArray:
    """How far from the value the bound toward the target lies with the goal's power: a target at least so far away is settled."""
    low, high = (np.quantile(np.atleast_2d(end), q, axis=-1) for end, q in ((bound.low, 1 - goal.power), (bound.high, goal.power)))
    return np.where(value > goal.value, value - low, high - value)
