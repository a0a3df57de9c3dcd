"""Opens a ledger by its address."""

import sqlalchemy as sa

from fewlabels.errors import LedgerError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.redaction import without_password

DEFAULT_LEDGER = "sqlite:///fewlabels.db"


def open_ledger(address: str = DEFAULT_LEDGER, *, create: bool = True) -> Database:
    """Open the ledger at an address such as sqlite:///fewlabels.db or postgresql://user@host/database; create=False raises if missing."""
    if "://" in address and not _is_address(address):
        raise LedgerError(f"a ledger's address must be a URL, but {without_password(address)!r} is none: write {DEFAULT_LEDGER}")
    if address.startswith("sqlite:///"):
        return SqliteLedger(address, create=create)
    if address.startswith("postgresql://"):
        from fewlabels.ledgers.postgres import PostgresLedger

        return PostgresLedger(address, create=create)
    meant = f"sqlite:///{address}" if address and "://" not in address and ":" not in address else DEFAULT_LEDGER
    raise LedgerError(f"a ledger's address must start with sqlite:/// or postgresql://, got {without_password(address)!r}: write {meant}")


def _is_address(text: str) -> bool:
    """Return whether a text can be read as an address: an unclosed bracket or a port that is no number cannot."""
    try:
        sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        return False
    return True
