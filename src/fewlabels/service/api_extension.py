"""Routes for another classifier on the labels there are: what they already show of it, and adding it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from fewlabels.nouns.classifier import Classifier
from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import NewClassifiers
from fewlabels.service.responses import REFUSALS, Columns, Extended, ReuseShown
from fewlabels.service.state import bench_of
from fewlabels.study.population.preview import preview

router = APIRouter(prefix="/api/studies/{study}", tags=["planning"], responses=REFUSALS)
OwnerOf = Annotated[Member, Depends(of_study())]


@router.get("/columns", operation_id="listColumns")
async def list_columns(request: Request, member: OwnerOf) -> Columns:
    """Return the columns of the study's table that may hold a score or decisions, the likeliest first."""
    bench = bench_of(request)

    def read() -> Columns:
        seen = preview(bench.study(member.study).standing.population["source"])
        scores = [{"column": one.column, "low": one.low, "high": one.high, "threshold": one.threshold} for one in seen.scores]
        return Columns(study=member.study, scores=scores, decisions=[one.column for one in seen.decisions])

    return await bench.compute(read)


@router.post("/extension/preview", operation_id="previewExtension")
async def preview_extension(request: Request, member: OwnerOf, new: NewClassifiers) -> ReuseShown:
    """Return what the labels at hand say about new classifiers and goals, and how many more they need. Nothing is recorded."""
    bench = bench_of(request)
    found = await bench.compute(lambda: bench.study(member.study).preview_extension(classifiers=_classifiers(new), goals=new.goals))
    return ReuseShown.model_validate({"study": member.study, **found.as_json()})


@router.post("/extension", operation_id="extendStudy", status_code=201)
async def extend(request: Request, member: OwnerOf, new: NewClassifiers) -> Extended:
    """Add classifiers and goals; every label is kept. `budget` counts the units drawn so far plus those added; if omitted, none is."""
    bench = bench_of(request)
    study = bench.study(member.study)
    plan = await bench.compute(lambda: study.extend(classifiers=_classifiers(new), goals=new.goals, budget=new.budget))
    return Extended(study=member.study, plan=plan.number, hash=plan.hash, budget=plan.budget, classifiers=list(study.standing.classifiers))


def _classifiers(new: NewClassifiers) -> list[Classifier]:
    return [Classifier(**one.model_dump()) for one in new.classifiers]
