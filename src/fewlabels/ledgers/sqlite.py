"""A ledger in one SQLite file, for one person or one machine.

Every act is one BEGIN IMMEDIATE transaction: a process killed at any moment leaves all of it or nothing, and two processes take
turns. New files are in write-ahead mode, so that nobody waits for someone who reads, and only their owner can read them.
"""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa

from fewlabels.errors import LedgerError, LedgerUnreachable
from fewlabels.ledgers.database import Database, utc_now
from fewlabels.ledgers.schema import upgrade

WAIT_SECONDS = 60
OWNER_ONLY = 0o600
ADVICE = "check that the file is a ledger, writable and not locked by another program"


class SqliteLedger(Database):
    """The ledger at a `sqlite:///path` address; the file is created on first use."""

    def __init__(self, url: str, *, clock: Callable[[], str] = utc_now, create: bool = True) -> None:
        """Open or create the file; raise LedgerError if it is missing and may not be created."""
        path = sa.make_url(url).database
        self._file = None if path in (None, "", ":memory:") else Path(str(path)).absolute()
        self._anchor: tuple[int, sqlite3.Connection] | None = None
        self._anchoring = threading.Lock()
        self._holds = False
        if self._file is None:
            engine = reader = _engine(partial(sqlite3.connect, ":memory:", check_same_thread=False), sa.pool.StaticPool)
        else:
            _make(self._file, str(path), create=create)
            engine, reader = (_engine(partial(_open, self._file, writes=writes), sa.pool.NullPool) for writes in (True, False))
        super().__init__(engine, reader=reader, where=str(path), advice=ADVICE, clock=clock)
        self._prepare()

    def upgrade(self) -> None:
        """Run the missing migrations, and turn on write-ahead mode, in which the file stays."""
        if self._file is not None:
            with _translated(self.where), closing(_open(self._file, writes=True)) as connection, suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL").close()  # refused on network file systems, and while another does it
        with self._translated(), self._engine.begin() as connection:
            upgrade(connection)
        self.outdated = None

    @property
    def is_file(self) -> bool:
        """Return whether it is a file, and not only in memory."""
        return self._file is not None

    def close(self) -> None:
        """Close the idle connection, so that one file holds everything; the next act opens another."""
        with self._anchoring:
            if self._anchor is not None:
                self._anchor[1].close()
                self._anchor = None

    @contextmanager
    def copy_into(self, file: Path, tables: Sequence[str]) -> Iterator[sqlite3.Connection]:
        """Copy all rows of these tables, as they are at one moment, into another SQLite file that has them; writers do not wait.

        What the connection then reads is of that moment.
        """
        assert self._file is not None  # one in memory is copied entry by entry
        with _translated(self.where), closing(_open(self._file, writes=False)) as connection:
            connection.isolation_level = None
            connection.execute("attach ? as there", (f"file:{quote(str(file.absolute()))}?mode=rw",))
            connection.execute("begin")
            held = {name for (name,) in connection.execute("select name from main.sqlite_master where type = 'table'")}
            for table in (name for name in tables if name in held):  # an older ledger has fewer
                connection.execute(f'insert into there."{table}" select * from main."{table}"')
            yield connection
            connection.execute("commit")

    def forget(self, study: str) -> int:
        """Delete the stored content of a study's units, from the write-ahead file too; return how many units there were."""
        forgotten = super().forget(study)
        if self._file is not None:
            with _translated(self.where), closing(_open(self._file, writes=True)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        return forgotten

    def damage(self) -> list[str]:
        """Return what SQLite's own check finds wrong with the file."""
        with self.reading() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        return [str(one) for one in found if one != "ok"]

    def hold(self) -> None:
        """Keep an idle connection open, for a process that records many acts.

        When the last connection closes, SQLite copies the write-ahead file into the other and waits for the disk: four times the cost of an
        act if every act is the last. Without it one file holds everything between two acts, and can be copied.
        """
        self._holds = True

    def _before_writing(self) -> None:
        """Prepare for an act: open the idle connection, anew if the file was replaced."""
        super()._before_writing()
        if self._file is None or not self._holds:
            return
        with self._anchoring, _translated(self.where):
            inode = self._file.stat().st_ino
            if self._anchor is not None and self._anchor[0] == inode:
                return
            if self._anchor is not None:
                self._anchor[1].close()
            opened = _open(self._file, writes=True)
            opened.execute("select count(*) from sqlite_master").fetchall()
            self._anchor = (inode, opened)
            weakref.finalize(self, opened.close)

    def _lock(self, connection: sa.Connection, study: str) -> None:
        """Do nothing: BEGIN IMMEDIATE has locked the file."""

    def _lock_labeler(self, connection: sa.Connection, study: str, labeler: str) -> None:
        """Do nothing: BEGIN IMMEDIATE has locked the file."""


def _make(file: Path, path: str, *, create: bool) -> None:
    """Create the file, for its owner alone, unless it exists; raise LedgerError if it may not be created, or its folder is missing."""
    if file.exists():
        return
    if not create:
        raise LedgerError(f"no ledger at {path}: plan a study first, or name the ledger with --ledger")
    if not file.parent.exists():
        raise LedgerError(f"the folder {Path(path).parent} of the ledger does not exist: make it, or name another")
    with _translated(path), suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))


@contextmanager
def _translated(path: str) -> Iterator[None]:
    """Turn errors of the driver and of the file system into a LedgerError that says what to do."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise LedgerUnreachable(f"the ledger at {path} cannot be used ({error}): {ADVICE}") from None


def _engine(connect: Callable[[], sqlite3.Connection], pool: type[sa.pool.Pool]) -> sa.Engine:
    engine = sa.create_engine("sqlite://", creator=lambda: _set_up(connect()), poolclass=pool)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _open(file: Path, *, writes: bool) -> sqlite3.Connection:
    """Open the file as far as it is needed: who reads leaves it, and the write-ahead file beside it, byte by byte as they are.

    Closing a connection that may write copies what a killed process left in the write-ahead file; one that may not would leave an empty
    write-ahead file behind if there was none.
    """
    ahead = file.with_name(f"{file.name}-wal")
    how = "mode=rw" if writes or not _size(ahead) else "mode=ro"
    if not writes and not all(os.access(one, os.W_OK, effective_ids=os.access in os.supports_effective_ids) for one in (file, file.parent)):
        how = "mode=ro" if ahead.exists() else "mode=ro&immutable=1"  # nobody can write here: SQLite need not keep files to coordinate
    return sqlite3.connect(f"file:{quote(str(file))}?{how}", uri=True, timeout=WAIT_SECONDS, check_same_thread=False)


def _size(file: Path) -> int:
    """The size of a file; 0 if there is none, or no longer: another process may have removed it a moment ago."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _set_up(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Keep the driver from beginning transactions itself, too late, and read broken UTF-8, so that verify can name it.

    Deleted data is overwritten: content that was deleted must not stay in the file's unused pages.
    """
    connection.isolation_level = None
    connection.execute("PRAGMA secure_delete = ON").close()
    connection.text_factory = lambda stored: stored.decode("utf-8", "backslashreplace")
    return connection


def _begin(connection: sa.Connection) -> None:
    """Take the write lock at once, so that what an act reads stays valid until it writes; a read-only transaction takes none."""
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
