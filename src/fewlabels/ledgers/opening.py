"""Opens a ledger by its address."""

from fewlabels.errors import LedgerError
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.redaction import without_password

DEFAULT_LEDGER = "sqlite:///fewlabels.db"


def open_ledger(address: str = DEFAULT_LEDGER, *, create: bool = True) -> Database:
    """Open the ledger at an address such as sqlite:///fewlabels.db or postgresql://user@host/database; create=False raises if missing."""
    if address.startswith("sqlite:///"):
        return SqliteLedger(address, create=create)
    if address.startswith("postgresql://"):
        from fewlabels.ledgers.postgres import PostgresLedger

        return PostgresLedger(address, create=create)
    meant = f"sqlite:///{address}" if address and "://" not in address and ":" not in address else DEFAULT_LEDGER
    raise LedgerError(f"a ledger's address must start with sqlite:/// or postgresql://, got {without_password(address)!r}: write {meant}")
