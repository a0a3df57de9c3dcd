"""Programs that need a virtual environment of their own: pip makes it at the first start, and it is kept."""

import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from servers.processes import Failed


def installed(home: Path, program: str, package: str, *, size: str, constraints: Path | None = None) -> Path:
    """The program, installed if it is not there. An installation that was broken off, or is of other versions, is made anew."""
    found, whole = home / "bin" / program, home / "installed"
    wanted = package if constraints is None else f"{package}\n{constraints.read_text()}"
    if whole.exists() and whole.read_text() == wanted:
        return found
    print(f"installing {package} into {home}; about {size}", file=sys.stderr)
    began = time.monotonic()
    shutil.rmtree(home, ignore_errors=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"]
    pinned = [] if constraints is None else ["--constraint", str(constraints)]
    for step in ([sys.executable, "-m", "venv", str(home)], [*pip, *pinned, package]):
        done = subprocess.run(step, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"{' '.join(step)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    whole.write_text(wanted)
    print(f"installed in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return found


def is_answering(url: str) -> bool:
    """Whether the server is up."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/health", timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False
