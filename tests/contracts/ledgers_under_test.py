"""Every ledger the contract is run on. A new ledger is added to LEDGERS; a test fails if one is missing."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from fewlabels.ledgers.postgres import PostgresLedger
from fewlabels.ledgers.sqlite import SqliteLedger
from tests.contracts.servers import NEEDS_POSTGRES, POSTGRES


class UnderTest(NamedTuple):
    """An implementation, and the address of a fresh one."""

    name: str
    ledger: type
    address: Callable[[Path], str]

    def __str__(self) -> str:
        return self.name


def in_postgres(folder: Path) -> str:
    """The address of a schema of its own for each folder."""
    schema = "ledger_" + hashlib.md5(str(folder).encode(), usedforsecurity=False).hexdigest()
    with psycopg.connect(POSTGRES) as connection:
        connection.execute(f"create schema if not exists {schema}")
    return f"{POSTGRES}?options=-csearch_path%3D{schema}"


LEDGERS = (
    UnderTest("sqlite", SqliteLedger, lambda folder: f"sqlite:///{folder}/ledger.db"),
    UnderTest("postgres", PostgresLedger, in_postgres),
)
PARAMETERS = [pytest.param(one, id=one.name, marks=[NEEDS_POSTGRES] if one.ledger is PostgresLedger else []) for one in LEDGERS]
