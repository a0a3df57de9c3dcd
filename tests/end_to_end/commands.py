"""Runs commands of fewlabels: in this process for speed, or in one of its own."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from fewlabels.cli.main import main

PROGRAM = "from fewlabels.cli.main import main; main()"


class Result(NamedTuple):
    """What a command left: its exit code, and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout; fails if there is anything else."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def fewlabels(*args: object) -> Result:
    """A command in this process, in the current folder."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["fewlabels", *map(str, args)]
    with patch.object(sys, "argv", argv), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code: object = 0
        except SystemExit as done:
            code = done.code
    found = Result(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())
    assert "Traceback" not in found.out + found.err
    return found


def ok(*args: object) -> Result:
    """A command that must work."""
    found = fewlabels(*args)
    assert found.code == 0, found
    return found


class Prepared:
    """A folder in the state that is asked for: made the first time, copied after that.

    It is the same folder each time, since a ledger names the table it was made of by its whole path.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    def __call__(self, state: str, make: Callable[[], object]) -> Path:
        """The folder as `make` leaves it, if it is run in it while it is empty."""
        folder, kept = self._home / "folder", self._home / f"kept {state}"
        shutil.rmtree(folder, ignore_errors=True)
        if kept.exists():
            return Path(shutil.copytree(kept, folder))
        folder.mkdir()
        with contextlib.chdir(folder):
            make()
        shutil.copytree(folder, kept)
        return folder


def environment(**more: str) -> dict[str, str]:
    """What a child process needs to find the same packages, and nothing else."""
    return {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **more}


def real(*args: object, cwd: object = None, program: str = PROGRAM, **more: str) -> Result:
    """A command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, args)], cwd=str(cwd or "."), env=environment(**more), capture_output=True, check=False
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
