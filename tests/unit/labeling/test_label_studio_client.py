"""The client of Label Studio against small servers on 127.0.0.1: what it sends, what it repeats, and what it refuses."""

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.label_studio import client as module
from fewlabels.labeling.label_studio.client import LabelStudio
from tests.recorded.exchanges import serving

TOKEN = "0123456789abcdef0123456789abcdef01234567"
Seen = list[tuple[str, str, Any, str | None]]


def studio(url: str, token: str = TOKEN) -> LabelStudio:
    return LabelStudio(url, token, timeout=5, pause=0.001)


def answering(seen: Seen, *replies: tuple[int, Any]) -> Callable[..., tuple[int, Any]]:
    left = list(replies)

    def answer(*request: Any) -> tuple[int, Any]:
        seen.append(request)
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def test_the_token_goes_with_every_call() -> None:
    seen: Seen = []
    with serving(answering(seen, (200, {"count": 0, "results": []}))) as url:
        assert studio(url).projects() == []
    assert [one[3] for one in seen] == [f"Token {TOKEN}"]


def test_every_page_is_read() -> None:
    def answer(method: str, path: str, *_: Any) -> tuple[int, Any]:
        page = int(path.partition("&page=")[2].partition("&")[0])
        return 200, {"total": 5, "tasks": [{"id": 2 * page - 1}, {"id": 2 * page}][: 2 if page < 3 else 1]}

    with serving(answer) as url:
        assert [task["id"] for task in studio(url).tasks(3)] == [1, 2, 3, 4, 5]


def test_a_server_that_says_there_is_more_and_gives_nothing_does_not_hold_us() -> None:
    with serving(lambda *_: (200, {"total": 5, "tasks": []})) as url:
        assert studio(url).tasks(3) == []


@pytest.mark.parametrize("status", [502, 503, 504])
def test_what_reads_is_repeated_when_the_server_is_busy(status: int) -> None:
    seen: Seen = []
    with serving(answering(seen, (status, None), (status, None), (200, []))) as url:
        assert studio(url).export(1) == []
    assert len(seen) == 3


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_what_writes_is_never_repeated(status: int) -> None:
    seen: Seen = []
    with serving(answering(seen, (status, {"detail": "no"}))) as url, pytest.raises(LabelError, match=str(status)):
        studio(url).import_tasks(1, [{"data": {}}])
    assert len(seen) == 1


def test_a_server_that_is_not_there_is_said_in_words() -> None:
    with serving(lambda *_: (200, None)) as url:
        pass
    with pytest.raises(LabelError, match="does not answer GET /api/projects"):
        studio(url).projects()


def test_a_server_that_does_not_answer_in_time_is_given_up() -> None:
    def slow(*_: Any) -> tuple[int, Any]:
        time.sleep(0.3)
        return 200, []

    with serving(slow) as url, pytest.raises(LabelError, match="does not answer"):
        LabelStudio(url, TOKEN, timeout=0.05, pause=0.001).export(1)


def test_a_reply_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    with serving(lambda *_: (200, ["x" * 200])) as url, pytest.raises(LabelError, match="at most 100 bytes"):
        studio(url).export(1)


class Silent(BaseHTTPRequestHandler):
    """A server's handler that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def elsewhere(target: str) -> type[BaseHTTPRequestHandler]:
    """Redirects everything to that address."""

    class Elsewhere(Silent):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", target + self.path)
            self.end_headers()

        do_POST = do_DELETE = do_GET

    return Elsewhere


@pytest.mark.parametrize("call", [lambda s: s.projects(), lambda s: s.delete_project(1), lambda s: s.create_project(title="x")])
def test_the_token_does_not_follow_a_redirect_to_another_host(call: Callable[[LabelStudio], object]) -> None:
    seen: Seen = []
    with serving(answering(seen, (200, {"count": 0, "results": []}))) as other:
        redirecting = ThreadingHTTPServer(("127.0.0.1", 0), elsewhere(other))
        thread = threading.Thread(target=redirecting.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            with pytest.raises(LabelError, match="redirects to http"):
                call(studio(f"http://127.0.0.1:{redirecting.server_address[1]}"))
        finally:
            redirecting.shutdown()
            redirecting.server_close()
            thread.join()
    assert seen == []


def test_a_personal_access_token_is_renewed_when_its_access_has_run_out() -> None:
    seen: Seen = []
    access = iter(["first", "second"])

    def answer(method: str, path: str, body: Any, authorization: str | None) -> tuple[int, Any]:
        seen.append((method, path, body, authorization))
        if path == "/api/token/refresh":
            return 200, {"access": next(access)}
        return (200, [{"id": 1, "email": "a@b"}]) if authorization == "Bearer second" else (401, {"detail": "expired"})

    with serving(answer) as url:
        assert studio(url, "a.b.c").people() == {"1": "a@b"}
    assert [one[1] for one in seen] == ["/api/token/refresh", "/api/users/"] * 2
    assert seen[0][2] == {"refresh": "a.b.c"}


@pytest.mark.parametrize("token", [TOKEN, "aaaa.bbbb.cccc"])
@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_no_message_holds_the_token(token: str, status: int) -> None:
    with serving(lambda *_: (status, {"detail": f"you sent {token}", "access": "x"})) as url, pytest.raises(LabelError) as refused:
        studio(url, token).create_project(title="x")
    assert token not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_a_server_says_cannot_reach_the_terminal() -> None:
    with serving(lambda *_: (400, {"detail": "\x1b]0;owned\x07"})) as url, pytest.raises(LabelError) as refused:
        studio(url).create_project(title="x")
    assert str(refused.value).isprintable()


def test_what_is_no_label_studio_is_said_to_be_none() -> None:
    class Page(Silent):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with pytest.raises(LabelError, match="no Label Studio"):
            studio(f"http://127.0.0.1:{server.server_address[1]}").projects()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "127.0.0.1:8080", "http://", "http://me:secret@host", "http://host/?a=b", "ftp://h"])
def test_an_address_is_http_and_holds_no_password(url: str) -> None:
    with pytest.raises(LabelError, match="address must be http"):
        LabelStudio(url, TOKEN)


@pytest.mark.parametrize("token", ["", "a b", "a\r\nX-Other: 1", "ä"])
def test_a_token_that_would_break_a_header_is_refused(token: str) -> None:
    with pytest.raises(LabelError, match="one line of plain characters"):
        LabelStudio("http://127.0.0.1", token)


def test_a_webhook_carries_no_content() -> None:
    seen: Seen = []
    with serving(answering(seen, (201, {"id": 4}))) as url:
        assert studio(url).create_webhook(2, "https://example.com/hook") == 4
    assert seen[0][2]["send_payload"] is False


def test_many_tasks_are_imported_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 2)
    seen: Seen = []
    with serving(answering(seen, (201, {"task_count": 2}), (201, {"task_count": 2}), (201, {"task_count": 1}))) as url:
        assert studio(url).import_tasks(1, [{"data": {"unit": str(i)}} for i in range(5)]) == 5
    assert [len(one[2]) for one in seen] == [2, 2, 1]
