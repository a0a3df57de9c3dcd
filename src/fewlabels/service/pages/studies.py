"""The list of studies, and signing in."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_studies
from fewlabels.service.access import Visitor, signed_in
from fewlabels.service.pages.frame import page, study_address

router = APIRouter(include_in_schema=False)
Anybody = Annotated[Visitor, Depends(signed_in)]


@router.get("/")
def studies(request: Request, person: Anybody) -> HTMLResponse:
    """Show the studies a person may see. Labelers see only names."""
    found = api_studies.list_studies(request, person).model_dump()["studies"]
    for one in found:
        one["address"] = study_address(one["name"])
    newest = sorted(found, key=lambda one: one["created"] or "", reverse=True)
    return page(request, "studies", person=person, studies=newest, archived=sum(one["archived"] for one in found))


@router.get("/enter")
def enter(request: Request, key: Annotated[str, Query(max_length=200)] = "") -> HTMLResponse:
    """Show the page of a one-time link: a button, so that opening the link does not use it up."""
    return page(request, "enter", key=key)
