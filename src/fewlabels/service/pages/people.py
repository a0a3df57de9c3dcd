"""The pages of people and tokens."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_people, api_studies
from fewlabels.service.access import Visitor, owner_only, signed_in
from fewlabels.service.pages.frame import page

router = APIRouter(include_in_schema=False)
Anybody = Annotated[Visitor, Depends(signed_in)]
Owner = Annotated[Visitor, Depends(owner_only)]


@router.get("/people")
def people(request: Request, person: Owner) -> HTMLResponse:
    """Show who may sign in, their roles in studies, and everybody's tokens."""
    everyone = api_people.list_people(request, person).model_dump()["people"]
    served = [one.name for one in api_studies.list_studies(request, person).studies]
    groups = sorted({group for one in everyone for group in one["groups"]})
    return page(request, "people", person=person, people=everyone, studies=served, groups=groups, tokens=_tokens(request, person))


@router.get("/tokens")
def tokens(request: Request, person: Anybody) -> HTMLResponse:
    """Show the person's own tokens."""
    return page(request, "people", person=person, people=[], studies=[], groups=[], tokens=_tokens(request, person))


def _tokens(request: Request, person: Visitor) -> list[dict[str, Any]]:
    return [one.model_dump() for one in api_people.list_tokens(request, person, everybody=person.is_owner).tokens]
