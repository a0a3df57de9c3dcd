"""Verification for the workbench: in a process of its own, so that no labeler waits for it.

Those who ask about the same newest entry share one process. It ends when the last of them has gone, or when the server stops.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any

from fastapi import HTTPException, Request

from fewlabels.service.state import ServerState

# The nice value stands first, before the imports: whatever else the machine has to do comes before this process.
PROGRAM = "import os; os.nice(19); from fewlabels.service.verifying import run; run()"
LOOKED = 0.2  # seconds between two looks at whether anybody still waits
TOGETHER = 2  # processes at a time
Found = Mapping[str, Any]


@dataclass(slots=True)
class Reading:
    """One verification under way, and how many wait for it."""

    serial: int
    task: asyncio.Task[Found]
    waiting: int = 0


class Verifying:
    """The verifications of one server."""

    def __init__(self, bench: ServerState) -> None:
        """Start none yet."""
        self._bench = bench
        self._reading: dict[str, Reading] = {}
        self._free: asyncio.Semaphore | None = None

    async def of(self, request: Request, study: str, person: str) -> Found:
        """Return what was found about a study as it is now; raise HTTPException if the client leaves or the server stops."""
        with self._bench.limits.holding("verifying", person):
            reading = self._shared(study, await asyncio.to_thread(self._bench.ledger.last, study))
            reading.waiting += 1
            try:
                while not reading.task.done():
                    await asyncio.wait({reading.task}, timeout=LOOKED)
                    if self._bench.ends.is_set():
                        raise HTTPException(503, "the server is stopping: ask again when it is back")
                    if not reading.task.done() and await request.is_disconnected():
                        raise HTTPException(499, "the client has gone")
                return reading.task.result()
            finally:
                reading.waiting -= 1
                if not reading.waiting and not reading.task.done():
                    reading.task.cancel()

    def _shared(self, study: str, serial: int) -> Reading:
        """The verification of a study up to an entry that is under way, or one started now: a finished one says nothing about the file."""
        known = self._reading.get(study)
        if known is None or known.serial != serial or known.task.done() or known.task.cancelling():
            known = self._reading[study] = Reading(serial, asyncio.create_task(self._verified(study)))
        return known

    async def _verified(self, study: str) -> Found:
        if self._free is None:
            self._free = asyncio.Semaphore(TOGETHER)
        async with self._free:
            return await _in_a_process(study, self._bench.address)


async def _in_a_process(study: str, address: str) -> Found:
    """Verify a study in another process, which is killed if the task is cancelled."""
    with TemporaryFile() as told, subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=told) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps([address, study]).encode())
            process.stdin.close()
            while process.poll() is None:
                await asyncio.sleep(LOOKED)
        finally:
            process.kill()  # nothing happens to one that has ended
        if process.returncode:
            raise HTTPException(500, "the verification failed: the server's log says why; fewlabels verify does the same")
        told.seek(0)
        found: Found = json.load(told)
        return found


def run() -> None:
    """Verify the study that the standard input names, and print what was found."""
    from fewlabels.study.study import Study

    address, study = json.load(sys.stdin)
    json.dump(Study.load(study, ledger=address).verify().as_json(), sys.stdout)
