"""The people of one study: roles, groups, who labels which units, and how each of them works."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_study_people
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page
from fewlabels.service.state import bench_of

router = APIRouter(include_in_schema=False)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies/{study}/people")
async def study_people(request: Request, member: OwnerOf) -> HTMLResponse:
    """Show the people of a study, and who labels which units."""
    found = (await api_study_people.list_study_people(request, member)).model_dump()
    routes = (await api_study_people.read_who_labels(request, member)).model_dump()
    people = bench_of(request).people.everyone()
    groups = sorted({group for one in people for group in one.groups})
    others = [one.name for one in people if one.role_in(member.study) is None]
    return study_page(
        request, "study_people", member, people=found["people"], hidden=found["hidden"], disputed=found["disputed"],
        routing=routes, names=[one.name for one in people], groups=groups, others=others, at="people",
    )  # fmt: skip


@router.get("/studies/{study}/people/{person}")
async def person(
    request: Request, member: OwnerOf, person: api_study_people.Named, *, page: api_study_people.PageNumber = 1, differs: bool = False
) -> HTMLResponse:
    """Show what somebody answered, and where others disagree."""
    found = (await api_study_people.read_answers(request, member, person, page=page, differs=differs)).model_dump()
    return study_page(request, "study_person", member, found=found, differs=differs, at="people")
