"""Statistics of each labeler on the drawn units: answers, speed, agreement with the others and with gold. Nothing is corrected by them.

Agreement and accuracy have exact binomial limits at 95 %, valid for units assigned to the labeler at random, as these were.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from fewlabels.intervals.binomial import clopper_pearson
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.label import CLOSER, UNANSWERED, Label
from fewlabels.study.state.standing import Standing


class Alike(NamedTuple):
    """How many of `units` answers equal another's (`same`), the share and its limits; `value` is None without units."""

    same: int
    units: int
    value: float | None
    low: float
    high: float

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labeler:
    """One labeler.

    units           answered, even if with cannot tell or skipped
    answers         how often each was given; empty before numbers may be shown, because they all but reveal the estimate
    median_seconds  median time per look; None if not measured
    agreement       with the first other labeler of each unit that several answered
    gold_accuracy   against adjudicated answers
    """

    name: str
    units: int
    answers: Mapping[str, int]
    cannot_tell: int
    skipped: int
    median_seconds: float | None
    agreement: Alike
    gold_accuracy: Alike

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {
            "labeler": self.name,
            "units": self.units,
            "answers": dict(self.answers),
            "cannot_tell": self.cannot_tell,
            "skipped": self.skipped,
            "median_seconds": self.median_seconds,
            "agreement": self.agreement.as_json(),
            "gold_accuracy": self.gold_accuracy.as_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Labelers(Displayed):
    """All labelers of a study, sorted by name; `disputed` counts units with answers that differ."""

    labelers: tuple[Labeler, ...]
    disputed: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"labelers": [one.as_json() for one in self.labelers], "disputed": self.disputed}


def read_labelers(standing: Standing, seconds: Mapping[str, Sequence[float]], *, shown: bool) -> Labelers:
    """Statistics of each labeler; `seconds` are the times of their looks; `shown`: whether answers may be shown now."""
    units = standing.units.unit if standing.units else ()
    said: dict[str, list[tuple[Label, list[Label]]]] = {}  # each labeler's answers, and what the others said to the same question
    disputed = 0
    for unit in units:
        answers = [(question, standing.told(unit, question)) for question in standing.questions]
        disputed += any(len({label.answer for label in told} - UNANSWERED) > 1 for _, told in answers)
        for _, told in answers:
            for label in told:
                said.setdefault(label.labeler, []).append((label, [other for other in told if other is not label]))
    return Labelers(
        labelers=tuple(
            _read_one(standing, name, said[name], seconds.get(name, ()), shown=shown) for name in sorted(said) if name != CLOSER
        ),
        disputed=disputed,
    )


def _read_one(
    standing: Standing, name: str, said: Sequence[tuple[Label, list[Label]]], seconds: Sequence[float], *, shown: bool
) -> Labeler:
    counts = Counter(label.answer for label, _ in said)
    usable = [(label, others) for label, others in said if label.answer not in UNANSWERED]
    golden = ((label, standing.gold.get((label.unit, label.question))) for label, _ in usable)
    return Labeler(
        name=name,
        units=len({label.unit for label, _ in said}),
        answers={answer: count for answer, count in sorted(counts.items()) if answer not in UNANSWERED} if shown else {},
        cannot_tell=counts["cannot_tell"],
        skipped=counts["skipped"],
        median_seconds=median(seconds) if seconds else None,
        agreement=_alike([label.answer == other for label, others in usable for other in _first(others)]),
        gold_accuracy=_alike([label.answer == gold.answer for label, gold in golden if gold is not None and gold.answer not in UNANSWERED]),
    )


def _first(others: Sequence[Label]) -> Iterator[str]:
    """The answer of the first other labeler who gave a usable one, if any."""
    usable = [label.answer for label in others if label.answer not in UNANSWERED]
    yield from usable[:1]


def _alike(same: Sequence[bool]) -> Alike:
    n, x = len(same), sum(same)
    if not n:
        return Alike(0, 0, None, 0.0, 1.0)
    limits = clopper_pearson(np.array(float(x)), np.array(float(n)), (1 - DEFAULT_LEVEL) / 2)
    return Alike(x, n, x / n, float(limits.low), float(limits.high))
