"""Runs commands of fewlabels: in this process for speed, or in one of its own."""

import contextlib
import io
import json
import subprocess
import sys
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


def environment(**more: str) -> dict[str, str]:
    """What a child process needs to find the same packages, and nothing else."""
    return {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **more}


def real(*args: object, cwd: object = None, program: str = PROGRAM, **more: str) -> Result:
    """A command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, args)], cwd=str(cwd or "."), env=environment(**more), capture_output=True, check=False
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
