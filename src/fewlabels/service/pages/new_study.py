"""The page for a new study."""

from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from fewlabels.nouns.metrics import COMMON, METRICS
from fewlabels.nouns.sheet import ShownKind
from fewlabels.service.access import Visitor, owner_only
from fewlabels.service.pages.frame import page
from fewlabels.service.requests import StudyName
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.population.again import made_with, next_name

router = APIRouter(include_in_schema=False)
Owner = Annotated[Visitor, Depends(owner_only)]


@router.get("/studies/new")
async def new_study(request: Request, person: Owner, like: Annotated[StudyName | None, Query()] = None) -> HTMLResponse:
    """Show the page for a new study, filled in like another one if that is named."""
    bench = bench_of(request)
    if like is not None and not bench.has(like):
        raise HTTPException(404, "there is no such study to make another like it: choose it in the list of studies")
    before = None if like is None else await run_in_threadpool(_before, bench, like)
    metrics = [*COMMON, *(name for name in METRICS if name not in COMMON)]
    return page(request, "new", person=person, like=like, before=before, metrics=metrics, kinds=get_args(ShownKind))


def _before(bench: ServerState, study: str) -> dict[str, Any]:
    """Return what a study was made with, its labeling form, and a name for the one after it."""
    sheet = bench.desk(study).sheet
    return {
        **made_with(bench.study(study).standing),
        "sheet": sheet.as_json(),
        "name": next_name(study, set(bench.ledger.studies())),
        "follows": study,
    }
