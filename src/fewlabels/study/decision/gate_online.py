"""Check an online study against a policy: confidence sequences (running bands) at the rules' own levels and targets, at any time.

A bet against a value wins by chance no more often than its level allows, whatever the value, so a rule may name another target or level
than the goal. The study's tolerance does not apply: rules are tested at their exact target.
"""

from collections.abc import Sequence
from dataclasses import replace

from fewlabels.deciding.gating import OUTCOMES
from fewlabels.deciding.online_status import Standpoint
from fewlabels.deciding.verdict import thinness
from fewlabels.nouns.decision import THIN_N_EFF
from fewlabels.nouns.estimate import Estimate
from fewlabels.nouns.gate import Gate, RuleVerdict, Verdict, worst
from fewlabels.nouns.policy import Rule
from fewlabels.nouns.stopping import Stopping
from fewlabels.study.estimate.about import about_words
from fewlabels.study.estimate.missing import read_missing
from fewlabels.study.estimate.online import Running, read_online, read_running, running_reason
from fewlabels.study.estimate.warnings import read_warnings
from fewlabels.study.state.progress import progress
from fewlabels.study.state.standing import Standing

FIRST = "no label is in yet: continue labeling"
USED_UP = "all {:,} labels of the budget are in and the rules are not settled: raise the budget, or start a new study"
STATUS: dict[str, Verdict] = {"met": "ship", "not met": "do_not_ship", "open": "label_more"}


def gate_online(standing: Standing, rules: Sequence[tuple[Rule, str | None]], empty: Gate, *, forecast: bool) -> Gate:
    """Judge the rules by their running bands. The gate does not wait for the last label and is valid at every look."""
    kept = [rule for rule, problem in rules if problem is None]
    if not kept:
        return replace(empty, rules=tuple(RuleVerdict(rule=r, verdict="invalid", reasons=(str(p),)) for r, p in rules))
    mine = _with_rules(standing, kept)
    running, shown = read_running(mine, forecast=forecast and len(kept) == len(rules)), read_online(mine)
    if not shown.estimates:
        found = tuple(RuleVerdict(rule=r, verdict="invalid" if p else "label_more", reasons=(p or FIRST,)) for r, p in rules)
        return replace(empty, rules=found, verdict=worst([r.verdict for r in found]), reasons=(FIRST,))
    judged = iter(zip(kept, running.goals, shown.estimates, strict=True))
    found = tuple(
        RuleVerdict(rule=rule, verdict="invalid", reasons=(problem,)) if problem else _verdict(running, *next(judged))
        for rule, problem in rules
    )
    return replace(
        empty,
        verdict=worst([rule.verdict for rule in found]),
        rules=found,
        labels=running.labels,
        reasons=_reasons(running),
        promise=standing.plan.promise,
        about=about_words(standing),
        warnings=read_warnings(standing, progress(standing), read_missing(standing)),
    )


def _with_rules(standing: Standing, rules: Sequence[Rule]) -> Standing:
    """The study as if the rules were its goals, without a tolerance."""
    goals = tuple(rule.goal for rule in rules)
    targets = any(goal.kind != "+-" for goal in goals)
    plan = replace(standing.plan, goals=goals, stopping=Stopping(kind="decision" if targets else "width"))
    return replace(standing, goals=goals, plans=(*standing.plans[:-1], plan))


def _verdict(running: Running, rule: Rule, stand: Standpoint, found: Estimate) -> RuleVerdict:
    """Judge one rule by its running band."""
    thin = None
    if rule.max_half_width is not None or rule.min_n_eff > THIN_N_EFF:  # a running band has no minimum, unless the rule sets one
        thin = thinness(found, fewest=rule.min_n_eff if rule.min_n_eff > THIN_N_EFF else 0, allowed=rule.max_half_width)
    verdict = STATUS[stand.status]
    if thin is not None and verdict == "ship":
        verdict = "label_more"
    silent = running.missing / max(1, running.labels)
    reasons = [running_reason(stand, running), *([thin] if thin else [])]
    if silent > rule.max_nonresponse:
        verdict = "invalid"
        reasons.insert(0, f"{rule}: {silent:.1%} of the units have no usable answer, at most {rule.max_nonresponse:.1%} allowed")
    return RuleVerdict(rule=rule, verdict=verdict, reasons=tuple(reasons), estimate=found, nonresponse=silent)


def _reasons(running: Running) -> tuple[str, ...]:
    """How many more labels it should take, or that the budget is used up."""
    if OUTCOMES[running.outcome] != "label_more":
        return ()
    if running.outcome == "undecided":
        return (USED_UP.format(running.budget),)
    return () if running.remaining is None else (str(running.remaining),)
