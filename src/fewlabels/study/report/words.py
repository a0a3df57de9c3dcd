"""The wording of a report: the next step, and what its intervals guarantee."""

from collections.abc import Sequence
from math import ceil, floor

from fewlabels.intervals.registered import INTERVALS
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import NO_TARGET, Decision
from fewlabels.nouns.sheet import FormSet, Sheet
from fewlabels.study.estimate.about import ALL_LABELED
from fewlabels.study.estimate.estimates import Estimates
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.kinds import kind_of
from fewlabels.study.state.progress import Progress
from fewlabels.study.state.standing import Standing

TESTED = (
    "Every interval shown was tested in simulations of this design around this number of labels: a true coverage of 0.94 for an interval "
    "at level 0.95 was not rejected in any of them."
)


SAID = {
    "ship": "Ship. Every goal is shown to be met at its level.",
    "do not ship": "Do not ship: a goal is shown to fail, and more labels will not change that. Another threshold or another model may.",
    "undecided": "The budget is used up and the goals are not decided: raise the budget, or accept a tolerance next time.",
}


def next_step(standing: Standing, shown: Estimates, decision: Decision | None) -> str:
    """What to do now, in a sentence."""
    if decision is None:
        return f"{no_verdict(shown.progress)} Numbers are shown at the look the plan names, not before."
    running = kind_of(standing).running(standing, forecast=True) if decision.outcome == "label more" else None
    if running is not None and running.remaining is not None:
        return f"Label on: {running.remaining}."
    return after_decision(decision)


def after_decision(decision: Decision) -> str:
    """What to do after a verdict, in a sentence."""
    if decision.outcome == "ship" and NO_TARGET in decision.reasons:
        return "Known as precisely as requested. No goal has a target, so whether it is good enough is for you to decide."
    if decision.outcome in SAID:
        return SAID[decision.outcome]
    if any(verdict.estimate.interval == "anytime" for verdict in decision.goals):
        return "Label on."
    if any(ALL_LABELED in reason for reason in decision.reasons):
        return "Every unit is labeled: what is open needs units like these, of another table."
    if decision.more is None:
        return "Label more: the labels so far do not settle what is open, and how many more are needed is not forecast for this draw."
    if not decision.more.enough:
        return f"Even all {decision.more.labels:,} remaining units may not settle it: ask for less, or accept what is known."
    return f"Label {decision.more.labels:,} more, {decision.more.flagged:,} of them flagged."


PLAIN = {
    "precision": "Of 100 units that {} flags, {} are positive.",
    "recall": "Of 100 positive units, {} flags {}.",
    "accuracy": "Of 100 units, {} is right about {}.",
}


def asked_in_words(forms: Sequence[FormSet], before: Sheet) -> list[str]:
    """Every question labelers were asked, with the number of answers after which it was; `before` is from before forms were recorded."""
    said: dict[str, int] = {before.ask: 0} if not forms else {}
    for form in forms:
        said.setdefault(form.sheet.ask, form.answers)
    return [f"Asked about each unit{f' after {answers:,} answers' if answers else ''}: {ask}" for ask, answers in said.items() if ask]


def plain_words(decision: Decision | None, asked: Sequence[str]) -> list[Json]:
    """The questions asked, and what is known about the goals, in words that need no statistics."""
    said: list[Json] = list(asked)
    found = [verdict.estimate for verdict in decision.goals] if decision is not None else []
    for one in found:
        if one.metric in PLAIN and not one.is_difference:
            where = "" if one.slice is None else f"In {one.slice[0]}={one.slice[1]}: "
            said.append(where + PLAIN[one.metric].format(one.classifier, _of_hundred(one.low, one.high)))
    if decision is not None and decision.about:
        said.append(f"Every number is {decision.about}.")
    return said


def _of_hundred(low: float, high: float) -> str:
    """Two shares as counts of 100, rounded outward, with as many digits as their difference needs."""
    digits = 0 if high - low > 0.02 else 1 if high - low > 0.002 else 2
    scale = 10**digits
    return f"{floor(100 * low * scale) / scale:.{digits}f} to {ceil(100 * high * scale) / scale:.{digits}f}"


def no_verdict(done: Progress) -> str:
    """What the look is waiting for, in a sentence."""
    return f"No verdict yet: {_waits(done)}."


def _waits(done: Progress) -> str:
    """What the look is waiting for."""
    if done.waits_for_gold:
        return f"{done.gold_planned - done.gold_told:,} units drawn for gold are still to be adjudicated"
    if done.waits_for_second:
        return f"{done.second_planned - done.second_told:,} units still wait for a second labeler"
    return f"{done.planned - done.labels:,} of {done.planned:,} units are still to be labeled"


def coverage(standing: Standing, shown: Estimates) -> Json:
    """What the intervals guarantee, what that rests on, and what was not tested."""
    interval = interval_in_force(standing)
    cautions = shown.cautions_of(shown.estimates)
    tested = [TESTED] if shown.estimates and not cautions and interval != "anytime" else []
    return {
        "promise": shown.promise,
        "certified": shown.certified,
        "statement": [f"Every number is {shown.about}.", INTERVALS.named(interval).statement, *tested],
        "cautions": list(cautions),
    }
