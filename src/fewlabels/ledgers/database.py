"""A ledger in any database: entries are read once and cached, and every act is one transaction.

Entries never change, so what was read is cached, and only newer entries are read. The newest cached entry is compared each time:
a database that was restored to an older state is read again. Hash and seal of an entry are computed inside the transaction.
"""

import json
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from typing import Any, cast

import sqlalchemy as sa

from fewlabels.errors import LedgerError, LedgerUnreachable
from fewlabels.ledgers import contents, notes, parts, routes, turns
from fewlabels.ledgers.base import LISTING, MANY, SEALING, UNREADABLE, Entry, Kind, StoredEntry, body_of, entry_hash, seal_of
from fewlabels.ledgers.contents import Content
from fewlabels.ledgers.schema import known_version
from fewlabels.ledgers.tables import ENTRY, HEAD, NOTABLE
from fewlabels.nouns.canonical import Json, canonical
from fewlabels.nouns.note import Note
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns

LOOKED_UP, STREAMED = 500, 1_000  # keys in one query; entries held at once
TEXTS = ("kind", "key", "at", "hash")  # of an entry, beside its body, which verify names


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
            return sorted(map(str, _studies(connection)))  # a damaged file may hold anything

    def last(self, study: str) -> int:
        """Return the newest serial of a study; 0 if there is none."""
        with self.reading() as connection:
            return int(connection.execute(sa.select(sa.func.max(ENTRY.c.serial)).where(ENTRY.c.study == study)).scalar() or 0)

    def entries(self, study: str, *, anew: bool = False) -> list[Entry]:
        """Return all entries of a study by serial; anew=True reads all of them again."""
        with self.reading() as connection:
            return read(connection, study) if anew else list(self._refreshed(connection, study).entries)

    def notable(self, study: str, *kinds: Kind) -> list[Entry]:
        """Return the entries of these kinds, none of which has one for each label; of all such kinds if none is named."""
        with self.following(study) as source:
            return source.notable(*kinds)

    def newest(self, study: str) -> Entry | None:
        """Return the newest entry of a study; None if there is none."""
        with self.reading() as connection:
            wanted = sa.select(ENTRY).where(ENTRY.c.study == study).order_by(ENTRY.c.serial.desc()).limit(1)
            row = connection.execute(wanted).mappings().first()
            return None if row is None else _entry(row)

    @contextmanager
    def writing(self, study: str) -> Iterator["Act"]:
        """Open one act on a study."""
        self._before_writing()
        with self._translated():
            with self._engine.begin() as connection:
                self._lock(connection, study)
                act = Act(connection, study, self._clock, lambda: self._refreshed(connection, study))
                yield act
                added = act.added
                act.flush()
            self._keep(study, added)

    @contextmanager
    def following(self, study: str) -> Iterator["Following"]:
        """Read one study as it is when the block begins."""
        with self.reading() as connection:
            yield Following(connection, study, has_parts=self.outdated is None)

    def take(
        self, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False, sheet: Sheet | None = None
    ) -> list[Leased]:
        """Lease turns to a labeler: renew those still held, then take open ones in order; never two of one unit.

        sheet   the form that says whose units are whose; the labeler's groups are read in the same transaction
        """
        with self.connection() as connection:
            self._lock_labeler(connection, study, labeler)
            barred = sheet.barred(routes.names_of(connection, labeler)) if sheet is not None and sheet.routes else frozenset[str]()
            return turns.take(connection, study, labeler, units=units, now=now, until=until, adjudicates=adjudicates, barred=barred)

    def barred(self, labeler: str, sheet: Sheet) -> frozenset[str]:
        """Return the values whose units a labeler may not label."""
        if self.outdated or not sheet.routes:
            return frozenset()
        with self.reading() as connection:
            return sheet.barred(routes.names_of(connection, labeler))

    def give_back(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds; return how many there were."""
        with self.connection() as connection:
            return turns.give_back(connection, study, labeler, units)

    def later(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds and move them behind all others; return how many there were."""
        with self.connection() as connection:
            self._lock_labeler(connection, study, labeler)
            return turns.later(connection, study, labeler, units)

    def open_to(self, labeler: str, studies: Sequence[str], *, now: float) -> list[str]:
        """Return those of these studies, unless archived, in which a turn waits for this labeler."""
        if self.outdated:
            return []
        with self.reading() as connection:
            return turns.open_to(connection, labeler, studies, now=now)

    def waiting(self, study: str) -> int:
        """Return how many turns of all labelers are still unanswered."""
        if self.outdated:
            return 0
        with self.reading() as connection:
            return turns.waiting(connection, study)

    def turn_counts(self, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
        """Return how many turns are open, leased and answered, for all labelers or one."""
        if self.outdated:
            return TurnCounts(0, 0, 0)
        with self.reading() as connection:
            return turns.counts(connection, study, now=now, labeler=labeler, adjudicates=adjudicates)

    def turns_by_labeler(self, study: str, *, now: float, since: float) -> dict[str, turns.LabelerTurns]:
        """Return how many turns each labeler holds, has answered, and has answered since a moment."""
        if self.outdated:
            return {}
        with self.reading() as connection:
            return turns.by_labeler(connection, study, now=now, since=since)

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

    def comments(self, study: str, labeler: str, units: Sequence[str]) -> dict[str, str]:
        """Return a labeler's own comments on these units."""
        if self.outdated:
            return {}
        with self.reading() as connection:
            return notes.comments(connection, study, labeler, units)

    def notes(self, study: str, *, most: int, after: int = 0) -> list[Note]:
        """Return up to so many notes on a study's units, the newest first, after so many that are left out."""
        if self.outdated:
            return []
        with self.reading() as connection:
            return notes.newest(connection, study, most=most, after=after)

    def note_count(self, study: str) -> int:
        """Return how many notes there are on a study's units."""
        if self.outdated:
            return 0
        with self.reading() as connection:
            return notes.count(connection, study)

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

    def _keep(self, study: str, added: Sequence[Entry]) -> None:
        """Cache what an act has committed, unless it was read in the meantime."""
        with self._guard:
            kept = self._kept.get(study)
            if kept is not None and added and len(kept.entries) == added[0].serial - 1:
                kept.extend(added)


def _studies(connection: sa.Connection) -> Iterator[str]:
    """The names of studies, one look at the index for each: `distinct` would read every entry."""
    name = connection.execute(sa.select(sa.func.min(ENTRY.c.study))).scalar()
    while name is not None:
        yield name
        name = connection.execute(sa.select(sa.func.min(ENTRY.c.study)).where(ENTRY.c.study > name)).scalar()


def _dispose(*engines: sa.Engine) -> None:
    for engine in engines:
        engine.dispose()


class Following:
    """One study as it is in an open transaction: its entries from any on, and the parts of its snapshot."""

    def __init__(self, connection: sa.Connection, study: str, *, has_parts: bool) -> None:
        """Read inside a transaction, which keeps what was read valid."""
        self._connection, self._study, self._has_parts = connection, study, has_parts

    def head(self) -> tuple[int, str]:
        """Return serial and hash of the newest entry; 0 and nothing if there is none."""
        newest = sa.select(ENTRY.c.serial, ENTRY.c.hash).where(ENTRY.c.study == self._study).order_by(ENTRY.c.serial.desc()).limit(1)
        found = self._connection.execute(newest).first()
        return (0, "") if found is None else (int(found.serial), str(found.hash))

    def hash_at(self, serial: int) -> str | None:
        """Return the hash of the entry with that serial; None if there is none."""
        wanted = sa.select(ENTRY.c.hash).where(ENTRY.c.study == self._study, ENTRY.c.serial == serial)
        found = self._connection.execute(wanted).scalar()
        return None if found is None else str(found)

    def since(self, serial: int) -> Iterator[Entry]:
        """Read the entries after that serial, one after another."""
        return streamed(self._connection, self._study, after=serial)

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return those parts of the snapshot that there are."""
        return parts.parts(self._connection, self._study, names) if self._has_parts else {}

    def kept(self, start: str) -> dict[str, bytes]:
        """Return the parts of the snapshot whose names begin like this."""
        return parts.beginning(self._connection, self._study, start) if self._has_parts else {}

    def stored(self, *, after: int | None = None) -> Iterator[StoredEntry]:
        """Read the entries as they are stored, one after another: all of them, or those after a serial."""
        return stored(self._connection, self._study, after=after)

    def notable(self, *kinds: Kind, units: bool = True) -> list[Entry]:
        """Return the entries of these kinds; units=False leaves out the bodies that list units."""
        body = ENTRY.c.body if units else sa.case((ENTRY.c.kind.in_(LISTING), "{}"), else_=ENTRY.c.body).label("body")
        columns = [column for column in ENTRY.c if column is not ENTRY.c.body]
        wanted = sa.select(*columns, body).where(ENTRY.c.study == self._study, NOTABLE, *([ENTRY.c.kind.in_(kinds)] if kinds else []))
        return [_entry(row) for row in self._connection.execute(wanted.order_by(ENTRY.c.serial)).mappings()]


class Act(Following):
    """One open act: the existing entries, and those it adds."""

    def __init__(self, connection: sa.Connection, study: str, clock: Callable[[], str], kept: Callable[[], ReadEntries]) -> None:
        """Work inside a transaction, which keeps what was read valid. `kept` reads all entries."""
        super().__init__(connection, study, has_parts=True)
        self._clock, self._kept = clock, kept
        self._count, newest = super().head()
        self._keys: set[str] = set()
        self._looked_up: set[str] = set()  # keys of which `_present` says whether they exist
        self._present: set[str] = set()
        self._hashes: dict[int, str | None] = {self._count: newest or None}  # of entries that nobody can change until it ends
        self.added: list[Entry] = []

    def entries(self) -> list[Entry]:
        """Return all entries, including those of this act."""
        return [*self._kept().entries[: self._count], *self.added]

    def head(self) -> tuple[int, str]:
        """Return serial and hash of the newest entry, which may be of this act."""
        return self.count, self.hash_at(self.count) or ""

    def hash_at(self, serial: int) -> str | None:
        """Return the hash of the entry with that serial, which may be of this act; None if there is none."""
        if serial > self._count:
            return self.added[serial - self._count - 1].hash if serial <= self.count else None
        if serial not in self._hashes:
            self._hashes[serial] = super().hash_at(serial)
        return self._hashes[serial]

    def since(self, serial: int) -> Iterator[Entry]:
        """Read the entries after that serial, those of this act last."""
        if serial < self._count:
            yield from super().since(serial)
        yield from self.added[max(0, serial - self._count) :]

    def notable(self, *kinds: Kind, units: bool = True) -> list[Entry]:
        """Return the entries of these kinds, those of this act last."""
        return [*super().notable(*kinds, units=units), *(e for e in self.added if e.kind not in MANY and (not kinds or e.kind in kinds))]

    def put_parts(self, held: Mapping[str, bytes]) -> None:
        """Write parts of the snapshot."""
        parts.put(self._connection, self._study, held)

    def drop_parts(self, start: str = "") -> None:
        """Delete the parts of the snapshot whose names begin like this."""
        parts.drop(self._connection, self._study, start)

    @property
    def count(self) -> int:
        """Return how many entries there are."""
        return self._count + len(self.added)

    def look_up(self, keys: Sequence[str]) -> None:
        """Look up at once which of these keys exist, so that appending them need not ask one by one."""
        unknown = [key for key in keys if key not in self._looked_up]
        for start in range(0, len(unknown), LOOKED_UP):
            some = unknown[start : start + LOOKED_UP]
            self._present |= present(self._connection, self._study, some)
            self._looked_up |= set(some)

    def append(self, kind: Kind, *, key: str, body: Mapping[str, Json]) -> bool:
        """Add an entry unless its key exists; return whether it was added."""
        if key not in self._looked_up:
            self.look_up([key])
        if key in self._present or key in self._keys:
            return False
        seal = self._seal() if kind in SEALING else None
        self.added.append(_made(self._study, self.count + 1, kind, key, self._clock(), body, seal=seal))
        self._keys.add(key)
        return True

    def _seal(self) -> str:
        """The seal over all entries, including those of this act."""
        return seal_of(chain(hashes(self._connection, self._study), ["\n".join(entry.hash for entry in self.added).encode()]))

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

    def put_notes(self, written: Sequence[Note]) -> None:
        """Store notes, each in place of the labeler's earlier one of that kind; an empty text only deletes it."""
        notes.put(self._connection, self._study, written)

    def turns(self, units: Sequence[str] | None = None) -> dict[str, UnitTurns]:
        """Return the turns of each of these units that has one, or of every unit."""
        return turns.known(self._connection, self._study, units)

    def add_turns(self, added: Sequence[Turn]) -> None:
        """Append turns after the existing ones."""
        turns.add(self._connection, self._study, added)

    def turned(self) -> list[str]:
        """Return the units that have a turn."""
        return routes.turned(self._connection, self._study)

    def put_routes(self, values: Mapping[str, str]) -> None:
        """Store the values that decide who may take the turns of these units."""
        routes.put(self._connection, self._study, values)

    def drop_routes(self) -> None:
        """Delete these values of all units."""
        routes.drop(self._connection, self._study)

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
        """Write what was added, and forget it; it is committed with the transaction."""
        insert(self._connection, self.added)
        self._count += len(self.added)
        self.added = []
        for known in (self._keys, self._looked_up, self._present):
            known.clear()


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
        connection.execute(sa.insert(ENTRY), [entry._asdict() | {"body": canonical(dict(entry.body))} for entry in entries])


def present(connection: sa.Connection, study: str, keys: Sequence[str]) -> set[str]:
    """Return those of the keys that exist.

    PostgreSQL has no statistics of a table that a transaction is filling, and would read all of the study for every list of keys: there
    each key is looked up by itself.
    """
    if connection.dialect.name == "sqlite":
        return set(connection.execute(sa.select(ENTRY.c.key).where(ENTRY.c.study == study, ENTRY.c.key.in_(keys))).scalars())
    asked = sa.func.unnest(sa.bindparam("keys", list(keys), type_=sa.ARRAY(sa.Text))).table_valued("key", name="asked").render_derived()
    found = sa.select(sa.true()).where(ENTRY.c.study == study, ENTRY.c.key == asked.c.key).limit(1).scalar_subquery()
    return set(connection.execute(sa.select(asked.c.key).where(found)).scalars())


def read(connection: sa.Connection, study: str, *, since: int | None = None) -> list[Entry]:
    """Return the study's entries by serial. A body that is no longer JSON is kept as text, so that verify can name it."""
    wanted = sa.select(ENTRY).where(ENTRY.c.study == study).order_by(ENTRY.c.serial)
    if since is not None:
        wanted = wanted.where(ENTRY.c.serial >= since)
    return [_entry(row) for row in connection.execute(wanted).mappings()]


def streamed(connection: sa.Connection, study: str, *, after: int) -> Iterator[Entry]:
    """Read a study's entries after a serial one by one, in constant memory."""
    wanted = sa.select(ENTRY).where(ENTRY.c.study == study, ENTRY.c.serial > after).order_by(ENTRY.c.serial)
    with connection.execute(wanted.execution_options(yield_per=STREAMED)) as rows:
        yield from (_entry(row) for row in rows.mappings())


def hashes(connection: sa.Connection, study: str) -> Iterator[bytes]:
    """Read the hashes of a study's entries in blocks of lines, as the driver gives them: a seal reads all, so a microsecond each counts."""
    is_sqlite = connection.dialect.name == "sqlite"  # whose text is decoded by a function of ours, see sqlite.py
    wanted = sa.cast(ENTRY.c.hash, sa.LargeBinary) if is_sqlite else ENTRY.c.hash
    with connection.execute(sa.select(wanted).where(ENTRY.c.study == study).order_by(ENTRY.c.serial)) as rows:
        while rows.cursor is not None and (some := rows.cursor.fetchmany(STREAMED)):
            yield b"\n".join([row[0] for row in some]) if is_sqlite else "\n".join([row[0] for row in some]).encode()


def stored(connection: sa.Connection, study: str, *, after: int | None = None) -> Iterator[StoredEntry]:
    """Read a study's entries as they are stored, one by one."""
    wanted = sa.select(*(ENTRY.c[name] for name in StoredEntry._fields)).where(ENTRY.c.study == study).order_by(ENTRY.c.serial)
    if after is not None:
        wanted = wanted.where(ENTRY.c.serial > after)
    with connection.execute(wanted.execution_options(yield_per=STREAMED)) as rows:
        for some in rows.partitions(STREAMED):
            for row in some:
                entry = StoredEntry._make(row)
                _refuse_damaged(entry)
                yield entry


def _refuse_damaged(entry: StoredEntry) -> None:
    """Raise LedgerError if a row is none that fewlabels writes."""
    are_texts = type(entry.kind) is type(entry.key) is type(entry.at) is type(entry.hash) is str
    if are_texts and isinstance(entry.serial, int) and isinstance(entry.seal, str | None):
        return
    wrong = next((name for name in TEXTS if not isinstance(getattr(entry, name), str)), "serial or seal")
    raise LedgerError(f"an entry has {wrong} that is none, so the file was damaged: restore it from a backup")


def _entry(row: sa.RowMapping) -> Entry:
    """Return the entry of a row; raise LedgerError if the database holds something else, as only a damaged file does."""
    found = StoredEntry(*(row[name] for name in StoredEntry._fields))
    _refuse_damaged(found)
    return Entry(row["study"], found.serial, cast("Kind", found.kind), found.key, found.at, _body(found.body), found.seal, found.hash)


def _body(text: str) -> Mapping[str, Any]:
    body = body_of(text)
    try:
        is_whole = canonical(dict(body)) == text
    except ValueError:  # a number that overflows a float
        is_whole = False
    return body if is_whole else {UNREADABLE: str(text)}
