"""Routes for results, for owners and viewers. Before the planned look they give progress and no interval; nobody can peek here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from fewlabels.labeling.flat import defused
from fewlabels.ledgers.base import MANY
from fewlabels.service.access import Member, of_study
from fewlabels.service.api_overview import Head, of_head
from fewlabels.service.requests import NO_NULL
from fewlabels.service.responses import (
    MOVED,
    REFUSALS,
    AuditShown,
    ComparisonShown,
    Data,
    DecisionShown,
    EstimatesShown,
    OfStudy,
    RunningShown,
    SlicesShown,
)
from fewlabels.service.state import bench_of
from fewlabels.service.verifying import Verifying
from fewlabels.study.report.answers import bytes_of
from fewlabels.study.report.write import SHOWN, json_text
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["results"], responses=REFUSALS)
Reader = Annotated[Member, Depends(of_study("viewer"))]
OwnerOf = Annotated[Member, Depends(of_study())]
MetricName = Annotated[str, Query(min_length=1, max_length=200, pattern=NO_NULL)]
Name = Annotated[str, Query(min_length=1, max_length=128, pattern=NO_NULL)]
SliceColumns = Annotated[list[Annotated[str, Query(min_length=1, max_length=256, pattern=NO_NULL)]], Query(min_length=1, max_length=4)]
Ending = Literal["html", "md", "txt", "json"]
MEDIA: Mapping[Ending, str] = {"html": "text/html", "md": "text/markdown", "txt": "text/plain", "json": "application/json"}
REPORTS: dict[int | str, dict[str, Any]] = {200: {"description": "the file", "content": {kind: {} for kind in MEDIA.values()}}}

TABLE_MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
TABLES: dict[int | str, dict[str, Any]] = {
    200: {"description": "one row per unit", "content": {kind: {} for kind in TABLE_MEDIA.values()}}
}  # fmt: skip


@router.get("/estimate", operation_id="readEstimate")
async def read_estimate(request: Request, member: Reader, *, confusion: bool = False) -> EstimatesShown:
    """Return every metric with its interval, effective n and labels at the planned look; before it, only progress. Recorded as a look."""
    bench = bench_of(request)

    def read() -> Data:
        study = bench.study(member.study)
        shown = {"study": study.name, **study.estimate().as_json()}
        return shown | ({"confusion": [cell.as_json() for cell in study.confusion()]} if confusion else {})

    return EstimatesShown(**await bench.compute(read))


@router.get("/decide", operation_id="readDecision")
async def read_decision(request: Request, member: Reader) -> DecisionShown:
    """Return ship, do not ship or label more, with reasons; null before the planned look."""
    bench = bench_of(request)

    def read() -> Data:
        study = bench.study(member.study)
        decision, status = study.decide(), study.status()
        said = None if decision is None else decision.as_json()
        return {"study": study.name, "progress": status.progress.as_json(), "decision": said, "warnings": list(status.warnings)}

    return DecisionShown(**await bench.compute(read))


@router.get("/running", operation_id="readRunning")
async def read_running(request: Request, member: Reader) -> RunningShown:
    """Return where an online study stands: running bands (confidence sequences), each goal, and the labels it should still take."""
    bench = bench_of(request)
    found = await bench.compute(lambda: bench.read(member.study, "running", lambda study: study.running().as_json()))
    return RunningShown.model_validate({"study": member.study, **found})


@router.get("/convergence", operation_id="readConvergence")
async def read_convergence(request: Request, member: Reader) -> OfStudy:
    """Return how the interval of each goal narrowed: after the look, or for an online study so far."""
    bench = bench_of(request)
    found = await bench.compute(lambda: bench.read(member.study, "convergence", lambda study: study.convergence().as_json()))
    return OfStudy.model_validate({"study": member.study, "convergence": found})


@router.get("/labelers", operation_id="readLabelers")
async def read_labelers(request: Request, member: Reader) -> OfStudy:
    """Return each labeler's answers, speed, agreement with others and accuracy on gold."""
    bench = bench_of(request)
    found = await bench.compute(lambda: bench.read(member.study, "labelers", lambda study: study.labelers().as_json()))
    return OfStudy.model_validate({"study": member.study, "labelers": found})


