"""The page of results, and its parts."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.errors import PlanError, StudyError
from fewlabels.nouns.metrics import COMMON
from fewlabels.service import api_overview, api_results
from fewlabels.service.access import Member, of_study
from fewlabels.service.filters import part
from fewlabels.service.pages.frame import page, study_page

router = APIRouter(include_in_schema=False)
Reader = Annotated[Member, Depends(of_study("viewer"))]


@router.get("/studies/{study}/results")
async def results(request: Request, member: Reader) -> HTMLResponse:
    """Show progress, and the verdict and every number once the plan allows them: all of one state of the ledger."""
    found = await _found(request, member)
    return study_page(request, "results", member, metrics=COMMON, **found)


@router.get("/studies/{study}/results/numbers")
async def numbers(request: Request, member: Reader) -> HTMLResponse:
    """Show the same numbers anew, for a page that is open."""
    address = f"/studies/{part(member.study)}"
    return page(request, "parts/whole", role=member.role, here=address, api=f"/api{address}", **await _found(request, member))


async def _found(request: Request, member: Member) -> dict[str, Any]:
    """Return everything that the page of results shows, read once."""
    found = (await api_overview.read_results(request, member)).model_dump(exclude={"study"})
    every = found["estimate"]["estimates"] if found["estimate"] else []
    first = [one for one in every if one["planned"] or one["metric"] in COMMON]
    others = [one for one in every if one not in first]
    return {**found, "rows": first, "others": others, "several": len({one["classifier"] for one in every}) > 1}


@router.get("/studies/{study}/results/thresholds")
async def thresholds(request: Request, member: Reader, *, head: api_overview.Head = None) -> HTMLResponse:
    """Show precision and recall at every threshold, and a threshold that would pass where a goal fails."""
    found = (await api_overview.read_thresholds(request, member, head=head)).model_dump()
    return page(request, "parts/thresholds", **found)


@router.get("/studies/{study}/results/slices")
async def slices(
    request: Request, member: Reader, *, metric: api_results.MetricName, by: api_results.SliceColumns, simultaneous: bool = False,
    head: api_overview.Head = None,
) -> HTMLResponse:  # fmt: skip
    """Show a metric in every slice."""
    found = (await api_results.read_slices(request, member, metric=metric, by=by, simultaneous=simultaneous, head=head)).model_dump()
    return page(request, "parts/slices", rows=found.pop("estimates"), **found)


@router.get("/studies/{study}/results/comparison")
async def comparison(
    request: Request, member: Reader, *, first: api_results.Name, second: api_results.Name, metric: api_results.MetricName,
    head: api_overview.Head = None,
) -> HTMLResponse:  # fmt: skip
    """Show which of two classifiers is better, or why the labels cannot say: that is an answer too."""
    try:
        found = (await api_results.compare(request, member, first=first, second=second, metric=metric, head=head)).model_dump()
    except (StudyError, PlanError) as error:
        return page(request, "parts/why", why=str(error))
    return page(request, "parts/comparison", **found)


@router.get("/studies/{study}/results/labelers")
async def labelers(request: Request, member: Reader) -> HTMLResponse:
    """Show each labeler's answers, speed and agreement."""
    return page(request, "parts/labelers", **(await api_results.read_labelers(request, member)).model_dump()["labelers"])
