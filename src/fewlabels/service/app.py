"""The application: everything in `fewlabels.service`, put together."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from fewlabels.ledgers.opening import open_ledger
from fewlabels.reports import plan_page
from fewlabels.reports.design import DESIGN
from fewlabels.service import (
    api_extension,
    api_groups,
    api_home,
    api_labeling,
    api_notes,
    api_overview,
    api_people,
    api_plans,
    api_records,
    api_results,
    api_studies,
    api_study_people,
    api_tables,
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
from fewlabels.service.uploads import sweep
from fewlabels.service.verifying import Verifying
from fewlabels.version import VERSION

STATIC = Path(__file__).parent / "static"
REPORTS = Path(plan_page.__file__).parent
SHARED = {plan_page.WIDTHS: "text/javascript", DESIGN: "text/css"}  # the same files are part of reports, and of the page of a plan
ROUTERS = (
    entering.router,
    api_studies.router,
    api_home.router,
    api_tables.router,
    api_plans.router,
    api_extension.router,
    api_labeling.router,
    api_notes.router,
    images.router,
    api_results.router,
    api_overview.router,
    api_records.router,
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
    sweep(settings, ledger, now=app.state.bench.clock())
    errors.install(app)
    for router in ROUTERS:
        app.include_router(router)

    for name, kind in SHARED.items():
        app.add_api_route(f"/static/{name}", _served(REPORTS / name, kind), include_in_schema=False)

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False))

    @app.get("/api/openapi.json", include_in_schema=False)
    def openapi(request: Request, person: Annotated[Visitor, Depends(signed_in)]) -> JSONResponse:
        return JSONResponse(document(request.app))

    app.add_middleware(Guard)
    app.add_middleware(Shield)  # added last, so it runs first
    return app


def _served(file: Path, kind: str) -> Callable[[], FileResponse]:
    """Return the route of a file that pages outside the workbench share."""
    return lambda: FileResponse(file, media_type=kind)


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
