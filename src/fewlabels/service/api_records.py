"""Routes for single answers: a table of all of them, and what the classifier got wrong. Not for labelers, and errors end one's labeling."""

import csv
import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response

from fewlabels.desk.desk import refuse_errors
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.labeling.flat import defused
from fewlabels.nouns.label import UNANSWERED
from fewlabels.service.access import Member, of_study
from fewlabels.service.api_labeling import CSV
from fewlabels.service.listed import listed
from fewlabels.service.requests import AnswersWanted, ErrorsWanted, Wanted
from fewlabels.service.responses import REFUSALS, AnswerShown, AnswersShown, ErrorShown, ErrorsOpened, ErrorsShown
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.estimate.answer_rows import AnswerRow, read_answer_rows
from fewlabels.study.estimate.errors import ClassifierError, read_errors
from fewlabels.study.kinds import kind_of
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["records"], responses=REFUSALS)
Reader = Annotated[Member, Depends(of_study("viewer"))]
OwnerOf = Annotated[Member, Depends(of_study())]
MOST_TEXT, MOST_CHOICES = 1_000, 200  # characters of a text; values to choose from
MOST_IN_FILE = 100_000  # errors
CLOSED = (
    "the errors of a study are shown to those who have opened them, which is recorded and ends their own labeling in it: open them first"
)
TOO_EARLY = (
    "how often each answer was given all but is the estimate, so before the look answers are neither filtered nor sorted by what they say: "
    "wait for the look"
)


class Choices(NamedTuple):
    """The rows of a table, and the values it can be filtered by."""

    rows: Sequence[Any]
    slices: list[str]
    labelers: list[str]


@router.post("/errors/opened", operation_id="openErrors")
def open_errors(request: Request, member: Reader) -> ErrorsOpened:
    """Open the errors for yourself, after the last declared look. It is recorded, and ends your labeling in this study."""
    name = member.person.name
    return ErrorsOpened(person=name, first=bench_of(request).desk(member.study).open_errors(name))


@router.get("/errors", operation_id="listErrors")
async def list_errors(request: Request, member: Reader, wanted: Annotated[ErrorsWanted, Query()]) -> ErrorsShown:
    """Return fifty of the labeled units that a classifier got wrong, to somebody who has opened them."""
    bench, people = bench_of(request), _watching(request, member)
    return await bench.compute(lambda: _errors(bench, member.study, wanted, people))


@router.get("/errors.csv", operation_id="exportErrors", response_class=Response, responses=CSV)
async def export_errors(request: Request, member: Reader, wanted: Annotated[ErrorsWanted, Query()]) -> Response:
    """Return the same units as one file, as filtered and sorted, for somebody who has opened them."""
    bench, people = bench_of(request), _watching(request, member)
    text = await bench.compute(lambda: _errors_file(bench, member.study, wanted, people))
    return Response(text, media_type="text/csv", headers={"Content-Disposition": 'attachment; filename="errors.csv"'})


def _errors_file(bench: ServerState, study: str, wanted: ErrorsWanted, people: frozenset[str]) -> str:
    held = _opened_errors(bench, study, people)
    ways: Any = {"keep": partial(_is_error, wanted), "by": _key(wanted.sort), "descending": wanted.descending, "page": 1}
    rows = listed(held.rows, **ways, rows=MOST_IN_FILE).rows
    content, _ = _content(bench, study, [one.unit for one in rows])
    slices = list(rows[0].slices) if rows else []
    columns = list(next(iter(content.values()), {}))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["unit", "classifier", "error", "score", "answer", "labeler", "at", *slices, *columns])
    for one in rows:
        score = "" if one.score is None else repr(one.score)
        shown = content.get(one.unit, {})
        cells = [one.unit, one.classifier, one.kind, score, one.answer, one.labeler, one.at or ""]
        cells += [*(one.slices[name] for name in slices), *(shown.get(name) or "" for name in columns)]
        writer.writerow([defused(cell) for cell in cells])
    return out.getvalue()


def _opened_errors(bench: ServerState, study: str, people: frozenset[str]) -> "Choices":
    """Return the errors of a study; raise unless they can be opened and these people have."""
    standing = bench.study(study).standing
    refuse_errors(kind_of(standing).before_end(standing))
    if not people <= standing.opened:
        raise HTTPException(409, CLOSED)
    return bench.read(study, "errors", lambda one: _choices(read_errors(one.standing)))


