"""Somebody who has everything recomputed, many times over, and hangs up keeps no labeler waiting; and stopping stops."""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx2
import numpy as np
import pytest

import fewlabels
from fewlabels.engines.duckdb import write_parquet
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People
from fewlabels.randomness import stream
from fewlabels.service.verifying import PROGRAM
from fewlabels.study.study import Study
from tests.service.test_serve import ended, line_of, started, wait_for

TIMES = 3  # as long as alone may a turn take beside the viewer
TURNS, VIEWERS = 25, 8
SHORT = 0.1  # seconds: below it, what else the machine does beside the test decides


def labeled(folder: Path, labels: int) -> tuple[str, dict[str, str]]:
    """A ledger with a study of so many labels, and a tenth more planned; the tokens of a labeler and of a viewer."""
    units, rng = 4 * labels, stream(3)
    positive = rng.random(units) < 0.2
    ids = [f"u{i:07d}" for i in range(units)]
    score = np.clip(rng.normal(0.3 + 0.4 * positive, 0.15), 0.001, 0.999)
    write_parquet(folder / "table.parquet", {"id": ids, "text": [f"message {i}" for i in range(units)], "score": score})
    judged = fewlabels.Classifier("m", score="score", threshold=0.5)
    population = fewlabels.read_population(folder / "table.parquet", id="id", classifiers=[judged])
    address = f"sqlite:///{folder}/ledger.db"
    study = Study.create("big", population, goals=["recall +-0.2"], ledger=address)
    study.plan(labels + labels // 10)
    batch = study.ask(labels)
    assert batch is not None
    truth = dict(zip(ids, positive.tolist(), strict=True))
    study.tell({unit: truth[unit] for unit in batch.units})
    people, tokens = People(open_ledger(address)), {}
    for name in ("labeler", "viewer"):
        people.add(name)
        people.set_role(name, "big", name)
        granted = people.grant("token", name, lasts=3_600)
        assert granted is not None
        tokens[name] = granted.secret
    return address, tokens


def turn(client: httpx2.Client) -> float:
    """The seconds that taking a unit and answering it take."""
    begun = time.perf_counter()
    [given] = client.post("/api/studies/big/turns", json={"units": 1}).json()["turns"]
    told = client.post("/api/studies/big/answers", json={"answers": [{"unit": given["unit"], "answers": {"positive": "no"}}]})
    assert told.json()["acknowledged"][0]["status"] == "recorded"
    return time.perf_counter() - begun


@contextmanager
def viewing(url: str, token: str, hang_up_after: float) -> Iterator[list[int]]:
    """Eight who ask for everything to be recomputed, hang up, and ask again; the codes of what was answered."""
    over, codes = threading.Event(), list[int]()

    def view() -> None:
        while not over.is_set():
            try:
                where = f"{url}/api/studies/big/audit"
                found = httpx2.get(
                    where, params={"verify": True}, headers={"Authorization": f"Bearer {token}"}, timeout=hang_up_after
                )  # fmt: skip
                codes.append(found.status_code)
            except httpx2.TransportError:
                codes.append(0)
            over.wait(0.1)

    viewers = [threading.Thread(target=view) for _ in range(VIEWERS)]
    for one in viewers:
        one.start()
    try:
        yield codes
    finally:
        over.set()
        for one in viewers:
            one.join()


def verifications(parent: int) -> list[int]:
    """The processes of a server that recompute."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            stat, command = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if PROGRAM.encode() in command and int(stat.rpartition(")")[2].split()[1]) == parent:
            found.append(int(entry.name))
    return found


@pytest.mark.parametrize("labels", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_viewer_keeps_no_labeler_waiting(tmp_path: Path, labels: int, capsys: pytest.CaptureFixture[str]) -> None:
    address, tokens = labeled(tmp_path, labels)
    with started(tmp_path, "--json", "--ledger", address) as server:
        url = json.loads(line_of(server.stdout))["url"]
        wait_for(url)
        with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {tokens['labeler']}"}, timeout=60) as labeler:
            turn(labeler)  # the first one reads the study
            alone = [turn(labeler) for _ in range(TURNS)]
            with viewing(url, tokens["viewer"], hang_up_after=2.0) as codes:
                time.sleep(1.0)
                assert len(verifications(server.pid)) <= 2
                beside = [turn(labeler) for _ in range(TURNS)]
            deadline = time.monotonic() + 5
            while verifications(server.pid) and time.monotonic() < deadline:
                time.sleep(0.1)
            assert not verifications(server.pid)  # the last one has hung up
        with viewing(url, tokens["viewer"], hang_up_after=30.0):
            while not verifications(server.pid):
                time.sleep(0.05)
            children = verifications(server.pid)
            begun = time.monotonic()
            code, err = ended(server)
            took = time.monotonic() - begun
        assert code == 0, err
        assert "Traceback" not in err
        assert took < 5
        assert not [one for one in children if os.path.exists(f"/proc/{one}")]
    assert set(codes) <= {0, 200, 429}
    with capsys.disabled():
        print(f"\n{labels:,} labels: a turn {median(alone):.3f} s, beside the viewer {median(beside):.3f} s; stopped in {took:.1f} s")
    assert median(beside) <= TIMES * max(median(alone), SHORT)
