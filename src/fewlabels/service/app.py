"""The application: everything in `fewlabels.service`, put together."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from fewlabels.ledgers.opening import open_ledger
from fewlabels.reports import plan_page
from fewlabels.service import (
    api_groups,
    api_labeling,
    api_people,
    api_plans,
    api_results,
    api_studies,
    api_study_people,
    errors,
    events,
    images,
    pages,
)
from fewlabels.service import sign_in as entering
from fewlabels.service.access import COOKIE, Visitor, signed_in
from fewlabels.service.guard import Guard, Shield
from fewlabels.service.settings import Settings
from fewlabels.service.state import ServerState
from fewlabels.service.verifying import Verifying
from fewlabels.version import VERSION

STATIC = Path(__file__).parent / "static"
WIDTHS = Path(plan_page.__file__).with_name(plan_page.WIDTHS)  # the same file is part of the page of `fewlabels plan --html`
ROUTERS = (
    entering.router,
    api_studies.router,
    api_plans.router,
    api_labeling.router,
    images.router,
    api_results.router,
    events.router,
    api_people.router,
    api_groups.router,
    api_study_people.router,
    *pages.ROUTERS,
)
ABOUT = (
    "Plan studies, record labels and read results. Sign in by a link (cookie; changes then need the header X-CSRF-Token), "
    "or send a token: Authorization: Bearer TOKEN."
)


def create_app(ledger_address: str, *, settings: Settings) -> FastAPI:
    """Return the workbench and its API on one ledger."""
    app = FastAPI(title="fewlabels", version=VERSION, description=ABOUT, openapi_url=None, docs_url=None, redoc_url=None)
    ledger = open_ledger(ledger_address)
    ledger.require_current()
    ledger.hold()
    app.state.bench = ServerState(ledger, settings, address=ledger_address)
    app.state.verifying = Verifying(app.state.bench)
    errors.install(app)
    for router in ROUTERS:
        app.include_router(router)

    @app.get("/static/widths.js", include_in_schema=False)
    def widths() -> FileResponse:
        return FileResponse(WIDTHS, media_type="text/javascript")

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False))

    @app.get("/api/openapi.json", include_in_schema=False)
    def openapi(request: Request, person: Annotated[Visitor, Depends(signed_in)]) -> JSONResponse:
        return JSONResponse(document(request.app))

    app.add_middleware(Guard)
    app.add_middleware(Shield)  # added last, so it runs first
    return app


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of the API."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        made.setdefault("components", {})["securitySchemes"] = {
            "session": {"type": "apiKey", "in": "cookie", "name": f"{COOKIE}_HOST-PORT"},
            "token": {"type": "http", "scheme": "bearer"},
        }
        made["security"] = [{"session": []}, {"token": []}]
        app.openapi_schema = made
    return app.openapi_schema
