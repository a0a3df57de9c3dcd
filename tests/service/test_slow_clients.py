"""Clients that connect and send nothing, or almost nothing, keep nobody else out; and what they send forges no line of the log."""

import json
import logging
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from fewlabels.service.connections import LimitedConnection, Waiting
from fewlabels.service.logs import PlainLines
from fewlabels.service.settings import RequestLimits
from tests.service.test_serve import ended, line_of, started, wait_for

ATTACK = 2_050  # half-open connections that gave everybody else 503


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int, str]]:
    """A server of its own: its host, its port and its address."""
    with started(folder, "--json") as server:
        url = json.loads(line_of(server.stdout))["url"]
        wait_for(url)
        place = urlsplit(url)
        yield str(place.hostname), int(place.port or 0), url
        code, err = ended(server)
        assert code == 0
        assert "Traceback" not in err


@contextmanager
def many_files(wanted: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:  # the machine's limit, which a test may not raise
        pytest.skip(f"needs {wanted} open files, and {hard} are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("sent", [b"", b"GET /api/me HTTP/1.1\r\nHost: 127"])
def test_half_open_connections_of_nobody_keep_nobody_out(tmp_path: Path, sent: bytes) -> None:
    with many_files(ATTACK + 500), serving(tmp_path) as (host, port, url), ExitStack() as held:
        for _ in range(ATTACK):
            one = held.enter_context(socket.create_connection((host, port), timeout=10))
            one.sendall(sent)
        taken = []
        for _ in range(20):  # from the same address as the attack
            begun = time.monotonic()
            assert httpx2.get(f"{url}/api/me", timeout=10).status_code == 401
            taken.append(time.monotonic() - begun)
        assert sorted(taken)[10] < 2


def test_headers_and_bodies_have_a_deadline_in_all(tmp_path: Path) -> None:
    """A byte now and then does not extend it; the deadlines are 10 and 30 seconds."""
    with serving(tmp_path) as (host, port, _), ExitStack() as held:
        headers, body = (held.enter_context(socket.create_connection((host, port), timeout=0.5)) for _ in range(2))
        body.sendall(b"POST /enter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\nk")
        begun = time.monotonic()
        over: dict[str, float] = {}
        while len(over) < 2 and time.monotonic() - begun < 45:
            for name, one in (("headers", headers), ("body", body)):
                if name not in over and is_closed(one, b"x"):
                    over[name] = time.monotonic() - begun
        assert 8 < over["headers"] < 14
        assert 25 < over["body"] < 40


def is_closed(one: socket.socket, sent: bytes) -> bool:
    """Sends a little more; whether the other side has answered or closed."""
    try:
        one.sendall(sent)
        one.recv(1_000)
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


class Counted:
    """A connection that only counts how often it was given up."""

    def __init__(self, limits: Waiting, address: str) -> None:
        self.limits, self.address, self.ended = limits, address, 0

    def give_up(self) -> None:
        self.ended += 1
        self.limits.end(self, self.address)


def test_the_longest_waiting_of_an_address_goes_first_then_of_all() -> None:
    limits = Waiting(each=2, all=3)
    a, b, c, d, e = (Counted(limits, address) for address in ("x", "x", "x", "y", "z"))
    for one in (a, b, c, c, d, e):
        limits.begin(one, one.address)
    assert [one.ended for one in (a, b, c, d, e)] == [1, 1, 0, 0, 0]
    for one in (c, d, e, e):
        limits.end(one, one.address)
    assert not limits.waiting
    assert not limits.of_address
    assert LimitedConnection.limits.each > 2


@pytest.mark.parametrize("text", ["a\nFAKE line", "a\r\x1b[2Jb", "a\u202eb\u2028c", "a\x00b\x85"])
def test_no_request_can_forge_a_line_of_the_log(text: str) -> None:
    record = logging.LogRecord("fewlabels.service", logging.ERROR, "", 0, "request %s failed", (text,), None)
    try:
        raise ValueError(text)
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    first, *rest = PlainLines().format(record).split("\n")
    assert first.startswith("20")
    assert first[10] == "T"
    assert all(line.startswith("    ") for line in rest)
    assert all(line.isprintable() for line in (first, *rest))


def test_the_page_says_the_limits_that_hold() -> None:
    page = " ".join((Path(__file__).parents[2] / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8").split())
    waiting, limits = Waiting(), RequestLimits()
    assert f"must be there within {waiting.seconds:.0f} seconds and its body within {limits.body_seconds:.0f}" in page
    assert f"at most {waiting.each} connections wait for a request, of all together {waiting.all:,}" in page
    assert limits.verifying[0] == 4
    assert "A person may wait for four at a time" in page
