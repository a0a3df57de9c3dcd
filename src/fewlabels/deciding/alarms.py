"""An alarm, checked period after period, that rings when a metric has fallen below a floor, with a stated promise.

    null       in every period the metric of the period's units is at least the floor
    "ever"          P(it ever rings | null) <= error, however many periods follow
    "run length"    periods until it rings | null: at least `run_length` on average; within the first T at most T / run_length

Each period is one bet. Bettor j assumes that the metric has fallen to m_j, and that the groups of the draw have the positive shares
q_g. theta is the point of the null nearest to q; the bet pays the likelihood ratio of the labels under q to that under theta:

    E_j = prod_g (q_g / theta_g)^k_g ((1 - q_g) / (1 - theta_g))^(n_g - k_g),      theta_g - q_g = mu a_g / n_g theta_g (1 - theta_g)

a_g = N_g (h1 - h0), h = f - floor g of a ratio metric sum f / sum g. Under the null E_j is at most 1 on average, whatever was assumed.
Nobody knows when a fall begins, so a new stake starts every period, and earlier stakes stay in:

    W_j <- (W_j + w_t) E_j       "ever": w_t = 1 / (t (t + 1)), which sum to 1       "run length": w_t = 1

Derivation: docs/maths/alarms.md.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fewlabels.errors import GoalError, PlanError
from fewlabels.estimators.linearize import CLIP
from fewlabels.estimators.periods import side_by_side
from fewlabels.estimators.weighted import calibration, expit
from fewlabels.nouns.arrays import BoolArray, FloatArray, IntArray
from fewlabels.nouns.metric import Metric
from fewlabels.nouns.tally import Tally

Promise = Literal["ever", "run length"]
PROMISES: tuple[Promise, ...] = ("ever", "run length")
FALLS = np.geomspace(0.04, 0.5, 5)  # the falls that bettors assume: shares of the way from the floor to the metric's least value
SUREST = 1e-9  # assumed shares are clipped to [SUREST, 1 - SUREST]
STEPS = 50  # bisections of a bracket of 80: to 1e-13


class Slopes(NamedTuple):
    """h = f - m g of a unit at a value m of the metric: without and with a positive label, (unflagged, flagged)."""

    negative: tuple[float, float]
    positive: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alarm:
    """The state of an alarm after some periods; arrays may have leading axes, one per replicate of a simulation.

    metric      a ratio of two sums of totals
    floor       the value it must not fall below
    promise     what is guaranteed about false alarms
    limit       the evidence at which it rings: 1 / error, or the run length in periods
    wealth      logarithm of the current value of each bettor's stakes, shape (..., bettors)
    rang        the first period in which it rang, counted from 1; 0 if it has not; shape (...)
    periods     number of periods seen so far
    past        the labels of earlier periods by group, on which the bettors' shares are recalibrated; None at first
    """

    metric: Metric
    floor: float
    promise: Promise
    limit: float
    wealth: FloatArray
    rang: IntArray
    periods: int = 0
    past: Tally | None = None

    @property
    def evidence(self) -> FloatArray:
        """The mean wealth over bettors, plus what an "ever" alarm has not yet staked; it rings at `limit`."""
        kept = 1 / (self.periods + 1) if self.promise == "ever" else 0.0
        return np.asarray(np.exp(np.logaddexp.reduce(self.wealth, axis=-1)) / self.wealth.shape[-1] + kept)

    @property
    def has_rung(self) -> BoolArray:
        """Whether it has rung in some period so far."""
        return np.asarray(self.rang > 0)

    @property
    def says(self) -> str:
        """The promise in words."""
        null = f"as long as {self.metric.name} is at least {self.floor:g} in every period"
        if self.promise == "ever":
            return f"{null}, it ever rings with probability at most {1 / self.limit:g}"
        return (
            f"{null}, it rings after {self.limit:g} periods on average or later; within T periods with probability at most T/{self.limit:g}"
        )


def set_alarm(metric: Metric, *, floor: float, promise: Promise, error: float = 0.05, run_length: float | None = None) -> Alarm:
    """An alarm before its first period. `error` is for the promise "ever", `run_length` (in periods) for "run length"."""
    if not metric.terms or metric.weight is not None:
        raise GoalError(f"an alarm must watch a ratio of counts such as precision, recall or f1, got {metric.name}: watch one of these")
    if metric.name.startswith(("cost[", "false_")):
        raise GoalError(f"an alarm rings when a metric falls, but a low {metric.name} is good: watch a metric for which higher is better")
    if not metric.low < floor < metric.high:
        raise GoalError(f"the floor of {metric.name} must lie inside ({metric.low:g}, {metric.high:g}), got {floor:g}: name one inside")
    if promise not in PROMISES:
        raise GoalError(f"the promise must be one of {', '.join(PROMISES)}, got {promise!r}: choose by name")
    if (promise == "run length") != (run_length is not None):
        raise GoalError("pass a run length in periods with promise='run length', or an error rate with promise='ever'")
    if run_length is not None and not run_length > 1:
        raise GoalError(f"run_length must be greater than 1, got {run_length:g}: 52 is a year of weeks")
    if not 0 < error < 1:
        raise GoalError(f"the error must lie in (0, 1), got {error:g}: 0.05 is usual")
    limit = 1 / error if run_length is None else float(run_length)
    nothing = np.full(FALLS.size, -np.inf)
    return Alarm(metric=metric, floor=floor, promise=promise, limit=limit, wealth=nothing, rang=np.zeros((), dtype=np.int64))


def watch(alarm: Alarm, tally: Tally) -> Alarm:
    """The alarm after one more period, whose labels are these.

    The tally covers units that were in no earlier period (`periods.without` removes the others). Its design may depend on the labels of
    earlier periods, not on its own. A group without a label may hold anything; it is not joined to a neighbor.
    """
    if tally.weights is not None or tally.expansions is not None:
        raise PlanError("an alarm cannot count units by parts of bands that are joined or summed by a column: count each part separately")
    shares = believed(alarm.past, tally)
    falls = alarm.floor - (alarm.floor - alarm.metric.low) * FALLS
    gain = np.stack([period_bet(alarm.metric, tally, floor=alarm.floor, fallen=m, shares=shares) for m in falls], axis=-1)
    t = alarm.periods + 1
    stake = 1 / (t * (t + 1)) if alarm.promise == "ever" else 1.0
    past = tally if alarm.past is None else side_by_side([alarm.past, tally])
    after = replace(alarm, wealth=np.logaddexp(alarm.wealth, np.log(stake)) + gain, periods=t, past=past)
    rings = (after.evidence >= alarm.limit) & (alarm.rang == 0)
    return replace(after, rang=np.where(rings, t, alarm.rang))


def believed(past: Tally | None, tally: Tally) -> FloatArray:
    """The assumed positive share of each group: the guide, recalibrated on the labels of earlier periods only."""
    logit = np.broadcast_to(tally.logit, tally.n.shape).astype(np.float64)
    if past is None:
        return expit(logit)
    shares = np.empty(np.broadcast_shapes((*past.n.shape[:-1], 1), tally.n.shape))
    for flagged in (True, False):
        mine = tally.flagged == flagged
        shares[..., mine] = calibration(past.side(flagged=flagged)).share(tally.logit[mine])
    return shares


def period_bet(metric: Metric, tally: Tally, *, floor: float, fallen: float, shares: FloatArray) -> FloatArray:
    """The log payoff of a bet that the metric fell to `fallen`, against the null that it is at least `floor`; arrays over replicates.

    E is at most 1 on average if the metric of the tally's units is at least the floor, whether units are fixed or drawn by a process.
    """
    seen = tally.n > 0
    q = _fallen_shares(metric, tally, fallen, shares)
    a, K = _constraint(metric, tally, floor, seen)
    theta = _nearest(q, np.divide(a, tally.n, out=np.zeros(seen.shape), where=seen), a, K)
    k = np.where(seen, tally.k, 0.0)
    gain = k * np.log(q / theta) + np.where(seen, tally.n - k, 0.0) * np.log1p((theta - q) / (1 - theta))
    return np.asarray(gain.sum(axis=-1))


def _slopes(metric: Metric, m: float) -> Slopes:
    """What a unit adds to sum f - m sum g on each side, by its label."""
    tp, fp, fn, tn = (f - m * g for f, g in metric.terms)
    return Slopes(negative=(tn, fp), positive=(fn, tp))


def _constraint(metric: Metric, tally: Tally, m: float, seen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(a, K) such that the metric is at least m if and only if sum_g a_g theta_g + K >= 0, with unlabeled groups at their best."""
    h = _slopes(metric, m)
    side = tally.flagged.astype(np.int64)
    zero, one = np.array(h.negative)[side], np.array(h.positive)[side]
    a = np.where(seen, tally.N * (one - zero), 0.0)
    K = np.where(seen, tally.N * zero, tally.N * np.maximum(zero, one)).sum(axis=-1)
    for s, size in ((0, tally.N0), (1, tally.N1)):
        left = size - float(tally.N[tally.flagged == bool(s)].sum())
        K = K + left * max(h.negative[s], h.positive[s])
    return a, np.asarray(K)


