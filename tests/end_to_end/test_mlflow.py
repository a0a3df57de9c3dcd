"""A real MLflow tracking server on 127.0.0.1, started by scripts/services: what it keeps, by its own REST API, and what it shows.

With FEWLABELS_TEST_ARTIFACTS set to a folder, the pictures of its pages are written there.
"""

import json
import os
import secrets
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # read when mlflow is imported

from fewlabels.demo.study import write_demo
from fewlabels.integrations.mlflow import Logged, log_study
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.end_to_end.commands import real

URL = os.environ.get("FEWLABELS_TEST_MLFLOW", "")
SHOWN = os.environ.get("FEWLABELS_TEST_ARTIFACTS", "")
EXPERIMENT = f"spam, week {secrets.token_hex(2)}"  # of this run of the tests alone
# Its server is installed and started by `make services-test` alone; CI logs to a local store (test_mlflow_local.py).
pytestmark = pytest.mark.skipif(not URL, reason="needs a server: scripts/services run --only mlflow -- COMMAND")


def ask(route: str, /, body: object | None = None, **query: str) -> Any:
    """What the server's REST API says."""
    data = None if body is None else json.dumps(body).encode()
    address = f"{URL}/api/2.0/mlflow/{route}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(address, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as reply:
        return json.load(reply)


def fetch(run: str, path: str) -> str:
    """An artifact's text."""
    query = urllib.parse.urlencode({"run_uuid": run, "path": path})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{URL}/get-artifact?{query}", timeout=60) as reply:
        return str(reply.read().decode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def study(folder: Path) -> Study:
    """A study looked at after 150, 300 and 450 labels."""
    demo = write_demo(folder / "demo")
    answers = dict(line.split(",") for line in demo.answers.read_text().splitlines()[1:])
    population = read_population(str(demo.population), score="score", threshold=0.5, slices=["country"])
    made = Study.create("spam", population, goals=["precision >= 0.85", "recall +-0.08"], ledger=f"sqlite:///{folder}/ledger.db")
    for budget in (150, 300, 450):
        made.plan(budget, grow_to=450 if budget == 150 else None)
        while batch := made.ask(1_000):
            made.tell({unit: answers[unit] for unit in batch.units})
        made.estimate()
    return made


@pytest.fixture(scope="module")
def logged(study: Study) -> Logged:
    return log_study(study, tracking_uri=URL, experiment=EXPERIMENT)


def test_the_server_keeps_every_look_with_interval_and_effective_n(study: Study, logged: Logged) -> None:
    assert logged.steps == (150, 300, 450)
    shown = study.estimate()["precision"]
    for suffix, value in (("", shown.value), (".ci_low", shown.low), (".ci_high", shown.high), (".n_eff", shown.n_eff)):
        history = ask("metrics/get-history", run_id=logged.run_id, metric_key=f"precision{suffix}")["metrics"]
        assert [one["step"] for one in history] == [150, 300, 450]
        assert history[-1]["value"] == value
    widths = ask("metrics/get-history", run_id=logged.run_id, metric_key="recall.half_width")["metrics"]
    assert widths[0]["value"] > widths[-1]["value"]


def test_the_server_keeps_the_tags(study: Study, logged: Logged) -> None:
    run = ask("runs/get", run_id=logged.run_id)["run"]
    tags = {one["key"]: one["value"] for one in run["data"]["tags"]}
    decision = study.decide()
    assert decision is not None
    assert tags["fewlabels.verdict"] == decision.outcome
    assert tags["fewlabels.plan_hash"] == study.standing.plan.hash
    assert tags["fewlabels.fingerprint"] == study.standing.profile.fingerprint
    assert (tags["fewlabels.interval"], tags["fewlabels.level"], tags["fewlabels.design"]) == ("rec", "0.95", "bands")
    assert run["info"]["status"] == "FINISHED"


def test_the_server_keeps_the_report(study: Study, logged: Logged, tmp_path: Path) -> None:
    files = ask("artifacts/list", run_id=logged.run_id, path="fewlabels")["files"]
    assert {one["path"] for one in files} == {"fewlabels/estimates.json", "fewlabels/report.html", "fewlabels/report.json"}
    study.report(tmp_path / "report.html")
    for name in ("report.html", "report.json"):
        assert fetch(logged.run_id, f"fewlabels/{name}") == (tmp_path / name).read_text()


def test_logging_again_from_another_process_changes_nothing(folder: Path, logged: Logged, tmp_path: Path) -> None:
    before = ask("runs/get", run_id=logged.run_id)["run"]["data"]["metrics"]
    server = ("--tracking-uri", URL, "--experiment", EXPERIMENT)
    told = real("mlflow", "spam", "--ledger", f"sqlite:///{folder}/ledger.db", *server, "--json", cwd=tmp_path, HOME=str(tmp_path))
    assert told.code == 0, told.err
    assert (told.json["run_id"], told.json["steps"], told.json["known"]) == (logged.run_id, [], 3)
    assert ask("runs/get", run_id=logged.run_id)["run"]["data"]["metrics"] == before
    runs = ask("runs/search", {"experiment_ids": [logged.experiment_id], "max_results": 10})["runs"]
    assert len(runs) == 1
    assert len(ask("metrics/get-history", run_id=logged.run_id, metric_key="precision")["metrics"]) == 3


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1500, "height": 1000}) as context:
        opened = context.new_page()
        opened.set_default_timeout(60_000)
        yield opened


def picture(page: Page, name: str) -> None:
    if SHOWN:
        Path(SHOWN).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SHOWN) / f"{name}.png")


def opened(page: Page, logged: Logged, part: str = "") -> None:
    """A page of the run, without the assistant that covers a quarter of it."""
    page.goto(f"{URL}/#/experiments/{logged.experiment_id}/runs/{logged.run_id}{part}")
    page.get_by_text("Overview", exact=True).last.wait_for()
    assistant = page.get_by_role("button", name="Close", exact=True)
    if assistant.count():
        assistant.first.click()


def test_its_page_shows_the_metrics(page: Page, logged: Logged) -> None:
    opened(page, logged)
    page.get_by_placeholder("Search metrics").fill("precision")
    for name in ("precision", "precision.ci_low", "precision.ci_high", "precision.half_width", "precision.n_eff"):
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_text("precision.n_eff", exact=True).first.scroll_into_view_if_needed()
    picture(page, "mlflow-run")


def test_its_charts_have_a_point_for_each_look(page: Page, logged: Logged) -> None:
    opened(page, logged, "/model-metrics")
    page.get_by_placeholder("Search metric charts").fill("precision")
    for name in ("precision", "precision.ci_low", "precision.ci_high"):
        page.get_by_text(name, exact=True).first.wait_for()
    time.sleep(2)  # a chart is drawn after its title
    picture(page, "mlflow-charts")


def test_its_viewer_renders_the_report(page: Page, logged: Logged) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, logged, "/artifacts/fewlabels/report.html")
    frame = page.frame_locator("iframe").first
    frame.get_by_text("precision").first.wait_for()
    sandbox = page.locator("iframe").first.get_attribute("sandbox")
    assert sandbox is not None
    assert "allow-same-origin" not in sandbox
    time.sleep(1)
    picture(page, "mlflow-report")
    assert errors == []
