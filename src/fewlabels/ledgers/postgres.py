"""A ledger in a PostgreSQL database, for a team: many writers, one at a time for each study.

An act holds a lock on its study's name from before it reads until it is committed, so serials have no gaps and what was read stays valid.
Turns are leased without that lock: a request skips rows that somebody else is leasing.
"""

from collections.abc import Callable

import sqlalchemy as sa

from fewlabels.errors import LedgerError
from fewlabels.installation import install_command
from fewlabels.ledgers.database import Database, utc_now
from fewlabels.ledgers.schema import upgrade
from fewlabels.nouns.redaction import without_password

WAIT_SECONDS = 10  # seconds to wait for a connection
CONNECTIONS = 16  # connections a process may have; further ones wait
# Names of locks in the database: every version of fewlabels that writes to it has to use the same ones, so these three stay although the
# product was renamed.
SCHEMA_LOCK = "assay schema"
STUDY_LOCK = "assay study {study}"
LABELER_LOCK = "assay labeler {labeler} of {study}"
LOCK = sa.text("select pg_advisory_xact_lock(hashtextextended(:name, 0))")


class PostgresLedger(Database):
    """The ledger at a `postgresql://user@host/database` address; its tables are created on first use, in the schema of the search path."""

    def __init__(self, url: str, *, clock: Callable[[], str] = utc_now, create: bool = True) -> None:
        """Connect, and create the tables if there are none."""
        try:
            import psycopg  # noqa: F401 - the extra may be missing, which the message explains
        except ImportError:
            raise LedgerError(f"a ledger in PostgreSQL needs psycopg, which is not installed: {install_command('postgres')}") from None
        address = sa.make_url(url).set(drivername="postgresql+psycopg")
        engine = sa.create_engine(
            address,
            connect_args={"connect_timeout": WAIT_SECONDS},
            pool_size=CONNECTIONS,
            max_overflow=0,
            pool_timeout=6 * WAIT_SECONDS,
            pool_pre_ping=True,
        )
        sa.event.listen(engine, "begin", _begin)
        advice = "check its address, that the server runs and that this user may write there"
        where = without_password(address.set(drivername="postgresql").render_as_string(hide_password=True))
        super().__init__(engine, reader=engine, where=where, advice=advice, clock=clock)
        if not create:
            self._refuse_none()
        self._prepare()

    def _refuse_none(self) -> None:
        """Raise LedgerError if the database has no ledger."""
        with self.reading() as connection:
            if not sa.inspect(connection).has_table("entry"):
                raise LedgerError(f"no ledger at {self._where}: plan a study first, or name the ledger with --ledger")

    def upgrade(self) -> None:
        """Run the missing migrations; two processes take turns."""
        with self._translated(), self._engine.begin() as connection:
            connection.execute(LOCK, {"name": SCHEMA_LOCK})
            upgrade(connection)
        self.outdated = None

    def _lock(self, connection: sa.Connection, study: str) -> None:
        """Wait until nobody else writes to the study."""
        connection.execute(LOCK, {"name": STUDY_LOCK.format(study=study)})

    def _lock_labeler(self, connection: sa.Connection, study: str, labeler: str) -> None:
        """Wait until no other lease for this labeler is under way, as neither would see what the other takes."""
        connection.execute(LOCK, {"name": LABELER_LOCK.format(labeler=labeler, study=study)})


def _begin(connection: sa.Connection) -> None:
    """Make a read-only transaction see one snapshot of the database, from its first query to its last."""
    if connection.get_execution_options().get("reads_only", False):
        connection.exec_driver_sql("set transaction isolation level repeatable read, read only")
