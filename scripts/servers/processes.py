"""Starting, finding again and ending server processes, and what was started, written down in a folder."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

FOLDER = Path(os.environ.get("FEWLABELS_SERVICES_FOLDER") or Path(__file__).resolve().parents[2] / ".services").absolute()
HOST = "127.0.0.1"
PATIENCE = 120  # seconds a server may take to come up


class Failed(Exception):
    """A server cannot be had; the text says why."""


def begun(pid: int) -> str | None:
    """When a process began, in ticks since boot: with the pid, its identity. None where it has ended."""
    with contextlib.suppress(OSError, ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def is_running(server: dict) -> bool:
    """Whether the very process that was started still runs."""
    return server["begun"] is not None and begun(server["pid"]) == server["begun"]


def launch(state: dict, name: str, command: list[str], *, ends_by: signal.Signals, family: bool = False, **how: object) -> dict:
    """A server, started in a session of its own, so that Ctrl-C reaches the command alone, and written down. family: it has children."""
    log = FOLDER / f"{name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, **how)
    server = {"name": name, "pid": process.pid, "begun": begun(process.pid), "ends_by": int(ends_by), "log": str(log), "family": family}
    state["servers"].append(server)
    save(state)
    return server


def family_of(server: dict) -> list[int]:
    """The server and what it started: every process of the session it was given, none of which is older than it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == server["pid"] and fields[0] != "Z" and int(fields[19]) >= int(server["begun"] or 0):
                found.append(int(folder.name))
    return found


def end(server: dict) -> None:
    """Ends one server, if it is still the one that was started: by its own signal, and for good after ten seconds; then its children."""
    for number in (server["ends_by"], signal.SIGKILL):
        if not is_running(server):
            break
        os.kill(server["pid"], number)
        deadline = time.monotonic() + 10
        while is_running(server) and time.monotonic() < deadline:
            time.sleep(0.05)
    if server.get("family"):
        for pid in family_of(server):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def wait_for(server: dict, ready: Callable[[str], bool], patience: float = PATIENCE) -> None:
    """Returns once a server is ready, told by its log. Fails with the end of the log if it ends or takes too long."""
    log = Path(server["log"])
    deadline = time.monotonic() + patience
    while not ready(log.read_text(errors="replace")):
        late = time.monotonic() > deadline
        if late or not is_running(server):
            lines = log.read_text(errors="replace").splitlines()[-30:]
            raise Failed(f"{server['name']} {'took too long' if late else 'ended'}; its log ends with:\n" + "\n".join(lines))
        time.sleep(0.1)


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def load(name: str) -> dict:
    """What was started for a service, or nothing."""
    try:
        return json.loads((FOLDER / f"{name}.json").read_text())
    except FileNotFoundError:
        return {"name": name, "servers": [], "temporary": [], "variables": {}}


def save(state: dict) -> None:
    """Writes down what was started, whole or not at all."""
    path = FOLDER / f"{state['name']}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps(state, indent=1))
    part.replace(path)


def is_up(state: dict) -> bool:
    """Whether all servers of a service run."""
    return bool(state["variables"]) and all(map(is_running, state["servers"]))


def clear(state: dict) -> None:
    """Ends the servers of a service, the last started first, and removes their folders; the logs stay."""
    for server in reversed(state["servers"]):
        end(server)
    for path in state["temporary"]:
        shutil.rmtree(path, ignore_errors=True)
    (FOLDER / f"{state['name']}.json").unlink(missing_ok=True)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """One start or stop at a time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
