"""Who asks, and what they may do. Every route but /enter and /static is for people who have entered: the gate refuses all others with 401.

How routes and pages use it:

    from fewlabels.service.access import Member, Person, csrf_token, of_study, owner_only, signed_in
    from fewlabels.service.state import Bench, bench_of

    @router.get("/")                                     # anybody who has entered
    def studies(request: Request, person: Annotated[Person, Depends(signed_in)]) -> Response: ...

    @router.get("/people")                               # owners; others get 403
    def people(request: Request, person: Annotated[Person, Depends(owner_only)]) -> Response: ...

    @router.get("/studies/{study}/label")                # owners, and members with one of these roles; others of the study get 403,
    def label(                                           # whoever is no member of it 404, as if it did not exist
        request: Request, member: Annotated[Member, Depends(of_study("labeler", "adjudicator"))]
    ) -> Response: ...                                   # member.person, member.study (the name), member.role ("owner", "labeler", ...)

    csrf_token(request)          the text for <meta name="csrf-token">; unsafe requests send it as the header X-CSRF-Token
    bench_of(request)            the server's Bench: .study(name), .desk(name), .people, .settings, .ledger

A path parameter of the study is always called `study`. Pages are GET only; whatever changes something is a request to /api by script
(fetch or HTMX, with the header; not navigator.sendBeacon, which cannot send it). A page says no by raising
fastapi.HTTPException(status, text); the answer is made by `pages.error_page(request, status, text) -> Response`, and is JSON below /api.
GET /enter is a page (nobody has entered yet: no dependency; it shows a form `method=post action=/enter` with the hidden field `key` and
one button). POST /enter is in `entering`: it sets the cookie and answers 303 to /.
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from fastapi import HTTPException, Request

from fewlabels.ledgers.people import Holder, Role
from fewlabels.service.state import Bench, bench_of

COOKIE = "fewlabels_session"
CSRF_HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN = ("/enter", "/static/")  # nobody has to have entered for these
SESSION_SECONDS = 12 * 3600  # without a request; it ends then
SESSION_AT_MOST = 7 * 24 * 3600  # however much it is used
RENEW_AFTER = 600  # seconds between two renewals: not every request writes


AnyRole: TypeAlias = Literal["owner"] | Role


class Person(NamedTuple):
    """Somebody who has entered."""

    name: str
    is_owner: bool


class Member(NamedTuple):
    """Somebody who has entered, and what they are in a study."""

    person: Person
    study: str
    role: AnyRole


def is_open(path: str) -> bool:
    """Whether a path is for everybody."""
    return path == OPEN[0] or path.startswith(OPEN[1])


def let_in(request: Request) -> None:
    """Nothing comes back. Notes whose session or token a request carries; refuses one that carries none, or no proof of its page."""
    bench = bench_of(request)
    secret, kind = _carried(request)
    holder = bench.people.holder(secret, kind) if secret else None
    if holder is None:
        bench.limits.spend("refused", _address(request))
        raise HTTPException(401, "you have to enter first: use the link you were given, or send a valid token")
    bench.limits.spend("person", holder.hash)
    if kind == "session":
        if request.method not in SAFE and not hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), _csrf(secret).encode()):
            raise HTTPException(403, f"a change needs the token of its page in the header {CSRF_HEADER}: load the page again")
        _renew(bench, holder)
    request.state.holder, request.state.secret = holder, secret


def signed_in(request: Request) -> Person:
    """Who asks."""
    holder: Holder | None = getattr(request.state, "holder", None)
    if holder is None:  # the gate has refused it; a route of which it knows nothing is refused here
        raise HTTPException(401, "you have to enter first: use the link you were given, or send a valid token")
    return Person(holder.person, holder.is_owner)


def owner_only(request: Request) -> Person:
    """Who asks, if it is an owner."""
    person = signed_in(request)
    if not person.is_owner:
        raise HTTPException(403, "this is for owners: ask one")
    return person


def of_study(*roles: Role) -> Callable[[Request, str], Member]:
    """A dependency: who asks and what they are in the study of the path, if they are an owner or have one of these roles."""

    def member(request: Request, study: str) -> Member:
        person, bench = signed_in(request), bench_of(request)
        role: AnyRole | None = "owner" if person.is_owner else bench.people.role(person.name, study)
        if role is None or not bench.has(study):
            raise HTTPException(404, "there is no such study, or it is not yours to see")
        if role != "owner" and role not in roles:
            raise HTTPException(403, f"a {role} may not do this: ask an owner of the study")
        return Member(person, study, role)

    return member


def csrf_token(request: Request) -> str:
    """What a page of this session sends along with a change. Empty where a token of a program was used."""
    secret, kind = _carried(request)
    return _csrf(secret) if secret and kind == "session" else ""


def _carried(request: Request) -> tuple[str, Literal["session", "token"]]:
    """The secret a request carries. A token goes before a cookie: who sends both means the token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip(), "token"
    return request.cookies.get(COOKIE, ""), "session"


def _csrf(secret: str) -> str:
    """Proof that a page was given out to the session: only who knows its secret can make it, and it does not give the secret away."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"fewlabels csrf", hashlib.sha256).hexdigest()


def _renew(bench: Bench, holder: Holder) -> None:
    """Lets a session that is used last longer, up to its end."""
    until = min(bench.clock() + SESSION_SECONDS, holder.at + SESSION_AT_MOST)
    if until - holder.until > RENEW_AFTER:
        bench.people.renew(holder, until=until)


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
