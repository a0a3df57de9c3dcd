"""The labeling page."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_labeling
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import PAGES, study_page

router = APIRouter(include_in_schema=False)
Labeler = Annotated[Member, Depends(of_study("labeler", "adjudicator"))]


@router.get("/studies/{study}/label")
def label(request: Request, member: Labeler, adjudicate: bool = False) -> HTMLResponse:
    """Show the labeling page: the labeling form, and nothing else of the study."""
    sheet = api_labeling.read_sheet(request, member).model_dump()
    allowed = adjudicate and member.role in PAGES["label?adjudicate=true"][1]
    name = "label?adjudicate=true" if allowed else "label"
    return study_page(request, "label", member, sheet=sheet, adjudicates=allowed, at=name)
