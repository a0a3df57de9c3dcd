"""Signing in by a one-time link, and signing out."""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from fewlabels.ledgers.people import hashed
from fewlabels.service.access import COOKIE, SESSION_AT_MOST, SESSION_SECONDS, Visitor, signed_in
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
    granted = bench.people.use_link(key, lasts=SESSION_SECONDS)
    if granted is None:
        raise HTTPException(403, "this link was used already, or has expired: ask the owner for a new one")
    if before := request.cookies.get(COOKIE):
        bench.people.revoke(hashed(before))
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, granted.secret, max_age=SESSION_AT_MOST, path="/", httponly=True, samesite="strict", secure=bench.settings.secure
    )  # fmt: skip
    return answer


@router.get("/api/me", operation_id="whoAmI", tags=["people"], responses=REFUSALS)
def whoami(request: Request, person: Annotated[Visitor, Depends(signed_in)]) -> PersonShown:
    """Return the signed-in person and their roles in studies."""
    roles = sorted(bench_of(request).people.roles(person.name).items())
    studies = [Membership(study=study, role=role) for study, role in roles]
    return PersonShown(name=person.name, is_owner=person.is_owner, studies=studies)


@router.post("/api/leave", operation_id="leave", tags=["people"], responses=REFUSALS)
def leave(request: Request, response: Response, person: Annotated[Visitor, Depends(signed_in)]) -> Done:
    """End the session, or revoke the token, of the request."""
    bench_of(request).people.revoke(request.state.holder.hash)
    response.delete_cookie(COOKIE, path="/")
    return Done(done=True)