@router.get("/slices", operation_id="readSlices", responses=MOVED)
async def read_slices(
    request: Request, member: Reader, *, metric: MetricName, by: SliceColumns, simultaneous: bool = False, head: Head = None
) -> SlicesShown:
    """Return a metric in every slice of a column, or of several columns crossed; with `head`, of the same state as results of that head."""
    bench = bench_of(request)
    found = await bench.compute(
        lambda: of_head(bench, member.study, head, lambda study: study.slices(metric, by=by, simultaneous=simultaneous))
    )
    return SlicesShown.model_validate({"study": member.study, **found.as_json()})


@router.get("/compare", operation_id="compareClassifiers", responses=MOVED)
async def compare(
    request: Request, member: Reader, *, first: Name, second: Name, metric: MetricName = "f1", head: Head = None
) -> ComparisonShown:
    """Return the metric of one classifier minus that of another, on the same units."""
    bench = bench_of(request)
    found = await bench.compute(lambda: of_head(bench, member.study, head, lambda study: study.compare(first, second, metric=metric)))
    return ComparisonShown.model_validate({"study": member.study, **found.as_json()})


@router.get("/report.{ending}", operation_id="readReport", response_class=Response, responses=REPORTS)
async def read_report(request: Request, member: Reader, ending: Ending) -> Response:
    """Return the study as one page to share, as Markdown, as text, or as the data all of these are made from. Recorded as a look."""
    bench = bench_of(request)

    def write() -> str:
        report = bench.study(member.study).report()
        return json_text(report) if ending == "json" else SHOWN[f".{ending}"](report)

    text = await bench.compute(write)
    return Response(text, media_type=MEDIA[ending], headers={"Content-Disposition": f'attachment; filename="report.{ending}"'})


@router.get("/weighed.{ending}", operation_id="exportWeighed", response_class=Response, responses=TABLES)
async def export_weighed(request: Request, member: OwnerOf, ending: Literal["csv", "parquet"]) -> Response:
    """Return every answer with its inclusion probability and weight, at the planned look; before it, refuse. Recorded as a look."""
    bench = bench_of(request)

    def write() -> bytes:
        found = bench.study(member.study).answers()
        if ending == "parquet":
            return bytes_of(found, ".parquet")
        safe = tuple(tuple(defused(cell) if isinstance(cell, str) else cell for cell in row) for row in found.rows)
        return bytes_of(replace(found, rows=safe), ".csv")

    file = await bench.compute(write)
    headers = {"Content-Disposition": f'attachment; filename="weighed.{ending}"'}
    return Response(file, media_type=TABLE_MEDIA[ending], headers=headers)


@router.get("/audit", operation_id="readAudit")
async def read_audit(request: Request, member: Reader, *, verify: bool = False) -> AuditShown:
    """Return plans, draws, looks and their seals as recorded; with verify=true, recompute them and report mismatches."""
    bench, verifying = bench_of(request), cast(Verifying, request.app.state.verifying)
    found = await verifying.of(request, member.study, member.person.name) if verify else None
    return AuditShown(
        **await bench.compute(lambda: bench.read(member.study, "audit", _audit)), verification=None if found is None else dict(found)
    )


def _audit(study: Study) -> Data:
    """Return what an auditor needs, without the answers themselves."""
    entries, of_kind = study.followed.read(lambda register: (study.followed.notable(units=False), dict(register.count.kinds)))
    listed = [{"serial": e.serial, "kind": e.kind, "at": e.at, "hash": e.hash, "seal": e.seal, **_about(e.kind, e.body)} for e in entries]
    counts = {kind: of_kind.get(kind, 0) for kind in MANY}
    return {"study": study.name, "entries": sum(of_kind.values()), "recorded": listed, "counts": counts}


def _about(kind: str, body: Mapping[str, Any]) -> Data:
    """Return a recorded act in a few numbers, without the estimates of a look: those are read where they are valid."""
    if kind == "plan":
        plan = body.get("plan", {})
        return {"plan": plan.get("number"), "plan_hash": body.get("hash"), "budget": plan.get("budget"), "promise": plan.get("promise")}
    if kind == "look":
        asked = body.get("asked") or {}
        return {"plan": body.get("plan"), "labels": body.get("labels"), "certified": body.get("certified"), "asked": asked.get("kind")}
    if kind == "population":
        return {"fingerprint": body.get("fingerprint")}
    if kind == "sheet":
        return {name: body.get(name) for name in ("place", "by", "ask", "show", "check_every", "route_by", "routes")}
    if kind == "access":
        return {name: body.get(name) for name in ("person", "act", "by", "role")}
    return {"salt": body.get("salt"), "goals": len(body.get("goals", ()))} if kind == "study" else {}
