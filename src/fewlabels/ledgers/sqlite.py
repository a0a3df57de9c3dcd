"""A ledger in one SQLite file, for one person or one machine.

Every act is one BEGIN IMMEDIATE transaction: a process killed at any moment leaves all of it or nothing, and two processes take
turns.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from fewlabels.errors import LedgerError
from fewlabels.ledgers.database import Database, utc_now
from fewlabels.ledgers.schema import is_current, upgrade

WAIT_SECONDS = 60


class SqliteLedger(Database):
    """The ledger at a `sqlite:///path` address; the file is created on first use."""

    def __init__(self, url: str, *, clock: Callable[[], str] = utc_now, create: bool = True) -> None:
        """Open or create the file and upgrade it to the newest schema; a read-only file is read as it is."""
        address = sa.make_url(url)
        path = address.database
        if path and path != ":memory:" and not create and not Path(path).exists():
            raise LedgerError(f"no ledger at {path}: plan a study first, or name the ledger with --ledger")
        if path and path != ":memory:" and not Path(path).parent.exists():
            raise LedgerError(f"the folder {Path(path).parent} of the ledger does not exist: make it, or name another")
        pool = sa.pool.StaticPool if path in (None, "", ":memory:") else sa.pool.NullPool
        engine = sa.create_engine(address, connect_args={"timeout": WAIT_SECONDS}, poolclass=pool)
        sa.event.listen(engine, "connect", _set_up)
        sa.event.listen(engine, "begin", _begin)
        advice = "check that the file is a ledger, writable and not locked by another program"
        super().__init__(engine, where=str(path), advice=advice, clock=clock)
        with self.reading() as connection:
            current = is_current(connection) or (not _is_writable(path) and sa.inspect(connection).has_table("entry"))
        if not current:
            with self.connection() as connection:
                upgrade(connection)

    def _lock(self, connection: sa.Connection, study: str) -> None:
        """Do nothing: BEGIN IMMEDIATE has locked the file."""

    def _lock_labeler(self, connection: sa.Connection, study: str, labeler: str) -> None:
        """Do nothing: BEGIN IMMEDIATE has locked the file."""


def _is_writable(path: str | None) -> bool:
    """Return whether a ledger can be written to; one in memory can."""
    return not path or path == ":memory:" or os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _set_up(connection: Any, _record: object) -> None:
    """Keep the driver from beginning transactions itself, too late, and read broken UTF-8, so that verify can name it.

    Deleted data is overwritten: content that was deleted must not stay in the file's unused pages.
    """
    connection.isolation_level = None
    connection.execute("PRAGMA secure_delete = ON").close()
    connection.text_factory = lambda stored: stored.decode("utf-8", "backslashreplace")


def _begin(connection: sa.Connection) -> None:
    """Take the write lock at once, so that what an act reads stays valid until it writes; a read-only transaction takes none."""
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
