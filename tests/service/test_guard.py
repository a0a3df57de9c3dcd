"""What stands before every route: headers on every answer, host names, sizes, rates; and files that are only read where they may be."""

import asyncio
import base64
import http.client
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fastapi.testclient import TestClient

from fewlabels.errors import PopulationError
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.service.app import create_app
from fewlabels.service.guard import POLICY
from fewlabels.service.images import image_kind
from fewlabels.service.limits import Buckets
from fewlabels.service.settings import RequestLimits, RequestRate, Settings
from fewlabels.service.sources import allowed_source
from tests.service.workbench import GENEROUS, PIXEL, STUDY, Bench, make_bench, served, write_table

T = TypeVar("T")


def unprotected(answer: Any) -> list[str]:
    """Headers an answer lacks."""
    wanted = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
    return [name for name, value in wanted.items() if answer.headers.get(name) != value]


def test_the_policy_allows_only_what_the_server_itself_sends() -> None:
    assert POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def test_every_answer_carries_the_headers_refusals_too(bench: Bench) -> None:
    @bench.app.get("/api/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the inside")

    owner, stranger = bench.browser(), bench.anonymous()
    answers = {
        200: owner.get("/api/me"), 401: stranger.get("/api/me"), 404: owner.get("/api/nothing"), 405: owner.delete("/api/me"),
        422: owner.post("/api/tokens", json={"days": -1}), 421: stranger.get("/api/me", headers={"Host": "evil.example"}),
        413: owner.post("/api/tokens", content=b"x" * 1_000_001), 500: owner.get("/api/broken"),
    }  # fmt: skip
    for code, answer in answers.items():
        assert answer.status_code == code
        assert unprotected(answer) == [], code
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
    for page in (owner.get("/"), stranger.get("/"), stranger.get("/enter"), owner.get("/nothing"), stranger.get("/static/nothing.js")):
        assert unprotected(page) == []
    assert stranger.get("/").status_code == 401
    assert stranger.get("/enter").headers["referrer-policy"] == "same-origin"
    assert owner.get("/").headers["referrer-policy"] == "no-referrer"


def test_a_failure_says_a_number_and_nothing_of_the_inside(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    @bench.app.get("/api/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the inside")

    answer = bench.browser().get("/api/broken")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    number = answer.json()["error"].split()[-1]
    assert number in caplog.text
    assert "a secret of the inside" in caplog.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8080", "", "[", "169.254.169.254"])
def test_another_name_is_not_answered(bench: Bench, host: str) -> None:
    """A foreign page that has its own name lead here (DNS rebinding) gets nothing."""
    owner = bench.program()
    assert owner.get("/api/me", headers={"Host": host}).status_code == 421
    for known in ("127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080"):
        assert owner.get("/api/me", headers={"Host": known}).status_code == 200


def test_a_body_that_is_too_long_is_refused_whatever_it_says_of_its_length(bench: Bench) -> None:
    owner = bench.browser()

    def parts() -> Any:
        for _ in range(30):
            yield b"x" * 50_000

    assert owner.post("/api/tokens", content=parts()).status_code == 413  # chunked: no length is said
    assert owner.post("/api/tokens", content=b"{}", headers={"Content-Length": "99999999999"}).status_code == 413
    assert owner.post("/api/tokens", content=b"{}", headers={"Content-Length": "-1"}).status_code == 413
    assert owner.post("/api/tokens", json={}).status_code == 201


def run_apart(asked: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, run in a thread of its own: in that of a test a browser's event loop may be running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asked).result()


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, limits=RequestLimits(body_seconds=0.2))
    program = bench.program()
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"authorization", program.headers["authorization"].encode()), (b"content-length", b"10")]
    scope = {
        "type": "http", "method": "POST", "path": "/api/tokens", "raw_path": b"/api/tokens", "query_string": b"", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http", "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    run_apart(asyncio.wait_for(bench.app(scope, never, send), 10))
    assert sent[0]["status"] == 408


HOSTILE = ("[" * 50_000, "{", "", "1e999", "NaN", '{"days": 1e999}', '{"days": NaN}', '{"note": "\\ud800"}', '{"note": "\\u0000"}',
           '{"days": ' + "9" * 5_000 + "}", "\x00", '{"days": 1, "days": 2, "x": 1}')  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE)
