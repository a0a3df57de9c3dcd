"""The page of what the classifier got wrong: what is missing before it, the question before it opens, then the units."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from fewlabels.service import api_records
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import study_page
from fewlabels.service.requests import ErrorsWanted
from fewlabels.service.state import bench_of

router = APIRouter(include_in_schema=False)
Reader = Annotated[Member, Depends(of_study("viewer"))]


@router.get("/studies/{study}/errors")
async def errors(request: Request, member: Reader, wanted: Annotated[ErrorsWanted, Query()]) -> HTMLResponse:
    """Show the errors to somebody who has opened them; others are asked first, after the last declared look."""
    bench = bench_of(request)
    missing = await bench.compute(lambda: api_records.missing_before_errors(bench.study(member.study)))
    opened = await bench.compute(lambda: api_records.has_opened(request, member))
    found = None
    if missing is None and opened:
        found = (await api_records.list_errors(request, member, wanted)).model_dump()
    return study_page(request, "errors", member, at="results", missing=missing, asked=wanted.model_dump(), found=found)
