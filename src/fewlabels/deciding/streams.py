"""An alarm over a stream: units arrive one after another, some are labeled, and it rings when the metric has fallen below a floor.

    null            the mean of h = f - floor g of the next unit, given all before it, is at least 0, at every unit
    "ever"          P(it ever rings | null) <= error, however many units arrive
    "run length"    units until it rings | null: at least `run_length` on average; within T units with probability at most T / run_length

A unit is labeled with a probability pi chosen before its label is known. With h^ = h at the predicted label, and xi whether it is labeled,

    Z = h^ + (h - h^) xi / pi

has the mean of h, whatever was predicted and however pi was chosen. Bettor j assumes that the metric has fallen by d_j. Its stake lambda
is chosen before the unit is seen, from the payoffs of earlier units: m2, m3 their mean square and cube, and e = d_j times their mean g,

    lambda = min( e / max(m2 + e^2 + e m3 / m2, (m2 + e^2) / 4),   CAP / reach ),        W_j <- (W_j + w_t) (1 - lambda Z)

`reach` is the largest possible Z, fixed at the start: a unit whose Z could be larger must be labeled with a larger pi
(`asking_probability` ensures it). Nobody knows when a fall begins, so a new stake starts with every unit:

    "ever": w_t = S / ((t - 1 + S) (t + S)), which sum to 1        "run length": w_t = 1

Every array may have leading axes, one entry per path of a simulation. Source: Shin, Ramdas & Rinaldo 2022 (e-detectors); Csillag et al.
2025 (prediction-powered e-values). Derivation: docs/maths/streams.md.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.deciding.alarms import PROMISES, Promise, set_alarm
from fewlabels.errors import GoalError, PlanError
from fewlabels.intervals.anytime import CAP, EFFECTS, MISSING
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metric import Metric

NOT_ASKED = -2  # the label of a unit that was not chosen
EVEN = 0.5  # the share of the labels that is spread evenly over units, whatever is predicted
SPREAD = 1_000.0  # S: units over which an alarm that promises "ever" stakes half of its money
START, MEMORY = 20.0, 5_000.0  # units that the initial moments count for, and units over which the moments are averaged later
SMALLEST = 1e-9  # lower bound on the mean square and mean g, for a stream in which nothing matters for long
RICHEST = 1e200  # upper bound on wealth: the alarm has long rung
SUREST = 0.02  # predictions are clipped to [SUREST, 1 - SUREST] for the probability of being asked
SECOND, THIRD, WEIGHT, SIZE = 0, 1, 2, 3  # the columns of `moments`


class StreamSlopes(NamedTuple):
    """h of a unit without and with a positive label, and g, each (unflagged, flagged)."""

    negative: FloatArray
    positive: FloatArray
    g_negative: FloatArray
    g_positive: FloatArray


class Arrival(NamedTuple):
    """One unit of the stream; arrays over paths, or single values.

    flagged   what the classifier predicts
    guess     the predicted probability that its label is positive: any prediction made without knowing the label
    pi        the probability with which it was to be labeled
    label     1, 0, MISSING if it was chosen but nobody could tell, NOT_ASKED if it was not chosen
    """

    flagged: BoolArray
    guess: FloatArray
    pi: FloatArray
    label: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamAlarm:
    """The state of an alarm over a stream after some units.

    metric   a ratio of two sums of totals
    floor    the value it must not fall below
    promise  what is guaranteed about false alarms
    limit    the evidence at which it rings: 1 / error, or the run length in units
    rate     the approximate share of units to be labeled
    reach    the largest possible Z
    wealth   the current value of each bettor's stakes, shape (..., bettors)
    moments  running means of Z^2, Z^3, g, and of |h1 - h0| sqrt(p (1 - p)) over units whose label matters, shape (..., 4)
    rang     the unit at which it first rang, counted from 1; 0 if it has not; shape (...)
    labels   how many units were labeled, shape (...)
    units    number of units seen so far
    """

    metric: Metric
    floor: float
    promise: Promise
    limit: float
    rate: float
    reach: float
    wealth: FloatArray
    moments: FloatArray
    rang: IntArray
    labels: IntArray
    units: int = 0

    @property
    def evidence(self) -> FloatArray:
        """The mean wealth over bettors, plus what an "ever" alarm has not yet staked; it rings at `limit`."""
        kept = SPREAD / (self.units + SPREAD) if self.promise == "ever" else 0.0
        return np.asarray(self.wealth.mean(axis=-1) + kept)

    @property
    def has_rung(self) -> BoolArray:
        """Whether it has rung at some unit so far."""
        return np.asarray(self.rang > 0)

    @property
    def says(self) -> str:
        """The promise in words."""
        null = f"as long as {self.metric.name} is at least {self.floor:g} for every unit to come, given those before it"
        if self.promise == "ever":
            return f"{null}, it ever rings with probability at most {1 / self.limit:g}"
        return f"{null}, it rings after {self.limit:g} units on average or later; within T units with probability at most T/{self.limit:g}"


def set_stream_alarm(
    metric: Metric,
    *,
    floor: float,
    promise: Promise,
    rate: float,
    error: float = 0.05,
    run_length: float | None = None,
    paths: tuple[int, ...] = (),
) -> StreamAlarm:
    """An alarm before its first unit. `error` is for the promise "ever", `run_length` (in units) for "run length".

    rate    the share of units to be labeled, among those whose label matters to the metric
    paths   leading axes: () for one stream
    """
    set_alarm(metric, floor=floor, promise="ever", error=error)  # raises if no alarm can watch the metric
    _check(promise, run_length, rate)
    h = slopes(metric, floor)
    top, bottom = float(max(h.negative.max(), h.positive.max())), float(min(h.negative.min(), h.positive.min()))
    first = np.array([(top - bottom) ** 2 / 4 / rate, 0.0, 1.0, (top - bottom) / 4])
    return StreamAlarm(
        metric=metric,
        floor=floor,
        promise=promise,
        limit=1 / error if run_length is None else float(run_length),
        rate=rate,
        reach=top * (2 / rate - 1),
        wealth=np.zeros((*paths, EFFECTS.size)),
        moments=np.broadcast_to(first, (*paths, first.size)),
        rang=np.zeros(paths, dtype=np.int64),
        labels=np.zeros(paths, dtype=np.int64),
    )


def _check(promise: Promise, run_length: float | None, rate: float) -> None:
    if promise not in PROMISES:
        raise GoalError(f"the promise must be one of {', '.join(PROMISES)}, got {promise!r}: choose by name")
    if (promise == "run length") != (run_length is not None):
        raise GoalError("pass a run length in units with promise='run length', or an error rate with promise='ever'")
    if run_length is not None and not run_length > 1:
        raise GoalError(f"run_length must be greater than 1, got {run_length:g}: 100,000 units are usual")
    if not 0 < rate <= 1:
        raise GoalError(f"the share of units to be labeled must lie in (0, 1], got {rate:g}: 0.1 labels one in ten")


def slopes(metric: Metric, m: float) -> StreamSlopes:
    """What a unit adds to sum f - m sum g, and to sum g, by side and label."""
    tp, fp, fn, tn = (np.array([f - m * g, g]) for f, g in metric.terms)
    negative, positive = np.stack([tn, fp], axis=1), np.stack([fn, tp], axis=1)
    return StreamSlopes(negative[0], positive[0], negative[1], positive[1])


class Paid(NamedTuple):
    """The payoff of a unit by path: Z, the largest Z that asking and its label could give, the estimate of g, and its size."""

    Z: FloatArray
    largest: FloatArray
    g: FloatArray
    size: FloatArray


def paid(alarm: StreamAlarm, unit: Arrival) -> Paid:
    """The payoff of a unit. A missing answer counts as the one that helps bettors least."""
    side = np.asarray(unit.flagged, dtype=np.int64)
    zero, one, g0, g1 = (values[side] for values in slopes(alarm.metric, alarm.floor))
    guess, label, counts = np.asarray(unit.guess), np.asarray(unit.label), zero != one
    w = np.divide(
        1.0, unit.pi, out=np.zeros(np.broadcast_shapes(counts.shape, np.shape(unit.pi))), where=counts & (np.asarray(unit.pi) > 0)
    )
    expected, most = zero + (one - zero) * guess, np.maximum(zero, one)
    said = np.where(label == 1, one, np.where(label == 0, zero, most))
    g_expected = g0 + (g1 - g0) * guess
    g_said = np.where(label == 1, g1, np.where(label == 0, g0, g_expected))
    asked = (label != NOT_ASKED) * w
    return Paid(
        Z=np.asarray(expected + asked * (said - expected)),
        largest=np.asarray(np.where(counts & (w == 0), np.inf, expected + w * (most - expected))),
        g=np.asarray(g_expected + asked * (g_said - g_expected)),
        size=_size(guess, one - zero),
    )


def _size(guess: FloatArray, slope: FloatArray) -> FloatArray:
    p = np.clip(guess, SUREST, 1 - SUREST)
    return np.asarray(np.abs(slope) * np.sqrt(p * (1 - p)))


def asking_probability(alarm: StreamAlarm, *, flagged: BoolArray, guess: FloatArray) -> FloatArray:
    """The probability with which the next unit is to be labeled; 0 if its label does not matter.

    pi = rate (EVEN + (1 - EVEN) size / mean size so far),    at least what keeps Z within reach, at most 1
    """
    side = np.asarray(flagged, dtype=np.int64)
    h = slopes(alarm.metric, alarm.floor)
    zero, one, p = h.negative[side], h.positive[side], np.asarray(guess)
    expected, most = zero + (one - zero) * p, np.maximum(zero, one)
    wanted = alarm.rate * (EVEN + (1 - EVEN) * _size(p, one - zero) / alarm.moments[..., SIZE])
    needed = (most - expected) / (alarm.reach - expected) * (1 + 1e-9)
    return np.asarray(np.where(zero != one, np.minimum(np.maximum(wanted, needed), 1.0), 0.0))


def factors(alarm: StreamAlarm, Z: FloatArray) -> FloatArray:
    """The factor by which a unit multiplies each bettor's wealth, shape (..., bettors); stakes do not depend on the unit."""
    m2, m3, g = (alarm.moments[..., i, None] for i in (SECOND, THIRD, WEIGHT))
    m2, e = np.maximum(m2, SMALLEST), np.maximum(g, SMALLEST) * EFFECTS
    square = m2 + e * e
    stake = np.minimum(e / np.maximum(square + e * (m3 / m2), square / 4), CAP / alarm.reach)
    return np.asarray(1 - stake * Z[..., None])


