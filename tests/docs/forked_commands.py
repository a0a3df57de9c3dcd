"""A `fewlabels` for the shell that need not start Python anew: a process that has imported everything waits, and forks for each command.

    python forked_commands.py SOCKET      forks until its standard input is closed

The command that `forked_commands` puts into a folder hands its files, folder, environment and arguments over and exits as the fork does.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

CLIENT = """#!{python} -IS
import json, os, socket, sys
body = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    socket.send_fds(asked, [len(body).to_bytes(8, "big")], [0, 1, 2])
    asked.sendall(body)
    code = asked.recv(1)
sys.exit(code[0] if code else "the command ended without a code")
"""


@contextlib.contextmanager
def forked_commands(folder: Path) -> Iterator[Path]:
    """A folder to put first on the PATH."""
    address = str(folder / "socket")
    command = folder / "bin" / "fewlabels"
    command.parent.mkdir()
    command.write_text(CLIENT.format(python=sys.executable, address=address))
    command.chmod(0o755)
    waiting = [sys.executable, __file__, address]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=without_settings()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield command.parent  # the process ends when its standard input is closed on the way out


def without_settings() -> dict[str, str]:
    """The environment without what would change a command's answers; a fork that uses one thread does not miss those of its parent."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("FEWLABELS_")}, "OPENBLAS_NUM_THREADS": "1"}


def wait(address: str) -> None:
    """Forks a process for each command. It forks another, which is the command, and passes its exit code on."""
    import_everything()
    # Not sys.stdin.read(): a fork would find its lock taken, and wait for it with the first line it wants to read.
    threading.Thread(target=lambda: (os.read(0, 1), os._exit(0)), daemon=True).start()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        print("ready", flush=True)
        while True:
            asked, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asked.sendall(bytes([answer(asked)]))
                os._exit(0)
            asked.close()


def import_everything() -> None:
    """What most commands use."""

    import fewlabels.cli.main
    import fewlabels.engines.duckdb
    import fewlabels.engines.memory
    import fewlabels.ledgers.sqlite
    import fewlabels.reports.report_page
    import fewlabels.study.study  # noqa: F401


def answer(asked: socket.socket) -> int:
    """The exit code of the command that a client asks for."""
    head, files, _, _ = socket.recv_fds(asked, 8, 3)
    with asked.makefile("rb") as rest:
        arguments, folder, environment = json.loads(rest.read(int.from_bytes(head, "big")))
    child = os.fork()
    if child == 0:
        for handle, file in enumerate(files):
            os.dup2(file, handle)
            os.close(file)
        asked.close()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        os._exit(run(arguments))
    for file in files:
        os.close(file)  # or whoever reads what the command prints would wait for more
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256


def run(arguments: list[str]) -> int:
    """The exit code of a command, run in this process."""
    from fewlabels.cli.main import main

    sys.argv = ["fewlabels", *arguments]
    code: object = 0
    try:
        main()
    except SystemExit as done:
        code = done.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BrokenPipeError):
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    wait(sys.argv[1])
