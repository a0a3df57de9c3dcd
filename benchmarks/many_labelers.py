"""Many labelers at once, with everything dying: whether every acknowledged answer is in the ledger once, and how many a second there are.

    python -m benchmarks.many_labelers --labelers 50 --answers 8000 --out docs/many-labelers.md

Each labeler is a process that works over HTTP on a real `fewlabels serve`. Some of the labelers are killed with SIGKILL while they work,
and go on as new processes; the server is killed and started again twice, and so is PostgreSQL, on data of its own with fsync on.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fewlabels
from benchmarks.many_labelers_page import page
from benchmarks.many_labelers_servers import PostgresServer, WebServer
from fewlabels.desk.desk import Desk
from fewlabels.ledgers.base import Entry
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People
from fewlabels.randomness import is_double

STUDY, LEASE, DOUBLE = "many", 2.0, 0.1
CLIENT = Path(__file__).with_name("many_labelers_client.py")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What one run gave; `wrong` must stay empty."""

    ledger: str
    labelers: int
    answers: int
    seconds: float
    clients_killed: int
    servers_killed: int
    databases_killed: int
    acknowledged: int
    refused: int
    passed_on: int
    wrong: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


def make_study(folder: Path, address: str, answers: int) -> fewlabels.Study:
    """A study that needs about so many answers, some of its units from two labelers."""
    rng = np.random.default_rng(42)
    n = answers * 3
    table = pa.table({"id": [f"u{i}" for i in range(n)], "score": rng.beta(0.5, 2, n), "text": [f"unit {i}" for i in range(n)]})
    pq.write_table(table, folder / "scored.parquet")
    population = fewlabels.read_population(str(folder / "scored.parquet"), score="score", threshold=0.5)
    study = fewlabels.Study.create(STUDY, population, goals=["f1 +-0.05"], ledger=address)
    study.plan(round(answers / (1 + DOUBLE)))
    Desk(study).double(DOUBLE)
    return study


def tokens_for(ledger: Database, labelers: int) -> list[str]:
    """A token for each labeler."""
    people = People(ledger)
    people.add("owner", is_owner=True)
    found = []
    for i in range(labelers):
        people.add(f"labeler {i}")
        people.set_role(f"labeler {i}", STUDY, "labeler")
        granted = people.grant("token", f"labeler {i}", lasts=86_400)
        assert granted is not None
        found.append(granted.secret)
    return found


class Crowd:
    """The labelers' processes."""

    def __init__(self, url: str, tokens: list[str], folder: Path) -> None:
        """All of them begin to work."""
        self._url, self._tokens, self._folder = url, tokens, folder
        self._seed = 0
        self.killed = 0
        self.processes = [self._started(i) for i in range(len(tokens))]

    def _started(self, i: int) -> subprocess.Popen[bytes]:
        self._seed += 1
        log = self._folder / f"labeler {i}.jsonl"
        return subprocess.Popen([sys.executable, "-S", str(CLIENT), self._url, self._tokens[i], STUDY, str(log), str(self._seed)])

    def kill_one(self, rng: random.Random) -> None:
        """Kills one that works; it goes on as a new process."""
        working = [i for i, process in enumerate(self.processes) if process.poll() is None]
        if working:
            i = rng.choice(working)
            self.processes[i].send_signal(signal.SIGKILL)
            self.processes[i].wait()
            self.processes[i] = self._started(i)
            self.killed += 1

    @property
    def is_done(self) -> bool:
        """Whether all have ended; refuses one that ended badly."""
        codes = [process.poll() for process in self.processes]
        assert all(code in (None, 0) for code in codes), f"a labeler's process failed: {codes}"
        return all(code == 0 for code in codes)

    def end(self) -> None:
        """Ends those that still work."""
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def ledger_place(kind: str, folder: Path) -> Iterator[tuple[str, PostgresServer | None]]:
    """The address of a fresh ledger, and the database server that may be killed."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/ledger.db", None
        return
    server = PostgresServer()
    try:
        yield server.address, server
    finally:
        server.remove()


def run(kind: str, *, labelers: int, answers: int, faults: bool, seed: int = 42, patience: float = 1_800) -> Outcome:
    """One run from the first unit to the last, and what was found wrong in it."""
    with tempfile.TemporaryDirectory() as name, ledger_place(kind, Path(name)) as (address, database):
        folder = Path(name)
        study = make_study(folder, address, answers)
        web = WebServer(address, folder, lease=LEASE)
        begun = time.monotonic()
        crowd = Crowd(web.url, tokens_for(open_ledger(address), labelers), folder)
        try:
            while not crowd.is_done:
                assert time.monotonic() - begun < patience, "the labelers took too long"
                if faults:
                    _disturb(crowd, web, database, done=_told(study) / answers, rng=random.Random(seed + crowd.killed))
                time.sleep(0.05)
            seconds = time.monotonic() - begun
        finally:
            crowd.end()
            web.end()
        given, told = read_logs(folder)
        entries = [e for e in study.ledger.entries(STUDY, anew=True) if e.kind in ("answer", "correction")]
        return Outcome(
            ledger=kind, labelers=labelers, answers=len(entries), seconds=seconds, clients_killed=crowd.killed, servers_killed=web.killed,
            databases_killed=database.killed if database else 0, acknowledged=sum(status != "refused" for *_, status in told),
            refused=sum(status == "refused" for *_, status in told), passed_on=passed_on(given),
            wrong=[*wrong_in(study, entries, told), *wrong_leases(study, given)],
        )  # fmt: skip


def _told(study: fewlabels.Study) -> int:
    """Roughly how many answers there are; all there were last, while the database is down."""
    try:
        return study._written
    except fewlabels.FewlabelsError:
        return 0


def _disturb(crowd: Crowd, web: WebServer, database: PostgresServer | None, *, done: float, rng: random.Random) -> None:
    """Kills what is due: clients all along, a tenth of them in all and three at least, servers at four moments."""
    if crowd.killed < max(3, len(crowd.processes) // 10) and done > (crowd.killed + 1) / (max(3, len(crowd.processes) // 10) + 2):
        crowd.kill_one(rng)
    if web.killed < 2 and done > (0.25, 0.65)[web.killed]:
        web.kill_and_start()
    if database is not None and database.killed < 2 and done > (0.45, 0.8)[database.killed]:
        database.kill_and_start()


Given = tuple[str, str, float, float, float]  # unit, labeler, asked at, answered at, leased until
Told = tuple[str, str, str]  # unit, labeler, status


def read_logs(folder: Path) -> tuple[list[Given], list[Told]]:
    """What the labelers' processes wrote down; a line that was cut short by a kill says nothing."""
    given: list[Given] = []
    told: list[Told] = []
    for path in folder.glob("labeler *.jsonl"):
        for line in path.read_text().splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            given += [(unit, path.stem, said["from"], said["to"], until) for unit, until in said.get("given", [])]
            told += [(unit, path.stem, status) for unit, status, _ in said.get("told", [])]
    return given, told


