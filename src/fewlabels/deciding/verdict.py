"""Ship, do not ship, or label more: the goals compared with what the labels show.

A target is met when the one-sided bound at the level lies on its side, not met when the opposite bound lies on the other side, and
otherwise open. Ship: every goal is met (an intersection-union test, so the error is not split) and no reading is too thin. Do not
ship: a goal is not met at 1 - (1 - level)/k, the k goals sharing the error. Otherwise label more.

Where answers are shown not to be missing at random, a goal is judged by the worst case: it is settled only if every way to fill in the
missing answers settles it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fewlabels.errors import PlanError
from fewlabels.estimators.gold import GoldTally, corrected_tally, measure_with_gold
from fewlabels.estimators.measuring import measure
from fewlabels.estimators.missing import worst_limits
from fewlabels.nouns.decision import THIN_N_EFF, Decision, GoalStatus, GoalVerdict, MoreLabels, Outcome, widest, without_target
from fewlabels.nouns.estimate import EXACT, Estimate
from fewlabels.nouns.evidence import Limits
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.tally import AnyTally, Tally


class Reading(NamedTuple):
    """A goal with its estimate and the tally behind it.

    filled   the four ways to fill in the missing answers, where the worst case applies
    gold     the adjudicated answers that correct the others, if there are any
    spends   the multiple of the look's share of the error that this reading may spend: more than 1 if it was never shown before
    fewest   the effective n below which it cannot ship
    widest   the half-width above which it cannot ship; None for 12 points of a share, and no limit for a difference
    """

    goal: Goal
    estimate: Estimate
    tally: AnyTally
    filled: tuple[AnyTally, ...] = ()
    gold: GoldTally | None = None
    spends: float = 1.0
    fewest: float = THIN_N_EFF
    widest: float | None = None


def judge(reading: Reading, *, share: float, among: int = 1) -> GoalVerdict:
    """The status of one goal at its look's share of the error, which `among` goals split where any failure decides."""
    goal, estimate = reading.goal, reading.estimate
    when = " in the worst case" if reading.filled else ""
    if goal.kind == "+-":
        low, high = _shown(reading)
        met = estimate.value is not None and bool(goal.reached(estimate.value, low, high))
        reason = f"{goal}: half-width {goal.width_said(estimate.value, low, high)}{when}, {'reached' if met else 'not reached yet'}"
        return GoalVerdict(goal=goal, status="met" if met else "open", estimate=estimate, bound=None, reason=reason)
    tail = (1 - goal.level) * share * reading.spends / among
    status, bound = _side_of(goal, _limits(reading, tail))
    wording = {"met": "shown", "not met": "shown to fail", "open": "not settled"}[status]
    reason = f"{goal}: {wording}, one-sided bound {bound:.4f}{when} at {1 - tail:.4g}"
    return GoalVerdict(goal=goal, status=status, estimate=estimate, bound=bound, reason=reason)


def _shown(reading: Reading) -> tuple[float, float]:
    """The ends of the interval that a half-width is judged by: in the worst case where it applies."""
    estimate = reading.estimate
    if reading.filled and estimate.worst_low is not None and estimate.worst_high is not None:
        return estimate.worst_low, estimate.worst_high
    return estimate.low, estimate.high


def _limits(reading: Reading, tail: float) -> Limits:
    """The one-sided bounds of a goal's metric, in the worst case where it applies."""
    metric, interval = reading.goal.definition, reading.estimate.interval
    base: Tally | None = None
    if reading.gold is not None and isinstance(reading.tally, Tally):
        base = corrected_tally(reading.tally, reading.gold)
        measured = measure_with_gold(metric, reading.tally, reading.gold, tail=tail, interval=interval)
    else:
        measured = measure(metric, reading.tally, tail=tail, interval=interval)
    return worst_limits(metric, Limits(measured.low, measured.high), reading.filled, tail=tail, interval=interval, base=base)


def _side_of(goal: Goal, limits: Limits) -> tuple[GoalStatus, float]:
    """Where the one-sided bounds lie, and the one that decides (for an open goal, the one that would have to clear the target)."""
    low, high = float(limits.low), float(limits.high)
    if goal.kind == ">=":
        if low >= goal.value:
            return "met", low
        return ("not met", high) if high < goal.value else ("open", low)
    if high <= goal.value:
        return "met", high
    return ("not met", low) if low > goal.value else ("open", high)


def thinness(estimate: Estimate, *, fewest: float = THIN_N_EFF, allowed: float | None = None) -> str | None:
    """Why a reading is too thin to ship on, whatever its value; None if it is not."""
    where = "" if estimate.slice is None else f" in {estimate.slice[0]}={estimate.slice[1]}"
    name = f"{estimate.metric} of {estimate.whose}{where}"
    if estimate.value is not None and estimate.half_width < EXACT:
        return None  # every unit is labeled: nothing is uncertain, however few there are
    if estimate.n_eff is None or estimate.n_eff < fewest:
        n_eff = "unknown" if estimate.n_eff is None else f"{estimate.n_eff:.0f}"
        return f"{name} is too thin to ship on: effective n {n_eff}, at least {fewest:g} needed"
    if allowed is None:  # a difference may be large, and shown, and wide
        allowed = widest(metric_named(estimate.metric), unlimited=estimate.may_be_wide)
    if estimate.half_width > allowed:
        return f"{name} is too thin to ship on: half-width {estimate.half_width:.3f}, at most {allowed:g} allowed"
    return None


def decide(readings: Sequence[Reading], *, share: float, more: MoreLabels | None, certified: bool, notes: Sequence[str] = ()) -> Decision:
    """The verdict on all goals, at least one. `more` forecasts the labels that would settle open goals, `notes` are reasons to add."""
    if not readings:
        raise PlanError("a decision needs a goal, got none: a study without goals decides nothing")
    shared = [judge(r, share=share, among=len(readings)) for r in readings]
    failed = [v for v in shared if v.status == "not met"]
    verdicts = tuple(v if v.status == "not met" else judge(r, share=share) for r, v in zip(readings, shared, strict=True))
    thin = [reason for r in readings if (reason := thinness(r.estimate, fewest=r.fewest, allowed=r.widest))]
    outcome: Outcome
    if failed:
        outcome, reasons = "do not ship", [v.reason for v in failed]
    elif all(v.status == "met" for v in verdicts) and not thin:
        outcome, reasons = "ship", [v.reason for v in verdicts] + without_target([v.goal for v in verdicts])
    else:
        outcome, reasons = "label more", [v.reason for v in verdicts] + thin
        if more is not None:
            reasons.append(str(more) if more.enough else f"even all remaining units ({more.labels:,}) may not settle it")
    exact = [f"{r.goal}: {r.estimate.exactness}" for r in readings if r.estimate.exactness]
    return Decision(
        outcome=outcome,
        reasons=tuple(dict.fromkeys([*reasons, *exact, *notes])),
        goals=verdicts,
        more=more if outcome == "label more" else None,
        certified=certified,
    )
