"""The names of a ledger's studies, for shell completion: fast, read-only, and no ledger is created."""

import sqlite3
from contextlib import closing
from pathlib import Path

SQLITE = "sqlite:///"
PATIENCE = 1  # seconds, as a user who pressed Tab is waiting
MOST = 1_000  # names a shell can show
NAMES = f"select distinct study from entry order by study limit {MOST}"


def study_names(address: str) -> list[str]:
    """Return the names of a ledger's studies, sorted. Any error is raised; completion ignores it."""
    if address.startswith("postgresql://"):
        return _postgres_names(address)
    path = Path(address.removeprefix(SQLITE).partition("?")[0]).absolute()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=PATIENCE)) as connection:
        return sorted(name for (name,) in connection.execute(NAMES))


def _postgres_names(address: str) -> list[str]:
    import psycopg

    with psycopg.connect(address, connect_timeout=2 * PATIENCE) as connection:
        connection.read_only = True
        connection.execute(f"set local statement_timeout = {1_000 * PATIENCE}")
        return sorted(str(name) for (name,) in connection.execute(NAMES))
