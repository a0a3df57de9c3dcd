"""`fewlabels serve` as a person starts it: the link, the address, who may listen, and how it ends."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2
import pytest

from fewlabels.cli import serve
from fewlabels.installation import install_command
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People
from fewlabels.service.settings import Settings
from tests.end_to_end.commands import PROGRAM, environment, fewlabels, ok
from tests.service.workbench import STUDY, make_bench, write_table


@contextmanager
def started(folder: Path, *args: object) -> Iterator[subprocess.Popen[str]]:
    """`fewlabels serve` in a process of its own, on any free port."""
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--data", str(folder), *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def wait_for(url: str) -> None:
    """Waits until a server answers, with whatever."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            httpx2.get(url, verify=False)  # certificates of the test are nobody's
            return
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    return process.returncode, err


def test_the_first_start_gives_a_link_and_the_next_does_not(tmp_path: Path) -> None:
    with started(tmp_path, "--json") as server:
        told = json.loads(line_of(server.stdout))
        wait_for(told["url"])
        assert told.keys() == {"url", "link"}
        with httpx2.Client(base_url=told["url"]) as client:
            assert client.get("/api/me").status_code == 401
            key = told["link"].partition("key=")[2]
            assert client.get(told["link"]).status_code == 200
            assert client.post("/enter", data={"key": key}).status_code == 303
            assert client.get("/api/me").json()["is_owner"]
            assert "server" not in client.get("/api/me").headers
        code, err = ended(server)
        assert code == 0, err
        assert "stopped" in err
        assert "Traceback" not in err
    with started(tmp_path, "--json") as again:
        assert json.loads(line_of(again.stdout))["link"] is None
        assert ended(again)[0] == 0


def test_it_ends_at_once_though_somebody_watches(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    token = str(bench.program("vic").headers["Authorization"])
    with started(tmp_path, "--json", "--ledger", bench.address) as server:
        told = json.loads(line_of(server.stdout))
        with httpx2.stream("GET", f"{told['url']}/api/studies/{STUDY}/events", headers={"Authorization": token}) as stream:
            lines = stream.iter_lines()  # kept: the connection is closed with it
            assert next(lines) == "event: progress"
            code, err = ended(server)
    assert code == 0
    assert "graceful" not in err  # what it says of requests that it had to break off


def test_for_people_the_link_goes_to_stderr(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        said = line_of(server.stderr)
        assert "the owner enters here, once and within an hour: http://127.0.0.1:" in said
        assert "serving sqlite:///fewlabels.db at http://127.0.0.1:" in line_of(server.stderr)
        wait_for(said.split()[-1].partition("/enter")[0])
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
        assert out == ""
        assert "Traceback" not in err


def test_a_new_owner_link_ends_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (ok("serve", "--owner-link", "--json").json["link"].partition("key=")[2] for _ in range(2))
    people = People(open_ledger("sqlite:///fewlabels.db"))
    assert people.use_link(first, lasts=60) is None
    assert people.use_link(second, lasts=60) is not None
    assert "https://fewlabels.example/enter?key=" in ok(
        "serve", "--owner-link", "--host", "0.0.0.0", "--host-name", "fewlabels.example", "--tls-terminated"
    ).err  # fmt: skip


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_are_served_over_tls_or_by_an_explicit_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.chdir(tmp_path)
    refused = fewlabels("serve", "--host", host)
    assert refused.code == 2
    assert "--tls-terminated" in refused.err
    assert "--insecure-http" in refused.err
    assert not list(tmp_path.iterdir())  # no ledger was made


@pytest.mark.parametrize("flag", [("--insecure-http",), ("--tls-terminated", "--host-name", "fewlabels.example")])
def test_another_host_is_served_where_it_was_said(tmp_path: Path, flag: tuple[str, ...]) -> None:
    with started(tmp_path, "--json", "--host", "0.0.0.0", *flag) as server:
        told = json.loads(line_of(server.stdout))
        err = line_of(server.stderr)
        secure = flag[0] == "--tls-terminated"
        assert told["url"].startswith("https://fewlabels.example" if secure else "http://127.0.0.1:")
        assert "serving" in err
        assert ended(server)[0] == 0


def test_tls_is_served_with_a_certificate(tmp_path: Path) -> None:
    subject = ["-subj", "/CN=localhost", "-days", "1", "-nodes", "-newkey", "rsa:2048"]
    subprocess.run(
        ["openssl", "req", "-x509", *subject, "-keyout", "key.pem", "-out", "cert.pem"], cwd=tmp_path, capture_output=True, check=True
    )
    with started(tmp_path, "--json", "--certificate", tmp_path / "cert.pem", "--key", tmp_path / "key.pem") as server:
        told = json.loads(line_of(server.stdout))
        assert told["url"].startswith("https://127.0.0.1:")
        wait_for(told["url"])
        key = told["link"].partition("key=")[2]
        answer = httpx2.post(f"{told['url']}/enter", data={"key": key}, verify=False)
        assert "secure" in answer.headers["set-cookie"].lower()
        assert ended(server)[0] == 0
        assert fewlabels("serve", "--certificate", tmp_path / "cert.pem").code == 2  # without its key


def test_a_port_that_is_taken_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = fewlabels("serve", "--port", taken.getsockname()[1])
    assert refused.code == 2
    assert "--port" in refused.err


def test_without_its_packages_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.chdir(tmp_path)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "fastapi" else found(name, *more))
    refused: Any = fewlabels("serve")
    assert refused.code == 2
    assert install_command("service") in refused.err


def test_no_header_of_a_proxy_is_believed_unless_it_was_said(tmp_path: Path) -> None:
    write_table(tmp_path / "t.parquet", 10)
    with started(tmp_path, "--json") as server:
        told = json.loads(line_of(server.stdout))
        wait_for(told["url"])
        codes = [  # each claims to come from elsewhere; all count as one address
            httpx2.post(f"{told['url']}/enter", data={"key": "x"}, headers={"X-Forwarded-For": f"192.0.2.{i}"}).status_code
            for i in range(70)
        ]
        assert 429 in codes
        assert ended(server)[0] == 0


def test_how_large_uploads_are_and_how_long_they_are_kept_are_options(tmp_path: Path) -> None:
    def settings(*arguments: str) -> Settings:
        options = serve.command.make_context("serve", ["--data", str(tmp_path), *arguments]).params
        return serve._settings(options, serve._place(options, 1))

    assert (settings().upload_bytes, settings().upload_days) == (200_000_000, None)
    asked = settings("--upload-mb", "1.5", "--upload-days", "30")
    assert (asked.upload_bytes, asked.upload_days) == (1_500_000, 30.0)
    assert settings("--upload-mb", "0").upload_bytes == 0
