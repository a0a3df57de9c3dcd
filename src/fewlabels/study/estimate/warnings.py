"""Warnings shown beside the numbers: scores that are not calibrated, missing answers, disagreement, gold."""

from collections.abc import Iterable

from fewlabels.estimators.calibration import FALSE_ALARM
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.nouns.label import UNANSWERED
from fewlabels.nouns.missing import Missing
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.sheet import late_changes
from fewlabels.nouns.tally import AnyTally, Tally
from fewlabels.study.estimate.guide_check import guide_alarms
from fewlabels.study.estimate.known import check_words, known_words
from fewlabels.study.estimate.late import late_warnings
from fewlabels.study.estimate.missing import say_missing
from fewlabels.study.state.progress import Progress
from fewlabels.study.state.standing import Standing

LEFT_AFTER_PEEK = 0.05  # of the plan's units
# By a plan's interval, which one is valid whatever the scores are; named here because `status` loads no interval.
VALID_ANYWHERE = {USUAL_INTERVAL: USUAL_INTERVAL, "strict": "strict", "anytime": "anytime", "rec": "strict", "midp": "strict"}
RULES = {
    "first": "the first answer counts",
    "majority": "what more than half of them say counts",
    "unanimous": "only what all of them say counts",
}


def closed_after_a_peek(standing: Standing) -> bool:
    """Whether the labeling was ended by hand after numbers had been seen early, so that the numbers may have influenced when.

    That is: the study was closed, or more than a twentieth of the plan's units were recorded as skipped or cannot tell since then. Where
    answers arrive by themselves, the day of closing was named beforehand.
    """
    if all(look.certified for look in standing.looks):
        return False
    return (standing.closed > 0 and standing.late is None) or standing.left_after_peek > LEFT_AFTER_PEEK * standing.plan.budget


def read_warnings(standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
    """Warnings about the numbers of a plan that names its looks."""
    guide = _guide_warnings(standing, counts=done.complete) if standing.profile.guided and done.answered else []
    answered = label_warnings(standing, done, assumed=say_missing(missing))
    return (*late_warnings(standing), *guide, *answered, *_known_warnings(standing, done))


def _known_warnings(standing: Standing, done: Progress) -> list[str]:
    """What the known answers mean for the numbers."""
    if standing.owned is None:
        return []
    return [*known_words(standing.owned), *(check_words(standing) if done.complete else [])]


def column_warnings(plan: Plan, tallies: Iterable[AnyTally]) -> list[str]:
    """Whether other columns were not used, because labeled units differ by them from all units."""
    from fewlabels.estimators.assisting import unlike  # and with it SciPy, which `status` does not need

    sides = [tally.side(flagged=flagged) for tally in tallies if isinstance(tally, Tally) for flagged in (True, False)]
    if not any(side.N.size and unlike(side).any() for side in sides):
        return []
    named = ", ".join(plan.assist)
    return [
        f"labeled units differ from all units by the candidates ({named}), as if those had been filled in from the labels: they were not "
        "used; name columns that were there before the draw"
    ]


def label_warnings(standing: Standing, done: Progress, *, assumed: str) -> tuple[str, ...]:
    """Warnings about the answers; `assumed` states what is assumed about the missing ones."""
    warnings: list[str] = []
    if done.unanswered:
        warnings.append(
            f"{done.unanswered:,} of {done.labels:,} resolved units have no usable answer ({done.cannot_tell} cannot tell, {done.skipped} "
            f"skipped, {done.never_answered} never answered): {assumed}"
        )
    if standing.changed_after_look:
        voices = "" if standing.rule == "first" else ", or added to others of the same unit"
        warnings.append(
            f"{standing.changed_after_look:,} answers were corrected after numbers were shown{voices}: the level does not account for that"
        )
    warnings += asked_late(standing)
    if closed_after_a_peek(standing):
        warnings.append("the labeling was closed after a peek: these numbers are not certified, continue labeling with a larger plan")
    if done.disagreements:
        warnings.append(f"labelers disagree on {done.disagreements:,} units seen by two or more: {RULES[standing.rule]}")
    warnings += _gold_warnings(standing, done)
    return tuple(warnings)


def asked_late(standing: Standing) -> list[str]:
    """What was changed after the first answer: the form, and how many units two labelers answer."""
    forms = [f"{change}: answers before and after may be to different questions" for change in late_changes(standing.forms)]
    return forms + [
        f"the share of units that two labelers answer was raised to {share:.0%} after {answers:,} answer{'s' if answers != 1 else ''}: "
        "units answered before may get a second voice now"
        for share, answers in standing.doubled_late
    ]


def _gold_warnings(standing: Standing, done: Progress) -> list[str]:
    """Warnings about gold answers: outstanding, drawn late, or not correcting everything."""
    said = []
    if done.gold_told < done.gold_planned:
        said.append(f"{done.gold_told:,} of {done.gold_planned:,} units drawn for gold are adjudicated: no interval before the last one")
    more = _gold_to_draw(standing)
    if more:
        said.append(
            f"the plan grew after units were drawn for gold: draw {len(more):,} more (adjudicate, fewlabels draw --gold), or gold is not a "
            "random share of the labels"
        )
    if standing.gold_after_look:
        said.append(f"{standing.gold_after_look:,} units were drawn for gold after numbers were shown: the level does not account for that")
    return [*said, *_reach(standing)]


def _gold_to_draw(standing: Standing) -> tuple[str, ...]:
    """Units that belong to the share drawn for gold but are not drawn for it yet."""
    if not standing.gold_units:
        return ()
    from fewlabels.study.draw.fixed import gold_units  # imported only if there is gold

    return gold_units(standing, standing.gold_share)


def _reach(standing: Standing) -> list[str]:
    """What the gold answers correct, and what they do not."""
    if not standing.gold:
        return []
    usable = [key for key, label in standing.gold.items() if label.answer not in UNANSWERED]
    if not any((told := standing.answer_of(*key)) is not None and told.answer not in UNANSWERED for key in usable):
        return ["no unit has both a usable gold answer and a labeler's usable answer: nothing is corrected"]
    said = ["estimates are corrected by the gold answers; the values from the labels as recorded are shown beside them"]
    if len(usable) < len(standing.gold):
        said.append(
            f"{len(standing.gold) - len(usable):,} of {len(standing.gold):,} gold answers say neither yes nor no and correct nothing: the "
            "correction assumes that they are like the others on their side"
        )
    if standing.profile.claims is not None or standing.population["weight"] is not None:
        said.append("metrics of several labels together and metrics by weight are not corrected: they use the labels as recorded")
    return said


def _guide_warnings(standing: Standing, *, counts: bool) -> list[str]:
    """The calibration check in words; with counts only at the look, because earlier they would reveal what the labels say."""
    alarms = guide_alarms(standing)
    if not alarms:
        return []
    plan, worst = standing.plan, min(alarms, key=lambda m: m.p_value)
    where = str(worst) if counts else f"{worst.side} units, {worst.part} by score"
    kept = VALID_ANYWHERE.get(plan.interval)
    read = "" if kept is None else f"The {kept} interval is valid whatever they are; "
    if plan.alarm is not None:
        read = f"So every interval here is {plan.alarm}, valid whatever the scores are, in place of {plan.interval}; "
    return [
        f"the scores are not calibrated ({where}; false-alarm rate {FALSE_ALARM:.0%} per look): labels were "
        f"not placed as well as planned. {read}recalibrate them, name a better guide, or begin the next study with a pilot"
    ]
