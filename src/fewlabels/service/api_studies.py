"""Routes for studies: list them, create one, read its status, close it."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request

from fewlabels.desk.routing import stranded
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.stopping import parse_stopping
from fewlabels.service.access import AnyRole, Member, Visitor, of_study, owner_only, signed_in
from fewlabels.service.requests import NewStudy, PopulationBody
from fewlabels.service.responses import REFUSALS, Closed, Data, Made, StatusShown, Studies, StudyShown
from fewlabels.service.settings import Settings
from fewlabels.service.sources import allowed_source
from fewlabels.service.state import ServerState, bench_of, is_served
from fewlabels.study.estimate.about import about_words
from fewlabels.study.estimate.status import read_status as status_of
from fewlabels.study.kinds import kind_of
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

router = APIRouter(prefix="/api", tags=["studies"], responses=REFUSALS)
Reader = Annotated[Member, Depends(of_study("viewer"))]
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies", operation_id="listStudies")
def list_studies(request: Request, person: Annotated[Visitor, Depends(signed_in)]) -> Studies:
    """List the studies you may see. Labelers see only the name; owners and viewers also the progress."""
    bench = bench_of(request)
    every = bench.ledger.studies()
    roles: Mapping[str, AnyRole] = dict.fromkeys(every, "owner") if person.is_owner else bench.people.roles(person.name)
    mine = [(name, roles[name]) for name in every if name in roles]
    shown = [_shown(bench, name, role) for name, role in mine if is_served(name)]
    return Studies(studies=shown, not_served=[name for name, _ in mine if not is_served(name)])


@router.post("/studies", operation_id="createStudy", status_code=201)
async def create_study(request: Request, owner: Annotated[Visitor, Depends(owner_only)], new: NewStudy) -> Made:
    """Create a study of a table below the server's data folder. Idempotent."""
    bench = bench_of(request)
    if not is_served(new.name):
        raise HTTPException(400, "a study's name is printable text without a slash, as it is part of an address: choose another name")
    if new.stopping is not None:
        parse_stopping(new.stopping)

    def make() -> Made:
        population = population_of(new.population, bench.settings)
        study = Study.create(new.name, population, goals=new.goals, level=new.level, rule=new.rule, about=new.about, ledger=bench.ledger)
        profile, goals = study.standing.profile, study.standing.goals
        return Made(study=new.name, units=profile.N, flagged=flagged_of(profile), goals=[str(goal) for goal in goals])

    return await bench.compute(make)


@router.get("/studies/{study}", operation_id="readStatus")
async def read_status(request: Request, member: Reader) -> StatusShown:
    """Return where a study stands: progress, missing answers, warnings, the current plan. No interval."""
    bench = bench_of(request)

    def read() -> Data:
        found = bench.read(member.study, "status", _status)
        waiting = stranded(bench.study(member.study), bench.desk(member.study).sheet, bench.people)
        return {**found, "warnings": [*found["warnings"], *waiting]}

    return StatusShown(**await bench.compute(read))


@router.post("/studies/{study}/close", operation_id="closeStudy")
async def close_study(request: Request, member: OwnerOf) -> Closed:
    """Stop waiting: record every planned unit without an answer as never answered."""
    bench = bench_of(request)
    told = await bench.compute(lambda: bench.study(member.study).close())
    return Closed(never_answered=told.recorded)


def population_of(body: PopulationBody, settings: Settings) -> Population:
    """Return the population a request describes."""
    asked: dict[str, Any] = body.model_dump(exclude={"classifiers", "source"})
    if body.classifiers is not None:
        asked["classifiers"] = [Classifier(**one.model_dump()) for one in body.classifiers]
    return read_population(allowed_source(body.source, settings), **asked)


def flagged_of(profile: Any) -> int:
    """Return the number of units that the first classifier flags."""
    return int(profile.flagged(0))


def _shown(bench: ServerState, name: str, role: AnyRole) -> StudyShown:
    """Return a study as the list shows it."""
    if role not in ("owner", "viewer"):
        return StudyShown(name=name, role=role)
    found = bench.read(name, "status", _status)
    return StudyShown(name=name, role=role, state=found["state"], goals=found["goals"], progress=found["progress"])


def _status(study: Study) -> Data:
    """Return a study's status as plain data, as the command line prints it, with its state in a word."""
    standing = study.standing  # read once: a study with many answers takes a while to read
    found = status_of(standing, kind_of(standing))
    plan = found.plan
    return {
        "study": study.name,
        "state": found.state,
        "goals": [str(goal) for goal in standing.goals],
        "classifiers": list(standing.classifiers),
        "slices": list(standing.population["slices"]),
        "units": standing.profile.whole,
        "about": about_words(standing),
        "rule": standing.rule,
        "plan": None
        if plan is None
        else {"number": plan.number, "hash": plan.hash, "budget": plan.budget, "grow_to": plan.grow_to, "promise": plan.promise,
              "goals": [str(goal) for goal in plan.goals], "stopping": None if plan.stopping is None else str(plan.stopping),
              "online": plan.kind == "online", "design": plan.design.name},
        "progress": found.progress.as_json(),
        "missing": found.missing.as_json(),
        "looks": found.looks,
        "peeks": found.peeks,
        "warnings": list(found.warnings),
    }  # fmt: skip
