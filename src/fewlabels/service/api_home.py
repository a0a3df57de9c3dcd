"""Routes for a study at a glance: its overview, and how it is listed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from fewlabels.ledgers.base import Entry, Kind
from fewlabels.ledgers.listing import Listed, archive, listing, unarchive
from fewlabels.ledgers.pace import Pace, hours_left, pace
from fewlabels.service.access import Member, of_study
from fewlabels.service.api_studies import status_of_study
from fewlabels.service.requests import Archived
from fewlabels.service.responses import REFUSALS, Data, Done, HomeShown
from fewlabels.service.state import ServerState, bench_of
from fewlabels.study.report.glance import glance
from fewlabels.study.study import Study

router = APIRouter(prefix="/api/studies/{study}", tags=["studies"], responses=REFUSALS)
Reader = Annotated[Member, Depends(of_study("viewer"))]
OwnerOf = Annotated[Member, Depends(of_study())]
NEWEST = 6  # acts shown
TRIES = 10  # to read everything of one state, while people label
ACTS: tuple[Kind, ...] = ("study", "plan", "extension", "look", "sheet", "gold", "double", "access")


class Act(BaseModel):
    """Something that happened in a study."""

    kind: str
    at: str
    said: str
    by: str | None = None


@router.get("/home", operation_id="readHome")
async def read_home(request: Request, member: Reader) -> HomeShown:
    """Return where a study stands and what comes next, its pace, its labelers and what happened last. A verdict only where it was shown."""
    bench = bench_of(request)
    return HomeShown(**await bench.compute(lambda: home_of(bench, member.study)))


@router.put("/archived", operation_id="setArchived")
def set_archived(request: Request, member: OwnerOf, wanted: Archived) -> Done:
    """Archive a study: it leaves the list of studies, and everything else stays as it is. Or list it again."""
    bench = bench_of(request)
    if wanted.archived:
        archive(bench.ledger, member.study, at=bench.clock())
    else:
        unarchive(bench.ledger, member.study)
    return Done(done=True)


def home_of(bench: ServerState, name: str) -> Data:
    """Return the overview of a study."""
    shown, found = _of_one_state(bench, name)
    done, now = shown["progress"], bench.clock()
    told = found.labelers if found else {}
    labelers = [{"labeler": who, "units": units, "last": told.get(who, (0, None))[1]} for who, units in shown["labelers"].items()]
    listed = listing(bench.ledger).get(name, Listed())
    left = hours_left(found, done["planned"] - done["labels"]) if found and shown["state"] == "labeling" else None
    return {
        **shown,
        "labelers": sorted(labelers, key=lambda one: -one["units"]),
        "pace": found and {"hour": found.hour, "day": found.day, "last": found.last, "hours_left": left},
        "now": now,
        "owner": listed.owner,
        "archived": listed.archived,
    }


def _of_one_state(bench: ServerState, name: str) -> tuple[Data, Pace | None]:
    """Return what depends on the ledger alone, and the pace at the same entry; no pace if labelers were quicker every time."""
    for _ in range(TRIES):
        before = bench.ledger.last(name)
        shown: Data = bench.read(name, "glance", _glance)
        found = pace(bench.ledger, name, now=bench.clock())
        if bench.ledger.last(name) == before:
            return shown, found
    return shown, None


def _glance(study: Study) -> Data:
    """Return what of the overview depends on the ledger alone."""
    found = glance(study)  # first: it may record a look
    labelers, entries = study.followed.read(lambda register: (dict(register.labelers), study.followed.notable(*ACTS, units=False)))
    return {**status_of_study(study), **found.as_json(), "labelers": labelers, "acts": _acts(entries)}


def _acts(entries: Sequence[Entry]) -> list[Data]:
    """Return the newest acts in words; who merely entered is left out."""
    shown = [entry for entry in entries if not (entry.kind == "access" and entry.body.get("act") in QUIET)]
    newest = sorted(shown, key=lambda entry: (datetime.fromisoformat(entry.at), entry.serial), reverse=True)[:NEWEST]
    return [Act(kind=entry.kind, at=entry.at, said=_said(entry), by=entry.body.get("by")).model_dump() for entry in newest]


SAID = {
    "study": "Study created",
    "extension": "Classifier added",
    "sheet": "Labeling form saved",
    "gold": "Units drawn for gold",
}
QUIET = ("entered", "link made", "token made", "token ended")


def _said(entry: Entry) -> str:
    body = entry.body
    if entry.kind == "plan":
        return f"Plan locked: {body.get('plan', {}).get('budget', 0):,} labels"
    if entry.kind == "look":
        early = "" if body.get("certified") else ", before the planned look"
        return f"Numbers read at {body.get('labels', 0):,} labels{early}"
    if entry.kind == "access":
        role = body.get("role")
        act = body.get("act")
        return f"{body.get('person')}: {f'role {role}' if role else 'removed from the study' if act == 'role' else act}"
    if entry.kind == "double":
        return f"Second looks at {100 * float(body.get('share', 0)):g} % of the units"
    return SAID[entry.kind]
