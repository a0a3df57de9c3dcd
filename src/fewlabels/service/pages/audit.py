"""The page of the audit."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_results
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import page, study_page
from fewlabels.service.pages.status import status_of

router = APIRouter(include_in_schema=False)
Reader = Annotated[Member, Depends(of_study("viewer"))]


@router.get("/studies/{study}/audit")
async def audit(request: Request, member: Reader) -> HTMLResponse:
    """Show what was locked, drawn and looked at."""
    found = (await api_results.read_audit(request, member)).model_dump()
    known = {name: entry[name] for entry in found["recorded"] for name in ("salt", "fingerprint") if entry.get(name)}
    return study_page(
        request, "audit", member, status=await status_of(request, member), audit=found, salt=known.get("salt"),
        fingerprint=known.get("fingerprint"),
    )  # fmt: skip


@router.get("/studies/{study}/audit/verified")
async def verified(request: Request, member: Reader) -> HTMLResponse:
    """Show what recomputing everything finds."""
    found = (await api_results.read_audit(request, member, verify=True)).model_dump()
    return page(request, "parts/verified", verification=found["verification"])
