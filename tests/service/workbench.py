"""A small workbench for the tests: two studies, an owner, and people of each role, each with a browser that has entered."""

import atexit
import functools
import re
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from fewlabels.engines.duckdb import write_parquet
from fewlabels.ledgers.people import People, Role
from fewlabels.randomness import stream
from fewlabels.service.access import CSRF_HEADER, csrf_token
from fewlabels.service.app import create_app
from fewlabels.service.settings import LOOPBACK, RequestLimits, RequestRate, Settings
from fewlabels.study.study import Study

HOST = "http://127.0.0.1"
COOKIE = "fewlabels_session_127-0-0-1"  # of that host
FREE = RequestRate(1e9, 1e9)
GENEROUS = RequestLimits(address=FREE, entering=FREE, refused=FREE, person=FREE)
UNITS = 2_000
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082"
)
STUDY, OTHER, ONLINE = "alpha", "beta", "live"
# name: the role in which study
PEOPLE: dict[str, tuple[Role, str]] = {
    "ann": ("labeler", STUDY),
    "adi": ("adjudicator", STUDY),
    "vic": ("viewer", STUDY),
    "bob": ("labeler", OTHER),
}


class Bench(NamedTuple):
    """An app with what stands behind it."""

    app: FastAPI
    address: str
    folder: Path

    @property
    def people(self) -> People:
        """Who may enter."""
        found: People = self.app.state.bench.people
        return found

    def study(self, name: str = STUDY) -> Study:
        """One of the studies, read anew."""
        return Study.load(name, ledger=self.app.state.bench.ledger)

    def anonymous(self) -> TestClient:
        """A browser that has not entered."""
        return TestClient(self.app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False)

    def browser(self, person: str = "owner") -> TestClient:
        """A browser of somebody who has entered by a link, and sends the token of its pages along."""
        client = self.anonymous()
        granted = self.people.owner_link(60) if person == "owner" else self.people.grant("link", person, lasts=60)
        assert granted is not None
        assert client.post("/enter", data={"key": granted.secret}).status_code == 303
        client.headers[CSRF_HEADER] = csrf_of(client)
        return client

    def program(self, person: str = "owner") -> TestClient:
        """A program of somebody, with a token."""
        client = self.anonymous()
        if person == "owner" and not self.people.has_owner():
            self.browser()
        granted = self.people.grant("token", person, lasts=600, note="test")
        assert granted is not None
        client.headers["Authorization"] = f"Bearer {granted.secret}"
        return client


def csrf_of(client: TestClient) -> str:
    """The token the pages of a browser carry."""
    from starlette.requests import Request

    headers = [(b"cookie", f"{COOKIE}={client.cookies[COOKIE]}".encode()), (b"host", client.base_url.netloc)]
    return csrf_token(Request({"type": "http", "app": client.app, "headers": headers}))


def write_table(path: Path, units: int = UNITS) -> dict[str, bool]:
    """Writes a scored table with a text, an image and a country; returns what people would answer."""
    rng = stream(7)
    positive = rng.random(units) < 0.2
    score = np.clip(rng.normal(0.3 + 0.4 * positive, 0.15), 0.001, 0.999)
    ids = [f"u{i:04d}" for i in range(units)]
    columns: dict[str, Any] = {
        "id": ids,
        "text": [f"message {i} <b>&</b>" for i in range(units)],
        "photo": ["pixel.png" for _ in range(units)],
        "country": [str(c) for c in rng.choice(["DE", "US"], units)],
        "score": score,
        "score_b": np.clip(score + rng.normal(0, 0.1, units), 0.001, 0.999),
    }
    write_parquet(path, columns)
    return dict(zip(ids, positive.tolist(), strict=True))


def make_bench(
    folder: Path, *, address: str | None = None, limits: RequestLimits = GENEROUS, planned: bool = True, copied: bool = True
) -> Bench:
    """A workbench in a folder: studies alpha and beta, planned unless it is said otherwise.

    Planned studies on SQLite are copied from those made first, and read the table those were made of, not the one in the folder.
    """
    data, images = folder / "data", folder / "images"
    for made in (data, images):
        made.mkdir()
    write_table(data / "scored.parquet")
    (images / "pixel.png").write_bytes(PIXEL)
    copied = copied and planned and address is None
    if copied:
        shutil.copyfile(prepared_ledger(), folder / "ledger.db")
    where = address or f"sqlite:///{folder}/ledger.db"
    app = create_app(where, settings=Settings(data=data, images=images, limits=limits, host_names=(*LOOPBACK, "testserver")))
    bench = Bench(app, where, folder)
    if not copied:
        make_studies(bench, planned=planned)
    return bench


def make_studies(bench: Bench, *, planned: bool) -> None:
    """Makes the studies of a workbench, and the people with their roles."""
    from fewlabels.service.api_studies import population_of
    from fewlabels.service.requests import PopulationBody

    held = bench.app.state.bench
    body = PopulationBody(source="scored.parquet", score="score", threshold=0.5, slices=["country"])
    for name in (STUDY, OTHER):
        study = Study.create(name, population_of(body, held.settings), goals=["precision +-0.2"], ledger=held.ledger)
        if planned:
            study.plan(40)
    for name, (role, study_name) in PEOPLE.items():
        bench.people.add(name)
        bench.people.set_role(name, study_name, role)


@functools.cache
def prepared_ledger() -> Path:
    """The ledger of a planned workbench, made once in a process; it and its table stay until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="workbench"))
    atexit.register(shutil.rmtree, folder)
    with (
        closing(sqlite3.connect(make_bench(folder, copied=False).folder / "ledger.db")) as made,
        closing(sqlite3.connect(folder / "prepared.db")) as copy,
    ):
        made.backup(copy)
    return folder / "prepared.db"


def path_of(template: str, **parts: str) -> str:
    """A route's path with its parts filled in."""
    known = {
        "study": STUDY,
        "person": "ann",
        "token": "0" * 16,
        "unit": "u0001",
        "column": "photo",
        "path": "x",
        "name": "absent.csv",
        "ending": "html",
        "group": "x",
        **parts,
    }
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: known[found[1]], template)


@contextmanager
def served(app: FastAPI) -> Iterator[int]:
    """The app on a real server in a thread; its port."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
