"""Routes for labeling: the labeling form, taking turns, recording answers. Nothing here reveals scores, predictions or others' answers."""

import csv
import io
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response

from fewlabels.desk.desk import Desk, Said
from fewlabels.labeling.flat import defused
from fewlabels.nouns.sheet import FormColumn
from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import NamedUnits, SheetBody, ShownColumn, TakeTurns, TellAnswers
from fewlabels.service.responses import (
    REFUSALS,
    AcknowledgedShown,
    Acknowledgements,
    Data,
    DeskProgress,
    GivenBack,
    LabelerTurn,
    MovedBack,
    SheetShown,
    Turns,
)
from fewlabels.service.state import bench_of

router = APIRouter(prefix="/api/studies/{study}", tags=["labeling"], responses=REFUSALS)
Labeler = Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
OwnerOf = Annotated[Member, Depends(of_study())]
CSV: dict[int | str, Data] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "One row per answer"}}


@router.get("/sheet", operation_id="readSheet")
def read_sheet(request: Request, member: Labeler) -> SheetShown:
    """Return the labeling form: what labelers see of a unit, the instructions, the questions, and the answers they may give."""
    return _sheet(bench_of(request).desk(member.study), member)


@router.put("/sheet", operation_id="setSheet")
def set_sheet(request: Request, member: OwnerOf, wanted: SheetBody) -> SheetShown:
    """Set what labelers see. Scores, predictions and the guide are rejected: labelers are blind."""
    desk = bench_of(request).desk(member.study)
    shown = tuple(FormColumn(one.column, one.kind) for one in wanted.show)
    desk.change_sheet(  # its routes stay
        lambda sheet: replace(sheet, show=shown, instructions=wanted.instructions, ask=wanted.ask, check_every=wanted.check_every),
        by=member.person.name,
    )
    return _sheet(desk, member)


@router.post("/turns", operation_id="takeTurns")
def take_turns(request: Request, member: Labeler, wanted: TakeTurns) -> Turns:
    """Reserve units for this labeler for a time; those already reserved come first."""
    if wanted.adjudicates and member.role not in ("owner", "adjudicator"):
        raise HTTPException(403, "units that labelers disagree on are for adjudicators: ask an owner of the study")
    desk, name = bench_of(request).desk(member.study), member.person.name
    given = desk.take(name, wanted.units, adjudicates=wanted.adjudicates)
    turns = [LabelerTurn(unit=one.unit, content=dict(one.content), until=one.until, comment=one.comment) for one in given]
    return Turns(turns=turns, progress=_progress(desk, name))


@router.delete("/turns", operation_id="giveBackTurns")
def give_back(request: Request, member: Labeler, units: NamedUnits) -> GivenBack:
    """Release units, so that others may label them."""
    return GivenBack(given_back=bench_of(request).desk(member.study).give_back(member.person.name, units.units))


@router.post("/turns/later", operation_id="moveTurnsBack")
def later(request: Request, member: Labeler, units: NamedUnits) -> MovedBack:
    """Put units off: they are released and come back, to anybody, after all others that are ready. Nothing is recorded."""
    return MovedBack(moved=bench_of(request).desk(member.study).later(member.person.name, units.units))


@router.post("/answers", operation_id="tellAnswers")
def tell_answers(request: Request, member: Labeler, told: TellAnswers) -> Acknowledgements:
    """Record answers. What is acknowledged is on disk; sending an answer twice changes nothing."""
    desk, name = bench_of(request).desk(member.study), member.person.name
    said = [Said(one.unit, one.answers, one.at, one.seconds, correct=one.correct, note=one.note) for one in told.answers]
    became = [AcknowledgedShown(unit=one.unit, status=one.status, why=one.why) for one in desk.tell(name, said)]
    return Acknowledgements(acknowledged=became, progress=_progress(desk, name))


@router.get("/answers.csv", operation_id="exportAnswers", response_class=Response, responses=CSV)
def export_answers(request: Request, member: OwnerOf) -> Response:
    """Return every current answer, one row each, for a spreadsheet: an apostrophe keeps text from being run as a formula."""
    standing, out = bench_of(request).study(member.study).standing, io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["unit", "question", "answer", "labeler", "at", "gold"])
    told = [label for by_seat in standing.answers.values() for label in by_seat.values()]
    for label in [*told, *standing.gold.values()]:
        row = [label.unit, label.question, label.answer, label.labeler, label.at or "", "yes" if label.gold else ""]
        writer.writerow([defused(cell) for cell in row])
    return Response(out.getvalue(), media_type="text/csv", headers={"Content-Disposition": 'attachment; filename="answers.csv"'})


def _sheet(desk: Desk, member: Member) -> SheetShown:
    sheet = desk.sheet
    show = [ShownColumn(column=one.column, kind=one.kind) for one in sheet.show]
    return SheetShown(
        show=show,
        instructions=sheet.instructions,
        ask=sheet.ask,
        questions=list(desk.questions),
        answers=list(desk.answers),
        check_every=sheet.check_every if member.role == "owner" else None,
        is_online=desk.is_online,
    )


def _progress(desk: Desk, labeler: str) -> DeskProgress:
    done = desk.progress(labeler)
    return DeskProgress(told=done.told, resolved=done.resolved, planned=done.planned, waiting=done.waiting)
