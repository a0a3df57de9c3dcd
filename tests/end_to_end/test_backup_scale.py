"""A backup of 1,000,000 entries while somebody writes: it ends, it is whole, and the writer does not wait for it."""

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fewlabels.ledgers.base import Entry, entry_hash
from fewlabels.ledgers.copying import backup
from fewlabels.ledgers.database import insert
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.sqlite import SqliteLedger

ENTRIES, CHUNK = 1_000_000, 50_000
TIMES = 10  # as long as an act alone may one take beside a backup: the disk is shared


def filled(path: Path, entries: int) -> SqliteLedger:
    """A ledger with so many answers to one study."""
    ledger = open_ledger(f"sqlite:///{path}")
    assert isinstance(ledger, SqliteLedger)
    for start in range(1, entries + 1, CHUNK):
        with ledger.connection() as connection:
            insert(connection, [answer(serial) for serial in range(start, min(start + CHUNK, entries + 1))])
    return ledger


def answer(serial: int) -> Entry:
    body = {"unit": f"u{serial:07d}", "answer": "yes", "labeler": "ada", "question": "positive", "at": None, "row": serial, "gold": False}
    fields: dict[str, Any] = {
        "study": "s",
        "serial": serial,
        "kind": "answer",
        "key": f"answer:{serial}",
        "at": "2026-11-16T12:00:00.000000+00:00",
    }
    return Entry(**fields, body=body, seal=None, hash=entry_hash(**fields, body=body, seal=None))


@pytest.mark.slow
def test_a_backup_ends_and_keeps_no_writer_waiting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = filled(tmp_path / "ledger.db", ENTRIES)
    waits: list[float] = []
    alone: list[float] = []
    ended = threading.Event()

    def write(into: list[float], number: int) -> None:
        begun = time.perf_counter()
        with ledger.connection() as connection:
            insert(connection, [answer(number)])
        into.append(time.perf_counter() - begun)

    def keep_writing() -> None:
        number = ENTRIES + 31
        while not ended.wait(0.05):
            write(waits, number)
            number += 1

    for number in range(ENTRIES + 1, ENTRIES + 31):
        write(alone, number)
    writer = threading.Thread(target=keep_writing)
    writer.start()
    begun = time.perf_counter()
    done = backup(ledger, tmp_path / "kept.db")
    took = time.perf_counter() - begun
    ended.set()
    writer.join()
    with capsys.disabled():
        print(f"\nbackup of {done[0].entries:,} entries: {took:.1f} s; {len(waits)} acts beside it, the longest {max(waits):.3f} s")
        print(f"the longest act without it {max(alone):.3f} s")
    assert done[0].entries >= ENTRIES + 30
    assert max(waits) < max(TIMES * max(alone), 1.0)
    assert took < 280
    with sqlite3.connect(tmp_path / "kept.db") as kept:
        assert kept.execute("select count(*) from entry").fetchone()[0] == done[0].entries
    kept.close()
