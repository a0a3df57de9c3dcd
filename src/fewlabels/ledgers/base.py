"""The interface of a ledger: read a study's entries, and append some as one atomic act.

An entry is never changed or removed; a correction is a new entry. Each carries the hash of its canonical JSON; plans, draws and
looks also seal all entries before them. A key that exists already is not written twice, so every act can be repeated.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from json.encoder import encode_basestring
from typing import Any, Literal, NamedTuple, Protocol, cast

from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.note import Note
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns

Kind = Literal[
    "population", "known", "study", "extension", "plan", "reserve", "draw", "batch", "gold", "double", "answer", "correction", "look",
    "stream", "arrival", "sheet", "access", "as of",
]  # fmt: skip
SEALING: frozenset[str] = frozenset({"extension", "plan", "reserve", "draw", "gold", "double", "look", "arrival"})
MANY: tuple[Kind, ...] = ("answer", "correction", "batch")  # kinds of which there are as many as labels
LISTING: tuple[Kind, ...] = ("known", "draw", "reserve", "extension", "gold")  # kinds whose bodies list units
DECODER = json.JSONDecoder()
ERRORS_OPENED = "errors opened"  # the act of an access entry: a person has seen which labeled units the classifier got wrong
UNREADABLE = "unreadable"  # the only key of a body whose stored text is damaged; its value is that text


class Entry(NamedTuple):
    """One line of the record. `serial` counts from 1 within a study; `seal` is the hash over all hashes before it, or None."""

    study: str
    serial: int
    kind: Kind
    key: str
    at: str
    body: Mapping[str, Any]
    seal: str | None
    hash: str

    def recomputed(self) -> str:
        """Return the hash this entry should have."""
        return entry_hash(
            study=self.study, serial=self.serial, kind=self.kind, key=self.key, at=self.at, body=self.body, seal=self.seal
        )  # fmt: skip


def entry_hash(*, study: str, serial: int, kind: str, key: str, at: str, body: Mapping[str, Any], seal: str | None) -> str:
    """Return the sha256 of an entry's canonical JSON."""
    return fingerprint({"study": study, "serial": serial, "kind": kind, "key": key, "at": at, "body": dict(body), "seal": seal})


def seal_of(blocks: Iterable[bytes]) -> str:
    """Return the seal over the hashes of all earlier entries, in blocks of lines by serial: the sha256 of those lines."""
    seal, before = hashlib.sha256(), b""
    for block in filter(None, blocks):
        seal.update(before + block)
        before = b"\n"
    return seal.hexdigest()


class Reading(Protocol):
    """One study as it is at one moment."""

    def head(self) -> tuple[int, str]:
        """Return serial and hash of the newest entry; 0 and nothing if there is none."""

    def hash_at(self, serial: int) -> str | None:
        """Return the hash of the entry with that serial; None if there is none."""

    def since(self, serial: int) -> Iterator[Entry]:
        """Read the entries after that serial, one after another."""

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return those parts of the study's snapshot that there are."""

    def kept(self, start: str) -> dict[str, bytes]:
        """Return the parts of the study's snapshot whose names begin like this."""

    def stored(self, *, after: int | None = None) -> "Iterator[StoredEntry]":
        """Read the entries as they are stored, one after another: all of them, or those after a serial."""

    def notable(self, *kinds: Kind, units: bool = True) -> "list[Entry]":
        """Return the entries of these kinds, none of which has one for each label; of all such kinds if none is named.

        units=False leaves out the bodies that list units.
        """


