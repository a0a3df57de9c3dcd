"""Live numbers obey the stopping rule: no interval of a fixed plan leaves the server before its look, nor ever by an event."""

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fewlabels.service import events
from fewlabels.service.settings import RequestLimits
from fewlabels.study.study import Study
from tests.service.workbench import ONLINE, STUDY, Bench, make_bench, served

BANDS = {"low", "high", "value", "estimate", "estimates", "half_width", "n_eff", "outcome", "decision"}
Event = tuple[str, dict[str, Any]]
PATIENCE = 30


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "EVERY", 0.05)


@contextmanager
def watching(bench: Bench, study: str, person: str = "vic") -> Iterator[Callable[[str], list[Event]]]:
    """An event stream of a real server: a function that gives all events up to the first of a name, or fails."""
    with served(bench.app) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        token = str(bench.program(person).headers["Authorization"])
        connection.request("GET", f"/api/studies/{study}/events", headers={"Authorization": token})
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "no-store"

        def until(name: str) -> list[Event]:
            found: list[Event] = []
            deadline = time.monotonic() + PATIENCE
            while not found or found[-1][0] != name:
                assert time.monotonic() < deadline, f"no {name} in {PATIENCE} seconds"
                block = b""
                while not block.endswith(b"\n\n"):
                    line = answer.readline()
                    assert line, "the stream ended"
                    block += line
                if match := re.fullmatch(r"event: (\w+)\ndata: (.*)\n\n", block.decode()):
                    found.append((match[1], json.loads(match[2])))
            return found

        try:
            yield until
        finally:
            connection.close()


def bands_in(data: Any) -> set[str]:
    """Names that belong to an interval or a verdict, and numbers that are no counts, anywhere in what was sent."""
    if isinstance(data, dict):
        return {name for name in data if name in BANDS}.union(*(bands_in(part) for part in data.values()))
    if isinstance(data, list):
        return set().union(*(bands_in(part) for part in data))
    return {"a number that is no count"} if isinstance(data, float) else set()


def tell_some(study: Study, units: int) -> int:
    """Answers so many units; says how many there were."""
    batch = study.ask(units, more=True)
    if batch is None:
        return 0
    study.tell({unit: "yes" if int(unit[1:]) % 3 else "no" for unit in batch.units})
    return len(batch.units)


def sent_of_fixed(bench: Bench) -> tuple[list[Event], list[Event]]:
    """Everything a fixed plan sends before its look may be read, and from then on."""
    study = bench.study()
    with watching(bench, STUDY) as until:
        before = until("progress")
        for _ in range(3):
            tell_some(study, 10)
            before += until("progress")
        tell_some(study, 10)
        after = until("look")
    return before, after


def test_a_fixed_plan_sends_progress_and_no_interval(bench: Bench) -> None:
    before, after = sent_of_fixed(bench)
    assert {name for name, _ in before} == {"progress"}
    assert [data["labels"] for _, data in before][-1] == 30
    assert all(data["planned"] == 40 for _, data in before)
    assert [bands_in(data) for _, data in before + after if bands_in(data)] == []
    assert after[-1] == ("look", {"study": STUDY, "labels": 40, "plan": 1})
    assert bench.study().status().looks == 0  # watching is no look
    assert bench.browser("vic").get(f"/api/studies/{STUDY}/estimate").json()["estimates"]


