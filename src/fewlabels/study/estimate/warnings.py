"""What a reader must know beside the numbers: scores that do not predict as they claim, missing answers, disagreement, gold."""

import numpy as np

from fewlabels.estimators.calibration import FALSE_ALARM, Mismatch, check_guide
from fewlabels.nouns import ladder
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.label import CLOSER, UNANSWERED
from fewlabels.nouns.missing import Missing
from fewlabels.study.estimate.missing import say_missing
from fewlabels.study.state.progress import Progress
from fewlabels.study.state.standing import Standing

LEFT_AFTER_PEEK = 0.05  # of the plan's units
RULES = {
    "first": "the first answer counts",
    "majority": "what more than half of them say counts",
    "unanimous": "only what all of them say counts",
}


def closed_after_a_peek(standing: Standing) -> bool:
    """Whether the labeling was ended by hand after numbers had been seen early: the moment was chosen knowing them.

    Closed, or with more than a twentieth of the plan's units told as skipped or cannot tell since then.
    """
    if all(look.certified for look in standing.looks):
        return False
    closed = any(label.labeler == CLOSER for told in standing.answers.values() for label in told.values())
    left = standing.left_after_peek > LEFT_AFTER_PEEK * standing.plan.budget
    return closed or left or any(label.labeler == CLOSER for label in standing.gold.values())


def read_warnings(standing: Standing, done: Progress, missing: Missing) -> tuple[str, ...]:
    """What a reader must know beside the numbers of a plan that names its looks."""
    guide = _guide_warnings(standing, counts=done.complete) if standing.profile.guided and done.answered else []
    return (*guide, *label_warnings(standing, done, assumed=say_missing(missing)))


def label_warnings(standing: Standing, done: Progress, *, assumed: str) -> tuple[str, ...]:
    """What a reader must know of the answers; `assumed` says what is made of missing ones."""
    warnings: list[str] = []
    if done.unanswered:
        warnings.append(
            f"{done.unanswered:,} of {done.labels:,} resolved units have no usable answer ({done.cannot_tell} cannot tell, {done.skipped} "
            f"skipped, {done.never_answered} never answered): {assumed}"
        )
    if standing.changed_after_look:
        voices = "" if standing.rule == "first" else ", or added to others of the same unit"
        warnings.append(
            f"{standing.changed_after_look:,} answers were corrected after numbers were shown{voices}: the level takes no account of that"
        )
    if closed_after_a_peek(standing):
        warnings.append("the labeling was closed after a peek: these numbers are not certified, label on with a larger plan")
    if done.disagreements:
        warnings.append(f"labelers disagree on {done.disagreements:,} units seen by two or more: {RULES[standing.rule]}")
    warnings += _gold_warnings(standing, done)
    return tuple(warnings)


def _gold_warnings(standing: Standing, done: Progress) -> list[str]:
    """Gold that is waited for or was drawn late, and where it does not reach."""
    said = []
    if done.gold_told < done.gold_planned:
        said.append(f"{done.gold_told:,} of {done.gold_planned:,} units drawn for gold are adjudicated: no interval before the last one")
    more = _gold_to_draw(standing)
    if more:
        said.append(
            f"the plan grew after units were drawn for gold: draw {len(more):,} more (adjudicate, fewlabels draw --gold), or gold is no "
            f"random "
            "share of the labels"
        )
    if standing.gold_after_look:
        said.append(f"{standing.gold_after_look:,} units were drawn for gold after numbers were shown: the level takes no account of that")
    return [*said, *_reach(standing)]


def _gold_to_draw(standing: Standing) -> tuple[str, ...]:
    """Units that belong to the share drawn for gold, and are not drawn for it yet."""
    if not standing.gold_units:
        return ()
    from fewlabels.study.draw.fixed import gold_units  # the room of draws is entered only where there is gold

    return gold_units(standing, standing.gold_share)


def _reach(standing: Standing) -> list[str]:
    """What the gold answers correct, and what not."""
    if not standing.gold:
        return []
    usable = [key for key, label in standing.gold.items() if label.answer not in UNANSWERED]
    if not any((told := standing.answer_of(*key)) is not None and told.answer not in UNANSWERED for key in usable):
        return ["no gold answer stands beside a labeler's usable one: nothing is corrected"]
    said = ["estimates are corrected by the gold answers; beside them stands what the labels said as they were told"]
    if len(usable) < len(standing.gold):
        said.append(
            f"{len(standing.gold) - len(usable):,} of {len(standing.gold):,} gold answers say neither yes nor no, and correct nothing: the "
            "correction takes them to be like the others of their side"
        )
    if standing.profile.claims is not None or standing.population["weight"] is not None:
        said.append(
            "metrics of several labels together and metrics by weight are not corrected: they are what the labels say as they were told"
        )
    return said


def _guide_warnings(standing: Standing, *, counts: bool) -> list[str]:
    """The calibration check in words; the counts only at the look, because before it they would tell what the labels say."""
    units = standing.units
    if units is None:
        return []
    alarms: list[Mismatch] = []
    for j, classifier in enumerate(standing.read_population().classifiers[: None if standing.profile.claims is not None else 1]):
        labels = [standing.answer_of(unit, classifier.question) for unit in units.unit]
        usable = np.array([label is not None and label.answer not in UNANSWERED for label in labels], dtype=np.bool_)
        rows = np.flatnonzero(usable & (units.guide_bin < ladder.MISSING))  # a unit without a score claims nothing
        claimed = _claims(standing, j)[rows]
        yes = classifier.value if classifier.value is not None else "yes"
        positive = np.array([label is not None and label.answer == yes for label in labels], dtype=np.bool_)[rows]
        if classifier.score is not None or standing.profile.claims is None:
            alarms += check_guide(claimed, ((units.pattern[rows] >> j) & 1).astype(np.bool_), positive)
    if not alarms:
        return []
    worst = min(alarms, key=lambda m: m.p_value)
    where = str(worst) if counts else f"{worst.side} units, {worst.part} by score"
    return [
        f"the scores do not predict as they claim ({where}; false-alarm rate {FALSE_ALARM:.0%} a look): labels were "
        "not placed as well as planned. The strict interval holds whatever the scores are; recalibrate them, name a better guide, or "
        "begin the next study with a pilot"
    ]


def _claims(standing: Standing, classifier: int) -> FloatArray:
    """What each drawn unit's guide claims: the bin of the guide, or its own score where several labels or classes are judged."""
    units = standing.units
    assert units is not None  # asked only of a study with units
    if standing.profile.claims is None:
        return ladder.MIDDLES[np.minimum(units.guide_bin, ladder.BINS - 1)]
    low, high = standing.read_population().classifiers[classifier].score_range
    return np.asarray(np.clip((units.scores[:, classifier] - low) / (high - low), 0, 1))
