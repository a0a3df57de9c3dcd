"""The overview of a study, and its line in the list of studies."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from fewlabels.service import api_home
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import page, study_page
from fewlabels.service.state import bench_of

router = APIRouter(include_in_schema=False)
Anyone = Annotated[Member, Depends(of_study("labeler", "adjudicator", "viewer"))]
Reader = Annotated[Member, Depends(of_study("viewer"))]
ACTIONS = {  # what comes next, as a button: its words and page, by role
    "plan": ("Plan the labels", "plan", ("owner",)),
    "label": ("Label", "label", ("owner", "labeler")),
    "adjudicate": ("Adjudicate", "label?adjudicate=true", ("owner", "adjudicator")),
    "results": ("Read the results", "results", ("owner", "viewer")),
}


@router.get("/studies/{study}")
async def home(request: Request, member: Anyone) -> HTMLResponse:
    """Show where a study stands and what comes next; to labelers, their own work alone."""
    if member.role in ("labeler", "adjudicator"):
        desk = bench_of(request).desk(member.study)
        done = await run_in_threadpool(desk.progress, member.person.name)
        return study_page(request, "home_labeler", member, at="", told=done.told, sheet=await run_in_threadpool(lambda: desk.sheet))
    found = (await api_home.read_home(request, member)).model_dump()
    return study_page(request, "home", member, at="", home=found, action=action(found["act"], member.role))


@router.get("/studies/{study}/glance")
async def glance(request: Request, member: Reader) -> HTMLResponse:
    """Show where a study stands, as a part of the list of studies."""
    found = (await api_home.read_home(request, member)).model_dump()
    return page(request, "parts/glance", home=found, goals=found["goals"])


def action(act: str, role: str) -> dict[str, Any] | None:
    """Return the button for what comes next; None if somebody of this role cannot do it."""
    words, end, roles = ACTIONS[act]
    return {"words": words, "end": end} if role in roles else None
