"""What people see in a browser. Every page shows what the JSON API returns; changes are sent to the API."""

from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from fewlabels.nouns.metrics import COMMON
from fewlabels.service import api_labeling, api_people, api_results, api_studies
from fewlabels.service.access import Member, Visitor, csrf_token, of_study, owner_only, signed_in
from fewlabels.service.filters import environment, part

router = APIRouter(include_in_schema=False)
TEMPLATES = environment()
HEADINGS = {401: "Sign in first", 403: "No access", 404: "Not found", 409: "Not now", 429: "Too many requests", 503: "Ledger unavailable"}
Anybody = Annotated[Visitor, Depends(signed_in)]
Owner = Annotated[Visitor, Depends(owner_only)]
OwnerOf = Annotated[Member, Depends(of_study())]
Labeler = Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
Reader = Annotated[Member, Depends(of_study("viewer"))]
PAGES = {  # of a study: the name of each page, and the roles that see it
    "plan": ("Plan", ("owner",)),
    "label": ("Label", ("owner", "labeler", "adjudicator")),
    "label?adjudicate=true": ("Adjudicate", ("owner", "adjudicator")),
    "results": ("Results", ("owner", "viewer")),
    "audit": ("Audit", ("owner", "viewer")),
}


class PageLink(NamedTuple):
    """A link to another page."""

    name: str
    address: str
    here: bool = False


@router.get("/")
def studies(request: Request, person: Anybody) -> HTMLResponse:
    """Show the studies a person may see. Labelers see only names."""
    found = api_studies.list_studies(request, person).model_dump()["studies"]
    for one in found:
        one["links"] = study_links(one["name"], one["role"])
    return page(request, "studies", person=person, studies=found)


@router.get("/enter")
def enter(request: Request, key: Annotated[str, Query(max_length=200)] = "") -> HTMLResponse:
    """Show the page of a one-time link: a button, so that opening the link does not use it up."""
    return page(request, "enter", key=key)


@router.get("/studies/new")
def new_study(request: Request, person: Owner) -> HTMLResponse:
    """Show the form for a new study."""
    return page(request, "new", person=person)


@router.get("/studies/{study}/plan")
async def plan(request: Request, member: OwnerOf) -> HTMLResponse:
    """Show sliders until a plan is locked; then the plan, and what labelers see."""
    status = await _status(request, member)
    sheet = (await run_in_threadpool(api_labeling.read_sheet, request, member)).model_dump() if status["plan"] else None
    return study_page(request, "plan", member, plan=status["plan"], goals=status["goals"], about=status["about"], sheet=sheet)


@router.get("/studies/{study}/label")
def label(request: Request, member: Labeler, adjudicate: bool = False) -> HTMLResponse:
    """Show the labeling page: the labeling form, and nothing else of the study."""
    sheet = api_labeling.read_sheet(request, member).model_dump()
    allowed = adjudicate and member.role in PAGES["label?adjudicate=true"][1]
    name = "label?adjudicate=true" if allowed else "label"
    return study_page(request, "label", member, sheet=sheet, adjudicates=allowed, at=name)


@router.get("/studies/{study}/results")
async def results(request: Request, member: Reader) -> HTMLResponse:
    """Show progress, and the frame for the numbers once the plan allows them."""
    return study_page(request, "results", member, status=await _status(request, member), metrics=COMMON)


@router.get("/studies/{study}/results/numbers")
async def numbers(request: Request, member: Reader) -> HTMLResponse:
    """Show the verdict and every metric at the planned look; before it, the progress and why there are no numbers."""
    plan = (await _status(request, member))["plan"]
    shown = (await api_results.read_estimate(request, member)).model_dump()
    decision = (await api_results.read_decision(request, member)).model_dump()["decision"] if shown["estimates"] else None
    running = (await api_results.read_running(request, member)).model_dump() if plan["online"] and decision else None
    every = shown["estimates"]
    first = [one for one in every if one["planned"] or one["metric"] in COMMON]
    return page(
        request, "parts/numbers", decision=decision, rows=first, others=[one for one in every if one not in first],
        several=len({one["classifier"] for one in every}) > 1, progress=shown["progress"], promise=shown["promise"],
        about=shown["about"], warnings=shown["warnings"], online=plan["online"], running=running,
    )  # fmt: skip


