"""A ledger in any database: entries are read once and cached, and every act is one transaction.

Entries never change, so what was read is cached, and only newer entries are read. The newest cached entry is compared each time:
a database that was restored to an older state is read again. Hash and seal of an entry are computed inside the transaction.
"""

import json
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from fewlabels.errors import LedgerError, LedgerUnreachable
from fewlabels.ledgers import contents, turns
from fewlabels.ledgers.base import SEALING, UNREADABLE, Entry, Kind, entry_hash, seal_of
from fewlabels.ledgers.contents import Content
from fewlabels.ledgers.schema import known_version
from fewlabels.ledgers.tables import ENTRY, HEAD
from fewlabels.nouns.canonical import Json, canonical
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns

TEXTS = ("study", "kind", "key", "at", "hash")  # of an entry, beside its body, which verify names


def utc_now() -> str:
    """Return the current time, to the microsecond, in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class ReadEntries:
    """The committed entries of a study read so far, and their keys."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        """Keep these entries, from serial 1."""
        self.entries = list(entries)
        self.keys = {entry.key for entry in entries}

    def extend(self, entries: Sequence[Entry]) -> None:
        """Add newer entries."""
        self.entries += entries
        self.keys |= {entry.key for entry in entries}


class Database:
    """Entries of studies in a database. Subclasses define how to connect, and how writers are kept apart."""

    def __init__(self, engine: sa.Engine, *, reader: sa.Engine, where: str, advice: str, clock: Callable[[], str]) -> None:
        """Keep `where` and `advice` for messages: what cannot be used, and what to check."""
        self._engine, self._where, self._advice, self._clock = engine, where, advice, clock
        self._reader = reader.execution_options(reads_only=True)
        self.outdated: str | None = None
        self._kept: dict[str, ReadEntries] = {}
        self._guard = threading.Lock()
        weakref.finalize(self, _dispose, engine, reader)  # no connection outlives its ledger

    def _prepare(self) -> None:
        """Create the tables of a new ledger. One of an older schema is opened to be read, and `outdated` is its version."""
        with self.reading() as connection:
            found = known_version(connection)
        self.outdated = found if found not in (None, HEAD) else None
        if found is None:
            self.upgrade()

    def upgrade(self) -> None:
        """Run the missing migrations."""
        raise NotImplementedError

    def damage(self) -> list[str]:
        """Return what the database's own check finds wrong; empty if it finds nothing, or has none."""
        return []

    def hold(self) -> None:
        """Prepare for many acts of one process; nothing to do unless a subclass does."""

    def require_current(self) -> None:
        """Raise LedgerError if the ledger is of an older schema, which can be read and not written to."""
        if self.outdated is not None:
            raise LedgerError(
                f"a ledger must be of schema {HEAD} to be written to, but {self._where} is of {self.outdated} and can only be read: upgrade"
                " it with `fewlabels ledger upgrade`"
            )

    def _before_writing(self) -> None:
        """Prepare for an act; raise LedgerError if the ledger cannot be written to."""
        self.require_current()

    def _lock(self, connection: sa.Connection, study: str) -> None:
        """Wait until nobody else writes to the study."""
        raise NotImplementedError

    def _lock_labeler(self, connection: sa.Connection, study: str, labeler: str) -> None:
        """Wait until no other lease for this labeler is under way, as neither would see what the other takes."""
        raise NotImplementedError

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn database errors into a LedgerError that says what to do."""
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
            said = str(getattr(error, "orig", None) or error).strip()
            kind = LedgerUnreachable if isinstance(error, sa.exc.OperationalError | sa.exc.TimeoutError) else LedgerError
            raise kind(f"the ledger at {self._where} cannot be used ({said}): {self._advice}") from None
        except UnicodeEncodeError as error:
            raise LedgerError(f"text in a ledger must be encodable in UTF-8, but {error.object!r:.80} is not: correct it") from None

    @contextmanager
    def connection(self) -> Iterator[sa.Connection]:
        """Open a transaction on the tables beside the record: committed if the block ends, rolled back if it raises."""
        self._before_writing()
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @property
    def where(self) -> str:
        """Where it is, for people: a path, or an address without its password."""
        return self._where

    @contextmanager
    def receiving(self, study: str) -> Iterator[sa.Connection]:
        """Open a transaction in which nobody else writes to the study, to copy entries from another ledger unchanged."""
        with self.connection() as connection:
            self._lock(connection, study)
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a read-only transaction that sees the database as it is when it begins."""
        with self._translated(), self._reader.begin() as connection:
            yield connection

    def studies(self) -> list[str]:
        """Return the names of all studies, sorted."""
        with self.reading() as connection:
            return sorted(map(str, connection.execute(sa.select(ENTRY.c.study).distinct()).scalars()))  # a damaged file may hold anything

    def last(self, study: str) -> int:
        """Return the newest serial of a study; 0 if there is none."""
        with self.reading() as connection:
            return int(connection.execute(sa.select(sa.func.max(ENTRY.c.serial)).where(ENTRY.c.study == study)).scalar() or 0)

    def entries(self, study: str, *, anew: bool = False) -> list[Entry]:
        """Return all entries of a study by serial; anew=True reads all of them again."""
        with self.reading() as connection:
            return read(connection, study) if anew else list(self._refreshed(connection, study).entries)

    @contextmanager
    def writing(self, study: str) -> Iterator["Act"]:
        """Open one act on a study."""
        self._before_writing()
        with self._translated():
            with self._engine.begin() as connection:
                self._lock(connection, study)
                act = Act(connection, study, self._clock, self._refreshed(connection, study))
                yield act
                act.flush()
            self._keep(study, act)

    def take(self, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False) -> list[Leased]:
        """Lease turns to a labeler: renew those still held, then take open ones in order; never two of one unit."""
        with self.connection() as connection:
            self._lock_labeler(connection, study, labeler)
            return turns.take(connection, study, labeler, units=units, now=now, until=until, adjudicates=adjudicates)

    def give_back(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds; return how many there were."""
        with self.connection() as connection:
            return turns.give_back(connection, study, labeler, units)

    def told_and_waiting(self, study: str, labeler: str) -> tuple[int, int]:
        """Return how many turns a labeler has answered, and how many turns of all labelers are still unanswered."""
        if self.outdated:
            return 0, 0
        with self.reading() as connection:
            return turns.told_and_waiting(connection, study, labeler)

    def turn_counts(self, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
        """Return how many turns are open, leased and answered, for all labelers or one."""
        if self.outdated:
            return TurnCounts(0, 0, 0)
        with self.reading() as connection:
            return turns.counts(connection, study, now=now, labeler=labeler, adjudicates=adjudicates)

    def seconds(self, study: str) -> dict[str, list[float]]:
        """Return how long each labeler looked at each unit they answered, if it was measured."""
        if self.outdated:
            return {}
        with self.reading() as connection:
            return turns.seconds(connection, study)

    def sheet(self, study: str) -> Sheet:
        """Return the labeling form that was set before forms were entries; an empty one if there is none."""
        if self.outdated:
            return Sheet()
        with self.reading() as connection:
            return contents.sheet(connection, study)

    def contents(self, study: str, units: Sequence[str]) -> dict[str, Content]:
        """Return the stored content of these units."""
        if self.outdated:
            return {}
        with self.reading() as connection:
            return contents.contents(connection, study, units)

    def set_contents(self, study: str, held: Mapping[str, Content]) -> None:
        """Store the content of units, to be shown to labelers."""
        with self.receiving(study) as connection:  # two concurrent fetches may store the same units
            contents.set_contents(connection, study, held.items())

    def forget(self, study: str) -> int:
        """Delete the stored content of a study's units; return how many units there were."""
        with self.receiving(study) as connection:
            return contents.forget(connection, study)

    def note(self, connection: sa.Connection, study: str, kind: Kind, body: Mapping[str, Json]) -> None:
        """Append an entry that seals nothing inside an open transaction, to a study that has entries; none is read."""
        self._lock(connection, study)
        last = connection.execute(sa.select(sa.func.max(ENTRY.c.serial)).where(ENTRY.c.study == study)).scalar()
        if last is not None:
            insert(connection, [_made(study, last + 1, kind, f"{kind}:{last + 1}", self._clock(), body, seal=None)])

    def _refreshed(self, connection: sa.Connection, study: str) -> ReadEntries:
        """Return the cached entries of a study, with all that was committed since."""
        with self._guard:
            kept = self._kept.get(study, ReadEntries())
            found = read(connection, study, since=kept.entries[-1].serial if kept.entries else None)
            if kept.entries and (not found or found[0] != kept.entries[-1]):
                kept, found = ReadEntries(), read(connection, study)
            kept.extend(found[1:] if kept.entries else found)
            self._kept[study] = kept
            return kept

    def _keep(self, study: str, act: "Act") -> None:
        """Cache what an act has committed, unless it was read in the meantime."""
        with self._guard:
            kept = self._kept[study]
            if act.added and len(kept.entries) == act.added[0].serial - 1:
                kept.extend(act.added)


def _dispose(*engines: sa.Engine) -> None:
    for engine in engines:
        engine.dispose()


class Act:
    """One open act: the existing entries, and those it adds."""

    def __init__(self, connection: sa.Connection, study: str, clock: Callable[[], str], kept: ReadEntries) -> None:
        """Work inside a transaction, which keeps what was read valid."""
        self._connection, self._study, self._clock, self._before = connection, study, clock, kept
        self._count = len(kept.entries)
        self._keys: set[str] = set()
        self.added: list[Entry] = []

    def entries(self) -> list[Entry]:
        """Return all entries, including those of this act."""
        return [*self._before.entries[: self._count], *self.added]

    @property
    def count(self) -> int:
        """Return how many entries there are."""
        return self._count + len(self.added)

    def append(self, kind: Kind, *, key: str, body: Mapping[str, Json]) -> bool:
        """Add an entry unless its key exists; return whether it was added."""
        if key in self._before.keys or key in self._keys:
            return False
        seal = seal_of([e.hash for e in self.entries()]) if kind in SEALING else None
        self.added.append(_made(self._study, self.count + 1, kind, key, self._clock(), body, seal=seal))
        self._keys.add(key)
        return True

    def undo(self, count: int) -> None:
        """Undo what this act added beyond so many entries."""
        self.added, undone = self.added[: max(0, count - self._count)], self.added[max(0, count - self._count) :]
        self._keys -= {entry.key for entry in undone}

    def own(self, labeler: str, units: Sequence[str]) -> set[str]:
        """Return those of the units whose turn is this labeler's, and stays so until the act ends."""
        return turns.own(self._connection, self._study, labeler, units)

    def finish(self, finished: Sequence[Finished]) -> None:
        """Mark turns as answered."""
        turns.finish(self._connection, self._study, finished)

    def turns(self) -> dict[str, UnitTurns]:
        """Return the turns of every unit that has one."""
        return turns.known(self._connection, self._study)

    def add_turns(self, added: Sequence[Turn]) -> None:
        """Append turns after the existing ones."""
        turns.add(self._connection, self._study, added)

    def drop_turns(self, units: Sequence[str]) -> None:
        """Remove the unanswered turns of these units, whoever holds them."""
        turns.drop(self._connection, self._study, units)

    def adjudicated(self) -> set[str]:
        """Return the units that have a turn for an adjudicator."""
        return turns.adjudicated(self._connection, self._study)

    def checks(self, labeler: str) -> set[str]:
        """Return the units that this labeler is still to label as a check."""
        return turns.checks(self._connection, self._study, labeler)

    def flush(self) -> None:
        """Write what was added; it is committed with the transaction."""
        insert(self._connection, self.added)


def _made(study: str, serial: int, kind: Kind, key: str, at: str, body: Mapping[str, Json], *, seal: str | None) -> Entry:
    """A new entry, its body as it will be read."""
    fields: dict[str, Any] = {
        "study": study,
        "serial": serial,
        "kind": kind,
        "key": key,
        "at": at,
        "body": json.loads(canonical(dict(body))),
    }
    return Entry(**fields, seal=seal, hash=entry_hash(**fields, seal=seal))


def insert(connection: sa.Connection, entries: Sequence[Entry]) -> None:
    """Write entries unchanged."""
    if entries:
        connection.execute(sa.insert(ENTRY), [asdict(entry) | {"body": canonical(dict(entry.body))} for entry in entries])


def read(connection: sa.Connection, study: str, *, since: int | None = None) -> list[Entry]:
    """Return the study's entries by serial. A body that is no longer JSON is kept as text, so that verify can name it."""
    wanted = sa.select(ENTRY).where(ENTRY.c.study == study).order_by(ENTRY.c.serial)
    if since is not None:
        wanted = wanted.where(ENTRY.c.serial >= since)
    return [_entry(row) for row in connection.execute(wanted).mappings()]


def _entry(row: sa.RowMapping) -> Entry:
    """Return the entry of a row; raise LedgerError if the database holds something else, as only a damaged file does."""
    wrong = next((name for name in TEXTS if not isinstance(row[name], str)), None)
    if wrong is not None or not isinstance(row["serial"], int) or not isinstance(row["seal"], str | None):
        raise LedgerError(f"an entry has {wrong or 'serial or seal'} that is none, so the file was damaged: restore it from a backup")
    return Entry(**{**row, "body": _body(row["body"])})


def _body(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
        is_whole = isinstance(body, dict) and canonical(body) == text
    except (TypeError, ValueError):  # no text, not JSON, or a number that overflows a float
        is_whole = False
    return body if is_whole else {UNREADABLE: str(text)}
