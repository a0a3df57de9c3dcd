"""HTTP exchanges: recorded by a proxy on 127.0.0.1 in front of a real server, and replayed by a server that answers as it did.

A recording holds method, path, body and reply of every request, in order, and no header: so no token. Replies that are the same are kept
once. A replay answers the next request if it is the recorded one, with the same body, and fails it otherwise.
"""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

SECRET = ("access", "refresh", "token", "password")


class Exchange(NamedTuple):
    """One request and its reply; bodies as JSON, None where empty."""

    method: str
    path: str
    body: Any
    status: int
    reply: Any


def save_exchanges(path: Path, exchanges: list[Exchange]) -> None:
    """Writes a recording."""
    replies: list[Any] = []
    rows = []
    for one in exchanges:
        if one.reply not in replies:
            replies.append(one.reply)
        rows.append({**one._asdict(), "reply": replies.index(one.reply)})
    lines = ",\n".join(json.dumps(reply, ensure_ascii=False, separators=(",", ":")) for reply in replies)
    head = json.dumps(rows, ensure_ascii=False, indent=1)
    path.write_text(f'{{"exchanges": {head},\n"replies": [\n{lines}\n]}}\n')


def load_exchanges(path: Path) -> list[Exchange]:
    """Reads a recording."""
    held = json.loads(path.read_text())
    return [Exchange(**{**row, "reply": held["replies"][row["reply"]]}) for row in held["exchanges"]]


def cleaned(value: Any) -> Any:
    """The same without secrets."""
    if isinstance(value, dict):
        return {key: "removed" if key in SECRET and isinstance(item, str) else cleaned(item) for key, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


class Handler(BaseHTTPRequestHandler):
    """Hands every request to the server's `answer`."""

    def _any(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        body = json.loads(content) if content else None
        assert isinstance(self.server, Quiet)
        status, reply = self.server.answer(self.command, self.path, body, self.headers.get("Authorization"))
        out = b"" if reply is None else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = do_DELETE = do_PATCH = _any

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


class Quiet(ThreadingHTTPServer):
    """A server that says nothing when a client gives up waiting."""

    daemon_threads = True

    def __init__(self, answer: Any) -> None:
        """Listen on loopback, and answer every request so."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing is printed."""


@contextmanager
def serving(answer: Any) -> Iterator[str]:
    """The address of a server that answers so."""
    server = Quiet(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def recording(url: str, exchanges: list[Exchange]) -> Iterator[str]:
    """The address of a proxy in front of a real server; what passes is added to the exchanges, without secrets."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def answer(method: str, path: str, body: Any, authorization: str | None) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": authorization} if authorization else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with opener.open(urllib.request.Request(url + path, data=data, headers=headers, method=method), timeout=120) as got:
                status, content = got.status, got.read()
        except urllib.error.HTTPError as error:
            with error:
                status, content = error.code, error.read()
        reply = json.loads(content) if content else None
        exchanges.append(Exchange(method, path, cleaned(body), status, cleaned(reply)))
        return status, reply

    with serving(answer) as address:
        yield address


@contextmanager
def replaying(exchanges: list[Exchange]) -> Iterator[tuple[str, list[str]]]:
    """The address of a server that answers as recorded, and what went wrong; all exchanges have to be used up."""
    left, wrong = list(exchanges), list[str]()

    def answer(method: str, path: str, body: Any, authorization: str | None) -> tuple[int, Any]:
        if authorization is None and not path.startswith("/api/token/"):
            return 401, {"detail": "no token"}
        if not left or (left[0].method, left[0].path, left[0].body) != (method, path, cleaned(body)):
            wrong.append(f"{method} {path} was sent, but {left[0].method + ' ' + left[0].path if left else 'nothing'} was recorded")
            return 418, {"detail": wrong[-1]}
        return left[0].status, left.pop(0).reply

    with serving(answer) as address:
        yield address, wrong
        wrong += [f"{one.method} {one.path} was recorded, but not sent" for one in left]
