"""The page for a new study."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service.access import Visitor, owner_only
from fewlabels.service.pages.frame import page

router = APIRouter(include_in_schema=False)
Owner = Annotated[Visitor, Depends(owner_only)]


@router.get("/studies/new")
def new_study(request: Request, person: Owner) -> HTMLResponse:
    """Show the form for a new study."""
    return page(request, "new", person=person)
