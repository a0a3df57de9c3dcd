"""Routes for what stands beside the answers: labelers' comments, what is left for a labeler, and the notes that owners read."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import CommentBody
from fewlabels.service.responses import REFUSALS, Done, Notes, NoteShown, RestShown
from fewlabels.service.state import ServerState, bench_of, is_served
from fewlabels.study.kinds import kind_of

router = APIRouter(prefix="/api/studies/{study}", tags=["labeling"], responses=REFUSALS)
Labeler = Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
OwnerOf = Annotated[Member, Depends(of_study())]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
PER_PAGE = 50
MOST_ELSEWHERE = 5  # other studies named to somebody who has nothing to do
MOST_SEARCHED, MOST_OPENED = 200, 20


@router.put("/comments", operation_id="setComment")
def set_comment(request: Request, member: Labeler, wanted: CommentBody) -> Done:
    """Store your comment on a unit you were given, in place of an earlier one; an empty text deletes it. Owners read it."""
    bench_of(request).desk(member.study).comment(member.person.name, wanted.unit, wanted.text)
    return Done(done=True)


@router.get("/notes", operation_id="listNotes")
def list_notes(request: Request, member: OwnerOf, page: PageNumber = 1) -> Notes:
    """Return labelers' comments, and why they left units out, the newest first. For owners: they may tell what others answered."""
    ledger = bench_of(request).ledger
    total = ledger.note_count(member.study)
    found = ledger.notes(member.study, most=PER_PAGE, after=PER_PAGE * (page - 1))
    shown = [NoteShown(unit=one.unit, labeler=one.labeler, kind=one.kind, text=one.text, at=one.at) for one in found]
    return Notes(notes=shown, total=total, page=page, pages=max(1, -(-total // PER_PAGE)))


@router.get("/rest", operation_id="readRest")
def read_rest(request: Request, member: Labeler, adjudicates: bool = False) -> RestShown:
    """Return what is left for you in this study, and other studies that have units for you. Nothing about answers."""
    bench, name = bench_of(request), member.person.name
    desk = bench.desk(member.study)
    return RestShown(
        rest=desk.rest(name, adjudicates=adjudicates and member.role in ("owner", "adjudicator")),
        told=desk.progress(name).told,
        elsewhere=_elsewhere(bench, member),
        look=bench.read(member.study, "shows", lambda study: kind_of(study.standing).shows(study.standing))
        if member.role == "owner"
        else None,
    )


def _elsewhere(bench: ServerState, member: Member) -> list[str]:
    """Other studies in which a unit waits for this person, or none was handed out yet."""
    roles = bench.people.roles(member.person.name)
    names = bench.ledger.studies() if member.person.is_owner else [name for name, role in roles.items() if role != "viewer"]
    others = [name for name in sorted(names) if name != member.study and is_served(name)][:MOST_SEARCHED]
    found = bench.ledger.open_to(member.person.name, others, now=bench.clock())
    if not member.person.is_owner:
        found += [name for name in others[:MOST_OPENED] if name not in found and bench.has(name) and bench.desk(name).has_more]
    return found[:MOST_ELSEWHERE]
