"""An MLflow tracking server on SQLite, in a virtual environment of its own that pip makes at the first start and that is kept.

Nothing is sent to anybody: telemetry is switched off. The server has worker processes that outlive it when it alone is ended, so it is
started in a session of its own and ended with all of that session. Versions are those of mlflow-constraints.txt beside this file.
"""

import os
import signal
import tempfile
from pathlib import Path

from servers.environments import installed, is_answering
from servers.processes import FOLDER, HOST, free_port, launch, save, wait_for

VERSION = "3.17.2"
CONSTRAINTS = Path(__file__).with_name("mlflow-constraints.txt")
PATIENCE = 240  # seconds until the first start has made its tables, on a busy machine


def home() -> Path:
    """Where the environment is, or will be."""
    return Path(os.environ.get("FEWLABELS_MLFLOW_VENV") or FOLDER / f"mlflow-{VERSION}").absolute()


def install() -> Path:
    """The program, installed if it is not there."""
    return installed(home(), "mlflow", f"mlflow=={VERSION}", size="850 MB", constraints=CONSTRAINTS)


def settings() -> dict[str, str]:
    """The environment of the server."""
    kept = {name: os.environ[name] for name in ("LANG", "HOME", "TMPDIR") if name in os.environ}
    path = f"{home() / 'bin'}{os.pathsep}{os.environ.get('PATH', '/usr/bin:/bin')}"
    return kept | {"PATH": path, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "PYTHONDONTWRITEBYTECODE": "1"}


def start(state: dict) -> None:
    """A server on an empty database, with its address for the tests."""
    program = install()
    data = Path(tempfile.mkdtemp(prefix="fewlabels-mlflow-"))
    state["temporary"].append(str(data))
    save(state)
    url = f"http://{HOST}:{free_port()}"
    command = [str(program), "server", "--host", HOST, "--port", url.rpartition(":")[2], "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{data}/mlflow.db", "--artifacts-destination", str(data / "artifacts")]
    server = launch(state, "mlflow", command, ends_by=signal.SIGTERM, env=settings(), cwd=data, family=True)
    wait_for(server, lambda _: is_answering(url), PATIENCE)
    state["variables"] |= {"FEWLABELS_TEST_MLFLOW": url}
    save(state)
