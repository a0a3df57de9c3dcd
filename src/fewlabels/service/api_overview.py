"""Routes for numbers of one page: all of them at once, and more of the same state of the ledger."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from fewlabels.errors import StudyError
from fewlabels.service.access import Member, of_study
from fewlabels.service.api_studies import status_data
from fewlabels.service.responses import MOVED, REFUSALS, Data, ResultsShown, ThresholdsShown
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.estimate.offers import offer, searchable, together
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["results"], responses=REFUSALS)
Reader = Annotated[Member, Depends(of_study("viewer"))]
Head = Annotated[int | None, Query(ge=0, le=1 << 53)]
Value = TypeVar("Value")
WENT_ON = "the numbers of a page are of one state of the study, but it has gone on since this page was read: read the page again"


@router.get("/results", operation_id="readResults")
async def read_results(request: Request, member: Reader) -> ResultsShown:
    """Return status, estimates, verdict, confusion matrix, convergence and labelers, all of one state of the ledger. Recorded as a look.

    `head` says how many entries they depend on; later requests that name it are answered with numbers of the same state, or with 412.
    """
    bench = bench_of(request)
    found = await bench.compute(lambda: bench.read(member.study, "results", results_of))
    return ResultsShown.model_validate({"study": member.study, **found})


@router.get("/thresholds", operation_id="readThresholds", responses=MOVED)
async def read_thresholds(request: Request, member: Reader, head: Head = None) -> ThresholdsShown:
    """Return precision and recall at every threshold of the first classifier, and for goals shown to fail a threshold that meets them.

    Searched as `Study.find_threshold` does: the guarantee allows for the search. Recorded as looks.
    """
    bench = bench_of(request)
    found = await bench.compute(lambda: of_head(bench, member.study, head, thresholds_of), slowest=True)
    return ThresholdsShown.model_validate({"study": member.study, **found})


def of_head(bench: ServerState, name: str, head: int | None, make: Callable[[Study], Value]) -> Value:
    """Return what is made of a study if it is of that head; raise HTTPException if the study has gone on."""
    study = bench.study(name)
    _require(study, head)
    made = make(study)
    _require(study, head)  # a head only grows, so what was made in between is of it
    return made


def _require(study: Study, head: int | None) -> None:
    if head is not None and study.standing.head != head:
        raise HTTPException(412, WENT_ON)


def results_of(study: Study) -> Data:
    """Return everything about a study, as plain data."""
    seen = study.overview()
    return {"status": status_data(seen.standing), **seen.as_json()}


def thresholds_of(study: Study) -> Data:
    """Return the curves of the first classifier, and what searches for the goals that fail find; `why` says why there are none."""
    decision = study.decide()
    present = study.standing.read_population().classifiers[0].threshold
    try:
        curves = study.curves()
        goals = list(searchable(decision))
        found = [(goal, study.find_threshold(goal.definition.name, goal.value, classifier=goal.classifier)) for goal in goals]
    except StudyError as error:
        return {"curves": None, "present": present, "offers": [], "together": None, "why": str(error)}
    best = None if decision is None else together(curves, [one.goal for one in decision.goals])
    offers = [offer(goal, one, decision).as_json() for goal, one in found if decision is not None]
    all_goals = None if best is None else best.as_json()
    return {"curves": curves.as_json(), "present": present, "offers": offers, "together": all_goals, "why": None}
