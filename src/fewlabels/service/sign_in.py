"""Signing in by a one-time link, and signing out."""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from fewlabels.ledgers.people import ID_LENGTH, Holder, hashed
from fewlabels.service.access import LEAVE, SESSION_AT_MOST, SESSION_SECONDS, Visitor, cookie_name, signed_in
from fewlabels.service.responses import REFUSALS, Done, Membership, PersonShown
from fewlabels.service.state import bench_of

router = APIRouter()
LONGEST_KEY = 200


async def _key(request: Request) -> str:
    """Return the key of a form. It is parsed here, because one field needs no package for forms."""
    fields = parse_qs((await request.body()).decode("latin-1"), max_num_fields=10)
    return fields.get("key", [""])[0][:LONGEST_KEY]


@router.post("/enter", include_in_schema=False)
def enter(request: Request, key: Annotated[str, Depends(_key)]) -> Response:
    """Exchange a one-time link for a session. Any earlier session of the browser ends, which prevents session fixation."""
    bench = bench_of(request)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "a link is used on its own page: open it again, and press the button there")
    cookie = cookie_name(request)
    before = request.cookies.get(cookie)
    held = bench.people.holder(before, "session") if before else None
    granted = bench.people.use_link(key, lasts=SESSION_SECONDS, by=_owner(held))
    if granted is None:
        raise HTTPException(403, "this link was used already, or has expired: ask the owner for a new one")
    if before:
        bench.people.revoke(hashed(before))
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        cookie, granted.secret, max_age=SESSION_AT_MOST, path="/", httponly=True, samesite="strict", secure=bench.settings.secure
    )  # fmt: skip
    return answer


def _owner(held: Holder | None) -> str | None:
    """Return the owner whose session a browser holds, also through the session of somebody they entered as."""
    if held is None:
        return None
    return held.entered_by or (held.person if held.is_owner else None)


@router.get("/api/me", operation_id="whoAmI", tags=["people"], responses=REFUSALS)
def whoami(request: Request, person: Annotated[Visitor, Depends(signed_in)]) -> PersonShown:
    """Return the signed-in person and their roles in studies."""
    roles = sorted(bench_of(request).people.roles(person.name).items())
    studies = [Membership(study=study, role=role) for study, role in roles]
    return PersonShown(name=person.name, is_owner=person.is_owner, studies=studies)


@router.post(LEAVE, operation_id="leave", tags=["people"], responses=REFUSALS)
def leave(request: Request, response: Response, person: Annotated[Visitor, Depends(signed_in)]) -> Done:
    """End the session, or revoke the token, of the request."""
    people, holder = bench_of(request).people, request.state.holder
    people.revoke_token(holder.hash[:ID_LENGTH], by=person.name) if holder.kind == "token" else people.revoke(holder.hash)
    response.delete_cookie(cookie_name(request), path="/", secure=bench_of(request).settings.secure)
    return Done(done=True)
