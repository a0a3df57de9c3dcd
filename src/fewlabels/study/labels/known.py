"""Labels already owned: read them, look their units up in the population, and refuse what they do not work with."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.engines.opening import open_engine
from fewlabels.errors import LabelError, PlanError, StudyError
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.known import KnownLabels, Training
from fewlabels.nouns.label import UNANSWERED, Label
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.works_with import FEATURES, Trait, require
from fewlabels.study.labels.record import as_labels
from fewlabels.study.labels.rows import AskedQuestions


class KnownAnswers(NamedTuple):
    """Answers that exist before a study, in any form that `tell` accepts.

    answers    of units chosen in any way
    positives  of units known to be positive while nothing is known of others
    check      the share to be labeled again
    training   whether the classifier learned from them
    """

    answers: object | None
    positives: object | None
    check: float = 0.0
    training: Training = "unknown"


class ReadKnown(NamedTuple):
    """The known answers of a study, and how many others said neither yes nor no and are left out."""

    labels: KnownLabels
    unusable: int


def read_known(population: Population, profile: Profile, goals: Sequence[Goal], about: About, given: KnownAnswers) -> ReadKnown:
    """The known answers, each with the cell of its unit. Raise for units that are not in the table, and for answers that contradict."""
    refuse_known(population, goals, about)
    asked = AskedQuestions(tuple(dict.fromkeys(c.question for c in population.classifiers)), (), population.id)
    told = [*_told(given.answers, asked), *_positives(given.positives, asked)]
    usable = [label for label in told if label.answer not in UNANSWERED]
    answers = {label.unit: label.answer == "yes" for label in usable}
    if not answers:
        raise LabelError("known answers say yes or no of units of the table, but none of these does: check the file, or leave it out")
    _refuse_contradictions(usable)
    units = sorted(answers)
    cells = open_engine(population).locate(profile, units)
    _refuse_unknown(population, [unit for unit, cell in zip(units, cells.tolist(), strict=True) if cell < 0], len(units))
    labels = KnownLabels(
        unit=tuple(units),
        positive=np.array([answers[unit] for unit in units], dtype=np.bool_),
        pattern=profile.pattern[cells],
        guide_bin=profile.guide_bin[cells],
        slice=profile.slice[cells],
        check=given.check,
        training=given.training,
        one_sided=given.answers is None,
    )
    return ReadKnown(labels, len(told) - len(usable))


def refuse_known(population: Population, goals: Sequence[Goal], about: About) -> None:
    """Raise unless known answers work with this population and these goals."""
    has = {
        Trait.QUESTIONS: len({c.question for c in population.classifiers}) > 1 or population.classifiers[0].value is not None,
        Trait.PROCESS: about == "process",
        Trait.CLUSTERS: population.cluster is not None,
        Trait.WEIGHT: population.weight is not None,
    }
    asked_for = [trait for goal in goals for trait in goal.traits]
    require("known answers", [*asked_for, *(trait for trait, there in has.items() if there)], subject="this one has")
    asked = FEATURES["known answers"]
    for goal in goals:
        if goal.slice is not None or goal.by is not None:
            raise PlanError(f"{asked.rule}, but {goal} is about a part of the table: {asked.instead}, or ask about the whole table")


def _told(answers: object | None, asked: AskedQuestions) -> list[Label]:
    return [] if answers is None else as_labels(answers, asked)


def _positives(positives: object | None, asked: AskedQuestions) -> Iterator[Label]:
    """The answers to units known to be positive: ids alone, or answers that all say yes."""
    if positives is None:
        return
    if isinstance(positives, Iterable) and not hasattr(positives, "keys"):
        positives = list(positives)
        if all(isinstance(unit, str | int | np.integer) for unit in positives):
            positives = {str(unit): "yes" for unit in positives}
    for label in as_labels(positives, asked):
        if label.answer != "yes":
            raise LabelError(
                f"units known to be positive are all answered yes, but {label.unit!r} is answered {label.answer}: leave it out, or give "
                "all answers as known ones"
            )
        yield label


def _refuse_contradictions(labels: Sequence[Label]) -> None:
    """Raise LabelError for units with both answers."""
    first: dict[str, str] = {}
    both = [label.unit for label in labels if first.setdefault(label.unit, label.answer) != label.answer]
    if both:
        raise LabelError(
            f"a unit has one known answer, but {len(set(both)):,} have two that contradict each other (for example {both[0]!r}): keep the "
            "right one, or leave such units out, so that they may be drawn"
        )


def _refuse_unknown(population: Population, missing: Sequence[str], units: int) -> None:
    """Raise LabelError for units that are not in the table."""
    if missing:
        some = ", ".join(map(repr, missing[:3]))
        raise LabelError(
            f"known answers are about units of the table, but {len(missing):,} of {units:,} are not in {population.source} (for example "
            f"{some}): leave them out, or check the id column {population.id!r}"
        )


def found_known(
    population: Population,
    profile: Profile,
    goals: Sequence[Goal],
    given: KnownAnswers,
    *,
    about: About,
    follows: str | None = None,
    rule: str | None = None,
    late: bool = False,
) -> ReadKnown | None:
    """The known answers of a new study; None if it is given none."""
    if given.answers is None and given.positives is None:
        return None
    asked = {Trait.FOLLOWS: follows is not None, Trait.VOICES: rule not in (None, "first"), Trait.LATE: late}
    require("known answers", [trait for trait, there in asked.items() if there], subject="this one has")
    return read_known(population, profile, goals, about, given)


def hash_of(known: KnownLabels | None) -> str | None:
    """The hash of known answers; None if there are none."""
    return None if known is None else known.hash


def refuse_later(name: str, recorded: KnownLabels | None, given: KnownLabels | None) -> None:
    """Raise StudyError unless a study that exists has just these known answers."""
    if hash_of(recorded) != hash_of(given):
        raise StudyError(
            f"known answers are recorded before a study's salt is made, but study {name!r} exists with other ones or none: leave later "
            "answers out, or give another name to a study that has them from the start"
        )
