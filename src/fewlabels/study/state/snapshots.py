"""Snapshots: the register of a study kept beside the record, in parts, so that a command folds only the newest entries.

A snapshot is a cache and never part of the record. It is used only if the entry it was made after is in the ledger with the same hash, and
every part has the digest that the head, or a part named by it, says. Otherwise the study is folded from its first entry.

    head      the entry it was made after, counters, and the digests of all that follow but w
    frame     the entries about the study as a whole
    u/0 ..    the ids of a page
    s/0 ..    the answers to its units
    c/0 ..    the codes of those that count
    m/0 ..    what else is counted of its units
    d/0 ..    the cells of its units
    e/0 ..    what else was known of them when they were drawn
    w/0 ..    where a unit is; borne out by the page itself
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from fewlabels.ledgers.base import Writing
from fewlabels.nouns.draw import Units
from fewlabels.study.state.book import SnapshotWrong
from fewlabels.study.state.pages import PAGE, SOME, Page, PageCounts, cells_of, rest_of, unpacked
from fewlabels.study.state.register import Counters, Register, Source
from fewlabels.version import VERSION

FORMAT = 3
KINDS = "uscmde"  # of the parts of a page, in the order of their digests
EVERY = 128  # entries after which a new one is written: the rest is folded by every command
LISTED = 16  # units that were drawn or handed out, and cost as much to fold as an entry
DIGEST = 8  # bytes: against damage and mistakes; who can write to the database could change the record itself


def digest_of(body: bytes) -> str:
    """The digest of a part."""
    return hashlib.blake2b(body, digest_size=DIGEST).hexdigest()


class Snapshot:
    """A snapshot whose head was found to match, and its parts as they are asked for."""

    def __init__(self, source: Source | None, head: Mapping[str, Any]) -> None:
        """Read parts from `source`, which may be exchanged for a later one; None if nothing is left to be read."""
        self.source, self.head = source, head
        self.is_whole = False
        self._ahead: dict[str, bytes] = {}
        self._places: dict[int, dict[str, int]] = {}

    def at(self, source: Source) -> "Snapshot":
        """The snapshot as it is now, read from elsewhere."""
        return Snapshot(source, self.head)

    @property
    def has(self) -> frozenset[str]:
        """Which of the columns that not every study has are there: weight, cluster."""
        return frozenset(self.head["has"])

    def _read(self, names: Sequence[str]) -> dict[str, bytes]:
        assert self.source is not None  # nothing is left to be read of one that was written by this process
        return self.source.parts(names)

    def part(self, name: str, digest: str) -> bytes:
        """A part; raise SnapshotWrong unless it has the digest."""
        body = self._ahead.pop(name, None) or self._read([name]).get(name)
        if body is None or digest_of(body) != digest:
            raise SnapshotWrong(name)
        return body

    def _of_page(self, kind: str, number: int) -> bytes:
        return self.part(f"{kind}/{number}", _digest(self.head["pages"][number], kind))

    def _rows(self, number: int) -> int:
        return min(PAGE, int(self.head["count"]["units"]) - number * PAGE)

    def page(self, number: int) -> Page:
        """Read a page; raise SnapshotWrong if it is not the one that belongs to the snapshot."""
        if f"u/{number}" not in self._ahead:
            self.pages_ahead([number])
        named, told, coded, counted = (self._of_page(kind, number) for kind in "uscm")
        return Page.of_bytes(named, told, coded, counted, len(self.head["questions"]))

    def pages_ahead(self, numbers: Sequence[int]) -> None:
        """Read these pages at once, because they will all be asked for."""
        self._ahead |= self._read([f"{kind}/{number}" for number in numbers for kind in "uscm"])

    def names(self, numbers: Sequence[int]) -> Iterator[Sequence[str]]:
        """Read the ids on some pages."""
        self._ahead |= self._read([f"u/{number}" for number in numbers])
        return (json.loads(self._of_page("u", number)) for number in numbers)

    def columns(self, kind: str, numbers: Sequence[int]) -> Iterator[Sequence[NDArray[Any]]]:
        """Read the columns of a kind on some pages."""
        self._ahead |= self._read([f"{kind}/{number}" for number in numbers])
        return (unpacked(self._of_page(kind, number), self._rows(number)) for number in numbers)

    def counts(self, number: int) -> PageCounts:
        """What is counted of a page."""
        return PageCounts(*self.head["counts"][number])

    def position(self, unit: str) -> int | None:
        """The position of a unit; None if it is not found."""
        bucket = bucket_of(unit, self.head["buckets"])
        if bucket not in self._places:
            found = self._read([f"w/{bucket}"]).get(f"w/{bucket}")
            self._places[bucket] = _places(found)
        return self._places[bucket].get(unit)


def _digest(of_page: str, kind: str) -> str:
    at = KINDS.index(kind) * 2 * DIGEST
    return of_page[at : at + 2 * DIGEST]


def _places(body: bytes | None) -> dict[str, int]:
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and all(isinstance(at, int) for at in found.values()) else {}


def bucket_of(unit: str, buckets: int) -> int:
    """The part of the index that a unit is in."""
    return int.from_bytes(hashlib.blake2b(unit.encode("utf-8", "surrogatepass"), digest_size=4).digest()) % buckets


def restore(register: Register, source: Source) -> bool:
    """Begin the register anew with the snapshot of the study; return whether there is one that matches the ledger."""
    register.begin()
    head = head_of(source)
    if head is None or source.hash_at(head["serial"]) != head["hash"]:
        return False
    kept = Snapshot(source, head)
    try:
        frame = json.loads(kept.part("frame", head["frame"]))
    except SnapshotWrong:
        return False
    for kind, held, told in frame:
        register.frame.append((kind, held, told))
        register.frame_in(kind, held, told)
    register.name, register.serial, register.last = head["study"], head["serial"], head["hash"]
    register.count = Counters()
    vars(register.count).update(head["count"])
    register.basis, register.labelers = head["basis"], head["labelers"]
    register.words = {word: code for code, word in enumerate(head["words"])}
    register.batch_plans = [tuple(pair) for pair in head["batch_plans"]]
    register.pages = [None] * len(head["pages"])
    register.kept, register.saved = kept, head["serial"]
    return True


def resume(register: Register, head: Mapping[str, Any]) -> None:
    """Let a register that was folded from the entries go on from the snapshot with that head, which says the same."""
    register.kept = kept = Snapshot(None, head)
    kept.is_whole = True
    register.saved, register.listed = register.serial, 0
    register.disown()
    register.dirty.clear()
    register.redrawn = register.reframed = False


def _head(body: bytes) -> dict[str, Any] | None:
    """The head of a snapshot; None if it is damaged, or written by another version, which may fold entries in another way."""
    digest, _, text = body.partition(b"\n")
    if digest.decode("ascii", "replace") != digest_of(text):
        return None
    found: dict[str, Any] = json.loads(text)
    return found if (found.get("format"), found.get("version")) == (FORMAT, VERSION) else None


def is_due(register: Register) -> bool:
    """Whether a snapshot should be written: after some entries, of which one that lists units counts for more."""
    return register.serial - register.saved + register.listed // LISTED >= EVERY


def save(act: Writing, register: Register) -> None:
    """Write what has changed since the last snapshot, in the transaction of the act."""
    if register.kept is None:
        act.drop_parts()
    act.put_parts(changed(register))
    register.saved, register.listed = register.serial, 0


def changed(register: Register) -> dict[str, bytes]:
    """The parts that have changed since the last snapshot, and the head; all of them if there was none."""
    kept = register.kept if isinstance(register.kept, Snapshot) else None
    before = kept.head if kept is not None else None
    parts, digests = _pages(register, before)
    has, buckets = (before["has"], before["buckets"]) if before is not None else ([], 1)
    if register.redrawn or before is None:
        units = register.drawn_units()
        has = [name for name in SOME if units is not None and getattr(units, name) is not None]
        places = _index(register)
        buckets = len(places)
        parts |= {f"w/{bucket}": _written(held) for bucket, held in enumerate(places)}
    frame = before["frame"] if before is not None else ""
    if register.reframed or before is None:
        parts["frame"] = _written(register.frame)
        frame = digest_of(parts["frame"])
    head = {
        **_about(register), "format": FORMAT, "version": VERSION, "pages": digests, "frame": frame, "has": has, "buckets": buckets
    }  # fmt: skip
    text = _written(head)
    parts["head"] = digest_of(text).encode() + b"\n" + text
    if kept is None:
        register.kept = kept = Snapshot(None, {})
        kept.is_whole = True
    kept.head = json.loads(text)
    register.disown()
    register.dirty.clear()
    register.redrawn = register.reframed = False
    return parts


def _pages(register: Register, before: Mapping[str, Any] | None) -> tuple[dict[str, bytes], list[str]]:
    """The parts of pages that have changed, and the digests of all of them."""
    parts: dict[str, bytes] = {}
    digests: list[str] = list(before["pages"]) if before is not None else []
    digests += [""] * (len(register.pages) - len(digests))
    anew = register.redrawn or before is None
    units = register.drawn_units() if anew else None
    for number in sorted(register.dirty if before is not None and not anew else range(len(register.pages))):
        of_page = _of_page(register, number, units)
        parts |= {f"{kind}/{number}": body for kind, body in of_page.items()}
        digests[number] = "".join(digest_of(of_page[kind]) if kind in of_page else _digest(digests[number], kind) for kind in KINDS)
    return parts, digests


def _of_page(register: Register, number: int, units: Units | None) -> dict[str, bytes]:
    """The parts of a page; those that a draw determines only if its units are given."""
    page, rows = register.page(number), slice(number * PAGE, (number + 1) * PAGE)
    drawn = {} if units is None else {"u": page.named(), "d": cells_of(units, rows), "e": rest_of(units, rows)}
    return {"s": page.told(), "c": page.coded(), "m": page.counted(), **drawn}


def _about(register: Register) -> dict[str, Any]:
    """What the head says of a study, besides digests."""
    return {
        "study": register.name, "serial": register.serial, "hash": register.last, "basis": register.basis, "count": vars(register.count),
        "words": list(register.words), "batch_plans": register.batch_plans, "counts": register.counts(), "questions": register.questions,
        "labelers": register.labelers,
    }  # fmt: skip


def head_of(source: Source) -> Mapping[str, Any] | None:
    """The head of the snapshot in a ledger; None if there is none that could be used."""
    body = source.parts(["head"]).get("head")
    return _head(body) if body is not None else None


def differences(register: Register, head: Mapping[str, Any]) -> Iterator[str]:
    """What a snapshot says that a register folded from the entries to the same one does not."""
    said = json.loads(_written(_about(register)))
    yield from (name for name, value in said.items() if head[name] != value)
    if head["frame"] != digest_of(_written(register.frame)):
        yield "frame"
    if len(head["pages"]) != len(register.pages):
        yield "pages"
        return
    units = register.drawn_units()
    for number, digests in enumerate(head["pages"]):
        parts = _of_page(register, number, units)
        yield from (f"{kind}/{number}" for kind in KINDS if digest_of(parts[kind]) != _digest(digests, kind))


def _index(register: Register) -> list[dict[str, int]]:
    """Where each unit is, in parts."""
    places: list[dict[str, int]] = [{} for _ in range(max(1, len(register.pages)))]
    for position, unit in enumerate(register.units()):
        places[bucket_of(unit, len(places))][unit] = position
    return places


def _written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8", "surrogatepass")
