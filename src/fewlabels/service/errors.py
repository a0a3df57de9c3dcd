"""Error responses: {"error": text} below /api, a page elsewhere. Never a traceback."""

import logging
import secrets
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from fewlabels.errors import DrawError, FewlabelsError, FingerprintError, LabelError, LedgerError, LedgerUnreachable, StudyError
from fewlabels.service.pages.frame import error_page
from fewlabels.service.wording import for_browser

log = logging.getLogger("fewlabels.service")
OBSTACLES = (StudyError, FingerprintError, LedgerError)
PLAIN = (StudyError, LabelError, DrawError)  # about studies and answers: their messages name no table and no address


def refusal(
    request: Request, status: int, text: str, *, headers: Mapping[str, str] | None = None, field: str | None = None
) -> Response:  # fmt: skip
    """Return the response to a request that is refused; `field` is the part of its body that is to blame."""
    text = for_browser(text)
    api = request.scope["path"].startswith(("/api/", "/static/")) or request.scope["path"] == "/api"
    told = {"error": text} if field is None else {"error": text, "field": field}
    answer: Response = JSONResponse(told, status) if api else error_page(request, status, text)
    answer.headers.update(headers or {})
    return answer


def crashed(request: Request, error: Exception) -> Response:
    """Return the response to an internal error, with an ID that identifies the log entry."""
    number = secrets.token_hex(4)
    log.error("request %s failed: %s %s", number, request.method, request.scope["path"], exc_info=error)
    return refusal(request, 500, f"the server failed; its log says why under {number}")


def declined(request: Request, error: FewlabelsError) -> Response:
    """Return the response to an error of fewlabels: 409 for a conflict, 503 if the ledger cannot be reached, else 400.

    Labelers are told about their own answers; other errors, which may name tables and addresses, go to the log.
    """
    status = 503 if isinstance(error, LedgerUnreachable) else 409 if isinstance(error, OBSTACLES) else 400
    holder = getattr(request.state, "holder", None)
    for_all = isinstance(error, PLAIN) or (holder is not None and holder.is_owner and not isinstance(error, LedgerError))
    if for_all:
        return refusal(request, status, str(error), field=error.field)
    number = secrets.token_hex(4)
    log.warning("request %s was refused: %s %s: %s", number, request.method, request.scope["path"], error)
    return refusal(request, status, f"this cannot be done now: try again, or tell the owner, whose log says why under {number}")


def install(app: FastAPI) -> None:
    """Make the app respond to errors this way."""

    @app.exception_handler(FewlabelsError)
    def refused(request: Request, error: FewlabelsError) -> Response:
        return declined(request, error)

    @app.exception_handler(HTTPException)
    def stopped(request: Request, error: HTTPException) -> Response:
        return refusal(request, error.status_code, error.detail, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
        first = [str(part) for part in error.errors()[0]["loc"]]
        return refusal(request, 422, "; ".join(told), field=".".join(first[1:]) if first[0] == "body" and len(first) > 1 else None)
