"""Opens a ledger by its address."""

from assay.errors import LedgerError
from assay.ledgers.base import Ledger
from assay.ledgers.sqlite import SqliteLedger

DEFAULT_LEDGER = "sqlite:///assay.db"


def open_ledger(address: str = DEFAULT_LEDGER, *, create: bool = True) -> Ledger:
    """The ledger at an address such as sqlite:///assay.db; create=False refuses where there is none yet."""
    if address.startswith("sqlite:///"):
        return SqliteLedger(address, create=create)
    raise LedgerError(f"a ledger's address starts with sqlite:///, but got {address!r}: write sqlite:///assay.db")
