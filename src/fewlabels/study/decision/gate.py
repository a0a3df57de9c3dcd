"""Check a study against a policy: judge every rule at its own level, if the draw can estimate it. Nothing is shown before the look.

A rule need not be a goal of the plan. If the draw covers it, it is judged by the one-sided bound like a goal, at the share of the error
that the look may spend; a rule that the draw does not cover, or that names what the population lacks, makes the gate invalid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fewlabels.deciding.gating import OUTCOMES, decide_rules, rate_rule
from fewlabels.deciding.more_labels import more_labels
from fewlabels.deciding.verdict import Reading
from fewlabels.errors import FewlabelsError
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.decision import MoreLabels
from fewlabels.nouns.gate import Gate, RuleVerdict, Verdict, worst
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.policy import Policy, Rule
from fewlabels.nouns.tipping import TippingPoint
from fewlabels.nouns.works_with import refusal_of
from fewlabels.planning.goal_scope import expand
from fewlabels.study.decision.gate_online import gate_online
from fewlabels.study.estimate.about import about_words
from fewlabels.study.estimate.answerable import refuse_unanswerable, rows_about
from fewlabels.study.estimate.estimates import ahead_of, cautions_about, is_goal, read_one, shown_for
from fewlabels.study.estimate.guide_check import interval_in_force
from fewlabels.study.estimate.missing import BROKEN_PROMISE, read_missing, say_missing
from fewlabels.study.estimate.result import Estimates
from fewlabels.study.estimate.tipping import tipping_of, why_none
from fewlabels.study.estimate.warnings import closed_after_a_peek, read_warnings
from fewlabels.study.plan.looks import at_look
from fewlabels.study.state.progress import Progress, progress
from fewlabels.study.state.standing import Standing
from fewlabels.study.state.tallies import Answers, read_answers

PLANNED = "planned looks"  # the kind of plan
UNRULED = "rule_out_hidden needs a tipping point, but {}: leave it out of this rule, or plan a study that has one (docs/maths/tipping.md)"
NOT_APART = "the labels of the low scores are not apart from others for this classifier, or too many answers are missing there"
PEEKED = "the labeling was closed after a peek: no number of this plan is valid at its level, so plan more labels and gate on those"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLook:
    """What the ledger stores of a gate: its numbers without the wording, which later versions may improve."""

    gate: Gate

    def as_json(self) -> dict[str, Json]:
        """Plain data for the ledger."""
        rules: list[Json] = [
            {
                "verdict": rule.verdict,
                "bound": rule.bound,
                "nonresponse": rule.nonresponse,
                "estimate": None if rule.estimate is None else rule.estimate.as_json(),
            }
            for rule in self.gate.rules
        ]
        return {"verdict": self.gate.verdict, "rules": rules}


def asked_gate(policy: Policy) -> dict[str, Json]:
    """The request, as a look stores it."""
    return {"kind": "gate", "rules": policy.as_json()}


def of_look(standing: Standing, asked: Mapping[str, Any]) -> GateLook:
    """Recompute what a recorded look asked for."""
    return GateLook(gate=read_gate(standing, Policy.of_json(asked["rules"]), forecast=False))


class ReadRule(NamedTuple):
    """A rule with the reading it is judged on, and the notes to show beside it."""

    rule: Rule
    reading: Reading
    nonresponse: float
    tipping: TippingPoint | None
    notes: tuple[str, ...]


def read_gate(standing: Standing, policy: Policy, *, forecast: bool = True) -> Gate:
    """Check the current study against a policy; with a forecast of the labels that would settle what is open."""
    done = progress(standing)
    rules = list(checked_rules(standing, policy))
    empty = Gate(
        study=standing.name, verdict="invalid", labels=done.labels, planned=done.planned, policy=policy.hash, plan=standing.plan.hash
    )  # fmt: skip
    if closed_after_a_peek(standing):
        return replace(empty, rules=tuple(_unread(rules, "invalid", PEEKED)), reasons=(PEEKED,))
    kept = [rule for rule, problem in rules if problem is None]
    if standing.plan.kind == "online":
        return gate_online(standing, rules, empty, forecast=forecast)
    then = _at_look(standing, done, kept[0].goal if kept else standing.goals[0])
    if then is None or not kept:
        waiting = waits(standing, done) if then is None else "no rule can be judged"
        found = tuple(_unread(rules, "label_more", waiting))
        return replace(empty, rules=found, verdict=worst([r.verdict for r in found]), reasons=(waiting,))
    return _judged(standing, then, rules, empty, forecast=forecast)


def checked_rules(standing: Standing, policy: Policy) -> Iterator[tuple[Rule, str | None]]:
    """Every rule, one for each classifier and slice it stands for, with why it cannot be judged; None if it can."""
    names, columns = standing.classifiers, standing.population["slices"]
    for rule in policy.rules:
        try:
            goals = expand(standing.profile, [rule.goal], slices=columns, names=names)
        except FewlabelsError as error:
            yield rule, str(error)
            continue
        for goal in goals:
            yield replace(rule, goal=goal), _problem(standing, goal, hidden=rule.rule_out_hidden)


def _problem(standing: Standing, goal: Goal, *, hidden: bool) -> str | None:
    """Why the draw cannot estimate a goal's metric, or what may hide from it; None if it can."""
    try:
        refuse_unanswerable(standing, goal)
    except FewlabelsError as error:
        return str(error)
    why = why_none(standing, goal) if hidden else None
    return None if why is None else f"{goal}: {UNRULED.format(why)}"


