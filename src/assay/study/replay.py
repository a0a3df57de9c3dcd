"""State is a fold: from a study's entries to where it stands. Pure; resume, audit and undo are this one function.

Main path: population > profile > plan > draw > labels > estimate > decision > report
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from assay.errors import LedgerError, StudyError
from assay.estimators.agreement import TruthRule, truth_of
from assay.ledgers.base import UNREADABLE, Entry
from assay.nouns.draw import Units
from assay.nouns.goal import Goal
from assay.nouns.label import UNANSWERED, Label
from assay.nouns.plan import Plan
from assay.nouns.population import Population
from assay.nouns.profile import Profile
from assay.randomness import NumberRule

COUNTING_RULES: tuple[TruthRule, ...] = ("first", "majority", "unanimous")  # gold answers correct, they do not count
Seat: TypeAlias = tuple[str, str]  # a question and a labeler


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Units handed out together, in a shuffled order; `plan` is the plan they were asked under."""

    number: int
    plan: int
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Units asked at once in an online study: the probability of each band, and the steps that were without an answer at that time."""

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
    """Where a study stands.

    units    every unit drawn, in asking order
    answers  current answers by unit, then question and labeler, in the order they were first told
    gold     adjudicated answers by unit and question
    gold_units   units drawn at random to be adjudicated, `gold_share` of each side
    rule     which of several labelers' answers counts: first, majority or unanimous
    changed_after_look   answers corrected, or added to where the rule counts voices, after numbers had been shown
    gold_after_look      units drawn for gold after numbers of their plan had been shown
    profiles    those before the study took in a classifier or a goal, and the one it has; empty: it has taken in none
    known       classifiers it had before the last of these
    number_rule   how permanent numbers are made of the salt and an id
    rounds      of an online study: how its units were chosen, in asking order
    reserve     of an online study: the first units of each band by permanent number, from which the next are taken
    follows     the study whose permanent numbers and answers this one inherits; None: none
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
    gold_after_look: int = 0
    profiles: tuple[Profile, ...] = ()
    known: int = 0
    follows: str | None = None
    number_rule: NumberRule = "md5"
    rounds: tuple[Round, ...] = ()
    reserve: Units | None = None

    def read_population(self, table: object | None = None) -> Population:
        """The population, with its table if it lives in memory."""
        return Population.of_json(self.population, table=table)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        if not self.plans:
            raise StudyError(f"study {self.name!r} has no plan yet: plan it with a budget first")
        return self.plans[-1]

    @property
    def is_drawn(self) -> bool:
        """Whether the units of the plan in force are drawn."""
        return bool(self.plans) and self.plans[-1].number in self.drawn_plans

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers, in order."""
        return tuple(c["name"] for c in self.population["classifiers"])

    def position(self, classifier: str | None) -> int:
        """Where a classifier stands; the first for None."""
        return self.classifiers.index(self.read_population().classifier(classifier).name)

    def level_of(self, *classifiers: str) -> float:
        """The level of an interval about these classifiers at the look of the plan in force."""
        return 1 - (1 - self.goals[0].level) * self.plan.share_of(*classifiers)

    @property
    def apart(self) -> str | None:
        """What sets the draw apart from one by bands or strata about one question; None: nothing."""
        if len(self.classifiers) > 1 and (len(self.questions) > 1 or self.classes):
            return "several questions"
        if self.plan.pilot is not None:
            return "a pilot"
        return "a Poisson draw" if self.plan.design.poisson else None

    @property
    def questions(self) -> tuple[str, ...]:
        """What is asked about a unit, each once."""
        return tuple(dict.fromkeys(c["question"] for c in self.population["classifiers"]))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes an answer may name; empty where answers are yes or no."""
        return tuple(c["value"] for c in self.population["classifiers"] if c["value"] is not None)

    def told(self, unit: str, question: str | None = None) -> list[Label]:
        """The current answers to a question (the first, if not said), in the order they were first told."""
        asked = self.questions[0] if question is None else question
        return [label for (q, _), label in self.answers.get(unit, {}).items() if q == asked]

    def answer_of(self, unit: str, question: str | None = None) -> Label | None:
        """The answer that counts by the study's rule; one that says why there is none; None: unresolved.

        first: the first labeler's who could tell. majority: what more than half of the usable answers say. unanimous: what all say.
        """
        told = self.told(unit, question)
        usable = [label for label in told if label.answer not in UNANSWERED]
        if not usable or self.rule == "first":
            return next(iter(usable or told), None)
        says = truth_of([label.answer for label in usable], self.rule)
        return next((label for label in usable if label.answer == says), replace(usable[0], answer="cannot_tell"))

    def is_resolved(self, unit: str) -> bool:
        """Whether every question about the unit has an answer, if only that there is none."""
        return {question for question, _ in self.answers.get(unit, {})} >= set(self.questions)

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
    def gold_waiting(self) -> tuple[str, ...]:
        """Units drawn for gold with a question that has no gold answer yet."""
        return tuple(unit for unit in self.gold_units if any((unit, q) not in self.gold for q in self.questions))


