"""The state of a study: everything its entries say, as plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fewlabels.errors import StudyError
from fewlabels.estimators.agreement import TruthRule, truth_of
from fewlabels.nouns.arrays import BoolArray, IntArray
from fewlabels.nouns.draw import Units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.label import UNANSWERED, Label
from fewlabels.nouns.late import Arrivals, Late
from fewlabels.nouns.plan import Kind, Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.sheet import FormSet
from fewlabels.nouns.works_with import Trait
from fewlabels.randomness import NumberRule
from fewlabels.study.state.book import Book
from fewlabels.study.state.pages import CODES, Page, PageCounts, Seat, add_counts, count_rows

COUNTING_RULES: tuple[TruthRule, ...] = ("first", "majority", "unanimous")  # gold answers correct the others, they are not counted
KIND_TRAITS: dict[Kind, Trait] = {
    "one look": Trait.ONE_LOOK,
    "growth": Trait.GROWTH,
    "planned looks": Trait.LOOKS,
    "online": Trait.ONLINE,
}


def counted_answer(told: Sequence[str], rule: TruthRule) -> str:
    """The answer that counts of those to one question, in the order recorded; without a usable one, the first."""
    usable = [answer for answer in told if answer not in UNANSWERED]
    return truth_of(usable, rule) if usable else told[0]


def is_heard(told: Sequence[str], rule: TruthRule) -> bool:
    """Whether a question has as many answers as the rule needs: two, and a third if those differ under the majority rule."""
    usable = {answer for answer in told if answer not in UNANSWERED}
    return len(told) > 1 and not (rule == "majority" and len(told) == 2 and len(usable) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Units handed out together, in a shuffled order; `plan` is the plan they were asked under.

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> batch = small_study(labeled=False).ask(5)
        >>> batch.number, batch.plan, len(batch.units)
        (1, 1, 5)
    """

    number: int
    plan: int
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Units asked at once in an online study: the probability of each band, and the steps without an answer at that time."""

    start: int
    units: int
    rate: tuple[float, ...]
    waiting: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A moment at which numbers were shown. `certified` is False for a peek."""

    plan: int
    labels: int
    certified: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """The state of a study.

    units    every unit drawn, in asking order
    answers  current answers by unit, then question and labeler, in the order they were first recorded
    gold_units   units drawn at random to be adjudicated, `gold_share` of each side
    rule     which of several labelers' answers counts: first, majority or unanimous
    changed_after_look   number of answers corrected, or added if the rule counts votes, after numbers had been shown
    left_after_peek      number of unusable answers recorded after a peek
    gold_after_look      number of units drawn for gold after numbers of their plan had been shown
    profiles    the profiles before each extension, and the current one; empty if the study was not extended
    known       number of classifiers before the last extension
    number_rule   how permanent numbers are computed from the salt and an id
    rounds      in an online study: how its units were chosen, in asking order
    double_share   share of the units that two labelers answer, by design
    doubled_late   each larger share set after the first answer, with the number of answers by then
    reserve     in an online study: the first units of each band by permanent number, from which the next are taken
    forms       the labeling forms recorded, in order
    book        the drawn units with their answers
    words       the answers given, each at the place that is its code; see CODES
    closed      number of answers, gold included, that were recorded because the study was closed
    late        what was said beforehand about answers that arrive by themselves; None if they do not
    as_of       the day until which such answers are recorded; None before the first
    table       the profile of all units, if `profile` leaves out those with known answers
    owned       the known answers, if there are any
    head        how many entries it may depend on: all but certified looks, which change nothing
    opened      people who have opened the errors of the study, and label it no more
    follows     the study whose permanent numbers and answers this one inherits, if any
    """

    name: str
    population: Mapping[str, Any]
    profile: Profile
    salt: str
    goals: tuple[Goal, ...]
    plans: tuple[Plan, ...] = ()
    units: Units | None = None
    drawn_plans: frozenset[int] = frozenset()
    batches: int = 0
    batch_plans: tuple[tuple[int, int], ...] = ()
    gold_units: tuple[str, ...] = ()
    gold_share: float = 0.0
    rule: TruthRule = "first"
    looks: tuple[Look, ...] = ()
    changed_after_look: int = 0
    left_after_peek: int = 0
    gold_after_look: int = 0
    profiles: tuple[Profile, ...] = ()
    known: int = 0
    follows: str | None = None
    number_rule: NumberRule = "md5"
    rounds: tuple[Round, ...] = ()
    reserve: Units | None = None
    double_share: float = 0.0
    doubled_late: tuple[tuple[float, int], ...] = ()
    forms: tuple[FormSet, ...] = ()
    words: tuple[str, ...] = CODES
    book: Book = field(default_factory=Book)
    closed: int = 0
    late: Late | None = None
    as_of: str | None = None
    table: Profile | None = None
    owned: KnownLabels | None = None
    head: int = 0
    opened: frozenset[str] = frozenset()

    @property
    def counted_profile(self) -> Profile:
        """The profile as it was counted: of all units, those with known answers included."""
        return self.profile if self.table is None else self.table

    def read_population(self, table: object | None = None) -> Population:
        """The population, with its table if it is held in memory."""
        return Population.of_json(self.population, table=table)

    @property
    def plan(self) -> Plan:
        """The current plan."""
        if not self.plans:
            raise StudyError(f"study {self.name!r} has no plan yet: plan it with a budget first")
        return self.plans[-1]

    @property
    def held(self) -> int:
        """Number of units in reserve."""
        return len(self.reserve) if self.reserve is not None else 0

    @property
    def is_drawn(self) -> bool:
        """Whether the units of the current plan are drawn."""
        return bool(self.plans) and self.plans[-1].number in self.drawn_plans

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers, in order."""
        return tuple(c["name"] for c in self.population["classifiers"])

    def position(self, classifier: str | None) -> int:
        """The position of a classifier; that of the first for None."""
        return self.classifiers.index(self.read_population().classifier(classifier).name)

    def level_of(self, *classifiers: str) -> float:
        """The level of an interval for these classifiers at the look of the current plan."""
        return 1 - (1 - self.goals[0].level) * self.plan.share_of(*classifiers)

    @property
    def traits(self) -> tuple[Trait, ...]:
        """What distinguishes the study from one look at a draw by bands with one question, in the order of `Trait`; see `capabilities`."""
        has = {
            Trait.QUESTIONS: len(self.classifiers) > 1 and (len(self.questions) > 1 or bool(self.classes)),
            Trait.GOLD: bool(self.gold_units),
            Trait.VOICES: self.rule != "first",
            Trait.FOLLOWS: self.follows is not None,
            Trait.EXTENSION: bool(self.profiles),
            Trait.PROCESS: self.about == "process",
            Trait.CLUSTERS: self.population.get("cluster") is not None,
            Trait.LATE: self.late is not None,
            Trait.KNOWN: self.owned is not None,
        }
        if self.plans:
            plan = self.plan
            has |= {KIND_TRAITS[plan.kind]: True, Trait.PILOT: plan.pilot is not None, Trait.POISSON: plan.design.poisson}
            has[Trait.ELSEWHERE] = plan.elsewhere is not None
        return tuple(trait for trait in Trait if has.get(trait, False))

    @property
    def about(self) -> About:
        """What its numbers are about: the units of the table, or the process that it came from."""
        return "table" if self.profile.process is None else "process"

    @property
    def arrivals(self) -> Arrivals | None:
        """How earlier positives had arrived by the age of what is recorded; None if a missing answer means nothing."""
        return None if self.late is None or self.as_of is None else self.late.arrivals(self.as_of)

    @property
    def waits(self) -> BoolArray:
        """Which units of the draw have no answer yet that may still arrive by itself."""
        come = self.arrivals
        if come is None or self.units is None:
            return np.zeros(self.rows, dtype=np.bool_)
        flagged = (self.units.pattern & 1).astype(np.bool_)
        return np.asarray(~self.resolved & np.where(flagged, come.flagged is not None, come.unflagged is not None))

    @property
    def only_arriving(self) -> bool:
        """Whether nobody is asked any more, but answers may still arrive by themselves."""
        open_ = self.late is not None and (self.as_of or "") < self.late.until
        return open_ and self.rows > 0 and bool(self.waits.any()) and bool((self.resolved | self.waits).all())

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions asked about a unit, without duplicates."""
        return tuple(dict.fromkeys(c["question"] for c in self.population["classifiers"]))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes an answer may name; empty if answers are yes or no."""
        return tuple(c["value"] for c in self.population["classifiers"] if c["value"] is not None)

    def counted(self, question: str | None = None) -> IntArray:
        """The code of the answer that counts to a question (by default the first) about each unit of the draw, in asking order."""
        row = 0 if question is None else self.questions.index(question)
        return self.book.codes(row)[: self.rows]

    @property
    def rows(self) -> int:
        """Number of units of the draw."""
        return len(self.units) if self.units is not None else 0

    @property
    def whole(self) -> PageCounts:
        """What is counted of all units, also of those beyond the draw of an earlier look."""
        return add_counts(self.book.counts)

    @property
    def counts(self) -> PageCounts:
        """What is counted of the units of the draw."""
        if self.rows == self.book.units:
            return self.whole
        return count_rows([self.counted(question) for question in self.questions], self.column)

    def code_of(self, answer: str) -> int:
        """The code of an answer; one that no answer has if nobody gave it."""
        return self.words.index(answer) if answer in self.words else len(self.words)

    @property
    def resolved(self) -> BoolArray:
        """Which units of the draw have an answer to every question, usable or not."""
        found = np.ones(self.rows, dtype=np.bool_)
        for question in self.questions:
            found &= self.counted(question) > 0
        return found

    def column(self, name: str) -> IntArray:
        """What is counted of each unit of the draw: a column of `Page`."""
        return self.book.column(name)[: self.rows]

    def place(self, unit: str) -> tuple[Page, int] | None:
        """The page of a drawn unit, and its place there."""
        return self.book.place(unit)

    @property
    def gold(self) -> Mapping[tuple[str, str], Label]:
        """The adjudicated answers by unit and question."""
        return self.book.gold() if self.gold_units else {}

    @property
    def answers(self) -> Mapping[str, Mapping[Seat, Label]]:
        """The current answers by unit, question and labeler; units in asking order."""
        return TellsByUnit(self)

    @property
    def shared(self) -> list[str]:
        """The units of the draw with more than one usable answer to a question, in asking order."""
        return [self.units.unit[i] for i in np.flatnonzero(self.column("extra")).tolist()] if self.units is not None else []

    def told(self, unit: str, question: str | None = None) -> list[Label]:
        """The current answers to a question (by default the first), in the order they were first recorded."""
        asked = self.questions[0] if question is None else question
        found = self.place(unit)
        return [] if found is None else [row.label(unit) for row in found[0].seats[found[1]] if row.question == asked]

    def is_told(self, unit: str, question: str) -> bool:
        """Whether an answer to a question counts as recorded: one given before the unit was handed out again does not."""
        return bool(self.told(unit, question)) and not self.waits_again(unit)

    def answer_of(self, unit: str, question: str | None = None) -> Label | None:
        """The answer that counts by the study's rule, or one that says why there is none; None if unresolved.

        first: the first usable answer. majority: what more than half of the usable answers say. unanimous: what all of them say.
        """
        told = self.told(unit, question)
        usable = [label for label in told if label.answer not in UNANSWERED]
        if not told:
            return None
        says = counted_answer([label.answer for label in told], self.rule)
        return next((label for label in told if label.answer == says), None) or replace(usable[0], answer=says)

    def is_resolved(self, unit: str) -> bool:
        """Whether every question about the unit has an answer, usable or not."""
        found = self.place(unit)
        return found is not None and found[0].is_resolved(found[1])

    def was_told_again(self, unit: str) -> bool:
        """Whether an answer was recorded after the unit was handed out a second time."""
        found = self.place(unit)
        return found is not None and found[0].again[found[1]] > 0 and not found[0].waits(found[1])

    def has_answered(self, unit: str, labeler: str) -> bool:
        """Whether a labeler has answered a question about a unit."""
        found = self.place(unit)
        return found is not None and any(row.labeler == labeler for row in found[0].seats[found[1]])

    def batch_of(self, unit: str) -> int:
        """The newest batch in which the unit was handed out; 0 if in none."""
        found = self.place(unit)
        return 0 if found is None else found[0].batch[found[1]]

    def is_handed_again(self, unit: str) -> bool:
        """Whether the unit was handed out a second time."""
        found = self.place(unit)
        return found is not None and found[0].again[found[1]] > 0

    def waits_again(self, unit: str) -> bool:
        """Whether the unit was handed out a second time and no answer was recorded since."""
        return self.is_handed_again(unit) and not self.was_told_again(unit)

    @property
    def shown_plans(self) -> frozenset[int]:
        """The plans under which numbers were shown, at their look or by a peek."""
        return frozenset(look.plan for look in self.looks)

    @property
    def is_second(self) -> BoolArray:
        """Which units of the draw two labelers must answer, if the rule counts votes."""
        return np.asarray(self.column("second") > 0)

    @property
    def asked(self) -> frozenset[str]:
        """Units handed out in any batch."""
        names = self.book.names
        return frozenset(names[at] for at in np.flatnonzero(self.book.column("batch")).tolist())

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Drawn units without any answer, in asking order."""
        return tuple(self.units.unit[i] for i in np.flatnonzero(~self.resolved).tolist()) if self.units is not None else ()

    def open_units(self) -> Iterator[str]:
        """Units handed out and not resolved, in asking order."""
        for page in self.book.pages_with(lambda counts: counts.open):
            yield from (u for i, u in enumerate(page.unit) if page.batch[i] and not page.is_resolved(i))

    def fresh_units(self) -> Iterator[str]:
        """Units neither handed out nor resolved, in asking order."""
        for page in self.book.pages_with(lambda counts: counts.fresh):
            yield from (u for i, u in enumerate(page.unit) if not page.batch[i] and not page.is_resolved(i))

    def lacking_second(self) -> Iterator[str]:
        """Units that two labelers must answer and have not, in asking order."""
        for page in self.book.pages_with(lambda counts: counts.second - counts.twice):
            yield from (u for i, u in enumerate(page.unit) if page.second[i] and not page.twice[i])

    @property
    def second_looks(self) -> tuple[str, ...]:
        """Drawn units whose second look the study waits for: those chosen for one, if the rule counts votes."""
        return tuple(self.units.unit[i] for i in np.flatnonzero(self.is_second).tolist()) if self.units is not None else ()

    def was_seen_twice(self, unit: str) -> bool:
        """Whether two labelers (three if a majority needs it) have answered every question about a unit, or it was closed."""
        found = self.place(unit)
        return found is not None and found[0].twice[found[1]] > 0

    @property
    def gold_waiting(self) -> tuple[str, ...]:
        """Units drawn for gold with a question that has no gold answer yet."""
        return tuple(unit for unit in self.gold_units if any((unit, q) not in self.gold for q in self.questions))


class TellsByUnit(Mapping[str, Mapping[Seat, Label]]):
    """The current answers of a study, by unit in asking order; labels are made when they are asked for."""

    def __init__(self, standing: Standing) -> None:
        """Read the pages of a standing."""
        self._standing = standing

    def __getitem__(self, unit: str) -> Mapping[Seat, Label]:
        """The answers to a unit that has one."""
        found = self._standing.place(unit)
        if found is None or not found[0].seats[found[1]]:
            raise KeyError(unit)
        return found[0].seats_of(found[1])

    def __iter__(self) -> Iterator[str]:
        """The units that have an answer."""
        for page in self._standing.book.pages():
            yield from (unit for unit, seats in zip(page.unit, page.seats, strict=True) if seats)

    def __len__(self) -> int:
        """How many units have an answer."""
        return self._standing.whole.voiced
