"""The page of the plan: sliders until it is locked, then the plan and the labeling form."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from fewlabels.service import api_labeling
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page
from fewlabels.service.pages.status import status_of

router = APIRouter(include_in_schema=False)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/studies/{study}/plan")
async def plan(request: Request, member: OwnerOf) -> HTMLResponse:
    """Show sliders until a plan is locked; then the plan, and what labelers see."""
    status = await status_of(request, member)
    sheet = (await run_in_threadpool(api_labeling.read_sheet, request, member)).model_dump() if status["plan"] else None
    return study_page(request, "plan", member, plan=status["plan"], goals=status["goals"], about=status["about"], sheet=sheet)
