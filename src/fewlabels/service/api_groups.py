"""Routes for groups of people, and for inviting many at once."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Request

from fewlabels.desk.invites import Known, Preview, preview, read_list
from fewlabels.desk.messages import refuse_name
from fewlabels.service.access import Visitor, owner_only
from fewlabels.service.api_people import LINK_SECONDS, answered_of, linked
from fewlabels.service.requests import PLAIN, InviteList
from fewlabels.service.responses import REFUSALS, Done, Groups, GroupShown, InviteLine, InviteLines
from fewlabels.service.state import ServerState, bench_of

router = APIRouter(prefix="/api", tags=["people"], responses=REFUSALS)
Owner = Annotated[Visitor, Depends(owner_only)]
Named = Annotated[str, Path(min_length=1, max_length=64, pattern=PLAIN)]


@router.get("/groups", operation_id="listGroups")
def list_groups(request: Request, owner: Owner) -> Groups:
    """Return all groups with their members. A group is there as long as somebody belongs to it."""
    found = bench_of(request).people.groups()
    return Groups(groups=[GroupShown(name=name, people=list(members)) for name, members in found.items()])


@router.put("/groups/{group}/people/{person}", operation_id="joinGroup")
def join_group(request: Request, owner: Owner, *, group: Named, person: Named) -> Done:
    """Put somebody into a group, which is made if there is none of that name."""
    refuse_name(group)
    if not bench_of(request).people.join(person, group, by=owner.name):
        raise HTTPException(404, "there is no such person")
    return Done(done=True)


@router.delete("/groups/{group}/people/{person}", operation_id="leaveGroup")
def leave_group(request: Request, owner: Owner, *, group: Named, person: Named) -> Done:
    """Take somebody out of a group."""
    if not bench_of(request).people.leave(person, group, by=owner.name):
        raise HTTPException(404, "there is no such person in this group")
    return Done(done=True)


@router.post("/invitations/preview", operation_id="previewInvitations")
def preview_invitations(request: Request, owner: Owner, listed: InviteList) -> InviteLines:
    """Return what every line of a list would do. Nothing is done yet."""
    return InviteLines(lines=[_shown(one) for one in _previewed(bench_of(request), listed)])


@router.post("/invitations", operation_id="invite", status_code=201)
def invite(request: Request, owner: Owner, listed: InviteList) -> InviteLines:
    """Invite the people of a list: one link each, with the role and the group their line names. Refused lines do nothing."""
    bench = bench_of(request)
    found = [_done(request, bench, one, owner.name) for one in _previewed(bench, listed)]
    return InviteLines(lines=found)


def _previewed(bench: ServerState, listed: InviteList) -> list[Preview]:
    people = {one.name: one for one in bench.people.everyone()}
    known = Known(people, bench.ledger.studies(), list(bench.people.groups()), answered_of(bench))
    return preview(read_list(listed.text), known, returns=listed.returns)


def _done(request: Request, bench: ServerState, one: Preview, by: str) -> InviteLine:
    """Do what a line says, and return what became of it."""
    line, shown = one.invite, _shown(one)
    if one.becomes == "refused":
        return shown
    if one.becomes in ("new", "returns"):
        bench.people.add(line.name)
    if line.role is not None and line.study is not None:
        bench.people.set_role(line.name, line.study, line.role, by=by)
    if line.group is not None:
        bench.people.join(line.name, line.group, by=by)
    if one.becomes in ("new", "returns"):
        made = linked(request, bench.people.grant("link", line.name, lasts=LINK_SECONDS, by=by))
        return shown.model_copy(update={"link": made.link, "until": made.until})
    return shown


def _shown(one: Preview) -> InviteLine:
    return InviteLine(line=one.line, name=one.invite.name, becomes=one.becomes, why=one.why, answers=one.answers)
