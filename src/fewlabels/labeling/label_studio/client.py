"""Label Studio's HTTP interface, using the standard library: projects, tasks, exports, webhooks.

The token is sent only to the host it was given for: redirects elsewhere are refused. Only reading requests are retried when the
network fails; a lost response to an import is repaired by the next push, which lists the tasks first.
"""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from fewlabels.errors import LabelError

PAGE = 500
MOST_PAGES = 10_000
MOST_BYTES = 256 * 2**20
TRIES = 3
BUSY = frozenset({502, 503, 504})
TOKEN = re.compile(r"[\x21-\x7e]+")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
AT_ONCE = 1_000  # tasks in one import


class Project(NamedTuple):
    """A project: its number, and the description that identifies its study."""

    id: int
    description: str


class SameHost(urllib.request.HTTPRedirectHandler):
    """Follow a redirect only to the same host, and only for reading requests."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """Return the next request; raise an error if the token would leave its host."""
        if _origin(newurl) != _origin(req.full_url) or req.get_method() != "GET":
            raise LabelError(
                f"the token is sent to {_origin(req.full_url)} alone, but it redirects to {_origin(newurl)}: name that as --url "
                "if you trust it"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class LabelStudio:
    """A Label Studio server and the account of a token."""

    def __init__(self, url: str, token: str, *, timeout: float = 60.0, pause: float = 0.5) -> None:
        """Send nothing yet. token is a legacy token (40 hexadecimal digits) or a personal access token."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise LabelError(f"Label Studio's address must be http(s)://HOST[:PORT][/PATH], got {url!r}: write it like that")
        if not TOKEN.fullmatch(token):
            raise LabelError(
                "a Label Studio token must be one line of plain characters, but this one is not: copy it again from Account & Settings"
            )
        self.url = url.rstrip("/")
        self._token, self._timeout, self._pause = token, timeout, pause
        self._access: str | None = None
        handlers: list[urllib.request.BaseHandler] = [SameHost()]
        if parts.hostname in LOOPBACK:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def create_project(self, **settings: object) -> Project:
        """Create a project with these settings."""
        made = self._call("POST", "/api/projects/", settings)
        return Project(int(made["id"]), str(made.get("description") or ""))

    def projects(self) -> list[Project]:
        """Return every project the account can see."""
        found = self._pages("/api/projects", "results", include="id,description")
        return [Project(int(one["id"]), str(one.get("description") or "")) for one in found]

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, object]]) -> int:
        """Import tasks and return how many were added."""
        added = 0
        for start in range(0, len(tasks), AT_ONCE):
            done = self._call("POST", f"/api/projects/{project}/import?return_task_ids=true", list(tasks[start : start + AT_ONCE]))
            added += int(done["task_count"])
        return added

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """Return every task of a project."""
        return list(self._pages("/api/tasks", "tasks", project=project))

    def export(self, project: int) -> list[dict[str, Any]]:
        """Return every task of a project with its annotations, including tasks without one."""
        found = self._call("GET", f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true")
        return [task for task in found if isinstance(task, dict)] if isinstance(found, list) else []

    def people(self) -> dict[str, str]:
        """Return the email addresses of accounts, by their number."""
        found = self._call("GET", "/api/users/")
        rows = found.get("results", []) if isinstance(found, dict) else found
        return {str(one["id"]): str(one["email"]) for one in rows if isinstance(one, dict) and one.get("email")}

    def create_webhook(self, project: int, url: str) -> int:
        """Create a webhook that calls an address when answers arrive, without their content; return its number."""
        wanted = ["ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED"]
        how = {"project": project, "url": url, "send_payload": False, "send_for_all_actions": False, "actions": wanted}
        return int(self._call("POST", "/api/webhooks/", how)["id"])

    def delete_project(self, project: int) -> None:
        """Delete a project with its tasks and annotations."""
        self._call("DELETE", f"/api/projects/{project}/")

    def _pages(self, path: str, key: str, **query: object) -> Iterator[dict[str, Any]]:
        """Yield the rows of every page; a page shorter than requested is the last unless it says that there are more."""
        seen = 0
        for page in range(1, MOST_PAGES + 1):
            found = self._call("GET", f"{path}?{urlencode({**query, 'page': page, 'page_size': PAGE})}")
            rows = [row for row in found.get(key, []) if isinstance(row, dict)]
            yield from rows
            seen += len(rows)
            if not rows or seen >= int(found.get("total", found.get("count", 0))):
                return

    def _call(self, method: str, path: str, body: object = None) -> Any:
        """Return the response to one call as JSON; None if it is empty. If the access token has expired, retry with a new one."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._send(method, path, body)
            except urllib.error.HTTPError as error:
                status, told = error.code, self._clean(error)
                if status == 401 and self._access is not None and attempt == 1:
                    self._access = None
                elif method != "GET" or status not in BUSY or attempt == TRIES:
                    raise LabelError(_complaint(f"{method} {path.partition('?')[0]}", self.url, status, told)) from None
                else:
                    time.sleep(self._pause * attempt)
            except (OSError, HTTPException) as error:
                if method != "GET" or attempt == TRIES:
                    raise LabelError(
                        f"Label Studio at {self.url} does not answer {method} {path.partition('?')[0]} ({self._clean(error)}): check "
                        "--url, and run the command again, which adds nothing twice"
                    ) from None
                time.sleep(self._pause * attempt)
        raise LabelError(f"Label Studio at {self.url} refuses the token: make a new one under Account & Settings")

    def _send(self, method: str, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self._authorization(), "Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with self._opener.open(request, timeout=self._timeout) as reply:
            return self._parsed(reply, path)

    def _parsed(self, reply: Any, path: str) -> Any:
        content = reply.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise LabelError(
                f"a response can hold at most {MOST_BYTES:,} bytes, but that to {path.partition('?')[0]} is longer: export to a file"
            )
        try:
            return json.loads(content) if content else None
        except (ValueError, RecursionError):
            raise LabelError(
                f"{self.url} does not answer {path.partition('?')[0]} with JSON, so it is no Label Studio server: check --url"
            ) from None

    def _authorization(self) -> str:
        """Return the Authorization header. A personal access token has three parts and is exchanged for one that lasts minutes."""
        if self._token.count(".") != 2:
            return f"Token {self._token}"
        if self._access is None:
            data = json.dumps({"refresh": self._token}).encode()
            request = urllib.request.Request(
                f"{self.url}/api/token/refresh", data=data, headers={"Content-Type": "application/json"}, method="POST"
            )
            with self._opener.open(request, timeout=self._timeout) as reply:
                self._access = str(self._parsed(reply, "/api/token/refresh")["access"])
        return f"Bearer {self._access}"

    def _clean(self, error: Exception) -> str:
        """Return an error's message, short, on one line, and without the token."""
        told = str(error)
        if isinstance(error, urllib.error.HTTPError):
            with error:
                told = error.read(2_000).decode("utf-8", "replace")
        for secret in filter(None, (self._token, self._access)):
            told = told.replace(secret, "***")
        return ascii(told[:300])[1:-1]


def _complaint(call: str, url: str, status: int, told: str) -> str:
    """Return the error for a response with an error status."""
    if status in (401, 403):
        return f"Label Studio at {url} refuses the token for {call} ({status}): use one of an account with access, see Account & Settings"
    return f"Label Studio at {url} answers {call} with {status} ({told}): check --url and the version; 1.23 is tested"


def _origin(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