def test_a_body_that_is_hostile_is_refused_and_breaks_nothing(shared: Bench, body: str) -> None:
    answer = shared.browser("ann").post("/api/tokens", content=body.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert len(answer.text) < 2_000


@pytest.mark.parametrize("name", ["%00", "a%00b", "%2e%2e", "%ff", "x" * 3_000, "%F0%9F%92%A9", "%0a", "..%2f..%2fetc"])
def test_names_in_a_path_are_hostile_too(shared: Bench, name: str) -> None:
    owner = shared.browser()
    for path in (f"/api/studies/{name}", f"/api/people/{name}/studies/{name}", f"/studies/{name}/results", f"/api/tokens/{name}"):
        for method in ("GET", "DELETE"):
            assert owner.request(method, path).status_code in (404, 405, 422), (method, path)


def test_whoever_shares_a_connection_shares_nothing_else(bench: Bench) -> None:
    token = str(bench.program("ann").headers["Authorization"])
    with served(bench.app) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        codes = []
        for headers in ({"Authorization": token}, {}, {"Authorization": token}):
            connection.request("GET", "/api/me", headers=headers)
            answer = connection.getresponse()
            answer.read()
            codes.append(answer.status)
        connection.close()
    assert codes == [200, 401, 200]


def test_entering_is_tried_a_few_times_only(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, limits=RequestLimits(entering=RequestRate(5, 0.01)))
    codes = [bench.anonymous().post("/enter", data={"key": "x"}).status_code for _ in range(8)]
    assert codes == [403] * 5 + [429] * 3
    refused = bench.anonymous().post("/enter", data={"key": "x"})
    assert 1 <= int(refused.headers["retry-after"]) <= 101


def test_guessing_tokens_and_asking_without_end_are_slowed_down(tmp_path: Path) -> None:
    bench = make_bench(
        tmp_path, limits=RequestLimits(refused=RequestRate(5, 0.01), person=RequestRate(7, 0.01), address=RequestRate(1_000, 1))
    )
    stranger = bench.anonymous()
    assert [stranger.get("/api/me").status_code for _ in range(7)] == [401] * 5 + [429] * 2
    mine = bench.browser("ann")  # who has entered is not slowed down by a stranger at the same address
    assert [mine.get("/api/me").status_code for _ in range(9)] == [200] * 7 + [429] * 2
    assert bench.browser("vic").get("/api/me").status_code == 200


def test_one_address_is_slowed_down_as_a_whole(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, limits=RequestLimits(address=RequestRate(10, 0.01)))
    client = bench.browser("ann")
    assert [client.get("/api/me").status_code for _ in range(12)].count(429) == 2


def test_a_bucket_fills_again_and_forgets_no_more_than_it_must() -> None:
    now = [0.0]
    buckets = Buckets(RequestLimits(person=RequestRate(2, 1)), clock=lambda: now[0])
    assert [buckets.wait("person", "a") for _ in range(3)] == [0, 0, 1]
    now[0] = 1
    assert buckets.wait("person", "a") == 0
    assert buckets.wait("person", "a") > 0
    assert buckets.wait("person", "b") == 0


def test_long_computations_do_not_keep_labelers_waiting(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, limits=RequestLimits(computing=2))
    ends, begun = threading.Event(), []

    def long() -> None:
        begun.append(1)
        ends.wait(60)

    async def storm() -> float:
        served = bench.app.state.bench
        waiting = [asyncio.create_task(served.compute(long)) for _ in range(60)]  # more than there are threads for routes
        await asyncio.sleep(0.3)
        before = asyncio.get_running_loop().time()
        answer = await asyncio.get_running_loop().run_in_executor(None, lambda: bench.program("ann").get("/api/me"))
        took = asyncio.get_running_loop().time() - before
        assert answer.status_code == 200
        assert len(begun) == 2
        ends.set()
        await asyncio.gather(*waiting)
        return took

    assert run_apart(storm()) < 30


# Files


@pytest.mark.parametrize("source", ["../outside.parquet", "link.parquet", "folder", "/etc/passwd", "*.parquet", "s3://x/y", "", ".", "no",
                                    "postgresql://x/y#t", "spark:t", "../data/../outside.parquet", "\x00", "a" * 5000, "loop"])  # fmt: skip
def test_tables_outside_the_folder_are_refused(tmp_path: Path, source: str) -> None:
    data = tmp_path / "data"
    (data / "folder").mkdir(parents=True)
    write_table(tmp_path / "outside.parquet", 10)
    write_table(data / "inside.parquet", 10)
    (data / "link.parquet").symlink_to(tmp_path / "outside.parquet")
    (data / "folder" / "part.parquet").symlink_to(tmp_path / "outside.parquet")
    (data / "loop").symlink_to(data / "loop")
    settings = Settings(data=data)
    with pytest.raises(PopulationError, match="data folder"):
        allowed_source(source, settings)
    assert allowed_source("inside.parquet", settings) == str(data / "inside.parquet")
    assert allowed_source(str(data / "inside.parquet"), settings) == str(data / "inside.parquet")
    assert allowed_source("postgresql://w/d#t", Settings(data=data, sources=("postgresql://w/",))) == "postgresql://w/d#t"


def shown_images(bench: Bench, values: dict[str, str]) -> TestClient:
    """A labeler's browser, where units show these as their photos."""
    ledger = bench.app.state.bench.ledger
    bench.app.state.bench.desk(STUDY).set_sheet(Sheet(show=(FormColumn("photo", "image"), FormColumn("text"))))
    ledger.set_contents(STUDY, {unit: {"photo": value, "text": "pixel.png"} for unit, value in values.items()})
    return bench.browser("ann")


def test_images_are_what_their_bytes_say_and_nothing_else(bench: Bench) -> None:
    images = bench.folder / "images"
    (images / "page.png").write_text("<script>alert(1)</script>")
    (images / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (images / "photo.txt").write_bytes(b"\xff\xd8\xff\xe0rest")
    inside = "data:text/html;base64," + base64.b64encode(PIXEL).decode()
    script = "data:image/png;base64," + base64.b64encode(b"<script>alert(1)</script>").decode()
    names = {"file": "pixel.png", "page": "page.png", "drawing": "drawing.svg", "text": "photo.txt", "inside": inside, "script": script,
             "broken": "data:image/png;base64,%%%", "svg": "data:image/svg+xml,<svg/>", "none": ""}  # fmt: skip
    client = shown_images(bench, names)
    found = {unit: client.get(f"/api/studies/{STUDY}/images/{unit}/photo") for unit in names}
    shown = {unit: answer.headers["content-type"] for unit, answer in found.items() if answer.status_code == 200}
    assert shown == {"file": "image/png", "text": "image/jpeg", "inside": "image/png"}
    assert {answer.status_code for unit, answer in found.items() if unit not in shown} == {404}
    assert found["inside"].content == PIXEL
    assert all(unprotected(answer) == [] for answer in found.values())
    assert client.get(f"/api/studies/{STUDY}/images/file/text").status_code == 404  # not shown as an image
    assert client.get(f"/api/studies/{STUDY}/images/file/score").status_code == 404
    assert client.get(f"/api/studies/{STUDY}/images/unknown/photo").status_code == 404


def test_images_outside_the_folder_are_not_read(bench: Bench) -> None:
    (bench.folder / "secret.png").write_bytes(PIXEL)
    (bench.folder / "images" / "link.png").symlink_to(bench.folder / "secret.png")
    (bench.folder / "images" / "folder").mkdir()
    (bench.folder / "images-too").mkdir()
    (bench.folder / "images-too" / "near.png").write_bytes(PIXEL)
    names = {"up": "../secret.png", "absolute": str(bench.folder / "secret.png"), "link": "link.png", "folder": "folder", "null": "a\x00b",
             "near": "../images-too/near.png", "device": "/dev/zero", "url": "http://127.0.0.1/x.png", "long": "x" * 9000}  # fmt: skip
    client = shown_images(bench, names)
    assert {client.get(f"/api/studies/{STUDY}/images/{unit}/photo").status_code for unit in names} == {404}


def test_the_id_of_a_unit_may_look_like_a_path(bench: Bench) -> None:
    client = shown_images(bench, {"https://x/y.png": "pixel.png", "a b/ü": "pixel.png"})
    assert client.get(f"/api/studies/{STUDY}/images/https%3A%2F%2Fx%2Fy.png/photo").status_code == 200
    assert client.get(f"/api/studies/{STUDY}/images/a%20b%2F%C3%BC/photo").status_code == 200


def test_images_are_only_shown_where_there_is_a_folder(bench: Bench) -> None:
    client = shown_images(bench, {"file": "pixel.png"})
    bare = Bench(create_app(bench.address, settings=Settings(limits=GENEROUS)), bench.address, bench.folder)
    assert client.get(f"/api/studies/{STUDY}/images/file/photo").status_code == 200
    assert bare.browser("ann").get(f"/api/studies/{STUDY}/images/file/photo").status_code == 404


@pytest.mark.parametrize("data", [b"", b"RIFF", b"RIFFxxxxWAVE", b"<svg", b"GIF8", b"\x00" * 20, b" \x89PNG\r\n\x1a\n"])
def test_what_is_no_image_is_none(data: bytes) -> None:
    assert image_kind(data) is None
    assert image_kind(b"RIFFxxxxWEBPVP8 ") == "image/webp"
