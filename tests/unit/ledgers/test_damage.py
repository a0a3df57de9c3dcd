"""Damaged files: whatever bytes are lost, `verify` names it, or nothing that it read has changed."""

import random
from pathlib import Path

import pytest

from fewlabels.errors import FewlabelsError
from fewlabels.ledgers.base import Entry
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.study.study import Study
from tests.unit.study.made import create, label_all

DAMAGED = 220
PAGE = 4096


def spoiled(held: bytes, rng: random.Random) -> bytes:
    """The bytes of a file after an accident: some flipped, a part blanked, a page lost, doubled or exchanged, the end cut off."""
    found = bytearray(held)
    kind = rng.choice(("flip", "flip", "text", "blank", "exchange", "double", "cut"))
    pages = len(held) // PAGE
    one, other = rng.randrange(pages) * PAGE, rng.randrange(pages) * PAGE
    if kind == "flip":
        for _ in range(rng.randint(1, 8)):
            found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    elif kind == "text":  # inside what is written, not in the empty space of a page
        at = rng.choice([i for i in range(0, len(held), 7) if chr(held[i]).isalnum()])
        found[at] = ord(rng.choice("abcdefxyz0123456789"))
    elif kind == "blank":
        at = rng.randrange(len(found) - 600)
        found[at : at + rng.randint(1, 600)] = b"\x00"
    elif kind == "exchange":
        found[one : one + PAGE], found[other : other + PAGE] = held[other : other + PAGE], held[one : one + PAGE]
    elif kind == "double":
        found[one : one + PAGE] = held[other : other + PAGE]
    else:
        del found[rng.randrange(len(found)) :]
    return bytes(found)


def reading(path: Path) -> tuple[bool, list[Entry]]:
    """Whether a ledger passes, and what was read; nothing and False if it cannot be read."""
    try:
        ledger = SqliteLedger(f"sqlite:///{path}", create=False)
        return Study.load("s", ledger=ledger).verify().passed, ledger.entries("s", anew=True)
    except FewlabelsError:
        return False, []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    study = create(folder)
    study.plan(20)
    label_all(study)
    study.estimate()
    ledger = study.ledger
    assert isinstance(ledger, SqliteLedger)
    ledger.close()
    return Path(ledger.where)


def test_no_damage_goes_unnoticed_that_changes_what_is_read(whole: Path, tmp_path: Path, seed: int) -> None:
    rng, held = random.Random(seed), whole.read_bytes()
    passed, entries = reading(whole)
    assert passed
    assert whole.read_bytes() == held, "verifying changes nothing"
    path = tmp_path / "spoiled.db"
    seen = {True: 0, False: 0}
    for _ in range(DAMAGED):
        made = spoiled(held, rng)
        path.write_bytes(made)
        passed, found = reading(path)
        assert path.read_bytes() == made, "verifying repairs nothing"
        assert not passed or found == entries
        seen[passed] += 1
    assert seen[False] > DAMAGED / 3


def test_structure_that_only_sqlite_checks_is_named(whole: Path, tmp_path: Path) -> None:
    """The twin: an index that has lost a row does not show in the entries, and passed before."""
    import sqlite3

    path = tmp_path / "index.db"
    path.write_bytes(whole.read_bytes())
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("pragma journal_mode = delete")
        root = connection.execute("select rootpage from sqlite_master where name = 'sqlite_autoindex_entry_2'").fetchone()[0]
    connection.close()
    spoilt = bytearray(path.read_bytes())
    at = (root - 1) * PAGE
    spoilt[at + 3 : at + 5] = (int.from_bytes(spoilt[at + 3 : at + 5], "big") - 1).to_bytes(2, "big")  # one cell fewer
    path.write_bytes(bytes(spoilt))
    ledger = SqliteLedger(f"sqlite:///{path}", create=False)
    found = Study.load("s", ledger=ledger).verify()
    assert not found.passed
    assert "the database's own check" in found.findings[0]
