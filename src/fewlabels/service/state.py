"""What the routes of one server share: the ledger, its people, studies and desks, what was read last, and the limits."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from fewlabels.desk.desk import Desk
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.people import People
from fewlabels.service.limits import Buckets
from fewlabels.service.settings import Settings
from fewlabels.study.study import Study

Value = TypeVar("Value")


class ReadAt(NamedTuple):
    """What was read from a study when its newest entry had this serial."""

    serial: int
    value: object


class ServerState:
    """The state of one server. Desks and results are cached, and read again only after a new entry."""

    def __init__(self, ledger: Database, settings: Settings, *, address: str, clock: Callable[[], float] = time.time) -> None:
        """Open nothing yet. `address` is the ledger's, for a process that opens it too."""
        self.ledger, self.settings, self.address, self.clock = ledger, settings, address, clock
        self.people = People(ledger, clock=clock)
        self.limits = Buckets(settings.limits)
        self.ends = threading.Event()  # set when the server is stopped: streams then end, and nobody waits for them
        self._studies: dict[str, Study] = {}
        self._desks: dict[str, Desk] = {}
        self._known: set[str] = set()
        self._read: dict[tuple[str, str], ReadAt] = {}
        self._lock = threading.Lock()
        self._reading: defaultdict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)
        self._computing = CapacityLimiter(settings.limits.computing)
        self._slowest = CapacityLimiter(1)

    def has(self, study: str) -> bool:
        """Return whether there is a study of that name that can be served."""
        if study not in self._known and is_served(study) and self.ledger.last(study) > 0:
            self._known.add(study)  # no study is ever removed from a ledger
        return study in self._known

    def study(self, name: str) -> Study:
        """Return the study of that name, one for all requests: what was folded once is not folded again."""
        with self._lock:
            return self._study(name)

    def _study(self, name: str) -> Study:
        if name not in self._studies:
            self._studies[name] = Study.load(name, ledger=self.ledger)
        return self._studies[name]

    def desk(self, name: str) -> Desk:
        """Return the desk of a study, one for all labelers."""
        with self._lock:
            if name not in self._desks:
                self._desks[name] = Desk(self._study(name), lease=self.settings.lease)
            return self._desks[name]

    def read(self, study: str, what: str, make: Callable[[Study], Value]) -> Value:
        """Return what `make` reads from a study, cached for all requests until a new entry. `make` must not write."""
        with self._lock:
            reading = self._reading[study, what]
        with reading:
            serial, kept = self.ledger.last(study), self._read.get((study, what))
            if kept is None or kept.serial != serial:
                kept = ReadAt(serial, make(self.study(study)))
                self._read[study, what] = kept
            return cast(Value, kept.value)

    async def compute(self, work: Callable[[], Value], *, slowest: bool = False) -> Value:
        """Return the result of a long computation. Few run at a time, on their own threads, so that labelers never wait for them.

        slowest   one that takes long with many labels and is kept: one at a time beside the others; who asks meanwhile finds it kept
        """
        return await to_thread.run_sync(work, limiter=self._slowest if slowest else self._computing)


def is_served(study: str) -> bool:
    """Return whether a study can be addressed: its name is one part of a path."""
    return bool(study) and "/" not in study and study.isprintable() and study not in (".", "..")


def bench_of(request: Request) -> ServerState:
    """Return the bench of the server that received the request."""
    return cast(ServerState, request.app.state.bench)
