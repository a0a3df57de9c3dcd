"""The workbench of one version of fewlabels on one ledger, in a process of its own: `growth_bench.py LEDGER STUDY STATE [TIMES]`.

STATE is open, whole or singles. Prints what each step took, as JSON: CPU seconds of a turn and of an answer, seconds on
the clock of a page (the middle of TIMES, 20).
"""

import json
import statistics
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

TIMES = int(sys.argv[4]) if len(sys.argv) > 4 else 20
HOST = "http://127.0.0.1"


def client_of(address: str) -> Any:
    """A program of the owner."""
    from fastapi.testclient import TestClient

    from fewlabels.service.app import create_app
    from fewlabels.service.settings import RequestLimits, RequestRate, Settings

    free = RequestRate(1e9, 1e9)
    limits = RequestLimits(address=free, entering=free, refused=free, person=free)
    app = create_app(address, settings=Settings(data=Path(), limits=limits))
    people, client = app.state.bench.people, TestClient(app, base_url=HOST, follow_redirects=False)
    client.post("/enter", data={"key": people.owner_link(60).secret})
    client.cookies.clear()
    client.headers["Authorization"] = f"Bearer {people.grant('token', 'owner', lasts=600, note='growth').secret}"
    return client


def opened(address: str, study: str) -> dict[str, float]:
    """A study with open units: the first turn after the start, and turns and answers after that."""
    start = time.process_time()
    client = client_of(address)
    api = f"/api/studies/{study}"
    turn = client.post(f"{api}/turns", json={"units": 1}).json()["turns"][0]["unit"]
    first = time.process_time() - start
    question = client.get(f"{api}/sheet").json()["questions"][0]
    took = []
    for _ in range(TIMES):
        start = time.process_time()
        client.post(f"{api}/answers", json={"answers": [{"unit": turn, "answers": {question: "yes"}}]}).raise_for_status()
        turn = client.post(f"{api}/turns", json={"units": 1}).json()["turns"][0]["unit"]
        took.append(time.process_time() - start)
    return {"first turn": first, "answer": statistics.median(took)}


def whole(address: str, study: str) -> dict[str, float]:
    """A complete study: its pages after a correction, and when nothing has changed."""
    from fewlabels.study.study import Study

    client, other = client_of(address), Study.load(study, ledger=address)
    units = list(islice(other.standing.answers, TIMES))
    here = f"/studies/{study}"
    pages = ["/", f"{here}/plan", f"{here}/label", f"{here}/results", f"{here}/results/numbers", f"{here}/audit"]

    def seen(path: str) -> float:
        start = time.perf_counter()
        client.get(path).raise_for_status()
        return time.perf_counter() - start

    for path in pages:  # imports what it needs
        seen(path)
    first = []
    for unit in units:
        said = other.standing.answer_of(unit)
        assert said is not None
        other.tell({unit: said.answer != "yes"}, correct=True)
        first.append([seen(path) for path in pages])
    again = [[seen(path) for path in pages] for _ in range(TIMES)]
    return {name: max(map(statistics.median, zip(*took, strict=True))) for name, took in (("pages", first), ("pages unchanged", again))}


def singles(address: str, answers: str) -> tuple[float, float]:
    """Answers told one by one."""
    import numpy as np

    import fewlabels
    from fewlabels.study.study import Study

    units = 8_000
    rng = np.random.default_rng(1)
    table = {"id": [f"u{i:05d}" for i in range(units)], "score": rng.random(units)}
    population = fewlabels.read_population(table, score="score", threshold=0.5)
    study = Study.create("singles", population, goals=["recall >= 0.5"], ledger=address)
    study.plan(5_500)
    batch = study.ask(5_500)
    assert batch is not None
    took = []
    for i, unit in enumerate(batch.units[: int(answers)]):
        start = time.process_time()
        study.tell({unit: i % 3 == 0})
        took.append(time.process_time() - start)
    return sum(took[:500]), sum(took[-500:])


if __name__ == "__main__":
    ledger, about, state = sys.argv[1:4]
    print(json.dumps({"open": opened, "whole": whole, "singles": singles}[state](ledger, about)))