@router.get("/studies/{study}/results/slices")
async def slices(
    request: Request, member: Reader, *, metric: api_results.MetricName, by: api_results.SliceColumns, simultaneous: bool = False
) -> HTMLResponse:
    """Show a metric in every slice."""
    found = (await api_results.read_slices(request, member, metric=metric, by=by, simultaneous=simultaneous)).model_dump()
    return page(request, "parts/slices", rows=found.pop("estimates"), **found)


@router.get("/studies/{study}/results/comparison")
async def comparison(
    request: Request, member: Reader, *, first: api_results.Name, second: api_results.Name, metric: api_results.MetricName
) -> HTMLResponse:
    """Show which of two classifiers is better."""
    found = (await api_results.compare(request, member, first=first, second=second, metric=metric)).model_dump()
    return page(request, "parts/comparison", **found)


@router.get("/studies/{study}/results/labelers")
async def labelers(request: Request, member: Reader) -> HTMLResponse:
    """Show each labeler's answers, speed and agreement."""
    return page(request, "parts/labelers", **(await api_results.read_labelers(request, member)).model_dump()["labelers"])


@router.get("/studies/{study}/audit")
async def audit(request: Request, member: Reader) -> HTMLResponse:
    """Show what was locked, drawn and looked at."""
    found = (await api_results.read_audit(request, member)).model_dump()
    known = {name: entry[name] for entry in found["recorded"] for name in ("salt", "fingerprint") if entry.get(name)}
    return study_page(
        request, "audit", member, status=await _status(request, member), audit=found, salt=known.get("salt"),
        fingerprint=known.get("fingerprint"),
    )  # fmt: skip


@router.get("/studies/{study}/audit/verified")
async def verified(request: Request, member: Reader) -> HTMLResponse:
    """Show what recomputing everything finds."""
    found = (await api_results.read_audit(request, member, verify=True)).model_dump()
    return page(request, "parts/verified", verification=found["verification"])


@router.get("/people")
def people(request: Request, person: Owner) -> HTMLResponse:
    """Show who may sign in, their roles in studies, and everybody's tokens."""
    everyone = api_people.list_people(request, person).model_dump()["people"]
    served = [one.name for one in api_studies.list_studies(request, person).studies]
    return page(request, "people", person=person, people=everyone, studies=served, tokens=_tokens(request, person))


@router.get("/tokens")
def tokens(request: Request, person: Anybody) -> HTMLResponse:
    """Show the person's own tokens."""
    return page(request, "people", person=person, people=[], studies=[], tokens=_tokens(request, person))


def error_page(request: Request, status: int, text: str) -> HTMLResponse:
    """Return an error as a page, or as a sentence if only a part of a page was requested."""
    holder = getattr(request.state, "holder", None)
    person = Visitor(holder.person, holder.is_owner) if holder else None
    name = "parts/problem" if request.headers.get("hx-request") == "true" else "error"
    return page(request, name, person=person, code=status, heading=HEADINGS.get(status, "That did not work"), text=text)


def study_page(request: Request, name: str, member: Member, *, at: str | None = None, **shown: Any) -> HTMLResponse:
    """Return a page of a study."""
    address = f"/studies/{part(member.study)}"
    return page(
        request, name, person=member.person, study=member.study, role=member.role, here=address, api=f"/api{address}",
        links=[*links(member.person, ""), *study_links(member.study, member.role, at or name)], **shown,
    )  # fmt: skip


def page(request: Request, name: str, *, person: Visitor | None = None, code: int = 200, **shown: Any) -> HTMLResponse:
    """Return a rendered template as a response with that status code."""
    shown.setdefault("links", links(person, request.scope["path"]))
    text = TEMPLATES.get_template(f"{name}.html").render(person=person, csrf=csrf_token(request), code=code, **shown)
    return HTMLResponse(text, code)


def links(person: Visitor | None, here: str) -> list[PageLink]:
    """Return links to the pages that belong to no study."""
    if person is None:
        return []
    own = ("People", "/people") if person.is_owner else ("Tokens", "/tokens")
    return [PageLink(name, address, here=address == here) for name, address in (("Studies", "/"), own)]


def study_links(study: str, role: str, here: str = "") -> list[PageLink]:
    """Return links to the pages of a study that a person may see."""
    return [PageLink(name, f"/studies/{part(study)}/{end}", here=end == here) for end, (name, roles) in PAGES.items() if role in roles]


async def _status(request: Request, member: Member) -> dict[str, Any]:
    return (await api_studies.read_status(request, member)).model_dump()


def _tokens(request: Request, person: Visitor) -> list[dict[str, Any]]:
    return [one.model_dump() for one in api_people.list_tokens(request, person, everybody=person.is_owner).tokens]
