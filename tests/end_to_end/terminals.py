"""A real terminal for a command: it shows what the command writes, and takes keys."""

import fcntl
import os
import pty
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.end_to_end.commands import PROGRAM, environment


class Terminal:
    """A command in a terminal of its own, which shows what it writes and takes keys."""

    def __init__(self, folder: Path, *args: str, **more: str) -> None:
        self.leader, follower = pty.openpty()
        command = [sys.executable, "-c", PROGRAM, *args]
        self.child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(TERM="xterm", **more),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it, as on a desk
        )
        os.close(follower)
        os.set_blocking(self.leader, False)
        self.seen = ""

    def until(self, text: str, times: int = 1) -> None:
        """Returns once a text was shown so many times."""
        deadline = time.monotonic() + 60
        while self.seen.count(text) < times:
            assert time.monotonic() < deadline, self.seen
            self._read()

    def _read(self) -> bool:
        try:
            self.seen += os.read(self.leader, 65_536).decode()
        except BlockingIOError:
            time.sleep(0.01)
        except OSError:  # Linux: the last writer closed it
            return False
        return True

    def press(self, keys: str) -> None:
        os.write(self.leader, keys.encode())

    def ended(self) -> int:
        deadline = time.monotonic() + 30
        while self._read() and self.child.poll() is None and time.monotonic() < deadline:
            pass
        self._read()
        self.child.kill() if time.monotonic() >= deadline else None
        code = self.child.wait(timeout=30)
        os.close(self.leader)
        return code
