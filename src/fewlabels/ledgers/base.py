"""The interface of a ledger: read a study's entries, and append some as one atomic act.

An entry is never changed or removed; a correction is a new entry. Each carries the hash of its canonical JSON; plans, draws and
looks also seal all entries before them. A key that exists already is not written twice, so every act can be repeated.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from fewlabels.nouns.canonical import Json, canonical, fingerprint
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns

Kind = Literal[
    "population", "study", "extension", "plan", "reserve", "draw", "batch", "gold", "double", "answer", "correction", "look", "stream",
    "arrival", "sheet", "access",
]  # fmt: skip
SEALING: frozenset[str] = frozenset({"extension", "plan", "reserve", "draw", "gold", "double", "look", "arrival"})
UNREADABLE = "unreadable"  # the only key of a body whose stored text is damaged; its value is that text


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
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


def seal_of(hashes: Sequence[str]) -> str:
    """Return the seal over the hashes of all earlier entries, by serial."""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


class Writing(Protocol):
    """One atomic act on one study: what was read stays valid until the act is written."""

    def entries(self) -> list[Entry]:
        """Return all entries of the study by serial, including those of this act."""

    @property
    def count(self) -> int:
        """Return how many entries there are, including those of this act."""

    def undo(self, count: int) -> None:
        """Undo what this act added beyond so many entries."""

    def own(self, labeler: str, units: Sequence[str]) -> set[str]:
        """Return those of the units whose turn is this labeler's, and stays so until the act ends."""

    def finish(self, finished: Sequence[Finished]) -> None:
        """Mark turns as answered."""

    def turns(self) -> dict[str, UnitTurns]:
        """Return the turns of every unit that has one."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Append turns after the existing ones."""

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

    def damage(self) -> list[str]:
        """Return what the database's own check finds wrong; empty if it finds nothing, or has none."""

    def last(self, study: str) -> int:
        """Return the newest serial of a study; 0 if there is none."""

    def writing(self, study: str) -> AbstractContextManager[Writing]:
        """Open one act: all of it is kept if the block ends, nothing if it raises or the process dies."""

    def take(self, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False) -> list[Leased]:
        """Lease turns to a labeler: renew those still held, then take open ones in order; never two of one unit."""

    def give_back(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Release turns that a labeler holds; return how many there were."""

    def told_and_waiting(self, study: str, labeler: str) -> tuple[int, int]:
        """Return how many turns a labeler has answered, and how many turns of all labelers are still unanswered."""

    def turn_counts(self, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
        """Return how many turns are open, leased and answered, for all labelers or one."""

    def seconds(self, study: str) -> dict[str, list[float]]:
        """Return how long each labeler looked at each unit they answered, if it was measured."""

    def sheet(self, study: str) -> Sheet:
        """Return the labeling form that was set before forms were entries; an empty one if there is none."""

    def contents(self, study: str, units: Sequence[str]) -> dict[str, Mapping[str, str | None]]:
        """Return the stored content of these units."""

    def set_contents(self, study: str, held: Mapping[str, Mapping[str, str | None]]) -> None:
        """Store the content of units, to be shown to labelers."""

    def forget(self, study: str) -> int:
        """Delete the stored content of a study's units; return how many units there were."""


def broken(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield what does not match in a study's record, one sentence per entry; nothing if it is intact."""
    yield from _broken((entry, entry.recomputed()) for entry in entries)


class StoredEntry(NamedTuple):
    """An entry as it is stored: its body is text."""

    serial: int
    kind: str
    key: str
    at: str
    body: str
    seal: str | None
    hash: str


def broken_text(study: str, entries: Iterable[StoredEntry]) -> Iterator[str]:
    """Yield the same of entries as they are stored, without reading their bodies: only canonical text can have the hash."""
    yield from _broken((entry, _hash_of_text(study, entry)) for entry in entries)


def _hash_of_text(study: str, entry: StoredEntry) -> str:
    """Return the hash of the canonical JSON of an entry, whose keys are sorted, from the text of its body."""
    rest = {"key": entry.key, "kind": entry.kind, "seal": entry.seal, "serial": entry.serial, "study": study}
    whole = f'{{"at":{canonical(entry.at)},"body":{entry.body},{canonical(rest)[1:]}'
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _broken(entries: Iterable[tuple[Entry | StoredEntry, str]]) -> Iterator[str]:
    """Yield what does not match in entries, each given with the hash it should have."""
    before, is_first = hashlib.sha256(), True
    for expected, (entry, recomputed) in enumerate(entries, start=1):
        name = f"entry {entry.serial} ({entry.kind}, {entry.key})"
        if entry.serial != expected:
            yield f"{name}: serial {expected} was expected here, so an entry is missing or was added"
        if recomputed != entry.hash:
            yield f"{name}: its content does not match its hash, so it was changed after it was written"
        if (entry.kind in SEALING) != (entry.seal is not None) or (entry.seal is not None and entry.seal != before.hexdigest()):
            yield f"{name}: its seal does not match the entries before it, so one of those was changed, removed or added"
        before.update((entry.hash if is_first else f"\n{entry.hash}").encode("utf-8", "surrogatepass"))
        is_first = False
