"""Statistics of each labeler on the drawn units: answers, speed, agreement with the others and with gold. Nothing is corrected by them.

Agreement and accuracy have exact binomial limits at 95 %, valid for units assigned to the labeler at random, as these were.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

import numpy as np

from fewlabels.intervals.binomial import clopper_pearson
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.display import Displayed
from fewlabels.nouns.goal import DEFAULT_LEVEL
from fewlabels.nouns.label import CLOSER, UNANSWERED
from fewlabels.study.state.pages import SeatRow
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


@dataclass(slots=True)
class Counted:
    """What is counted of one labeler: units, answers, and how many are like another labeler's, or like gold."""

    units: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    alike: list[int] = field(default_factory=lambda: [0, 0])
    golden: list[int] = field(default_factory=lambda: [0, 0])


def read_labelers(standing: Standing, seconds: Mapping[str, Sequence[float]], *, shown: bool) -> Labelers:
    """Statistics of each labeler; `seconds` are the times of their looks; `shown`: whether answers may be shown now."""
    of: defaultdict[str, Counted] = defaultdict(Counted)
    alone: Counter[tuple[str, str]] = Counter()  # answers with nothing to compare them with: a labeler and an answer
    for page in standing.book.pages():
        alone.update(
            (rows[0].labeler, rows[0].answer) for place, rows in enumerate(page.seats) if len(rows) == 1 and place not in page.gold
        )
        for place, rows in enumerate(page.seats):
            if len(rows) > 1 or place in page.gold:
                _count(of, rows, {row.question: row.answer for row in page.gold.get(place, ())})
    for (labeler, answer), count in alone.items():
        of[labeler].units += count
        of[labeler].answers[answer] += count
    labelers = (_read_one(name, of[name], seconds.get(name, ()), shown=shown) for name in sorted(of) if name != CLOSER)
    return Labelers(labelers=tuple(labelers), disputed=standing.whole.disagreed)


def _count(of: Mapping[str, Counted], rows: Sequence[SeatRow], gold: Mapping[str, str]) -> None:
    """Count the answers to one unit; `gold` are the adjudicated ones, by question."""
    for labeler in {row.labeler for row in rows}:
        of[labeler].units += 1
    for row in rows:
        mine = of[row.labeler]
        mine.answers[row.answer] += 1
        if row.answer in UNANSWERED:
            continue
        others = [one.answer for one in rows if one is not row and one.question == row.question and one.answer not in UNANSWERED]
        if others:  # compared with the first
            mine.alike[0] += row.answer == others[0]
            mine.alike[1] += 1
        if gold.get(row.question, "skipped") not in UNANSWERED:
            mine.golden[0] += row.answer == gold[row.question]
            mine.golden[1] += 1


def _read_one(name: str, counted: Counted, seconds: Sequence[float], *, shown: bool) -> Labeler:
    answers = counted.answers
    return Labeler(
        name=name,
        units=counted.units,
        answers={answer: count for answer, count in sorted(answers.items()) if answer not in UNANSWERED} if shown else {},
        cannot_tell=answers["cannot_tell"],
        skipped=answers["skipped"],
        median_seconds=median(seconds) if seconds else None,
        agreement=_alike(*counted.alike),
        gold_accuracy=_alike(*counted.golden),
    )


def _alike(x: int, n: int) -> Alike:
    if not n:
        return Alike(0, 0, None, 0.0, 1.0)
    limits = clopper_pearson(np.array(float(x)), np.array(float(n)), (1 - DEFAULT_LEVEL) / 2)
    return Alike(x, n, x / n, float(limits.low), float(limits.high))
