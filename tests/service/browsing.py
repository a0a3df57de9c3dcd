"""A real server, a real browser, and people who enter: what the browser tests share."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, ViewportSize, sync_playwright

from fewlabels.desk.desk import Desk
from fewlabels.engines.duckdb import write_parquet
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People, Role
from fewlabels.nouns.sheet import Sheet, parse_shown
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

CHROMIUM = shutil.which("chromium")
PROGRAM = "from fewlabels.cli.main import main; main()"
DESK: ViewportSize = {"width": 1100, "height": 850}
PHONE: ViewportSize = {"width": 360, "height": 740}
STUDY = "alpha"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
)
# Every key that reaches the page, and the unit that was on the screen then: noted before the page itself hears of the key.
WITNESS = """
window.witnessed = [];
addEventListener("keydown", event => {
  const work = document.getElementById("work");
  const unit = work && !work.hidden ? document.getElementById("unit-name").textContent : null;
  window.witnessed.push({ key: event.key, repeat: event.repeat, unit });
}, { capture: true });
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a screen."""
    assert CHROMIUM is not None, "chromium is missing: run scripts/install-debian"
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


class Seen:
    """What the pages of a browser said and asked for while they were open."""

    def __init__(self, context: BrowserContext, server: str) -> None:
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.elsewhere: list[str] = []
        self.warned = 0  # how often a page asked before it was left
        self._server = server
        context.on("page", self.follow)

    def follow(self, page: Page) -> None:
        """Listens to one page."""
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", self._asked_back)
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _asked_back(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            self.warned += 1
            dialog.accept()
        else:
            self.dialogs.append(dialog.message)
            dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self._server, "data:")):
            self.elsewhere.append(request.url)


class Server:
    """`fewlabels serve` in a process of its own, on a port that stays the same when it is started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.ledger = f"sqlite:///{folder}/ledger.db"
        self.process: subprocess.Popen[str] | None = None
        self.link: str | None = None

    def start(self) -> None:
        """Nothing comes back. Starts it and waits until it answers; the first start has a link for the owner."""
        args = ["serve", "--port", self.port, "--data", self.folder, "--images", self.folder, "--ledger", self.ledger, "--json"]
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *map(str, args)], stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.folder
            )
        assert self.process.stdout is not None
        said = ""
        while not said.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            assert line, (self.folder / "server.log").read_text()
            said += line
        self.link = json.loads(said)["link"] or self.link
        wait_for(self._answers, "the server to answer")

    def _answers(self) -> bool:
        with socket.socket() as knock:
            return knock.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """Nothing comes back. SIGKILL: what was acknowledged must be on disk."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self) -> None:
        """Nothing comes back. Ends it as a person would."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
        self._end()

    def _end(self) -> None:
        if self.process is not None:
            self.process.wait(timeout=30)
            if self.process.stdout is not None:
                self.process.stdout.close()

    @property
    def people(self) -> People:
        """Who may enter."""
        return People(open_ledger(self.ledger))

    def study(self, name: str = STUDY) -> Study:
        """A study as the ledger has it now."""
        return Study.load(name, ledger=self.ledger)

    def answers(self, name: str = STUDY) -> dict[str, str]:
        """The answer of each unit as it stands; of one question, told by one labeler."""
        return {unit: label.answer for unit, seats in self.study(name).standing.answers.items() for label in seats.values()}


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server on an empty ledger in a folder."""
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Entered(NamedTuple):
    """A browser in which somebody has entered."""

    context: BrowserContext
    page: Page
    seen: Seen


def enter(browser: Browser, server: Server, link: str, **options: Any) -> Entered:
    """Somebody opens a one-time link in a new browser and presses the button."""
    context = browser.new_context(viewport=options.pop("viewport", DESK), **options)
    context.add_init_script(WITNESS)
    seen = Seen(context, server.url)
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{server.url}/")
    return Entered(context, page, seen)


def enter_as(browser: Browser, server: Server, person: str, role: Role | None = None, *, study: str = STUDY, **options: Any) -> Entered:
    """Somebody who has a role in a study enters."""
    people = server.people
    if person not in {one.name for one in people.everyone()}:
        people.add(person)
    if role is not None:
        people.set_role(person, study, role)
    granted = people.grant("link", person, lasts=600)
    assert granted is not None
    return enter(browser, server, f"{server.url}/enter?key={granted.secret}", **options)


def write_table(path: Path, texts: Sequence[str] = (), *, units: int = 2_000, seed: int = 42) -> dict[str, str]:
    """Writes a scored table with a text, a link, an image (every other one missing) and a country; returns what people would answer."""
    rng = stream(seed, 8)
    positive = rng.random(units) < 0.3
    score = np.clip(rng.normal(0.35 + 0.35 * positive, 0.15), 0.0123, 0.9876)
    ids = [f"u{i:05d}" for i in range(units)]
    columns: dict[str, Any] = {
        "id": ids,
        "text": [texts[i % len(texts)] if texts else f"made-up message number {i}" for i in range(units)],
        "address": [f"https://example.org/{i}" for i in range(units)],
        "photo": ["missing.png" if i % 2 else "pixel.png" for i in range(units)],
        "country": [str(c) for c in rng.choice(["DE", "US"], units)],
        "score": score,
    }
    write_parquet(path, columns)
    (path.parent / "pixel.png").write_bytes(PIXEL)
    return {unit: "yes" if found else "no" for unit, found in zip(ids, positive.tolist(), strict=True)}


def make_study(
    server: Server, show: Sequence[str] = ("text",), *, labels: int = 150, name: str = STUDY, instructions: str = "", ask: str = ""
) -> Study:  # fmt: skip
    """A planned study of the table in the server's folder, with its sheet."""
    population = read_population(str(server.folder / "scored.parquet"), score="score", threshold=0.5, slices=["country"])
    study = Study.create(name, population, goals=["precision +-0.1", "recall >= 0.3"], ledger=server.ledger)
    study.plan(labels)
    Desk(study).set_sheet(Sheet(show=tuple(map(parse_shown, show)), instructions=instructions, ask=ask))
    return study


def open_desk(entered: Entered, server: Server, study: str = STUDY) -> Page:
    """The labeling page, with a unit on it."""
    entered.page.goto(f"{server.url}/studies/{study}/label")
    entered.page.wait_for_selector("#work:not([hidden])")
    return entered.page


def wait_for(found: Callable[[], Any], what: str, *, page: Page | None = None, seconds: float = 120) -> Any:
    """What a question answers once that is not nothing. With a page, the browser is served meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := found():
            return answer
        if page is None:
            time.sleep(0.02)
        else:
            page.wait_for_timeout(20)
    raise AssertionError(f"waited {seconds:g} s for {what}")


def wait_saved(page: Page) -> None:
    """Nothing comes back. Waits until the page says that all is saved."""
    wait_for(lambda: page.inner_text("#saved") == "saved", "all answers to be saved", page=page, seconds=60)


def artifacts(tmp_path: Path) -> Path:
    """Where screenshots are kept."""
    folder = Path(os.environ.get("FEWLABELS_TEST_ARTIFACTS", tmp_path)) / "workbench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
