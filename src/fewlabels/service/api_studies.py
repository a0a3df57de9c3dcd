"""Routes for studies: list them, create one, read its status, close it."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from fewlabels.desk.routing import stranded
from fewlabels.errors import FewlabelsError, GoalError, PlanError, StudyError
from fewlabels.ledgers.listing import Listed, listing, set_owner
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.stopping import parse_stopping
from fewlabels.service.access import AnyRole, Member, Visitor, of_study, owner_only, signed_in
from fewlabels.service.requests import ClassifierBody, NewStudy, PopulationBody, sheet_of
from fewlabels.service.responses import REFUSALS, Closed, Data, Made, StatusShown, Studies, StudyShown
from fewlabels.service.settings import Settings
from fewlabels.service.sources import allowed_source
from fewlabels.service.state import ServerState, bench_of, is_served
from fewlabels.study.estimate.about import about_words
from fewlabels.study.estimate.status import read_status as status_of
from fewlabels.study.kinds import kind_of
from fewlabels.study.population.fields import at, field_of_problem, read_each, refuse_absent
from fewlabels.study.population.read import read_population
from fewlabels.study.state.standing import Standing
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
    listed = listing(bench.ledger)
    shown = [_shown(bench, name, role, listed.get(name, Listed())) for name, role in mine if is_served(name)]
    return Studies(studies=shown, not_served=[name for name, _ in mine if not is_served(name)])


@router.post("/studies", operation_id="createStudy", status_code=201)
async def create_study(request: Request, owner: Annotated[Visitor, Depends(owner_only)], new: NewStudy) -> Made:
    """Create a study of a table below the server's data folder, with its labeling form. Idempotent."""
    bench = bench_of(request)

    def make() -> Made:
        study = created(bench, new)
        if new.sheet is not None:
            with at("sheet.show"):
                bench.desk(new.name).set_sheet(sheet_of(new.sheet), by=owner.name)
        set_owner(bench.ledger, new.name, owner.name)
        profile, goals = study.standing.profile, study.standing.goals
        return Made(study=new.name, units=profile.N, flagged=flagged_of(profile), goals=[str(goal) for goal in goals])

    return await bench.compute(make)


@router.get("/studies/{study}", operation_id="readStatus")
async def read_status(request: Request, member: Reader) -> StatusShown:
    """Return where a study stands: progress, missing answers, warnings, the current plan. No interval."""
    bench = bench_of(request)

    def read() -> Data:
        found = bench.read(member.study, "status", status_of_study)
        waiting = stranded(bench.study(member.study), bench.desk(member.study).sheet, bench.people)
        return {**found, "warnings": [*found["warnings"], *waiting]}

    return StatusShown(**await bench.compute(read))


@router.post("/studies/{study}/close", operation_id="closeStudy")
async def close_study(request: Request, member: OwnerOf) -> Closed:
    """Stop waiting: record every planned unit without an answer as never answered."""
    bench = bench_of(request)
    told = await bench.compute(lambda: bench.study(member.study).close())
    return Closed(never_answered=told.recorded)


def created(bench: ServerState, new: NewStudy) -> Study:
    """Return the study a request describes; errors say which field of the request they are about."""
    with at("name"):
        if not is_served(new.name):
            raise FewlabelsError("a study's name is printable text without a slash, as it is part of an address: choose another name")
    with at("stopping"):
        parse_stopping(new.stopping) if new.stopping is not None else None
    population = population_of(new.population, bench.settings)
    with at("follows"):
        if new.follows is not None and not bench.has(new.follows):
            raise StudyError(f"a study follows an earlier one, but there is no study {new.follows!r}: check the name")
    goals = read_each(new.goals, population, level=new.level)
    try:
        _check_shown(population, new)
        return Study.create(
            new.name, population, goals=goals, level=new.level, rule=new.rule, about=new.about, follows=new.follows, ledger=bench.ledger
        )  # fmt: skip
    except FewlabelsError as error:
        error.field = error.field or _blamed(error, new, population)
        raise


def _check_shown(population: Population, new: NewStudy) -> None:
    """Raise an error, before anything is recorded, for columns that labelers must not see, or that are not there."""
    shown = [] if new.sheet is None else [one.column for one in new.sheet.show]
    with at("sheet.show"):
        population.refuse_hidden(shown)
        if shown:
            refuse_absent(population, shown)


def _blamed(error: FewlabelsError, new: NewStudy, population: Population) -> str:
    """Return the field of a request that an error is about."""
    if isinstance(error, StudyError):
        return "name"
    if isinstance(error, GoalError | PlanError):
        return "goals"
    found = field_of_problem(population)
    single = new.population.classifiers is None
    return f"population.{found.removeprefix('classifiers.0.') if single else found}" if found else "population.source"


def population_of(body: PopulationBody, settings: Settings) -> Population:
    """Return the population a request describes; errors say which field of it they are about."""
    asked: dict[str, Any] = body.model_dump(exclude={"classifiers", "source"})
    with at("population.source"):
        source = allowed_source(body.source, settings)
    if body.classifiers is not None:
        asked["classifiers"] = [_classifier(i, one) for i, one in enumerate(body.classifiers)]
    try:
        return read_population(source, **asked)
    except FewlabelsError as error:
        found = next((name for name in ("cluster", "weight", "slices") if _goes_without(name, source, asked)), None)
        error.field = f"population.{found or ('score' if body.classifiers is None else 'classifiers')}"
        raise


def _goes_without(name: str, source: str, asked: dict[str, Any]) -> bool:
    """Return whether a population would be possible without one of its columns, which is then to blame."""
    try:
        read_population(source, **{key: value for key, value in asked.items() if key != name})
    except FewlabelsError:
        return False
    return True


def _classifier(number: int, body: ClassifierBody) -> Classifier:
    with at(f"population.classifiers.{number}"):
        return Classifier(**body.model_dump())


def flagged_of(profile: Any) -> int:
    """Return the number of units that the first classifier flags."""
    return int(profile.flagged(0))


def _shown(bench: ServerState, name: str, role: AnyRole, listed: Listed) -> StudyShown:
    """Return a study as the list shows it."""
    if role not in ("owner", "viewer"):
        return StudyShown(name=name, role=role)
    found = bench.read(name, "status", status_of_study)
    return StudyShown(
        name=name, role=role, state=found["state"], goals=found["goals"], progress=found["progress"], created=found["created"],
        owner=listed.owner, archived=listed.archived is not None,
    )  # fmt: skip


def status_of_study(study: Study) -> Data:
    """Return a study's status as plain data, and when it was created."""
    standing = study.standing  # read once: a study with many answers takes a while to read
    return {"created": next((entry.at for entry in study.followed.notable("study")), None), **status_data(standing)}


def status_data(standing: Standing) -> Data:
    """Return the status of a study as plain data, as the command line prints it, with its state in a word."""
    found = status_of(standing, kind_of(standing))
    plan = found.plan
    return {
        "study": standing.name,
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
