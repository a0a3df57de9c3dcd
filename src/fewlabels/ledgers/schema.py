"""Upgrades of a database to the newest schema. Alembic is imported only when there is something to do."""

from pathlib import Path

import sqlalchemy as sa

from fewlabels.errors import LedgerError
from fewlabels.ledgers.tables import HEAD

MIGRATIONS = Path(__file__).parent / "migrations"


def version_of(connection: sa.Connection) -> str | None:
    """Return the schema's version; None for an empty database."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("select version_num from alembic_version")).scalar()
    return None if found is None else str(found)


def known_version(connection: sa.Connection) -> str | None:
    """Return the schema's version, None for an empty database; raise LedgerError for a newer ledger or other tables."""
    found = version_of(connection)
    if found == HEAD:
        return found
    if found is not None and found not in {path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("*.py")}:
        raise LedgerError(f"this fewlabels reads ledgers up to version {HEAD}, but this one is of version {found}: upgrade fewlabels")
    tables = sa.inspect(connection).get_table_names()
    if (found is None and tables) or (found is not None and "entry" not in tables):
        raise LedgerError("this database holds other tables and no ledger: name a file that does not exist yet, or a fewlabels ledger")
    return found


def upgrade(connection: sa.Connection) -> None:
    """Run the missing migrations inside the connection's transaction; raise LedgerError for a newer ledger or other tables."""
    if known_version(connection) == HEAD:
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
