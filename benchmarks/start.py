"""How long `fewlabels status` and `fewlabels decide` take on a study of 300 labels, against importing NumPy and SQLAlchemy alone.

python -m benchmarks.start --runs 10

Each run starts every command once, one after the other, so that whatever else the machine does falls on all of them. The study is asked
both ways a decision may go: with goals that 300 labels settle, and with one that they leave open, for which `decide` also says how many
more labels it needs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from fewlabels.demo.study import write_demo
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

LABELS = 300
LIMIT = 3.0  # times what importing NumPy and SQLAlchemy takes
REFERENCE = "import numpy, sqlalchemy"
FEWLABELS = "from fewlabels.cli.main import main; main()"  # what the installed command runs
GOALS = {"settled": ["precision >= 0.7", "recall >= 0.6"], "open": ["f1 >= 0.88"]}


class Spent(NamedTuple):
    """Seconds that one process took: on the clock, and of the processor (user and system)."""

    clock: float
    processor: float


def make_studies(folder: Path) -> str:
    """The address of a ledger with a labeled study for each entry of GOALS."""
    made, ledger = write_demo(folder), f"sqlite:///{folder / 'start.db'}"
    lines = made.answers.read_text(encoding="utf-8").splitlines()[1:]
    answers = dict(line.split(",") for line in lines)
    for name, goals in GOALS.items():
        population = read_population(str(made.population), score="score", threshold=0.5)
        study = Study.create(name, population, goals=goals, ledger=ledger)
        study.plan(LABELS)
        study.tell({unit: answers[unit] for unit in study.ask(LABELS).units})
    return ledger


def commands(ledger: str) -> dict[str, list[str]]:
    """What is started, by name; the reference first."""
    asked = {f"{command}, {name}": [command, name, "--ledger", ledger] for command in ("status", "decide") for name in GOALS}
    run = {name: [sys.executable, "-c", FEWLABELS, *words] for name, words in asked.items()}
    return {REFERENCE: [sys.executable, "-c", REFERENCE], **run}


def spend(command: list[str], bytecode: Path) -> Spent:
    """What one process takes from its start to its end; compiled modules stay in the folder `bytecode`, as an installation keeps them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = str(bytecode)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=kept)
    _, status, used = os.wait4(process.pid, 0)
    spent = Spent(time.perf_counter() - began, used.ru_utime + used.ru_stime)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"every command timed has to succeed, but {' '.join(command)} ended with {process.returncode}: run it by hand")
    return spent


def measure(started: dict[str, list[str]], runs: int, bytecode: Path) -> dict[str, Spent]:
    """Medians by name; a first run, which compiles what is imported, is not counted."""
    for command in started.values():
        spend(command, bytecode)
    taken: dict[str, list[Spent]] = {name: [] for name in started}
    for _ in range(runs):
        for name, command in started.items():
            taken[name].append(spend(command, bytecode))
    return {name: Spent(*(median(values) for values in zip(*spent, strict=True))) for name, spent in taken.items()}


def lines(found: dict[str, Spent]) -> list[str]:
    """A line for each command: seconds, and how many times those of the reference."""
    by = found[REFERENCE]
    heading = f"{'':28}{'seconds':>9}{'times':>8}{'processor':>11}{'times':>8}"
    rows = [
        f"{name:28}{spent.clock:9.3f}{spent.clock / by.clock:8.2f}{spent.processor:11.3f}{spent.processor / by.processor:8.2f}"
        for name, spent in found.items()
    ]
    return [heading, *rows]


def main() -> None:
    """Prints the medians; ends with 1 where a command takes more than LIMIT times the reference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="how often each command is started")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(commands(make_studies(Path(folder))), options.runs, Path(folder) / "bytecode")
    print("\n".join(lines(found)))
    slowest = max(found, key=lambda name: found[name].clock)
    if found[slowest].clock > LIMIT * found[REFERENCE].clock:
        raise SystemExit(f"commands start within {LIMIT:g} times the reference, but {slowest!r} does not: see python -X importtime")


if __name__ == "__main__":
    main()
