"""A ledger in one SQLite file, for one person or one machine.

Every act is one BEGIN IMMEDIATE transaction: a process killed at any moment leaves all of it or nothing, and two processes take
turns. The hash and seal of an entry are computed inside the transaction.

Main path: population > profile > plan > draw > [labels] > estimate > decision > report
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.errors import LedgerError
from assay.ledgers.base import SEALING, UNREADABLE, Entry, Kind, entry_hash, seal_of
from assay.ledgers.schema import upgrade, version_of
from assay.ledgers.tables import ENTRY, HEAD
from assay.nouns.canonical import Json, canonical

WAIT_SECONDS = 60


def utc_now() -> str:
    """The time an entry is written, to the microsecond, in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class SqliteLedger:
    """The ledger at a `sqlite:///path` address; the file is made on first use."""

    def __init__(self, url: str, *, clock: Callable[[], str] = utc_now, create: bool = True) -> None:
        """Opens or makes the file and brings it to the newest schema."""
        address = sa.make_url(url)
        path = address.database
        if path and path != ":memory:" and not create and not Path(path).exists():
            raise LedgerError(f"no ledger at {path}: plan a study first, or name the ledger with --ledger")
        if path and path != ":memory:" and not Path(path).parent.exists():
            raise LedgerError(f"the folder {Path(path).parent} of the ledger does not exist: make it, or name another")
        self._clock = clock
        pool = sa.pool.StaticPool if path in (None, "", ":memory:") else sa.pool.NullPool
        self._engine = sa.create_engine(address, connect_args={"timeout": WAIT_SECONDS}, poolclass=pool)
        sa.event.listen(self._engine, "connect", _set_up)
        sa.event.listen(self._engine, "begin", _begin)
        self._reader = self._engine.execution_options(reads_only=True)
        with self._translated(), self._reader.begin() as connection:
            current = version_of(connection) == HEAD
        if not current:
            with self._translated(), self._engine.begin() as connection:
                upgrade(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Database errors as a LedgerError that says what to do."""
        try:
            yield
        except sa.exc.DatabaseError as error:
            raise LedgerError(
                f"the ledger at {self._engine.url.database} cannot be used ({str(error.orig).strip()}): "
                "check that the file is a ledger, writable and not locked by another program"
            ) from None
        except UnicodeEncodeError as error:
            raise LedgerError(f"a ledger holds text that UTF-8 can write, but {error.object!r:.80} is not: correct it") from None

    def studies(self) -> list[str]:
        """The names of all studies, sorted."""
        with self._translated(), self._reader.begin() as connection:
            return sorted(connection.execute(sa.select(ENTRY.c.study).distinct()).scalars())

    def entries(self, study: str) -> list[Entry]:
        """All entries of a study, by serial."""
        with self._translated(), self._reader.begin() as connection:
            return _read(connection, study)

    @contextmanager
    def writing(self, study: str) -> Iterator["SqliteWriting"]:
        """One act on a study."""
        with self._translated(), self._engine.begin() as connection:
            yield SqliteWriting(connection, study, self._clock)


class SqliteWriting:
    """One open act."""

    def __init__(self, connection: sa.Connection, study: str, clock: Callable[[], str]) -> None:
        """Reads what is there; the transaction keeps it true."""
        self._connection, self._study, self._clock = connection, study, clock
        self._entries = _read(connection, study)
        self._keys = {entry.key for entry in self._entries}

    def entries(self) -> list[Entry]:
        """All entries, those of this act included."""
        return list(self._entries)

    def append(self, kind: Kind, *, key: str, body: Mapping[str, Json]) -> bool:
        """Adds an entry unless its key is known; says whether it was added."""
        if key in self._keys:
            return False
        seal = seal_of([e.hash for e in self._entries]) if kind in SEALING else None
        stored = canonical(dict(body))
        fields: dict[str, Any] = {"study": self._study, "serial": len(self._entries) + 1, "kind": kind, "key": key, "at": self._clock()}
        entry = Entry(**fields, body=json.loads(stored), seal=seal, hash=entry_hash(**fields, body=json.loads(stored), seal=seal))
        self._connection.execute(sa.insert(ENTRY).values(**fields, body=stored, seal=seal, hash=entry.hash))
        self._entries.append(entry)
        self._keys.add(key)
        return True


def _read(connection: sa.Connection, study: str) -> list[Entry]:
    """The study's entries by serial. A body that is no JSON any more is read as what it is, so that verify can name it."""
    rows = connection.execute(sa.select(ENTRY).where(ENTRY.c.study == study).order_by(ENTRY.c.serial)).mappings()
    return [Entry(**{**row, "body": _body(row["body"])}) for row in rows]


def _body(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
        is_whole = isinstance(body, dict) and canonical(body) == text
    except ValueError:  # no JSON, or a number beyond any float
        is_whole = False
    return body if is_whole else {UNREADABLE: str(text)}


def _set_up(connection: Any, _record: object) -> None:
    """The driver must not begin transactions on its own: it would begin them too late. Broken UTF-8 is read, so that verify can name it."""
    connection.isolation_level = None
    connection.text_factory = lambda stored: stored.decode("utf-8", "backslashreplace")


def _begin(connection: sa.Connection) -> None:
    """Takes the write lock at once, so that what an act reads stays true until it writes; a mere reading takes none."""
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
