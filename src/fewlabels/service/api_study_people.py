"""Routes for the people of one study, for owners: who labels which units, how far they are, and how they work."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request

from fewlabels.desk.answers_of import read_answers_of
from fewlabels.desk.routing import column_values, labelers_of, read_routes, refuse_unknown, stranded_words
from fewlabels.errors import StudyError
from fewlabels.ledgers.people import Person
from fewlabels.ledgers.turns import LabelerTurns
from fewlabels.nouns.label import CLOSER
from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import NO_NULL, RoutesBody
from fewlabels.service.responses import REFUSALS, AnswerOf, AnswersOf, Data, RouteShown, RoutesShown, StudyPeople, StudyPerson
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["people"], responses=REFUSALS)
OwnerOf = Annotated[Member, Depends(of_study())]
Named = Annotated[str, Path(max_length=200, pattern=NO_NULL)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
LATELY = 24 * 3600.0  # seconds


@router.get("/people", operation_id="listStudyPeople")
async def list_study_people(request: Request, member: OwnerOf) -> StudyPeople:
    """Return who has access to the study, how far they are and how they work. An owner who labels here sees that once labeling is over."""
    bench = bench_of(request)
    return StudyPeople.model_validate(await bench.compute(lambda: _people(bench, member)))


@router.get("/people/{person}/answers", operation_id="readAnswersOf")
async def read_answers(request: Request, member: OwnerOf, person: Named, *, page: PageNumber = 1, differs: bool = False) -> AnswersOf:
    """Return what somebody answered, beside what others said of the same units; with differs=true, only where that differs."""
    bench = bench_of(request)
    return AnswersOf.model_validate(await bench.compute(lambda: _answers(bench, member, person, page=page, differs=differs)))


@router.get("/routes", operation_id="readRoutes")
async def read_who_labels(request: Request, member: OwnerOf) -> RoutesShown:
    """Return who labels which units, and what waits for somebody who is not there."""
    bench = bench_of(request)
    return await bench.compute(lambda: _routes(bench, member.study))


@router.put("/routes", operation_id="setRoutes")
async def set_who_labels(request: Request, member: OwnerOf, wanted: RoutesBody) -> RoutesShown:
    """Set who labels which units. It is part of the labeling form, and is recorded; units that wait follow at once."""
    bench = bench_of(request)

    def change() -> RoutesShown:
        routes = {value: tuple(dict.fromkeys(names)) for value, names in wanted.routes.items() if names}
        desk = bench.desk(member.study)
        refuse_unknown(replace(desk.sheet, route_by=wanted.route_by, routes=routes), bench.people.everyone())
        desk.change_sheet(lambda sheet: replace(sheet, route_by=wanted.route_by, routes=routes), by=member.person.name)
        return _routes(bench, member.study)

    return await bench.compute(change)


def _routes(bench: ServerState, name: str) -> RoutesShown:
    standing, sheet = bench.study(name).standing, bench.desk(name).sheet
    found = read_routes(standing, sheet, labelers_of(bench.people.everyone(), name))
    return RoutesShown(
        route_by=sheet.route_by,
        routes=[RouteShown.model_validate(route.as_json()) for route in found],
        columns={column: column_values(standing, column) for column in standing.population["slices"]},
        waiting=stranded_words(found),
    )


def _people(bench: ServerState, member: Member) -> Data:
    study, now = bench.study(member.study), bench.clock()
    units = study.followed.read(lambda register: {who: count for who, count in register.labelers.items() if who != CLOSER})
    why = _why_hidden(bench, study, member.person.name, units)
    read: Data = {} if why else bench.read(member.study, "labelers", lambda study: study.labelers().as_json())
    cards = {card["labeler"]: card for card in read.get("labelers", ())}
    turns = bench.ledger.turns_by_labeler(member.study, now=now, since=now - LATELY)
    everyone = {one.name: one for one in bench.people.everyone()}
    names = [name for name, one in everyone.items() if one.role_in(member.study)]
    people = [_person(everyone.get(name), name, member.study, units, turns, cards) for name in dict.fromkeys([*names, *sorted(units)])]
    return {"study": member.study, "people": people, "hidden": why, "disputed": read.get("disputed")}


def _person(
    person: Person | None, name: str, study: str, units: Mapping[str, int], turns: Mapping[str, LabelerTurns], cards: Mapping[str, Any]
) -> StudyPerson:
    """Return somebody as the page shows them."""
    mine, card = turns.get(name, LabelerTurns()), cards.get(name)
    return StudyPerson(
        name=name,
        role=None if person is None else person.role_in(study),
        groups=[] if person is None else list(person.groups),
        seen=None if person is None else person.seen,
        units=units.get(name, 0),
        held=mine.held,
        lately=mine.lately,
        card=None if card is None else {part: said for part, said in card.items() if part != "answers"},
    )


def _why_hidden(bench: ServerState, study: Study, person: str, units: Mapping[str, int]) -> str | None:
    """Return why somebody sees no answers of others; None if they may."""
    if not units.get(person) or study.state not in ("labeling", "waiting for gold"):
        return None
    return "You label in this study yourself, so how others answer stays hidden from you until the labeling is over."


def _answers(bench: ServerState, member: Member, person: str, *, page: int, differs: bool) -> Data:
    study, desk = bench.study(member.study), bench.desk(member.study)
    if why := _why_hidden(bench, study, member.person.name, study.followed.read(lambda register: dict(register.labelers))):
        raise StudyError(why)
    found = read_answers_of(study.standing, person, page=page, only_different=differs)
    hidden = study.standing.read_population().hidden_columns
    columns = [shown.column for shown in desk.sheet.show if shown.kind == "text" and shown.column not in hidden]
    held = bench.ledger.contents(member.study, [one.unit for one in found.some])
    answers = [
        AnswerOf(**one._asdict(), content={column: held[one.unit].get(column) for column in columns if column in held.get(one.unit, {})})
        for one in found.some
    ]
    return {"study": member.study, "person": person, "answers": answers, "page": found.page, "pages": found.pages, "count": found.answers}
