"""A process killed at any moment loses nothing that was acknowledged and leaves nothing half done: the same command again ends the same.

Every act here also writes a snapshot, so the statements that write one are among those it is killed at.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fewlabels.engines.duckdb import write_parquet
from fewlabels.randomness import stream
from tests.unit.study.made import TRUTH, columns

SEED = 2026
RANDOM_KILLS = 10
BUDGET = 12
UNITS = 120
LEDGER = ("--ledger", "sqlite:///ledger.db", "--json")
COMMANDS = ("plan", "draw", "tell", "estimate")
BOUNDARIES: dict[str, list[list[str]]] = {  # what an act adds, so where a kill may leave the ledger
    "plan": [[], ["population"], ["population", "study"], ["population", "study", "plan"]],
    "draw": [[], ["draw"], ["draw", "batch"], ["draw", "batch", "sheet"]],
    "tell": [[], ["answer"] * BUDGET],
    "estimate": [[], ["look"]],
}


class Walk:
    """The commands in their order, each starting from what the one before it left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        table = columns(UNITS)
        write_parquet(folder / "table.parquet", {name: table[name] for name in ("id", "text", "score")})
        (folder / "answers.csv").write_text("unit,answer\n" + "".join(f"{unit},{TRUTH[unit]}\n" for unit in table["id"]))
        (folder / "empty").mkdir()

    def argv(self, command: str) -> list[str]:
        read = [str(self.folder / "table.parquet"), "--score", "score", "--threshold", "0.5", "--goal", "recall >= 0.5"]
        return {
            "plan": ["plan", *read, "--budget", str(BUDGET), "--study", "s", *LEDGER],
            "draw": ["draw", "s", "--units", str(BUDGET), "--show", "text", "--out", "batch.csv", *LEDGER],
            "tell": ["tell", "s", str(self.folder / "answers.csv"), "--drawn-only", "--labeler", "ada", *LEDGER],
            "estimate": ["estimate", "s", *LEDGER],
        }[command]

    def template(self, command: str) -> Path:
        """The folder a command starts from."""
        if command == COMMANDS[0]:
            return self.folder / "empty"
        earlier = COMMANDS[COMMANDS.index(command) - 1]
        scratch = self.folder / f"made by {earlier}"
        if not scratch.exists():
            self.kill(earlier, scratch, delays=[])
        return scratch / "whole"

    def kill(self, command: str, scratch: Path, *, delays: list[float] | None) -> dict[str, Any]:
        """Runs a command to its end and under kills, by a runner that has an interpreter of its own: it may fork."""
        job = {"template": str(self.template(command)), "argv": self.argv(command), "scratch": str(scratch), "delays": delays}
        runner = Path(__file__).with_name("dying.py")
        env = {"PYTHONPATH": ":".join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, str(runner)], input=json.dumps(job), env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def walk() -> Iterator[Walk]:
    memory = Path("/dev/shm")  # a kill is no power cut: what was written is there, on a disk or in memory
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Walk(Path(name))


def kinds(rows: list[Any]) -> list[str]:
    return [row[2] for row in rows]


def check(command: str, whole: dict[str, Any], run: dict[str, Any]) -> None:
    """What a kill left is whole acts and nothing else, and running again ends as if there had been none."""
    left, again = run["left"], run["again"]
    assert left == whole["entries"][: len(left)]
    start = len(whole["entries"]) - len(BOUNDARIES[command][-1])
    assert kinds(left)[start:] in BOUNDARIES[command]
    assert len(left) >= start
    assert again["entries"] == whole["entries"]
    assert again["files"] == whole["files"]
    assert {"head", "frame"} <= set(again["parts"]) == set(whole["parts"])
    shown, expected = json.loads(again["stdout"]), json.loads(whole["stdout"])
    if command == "tell":  # recorded or known, depending on which run acknowledged them
        assert shown.pop("recorded") + shown.pop("known") == expected.pop("recorded") + expected.pop("known") == BUDGET
    assert shown == expected


# The two with the most events, whose acts the others have too, take four minutes together.
@pytest.mark.parametrize("command", [pytest.param(one, marks=[pytest.mark.slow] * (one in ("plan", "estimate"))) for one in COMMANDS])
def test_killed_at_every_event_and_run_again_it_ends_the_same(walk: Walk, command: str) -> None:
    found = walk.kill(command, walk.folder / f"every {command}", delays=None)
    whole, runs = found["whole"], found["runs"]
    assert [run["ended"] for run in runs] == [False] * whole["events"] + [True]  # killed at every one, and once not at all
    for run in runs:
        check(command, whole, run)
    # The kills fell before, between and after the acts: every state a kill may leave was left by one.
    left = {tuple(kinds(run["left"])) for run in runs}
    assert len(left) == len(BOUNDARIES[command])
    if command == "draw":
        assert whole["files"]["batch.csv"].count("\n") == BUDGET + 1


@pytest.mark.parametrize("command", ["draw", "tell"])
def test_killed_at_random_times_and_run_again_it_ends_the_same(walk: Walk, command: str) -> None:
    delays = stream(SEED, COMMANDS.index(command)).uniform(0, 1, RANDOM_KILLS).tolist()
    found = walk.kill(command, walk.folder / f"random {command}", delays=delays)
    assert len(found["runs"]) == RANDOM_KILLS
    for run in found["runs"]:
        check(command, found["whole"], run)
