"""The state of a study, updated entry by entry: the only fold of the record.

What belongs to the study as a whole is small and held here. What belongs to a unit is on its page, so that an answer costs the same however
many there are; pages that a snapshot holds are read when they are needed. `standing` is the state at one moment, for reading numbers.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol

from fewlabels.errors import LedgerError, StudyError
from fewlabels.ledgers.base import ERRORS_OPENED, UNREADABLE, Entry
from fewlabels.nouns.draw import Units, join_units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.label import CLOSER, GOLD, UNANSWERED, Label
from fewlabels.nouns.late import Late
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import Clusters, Process
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.sheet import FormSet
from fewlabels.nouns.stopping import ONLINE
from fewlabels.randomness import is_double
from fewlabels.registry import note_origin
from fewlabels.study.state.book import Book, Kept, KeptUnits, SnapshotWrong
from fewlabels.study.state.pages import CHOSEN, CODES, KNOWN, PAGE, SETTLED, TOLD, Page, PageCounts, Seat, SeatRow, places_on, seat_row
from fewlabels.study.state.progress import labels_of
from fewlabels.study.state.standing import Look, Round, Standing, counted_answer, is_heard

BEGIN = "the study was not created completely: create it again"


class Held(Kept, Protocol):
    """A snapshot that a register goes on from."""

    is_whole: bool  # whether all pages have been read
    source: "Source | None"  # where they are read from: the transaction that is open now

    def pages_ahead(self, numbers: Sequence[int]) -> None:
        """Read these pages at once, because they will all be asked for."""

    def at(self, source: "Source") -> Kept:
        """The snapshot as it is now, for somebody who reads it from elsewhere."""


class Source(Protocol):
    """Where entries come from: an open act, or a read-only transaction."""

    def hash_at(self, serial: int) -> str | None:
        """The hash of the entry with that serial; None if there is none."""

    def since(self, serial: int) -> Iterable[Entry]:
        """The entries after that serial, in order."""

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """Those parts of the study's snapshot that there are."""


