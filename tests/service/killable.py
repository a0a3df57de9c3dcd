"""A server for tests that kill it: a process that has imported everything waits, and each `start` forks one that serves until it dies.

    python killable.py LEDGER DATA [--lies]      each line on stdin: a port to serve on; each line on stdout: the pid that serves

With --lies answers are acknowledged before they are written: the twin that the test must find.
"""

import os
import sys
import threading
import time
from pathlib import Path
from unittest.mock import patch

import uvicorn

from fewlabels.desk.desk import Acknowledged, Desk
from fewlabels.service.app import create_app
from fewlabels.service.settings import RequestLimits, RequestRate, Settings

FREE = RequestRate(1e9, 1e9)
LATE = 0.05  # seconds after which a server that lies begins to write


def lie() -> None:
    """Nothing comes back. Makes desks acknowledge at once and write later."""
    true = Desk.tell

    def tell(self: Desk, labeler: str, said: list) -> list[Acknowledged]:
        threading.Timer(LATE, true, (self, labeler, said)).start()
        return [Acknowledged(one.unit, "recorded") for one in said]

    patch.object(Desk, "tell", tell).start()


def serve(ledger: str, data: str, port: int) -> None:
    """Serves until the process ends."""
    limits = RequestLimits(address=FREE, entering=FREE, refused=FREE, person=FREE)
    app = create_app(ledger, settings=Settings(data=Path(data), limits=limits))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def main() -> None:
    """Forks a server for each line."""
    ledger, data = sys.argv[1:3]
    if "--lies" in sys.argv:
        lie()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(ledger, data, int(line))
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
        time.sleep(0)


if __name__ == "__main__":
    main()
