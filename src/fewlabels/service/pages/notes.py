"""The page of notes: what labelers wrote about units."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_notes
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page

router = APIRouter(include_in_schema=False)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies/{study}/notes")
def notes(request: Request, member: OwnerOf, page: api_notes.PageNumber = 1) -> HTMLResponse:
    """Show comments, and why units were left out, the newest first."""
    return study_page(request, "notes", member, found=api_notes.list_notes(request, member, page).model_dump())