class Counters:
    """The numbers of a study that change with every answer; all of them are in the head of a snapshot."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.kinds: dict[str, int] = {}  # entries of each kind
        self.units = 0  # drawn
        self.told = 0  # answers and corrections of labelers
        self.doubled = 0  # drawn units that two labelers answer, by design
        self.elsewhere = 0  # units resolved before they were handed out
        self.closed = 0  # answers recorded when the study was closed
        self.gold_closed = 0  # of those that stand for gold
        self.changed_after_look = 0
        self.left_after_peek = 0
        self.gold_after_look = 0
        self.shown = self.online = self.peeked = self.gold_shown = False


class Register:
    """A study as its entries say it is."""

    def __init__(self, restore: "Callable[[Register, Source], object] | None" = None) -> None:
        """Start without entries. `restore` begins anew with a snapshot, instead of the first entry."""
        self._restore = restore
        self.begin()

    def begin(self) -> None:
        """Forget all entries."""
        self.serial, self.last = 0, ""  # of the newest entry followed, and its hash
        self.basis = ""  # the hash of the newest entry that a result depends on: any but a certified look
        self.frame: list[tuple[str, Mapping[str, Any], int]] = []  # the entries about the whole study, each with `told` before it
        self.count = Counters()
        self.words: dict[str, int] = {word: code for code, word in enumerate(CODES)}
        self.batch_plans: list[tuple[int, int]] = []  # the first batch of each plan
        self.labelers: dict[str, int] = {}  # how many units each has answered
        self.pages: list[Page | None] = []  # None for one that the snapshot holds and nobody has asked for
        self.owned: set[int] = set()  # pages that may be changed in place: no standing holds them, `dirty` has them, `counted` does not
        self.dirty: set[int] = set()  # pages changed since the last snapshot
        self.counted: dict[int, PageCounts] = {}  # of pages that have not changed since
        self.positions: dict[str, int] = {}
        self.blocks: list[Units] = []  # the draws
        self.redrawn = False  # whether units were drawn since the last snapshot
        self.reframed = False  # whether an entry about the whole study came since
        self.kept: Held | None = None  # the snapshot that pages are read from
        self.saved = 0  # its serial
        self.listed = 0  # units drawn or handed out since
        self._begin_frame()

    def _begin_frame(self) -> None:
        self.name = ""
        self.population: Mapping[str, Any] = {}
        self.profiles: list[Profile] = []  # the first, and one for each extension
        self.clusters: Clusters | None = None
        self.rest: Profile | None = None  # of the units whose answers were not known beforehand
        self.owned_labels: KnownLabels | None = None
        self.goals: tuple[Goal, ...] = ()
        self.known = 0  # classifiers before the last extension
        self.questions: tuple[str, ...] = ()
        self.classes: tuple[str, ...] = ()
        self.hidden: frozenset[str] = frozenset()
        self.study: Mapping[str, Any] = {}
        self.plans: list[Plan] = []
        self.looks: list[Look] = []
        self.forms: list[FormSet] = []
        self.double = 0.0
        self.doubled_late: list[tuple[float, int]] = []
        self.gold_units: list[str] = []
        self.gold_share = 0.0
        self.rounds: list[Round] = []
        self.reserve: Units | None = None
        self.drawn_plans: set[int] = set()
        self.as_of = ""  # the day until which answers that arrive by themselves are recorded
        self.opened: set[str] = set()  # people who have opened the errors

    # ---------------- following entries

    def follow(self, source: Source) -> "Register":
        """Update the register with all entries of the study; start over if they do not continue those followed."""
        if self.serial and source.hash_at(self.serial) != self.last:  # a transaction was undone, or the ledger restored
            if self._restore is not None:
                self._restore(self, source)
            else:
                self.begin()
        self.read_from(source)
        for entry in source.since(self.serial):
            self.take(entry)
        if not self.study:
            raise StudyError(BEGIN)
        return self

    def read_from(self, source: Source) -> "Register":
        """Read pages of the snapshot from there."""
        if self.kept is not None:
            self.kept.source = source
        return self

    def take(self, entry: Entry) -> None:
        """Follow one more entry."""
        if UNREADABLE in entry.body:
            raise LedgerError(f"entry {entry.serial} ({entry.kind}, {entry.key}) was damaged: see fewlabels verify, and restore the ledger")
        self.name = entry.study
        self.count.kinds[entry.kind] = self.count.kinds.get(entry.kind, 0) + 1
        body = FRAMED[entry.kind](entry.body) if entry.kind in FRAMED else None
        if body is not None:
            if entry.kind == "draw":
                body = {**body, "start": self.count.units}
            self.frame.append((entry.kind, body, self.count.told))
            self.reframed = True
            self.frame_in(entry.kind, body, self.count.told)
        taking = TAKING.get(entry.kind)
        if taking is not None:
            taking(self, entry.body)
        self.serial, self.last = entry.serial, entry.hash
        if entry.kind != "look" or not entry.body["certified"]:
            self.basis = entry.hash

    def frame_in(self, kind: str, body: Mapping[str, Any], told: int) -> None:
        """Take in what an entry says about the study as a whole; `told`: how many answers there were before it."""
        if kind in ("population", "extension"):
            self._population(body, is_new=kind == "population")
        elif kind == "known":
            self.owned_labels = KnownLabels.of_json(body)
            self.rest = self.profiles[-1].without(self.owned_labels)
        elif kind == "study":
            self.study = body
            self.goals = tuple(Goal.of_json(goal) for goal in body["goals"])
        elif kind == "plan":
            self.plans.append(_plan_of(body["plan"]))
        elif kind == "look":
            self.looks.append(Look(plan=body["plan"], labels=body["labels"], certified=body["certified"]))
        elif kind == "sheet":
            self.forms.append(FormSet.of_json(body, answers=told))
        else:
            self._chosen(kind, body, told)

    def _chosen(self, kind: str, body: Mapping[str, Any], told: int) -> None:
        """Take in what an entry says about units chosen: for two labelers, for gold, for the reserve, or to be labeled."""
        if kind == "double" and body["share"] > self.double:
            self.double = body["share"]
            self.doubled_late += [(self.double, told)] if told else []
        elif kind == "as of":
            self.as_of = max(self.as_of, body["day"])
        elif kind == "access":
            self.opened.add(body["person"])
        elif kind == "gold":
            self.gold_units += body["units"]
            self.gold_share = max(self.gold_share, body["share"])
        elif kind == "reserve":
            more = Units.of_json(body["units"])
            self.reserve = more if self.reserve is None else join_units([self.reserve, more])
        elif kind == "draw":
            self.drawn_plans.add(body["plan"])
            if "rate" in body:
                self.rounds.append(
                    Round(start=body["start"], units=body["units"], rate=tuple(body["rate"]), waiting=tuple(body["waiting"]))
                )

    def _population(self, body: Mapping[str, Any], *, is_new: bool) -> None:
        if not is_new:
            self.known = len(self.population["classifiers"])
            self.goals = tuple(Goal.of_json(goal) for goal in body["goals"])
        self.profiles.append(Profile.of_json(body["profile"]))
        if "clusters" in body:
            self.clusters = Clusters(**body["clusters"])
        self.population = body["population"]
        classifiers: Sequence[Mapping[str, Any]] = self.population["classifiers"]
        self.questions = tuple(dict.fromkeys(c["question"] for c in classifiers))
        self.classes = tuple(c["value"] for c in classifiers if c["value"] is not None)
        self.hidden = Population.of_json(self.population).hidden_columns

    # ---------------- pages

    def page(self, number: int) -> Page:
        """A page, to be read."""
        page = self.pages[number]
        if page is None:
            assert self.kept is not None  # only a snapshot leaves pages out
            page = self.pages[number] = self.kept.page(number)
        return page

    def own(self, number: int) -> Page:
        """A page, to be changed."""
        page = self.page(number)
        if number not in self.owned:
            page = self.pages[number] = page.copy()
            self.owned.add(number)
            self.dirty.add(number)
            self.counted.pop(number, None)
        return page

    def disown(self) -> None:
        """Copy every page before it is changed from now on, because it was counted, saved or is held by a standing."""
        self.owned.clear()

    def place(self, unit: str) -> tuple[int, int] | None:
        """The page of a unit and its place there; None if it was not drawn."""
        at = self.positions.get(unit)
        if at is None and self.kept is not None and not self.kept.is_whole:
            at = self._found(unit, self.kept)
        return None if at is None else divmod(at, PAGE)

    def _found(self, unit: str, kept: Held) -> int | None:
        """The position of a unit as the snapshot says, which the page must bear out; that a unit was not drawn is believed to no index."""
        at = kept.position(unit)
        if at is not None:
            if not (at < self.count.units and self.page(at // PAGE).unit[at % PAGE] == unit):
                raise SnapshotWrong("a position")
            self._note_places(at // PAGE)  # those of a batch are on few pages
            return at
        self.load()
        return self.positions.get(unit)

    def load(self) -> None:
        """Read all that the snapshot holds."""
        if self.kept is None or self.kept.is_whole:
            return
        self.kept.pages_ahead([number for number, page in enumerate(self.pages) if page is None])
        for number in range(len(self.pages)):
            self._note_places(number)
        self.kept.is_whole = True

    def _note_places(self, number: int) -> None:
        self.positions.update(places_on(self.page(number), number * PAGE))

    # ---------------- what is known of a unit

    def is_drawn(self, unit: str) -> bool:
        """Whether the unit was drawn."""
        return self.place(unit) is not None

    def is_known(self, unit: str) -> bool:
        """Whether the answer to the unit was known before the salt was made."""
        if self.owned_labels is None:
            return False
        at = bisect_left(self.owned_labels.unit, unit)
        return at < len(self.owned_labels) and self.owned_labels.unit[at] == unit

    def is_gold(self, unit: str) -> bool:
        """Whether the unit was drawn for gold."""
        found = self.place(unit)
        return found is not None and self.page(found[0]).adjudged[found[1]] > 0

    def is_handed(self, unit: str) -> bool:
        """Whether the unit was handed out."""
        found = self.place(unit)
        return found is not None and self.page(found[0]).batch[found[1]] > 0

    def is_handed_again(self, unit: str) -> bool:
        """Whether the unit was handed out a second time."""
        found = self.place(unit)
        return found is not None and self.page(found[0]).again[found[1]] > 0

    def is_resolved(self, unit: str) -> bool:
        """Whether every question about the unit has an answer, usable or not."""
        found = self.place(unit)
        return found is not None and self.page(found[0]).is_resolved(found[1])

    def waits(self, unit: str) -> bool:
        """Whether a unit was handed out a second time and no answer was recorded since."""
        found = self.place(unit)
        return found is not None and self.page(found[0]).waits(found[1])

    def wants_another(self, unit: str) -> bool:
        """Whether a unit is answered, and waits for another labeler's answer because two must answer it."""
        found = self.place(unit)
        if found is None:
            return False
        page, place = self.page(found[0]), found[1]
        return bool(page.second[place] and not page.twice[place] and page.is_resolved(place))

    def seats(self, unit: str) -> dict[Seat, Label]:
        """The current answers to a unit, by question and labeler."""
        found = self.place(unit)
        return {} if found is None else self.page(found[0]).seats_of(found[1])

    def gold_seats(self, unit: str) -> dict[Seat, Label]:
        """The adjudicated answers to a unit, by question."""
        found = self.place(unit)
        rows = [] if found is None else self.page(found[0]).gold.get(found[1], [])
        return {(row.question, GOLD): row.label(unit, gold=True) for row in rows}

    def units(self) -> Iterator[str]:
        """All drawn units, in asking order."""
        for number in range(len(self.pages)):
            yield from self.page(number).unit

    def units_from(self, unit: str, most: int) -> Iterator[str]:
        """At most so many units in asking order, beginning with the page of one and going round, then those in reserve."""
        found = self.place(unit)
        first = found[0] if found is not None else 0
        pages = [*range(first, len(self.pages)), *range(first)]
        drawn = (name for number in pages for name in self.page(number).unit)
        return islice(chain(drawn, self.reserve.unit if self.reserve is not None else ()), most)

    @property
    def batches(self) -> int:
        """Number of batches handed out."""
        return self.count.kinds.get("batch", 0)

    @property
    def planned(self) -> int:
        """Number of labels the current plan wants."""
        return labels_of(self.plans[-1]) if self.plans else 0

    @property
    def learns(self) -> bool:
        """Whether which units come next depends on answers."""
        return bool(self.plans) and self.plans[-1].learns

    @property
    def salt(self) -> str:
        """The study's salt."""
        return str(self.study.get("salt", ""))

    @property
    def rule(self) -> Any:
        """Which of several answers counts."""
        return self.study["rule"]

    # ---------------- entries about units

    def _draw(self, body: Mapping[str, Any]) -> None:
        drawn = Units.of_json(body["units"])
        self.load()
        self._load_units()
        self.redrawn = True
        if len(drawn) or not self.blocks:
            self.blocks.append(drawn)
        self.listed += len(drawn)
        new = [unit for unit in drawn.unit if unit not in self.positions]
        self.positions.update(zip(new, range(self.count.units, self.count.units + len(new)), strict=True))
        while new:
            number, filled = divmod(self.count.units, PAGE)
            if number == len(self.pages):
                self.pages.append(Page(len(self.questions)))
            some, new = new[: PAGE - filled], new[PAGE - filled :]
            page = self.own(number)
            page.extend(some)
            self.count.units += len(some)
            chosen = [place for place, unit in enumerate(some, start=filled) if self.double and is_double(self.salt, unit, self.double)]
            self.count.doubled += len(chosen)
            for place in chosen if self.rule != "first" else ():
                page.second[place] = 1
        self.count.gold_shown = False

    def _double(self, body: Mapping[str, Any]) -> None:
        self.load()
        self.count.doubled = 0
        for number in range(len(self.pages)):
            chosen = array("B", [is_double(self.salt, unit, self.double) for unit in self.page(number).unit])
            self.count.doubled += sum(chosen)
            if self.rule != "first":
                self.own(number).second = chosen

    def _gold(self, body: Mapping[str, Any]) -> None:
        for unit in body["units"]:
            found = self.place(unit)
            if found is not None:
                self.own(found[0]).adjudged[found[1]] |= CHOSEN
        if self.count.gold_shown:
            self.count.gold_after_look += len(body["units"])

    def _batch(self, body: Mapping[str, Any]) -> None:
        if not self.batch_plans or self.batch_plans[-1][1] != body["plan"]:
            self.batch_plans.append((body["number"], body["plan"]))
        self.listed += len(body["units"])
        for unit in body["units"]:
            found = self.place(unit)
            if found is None:
                continue
            page, place = self.own(found[0]), found[1]
            if page.batch[place]:
                page.again[place] = page.voices[place] + 1
            page.batch[place] = max(page.batch[place], body["number"])

    def _look(self, body: Mapping[str, Any]) -> None:
        self.count.shown = self.count.gold_shown = True
        self.count.peeked |= not body["certified"]

    def _plan(self, body: Mapping[str, Any]) -> None:
        if body["plan"].get("stopping", {}).get("kind") in ONLINE:
            self.count.shown = self.count.online = True

    def _extension(self, body: Mapping[str, Any]) -> None:
        self.load()
        self._load_units()
        self.redrawn = True
        units = join_units(self.blocks)
        self.blocks = [Units.of_json({**units.as_json(), **body["units"]})]
        for number in range(len(self.pages)):
            page = self.own(number)
            page.ask_more(len(self.questions))
            for place, rows in page.gold.items():
                page.adjudged[place] = CHOSEN | (TOLD if {row.question for row in rows} >= set(self.questions) else 0)

    def _answer(self, body: Mapping[str, Any]) -> None:
        self._told(body, is_correction=False)

    def _correction(self, body: Mapping[str, Any]) -> None:
        self._told(body, is_correction=True)

    def _told(self, body: Mapping[str, Any], *, is_correction: bool) -> None:
        found = self.place(body["unit"])
        row = seat_row(body["question"], body["labeler"], body["answer"], body["at"], body["row"])
        count = self.count
        if not body["gold"]:
            count.told += 1
            usable = row.answer not in UNANSWERED
            count.left_after_peek += count.peeked and not usable and not is_correction
            count.changed_after_look += count.shown and is_correction
        elif is_correction:
            count.changed_after_look += count.shown
        if found is None or row.question not in self.questions:
            return  # of a unit that was not drawn: verify names it
        page, place, q = self.own(found[0]), found[1], self.questions.index(row.question)
        if body["gold"]:
            self._tell_gold(page, place, row)
            return
        seats = page.seats[place]
        if not is_correction:
            self._mark(page.marks[q], place, usable=row.answer not in UNANSWERED)
        was_resolved = page.is_resolved(place)
        page.voices[place] += 1
        if not seats or all(seat.labeler != row.labeler for seat in seats):
            self.labelers[row.labeler] = self.labelers.get(row.labeler, 0) + 1
        count.closed += row.labeler == CLOSER
        mine = next((i for i, seat in enumerate(seats) if seat[:2] == row[:2]), None) if seats else None
        page.seats[place] = [*seats, row] if mine is None else [*seats[:mine], row, *seats[mine + 1 :]]
        self._count(page, place, q)
        if not was_resolved and page.is_resolved(place):
            count.elsewhere += not page.batch[place]

    def _mark(self, marks: "array[int]", place: int, *, usable: bool) -> None:
        """Whether an answer changes what counts after numbers were shown, and what that depends on."""
        count, mark = self.count, marks[place]
        if count.shown and usable and mark & KNOWN and not mark & SETTLED and not (count.online and self.rule == "first"):
            count.changed_after_look += 1
        mark |= 0 if count.shown else KNOWN
        mark |= SETTLED if usable and self.rule == "first" else 0
        marks[place] = mark

    def _count(self, page: Page, place: int, q: int) -> None:
        """Count the answers to a unit again, after one to question q."""
        rows = page.seats[place]
        if len(rows) == 1 and self.rule == "first":
            page.codes[q][place] = self.words.setdefault(rows[0].answer, len(self.words))
            return
        if len(self.questions) == 1:
            by_question = [[row.answer for row in rows]]
        else:
            by_question = [[row.answer for row in rows if row.question == question] for question in self.questions]
        counts = counted_answer(by_question[q], self.rule)
        page.codes[q][place] = self.words.setdefault(counts, len(self.words))
        if self.rule != "first":
            page.twice[place] = any(row.labeler == CLOSER for row in rows) or all(is_heard(said, self.rule) for said in by_question)
        if len(rows) == 1:
            return
        usable = [[answer for answer in said if answer not in UNANSWERED] for said in by_question]
        page.extra[place] = max(0, max(map(len, usable)) - 1)
        page.disputed[place] = any(len(set(said)) > 1 for said in usable)

    def _tell_gold(self, page: Page, place: int, row: SeatRow) -> None:
        """Take in an adjudicated answer: one per question, whoever gave it."""
        before = page.gold.get(place, [])
        self.count.gold_closed += (row.labeler == CLOSER) - sum(one.labeler == CLOSER for one in before if one.question == row.question)
        page.gold[place] = [*(one for one in before if one.question != row.question), row]
        if {one.question for one in page.gold[place]} >= set(self.questions):
            page.adjudged[place] |= TOLD

    # ---------------- one moment

    def standing(self, source: Source | None = None, guard: AbstractContextManager[object] | None = None) -> Standing:
        """The state at this moment; what is recorded later does not change it.

        source   where the pages that a snapshot holds are read from later, under `guard`; read all of them now if omitted
        """
        if source is None:
            self.load()
            self._load_units()
        self.disown()
        book = Book(
            self.pages,
            units=self.count.units,
            questions=len(self.questions),
            drawn=self.drawn_units(),
            kept=self.kept.at(source) if source is not None and self.kept is not None else None,
            fold=None if source is None else partial(folded, source, self.serial),
            guard=guard,
            counts=self.counts(),
        )
        count, profile = self.count, self._profile()
        return Standing(
            name=self.name,
            population=self.population,
            profile=profile,
            profiles=tuple(self.profiles) if len(self.profiles) > 1 else (),
            known=self.known,
            salt=self.salt,
            goals=self.goals,
            plans=tuple(self.plans),
            units=book.drawn(),
            drawn_plans=frozenset(self.drawn_plans),
            batches=self.batches,
            batch_plans=tuple(self.batch_plans),
            gold_units=tuple(self.gold_units),
            gold_share=self.gold_share,
            rule=self.rule,
            looks=tuple(self.looks),
            changed_after_look=count.changed_after_look,
            left_after_peek=count.left_after_peek,
            gold_after_look=count.gold_after_look,
            follows=self.study.get("follows"),
            number_rule=self.study.get("number_rule", "md5"),
            rounds=tuple(self.rounds),
            reserve=self.reserve,
            double_share=self.double,
            doubled_late=tuple(self.doubled_late),
            forms=tuple(self.forms),
            words=tuple(self.words),
            book=book,
            closed=count.closed + count.gold_closed,
            late=None if "late" not in self.study else Late.of_json(self.study["late"]),
            as_of=self.as_of or None,
            table=None if self.owned_labels is None else self.profiles[-1],
            owned=self.owned_labels,
            head=self.serial - sum(look.certified for look in self.looks),
            opened=frozenset(self.opened),
        )

    def _profile(self) -> Profile:
        """The profile, with the process that the table came from if the study is about that, and without units with known answers."""
        if self.rest is not None:
            return self.rest
        profile = self.profiles[-1]
        if self.study.get("about") == "process" and profile.process is None:
            self.profiles[-1] = profile = replace(profile, process=Process(self.clusters))
        return profile

    def counts(self) -> list[PageCounts]:
        """What is counted of each page."""
        self.disown()
        for number, page in enumerate(self.pages):
            if number not in self.counted:
                self.counted[number] = page.counts if page is not None else self._of_kept(number)
        return [self.counted[number] for number in range(len(self.pages))]

    def _of_kept(self, number: int) -> PageCounts:
        assert self.kept is not None  # only a snapshot leaves pages out
        return self.kept.counts(number)

    def _load_units(self) -> None:
        """Read the draws that the snapshot holds."""
        if self.kept is not None and not self.blocks and self.count.units:
            self.load()
            drawn = Book(self.pages, units=self.count.units, questions=len(self.questions), kept=self.kept).drawn()
            self.blocks = [drawn.read()] if isinstance(drawn, KeptUnits) else []

    def drawn_units(self) -> Units | None:
        """All drawn units, as far as they were read."""
        if len(self.blocks) > 1:
            self.blocks = [join_units(self.blocks)]
        return self.blocks[0] if self.blocks else None


