"""The page that adds a classifier to a study whose labels are kept."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page
from fewlabels.service.pages.status import status_of

router = APIRouter(include_in_schema=False)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies/{study}/extension")
async def extension(request: Request, member: OwnerOf) -> HTMLResponse:
    """Show the form for another classifier, and what the labels already show of it."""
    return study_page(request, "extension", member, at="plan", status=await status_of(request, member))
