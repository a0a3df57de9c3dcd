"""What fewlabels asks of a ledger: read a study's entries, and append some as one indivisible act.

An entry is never changed or removed; a correction is a new entry. Each carries the hash of its canonical JSON; plans, draws and
looks also seal all entries before them. A key that is known already is not written twice, so every act can be repeated.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.sheet import Sheet
from fewlabels.nouns.turn import Finished, Held, Turn, TurnCounts, UnitTurns

Kind = Literal[
    "population", "study", "extension", "plan", "reserve", "draw", "batch", "gold", "double", "answer", "correction", "look", "stream",
    "arrival",
]  # fmt: skip
SEALING: frozenset[str] = frozenset({"extension", "plan", "reserve", "draw", "gold", "double", "look", "arrival"})
UNREADABLE = "unreadable"  # the only key of a body whose stored text was damaged; its value is that text


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
        """The hash this entry should carry."""
        return entry_hash(
            study=self.study, serial=self.serial, kind=self.kind, key=self.key, at=self.at, body=self.body, seal=self.seal
        )  # fmt: skip


def entry_hash(*, study: str, serial: int, kind: str, key: str, at: str, body: Mapping[str, Any], seal: str | None) -> str:
    """The sha256 of an entry's canonical JSON."""
    return fingerprint({"study": study, "serial": serial, "kind": kind, "key": key, "at": at, "body": dict(body), "seal": seal})


def seal_of(hashes: Sequence[str]) -> str:
    """The seal over the hashes of all earlier entries, in the order of their serials."""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


class Writing(Protocol):
    """One indivisible act on one study: what was read stays true until what is written is."""

    def entries(self) -> list[Entry]:
        """All entries of the study, by serial, those of this act included."""

    @property
    def count(self) -> int:
        """How many entries there are, those of this act included."""

    def undo(self, count: int) -> None:
        """Takes back what this act added beyond so many entries."""

    def own(self, labeler: str, units: Sequence[str]) -> set[str]:
        """Those of the units whose turn is this labeler's, and stays so until the act ends."""

    def finish(self, finished: Sequence[Finished]) -> None:
        """Marks turns as told."""

    def turns(self) -> dict[str, UnitTurns]:
        """The turns of every unit that has one."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Puts turns behind those that are there."""

    def drop_turns(self, units: Sequence[str]) -> None:
        """Takes away turns of these units that nobody holds: nobody is asked about them any more."""

    def adjudicated(self) -> set[str]:
        """Units that have a turn for an adjudicator."""

    def checks(self, labeler: str) -> set[str]:
        """Units that this labeler is to look at as a check, and has not yet."""

    def append(self, kind: Kind, *, key: str, body: Mapping[str, Json]) -> bool:
        """Adds an entry unless its key is known; says whether it was added."""


class Ledger(Protocol):
    """An append-only record of studies."""

    def studies(self) -> list[str]:
        """The names of all studies, sorted."""

    def entries(self, study: str, *, anew: bool = False) -> list[Entry]:
        """All entries of a study, by serial; empty if there is no such study. anew=True reads every one of them again."""

    def last(self, study: str) -> int:
        """The newest serial of a study; 0 where there is none."""

    def writing(self, study: str) -> AbstractContextManager[Writing]:
        """Opens one act: all of it is kept if the block ends, nothing if it raises or the process dies."""

    def take(self, study: str, labeler: str, *, units: int, now: float, until: float, adjudicates: bool = False) -> list[Held]:
        """Leases turns to a labeler: those still held, renewed, then open ones in order; never two of one unit."""

    def give_back(self, study: str, labeler: str, units: Sequence[str]) -> int:
        """Opens turns that a labeler holds to others; returns how many those were."""

    def told_and_waiting(self, study: str, labeler: str) -> tuple[int, int]:
        """How many turns a labeler has told, and how many of anybody's are not told yet."""

    def turn_counts(self, study: str, *, now: float, labeler: str | None = None, adjudicates: bool = False) -> TurnCounts:
        """How many turns are open, leased and told, of all labelers or one."""

    def seconds(self, study: str) -> dict[str, list[float]]:
        """How long each labeler looked at each unit they answered, where it was measured."""

    def sheet(self, study: str) -> Sheet:
        """What labelers are shown; an empty sheet where none was set."""

    def set_sheet(self, study: str, sheet: Sheet) -> None:
        """Replaces the sheet of a study."""

    def contents(self, study: str, units: Sequence[str]) -> dict[str, Mapping[str, str | None]]:
        """What is held of these units to be shown."""

    def set_contents(self, study: str, held: Mapping[str, Mapping[str, str | None]]) -> None:
        """Holds what is to be shown of units."""

    def forget(self, study: str) -> int:
        """Deletes what is held of a study's units to be shown; returns how many those were."""


def broken(entries: Sequence[Entry]) -> Iterator[str]:
    """What does not match in a study's record, one sentence an entry; nothing for a good one."""
    hashes: list[str] = []
    for expected, entry in enumerate(entries, start=1):
        name = f"entry {entry.serial} ({entry.kind}, {entry.key})"
        if entry.serial != expected:
            yield f"{name}: serial {expected} was expected here, so an entry is missing or was added"
        if entry.recomputed() != entry.hash:
            yield f"{name}: its content does not match its hash, so it was changed after it was written"
        if (entry.kind in SEALING) != (entry.seal is not None) or (entry.seal is not None and entry.seal != seal_of(hashes)):
            yield f"{name}: its seal does not match the entries before it, so one of those was changed, removed or added"
        hashes.append(entry.hash)
