"""Routes for planning: the picture, and locking a plan."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from fewlabels.errors import PlanError
from fewlabels.nouns.design import Design
from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import NewPlan
from fewlabels.service.responses import REFUSALS, Data, PictureShown, PlanShown
from fewlabels.service.state import bench_of
from fewlabels.study.estimate.about import about_words
from fewlabels.study.plan.chart import picture
from fewlabels.study.plan.one_draw import ColumnNames, PlanOptions
from fewlabels.study.plan.outlook import staying_out
from fewlabels.study.plan.paying import Cost
from fewlabels.study.plan.sizes import Sizing, size_goals
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["planning"], responses=REFUSALS)
OwnerOf = Annotated[Member, Depends(of_study())]
Amount = Annotated[float | None, Query(ge=0, le=1e9, allow_inf_nan=False)]


@router.get("/picture", operation_id="readPicture")
async def read_picture(
    request: Request,
    member: OwnerOf,
    *,
    budget: Annotated[int | None, Query(ge=1, le=10_000_000)] = None,
    cost_per_label: Amount = None,
    seconds_per_label: Amount = None,
) -> PictureShown:
    """Return the labels each goal needs, chosen and uniform, what a budget is expected to show and costs, and the planning picture."""
    bench = bench_of(request)

    def sized() -> Data:
        standing = bench.study(member.study).standing
        cost = Cost(cost_per_label, seconds_per_label, staying_out(standing).unanswered)
        sizing = size_goals(standing.profile, standing.goals, budget=budget, ways=_ways(standing), names=_names(standing), cost=cost)
        drawn = bench.read(member.study, "picture", _picture)
        return {"study": member.study, "sizes": sizing.as_json(), **drawn}

    return PictureShown(**await bench.compute(sized))


@router.post("/plan", operation_id="fixPlan")
async def fix_plan(request: Request, member: OwnerOf, new: NewPlan) -> PlanShown:
    """Lock a budget of labels before the first of them is paid for. A later, larger budget only adds units."""
    bench = bench_of(request)

    def fixed() -> PlanShown:
        study = bench.study(member.study)
        plan = study.plan(new.budget, grow_to=new.grow_to, stopping=new.stopping, design=new.design)
        if new.double:
            bench.desk(member.study).double(new.double)
        return PlanShown(
            number=plan.number, hash=plan.hash, budget=plan.budget, grow_to=plan.grow_to, promise=plan.promise,
            about=about_words(study.standing), stopping=None if plan.stopping is None else str(plan.stopping),
        )  # fmt: skip

    return await bench.compute(fixed)


def _names(standing: Standing) -> ColumnNames:
    return ColumnNames(standing.classifiers, standing.population["slices"])


def _ways(standing: Standing) -> PlanOptions:
    """How the study's plan draws and reads; as a new plan would, if there is none with one or more looks."""
    plan = standing.plans[-1] if standing.plans else None
    if plan is None or plan.kind == "online":
        return PlanOptions()
    return PlanOptions(choice=plan.choice or Design(), interval=plan.interval)


def _picture(study: Study) -> Data:
    """Return the picture of the goals, or why there is none. It depends on no label."""
    standing = study.standing
    names, ways = _names(standing), _ways(standing)
    sizing: Sizing = size_goals(standing.profile, standing.goals, ways=ways, names=names)
    try:
        return {"picture": picture(standing.profile, standing.goals, sizing, ways=ways, names=names), "why": None}
    except PlanError as error:
        return {"picture": None, "why": str(error)}