def folded(source: Source, serial: int) -> Register:
    """The register of a study folded from its first entry to the one with that serial."""
    register = Register()
    for entry in source.since(0):
        if entry.serial > serial:
            break
        register.take(entry)
    return register


class EntryList:
    """Entries that were read already."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Keep the entries of a study, from the first."""
        self._entries = entries

    def hash_at(self, serial: int) -> str | None:
        """The hash of the entry with that serial."""
        return self._entries[serial - 1].hash if 0 < serial <= len(self._entries) else None

    def since(self, serial: int) -> Sequence[Entry]:
        """The entries after that serial."""
        return self._entries[serial:]

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """None: entries that were read have no snapshot."""
        return {}


def _plan_of(data: Mapping[str, Any]) -> Plan:
    """The plan of an entry. Its interval may come from a package not installed here, which is named when the interval is needed."""
    plan = Plan.of_json(data)
    if plan.interval_from is not None:
        note_origin("interval", plan.interval, plan.interval_from)
    return plan


def _whole(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return body


def _but_units(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in body.items() if name != "units"}


def _opened(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What is kept of an act of access: that somebody has opened the errors; nothing of any other, as there are many."""
    return {"person": body["person"]} if body.get("act") == ERRORS_OPENED else None


def _shown(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: body[name] for name in ("plan", "labels", "certified")}


def _drawn(body: Mapping[str, Any]) -> Mapping[str, Any]:
    kept = {name: body[name] for name in ("plan", "rate", "waiting") if name in body}
    return {**kept, "units": len(body["units"]["unit"])}


# What is kept of the entries about the study as a whole (None: nothing), and what every kind does to its units.
FRAMED: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any] | None]] = {
    "population": _whole, "known": _whole, "study": _whole, "plan": _whole, "look": _shown, "sheet": _whole, "double": _whole,
    "gold": _whole, "reserve": _whole, "draw": _drawn, "extension": _but_units, "as of": _whole,
    "access": _opened,
}  # fmt: skip
TAKING: Mapping[str, Callable[[Register, Mapping[str, Any]], None]] = {
    "plan": Register._plan,
    "draw": Register._draw,
    "gold": Register._gold,
    "double": Register._double,
    "batch": Register._batch,
    "look": Register._look,
    "extension": Register._extension,
    "answer": Register._answer,
    "correction": Register._correction,
}
