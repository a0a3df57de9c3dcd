"""State is a fold: from a study's entries to where it stands. Pure; resume, audit and undo are this one function.

Main path: population > profile > plan > draw > labels > estimate > decision > report
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.errors import LedgerError, StudyError
from assay.ledgers.base import UNREADABLE, Entry
from assay.nouns.draw import Units
from assay.nouns.goal import Goal
from assay.nouns.label import UNANSWERED, Label
from assay.nouns.plan import Plan
from assay.nouns.population import Population
from assay.nouns.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Units handed out together, in a shuffled order; `plan` is the plan they were asked under."""

    number: int
    plan: int
    units: tuple[str, ...]


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
    answers  current answers by unit, then labeler, in the order they were first told
    changed_after_look   corrections told after numbers had been shown
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
    answers: Mapping[str, Mapping[str, Label]] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()
    changed_after_look: int = 0

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

    def answer_of(self, unit: str) -> Label | None:
        """The answer that counts: the first labeler's who could tell; else the first one that says why not; None: unresolved."""
        told = list(self.answers.get(unit, {}).values())
        usable = [label for label in told if label.answer not in UNANSWERED]
        return next(iter(usable or told), None)

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
        return tuple(u for u in (self.units.unit if self.units else ()) if u not in self.answers)


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
        changed_after_look=_changed_after_look(entries),
        answers=_answers([e for e in entries if e.kind in ("answer", "correction")]),
    )
    draws = by_kind.get("draw", [])
    if not draws:
        return standing
    return replace(
        standing, units=_join([Units.of_json(e.body["units"]) for e in draws]), drawn_plans=frozenset(e.body["plan"] for e in draws)
    )


def _changed_after_look(entries: Sequence[Entry]) -> int:
    """How many corrections came after numbers had been shown."""
    first = next((entry.serial for entry in entries if entry.kind == "look"), None)
    return 0 if first is None else sum(entry.kind == "correction" and entry.serial > first for entry in entries)


def _answers(entries: Sequence[Entry]) -> dict[str, dict[str, Label]]:
    """Current answers by unit and labeler: a correction replaces the same labeler's answer and keeps its place."""
    answers: dict[str, dict[str, Label]] = {}
    for entry in entries:
        label = Label.of_json(entry.body)
        answers.setdefault(label.unit, {})[label.labeler] = label
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
    )