def observe(alarm: StreamAlarm, unit: Arrival) -> StreamAlarm:
    """The alarm after one more unit on every path, in order of arrival; raise PlanError if pi is too small for its reach."""
    found = paid(alarm, unit)
    _refuse(alarm, unit, found)
    t = alarm.units + 1
    stake = SPREAD / ((t - 1 + SPREAD) * (t + SPREAD)) if alarm.promise == "ever" else 1.0
    wealth = np.minimum((alarm.wealth + stake) * factors(alarm, found.Z), RICHEST)
    after = replace(
        alarm, wealth=wealth, moments=_learned(alarm, found), units=t, labels=alarm.labels + (np.asarray(unit.label) >= MISSING)
    )
    rings = (after.evidence >= alarm.limit) & (alarm.rang == 0)
    return replace(after, rang=np.where(rings, t, alarm.rang))


def _refuse(alarm: StreamAlarm, unit: Arrival, found: Paid) -> None:
    if (np.asarray(unit.pi) > 1).any():
        raise PlanError(
            f"a probability of being labeled must be at most 1, got {float(np.max(unit.pi)):g}: give it as a share, not as a percentage"
        )
    if (found.largest > alarm.reach * (1 + 1e-6)).any():
        raise PlanError(
            f"no unit of this stream may pay more than {alarm.reach:g}, but one that is labeled with so small a probability could pay "
            f"{float(found.largest.max()):g}: ask asking_probability how often to label it"
        )


def _learned(alarm: StreamAlarm, found: Paid) -> FloatArray:
    """The running means after a unit: of all units at first, of about the last MEMORY later."""
    square = found.Z * found.Z
    now = np.stack(np.broadcast_arrays(square, square * found.Z, found.g, found.size), axis=-1)
    step = np.where(now[..., SIZE, None] > 0, 1.0, [1.0, 1.0, 1.0, 0.0]) / min(alarm.units + 1 + START, MEMORY)
    return np.asarray(alarm.moments + (now - alarm.moments) * step)
