"""An answer acknowledged to the client survives SIGKILL of the server the next moment: real uvicorn processes, SQLite and PostgreSQL."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest
from tests.end_to_end.commands import environment
from tests.service.workbench import Bench, make_bench

ROUNDS, TWIN_ROUNDS = 36, 6
KILLABLE = Path(__file__).with_name("killable.py")
PATIENCE = 30
Answers = dict[tuple[str, str], str]  # by unit and labeler


class Killable:
    """A server that is started and killed again and again."""

    def __init__(self, bench: Bench, *flags: str) -> None:
        command = [sys.executable, str(KILLABLE), bench.address, str(bench.folder / "data"), *flags]
        self._parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
        self.port, self._pid = 0, 0

    def start(self) -> None:
        """Serves on a free port."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._parent.stdin.write(f"{self.port}\n")
        self._parent.stdin.flush()
        self._pid = int(self._parent.stdout.readline())
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise AssertionError("the server did not come up")

    def kill(self) -> None:
        """Ends the server as a power cut would, and waits until it is gone."""
        os.kill(self._pid, signal.SIGKILL)
        assert self._parent.stdout is not None
        assert int(self._parent.stdout.readline()) == -signal.SIGKILL

    def close(self) -> None:
        """Ends what forks the servers."""
        self._parent.communicate(timeout=PATIENCE)


class Labeler(NamedTuple):
    """A client that labels, and what was acknowledged to it."""

    name: str
    token: str
    acknowledged: Answers

    def send(self, port: int, method: str, path: str, body: Any) -> Any:
        """The body of an answer with 200."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            headers = {"Authorization": self.token, "Content-Type": "application/json"}
            connection.request(method, f"/api/studies/alpha/{path}", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text)
        finally:
            connection.close()

    def tell(self, port: int, unit: str, answer: str) -> None:
        """Tells one answer and notes it if it was acknowledged."""
        said = [{"unit": unit, "answers": {"positive": answer}, "at": "2026-01-01T00:00:00Z"}]
        found = self.send(port, "POST", "answers", {"answers": said})["acknowledged"]
        if found[0]["status"] in ("recorded", "known"):
            self.acknowledged[unit, self.name] = answer


def labeled_until_killed(server: Killable, labelers: list[Labeler], rounds: int) -> None:
    """In each round one labels; the server is killed the moment an acknowledgement is read, while another's request is under way."""
    for number in range(rounds):
        server.start()
        first, second = labelers[number % 2], labelers[1 - number % 2]
        mine = [turn["unit"] for turn in first.send(server.port, "POST", "turns", {"units": 3})["turns"]]
        theirs = [turn["unit"] for turn in second.send(server.port, "POST", "turns", {"units": 3})["turns"]]
        beside = threading.Thread(target=_tell_all, args=(second, server.port, theirs))
        beside.start()
        for unit in mine[: 1 + number % 3]:
            first.tell(server.port, unit, "yes" if number % 2 else "no")
        server.kill()
        beside.join()


def _tell_all(labeler: Labeler, port: int, units: list[str]) -> None:
    """Tells answers until the server is gone."""
    for unit in units:
        try:
            labeler.tell(port, unit, "no")
        except (OSError, http.client.HTTPException):
            return


def lost(bench: Bench, labelers: list[Labeler]) -> list[str]:
    """Acknowledged answers that the ledger does not have once, one sentence each."""
    study = Study.load("alpha", ledger=bench.address)
    told = [e.body for e in study.ledger.entries("alpha", anew=True) if e.kind == "answer"]
    kept = [(str(body["unit"]), str(body["labeler"]), str(body["answer"])) for body in told]
    wanted = {(*seat, answer) for labeler in labelers for seat, answer in labeler.acknowledged.items()}
    wrong = [f"{one} is {kept.count(one)} times in the ledger" for one in sorted(wanted) if kept.count(one) != 1]
    units = [unit for unit, _, _ in kept]
    wrong += [f"unit {unit} was answered twice" for unit in sorted(set(units)) if units.count(unit) > 1]
    return wrong + list(study.verify().findings)


def played(bench: Bench, rounds: int, *flags: str) -> list[Labeler]:
    """What two labelers were acknowledged over so many kills."""
    bench.people.set_role("bob", "alpha", "labeler")
    labelers = [Labeler(name, str(bench.program(name).headers["Authorization"]), {}) for name in ("ann", "bob")]
    server = Killable(bench, *flags)
    try:
        labeled_until_killed(server, labelers, rounds)
    finally:
        server.close()
    return labelers


@pytest.fixture
def killed_bench(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    under: UnderTest = request.param
    bench = make_bench(tmp_path, address=under.address(tmp_path), planned=False)
    bench.study().plan(400)
    return bench


@pytest.mark.parametrize("killed_bench", PARAMETERS, indirect=True)
def test_what_was_acknowledged_survives_the_death_of_the_server(killed_bench: Bench) -> None:
    labelers = played(killed_bench, ROUNDS)
    assert sum(len(labeler.acknowledged) for labeler in labelers) >= 2 * ROUNDS  # each round acknowledges one to three, and some beside
    assert lost(killed_bench, labelers) == []


@pytest.mark.parametrize("killed_bench", PARAMETERS[:1], indirect=True)
def test_a_server_that_acknowledges_before_it_writes_is_found(killed_bench: Bench) -> None:
    labelers = played(killed_bench, TWIN_ROUNDS, "--lies")
    assert sum(len(labeler.acknowledged) for labeler in labelers) >= TWIN_ROUNDS
    assert any("0 times in the ledger" in one for one in lost(killed_bench, labelers))
