"""The page of results, and its parts."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from fewlabels.nouns.metrics import COMMON
from fewlabels.service import api_results
from fewlabels.service.access import Member, of_study
from fewlabels.service.pages.frame import page, study_page
from fewlabels.service.pages.status import status_of

router = APIRouter(include_in_schema=False)
Reader = Annotated[Member, Depends(of_study("viewer"))]


@router.get("/studies/{study}/results")
async def results(request: Request, member: Reader) -> HTMLResponse:
    """Show progress, and the frame for the numbers once the plan allows them."""
    return study_page(request, "results", member, status=await status_of(request, member), metrics=COMMON)


@router.get("/studies/{study}/results/numbers")
async def numbers(request: Request, member: Reader) -> HTMLResponse:
    """Show the verdict and every metric at the planned look; before it, the progress and why there are no numbers."""
    plan = (await status_of(request, member))["plan"]
    shown = (await api_results.read_estimate(request, member)).model_dump()
    decision = (await api_results.read_decision(request, member)).model_dump()["decision"] if shown["estimates"] else None
    running = (await api_results.read_running(request, member)).model_dump() if plan["online"] and decision else None
    every = shown["estimates"]
    first = [one for one in every if one["planned"] or one["metric"] in COMMON]
    return page(
        request, "parts/numbers", decision=decision, rows=first, others=[one for one in every if one not in first],
        several=len({one["classifier"] for one in every}) > 1, progress=shown["progress"], promise=shown["promise"],
        about=shown["about"], warnings=shown["warnings"], online=plan["online"], running=running,
    )  # fmt: skip


@router.get("/studies/{study}/results/slices")
async def slices(
    request: Request, member: Reader, *, metric: api_results.MetricName, by: api_results.SliceColumns, simultaneous: bool = False
) -> HTMLResponse:
    """Show a metric in every slice."""
    found = (await api_results.read_slices(request, member, metric=metric, by=by, simultaneous=simultaneous)).model_dump()
    return page(request, "parts/slices", rows=found.pop("estimates"), **found)


@router.get("/studies/{study}/results/comparison")
async def comparison(
    request: Request, member: Reader, *, first: api_results.Name, second: api_results.Name, metric: api_results.MetricName
) -> HTMLResponse:
    """Show which of two classifiers is better."""
    found = (await api_results.compare(request, member, first=first, second=second, metric=metric)).model_dump()
    return page(request, "parts/comparison", **found)


@router.get("/studies/{study}/results/labelers")
async def labelers(request: Request, member: Reader) -> HTMLResponse:
    """Show each labeler's answers, speed and agreement."""
    return page(request, "parts/labelers", **(await api_results.read_labelers(request, member)).model_dump()["labelers"])
