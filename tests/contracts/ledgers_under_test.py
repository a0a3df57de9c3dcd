"""Every ledger the contract is run on. A new ledger is added to LEDGERS; a test fails if one is missing."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from assay.ledgers.sqlite import SqliteLedger


class UnderTest(NamedTuple):
    """An implementation, and the address of a fresh one."""

    name: str
    ledger: type
    address: Callable[[Path], str]

    def __str__(self) -> str:
        return self.name


LEDGERS = (UnderTest("sqlite", SqliteLedger, lambda folder: f"sqlite:///{folder}/ledger.db"),)
