"""Connections that wait for a request: so many of an address, so many in all, and none for longer than a request's headers may take.

Without this, a few thousand connections that never send a request keep everybody else out. Nobody is refused: beyond the limit the one that
has waited longest is closed. A browser sends its request as soon as it is connected, so this hits those that do not.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class GivenUp(Protocol):
    """What can be given up when it has waited too long."""

    def give_up(self) -> None:
        """End the wait."""


@dataclass(slots=True)
class Waiting:
    """The connections that wait for a request, by address, those that have waited longest first.

    each     of one address; a whole office may share one
    all      of all addresses
    seconds  from the first byte of a request, or from the beginning of a connection, until its headers must be there
    """

    each: int = 256
    all: int = 1_000
    seconds: float = 10.0
    waiting: OrderedDict[GivenUp, None] = field(default_factory=OrderedDict)
    of_address: dict[str, OrderedDict[GivenUp, None]] = field(default_factory=dict)

    def begin(self, connection: GivenUp, address: str) -> None:
        """Note that a connection waits; if there are too many, close the one that has waited longest."""
        own = self.of_address.setdefault(address, OrderedDict())
        if connection in own:
            return
        if len(own) >= self.each:
            next(iter(own)).give_up()
        if len(self.waiting) >= self.all:
            next(iter(self.waiting)).give_up()
        self.waiting[connection] = None
        self.of_address.setdefault(address, own)[connection] = None

    def end(self, connection: GivenUp, address: str) -> None:
        """Note that a connection no longer waits."""
        self.waiting.pop(connection, None)
        own = self.of_address.get(address, OrderedDict())
        own.pop(connection, None)
        if not own:
            self.of_address.pop(address, None)


class LimitedConnection(H11Protocol):
    """A connection of the server that is closed when its request does not arrive in time."""

    limits = Waiting()  # replaced by `limited`

    def __init__(self, *args: Any, **options: Any) -> None:
        """Wait for nothing yet."""
        super().__init__(*args, **options)
        self._late: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        super().connection_made(cast(asyncio.Transport, transport))  # a stream's transport, as uvicorn says
        self._address = self.client[0] if self.client else ""
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        """Read what arrived; the wait is over when it completes the headers of a request."""
        if self.conn.their_state is h11.IDLE:
            self._expect_headers()
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._arrived()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may take as long as uvicorn keeps a connection alive."""
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None and not self.transport.is_closing():
            self.limits.begin(self, self._address)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._arrived()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close a connection whose request did not arrive."""
        self._arrived()
        self.transport.abort()

    def _expect_headers(self) -> None:
        self.limits.begin(self, self._address)
        if self._late is None:
            self._late = self.loop.call_later(self.limits.seconds, self.give_up)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self.limits.end(self, self._address)


def limited(limits: Waiting) -> type[LimitedConnection]:
    """Return the class of the connections of one server."""
    return type("LimitedConnection", (LimitedConnection,), {"limits": limits})