class Writing(Reading, Protocol):
    """One atomic act on one study: what was read stays valid until the act is written."""

    def put_parts(self, held: Mapping[str, bytes]) -> None:
        """Write parts of the study's snapshot."""

    def drop_parts(self, start: str = "") -> None:
        """Delete the parts of the study's snapshot whose names begin like this."""

    def look_up(self, keys: Sequence[str]) -> None:
        """Look up at once which of these keys exist, so that appending them need not ask one by one."""

    def entries(self) -> list[Entry]:
        """Return all entries of the study by serial, including those of this act."""

    @property
    def count(self) -> int:
        """Return how many entries there are, including those of this act."""

    def undo(self, count: int) -> None:
        """Undo what this act added beyond so many entries, unless it was flushed."""

    def flush(self) -> None:
        """Write what this act added so far; it is kept or lost with the rest of the act."""

    def own(self, labeler: str, units: Sequence[str]) -> set[str]:
        """Return those of the units whose turn is this labeler's, and stays so until the act ends."""

    def finish(self, finished: Sequence[Finished]) -> None:
        """Mark turns as answered."""

    def put_notes(self, written: Sequence[Note]) -> None:
        """Store notes, each in place of the labeler's earlier one of that kind; an empty text only deletes it."""

    def turns(self, units: Sequence[str] | None = None) -> dict[str, UnitTurns]:
        """Return the turns of each of these units that has one, or of every unit."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Append turns after the existing ones."""

    def turned(self) -> list[str]:
        """Return the units that have a turn."""

    def put_routes(self, values: Mapping[str, str]) -> None:
        """Store the values that decide who may take the turns of these units."""

    def drop_routes(self) -> None:
        """Delete these values of all units."""

    def drop_turns(self, units: Sequence[str]) -> None:
        """Remove the unanswered turns of these units, so that nobody is asked about them any more."""

    def adjudicated(self) -> set[str]:
        """Return the units that have a turn for an adjudicator."""

    def checks(self, labeler: str) -> set[str]:
        """Return the units that this labeler is still to label as a check."""

    def append(self, kind: Kind, *, key: str, body: Mapping[str, Json]) -> bool:
        """Add an entry unless its key exists; return whether it was added."""


