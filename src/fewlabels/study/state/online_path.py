"""The labels that a running band uses: the longest run of steps, in asking order, whose labels are settled.

A unit without a usable answer is handed out once more; if there is still none, its label is missing and counts against either side.
"""

from dataclasses import dataclass

import numpy as np

from fewlabels.deciding.online_status import status_of
from fewlabels.estimators.online import path
from fewlabels.intervals.anytime import MISSING, Steps
from fewlabels.nouns.arrays import FloatArray, IntArray
from fewlabels.nouns.label import CLOSER, UNANSWERED
from fewlabels.planning.online import Course, course_of
from fewlabels.study.state.standing import Standing

LABELS = {"yes": 1, "no": 0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Walked:
    """The progress of an online study along its asking order.

    steps     the settled ones, in asking order, up to the first that is not
    label     of every unit drawn: 1, 0, MISSING if it is settled that there is none, None if it is not settled
    waiting   steps without any answer
    again     steps without a usable answer that have to be handed out once more
    seen_again   those that were handed out again and have no new answer yet
    """

    course: Course
    steps: Steps
    label: tuple[int | None, ...]
    waiting: tuple[int, ...]
    again: tuple[int, ...]
    seen_again: tuple[int, ...]

    @property
    def labels(self) -> int:
        """Number of steps read."""
        return int(self.steps.band.size)

    @property
    def missing(self) -> int:
        """Number of steps read whose label is missing."""
        return int((self.steps.label == MISSING).sum())


def read_course(standing: Standing) -> Course:
    """What the current plan bets on."""
    plan = standing.plan
    assert plan.stopping is not None  # asked of online plans only
    slices = standing.population["slices"]
    return course_of(standing.profile, plan.design, plan.goals, plan.stopping, names=standing.classifiers, slices=slices)


def walked(standing: Standing, course: Course | None = None) -> Walked:
    """The progress of the study along its asking order."""
    found = read_course(standing) if course is None else course
    units = standing.units.unit if standing.units is not None else ()
    label = tuple(label_of(standing, unit) for unit in units)
    settled = next((t for t, one in enumerate(label) if one is None), len(label))
    band = standing.units.band[:settled] if standing.units is not None else np.empty(0, dtype=np.int64)
    said = np.array([one for one in label[:settled] if one is not None], dtype=np.int64)
    steps = path(found.N, found.prior, band=band, label=said, rate=_rates(standing, found, band))
    unsettled = [t for t, one in enumerate(label) if one is None]
    untold = [t for t in unsettled if standing.told(units[t])]
    return Walked(
        course=found,
        steps=steps,
        label=label,
        waiting=tuple(t for t in unsettled if not standing.told(units[t])),
        again=tuple(t for t in untold if not standing.is_handed_again(units[t])),
        seen_again=tuple(t for t in untold if standing.is_handed_again(units[t])),
    )


def has_ended(standing: Standing, found: Walked) -> bool:
    """Whether the stopping rule has ended the study."""
    stopping = standing.plan.stopping
    assert stopping is not None  # asked of online plans only
    statuses = [status_of(found.course, one, found.steps, stopping) for one in found.course.goals]
    return "not met" in statuses or all(status == "met" for status in statuses)


def label_of(standing: Standing, unit: str) -> int | None:
    """A unit's label: 1, 0, MISSING once it is settled that there is none, otherwise None.

    It is settled if two labelers could not tell, nobody could when it was handed out again, or the study was closed.
    """
    answer = standing.answer_of(unit)
    if answer is None:
        return None
    if answer.answer not in UNANSWERED:
        return LABELS[answer.answer]
    tellers = {label.labeler for label in standing.told(unit)}
    return MISSING if len(tellers) > 1 or CLOSER in tellers or standing.was_told_again(unit) else None


def _rates(standing: Standing, course: Course, band: IntArray) -> FloatArray:
    """The probability of each band at each step: that of its round, renormalized over the bands that still had units."""
    rate = np.empty((band.size, course.N.size))
    left = course.N.copy()
    rounds = iter(standing.rounds)
    current, end = np.zeros(course.N.size), 0
    for t, k in enumerate(band.tolist()):
        if t >= end:
            one = next(rounds)
            current, end = np.array(one.rate), one.start + one.units
        rate[t] = some_left(current, left)
        left[k] -= 1
    return rate


def some_left(rate: FloatArray, left: FloatArray) -> FloatArray:
    """The probabilities, renormalized over the bands that have units left."""
    kept = np.where(left > 0, rate, 0.0)
    return np.asarray(kept / kept.sum())
