"""What all pages share: templates, the frame with its links, and errors as pages."""

from typing import Any, NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse

from fewlabels.service.access import Member, Visitor, csrf_token
from fewlabels.service.filters import environment, part

TEMPLATES = environment()
HEADINGS = {401: "Sign in first", 403: "No access", 404: "Not found", 409: "Not now", 429: "Too many requests", 503: "Ledger unavailable"}
PAGES = {  # of a study: the name of each page, and the roles that see it
    "": ("Overview", ("owner", "viewer", "labeler", "adjudicator")),
    "plan": ("Plan", ("owner",)),
    "label": ("Label", ("owner", "labeler", "adjudicator")),
    "label?adjudicate=true": ("Adjudicate", ("owner", "adjudicator")),
    "people": ("People", ("owner",)),
    "notes": ("Notes", ("owner",)),
    "results": ("Results", ("owner", "viewer")),
    "audit": ("Audit", ("owner", "viewer")),
}


class PageLink(NamedTuple):
    """A link to another page."""

    name: str
    address: str
    here: bool = False


def error_page(request: Request, status: int, text: str) -> HTMLResponse:
    """Return an error as a page, or as a sentence if only a part of a page was requested."""
    holder = getattr(request.state, "holder", None)
    person = Visitor(holder.person, holder.is_owner) if holder else None
    name = "parts/problem" if request.headers.get("hx-request") == "true" else "error"
    return page(request, name, person=person, code=status, heading=HEADINGS.get(status, "That did not work"), text=text)


def study_page(request: Request, name: str, member: Member, *, at: str | None = None, **shown: Any) -> HTMLResponse:
    """Return a page of a study; `at` is the page of PAGES that it is or belongs to."""
    address, here = study_address(member.study), name if at is None else at
    return page(
        request, name, person=member.person, study=member.study, role=member.role, here=address, api=f"/api{address}",
        tabs=study_links(member.study, member.role, here), crumbs=_crumbs(member.study, here), **shown,
    )  # fmt: skip


def page(request: Request, name: str, *, person: Visitor | None = None, code: int = 200, **shown: Any) -> HTMLResponse:
    """Return a rendered template as a response with that status code."""
    shown = {"links": links(person, request.scope["path"]), "tabs": [], "crumbs": []} | shown
    text = TEMPLATES.get_template(f"{name}.html").render(person=person, csrf=csrf_token(request), code=code, **shown)
    return HTMLResponse(text, code)


def links(person: Visitor | None, here: str) -> list[PageLink]:
    """Return links to the pages that belong to no study."""
    if person is None:
        return []
    own = ("People", "/people") if person.is_owner else ("Tokens", "/tokens")
    return [PageLink(name, address, here=address == here) for name, address in (("Studies", "/"), own)]


def study_links(study: str, role: str, here: str = "") -> list[PageLink]:
    """Return links to the pages of a study that a person may see."""
    address = study_address(study)
    return [
        PageLink(name, f"{address}/{end}" if end else address, here=end == here) for end, (name, roles) in PAGES.items() if role in roles
    ]


def study_address(study: str) -> str:
    """Return the address of a study's overview."""
    return f"/studies/{part(study)}"


def _crumbs(study: str, here: str) -> list[PageLink]:
    """Return the way from the list of studies to this page."""
    way = [PageLink("Studies", "/"), PageLink(study, study_address(study), here=here == "")]
    return way if here == "" or here not in PAGES else [*way, PageLink(PAGES[here][0], "", here=True)]