class Ledger(Protocol):
    """An append-only record of studies."""

    def studies(self) -> list[str]:
        """Return the names of all studies, sorted."""

    def entries(self, study: str, *, anew: bool = False) -> list[Entry]:
        """Return all entries of a study by serial; empty if there is no such study. anew=True reads all of them again."""

    def notable(self, study: str, *kinds: Kind) -> list[Entry]:
        """Return the entries of these kinds, none of which has one for each label; of all such kinds if none is named."""

    def newest(self, study: str) -> Entry | None:
        """Return the newest entry of a study; None if there is none."""

    def damage(self) -> list[str]:
        """Return what the database's own check finds wrong; empty if it finds nothing, or has none."""

    def last(self, study: str) -> int:
        """Return the newest serial of a study; 0 if there is none."""

    def writing(self, study: str) -> AbstractContextManager[Writing]:
        """Open one act: all of it is kept if the block ends, nothing if it raises or the process dies."""

    def following(self, study: str) -> AbstractContextManager[Reading]:
        """Read one study as it is when the block begins."""

    def take(
        self, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False, sheet: Sheet | None = None
    ) -> list[Leased]:
        """Lease turns to a labeler: renew those still held, then take open ones in order; never two of one unit.

        sheet   the form that says whose units are whose
        """

    def barred(self, labeler: str, sheet: Sheet) -> frozenset[str]:
        """Return the values whose units a labeler may not label."""

    def give_back(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds; return how many there were."""

    def later(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds and move them behind all others; return how many there were."""

    def open_to(self, labeler: str, studies: Sequence[str], *, now: float) -> list[str]:
        """Return those of these studies, unless archived, in which a turn waits for this labeler."""

    def waiting(self, study: str) -> int:
        """Return how many turns of all labelers are still unanswered."""

    def turn_counts(self, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
        """Return how many turns are open, leased and answered, for all labelers or one."""

    def seconds(self, study: str) -> dict[str, list[float]]:
        """Return how long each labeler looked at each unit they answered, if it was measured."""

    def sheet(self, study: str) -> Sheet:
        """Return the labeling form that was set before forms were entries; an empty one if there is none."""

    def contents(self, study: str, units: Sequence[str]) -> dict[str, Mapping[str, str | None]]:
        """Return the stored content of these units."""

    def comments(self, study: str, labeler: str, units: Sequence[str]) -> dict[str, str]:
        """Return a labeler's own comments on these units."""

    def notes(self, study: str, *, most: int, after: int = 0) -> list[Note]:
        """Return up to so many notes on a study's units, the newest first, after so many that are left out."""

    def note_count(self, study: str) -> int:
        """Return how many notes there are on a study's units."""

    def set_contents(self, study: str, held: Mapping[str, Mapping[str, str | None]]) -> None:
        """Store the content of units, to be shown to labelers."""

    def forget(self, study: str) -> int:
        """Delete the stored content of a study's units; return how many units there were."""


class StoredEntry(NamedTuple):
    """An entry as it is stored: its body is text."""

    serial: int
    kind: str
    key: str
    at: str
    body: str
    seal: str | None
    hash: str

    def entry(self, study: str) -> Entry:
        """The entry; a body that is not JSON is kept as text. Its hash is for the caller to check."""
        return Entry(study, self.serial, cast("Kind", self.kind), self.key, self.at, body_of(self.body), self.seal, self.hash)


def body_of(text: str) -> Mapping[str, Any]:
    """The body of an entry as stored; {UNREADABLE: text} if it is damaged."""
    try:
        body, end = DECODER.raw_decode(text)
    except (TypeError, ValueError):  # no text, or not JSON
        return {UNREADABLE: str(text)}
    return body if isinstance(body, dict) and end == len(text) else {UNREADABLE: str(text)}


def broken(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield what does not match in a study's record, one sentence per entry; nothing if it is intact."""
    chain = Chain()
    for entry in entries:
        yield from chain.follow(entry, entry.recomputed())


def broken_text(study: str, entries: Iterable[StoredEntry]) -> Iterator[str]:
    """Yield the same of entries as they are stored, without reading their bodies: only canonical text can have the hash."""
    chain = Chain()
    for entry in entries:
        yield from chain.follow(entry, hash_of_text(study, entry))


def hash_of_text(study: str, entry: StoredEntry) -> str:
    """Return the hash of the canonical JSON of an entry, whose keys are sorted, from the text of its body."""
    serial, kind, key, at, body, seal, _ = entry
    sealed = "null" if seal is None else encode_basestring(seal)
    whole = (
        f'{{"at":{encode_basestring(at)},"body":{body},"key":{encode_basestring(key)},"kind":{encode_basestring(kind)},'
        f'"seal":{sealed},"serial":{serial},"study":{encode_basestring(study)}}}'
    )
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class Chain:
    """Serials, hashes and seals of a study's entries, checked one after another."""

    def __init__(self) -> None:
        """Start before the first entry."""
        self.count = 0
        self._before = hashlib.sha256()

    def follow(self, entry: Entry | StoredEntry, recomputed: str) -> Sequence[str]:
        """Return what does not match in the next entry, given the hash it should have."""
        self.count += 1
        seal = self._before.hexdigest() if entry.kind in SEALING else None
        is_whole = entry.serial == self.count and recomputed == entry.hash and entry.seal == seal
        self._before.update((entry.hash if self.count == 1 else f"\n{entry.hash}").encode("utf-8", "surrogatepass"))
        return () if is_whole else [*self._differences(entry, recomputed, seal)]

    def _differences(self, entry: Entry | StoredEntry, recomputed: str, seal: str | None) -> Iterator[str]:
        name = f"entry {entry.serial} ({entry.kind}, {entry.key})"
        if entry.serial != self.count:
            yield f"{name}: serial {self.count} was expected here, so an entry is missing or was added"
        if recomputed != entry.hash:
            yield f"{name}: its content does not match its hash, so it was changed after it was written"
        if entry.seal != seal:
            yield f"{name}: its seal does not match the entries before it, so one of those was changed, removed or added"
