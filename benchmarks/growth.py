"""What a label costs as labels grow: commands, workbench and memory at 1,000 to 1,000,000 labels, by this version and by one before it.

    python -m benchmarks.growth --before FOLDER --folder FOLDER --out docs/growth.md

`--before` is a checkout of fewlabels without snapshots. Both versions get the same entries: a study is made by this one, and its entries
are copied into a ledger of the other. Every command is a process of its own; its CPU seconds and its peak memory are the kernel's. Each
step is measured by both versions one after the other. What must not grow is measured at all sizes side by side, round after round: the
speed of a machine drifts.
"""

import argparse
import csv
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import fewlabels
from benchmarks.growth_page import page
from fewlabels.engines.duckdb import write_parquet
from fewlabels.nouns.arrays import FloatArray
from fewlabels.randomness import stream
from fewlabels.study.study import Study

STUDY, LEFT, SLICES, ROUNDS = "big", 240, 40, 5
COMMAND = "from fewlabels.cli.main import main; main()"
HERE = Path(__file__).parent
MEASURED = "\nmeasured: "  # what growth_launch.py prints before its figures
SIZES = (1_000, 10_000, 100_000, 1_000_000)
SINGLES = {"before": 2_000, "after": 5_000}  # answers told one by one
BESIDE = ("ask", "tell one", "status", "first turn", "answer", "estimate", "estimate again", "decide")  # all sizes side by side
ONCE_BEFORE = 100_000  # the largest studies that the version before gets, and those once: each of its commands takes half a minute
MOST_BEFORE = {"verify": 10_000, "report": 10_000, "pages": 10_000, "pages unchanged": 10_000}
APART = ("verify", "report", "draw all", "tell all", "pages", "pages unchanged")