def test_a_server_that_peeks_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: one that sends numbers early fails the check above."""
    honest = events.allowed

    def peeking(study: Study) -> dict[str, Any]:
        found = honest(study)
        found["progress"]["estimates"] = [{"low": 0.2, "high": 0.4}]
        return found

    monkeypatch.setattr(events, "allowed", peeking)
    before, _ = sent_of_fixed(bench)
    assert any(bands_in(data) for _, data in before)


def test_before_the_look_no_route_gives_an_interval_away(bench: Bench) -> None:
    tell_some(bench.study(), 30)
    client = bench.browser("vic")
    for path in ("", "/estimate", "/decide", "/convergence", "/audit"):
        answer = client.get(f"/api/studies/{STUDY}{path}")
        assert answer.status_code == 200, path
        found = bands_in(answer.json()) - {"a number that is no count"}
        shown = {name: answer.json()[name] for name in found & answer.json().keys()}
        assert all(not value for value in shown.values()), (path, shown)
    assert client.get(f"/api/studies/{STUDY}/slices", params={"metric": "precision", "by": "country"}).status_code == 409
    assert client.get(f"/api/studies/{STUDY}/running").status_code == 409


def online_bench(bench: Bench) -> Study:
    """A study whose running band may be looked at at any time."""
    body = bench.study().standing.read_population()
    study = Study.create(ONLINE, body, goals=["precision >= 0.5"], ledger=bench.app.state.bench.ledger)
    study.plan(200, stopping="decision")
    bench.people.set_role("vic", ONLINE, "viewer")
    return study


def test_an_online_plan_sends_its_running_bands(bench: Bench) -> None:
    study = online_bench(bench)
    with watching(bench, ONLINE) as until:
        until("running")
        tell_some(study, 20)
        while (found := until("running"))[-1][1]["labels"] < 20:
            pass
    _, running = found[-1]
    [goal] = running["goals"]
    assert 0 <= goal["low"] < goal["high"] <= 1
    assert found[-2][0] == "progress"
    assert bands_in(running)  # the check above can see such a band


def test_planned_looks_are_announced_one_by_one(bench: Bench) -> None:
    body = bench.study().standing.read_population()
    study = Study.create("looks", body, goals=["precision +-0.2"], ledger=bench.app.state.bench.ledger)
    study.plan(60, stopping="2 looks")
    assert events.allowed(study).keys() == {"progress"}
    labels = []
    while tell_some(study, 10):
        if look := events.allowed(study).get("look"):
            labels.append(look["labels"])
    assert labels == sorted(labels)
    assert len(set(labels)) == 2
    assert labels[-1] == 60


def test_who_goes_is_forgotten_and_one_too_many_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    bench = make_bench(tmp_path_factory.mktemp("many"), limits=RequestLimits(watching=(2, 3)))
    with served(bench.app) as port:
        tokens = {name: str(bench.program(name).headers["Authorization"]) for name in ("vic", "owner")}

        def opened(name: str) -> http.client.HTTPConnection | None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", f"/api/studies/{STUDY}/events", headers={"Authorization": tokens[name]})
            if connection.getresponse().status == 200:
                return connection
            connection.close()
            return None

        first, second = opened("vic"), opened("vic")
        assert first is not None
        assert second is not None
        assert opened("vic") is None  # a third of the same person
        third = opened("owner")
        assert third is not None
        assert opened("owner") is None  # a fourth of all
        for connection in (first, second, third):
            connection.close()
        held, deadline = bench.app.state.bench.limits._held["watching"], time.monotonic() + 10
        while held.total() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert held.total() == 0
        again = opened("vic")
        assert again is not None
        again.close()


def test_a_stream_ends_when_its_person_may_no_longer_see_the_study(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CHECKED", 0.1)
    with watching(bench, STUDY) as until:
        until("progress")
        bench.people.drop_role("vic", STUDY)
        with pytest.raises(AssertionError, match="the stream ended"):
            until("look")


def test_a_quiet_stream_gives_signs_of_life(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT", 0.1)
    with served(bench.app) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", f"/api/studies/{STUDY}/events", headers={"Authorization": bench.program("vic").headers["Authorization"]})
        answer = connection.getresponse()
        lines = [answer.readline() for _ in range(8)]
        connection.close()
    assert lines.count(b": still here\n") >= 2


def test_one_reading_serves_all_who_watch(bench: Bench) -> None:
    held, calls = bench.app.state.bench, []

    def slow(study: Study) -> int:
        calls.append(1)
        time.sleep(0.1)
        return study._written

    threads = [threading.Thread(target=held.read, args=(STUDY, "slow", slow)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    tell_some(bench.study(), 1)
    held.read(STUDY, "slow", slow)
    assert len(calls) == 2
