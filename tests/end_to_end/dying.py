"""Runs commands of fewlabels in children that are killed: at their k-th event, or after a delay. Nothing in the product knows of it.

    python dying.py < job.json > results.json

A fresh interpreter costs two seconds, a fork of a warm one a few milliseconds: this process imports everything, opens nothing,
and forks a child for every run. Events are seen from outside: every statement before and after, every commit before and after,
every file opened for writing, synced and replaced.

job      template: folder the command starts from; argv; scratch: folder to work in; delays: shares of the whole time to kill at
         (null: kill at event 1, 2, 3, ... until the command ends by itself)
results  whole: the state after a run without a kill, and how many events it had; runs: for every kill the entries it left, and the
         state after the same command was run again
"""

import gc
import json
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import alembic.command
import alembic.config
import duckdb
import scipy.stats
import sqlalchemy as sa

import fewlabels.cli.main
import fewlabels.engines.duckdb
import fewlabels.engines.memory
import fewlabels.engines.selftest
import fewlabels.ledgers.sqlite
import fewlabels.study.create
import fewlabels.study.plan.sizes
import fewlabels.study.state.book
import fewlabels.study.state.register
import fewlabels.study.state.snapshots
import fewlabels.study.study

WARM = (
    alembic.command,
    alembic.config,
    duckdb,
    scipy.stats,
    fewlabels.engines.duckdb,
    fewlabels.engines.memory,
    fewlabels.study.plan.sizes,
)
FIXED_TIME = "2026-01-02T03:04:05.000006+00:00"
FIXED_SALT = "0123456789abcdef" * 2


class Dying:
    """Counts events and kills its own process at the one with the given number; 0: never."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, 0

    def event(self, *_: object, **__: object) -> None:
        self.seen += 1
        if self.seen == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            self.event()
            result = function(*args, **named)
            self.event()
            return result

        return counted


def hook(dying: Dying) -> None:
    """Sees everything that could leave a trace, and fixes clock and salt so that two runs can be compared."""
    for name in ("rollback", "before_cursor_execute", "after_cursor_execute"):
        sa.event.listen(sa.engine.Engine, name, dying.event)
    dialect: Any = sa.engine.default.DefaultDialect
    dialect.do_commit = dying.around(dialect.do_commit)
    os.fsync = dying.around(os.fsync)
    os.replace = dying.around(os.replace)
    opened = Path.open

    def open_counted(self: Path, mode: str = "r", *args: Any, **named: Any) -> Any:
        return (dying.around(opened) if "w" in mode else opened)(self, mode, *args, **named)

    path: Any = Path
    path.open = open_counted
    defaults = fewlabels.ledgers.sqlite.SqliteLedger.__init__.__kwdefaults__
    assert defaults is not None
    defaults["clock"] = lambda: FIXED_TIME
    created: Any = fewlabels.study.create
    created.new_salt = lambda: FIXED_SALT
    snapshots: Any = fewlabels.study.state.snapshots
    snapshots.EVERY = 1  # every act writes a snapshot, of pages of five units
    for module in (fewlabels.study.state.book, fewlabels.study.state.register, fewlabels.study.state.snapshots):
        paged: Any = module
        paged.PAGE = 5
    # Two things that cost most of the time and leave no trace: sizing the goals of a budget already given, and testing DuckDB.
    sizing: Any = fewlabels.study.plan.sizes
    sizing.labels_needed = sizing.uniform_labels = lambda *_, **__: None
    selftest: Any = fewlabels.engines.selftest
    selftest.check_engine = lambda *_: None


def child(argv: list[str], folder: Path, at: int) -> None:
    """The command, in this process, which does not outlive it."""
    os.chdir(folder)
    for handle, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), handle)
    dying = Dying(at)
    hook(dying)
    sys.argv = ["fewlabels", *argv]
    try:
        fewlabels.cli.main.main()
    except SystemExit as done:
        sys.stdout.flush()
        with open(folder / "events", "w") as file:  # not Path.open, which is counted
            file.write(str(dying.seen))
        os._exit(done.code if isinstance(done.code, int) else 0)
    os._exit(99)


def run(argv: list[str], folder: Path, *, at: int = 0, delay: float | None = None) -> bool:
    """Runs the command in a child; whether it ended by itself."""
    pid = os.fork()
    if pid == 0:
        child(argv, folder, at)
    if delay is not None:
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)  # a child that has ended is still there to be waited for
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, (folder / "stderr").read_text()
    return True


def entries(folder: Path) -> list[Any]:
    """What the ledger holds, read from a copy: a journal left behind is the product's to roll back."""
    if not (folder / "ledger.db").exists():
        return []
    seen = folder / "seen"
    seen.mkdir(exist_ok=True)
    for path in folder.glob("ledger.db*"):
        shutil.copy(path, seen / path.name)
    with sqlite3.connect(seen / "ledger.db") as connection:
        tables = connection.execute("select name from sqlite_master where name = 'entry'").fetchall()
        found = connection.execute("select * from entry order by study, serial").fetchall() if tables else []
    connection.close()
    shutil.rmtree(seen)
    return [list(row) for row in found]


def parts(folder: Path) -> list[str]:
    """The parts of the snapshot."""
    with sqlite3.connect(folder / "ledger.db") as connection:
        found = [part for (part,) in connection.execute("select part from snapshot order by part")]
    connection.close()
    return found


def state(folder: Path) -> dict[str, Any]:
    """All that a run leaves behind."""
    files = {path.name: path.read_text() for path in sorted(folder.glob("batch*"))}
    return {"entries": entries(folder), "parts": parts(folder), "files": files, "stdout": (folder / "stdout").read_text()}


def fresh(job: dict[str, Any], name: str) -> Path:
    folder = Path(job["scratch"]) / name
    shutil.copytree(job["template"], folder)
    return folder


def killed_run(job: dict[str, Any], name: str, **how: Any) -> tuple[bool, dict[str, Any]]:
    """One run that is to be killed, then the same command again."""
    folder = fresh(job, name)
    ended = run(job["argv"], folder, **how)
    left = entries(folder)
    run(job["argv"], folder)
    result = {"ended": ended, "left": left, "again": state(folder)}
    shutil.rmtree(folder)
    return ended, result


def main() -> None:
    """Reads the job, kills, and reports."""
    job = json.load(sys.stdin)
    gc.freeze()  # so that children do not copy what they only read
    whole = fresh(job, "whole")
    started = time.perf_counter()
    run(job["argv"], whole)
    took = time.perf_counter() - started
    results: list[dict[str, Any]] = []
    if job["delays"] is None:
        ended, k = False, 0
        while not ended:
            k += 1
            ended, result = killed_run(job, f"k{k}", at=k)
            results.append({"k": k, **result})
    else:
        for i, share in enumerate(job["delays"]):
            _, result = killed_run(job, f"d{i}", delay=share * took)
            results.append({"share": share, **result})
    json.dump({"whole": {**state(whole), "events": int((whole / "events").read_text()), "took": took}, "runs": results}, sys.stdout)


if __name__ == "__main__":
    main()
