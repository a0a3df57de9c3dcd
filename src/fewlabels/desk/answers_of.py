"""What one labeler answered, beside what others said of the same units: for owners, and never with a score or a prediction."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fewlabels.nouns.label import UNANSWERED
from fewlabels.study.state.standing import Standing

AT_ONCE = 50  # answers on a page


class Answer(NamedTuple):
    """An answer of a labeler to a question about a unit; `differs` from a usable answer of somebody else, or from gold."""

    unit: str
    question: str
    answer: str
    at: str | None
    others: Mapping[str, str]
    gold: str | None
    differs: bool


class AnswerPage(NamedTuple):
    """Some of a labeler's answers, in asking order; `answers` counts all of them."""

    some: Sequence[Answer]
    page: int
    pages: int
    answers: int


def read_answers_of(standing: Standing, labeler: str, *, page: int = 1, only_different: bool = False) -> AnswerPage:
    """A page of a labeler's answers, from 1; a number beyond the last page gives the last."""
    found = [one for one in _answers(standing, labeler) if one.differs or not only_different]
    pages = max(1, -(-len(found) // AT_ONCE))
    page = min(max(1, page), pages)
    return AnswerPage(found[(page - 1) * AT_ONCE : page * AT_ONCE], page, pages, len(found))


def _answers(standing: Standing, labeler: str) -> Iterator[Answer]:
    for page in standing.book.pages():
        for place, rows in enumerate(page.seats):
            mine = [row for row in rows if row.labeler == labeler]
            gold = {row.question: row.answer for row in page.gold.get(place, ())} if mine else {}
            for row in mine:
                others = {one.labeler: one.answer for one in rows if one.question == row.question and one.labeler != labeler}
                told = [answer for answer in (*others.values(), gold.get(row.question, "skipped")) if answer not in UNANSWERED]
                differs = row.answer not in UNANSWERED and any(answer != row.answer for answer in told)
                yield Answer(page.unit[place], row.question, row.answer, row.at, others, gold.get(row.question), differs)
