"""The servers that many labelers work against, and that die: `fewlabels serve`, and a PostgreSQL with data of its own."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOST = "127.0.0.1"
PATIENCE = 90


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> bool:
    """Returns once somebody listens; False if the process has ended instead."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return False
        with socket.socket() as tried:
            tried.settimeout(1)
            if tried.connect_ex((HOST, port)) == 0:
                return True
        time.sleep(0.05)
    raise AssertionError("a server took too long to come up")


class WebServer:
    """`fewlabels serve` on a ledger; always on the same port."""

    def __init__(self, address: str, folder: Path, *, lease: float) -> None:
        """Starts it."""
        self._port, self._folder = free_port(), folder
        serve = [
            str(Path(sys.executable).with_name("fewlabels")),
            "serve",
            "--ledger",
            address,
            "--data",
            str(folder),
            "--lease",
            str(lease),
        ]
        self._command = [*serve, "--port", str(self._port), "--json"]
        self.url = f"http://{HOST}:{self._port}"
        self.killed = 0
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        with (self._folder / "serve.log").open("ab") as log:
            process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        assert wait_for_port(self._port, process), (self._folder / "serve.log").read_text()[-2000:]
        return process

    def kill_and_start(self) -> None:
        """SIGKILL, and up again."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.killed += 1
        self._process = self._started()

    def end(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()


class PostgresServer:
    """A PostgreSQL that writes through to disk (fsync on), and may be killed."""

    def __init__(self) -> None:
        """Makes its data and starts it. PostgreSQL refuses root, so for root it runs as the package's own user."""
        self._folder = Path(tempfile.mkdtemp(prefix="fewlabels-many-"))
        self._tools = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        self._how: dict[str, object] = {"cwd": self._folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}}
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self._folder, user.pw_uid, user.pw_gid)
            self._how |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        made = [self._tools / "initdb", "-D", "data", "-U", "fewlabels", "--auth=trust", "--encoding=UTF8"]
        subprocess.run([str(part) for part in made], check=True, capture_output=True, **self._how)  # type: ignore[call-overload]  # kept as data
        self._port = free_port()
        self.address = f"postgresql://fewlabels@{HOST}:{self._port}/postgres"
        self.killed = 0
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        options = {"listen_addresses": HOST, "port": self._port, "unix_socket_directories": self._folder, "max_connections": 200}
        command = [str(self._tools / "postgres"), "-D", "data", *(part for k, v in options.items() for part in ("-c", f"{k}={v}"))]
        deadline = time.monotonic() + PATIENCE
        while True:
            with (self._folder / "log").open("ab") as log:
                quiet = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
                process: subprocess.Popen[bytes] = subprocess.Popen(command, **quiet, **self._how)  # type: ignore[call-overload]  # kept as data
            if wait_for_port(self._port, process):
                self._wait_until_ready(deadline)
                return process
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            time.sleep(0.2)  # what the killed one left behind has not ended yet

    def _wait_until_ready(self, deadline: float) -> None:
        """Returns once it takes statements: it listens before that, and refuses them while it is starting up."""
        asked = [str(self._tools / "pg_isready"), "-q", "-h", HOST, "-p", str(self._port)]
        while subprocess.run(asked, check=False).returncode != 0:
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            time.sleep(0.05)

    def kill_and_start(self) -> None:
        """SIGKILL, and up again; the database recovers from its log."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.killed += 1
        self._process = self._started()

    def remove(self) -> None:
        """Ends it and deletes its data."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
