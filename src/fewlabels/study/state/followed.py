"""The register of a study in its ledger, brought up to date by what was written since it was last used.

What a snapshot says is used as long as it matches; a part that does not is found when it is read. Then the act, or the reading, is done
again with the snapshot that is in the ledger now, and after that without any.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, TypeVar

from fewlabels.ledgers.base import Entry, Kind, Ledger, Reading, StoredEntry, Writing
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.study.state.book import SnapshotWrong
from fewlabels.study.state.register import Register
from fewlabels.study.state.snapshots import is_due, restore, save
from fewlabels.study.state.standing import Standing

Trust = Literal["memory", "snapshot", "entries"]  # where to go on from
WAYS: tuple[Trust, ...] = ("memory", "snapshot", "entries")
T = TypeVar("T")


class FollowedStudy:
    """One study in one ledger, for any number of threads."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        """Read nothing yet."""
        self.ledger, self.name = ledger, name
        self.guard = threading.RLock()
        self.register = Register(restore)
        self._standing: tuple[tuple[int, str], Standing] | None = None
        self._source: Reading | None = None  # the transaction that is open now

    def act(self, do: Callable[[Writing, Register], T]) -> T:
        """Do something in one transaction, with the state of the study before it; all of it is kept, or nothing if it raises."""
        with self.guard:
            for way in WAYS:
                try:
                    with self.ledger.writing(self.name) as act, self._reading_from(act):
                        done = do(act, self._up_to_date(act, way))
                        register = self._up_to_date(act, "memory")
                        if is_due(register):
                            save(act, register)
                        return done
                except SnapshotWrong:
                    self.register.begin()
        raise AssertionError("a study folded from its entries needs no snapshot")

    def read(self, do: Callable[[Register], T]) -> T:
        """Read something of the study as it is now."""
        with self.guard:
            for way in WAYS:
                try:
                    with self.ledger.following(self.name) as source, self._reading_from(source):
                        return do(self._up_to_date(source, way))
                except SnapshotWrong:
                    self.register.begin()
        raise AssertionError("a study folded from its entries needs no snapshot")

    def record_look(self, head: str, body: Mapping[str, Json], also: Callable[[Writing, Register], object] | None = None) -> bool:
        """Record what was shown of the study, and do something else with it; return whether its newest entry still had that hash."""

        def recorded(act: Writing, register: Register) -> bool:
            if register.last != head:
                return False
            if also is not None:
                also(act, register)
            act.append("look", key=f"look:{fingerprint(body)}", body=body)
            return True

        return self.act(recorded)

    def adopt(self, register: Register) -> None:
        """Go on with a register that was folded from the entries elsewhere."""
        with self.guard:
            self.register, self._standing = register, None

    def forget(self) -> None:
        """Hold no more pages than necessary, so that a server does not keep all of them after a report: a snapshot has them."""
        with self.guard:
            if self.register.kept is not None:
                self.register, self._standing = FollowedStudy(self.ledger, self.name).read(lambda register: register), None

    def rebuild(self) -> int:
        """Delete what is kept beside the record, and fold the study again from its first entry; return how many entries there are."""
        with self.guard, self.ledger.writing(self.name) as act:
            act.drop_parts()
            self.register.begin()
            save(act, self.register.follow(act))
            return self.register.serial

    def standing(self) -> Standing:
        """The study as it is now."""
        return self.read(self.standing_of)

    def standing_of(self, register: Register) -> Standing:
        """The study as the register has it; made once for as long as no entry is added."""
        head = (register.serial, register.last)
        if self._standing is None or self._standing[0] != head:
            self._standing = (head, register.standing(self, self.guard))
        return self._standing[1]

    # ---------------- for a standing that outlives the transaction it was made in

    @contextmanager
    def _reading_from(self, source: Reading) -> Iterator[None]:
        before, self._source = self._source, source
        try:
            yield
        finally:
            self._source = before

    @contextmanager
    def _open(self) -> Iterator[Reading]:
        with self.guard:
            if self._source is not None:
                yield self._source
            else:
                with self.ledger.following(self.name) as source:
                    yield source

    def hash_at(self, serial: int) -> str | None:
        """The hash of the entry with that serial, now."""
        with self._open() as source:
            return source.hash_at(serial)

    def since(self, serial: int) -> Iterator[Entry]:
        """The entries after that serial, now."""
        with self._open() as source:
            yield from source.since(serial)

    def stored(self, *, after: int) -> Iterator[StoredEntry]:
        """The entries after that serial as they are stored, now."""
        with self._open() as source:
            yield from source.stored(after=after)

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """The parts of the snapshot, now."""
        with self._open() as source:
            return source.parts(names)

    def notable(self, *kinds: Kind, units: bool = True) -> list[Entry]:
        """The entries of these kinds, now; units=False leaves out the bodies that list units."""
        with self._open() as source:
            return source.notable(*kinds, units=units)

    def _up_to_date(self, source: Reading, way: Trust) -> Register:
        """The register with all entries of the study."""
        register = self.register
        if way == "memory" and register.study and source.head() == (register.serial, register.last):
            return register.read_from(source)
        if way == "entries":
            register.begin()
        elif way == "snapshot" or not register.serial or source.hash_at(register.serial) != register.last:
            restore(register, source)
        return register.follow(source)
