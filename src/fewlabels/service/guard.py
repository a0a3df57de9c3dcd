"""Checks before every route: the headers of every response, host names, sizes, rates, and who is signed in."""

import asyncio
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from fastapi import HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fewlabels.errors import FewlabelsError
from fewlabels.service.access import SAFE, is_open, let_in
from fewlabels.service.errors import crashed, declined, refusal
from fewlabels.service.limits import Kind, too_many
from fewlabels.service.state import bench_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HOST = re.compile(r"[A-Za-z0-9.\-_]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")
UPLOADS = ("POST", "/api/uploads")
STATIC_CACHE = "no-cache"  # revalidated each time, answered with 304 while unchanged


class Shield:
    """Set the headers of every response; if the app fails, respond in its place."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the app and the other middleware."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _put_headers(message, scope)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            if begun:
                raise
            await crashed(Request(scope), error)(scope, receive, sending)


def _put_headers(message: Message, scope: Scope) -> None:
    """Add the headers to the start of a response."""
    headers, path = MutableHeaders(raw=message.setdefault("headers", [])), str(scope["path"])
    for name, value in HEADERS.items():
        headers[name] = value
    if path.startswith("/static/"):
        headers["Cache-Control"] = STATIC_CACHE
    if path == "/enter":  # otherwise a form does not send its page's origin
        headers["Referrer-Policy"] = "same-origin"
    if bench_of(Request(scope)).settings.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"


class Guard:
    """Reject requests that are for another host, from another site, too large, too slow, too many, or not signed in."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or reject it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, reading = Request(scope, receive), BodyReading(scope, receive)
        try:
            _check(request)
            if not is_open(scope["path"]):  # request.url is made from the Host header, which the sender chooses
                await run_in_threadpool(let_in, request)
            await self._app(scope, reading, send)
        except HTTPException as error:
            await refusal(request, error.status_code, error.detail, headers=error.headers)(scope, receive, send)
        except FewlabelsError as error:
            await declined(request, error)(scope, receive, send)


def _check(request: Request) -> None:
    """Check the headers of a request; raise HTTPException if it is rejected."""
    bench, host = bench_of(request), request.headers.get("host", "")
    if _name(host) not in bench.settings.host_names:
        raise HTTPException(421, "this server does not answer to that name: start it with --host-name to add one")
    origin = request.headers.get("origin")
    if origin is not None and request.method not in SAFE and urlsplit(origin).netloc.lower() != host.lower():
        raise HTTPException(403, "changes must come from a page of this server, but this one does not: open the workbench itself")
    kind: Kind = "entering" if request.scope["path"] == "/enter" else "address"
    if seconds := bench.limits.wait(kind, request.client.host if request.client else "unknown"):
        raise too_many(seconds)
    length = request.headers.get("content-length", "0")
    most = body_limit(request).bytes
    if not length.isdecimal() or int(length) > most:
        raise too_large(most)


def _name(host: str) -> str:
    """Return the name in a Host header, without its port; empty if it holds anything else."""
    if not HOST.fullmatch(host):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


class BodyLimit(NamedTuple):
    """How many bytes the body of a request may hold, and in how many seconds it has to arrive."""

    bytes: int
    seconds: float


def body_limit(request: Request) -> BodyLimit:
    """Return the limit of a request's body: that of uploads on their own route alone, which reads it for owners only."""
    settings = bench_of(request).settings
    if (request.method, request.scope["path"]) == UPLOADS and settings.upload_bytes:
        return BodyLimit(settings.upload_bytes, settings.limits.upload_seconds)
    return BodyLimit(settings.limits.body_bytes, settings.limits.body_seconds)


def too_large(most: int) -> HTTPException:
    """Return the refusal of a body that is too large."""
    return HTTPException(413, f"a request holds at most {most:,} bytes: send less at a time, or a smaller table")


class BodyReading:
    """The body of a request: rejected if it is too large, or takes too long to arrive."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        """Read nothing yet."""
        self._receive, self._limit = receive, body_limit(Request(scope))
        self._bytes, self._ended = 0, False
        self._deadline: float | None = None  # of all parts together

    async def __call__(self) -> Message:
        """Return the next part."""
        if self._ended:
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._limit.seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "the request did not arrive in time: send it again") from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._limit.bytes:
            raise too_large(self._limit.bytes)
        self._ended = not message.get("more_body", False)
        return message