def _unread(rules: Sequence[tuple[Rule, str | None]], verdict: Verdict, why: str) -> Iterator[RuleVerdict]:
    """The verdicts if no number is read: invalid for rules with a problem; the others with what all wait for."""
    for rule, problem in rules:
        yield RuleVerdict(rule=rule, verdict=verdict if problem is None else "invalid", reasons=(problem or why,))


def waits(standing: Standing, done: Progress) -> str:
    """What is missing for the look, in words; reveals nothing that the labels say."""
    if standing.plan.kind == PLANNED:
        return f"{done.labels:,} of {done.planned:,} planned units are resolved, short of the first look: continue labeling"
    parts = (
        (done.planned - done.labels, f"of {done.planned:,} planned units are not resolved"),
        (done.second_planned - done.second_told, f"of {done.second_planned:,} second looks are missing"),
        (done.gold_planned - done.gold_told, f"of {done.gold_planned:,} gold answers are missing"),
    )
    said = " and ".join(f"{missing:,} {what}" for missing, what in parts if missing)
    return f"{said}: no number is shown before the last one is in, continue labeling"


def _at_look(standing: Standing, done: Progress, goal: Goal) -> Standing | None:
    """The study at the look that its answers allow; None before it."""
    if standing.plan.kind == PLANNED:
        return at_look(with_goals(standing, (goal,)))
    return standing if done.complete else None


def with_goals(standing: Standing, goals: Sequence[Goal]) -> Standing:
    """The study as if these were its goals, so that numbers are read at their level."""
    plan = replace(standing.plan, goals=tuple(goals))
    return replace(standing, goals=tuple(goals), plans=(*standing.plans[:-1], plan))


def _judged(standing: Standing, then: Standing, rules: Sequence[tuple[Rule, str | None]], empty: Gate, *, forecast: bool) -> Gate:
    """Every rule judged on the labels of the look."""
    answers, missing = read_answers(then), read_missing(then)
    base = Estimates(
        progress=progress(then), estimates=(), certified=True, promise="", missing=missing, agreement=None, warnings=(),
        about=about_words(standing),
    )  # fmt: skip
    reads = {i: _read(standing, answers, rule, base) for i, (rule, problem) in enumerate(rules) if problem is None}
    share = 1.0 if standing.plan.kind == PLANNED else standing.plan.share
    found = tuple(
        _verdict(reads[i], share=share, among=len(rules))
        if i in reads
        else RuleVerdict(rule=rule, verdict="invalid", reasons=(str(problem),))
        for i, (rule, problem) in enumerate(rules)
    )
    readings = [read.reading for read in reads.values()]
    verdict = worst([rule.verdict for rule in found])
    settled = OUTCOMES[decide_rules(readings, share=share).outcome]
    more = _more(standing, readings, base) if forecast and verdict == settled == "label_more" else None
    together = OUTCOMES[decide_rules(readings, share=share, more=more).outcome]
    feared = (f"{missing.whole.missing:,} answers are missing: {say_missing(missing)}",) if missing.differs else ()
    return replace(
        empty,
        verdict=verdict if verdict == "invalid" or together == "ship" else together,
        rules=found,
        reasons=(*_ahead_in_words(more), *feared),
        more=more,
        promise=BROKEN_PROMISE if missing.differs else standing.plan.promise,
        about=about_words(standing),
        warnings=read_warnings(then, base.progress, missing),
    )


