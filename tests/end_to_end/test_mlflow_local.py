"""Logging to MLflow by its small client (the extra mlflow) and a local SQLite store: what CI has. test_mlflow.py has a real server."""

import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # read when mlflow is imported

from mlflow import MlflowClient

from fewlabels.errors import EngineError, StudyError
from fewlabels.integrations import mlflow as logging
from fewlabels.integrations.mlflow import LABELS, certified_steps, log_study, metrics_of
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.integrations.made import HOSTILE, MEMORY, begun, label

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SADeprecationWarning")  # of MLflow's own store
SUFFIXES = ("", ".ci_low", ".ci_high", ".half_width", ".n_eff")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store, made once: making its tables takes seconds. Artifacts go where the process is."""
    folder, before = tmp_path_factory.mktemp("mlflow"), Path.cwd()
    os.chdir(folder)
    yield f"sqlite:///{folder}/mlflow.db"
    os.chdir(before)


@pytest.fixture(autouse=True)
def quick_report(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No report is written but in the test of it: it takes longer than all else."""
    if "artifacts" not in request.node.name:
        monkeypatch.setattr(logging, "write_report", lambda study, folder: None)


@pytest.fixture
def client(store: str) -> MlflowClient:
    return MlflowClient(tracking_uri=store)


@cache
def two_looks(copy: int = 1) -> Study:
    """A study that was looked at after 60 labels and after 120; another of the same name for another copy."""
    study = begun("two", goals=("accuracy +-0.1",), pair=False, grow_to=120, budget=60)
    label(study)
    study.estimate()
    study.plan(120)
    label(study)
    return study


def points(client: MlflowClient, run: str, name: str) -> list[tuple[int, float]]:
    return [(one.step, one.value) for one in client.get_metric_history(run, name)]


def everything_in(client: MlflowClient, run: str) -> dict[str, list[tuple[int, float]]]:
    return {name: points(client, run, name) for name in client.get_run(run).data.metrics}


def test_every_certified_look_is_a_step_with_interval_and_effective_n(store: str, client: MlflowClient) -> None:
    study = two_looks()
    logged = log_study(study, tracking_uri=store, experiment="steps", run="first try")
    assert (logged.steps, logged.known) == ((60, 120), 0)
    shown = study.estimate().of("accuracy", HOSTILE[0])
    (name,) = (key for key in client.get_run(logged.run_id).data.metrics if key.endswith("ea9abd/accuracy"))
    wanted = (shown.value, shown.low, shown.high, shown.half_width, shown.n_eff)
    assert tuple(points(client, logged.run_id, name + suffix)[-1] for suffix in SUFFIXES) == tuple((120, value) for value in wanted)
    assert points(client, logged.run_id, LABELS) == [(60, 60.0), (120, 120.0)]
    assert client.get_run(logged.run_id).info.run_name == "first try"
    assert client.get_run(logged.run_id).info.status == "FINISHED"


def test_tags_say_how_to_read_the_numbers(store: str, client: MlflowClient) -> None:
    study = two_looks()
    tags = client.get_run(log_study(study, tracking_uri=store, experiment="tags").run_id).data.tags
    decision, standing = study.decide(), study.standing
    assert decision is not None
    assert tags["fewlabels.verdict"] == decision.outcome
    assert (tags["fewlabels.interval"], tags["fewlabels.level"], tags["fewlabels.design"]) == ("placed", "0.95", "bands")
    assert (tags["fewlabels.plan_hash"], tags["fewlabels.fingerprint"]) == (standing.plan.hash, standing.profile.fingerprint)
    assert float(tags["fewlabels.interval_level"]) == pytest.approx(study.estimate().estimates[0].level)
    assert standing.salt not in json.dumps(tags)


def test_logging_twice_is_logging_once(store: str, client: MlflowClient) -> None:
    study = two_looks()
    first = log_study(study, tracking_uri=store, experiment="twice")
    before = everything_in(client, first.run_id)
    second = log_study(study, tracking_uri=store, experiment="twice")
    assert (second.run_id, second.steps, second.known) == (first.run_id, (), 2)
    assert everything_in(client, first.run_id) == before
    assert all(len({step for step, _ in history}) == len(history) for history in before.values())


def test_a_look_that_came_later_is_added_to_the_same_run(store: str, client: MlflowClient) -> None:
    study = begun("later", goals=("accuracy +-0.1",), pair=False, grow_to=120, budget=60)
    label(study)
    first = log_study(study, tracking_uri=store, experiment="later")
    study.plan(120)
    between = log_study(study, tracking_uri=store, experiment="later")  # the larger plan is not labeled yet: nothing new to say
    assert (between.run_id, between.steps) == (first.run_id, ())
    assert client.get_run(first.run_id).data.tags["fewlabels.verdict"] == "open"
    label(study)
    second = log_study(study, tracking_uri=store, experiment="later")
    assert (first.steps, second.steps, second.known, second.run_id) == ((60,), (120,), 1, first.run_id)