def wrong_in(study: fewlabels.Study, entries: list[Entry], told: list[Told]) -> Iterator[str]:
    """What the ledger has lost, has twice, or has from a labeler too many."""
    standing = study.standing
    seats = [(e.body["unit"], e.body["labeler"]) for e in entries]
    if len(set(seats)) != len(seats):
        yield f"{len(seats) - len(set(seats))} units were answered twice by the same labeler"
    lost = {(unit, who) for unit, who, status in told if status != "refused"} - set(seats)
    if lost:
        yield f"{len(lost)} acknowledged answers are not in the ledger, such as {min(lost)}"
    if standing.unresolved:
        yield f"{len(standing.unresolved)} units have no answer"
    for unit in standing.units.unit if standing.units else ():
        wanted = 2 if is_double(standing.salt, unit, DOUBLE) else 1
        found = len(standing.told(unit))
        if found != wanted:
            yield f"unit {unit} has answers of {found} labelers, and the plan asks for {wanted}"
    yield from study.verify().findings


def wrong_leases(study: fewlabels.Study, given: list[Given]) -> Iterator[str]:
    """Units that were in the hands of more labelers at a time than the plan asks for."""
    salt = study.standing.salt
    for unit, grants in by_unit(given).items():
        allowed = 2 if is_double(salt, unit, DOUBLE) else 1
        for _, who, asked, answered, _ in grants:
            held = {other for _, other, _, since, until in grants if other != who and since <= asked and answered <= until}
            if len(held) >= allowed:
                yield f"unit {unit} was given to {who} while {sorted(held)} had it"


def by_unit(given: list[Given]) -> dict[str, list[Given]]:
    """What was given, unit by unit."""
    found: dict[str, list[Given]] = {}
    for one in given:
        found.setdefault(one[0], []).append(one)
    return found


def passed_on(given: list[Given]) -> int:
    """Units that more than two labelers had in turn: leases that were over, and passed on."""
    return sum(len({who for _, who, *_ in grants}) > 2 for grants in by_unit(given).values())


def run_before(folder: Path, outcome: Outcome, *, answers: int) -> Outcome:
    """The same with an earlier version: the same labelers and servers, on its sources."""
    sizes = ["--labelers", str(outcome.labelers), "--answers", str(answers)]
    only = ["--only", outcome.ledger, "faults" if outcome.clients_killed else "none"]
    argv = [sys.executable, "-m", "benchmarks.many_labelers", *sizes, *only]
    env = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{Path(__file__).parents[1]}"}
    told = subprocess.run(argv, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Outcome(**json.loads(told.splitlines()[-1]))


def main(say: Callable[[str], None] = print) -> None:
    """Runs both ledgers with and without faults, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labelers", type=int, default=50)
    parser.add_argument("--answers", type=int, default=8_000)
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version, run in the same way after each run of this one")
    parser.add_argument("--only", nargs=2, metavar=("LEDGER", "FAULTS"), help="one run, told as JSON: postgres or sqlite, faults or none")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.only:
        kind, faults = options.only
        say(json.dumps(asdict(run(kind, labelers=options.labelers, answers=options.answers, faults=faults == "faults"))))
        return
    if options.out is None:
        parser.error("a page needs --out FILE; --only writes none")
    outcomes, before = [], []
    for kind in ("postgres", "sqlite"):
        for faults in (True, False):
            outcomes.append(run(kind, labelers=options.labelers, answers=options.answers, faults=faults))
            say(repr(outcomes[-1]))
            if options.before is not None:
                before.append(run_before(options.before.resolve(), outcomes[-1], answers=options.answers))
                say(f"before: {before[-1]!r}")
    options.out.write_text(page(outcomes, before), encoding="utf-8")


if __name__ == "__main__":
    main()
