"""Who makes a request, and what they may do. Every route except /enter and /static needs a signed-in person: others get 401.

How routes and pages use it:

    from fewlabels.service.access import Member, Person, csrf_token, of_study, owner_only, signed_in
    from fewlabels.service.state import Bench, bench_of

    @router.get("/")                                     # anybody who is signed in
    def studies(request: Request, person: Annotated[Person, Depends(signed_in)]) -> Response: ...

    @router.get("/people")                               # owners; others get 403
    def people(request: Request, person: Annotated[Person, Depends(owner_only)]) -> Response: ...

    @router.get("/studies/{study}/label")                # owners, and members with one of these roles; other members get 403,
    def label(                                           # anybody else 404, as if the study did not exist
        request: Request, member: Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
    ) -> Response: ...                                   # member.person, member.study (the name), member.role ("owner", "labeler", ...)

    csrf_token(request)          the content of <meta name="csrf-token">; unsafe requests send it as the header X-CSRF-Token
    bench_of(request)            the server's Bench: .study(name), .desk(name), .people, .settings, .ledger

The path parameter of the study is always called `study`. Pages are GET only; every change is a request to /api by script
(fetch or HTMX, with the header; not navigator.sendBeacon, which cannot send it). A page reports an error by raising
fastapi.HTTPException(status, text); the response is made by `pages.error_page(request, status, text) -> Response`, and is JSON below /api.
GET /enter is a page (nobody is signed in yet: no dependency; it shows a form `method=post action=/enter` with the hidden field `key` and
one button). POST /enter is in `sign_in`: it sets the cookie and responds with 303 to /.
"""

import hashlib
import hmac
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias

from fastapi import HTTPException, Request

from fewlabels.errors import LedgerError
from fewlabels.ledgers.people import Holder, Role
from fewlabels.service.state import ServerState, bench_of

COOKIE = "fewlabels_session"  # begins the name of the cookie, which ends with the address of its server
CSRF_HEADER = "X-CSRF-Token"
LEAVE = "/api/leave"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN = ("/enter", "/static/")  # open without signing in
SESSION_SECONDS = 12 * 3600  # without a request, after which it ends
SESSION_AT_MOST = 7 * 24 * 3600  # however much it is used
RENEW_AFTER = 600  # seconds between two renewals, so that not every request writes


AnyRole: TypeAlias = Literal["owner"] | Role


class Visitor(NamedTuple):
    """Somebody who is signed in."""

    name: str
    is_owner: bool


class Member(NamedTuple):
    """Somebody who is signed in, and their role in a study."""

    person: Visitor
    study: str
    role: AnyRole


def is_open(path: str) -> bool:
    """Return whether a path is open to everybody."""
    return path == OPEN[0] or path.startswith(OPEN[1])


def let_in(request: Request) -> None:
    """Note whose session or token a request carries; raise HTTPException if it carries none, or lacks the CSRF token."""
    bench = bench_of(request)
    secret, kind = _carried(request)
    holder = bench.people.holder(secret, kind) if secret else None
    if holder is None:
        bench.limits.spend("refused", _address(request))
        raise HTTPException(401, "you have to sign in first: use the link you were given, or send a valid token")
    bench.limits.spend("person", holder.hash)
    if holder.entered_by is not None and request.method not in SAFE and request.scope["path"] != LEAVE:
        raise HTTPException(
            403, f"an owner who enters as somebody else may only look, and {holder.entered_by} entered here as {holder.person}: leave, and "
            "use your own link"
        )  # fmt: skip
    if kind == "session":
        if request.method not in SAFE and not hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), _csrf(secret).encode()):
            raise HTTPException(403, f"a change needs the token of its page in the header {CSRF_HEADER}: reload the page")
        _renew(bench, holder)
    if holder.entered_by is None:
        _note_seen(bench, holder.person)
    request.state.holder, request.state.secret = holder, secret


def signed_in(request: Request) -> Visitor:
    """Return the person who makes the request."""
    holder: Holder | None = getattr(request.state, "holder", None)
    if holder is None:  # the guard has rejected it; a route unknown to the guard is rejected here
        raise HTTPException(401, "you have to sign in first: use the link you were given, or send a valid token")
    return Visitor(holder.person, holder.is_owner)


def owner_only(request: Request) -> Visitor:
    """Return the person who makes the request; raise HTTPException unless it is an owner."""
    person = signed_in(request)
    if not person.is_owner:
        raise HTTPException(403, "only owners may do this: ask one")
    return person


def of_study(*roles: Role) -> Callable[[Request, str], Member]:
    """Return a dependency: the person and their role in the study of the path, if they are an owner or have one of these roles."""

    def member(request: Request, study: str) -> Member:
        person, bench = signed_in(request), bench_of(request)
        role: AnyRole | None = "owner" if person.is_owner else bench.people.role(person.name, study)
        if role is None or not bench.has(study):
            raise HTTPException(404, "there is no such study, or you have no access to it")
        if role != "owner" and role not in roles:
            raise HTTPException(403, f"a {role} may not do this: ask an owner of the study")
        return Member(person, study, role)

    return member


def csrf_token(request: Request) -> str:
    """Return what a page of this session sends with a change; empty if an API token was used."""
    secret, kind = _carried(request)
    return _csrf(secret) if secret and kind == "session" else ""


def _carried(request: Request) -> tuple[str, Literal["session", "token"]]:
    """Return the secret a request carries. A token takes precedence over a cookie."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip(), "token"
    return request.cookies.get(cookie_name(request), ""), "session"


def cookie_name(request: Request) -> str:
    """Return the name of the session's cookie: another server on this machine, or another name of this one, has another.

    Over TLS it begins with __Host-, which a browser accepts only for this very host and the whole of it.
    """
    place = re.sub("[^a-z0-9]+", "-", request.headers.get("host", "").lower()).strip("-")
    return f"{'__Host-' if bench_of(request).settings.secure else ''}{COOKIE}_{place}"


def _csrf(secret: str) -> str:
    """Return a proof that a page was served to the session: it takes the session's secret to make, and does not reveal it."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"fewlabels csrf", hashlib.sha256).hexdigest()


def _renew(bench: ServerState, holder: Holder) -> None:
    """Extend a session that is in use, up to its maximum age."""
    until = min(bench.clock() + SESSION_SECONDS, holder.at + SESSION_AT_MOST)
    if until - holder.until > RENEW_AFTER:
        bench.people.renew(holder, until=until)


def _note_seen(bench: ServerState, person: str) -> None:
    """Note that somebody is there. Nobody is refused because that cannot be written now."""
    with suppress(LedgerError):
        bench.people.note_seen(person)


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
