"""The labeling page."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from fewlabels.reports.instructions import instructions
from fewlabels.service import api_labeling
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import PAGES, study_page

router = APIRouter(include_in_schema=False)
Labeler = Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
REASONS = (
    "The content is missing or cannot be shown",
    "In a language I do not read",
    "The question does not fit this unit",
    "Private or disturbing: I should not see it",
)


@router.get("/studies/{study}/label")
def label(request: Request, member: Labeler, adjudicate: bool = False) -> HTMLResponse:
    """Show the labeling page: the labeling form, and nothing else of the study."""
    sheet = api_labeling.read_sheet(request, member).model_dump()
    allowed = adjudicate and member.role in PAGES["label?adjudicate=true"][1]
    name = "label?adjudicate=true" if allowed else "label"
    told = Markup(instructions(sheet["instructions"]))  # a tree, written out: nothing in it was typed as markup
    return study_page(request, "label", member, sheet=sheet, instructions=told, reasons=REASONS, adjudicates=allowed, at=name)