def _errors(bench: ServerState, study: str, wanted: ErrorsWanted, people: frozenset[str]) -> ErrorsShown:
    held, standing = _opened_errors(bench, study, people), bench.study(study).standing
    found = listed(held.rows, keep=partial(_is_error, wanted), by=_key(wanted.sort), descending=wanted.descending, page=wanted.page)
    content, why = _content(bench, study, [one.unit for one in found.rows])
    errors = [ErrorShown(**one.as_json(), content=content.get(one.unit, {})) for one in found.rows]
    return ErrorsShown(
        study=study, errors=errors, found=found.found, page=found.page, pages=found.pages, columns=list(next(iter(content.values()), {})),
        classifiers=list(standing.classifiers), slices=held.slices, labelers=held.labelers, without_content=why,
    )  # fmt: skip


def _is_error(wanted: ErrorsWanted, one: ClassifierError) -> bool:
    return wanted.classifier in ("", one.classifier) and wanted.kind in ("", one.kind) and _is_wanted(wanted, one)


@router.get("/answers", operation_id="listAnswers")
async def list_answers(request: Request, member: OwnerOf, wanted: Annotated[AnswersWanted, Query()]) -> AnswersShown:
    """Return fifty of the current answers. Before the look they are neither filtered nor sorted by what they say."""
    bench = bench_of(request)
    return await bench.compute(lambda: _answers(bench, member.study, wanted))


def _answers(bench: ServerState, study: str, wanted: AnswersWanted) -> AnswersShown:
    standing = bench.study(study).standing
    shows = kind_of(standing).shows(standing)
    if not shows and (wanted.answer or wanted.sort == "answer"):
        raise StudyError(TOO_EARLY)
    held = bench.read(study, "answers", lambda one: _choices(read_answer_rows(one.standing)))
    found = listed(held.rows, keep=partial(_is_answer, wanted), by=_key(wanted.sort), descending=wanted.descending, page=wanted.page)
    return AnswersShown(
        study=study, answers=[AnswerShown(**one.as_json()) for one in found.rows], found=found.found, page=found.page, pages=found.pages,
        labelers=held.labelers, said=[*(standing.classes or ("yes", "no")), *sorted(UNANSWERED)] if shows else [], slices=held.slices,
        shows=shows,
    )  # fmt: skip


def _is_answer(wanted: AnswersWanted, one: AnswerRow) -> bool:
    return (one.disputed or not wanted.disputed) and _is_wanted(wanted, one)


def _is_wanted(wanted: Wanted, one: ClassifierError | AnswerRow) -> bool:
    is_in = not wanted.part or any(wanted.part == f"{column}={value}" for column, value in one.slices.items())
    is_found = not wanted.find or wanted.find.lower() in one.unit.lower()
    return is_in and is_found and wanted.labeler in ("", one.labeler) and wanted.answer in ("", one.answer)


def has_opened(request: Request, member: Member) -> bool:
    """Return whether everybody who looks through this session has opened the errors of the study."""
    return _watching(request, member) <= bench_of(request).study(member.study).standing.opened


def missing_before_errors(study: Study) -> str | None:
    """Return what is missing before the errors can be opened."""
    standing = study.standing
    return kind_of(standing).before_end(standing)


def _watching(request: Request, member: Member) -> frozenset[str]:
    """Return who sees what this request is answered with: also the owner who entered as somebody else."""
    by = request.state.holder.entered_by
    return frozenset({member.person.name} if by is None else {member.person.name, by})


def _choices(rows: Sequence[ClassifierError] | Sequence[AnswerRow]) -> Choices:
    parts = {f"{column}={value}" for row in rows for column, value in row.slices.items()}
    return Choices(rows, sorted(parts)[:MOST_CHOICES], sorted({row.labeler for row in rows})[:MOST_CHOICES])


def _key(sort: str) -> Callable[[Any], Any] | None:
    """Return what rows are sorted by; None for their own order. Unknown scores and times come first."""
    if sort == "asked":
        return None
    if sort == "slices":
        return lambda row: tuple(row.slices.values())
    if sort == "score":
        return lambda row: -1.0 if row.score is None else row.score
    return lambda row: getattr(row, sort) or ""


def _content(bench: ServerState, study: str, units: Sequence[str]) -> tuple[dict[str, dict[str, str | None]], str | None]:
    """Return what labelers see of these units, texts cut; or why it cannot be shown, as when the table is not there any more."""
    try:
        found = bench.desk(study).contents_of(units)
    except (FewlabelsError, OSError):
        return {}, "The table cannot be read now, so that the units are shown without their content."
    return {unit: {column: None if text is None else _cut(text) for column, text in row.items()} for unit, row in found.items()}, None


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} …"
