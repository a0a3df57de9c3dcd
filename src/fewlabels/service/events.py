"""Live numbers: what a study's stopping rule allows to be shown, sent whenever its ledger has grown.

A fixed plan sends progress, and one event when its look may be read; an online plan also sends its running bands (confidence sequences),
which are valid at every look. No interval of a fixed plan is sent here: it is read by requesting the estimate, which is recorded as a look.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from fewlabels.errors import FewlabelsError
from fewlabels.service.access import Member, of_study
from fewlabels.service.responses import REFUSALS, Data
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.kinds import kind_of
from fewlabels.study.state.progress import progress
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["results"], responses=REFUSALS)
EVERY, HEARTBEAT, CHECKED = 1.0, 15.0, 30.0  # seconds between two reads of the ledger, two keep-alives, and two checks of the session
STREAM: dict[int | str, Data] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "progress, running and look events"}
}


@router.get("/events", operation_id="watchStudy", response_class=StreamingResponse, responses=STREAM)
async def watch(request: Request, member: Annotated[Member, Depends(of_study("viewer"))]) -> StreamingResponse:
    """Send events: `progress` whenever the ledger has grown, `running` for online plans, `look` when the look may be read."""
    bench = bench_of(request)
    answer = EventStream(_stream(request, bench, member.study), media_type="text/event-stream")
    answer.held.enter_context(bench.limits.holding("watching", member.person.name))
    return answer


class EventStream(StreamingResponse):
    """An event stream that releases its resources when it ends, even if the client left before it began."""

    def __init__(self, content: AsyncIterator[str], *, media_type: str) -> None:
        """Hold nothing yet."""
        super().__init__(content, media_type=media_type)
        self.held = ExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until one side closes."""
        with self.held:
            await super().__call__(scope, receive, send)


async def _stream(request: Request, bench: ServerState, study: str) -> AsyncIterator[str]:
    """Yield events until the client leaves, may no longer see the study, or the server stops."""
    seen, quiet, unchecked = -1, 0.0, 0.0
    while not bench.ends.is_set() and not await request.is_disconnected():
        serial = await run_in_threadpool(bench.ledger.last, study)
        if serial != seen:
            seen, quiet = serial, 0.0
            for event, data in (await bench.compute(lambda: bench.read(study, "events", allowed))).items():
                yield f"event: {event}\ndata: {json.dumps(data, allow_nan=False)}\n\n"
        elif quiet >= HEARTBEAT:
            quiet = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(EVERY)
        quiet, unchecked = quiet + EVERY, unchecked + EVERY
        if unchecked >= CHECKED:
            unchecked = 0.0
            if not await run_in_threadpool(_may_still_watch, request, study):
                return


def allowed(study: Study) -> dict[str, Any]:
    """Return what may be shown of a study now, by event: no interval except the running bands of an online plan."""
    standing = study.standing
    done = progress(standing)
    events: dict[str, Any] = {"progress": {"study": study.name, "head": standing.head, **done.as_json()}}
    if not standing.plans:
        return events
    kind = kind_of(standing)
    if (running := kind.running(standing, forecast=True)) is not None:
        events["running"] = {"study": study.name, **running.as_json()}
    if (labels := kind.open_look(standing, done)) is not None:
        events["look"] = {"study": study.name, "labels": labels, "plan": standing.plan.number}
    return events


def _may_still_watch(request: Request, study: str) -> bool:
    """Return whether the session or token still lets this person see the study."""
    holder = request.state.holder
    people = bench_of(request).people
    try:
        still = people.holder(request.state.secret, holder.kind)
    except FewlabelsError:
        return False
    return still is not None and (still.is_owner or people.role(still.person, study) == "viewer")
