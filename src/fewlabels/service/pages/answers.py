"""The page of all answers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_records
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page
from fewlabels.service.requests import AnswersWanted

router = APIRouter(include_in_schema=False)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies/{study}/answers")
async def answers(request: Request, member: OwnerOf, wanted: Annotated[AnswersWanted, Query()]) -> HTMLResponse:
    """Show fifty of the current answers."""
    found = (await api_records.list_answers(request, member, wanted)).model_dump()
    return study_page(request, "answers", member, at="results", asked=wanted.model_dump(), found=found)