def _fallen_shares(metric: Metric, tally: Tally, fallen: float, shares: FloatArray) -> FloatArray:
    """The assumed shares with all log-odds shifted by one amount, against the metric, until it is `fallen`."""
    a, K = _constraint(metric, tally, fallen, tally.n > 0)
    s = np.clip(shares, CLIP, 1 - CLIP)
    logit = np.log(s / (1 - s))
    low, high = np.full(logit.shape[:-1], -40.0), np.full(logit.shape[:-1], 40.0)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = (a * expit(logit + np.sign(a) * middle[..., None])).sum(axis=-1) + K > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(np.clip(expit(logit + np.sign(a) * low[..., None]), SUREST, 1 - SUREST))


def _nearest(q: FloatArray, c: FloatArray, a: FloatArray, K: FloatArray) -> FloatArray:
    """The shares theta with sum a theta + K = 0 that are hardest to distinguish from q by labels; q itself if q is in the null.

    If not even the best theta reaches 0, the null is false without any label; theta is then the best one, which is a conservative bet.
    """
    inside = (a * q).sum(axis=-1) + K >= 0
    low, high = np.full(inside.shape, -40.0), np.full(inside.shape, 40.0)
    scale = 1 / np.maximum(np.abs(c).max(axis=-1), 1e-30)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = (a * _moved(q, c * (scale * np.exp(middle))[..., None])).sum(axis=-1) + K >= 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    theta = _moved(q, c * (scale * np.exp(high))[..., None])
    return np.asarray(np.where(inside[..., None], q, np.clip(theta, SUREST**2, 1 - 1e-15)))


def _moved(q: FloatArray, c: FloatArray) -> FloatArray:
    """The theta in [0, 1] with theta - q = c theta (1 - theta)."""
    root = np.sqrt(np.maximum((1 - c) ** 2 + 4 * c * q, 0.0))
    small = 2 * q / np.maximum(1 - c + root, 1e-300)
    large = (c - 1 + root) / np.where(c > 1, 2 * c, 1.0)
    return np.asarray(np.where(c > 1, large, small))
