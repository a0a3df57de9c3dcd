"""Runs every method on every table, each package in its environment, and keeps what was found: a run that was stopped goes on."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.against import read_units
from benchmarks.peers.cells import Cell, Place, judge
from benchmarks.peers.environments import environment
from benchmarks.peers.given import Table
from benchmarks.peers.packages import Package
from benchmarks.tables import Bench

ROOT = Path(__file__).parents[2]


class Ways(NamedTuple):
    """How a package's methods are called, as its own environment tells."""

    package: Package
    python: Path
    source: str  # digest of what runs there and of its versions: what was made by another is made anew
    methods: list[dict[str, Any]]


class Subject(NamedTuple):
    """A table on disk as methods read it, with the truth of each metric and the most labels that leave something to estimate."""

    bench: Bench
    number: int
    path: Path
    truths: dict[str, float]
    most: dict[str, int]

    def table(self) -> Table:
        """The units as methods read them."""
        with np.load(self.path) as columns:
            return Table(columns["score"], columns["flagged"], columns["y"])


def subject_of(bench: Bench, number: int, folder: Path) -> Subject:
    """Write a table for the methods."""
    units, _ = read_units(bench)
    path = folder / f"{bench.table}-{bench.model}.npz"
    np.savez(path, score=units.score, flagged=units.flagged, y=units.y)
    hits, flagged, positives = int((units.flagged & units.y).sum()), int(units.flagged.sum()), int(units.y.sum())
    truths = {"precision": hits / flagged, "recall": hits / positives, "f1": 2 * hits / (flagged + positives)}
    return Subject(bench, number, path, truths, {"precision": flagged, "recall": units.y.size, "f1": units.y.size})


def ways_of(package: Package, environments: Path) -> Ways:
    """Make a package's environment, and ask it for its methods."""
    python = environment(package, environments)
    asked = (
        "import importlib, json, warnings; warnings.simplefilter('ignore'); "
        f"methods = importlib.import_module('benchmarks.peers.methods.{package.module}').METHODS; "
        "print(json.dumps([dict(name=m.name, metrics=m.metrics, draws=m.draws, glue=m.glue) for m in methods]))"
    )
    told = subprocess.run([str(python), "-c", asked], env=_variables(), capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(f"{package.name} cannot be imported: {told.stderr[-500:]}")
    return Ways(package, python, _source(package, python), json.loads(told.stdout.splitlines()[-1]))


def _source(package: Package, python: Path) -> str:
    here = Path(__file__).parent
    files = [here / f"{name}.py" for name in ("given", "draws", "strata", "run")] + [here / "methods" / f"{package.module}.py"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in (*files, python.parents[1] / "versions.json"))).hexdigest()[:8]


def _variables() -> dict[str, str]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1")
    return os.environ | one | {"PYTHONPATH": str(ROOT), "NML_DISABLE_USAGE_LOGGING": "1"}


class Runs:
    """The replicates of all methods, in files of a folder."""

    def __init__(self, folder: Path, *, labels: Sequence[int], reps: int, seed: int, jobs: int) -> None:
        """Go on with what the folder holds for this seed and these replicates."""
        self._folder = folder / f"seed{seed}-reps{reps}"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._labels, self._reps, self._seed, self._jobs = labels, reps, seed, jobs

    def run(self, everyone: Sequence[Ways], subjects: Sequence[Subject]) -> None:
        """Run what is missing, a package on a table at a time in each job; the largest tables first."""
        jobs = [(ways, subject) for subject in sorted(subjects, key=lambda one: -one.most["f1"]) for ways in everyone]
        with ThreadPoolExecutor(self._jobs) as pool:
            list(pool.map(lambda job: self._run_one(*job), jobs))

    def _out(self, ways: Ways, subject: Subject, method: str, labels: int) -> Path:
        return (
            self._folder
            / f"{subject.path.stem}--{ways.package.name}--{method.replace(', ', '_').replace(' ', '_')}--{labels}--{ways.source}.json"
        )

    def _run_one(self, ways: Ways, subject: Subject) -> None:
        tasks = [
            {
                "module": ways.package.module,
                "method": method["name"],
                "labels": labels,
                "reps": self._reps,
                "seed": self._seed,
                "stream": [subject.number, labels],
                "out": str(self._out(ways, subject, method["name"], labels)),
            }
            for method in ways.methods
            for labels in self._labels
            if any(labels < subject.most[metric] for metric in method["metrics"])
        ]
        missing = [task for task in tasks if not Path(task["out"]).exists()]
        if missing:
            listed = self._folder / f"{subject.path.stem}--{ways.package.name}.tasks"
            listed.write_text(json.dumps(missing))
            argv = [str(ways.python), "-m", "benchmarks.peers.run", str(listed), str(subject.path)]
            subprocess.run(argv, env=_variables(), check=True, stdout=subprocess.DEVNULL)
            listed.unlink()
            print(subject.bench.name, ways.package.name, f"{len(missing)} tasks", flush=True)

    def minutes(self) -> float:
        """Minutes of one core that the packages took, in this run and in those that were stopped."""
        return sum(sum(json.loads(path.read_text())["seconds"].values()) for path in self._folder.glob("*.json")) / 60

    def cells(self, ways: Ways, subject: Subject) -> Iterator[Cell]:
        """Judge what was found."""
        for method in ways.methods:
            for labels in self._labels:
                out = self._out(ways, subject, method["name"], labels)
                if not out.exists():
                    continue
                kept = json.loads(out.read_text())
                for metric in method["metrics"]:
                    rows, crashed = np.array(kept["found"][metric], dtype=float), sum(kept["raised"][metric].values())
                    if labels < subject.most[metric] and (crashed or np.isfinite(rows[:, 0]).any()):
                        at = Place(subject.bench.name, ways.package.name, method["name"], metric, labels)
                        yield judge(at, subject.truths[metric], rows, crashed=crashed, seconds=kept["seconds"][metric])

    def raised(self, ways: Ways, subject: Subject) -> Iterator[tuple[str, int]]:
        """What was raised where something is left to estimate: words and how often."""
        for method in ways.methods:
            for labels in self._labels:
                out = self._out(ways, subject, method["name"], labels)
                by_metric = json.loads(out.read_text())["raised"] if out.exists() else {}
                for metric, words in by_metric.items():
                    yield from words.items() if labels < subject.most[metric] else ()
