"""Routes for people, their links and roles, and tokens."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Request

from fewlabels.desk.desk import refuse_name
from fewlabels.desk.invites import Answered, answered_names, refuse_answered
from fewlabels.ledgers.people import OWNER, Granted
from fewlabels.nouns.label import RESERVED
from fewlabels.service.access import Visitor, owner_only, signed_in
from fewlabels.service.requests import NO_NULL, NewPerson, NewToken, RoleOf
from fewlabels.service.responses import REFUSALS, Done, Everyone, FreshToken, InviteLink, Membership, PersonShown, Token, Tokens
from fewlabels.service.state import ServerState, bench_of

router = APIRouter(prefix="/api", tags=["people"], responses=REFUSALS)
LINK_SECONDS = 7 * 24 * 3600.0
Owner = Annotated[Visitor, Depends(owner_only)]
Anybody = Annotated[Visitor, Depends(signed_in)]
Named = Annotated[str, Path(max_length=128, pattern=NO_NULL)]


@router.get("/people", operation_id="listPeople")
def list_people(request: Request, owner: Owner) -> Everyone:
    """Return all people who may sign in, and their role in each study."""
    everyone = bench_of(request).people.everyone()
    return Everyone(people=[
        PersonShown(
            name=p.name, is_owner=p.is_owner, studies=[Membership(study=study, role=role) for study, role in p.studies],
            groups=list(p.groups), seen=p.seen,
        )
        for p in everyone
    ])  # fmt: skip


@router.post("/people", operation_id="addPerson", status_code=201)
def add_person(request: Request, owner: Owner, new: NewPerson) -> InviteLink:
    """Invite somebody and create a link for them, to be used once within a week. They see no study until they are given one.

    A name that has answers is refused, unless the same person comes back: returns=true.
    """
    refuse_name(new.name)
    if new.name in RESERVED or (new.name == OWNER and not new.is_owner):
        raise HTTPException(409, f"the name {new.name!r} is reserved by fewlabels: choose another name")
    people = bench_of(request).people
    if new.name not in {one.name for one in people.everyone()}:
        refuse_answered(new.name, answered_of(bench_of(request)), returns=new.returns)
    people.add(new.name, is_owner=new.is_owner)
    return linked(request, people.grant("link", new.name, lasts=LINK_SECONDS, by=owner.name))


@router.delete("/people/{person}", operation_id="removePerson")
def remove_person(request: Request, owner: Owner, person: Named) -> Done:
    """Remove somebody: links, sessions, tokens and roles end at once. Their answers stay."""
    if not bench_of(request).people.remove(person, by=owner.name):
        raise _nobody()
    return Done(done=True)


@router.post("/people/{person}/links", operation_id="makeLink", status_code=201)
def make_link(request: Request, owner: Owner, person: Named) -> InviteLink:
    """Create another link for somebody, to be used once within a week."""
    return linked(request, bench_of(request).people.grant("link", person, lasts=LINK_SECONDS, by=owner.name))


@router.put("/people/{person}/studies/{study}", operation_id="setRole")
def set_role(request: Request, owner: Owner, *, person: Named, study: Named, wanted: RoleOf) -> Membership:
    """Make somebody a labeler, adjudicator or viewer of a study."""
    bench = bench_of(request)
    if not bench.has(study):
        raise HTTPException(404, "there is no such study")
    if not bench.people.set_role(person, study, wanted.role, by=owner.name):
        raise _nobody()
    return Membership(study=study, role=wanted.role)


@router.delete("/people/{person}/studies/{study}", operation_id="dropRole")
def drop_role(request: Request, owner: Owner, *, person: Named, study: Named) -> Done:
    """Remove somebody from a study."""
    if not bench_of(request).people.drop_role(person, study, by=owner.name):
        raise HTTPException(404, "there is no such person in this study")
    return Done(done=True)


@router.get("/tokens", operation_id="listTokens", tags=["tokens"])
def list_tokens(request: Request, person: Anybody, *, everybody: bool = False) -> Tokens:
    """Return your own tokens, without their secrets; with everybody=true, an owner gets those of all people."""
    if everybody and not person.is_owner:
        raise HTTPException(403, "only owners may list the tokens of others: ask one")
    kept = bench_of(request).people.tokens(None if everybody else person.name)
    return Tokens(tokens=[Token(**one._asdict()) for one in kept])


@router.post("/tokens", operation_id="makeToken", status_code=201, tags=["tokens"])
def make_token(request: Request, person: Anybody, new: NewToken) -> FreshToken:
    """Create a token for programs, with your own rights; it is shown only once. A token made with a token does not outlive it."""
    bench, holder = bench_of(request), request.state.holder
    lasts = new.days * 86_400
    if holder.kind == "token":
        lasts = min(lasts, holder.until - bench.clock())
    granted = bench.people.grant("token", person.name, lasts=lasts, note=new.note, by=person.name)
    if granted is None:
        raise _nobody()
    at = granted.until - lasts
    return FreshToken(id=granted.id, person=person.name, note=new.note, at=at, until=granted.until, token=granted.secret)


@router.delete("/tokens/{token}", operation_id="revokeToken", tags=["tokens"])
def revoke_token(request: Request, person: Anybody, token: Annotated[str, Path(max_length=64, pattern=NO_NULL)]) -> Done:
    """Revoke one of your own tokens; an owner may revoke anybody's."""
    if not bench_of(request).people.revoke_token(token, person=None if person.is_owner else person.name, by=person.name):
        raise HTTPException(404, "there is no such token, or it is not yours")
    return Done(done=True)


def answered_of(bench: ServerState) -> dict[str, Answered]:
    """Return the names that have answers in any study."""
    return answered_names(bench.study(name) for name in bench.ledger.studies())


def linked(request: Request, granted: Granted | None) -> InviteLink:
    """Return the address of a new link, under the host name of the request."""
    if granted is None:
        raise _nobody()
    scheme = "https" if bench_of(request).settings.secure else "http"
    return InviteLink(person=granted.person, link=f"{scheme}://{request.headers['host']}/enter?key={granted.secret}", until=granted.until)


def _nobody() -> HTTPException:
    return HTTPException(404, "there is no such person")
