"""The state needed to record answers, updated entry by entry, so that the cost depends on the new answers and not on those before.

`replay` is the fold that numbers are read from; this one is kept between transactions. Both see the same entries; a test compares them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fewlabels.errors import LedgerError, StudyError
from fewlabels.ledgers.base import UNREADABLE, Entry
from fewlabels.nouns.label import GOLD, Label
from fewlabels.nouns.plan import Plan
from fewlabels.nouns.population import Population
from fewlabels.nouns.sheet import FormSet
from fewlabels.study.state.progress import labels_of
from fewlabels.study.state.standing import Seat


class Register:
    """The questions of a study, its drawn units, and the current answers to each.

    answers   by unit, then question and labeler; `gold` the same for adjudicated ones, all under one labeler
    resolved  units with an answer to every question; the current plan wants `planned` of them
    voices, handed, handed_again   as in `Standing`
    """

    def __init__(self) -> None:
        """Start without entries."""
        self._begin()

    def _begin(self) -> None:
        """Forget all entries."""
        self._followed, self._last = 0, ""  # how many entries, and the hash of the last
        self.questions: tuple[str, ...] = ()
        self.classes: tuple[str, ...] = ()
        self.drawn: dict[str, None] = {}  # in asking order
        self.gold_units: set[str] = set()
        self.double: float = 0.0
        self.answers: dict[str, dict[Seat, Label]] = {}
        self.gold: dict[str, dict[Seat, Label]] = {}
        self.voices: dict[str, int] = {}
        self.handed: dict[str, None] = {}  # in the order handed out, which reveals nothing about scores
        self.hidden: frozenset[str] = frozenset()  # columns no labeler may see
        self.elsewhere = 0  # units resolved before they were handed out
        self.looks = 0  # distinct pairs of labeler and unit
        self.handed_again: dict[str, int] = {}
        self.resolved: set[str] = set()
        self.planned = 0
        self.plans = 0
        self.learns = False  # whether which units come next depends on answers
        self.told = 0
        self.salt = ""
        self.forms: list[FormSet] = []

    def follow(self, entries: Sequence[Entry]) -> "Register":
        """Update the register with all entries of the study; start over if they do not continue those followed."""
        if self._followed and (len(entries) < self._followed or entries[self._followed - 1].hash != self._last):
            self._begin()  # a transaction was undone, or the ledger restored: nothing kept is valid
        for entry in entries[self._followed :]:
            self._take(entry)
        if not self.salt:
            raise StudyError("the study was not created completely: create it again")
        return self

    def waits(self, unit: str) -> bool:
        """Whether a unit was handed out a second time and no answer was recorded since."""
        return unit in self.handed_again and self.voices.get(unit, 0) <= self.handed_again[unit]

    def _take(self, entry: Entry) -> None:
        if UNREADABLE in entry.body:
            raise LedgerError(f"entry {entry.serial} ({entry.kind}, {entry.key}) was damaged: see fewlabels verify, and restore the ledger")
        taking = TAKING.get(entry.kind)
        if taking is not None:
            taking(self, entry.body)
        self._followed, self._last = self._followed + 1, entry.hash

    def _population(self, body: Mapping[str, Any]) -> None:
        classifiers: Sequence[Mapping[str, Any]] = body["population"]["classifiers"]
        self.questions = tuple(dict.fromkeys(c["question"] for c in classifiers))
        self.classes = tuple(c["value"] for c in classifiers if c["value"] is not None)
        self.hidden = Population.of_json(body["population"]).hidden_columns

    def _study(self, body: Mapping[str, Any]) -> None:
        self.salt = body["salt"]

    def _draw(self, body: Mapping[str, Any]) -> None:
        self.drawn |= dict.fromkeys(body["units"]["unit"])

    def _gold(self, body: Mapping[str, Any]) -> None:
        self.gold_units |= set(body["units"])

    def _double(self, body: Mapping[str, Any]) -> None:
        self.double = max(self.double, body["share"])

    def _batch(self, body: Mapping[str, Any]) -> None:
        self.handed_again |= {unit: self.voices.get(unit, 0) for unit in body["units"] if unit in self.handed}
        self.handed |= dict.fromkeys(body["units"])

    def _answer(self, body: Mapping[str, Any]) -> None:
        label = Label.of_json(body)
        if label.gold:
            self.gold.setdefault(label.unit, {})[label.question, GOLD] = label
            return
        self.told += 1
        self.voices[label.unit] = self.voices.get(label.unit, 0) + 1
        seats = self.answers.setdefault(label.unit, {})
        self.looks += all(labeler != label.labeler for _, labeler in seats)
        seats[label.question, label.labeler] = label
        if len(self.questions) == 1 or {question for question, _ in seats} >= set(self.questions):
            self.elsewhere += label.unit not in self.resolved and label.unit not in self.handed
            self.resolved.add(label.unit)

    def _sheet(self, body: Mapping[str, Any]) -> None:
        self.forms.append(FormSet.of_json(body, answers=self.told))

    def _plan(self, body: Mapping[str, Any]) -> None:
        plan = Plan.of_json(body["plan"])
        self.planned, self.plans, self.learns = labels_of(plan), self.plans + 1, plan.learns


TAKING: Mapping[str, Callable[[Register, Mapping[str, Any]], None]] = {
    "population": Register._population,
    "extension": Register._population,
    "study": Register._study,
    "plan": Register._plan,
    "draw": Register._draw,
    "gold": Register._gold,
    "double": Register._double,
    "batch": Register._batch,
    "sheet": Register._sheet,
    "answer": Register._answer,
    "correction": Register._answer,
}