class Version(NamedTuple):
    """One version of fewlabels: its name, and the folder of its sources."""

    name: str
    source: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return kept | {"PYTHONPATH": f"{self.source}:{HERE.parent}", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Cost(NamedTuple):
    """What a process cost: CPU seconds of user and system, and peak memory in MB; `printed` is what it said."""

    seconds: float
    memory: float
    printed: str


def cost(version: Version, argv: Sequence[str]) -> Cost:
    """Run a process of a version of fewlabels, begun by a small one: a process starts with the peak memory of the one that begins it."""
    launched = [sys.executable, "-S", str(HERE / "growth_launch.py"), sys.executable, *argv]
    with subprocess.Popen(launched, env=version.environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
    printed, _, measured = printed.rpartition(MEASURED)
    if process.returncode not in (0, 3, 4):  # 3 and 4: label more, do not ship
        raise RuntimeError(f"{' '.join(argv)} ended with {process.returncode}")
    seconds, memory = map(float, measured.split())
    return Cost(seconds, memory, printed)


def command(version: Version, ledger: str, *argv: str) -> Cost:
    """Run a command on a ledger."""
    return cost(version, ["-c", COMMAND, *argv, "--ledger", ledger])


def write_table(folder: Path, labels: int, *, slices: bool) -> dict[str, bool]:
    """A table with enough units; returns what each unit truly is."""
    units, rng = int(labels * 1.5) + 2_000, stream(19, labels)
    score = np.clip(rng.beta(0.6, 2.0, units), 0.001, 0.999)
    ids = [f"u{i:07d}" for i in range(units)]
    columns: dict[str, Sequence[str] | FloatArray] = {"id": ids, "text": [f"message {i}" for i in range(units)], "score": score}
    if slices:
        columns["country"] = [f"c{i % SLICES:02d}" for i in range(units)]
    write_parquet(folder / "table.parquet", columns)
    return dict(zip(ids, (rng.random(units) < score).tolist(), strict=True))


def make(folder: Path, labels: int, *, slices: bool) -> None:
    """Three ledgers of one study: asked but not answered, with LEFT units open, and complete."""
    truth = write_table(folder, labels, slices=slices)
    columns = ["country"] if slices else []
    population = fewlabels.read_population(folder / "table.parquet", id="id", score="score", threshold=0.5, slices=columns)
    study = Study.create(STUDY, population, goals=["recall >= 0.5", "precision +-0.05"], ledger=f"sqlite:///{folder}/planned.db")
    study.plan(labels)
    shutil.copy(folder / "planned.db", folder / "asked.db")
    study = Study.load(STUDY, ledger=f"sqlite:///{folder}/asked.db")
    batch = study.ask(labels - LEFT)
    assert batch is not None
    write_answers(folder / "answers.csv", ((unit, truth[unit]) for unit in batch.units))
    shutil.copy(folder / "asked.db", folder / "open.db")
    study = Study.load(STUDY, ledger=f"sqlite:///{folder}/open.db")
    study.tell({unit: truth[unit] for unit in batch.units})
    shutil.copy(folder / "open.db", folder / "whole.db")
    study = Study.load(STUDY, ledger=f"sqlite:///{folder}/whole.db")
    while rest := study.ask(LEFT):
        study.tell({unit: truth[unit] for unit in rest.units})


def write_answers(path: Path, answers: Iterator[tuple[str, bool]]) -> None:
    """A file of answers."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["unit", "answer"])
        writer.writerows((unit, "yes" if said else "no") for unit, said in answers)


class Ledgers:
    """The ledgers of one study for one version, in SQLite or PostgreSQL."""

    def __init__(self, version: Version, folder: Path, *, postgres: str | None, anew: bool) -> None:
        """Copy the entries that were made into a folder; anew: into ledgers that the version makes itself, which know no snapshot."""
        self.version, self.folder, self._from = version, folder, folder
        self._postgres, self._anew = postgres, anew
        self._folder = folder / version.name
        self._folder.mkdir(exist_ok=True)
        self._copied: set[str] = set()  # ledgers that are in PostgreSQL
        self._prefix = f"growth_{version.name}_{folder.name.replace('-', '_')}"  # of their databases

    def fresh(self, name: str) -> str:
        """The address of a new copy of a ledger."""
        path = self._folder / f"{name}.db"
        for old in self._folder.glob(f"{name}.db*"):
            old.unlink()
        if self._anew:
            cost(self.version, ["-c", f"from fewlabels.ledgers.opening import open_ledger; open_ledger('sqlite:///{path}')"])
            with sqlite3.connect(path) as connection:
                connection.execute("attach database ? as made", (str(self._from / f"{name}.db"),))
                connection.execute("insert into entry select * from made.entry")
            connection.close()
        else:
            shutil.copy(self._from / f"{name}.db", path)
        return f"sqlite:///{path}" if self._postgres is None else self._in_postgres(f"sqlite:///{path}", name)

    def _in_postgres(self, address: str, name: str) -> str:
        import sqlalchemy as sa

        home, _, _ = str(self._postgres).rpartition("/")
        database = f"{self._prefix}_{name}"
        engine = sa.create_engine(str(self._postgres).replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            if name not in self._copied:
                for one in (database, f"{database}_made"):
                    connection.execute(sa.text(f"drop database if exists {one}"))
                connection.execute(sa.text(f"create database {database}_made"))
                cost(self.version, ["-c", COMMAND, "ledger", "copy", address, f"{home}/{database}_made"])
                if not self._anew:
                    command(self.version, f"{home}/{database}_made", "ledger", "rebuild", STUDY)
                self._copied.add(name)
            connection.execute(sa.text(f"drop database if exists {database}"))
            connection.execute(sa.text(f"create database {database} template {database}_made"))
        engine.dispose()
        return f"{home}/{database}"

    def end(self) -> None:
        """Delete what was copied to PostgreSQL."""
        import sqlalchemy as sa

        if self._copied:
            engine = sa.create_engine(str(self._postgres).replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                for name in self._copied:
                    for one in (f"{self._prefix}_{name}", f"{self._prefix}_{name}_made"):
                        connection.execute(sa.text(f"drop database if exists {one}"))
            engine.dispose()


def median_of(costs: Sequence[Cost]) -> tuple[float, float]:
    """The middle CPU seconds, and the highest memory."""
    return statistics.median(one.seconds for one in costs), max(one.memory for one in costs)


Step = tuple[str, tuple[float, float]]  # its name; CPU seconds (pages: seconds on the clock), and memory
Wanted = Callable[[str], bool]


def measure(ledgers: Ledgers, folder: Path, wanted: Wanted) -> Iterator[Step]:
    """Each step that is wanted of those that are measured once."""
    whole = partial(command, ledgers.version, ledgers.fresh("whole"))
    for step, argv in (("verify", ()), ("report", ("--out", str(folder / "report.html")))):
        if wanted(step):
            yield step, median_of([whole(step, STUDY, *argv)])
    if wanted("pages"):
        yield from bench(ledgers.version, ledgers.fresh("whole"), "whole")
    if wanted("draw all"):
        labels = sum(1 for _ in (folder / "answers.csv").open(encoding="utf-8")) - 1
        out = folder / "all.csv"
        out.unlink(missing_ok=True)
        drawn = command(ledgers.version, ledgers.fresh("planned"), "draw", STUDY, "--units", str(labels), "--out", str(out))
        yield "draw all", median_of([drawn])
    if wanted("tell all"):
        yield "tell all", median_of([command(ledgers.version, ledgers.fresh("asked"), "tell", STUDY, str(folder / "answers.csv"))])


Once = tuple[str, Cost]


def once_open(ledgers: Ledgers, folder: Path, address: str) -> Iterator[Once]:
    """The steps of a study with open units, once."""
    version, batch = ledgers.version, folder / "batch.csv"
    batch.unlink(missing_ok=True)
    yield "ask", command(version, address, "draw", STUDY, "--units", "1", "--out", str(batch))
    with batch.open(newline="", encoding="utf-8") as file:
        unit = next(csv.DictReader(file))["unit"]
    write_answers(folder / "one.csv", iter([(unit, True)]))
    yield "tell one", command(version, address, "tell", STUDY, str(folder / "one.csv"))
    yield "status", command(version, address, "status", STUDY)
    for step, (seconds, memory) in bench(version, address, "open"):
        yield step, Cost(seconds, memory, "")


def once_whole(ledgers: Ledgers) -> Iterator[Once]:
    """The steps of a complete study, once, with nothing kept of an earlier one."""
    address = ledgers.fresh("whole")
    for step in ("estimate", "estimate again", "decide"):
        yield step, command(ledgers.version, address, step.split()[0], STUDY)


def bench(version: Version, address: str, state: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """The steps of the workbench."""
    done = cost(version, [str(HERE / "growth_bench.py"), address, STUDY, state, *(["3"] if version.name == "before" else [])])
    for step, seconds in json.loads(done.printed.splitlines()[-1]).items():
        yield step, (seconds, done.memory)


def singles(version: Version, folder: Path) -> tuple[float, float]:
    """CPU seconds of the first and the last 500 of many answers told one by one in one process."""
    path = folder / f"{version.name}-singles.db"
    path.unlink(missing_ok=True)
    done = cost(version, [str(HERE / "growth_bench.py"), f"sqlite:///{path}", str(SINGLES[version.name]), "singles"])
    first, last = json.loads(done.printed.splitlines()[-1])
    return first, last


class Growth:
    """What was measured, kept in a file so that a run that was stopped goes on."""

    def __init__(self, folder: Path, versions: Sequence[Version], *, postgres: str | None, only: str | None) -> None:
        """Go on with what the folder holds."""
        self._folder, self._versions, self._postgres = folder, versions, postgres
        self._databases = [only] if only else ["sqlite", "postgres"] if postgres else ["sqlite"]
        self._store = folder / "growth.json"
        self.found: dict[str, tuple[float, float]] = json.loads(self._store.read_text()) if self._store.exists() else {}

    def keep(self, key: str, value: tuple[float, float]) -> None:
        """Keep a figure."""
        self.found[key] = value
        self._store.write_text(json.dumps(self.found, indent=1))
        print(key, [round(one, 3) for one in value], flush=True)

    def start(self) -> None:
        """Measure what a process costs that only imports SQLAlchemy: it tells how fast the machine is."""
        if "start" not in self.found:
            self.keep("start", median_of([cost(self._versions[-1], ["-c", "import sqlalchemy"]) for _ in range(9)]))

    def tell_singles(self) -> None:
        """Measure answers told one by one."""
        for version in self._versions:
            if f"singles {version.name}" not in self.found:
                self.keep(f"singles {version.name}", singles(version, self._folder))

    def measure(self, sizes: Sequence[int], *, slices: bool) -> None:
        """Measure all that is missing of one kind of study: what must not grow, size after size, round after round; then the rest."""
        kind = "slices" if slices else "plain"
        for database in self._databases:
            every = [(labels, version) for labels in sizes for version in self._versions]
            wanted = {(labels, v.name): partial(self._is_wanted, f"{v.name} {database} {kind}", labels) for labels, v in every}
            if not any(wants(step) for wants in wanted.values() for step in (*BESIDE, *APART)):
                continue
            ledgers = {}
            for labels, version in every:
                if any(map(wanted[labels, version.name], (*BESIDE, *APART))):
                    ledgers[labels, version.name] = self._ledgers(version, labels, database=database, slices=slices)
            self._beside(ledgers, wanted, f"{database} {kind}")
            for (labels, name), of in ledgers.items():
                for step, value in measure(of, of.folder, wanted[labels, name]):
                    self.keep(f"{name} {database} {kind} {labels} {step}", value)
                of.end()
        for labels in sizes:
            shutil.rmtree(self._folder_of(labels, slices=slices), ignore_errors=True)

    def _folder_of(self, labels: int, *, slices: bool) -> Path:
        return self._folder / f"{labels}{'-slices' if slices else ''}"

    def _ledgers(self, version: Version, labels: int, *, database: str, slices: bool) -> Ledgers:
        folder = self._folder_of(labels, slices=slices)
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            make(folder, labels, slices=slices)
            (folder / "made").touch()
        return Ledgers(version, folder, postgres=self._postgres if database == "postgres" else None, anew=version.name == "before")

    def _beside(self, ledgers: Mapping[tuple[int, str], Ledgers], wanted: Mapping[tuple[int, str], Wanted], how: str) -> None:
        found: dict[str, list[Cost]] = {}
        opened: dict[tuple[int, str], str] = {}
        for turn in range(ROUNDS):
            for (labels, name), of in ledgers.items():
                key = f"{name} {how} {labels}"
                if not wanted[labels, name]("status") or (turn and name == "before" and labels >= ONCE_BEFORE):
                    continue
                address = opened.setdefault((labels, name), of.fresh("open") if turn == 0 else "")
                for step, one in (*once_open(of, of.folder, address), *once_whole(of)):
                    found.setdefault(f"{key} {step}", []).append(one)
        for key, costs in found.items():
            self.keep(key, median_of(costs))

    def _is_wanted(self, how: str, labels: int, step: str) -> bool:
        hopeless = how.startswith("before") and labels > MOST_BEFORE.get(step, ONCE_BEFORE)
        return f"{how} {labels} {step}" not in self.found and not hopeless


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--postgres", help="address of a database on a server where databases may be made")
    parser.add_argument("--only", choices=["sqlite", "postgres"], help="one database; a later run in the same folder adds the other")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    versions = (Version("before", given.before.resolve() / "src"), Version("after", HERE.parent.resolve() / "src"))
    given.folder.mkdir(parents=True, exist_ok=True)
    growth = Growth(given.folder.resolve(), versions, postgres=given.postgres, only=given.only)
    growth.start()
    growth.tell_singles()
    sizes = [int(size) for size in given.sizes.split(",")]
    for slices in (False, True):
        growth.measure(sizes, slices=slices)
    given.out.write_text(page(growth.found), encoding="utf-8")


if __name__ == "__main__":
    main()