def replay(entries: Sequence[Entry]) -> Standing:
    """Where a study stands after these entries."""
    by_kind: dict[str, list[Entry]] = {}
    for entry in entries:
        if UNREADABLE in entry.body:
            raise LedgerError(f"entry {entry.serial} ({entry.kind}, {entry.key}) was damaged: see assay verify, and restore the ledger")
        by_kind.setdefault(entry.kind, []).append(entry)
    if "study" not in by_kind:
        name = entries[0].study if entries else "?"
        raise StudyError(f"study {name!r} was not created completely: create it again")
    told = [Label.of_json(e.body) for e in entries if e.kind in ("answer", "correction")]
    population, study = by_kind["population"][0].body, by_kind["study"][0].body
    standing = Standing(
        name=entries[0].study,
        population=population["population"],
        profile=Profile.of_json(population["profile"]),
        salt=study["salt"],
        goals=tuple(Goal.of_json(g) for g in study["goals"]),
        plans=tuple(Plan.of_json(e.body["plan"]) for e in by_kind.get("plan", [])),
        batches=tuple(Batch(number=e.body["number"], plan=e.body["plan"], units=tuple(e.body["units"])) for e in by_kind.get("batch", [])),
        looks=tuple(Look(plan=e.body["plan"], labels=e.body["labels"], certified=e.body["certified"]) for e in by_kind.get("look", [])),
        changed_after_look=_changed_after_look(entries, study["rule"]),
        gold_after_look=_gold_after_look(entries),
        answers=_answers(told),
        gold={(label.unit, label.question): label for label in told if label.gold},
        gold_units=tuple(unit for e in by_kind.get("gold", []) for unit in e.body["units"]),
        gold_share=max((e.body["share"] for e in by_kind.get("gold", [])), default=0.0),
        rule=study["rule"],
        follows=study.get("follows"),
        number_rule=study.get("number_rule", "md5"),
    )
    for entry in entries:
        if entry.kind == "draw":
            standing = _with_draw(standing, entry.body)
        elif entry.kind == "reserve":
            standing = replace(standing, reserve=_added(standing.reserve, Units.of_json(entry.body["units"])))
        elif entry.kind == "extension":
            standing = extend_standing(standing, entry.body)
    return standing


def _with_draw(standing: Standing, body: Mapping[str, Any]) -> Standing:
    """The study with one more draw: of a whole plan, or of a round of an online one."""
    drawn = Units.of_json(body["units"])
    rounds = standing.rounds
    if "rate" in body:
        start = len(standing.units) if standing.units is not None else 0
        rounds = (*rounds, Round(start=start, units=len(drawn), rate=tuple(body["rate"]), waiting=tuple(body["waiting"])))
    return replace(standing, units=_added(standing.units, drawn), rounds=rounds, drawn_plans=standing.drawn_plans | {body["plan"]})


def _added(held: Units | None, more: Units) -> Units:
    """The units held, and those that were added."""
    if held is None:
        return more
    return _join([held, more]) if len(more) else held


def extend_standing(standing: Standing, body: Mapping[str, Any]) -> Standing:
    """The study with what an extension took in: the units drawn so far carry the decisions of the new classifiers too."""
    profile, units = Profile.of_json(body["profile"]), standing.units
    assert units is not None  # a study is extended only once drawn
    again = Units.of_json({**units.as_json(), **body["units"]})
    return replace(
        standing,
        population=body["population"],
        profile=profile,
        profiles=(*(standing.profiles or (standing.profile,)), profile),
        known=len(standing.population["classifiers"]),
        goals=tuple(Goal.of_json(g) for g in body["goals"]),
        units=again,
    )


def _changed_after_look(entries: Sequence[Entry], rule: TruthRule) -> int:
    """How many corrections came after numbers had been shown; under a rule that counts voices also every voice added to others."""
    known: set[tuple[str, str]] = set()
    shown, changed = False, 0
    for entry in entries:
        if entry.kind == "look":
            shown = True
        elif entry.kind == "correction":
            changed += shown
        elif entry.kind == "answer" and not entry.body["gold"] and rule != "first":
            asked = (entry.body["unit"], entry.body["question"])
            changed += shown and asked in known and entry.body["answer"] not in UNANSWERED
            known |= set() if shown else {asked}
    return changed


def _gold_after_look(entries: Sequence[Entry]) -> int:
    """How many units were drawn for gold when numbers of the plan in force had been shown."""
    shown, drawn = False, 0
    for entry in entries:
        shown = entry.kind == "look" or (shown and entry.kind != "draw")
        drawn += len(entry.body["units"]) if shown and entry.kind == "gold" else 0
    return drawn


def _answers(told: Sequence[Label]) -> dict[str, dict[Seat, Label]]:
    """Current answers by unit, question and labeler: a correction replaces the same labeler's answer and keeps its place."""
    answers: dict[str, dict[Seat, Label]] = {}
    for label in told:
        if not label.gold:
            answers.setdefault(label.unit, {})[label.question, label.labeler] = label
    return answers


def _join(draws: Sequence[Units]) -> Units:
    """The units of all draws, in asking order: later plans only add."""
    return Units(
        unit=tuple(unit for draw in draws for unit in draw.unit),
        number=np.concatenate([d.number for d in draws]),
        band=np.concatenate([d.band for d in draws]),
        guide_bin=np.concatenate([d.guide_bin for d in draws]),
        pattern=np.concatenate([d.pattern for d in draws]),
        slice=np.concatenate([d.slice for d in draws]),
        scores=np.concatenate([d.scores for d in draws]),
        weight=np.concatenate([d.weight for d in draws if d.weight is not None]) if draws[0].weight is not None else None,
    )
