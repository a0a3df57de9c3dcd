"""Copies of studies from one ledger to another, entry by entry: same times, hashes and seals, whatever the databases.

A study's turns, its labeling form, the stored content of its units and what labelers wrote about them are copied with it. People, their
groups and their secrets are not copied. The study that a study follows is not copied with it, unless it is named too.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from fewlabels.errors import LedgerError
from fewlabels.ledgers.base import Entry, broken, broken_text
from fewlabels.ledgers.database import Database, insert, read, stored
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.ledgers.tables import CONTENT, ENTRY, NOTE, ROUTE, SHEET, TURN
from fewlabels.nouns.canonical import Json

BESIDE = (TURN, SHEET, CONTENT, ROUTE, NOTE)  # tables beside the record that go with a study
CHUNK = 1_000  # rows of the tables beside the record held in memory at once
Watch = Callable[[str], None]


class Copied(NamedTuple):
    """A study that was copied: its entries, how many of them were new, and its turns and contents."""

    study: str
    entries: int
    added: int
    turns: int
    contents: int

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {**self._asdict()}


def copy(source: Database, target: Database, *, studies: Sequence[str] = (), watch: Watch = lambda _: None) -> list[Copied]:
    """Copy studies, all if none is named, as they are at one moment; each is copied atomically.

    A study that exists in the target is continued: its entries must be the first of those copied. So a copy can be repeated and resumed.
    """
    if source.where == target.where or _is_same_file(source, target):
        raise LedgerError(f"a ledger must be copied to a different one, but both are {source.where}: name another")
    done: list[Copied] = []
    with source.reading() as connection:
        for study in _wanted(connection, studies, where=source.where):
            done.append(_copy_one(connection, target, study, where=source.where))
            watch(f"{study}: {done[-1].added:,} of {done[-1].entries:,} entries added")
    return done


def backup(source: Database, path: Path, *, watch: Watch = lambda _: None) -> list[Copied]:
    """Copy all studies to a new SQLite file, and read it back before it gets its name; raise LedgerError if the file exists.

    A SQLite file is copied by SQLite, as it is at one moment, while others write.
    """
    if path.exists():
        raise LedgerError(f"a backup must be a new file, but {path} exists: name another, or move it away")
    if not path.parent.is_dir():
        raise LedgerError(f"the folder {path.parent} of the backup does not exist: make it, or name another")
    with _unfinished(path) as unfinished:
        written = SqliteLedger(f"sqlite:///{unfinished}")
        if isinstance(source, SqliteLedger) and source.is_file:
            with source.copy_into(unfinished, [table.name for table in (ENTRY, *BESIDE)]) as connection:
                held = {study: _held(connection.execute, study) for (study,) in connection.execute("select distinct study from main.entry")}
            watch("reading the backup back")
            done = _read_back(written, held, source)
        else:
            done = copy(source, written, watch=watch)
            watch("reading the backup back")
            _check(written, source, done)
        if damage := written.damage():
            raise LedgerError(f"the backup does not read back as it was written ({damage[0]}): check the disk, and back up again")
        written.close()
        try:
            path.open("x").close()  # the first process gets the name
        except FileExistsError:
            raise LedgerError(f"a backup must be a new file, but {path} now exists: name another, or move it away") from None
        os.replace(unfinished, path)
    return done


class Held(NamedTuple):
    """How much a ledger holds of a study, and the hash of its last entry."""

    entries: int
    last: str
    turns: int
    contents: int


def _held(execute: Callable[..., Any], study: str) -> Held:
    """Return what a SQLite file holds of a study."""
    tables = {name for (name,) in execute("select name from main.sqlite_master").fetchall()}  # an older ledger has fewer
    counts = [
        execute(f"select count(*) from main.{table.name} where study = ?", (study,)).fetchone()[0] if table.name in tables else 0
        for table in (ENTRY, TURN, CONTENT)
    ]
    last = execute("select hash from main.entry where study = ? order by serial desc limit 1", (study,)).fetchone()
    return Held(counts[0], "" if last is None else last[0], counts[1], counts[2])


def _read_back(written: SqliteLedger, held: Mapping[str, Held], source: SqliteLedger) -> list[Copied]:
    """Return what a backup holds; raise LedgerError if a record does not match, or not everything is there."""
    with written.reading() as connection:
        for study, wanted in sorted(held.items()):
            if _held(connection.exec_driver_sql, study) != wanted:
                raise _spoiled(study)
            if next(broken_text(study, stored(connection, study)), None) is not None:
                with source.reading() as original:
                    damage = next(broken_text(study, stored(original, study)), None)
                raise _spoiled(study) if damage is None else _damaged(study, damage, where=source.where)
    return [Copied(study, one.entries, one.entries, one.turns, one.contents) for study, one in sorted(held.items())]


def _spoiled(study: str) -> LedgerError:
    return LedgerError(f"the backup of study {study!r} does not read back as it was written: check the disk, and back up again")


def _count(connection: sa.Connection, table: sa.Table, study: str) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table).where(table.c.study == study)).scalar_one())


def _damaged(study: str, damage: str, *, where: str) -> LedgerError:
    return LedgerError(
        f"only a study whose record matches is copied, but in study {study!r} at {where} {damage}: see fewlabels verify, and restore it "
        "from a backup; others can be copied by name (--study)"
    )


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """Yield a temporary file beside the target, and remove it unless it was renamed."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise LedgerError(f"the backup cannot be written to {path.parent} ({error.strerror}): name another folder") from None
    os.close(handle)
    try:
        yield Path(name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _is_same_file(source: Database, target: Database) -> bool:
    """Return whether both are the same SQLite file, however the path is written."""
    paths = [Path(one.where) for one in (source, target) if isinstance(one, SqliteLedger)]
    return len(paths) == 2 and all(path.is_file() for path in paths) and paths[0].samefile(paths[1])


def _wanted(connection: sa.Connection, studies: Sequence[str], *, where: str) -> list[str]:
    """Return the studies to copy; raise LedgerError if one does not exist."""
    known = sorted(connection.execute(sa.select(ENTRY.c.study).distinct()).scalars())
    missing = [study for study in studies if study not in known]
    if missing:
        raise LedgerError(f"no study {missing[0]!r} in the ledger at {where} (it has: {', '.join(known) or 'none'}): check the name")
    return list(dict.fromkeys(studies)) or known


def _copy_one(connection: sa.Connection, target: Database, study: str, *, where: str) -> Copied:
    """Copy one study in one transaction of the target."""
    entries = read(connection, study)
    damage = next(broken(entries), None)
    if damage is not None:
        raise _damaged(study, damage, where=where)
    with target.receiving(study) as writing:
        there = read(writing, study)
        _refuse_other(study, entries, there, where=target.where)
        insert(writing, entries[len(there) :])
        beside = {table.name: _replace(connection, writing, table, study) for table in BESIDE}
    return Copied(study, len(entries), len(entries) - len(there), beside[TURN.name], beside[CONTENT.name])


def _refuse_other(study: str, entries: Sequence[Entry], there: Sequence[Entry], *, where: str) -> None:
    """Raise LedgerError if the study's entries in the target are not the first of those in the source."""
    rule = f"a copy continues a study only if its entries there are the first of those in the source, but in study {study!r} at {where}"
    way_out = "copy to a ledger without it"
    for mine, other in zip(entries, there, strict=False):
        if mine != other:
            raise LedgerError(f"{rule} entry {other.serial} ({other.kind}, {other.key}) differs: {way_out}")
    if len(there) > len(entries):
        more = there[len(entries)]
        raise LedgerError(
            f"{rule} entry {more.serial} ({more.kind}, {more.key}) comes after the last one of the source: {way_out}, or copy the other way"
        )


def _replace(source: sa.Connection, target: sa.Connection, table: sa.Table, study: str) -> int:
    """Replace the tables beside the record by those of the source; return how many rows there are."""
    target.execute(sa.delete(table).where(table.c.study == study))
    if not sa.inspect(source).has_table(table.name):
        return 0  # an older ledger that is read-only
    wanted = sa.select(table).where(table.c.study == study).execution_options(yield_per=CHUNK)
    rows: Iterator[Any] = iter(source.execute(wanted).mappings())
    count = 0
    while some := [dict(row) for row in islice(rows, CHUNK)]:
        target.execute(sa.insert(table), some)
        count += len(some)
    return count


def _check(written: Database, source: Database, done: Sequence[Copied]) -> None:
    """Raise LedgerError if a backup is not what was copied."""
    for one in done:
        entries = written.entries(one.study, anew=True)
        with written.reading() as connection:
            turns, contents = (_count(connection, table, one.study) for table in (TURN, CONTENT))
        first = source.entries(one.study)[: one.entries]  # more may have been added since
        if entries != first or any(broken(entries)) or (turns, contents) != (one.turns, one.contents):
            raise _spoiled(one.study)
