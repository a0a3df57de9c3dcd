"""Every current answer as a row of a table, with the slices of its unit and whether its labelers disagree."""

from collections.abc import Mapping
from typing import NamedTuple

from fewlabels.nouns.canonical import Json
from fewlabels.study.estimate.errors import slices_of
from fewlabels.study.state.pages import PAGE
from fewlabels.study.state.standing import Standing


class AnswerRow(NamedTuple):
    """One labeler's current answer to one question about a unit; `disputed`: usable answers about the unit differ."""

    unit: str
    question: str
    answer: str
    labeler: str
    at: str | None
    gold: bool
    disputed: bool
    slices: Mapping[str, str]

    def as_json(self) -> dict[str, Json]:
        """Plain data for the API."""
        return {**self._asdict(), "slices": dict(self.slices)}


def read_answer_rows(standing: Standing) -> tuple[AnswerRow, ...]:
    """Every current answer in asking order, gold answers after those of labelers."""
    units, found = standing.units, list[AnswerRow]()
    if units is None:
        return ()
    code, held = units.slice.tolist(), dict[int, dict[str, str]]()
    for number, page in enumerate(standing.book.pages()):
        for place, rows in enumerate(page.seats):
            told = [(row, False) for row in rows] + [(row, True) for row in page.gold.get(place, ())]
            if not told:
                continue
            at = code[number * PAGE + place]
            slices = held[at] if at in held else held.setdefault(at, slices_of(standing, at))
            unit, disputed = page.unit[place], bool(page.disputed[place])
            found += (AnswerRow(unit, row.question, row.answer, row.labeler, row.at, gold, disputed, slices) for row, gold in told)
    return tuple(found)