def _ahead_in_words(more: MoreLabels | None) -> tuple[str, ...]:
    if more is None:
        return ()
    return (f"{more} should settle it" if more.enough else f"even all remaining units ({more.labels:,}) may not settle it",)


def _read(standing: Standing, answers: Answers, rule: Rule, base: Estimates) -> ReadRule:
    """Read a rule's metric at the look, at the rule's level."""
    goal, plan, missing = rule.goal, standing.plan, base.missing
    mine = with_goals(standing, (goal,))
    shown = one_sided = mine
    spent = plan.share
    if plan.kind == PLANNED:
        spent = 1.0
        at = [at_look(mine, one_sided=side) for side in (False, True)]
        shown, one_sided = (found for found in at if found is not None)  # the look is reached, so both are there
    one = shown_for(shown, answers, goal)
    planned = any(is_goal(made_for, one, standing) for made_for in plan.goals)
    found = replace(read_one(shown, one, missing, interval_in_force(shown)), planned=planned)
    share = one_sided.plan.share_of(*one.classifiers)
    reading = Reading(
        goal,
        found,
        one.tally,
        one.filled() if missing.differs else (),
        one.gold,
        share / spent,
        rule.min_n_eff,
        rule.max_half_width,
    )
    notes = [] if planned else ["not a goal of the plan: the draw was made for other metrics, so this one costs more labels"]
    notes += cautions_about(standing, one, found, aimed=True)
    if standing.gold and one.gold is None:
        notes.append("judged on the labels as recorded, gold answers do not correct it")
    tipping = tipping_of(standing, answers, goal, share=share) if rule.rule_out_hidden and not missing.differs else None
    return ReadRule(rule, reading, _nonresponse(standing, answers, goal), tipping, tuple(notes))


def _nonresponse(standing: Standing, answers: Answers, goal: Goal) -> float:
    """The share of the drawn units the goal is about that have no usable answer."""
    rows, columns = rows_about(standing, answers, goal)
    lacking = ~np.isfinite(answers.positive[rows][:, columns]).all(axis=1)
    return float(lacking.mean()) if lacking.size else 0.0


def _verdict(read: ReadRule, *, share: float, among: int) -> RuleVerdict:
    """Judge one rule."""
    rule, reading = read.rule, read.reading
    rated = rate_rule(reading, share=share, among=among)
    verdict, reasons = rated.verdict, rated.reasons
    if read.nonresponse > rule.max_nonresponse:
        verdict, reasons = "invalid", (too_silent(rule, read.nonresponse), *reasons)
    elif rule.rule_out_hidden and verdict == "ship":
        verdict, reasons = _ruled_out(rule, read.tipping, reasons)
    return RuleVerdict(
        rule=rule, verdict=verdict, reasons=reasons, estimate=reading.estimate, bound=rated.judged.bound,
        nonresponse=read.nonresponse, notes=read.notes,
    )  # fmt: skip


def _ruled_out(rule: Rule, point: TippingPoint | None, reasons: tuple[str, ...]) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on a rule that would ship, but for what may hide where the scores see none."""
    if point is None:
        return "invalid", (f"{rule}: {UNRULED.format(NOT_APART)}", *reasons)
    return "ship" if point.holds else "label_more", (*reasons, str(point))


def too_silent(rule: Rule, share: float) -> str:
    """State that too many answers are missing, and what to do."""
    return (
        f"{rule}: {share:.1%} of its units have no usable answer, at most {rule.max_nonresponse:.1%} allowed: have somebody else answer "
        "them, or raise max_nonresponse in the policy and say why"
    )


def _more(standing: Standing, readings: Sequence[Reading], base: Estimates) -> MoreLabels | None:
    """Labels that should settle what is open; None if no forecast is possible."""
    plan = standing.plan
    if base.missing.differs or plan.by_bands >= plan.design.frame or refusal_of("forecast", standing.traits):
        return None
    answered = base.progress.answered / max(1, base.progress.labels)
    shown = standing.shown_plans | {plan.number}
    return more_labels(standing.plans, ahead_of(standing, readings), readings, shown=shown, answered=answered)
