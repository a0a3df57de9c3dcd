"""An MLflow tracking server on SQLite, in a virtual environment of its own that pip makes at the first start and that is kept.

Nothing is sent to anybody: telemetry is switched off. The server has worker processes that outlive it when it alone is ended, so it is
started in a session of its own and ended with all of that session. Versions are those of mlflow-constraints.txt beside this file.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from servers.processes import FOLDER, HOST, Failed, free_port, launch, save, wait_for

VERSION = "3.17.2"
CONSTRAINTS = Path(__file__).with_name("mlflow-constraints.txt")
PATIENCE = 240  # seconds until the first start has made its tables, on a busy machine


def home() -> Path:
    """Where the environment is, or will be."""
    return Path(os.environ.get("ASSAY_MLFLOW_VENV") or FOLDER / f"mlflow-{VERSION}").absolute()


def install() -> Path:
    """The program, installed if it is not there. An installation that was broken off is made anew."""
    program = home() / "bin" / "mlflow"
    whole = home() / "installed"
    if whole.exists() and whole.read_text() == CONSTRAINTS.read_text():
        return program
    print(f"installing MLflow {VERSION} into {home()}; about 850 MB", file=sys.stderr)
    began = time.monotonic()
    shutil.rmtree(home(), ignore_errors=True)
    pip = [str(home() / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input", "--constraint", str(CONSTRAINTS)]
    for step in ([sys.executable, "-m", "venv", str(home())], [*pip, f"mlflow=={VERSION}"]):
        done = subprocess.run(step, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"{' '.join(step)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    whole.write_text(CONSTRAINTS.read_text())
    print(f"installed in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return program


def settings() -> dict[str, str]:
    """The environment of the server."""
    kept = {name: os.environ[name] for name in ("LANG", "HOME", "TMPDIR") if name in os.environ}
    path = f"{home() / 'bin'}{os.pathsep}{os.environ.get('PATH', '/usr/bin:/bin')}"
    return kept | {"PATH": path, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "PYTHONDONTWRITEBYTECODE": "1"}


def is_answering(url: str) -> bool:
    """Whether the server is up."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/health", timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False


def start(state: dict) -> None:
    """A server on an empty database, with its address for the tests."""
    program = install()
    data = Path(tempfile.mkdtemp(prefix="assay-mlflow-"))
    state["temporary"].append(str(data))
    save(state)
    url = f"http://{HOST}:{free_port()}"
    command = [str(program), "server", "--host", HOST, "--port", url.rpartition(":")[2], "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{data}/mlflow.db", "--artifacts-destination", str(data / "artifacts")]
    server = launch(state, "mlflow", command, ends_by=signal.SIGTERM, env=settings(), cwd=data, family=True)
    wait_for(server, lambda _: is_answering(url), PATIENCE)
    state["variables"] |= {"ASSAY_TEST_MLFLOW": url}
    save(state)
