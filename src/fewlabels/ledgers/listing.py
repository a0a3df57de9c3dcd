"""How the workbench lists studies, stored beside the record: who created each there, and since when it is archived."""

from typing import NamedTuple

import sqlalchemy as sa

from fewlabels.ledgers.database import Database
from fewlabels.ledgers.tables import LISTING


class Listed(NamedTuple):
    """How one study is listed."""

    owner: str | None = None
    archived: float | None = None  # seconds since 1970; None: it is not archived


def listing(database: Database) -> dict[str, Listed]:
    """Return how each study is listed; a study created elsewhere, and never archived, is not among them."""
    with database.reading() as connection:
        return {row.study: Listed(row.owner, row.archived) for row in connection.execute(sa.select(LISTING))}


def set_owner(database: Database, study: str, owner: str) -> None:
    """Store who created a study; who is stored first stays."""
    with database.connection() as connection:
        if not connection.execute(sa.update(LISTING).where(_of(study), LISTING.c.owner.is_(None)).values(owner=owner)).rowcount:
            _add(connection, study, owner=owner)


def archive(database: Database, study: str, *, at: float) -> None:
    """Archive a study; an earlier time stays."""
    with database.connection() as connection:
        if not connection.execute(sa.update(LISTING).where(_of(study), LISTING.c.archived.is_(None)).values(archived=at)).rowcount:
            _add(connection, study, archived=at)


def unarchive(database: Database, study: str) -> None:
    """List a study again."""
    with database.connection() as connection:
        connection.execute(sa.update(LISTING).where(_of(study)).values(archived=None))


def _of(study: str) -> sa.ColumnElement[bool]:
    return LISTING.c.study == study


def _add(connection: sa.Connection, study: str, **values: str | float) -> None:
    """Add the row of a study, unless it has one."""
    there = sa.exists().where(_of(study))
    cells = [sa.literal(study), sa.literal(values.get("owner"), sa.Text), sa.literal(values.get("archived"), sa.Double)]
    connection.execute(sa.insert(LISTING).from_select(["study", "owner", "archived"], sa.select(*cells).where(~there)))
