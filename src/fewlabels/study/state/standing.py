"""The state of a study: everything its entries say, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from fewlabels.errors import StudyError
from fewlabels.estimators.agreement import TruthRule, truth_of
from fewlabels.nouns.draw import Units
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.label import CLOSER, UNANSWERED, Label
from fewlabels.nouns.plan import Kind, Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.sheet import FormSet
from fewlabels.nouns.works_with import Trait
from fewlabels.randomness import NumberRule, is_double

COUNTING_RULES: tuple[TruthRule, ...] = ("first", "majority", "unanimous")  # gold answers correct the others, they are not counted
KIND_TRAITS: dict[Kind, Trait] = {
    "one look": Trait.ONE_LOOK,
    "growth": Trait.GROWTH,
    "planned looks": Trait.LOOKS,
    "online": Trait.ONLINE,
}
Seat: TypeAlias = tuple[str, str]  # a question and a labeler


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
    gold     adjudicated answers by unit and question
    gold_units   units drawn at random to be adjudicated, `gold_share` of each side
    rule     which of several labelers' answers counts: first, majority or unanimous
    changed_after_look   number of answers corrected, or added if the rule counts votes, after numbers had been shown
    left_after_peek      number of unusable answers recorded after a peek
    gold_after_look      number of units drawn for gold after numbers of their plan had been shown
    profiles    the profiles before each extension, and the current one; empty if the study was not extended
    known       number of classifiers before the last extension
    number_rule   how permanent numbers are computed from the salt and an id
    rounds      in an online study: how its units were chosen, in asking order
    voices      number of answers recorded for each unit, including corrections and repeats
    handed_again   units handed out a second time, with the number of answers they had then
    double_share   share of the units that two labelers answer, by design
    doubled_late   each larger share set after the first answer, with the number of answers by then
    reserve     in an online study: the first units of each band by permanent number, from which the next are taken
    forms       the labeling forms recorded, in order
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
    batches: tuple[Batch, ...] = ()
    answers: Mapping[str, Mapping[Seat, Label]] = field(default_factory=dict)
    gold: Mapping[tuple[str, str], Label] = field(default_factory=dict)
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
    voices: Mapping[str, int] = field(default_factory=dict)
    handed_again: Mapping[str, int] = field(default_factory=dict)
    reserve: Units | None = None
    double_share: float = 0.0
    doubled_late: tuple[tuple[float, int], ...] = ()
    forms: tuple[FormSet, ...] = ()

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
        }
        if self.plans:
            plan = self.plan
            has |= {KIND_TRAITS[plan.kind]: True, Trait.PILOT: plan.pilot is not None, Trait.POISSON: plan.design.poisson}
        return tuple(trait for trait in Trait if has.get(trait, False))

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions asked about a unit, without duplicates."""
        return tuple(dict.fromkeys(c["question"] for c in self.population["classifiers"]))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes an answer may name; empty if answers are yes or no."""
        return tuple(c["value"] for c in self.population["classifiers"] if c["value"] is not None)

    def told(self, unit: str, question: str | None = None) -> list[Label]:
        """The current answers to a question (by default the first), in the order they were first recorded."""
        asked = self.questions[0] if question is None else question
        return [label for (q, _), label in self.answers.get(unit, {}).items() if q == asked]

    def answer_of(self, unit: str, question: str | None = None) -> Label | None:
        """The answer that counts by the study's rule, or one that says why there is none; None if unresolved.

        first: the first usable answer. majority: what more than half of the usable answers say. unanimous: what all of them say.
        """
        told = self.told(unit, question)
        usable = [label for label in told if label.answer not in UNANSWERED]
        if not usable or self.rule == "first":
            return next(iter(usable or told), None)
        says = truth_of([label.answer for label in usable], self.rule)
        return next((label for label in usable if label.answer == says), replace(usable[0], answer="cannot_tell"))

    def is_resolved(self, unit: str) -> bool:
        """Whether every question about the unit has an answer, usable or not."""
        return {question for question, _ in self.answers.get(unit, {})} >= set(self.questions)

    def was_told_again(self, unit: str) -> bool:
        """Whether an answer was recorded after the unit was handed out a second time."""
        return unit in self.handed_again and self.voices.get(unit, 0) > self.handed_again[unit]

    def waits_again(self, unit: str) -> bool:
        """Whether the unit was handed out a second time and no answer was recorded since."""
        return unit in self.handed_again and not self.was_told_again(unit)

    @property
    def shown_plans(self) -> frozenset[int]:
        """The plans under which numbers were shown, at their look or by a peek."""
        return frozenset(look.plan for look in self.looks)

    @property
    def asked(self) -> frozenset[str]:
        """Units handed out in any batch."""
        return frozenset(unit for batch in self.batches for unit in batch.units)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Drawn units without any answer, in asking order."""
        return tuple(u for u in (self.units.unit if self.units else ()) if not self.is_resolved(u))

    @property
    def second_looks(self) -> tuple[str, ...]:
        """Drawn units whose second look the study waits for: those chosen for one, if the rule counts votes."""
        if self.rule == "first" or not self.double_share or self.units is None:
            return ()
        return tuple(unit for unit in self.units.unit if is_double(self.salt, unit, self.double_share))

    def was_seen_twice(self, unit: str) -> bool:
        """Whether two labelers (three if a majority needs it) have answered every question about a unit, or it was closed."""
        if any(labeler == CLOSER for _, labeler in self.answers.get(unit, {})):
            return True
        return all(self._is_heard(self.told(unit, question)) for question in self.questions)

    def _is_heard(self, told: Sequence[Label]) -> bool:
        """Whether a question has as many answers as the rule needs: two, and a third if those differ under the majority rule."""
        usable = [label.answer for label in told if label.answer not in UNANSWERED]
        return len(told) > 1 and not (self.rule == "majority" and len(told) == 2 and len(set(usable)) > 1)

    @property
    def gold_waiting(self) -> tuple[str, ...]:
        """Units drawn for gold with a question that has no gold answer yet."""
        return tuple(unit for unit in self.gold_units if any((unit, q) not in self.gold for q in self.questions))