def test_a_logging_that_broke_off_is_completed_without_doubling(store: str, client: MlflowClient, monkeypatch: pytest.MonkeyPatch) -> None:
    study, real, calls = two_looks(), MlflowClient.log_batch, iter(range(100))

    def breaks(self: MlflowClient, *args: Any, **more: Any) -> None:
        if next(calls) == 2:
            raise ConnectionError("the line went dead")
        real(self, *args, **more)

    monkeypatch.setattr(logging, "MOST_AT_ONCE", 40)
    monkeypatch.setattr(MlflowClient, "log_batch", breaks)
    with pytest.raises(ConnectionError):
        log_study(study, tracking_uri=store, experiment="broken")
    monkeypatch.setattr(MlflowClient, "log_batch", real)
    found = everything_in(client, log_study(study, tracking_uri=store, experiment="broken").run_id)
    wanted = [metrics_of(step, several=True) for step in certified_steps(study)]
    assert {name: len(history) for name, history in found.items()} == {
        name: sum(name in one for one in wanted) for name in {**wanted[0], **wanted[1]}
    }


def test_nothing_is_logged_before_the_look(store: str, client: MlflowClient) -> None:
    study = begun("early", pair=False)
    label(study, units=30)
    for _ in range(2):
        with pytest.raises(StudyError, match="30 of 120 planned units"):
            log_study(study, tracking_uri=store, experiment="early")
        study.estimate(peek=True)  # nor after a peek
    assert client.get_experiment_by_name("early") is None


def test_a_peek_is_no_step(store: str) -> None:
    study = begun("peeked", pair=False)
    label(study, units=30)
    study.estimate(peek=True)
    label(study)
    assert log_study(study, tracking_uri=store, experiment="peeked").steps == (120,)


def test_an_online_study_has_a_step_for_every_look_at_it(store: str) -> None:
    study = begun("online", goals=("accuracy +-0.1",), pair=False, stopping="width")
    for _ in range(2):
        label(study, units=20)
        study.estimate()
    assert log_study(study, tracking_uri=store, experiment="online").steps == (20, 40)


def test_the_report_and_the_estimates_are_artifacts(store: str, client: MlflowClient, tmp_path: Path) -> None:
    table = {"id": list("abcdefgh"), "score": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]}
    study = Study.create("few", read_population(table, score="score", threshold=0.5), goals=["precision >= 0.5"], ledger=MEMORY)
    study.plan(4)
    study.ask(4)
    study.tell(dict.fromkeys("abcd", "yes"))
    logged = log_study(study, tracking_uri=store, experiment="artifacts")
    assert logged.artifacts == ("fewlabels/estimates.json", "fewlabels/report.html", "fewlabels/report.json")
    folder = Path(client.download_artifacts(logged.run_id, "fewlabels", str(tmp_path)))
    study.report(tmp_path / "again.html")
    assert (folder / "report.html").read_text() == (tmp_path / "again.html").read_text()
    assert (folder / "report.json").read_text() == (tmp_path / "again.json").read_text()
    assert json.loads((folder / "estimates.json").read_text()) == study.estimate().as_json()


def test_studies_of_one_name_are_two_runs(store: str) -> None:
    one, other = two_looks(1), two_looks(2)
    runs = {log_study(study, tracking_uri=store, experiment="name").run_id for study in (one, other)}
    assert len(runs) == 2


def test_an_address_keeps_its_password_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(EngineError, match="did not accept it") as refused:
        log_study(two_looks(), tracking_uri="http://me:secret@127.0.0.1:9", experiment="x")
    assert "secret" not in str(refused.value)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(EngineError, match=r"the extra mlflow.*: pip install .*\[mlflow\]"):
        log_study(two_looks(), tracking_uri="sqlite:///none.db")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The ledger of a labeled study, made by commands."""
    folder = tmp_path_factory.mktemp("ledger")
    rows = "".join(f"u{i},{i % 10 / 10 + 0.05:.2f}\n" for i in range(400))
    (folder / "scored.csv").write_text("id,score\n" + rows)
    (folder / "answers.csv").write_text("unit,answer\n" + "".join(f"u{i},{'yes' if i % 10 > 4 else 'no'}\n" for i in range(400)))
    kept = ("--ledger", f"sqlite:///{folder}/ledger.db")
    how = ("--score", "score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", 80)
    ok("plan", folder / "scored.csv", *how, "--study", "spam", *kept)
    ok("draw", "spam", "--units", 80, "--out", folder / "batch.csv", *kept)
    ok("tell", "spam", folder / "answers.csv", "--drawn-only", *kept)
    return kept[1]


def test_the_command_logs_and_prints_one_object(ledger: str, store: str, client: MlflowClient) -> None:
    how = ("mlflow", "spam", "--ledger", ledger, "--tracking-uri", store, "--experiment", "spam")
    told = ok(*how, "--run", "monday", "--json").json
    assert (told["steps"], told["known"], told["experiment"]) == ([80], 0, "spam")
    assert client.get_run(told["run_id"]).info.run_name == "monday"
    assert "0 new looks, 1 known" in ok(*how).out


def test_the_command_says_what_is_missing(ledger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert fewlabels("mlflow", "spam", "--ledger", ledger).code == 2
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    refused = fewlabels("mlflow", "spam", "--ledger", ledger, "--tracking-uri", "http://127.0.0.1:9", "--json")
    assert refused.code == 5
    assert refused.json["error"]["kind"] == "EngineError"
