"""Which turns come next: a look at every unit handed out, a second look at some by design, checks, and units in dispute."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from fewlabels.ledgers.base import Writing
from fewlabels.nouns.label import CLOSER, UNANSWERED
from fewlabels.nouns.turn import Turn, UnitTurns
from fewlabels.randomness import is_double
from fewlabels.study.state.register import Register


def next_turns(act: Writing, register: Register, of: Sequence[str] | None = None, *, now: float) -> list[Turn]:
    """The next turns of some units, or of all: first looks, another at those handed out again, and second looks by design."""
    known = act.turns(of)
    units = list(register.units() if of is None else of)
    handed = [unit for unit in units if register.is_handed(unit)]
    ready = [Turn(unit, 1) for unit in handed if unit not in known and not register.is_resolved(unit)]
    open_again = [unit for unit in handed if register.waits(unit) and not known.get(unit, UnitTurns()).waiting]
    again = [unit for unit in open_again if not register.wants_another(unit)]  # of those that do, the second look is by somebody else
    ready += [Turn(unit, known.get(unit, UnitTurns()).newest + 1, "again") for unit in again if unit in known or register.is_resolved(unit)]
    if register.double:
        ready += _doubles(register, [unit for unit in units if register.is_handed(unit) or register.is_resolved(unit)], known, now=now)
    return sorted(ready, key=lambda turn: _order(register.salt, f"{turn.unit}:{turn.number}"))


def _order(salt: str, name: str) -> bytes:
    """Sort key of a turn among those made ready with it; the order reveals neither the score nor which look it is."""
    return hashlib.md5(f"{salt}:turn:{name}".encode(), usedforsecurity=False).digest()


def _doubles(register: Register, handed: Sequence[str], known: Mapping[str, UnitTurns], *, now: float) -> list[Turn]:
    """Second looks at units chosen by design that one labeler has seen or will see."""
    ready: list[Turn] = []
    for unit in handed:
        labelers = {who for _, who in register.seats(unit)}
        if known.get(unit, UnitTurns()).newest > 1 or len(labelers) > 1 or CLOSER in labelers:
            continue
        if is_double(register.salt, unit, register.double):
            ready += [] if unit in known else seen_elsewhere(register, unit, now=now)
            ready.append(Turn(unit, 2, "double"))
    return ready


def seen_elsewhere(register: Register, unit: str, *, now: float) -> list[Turn]:
    """The looks at a unit recorded before it had turns, from a file for example: a labeler who had one does not get another."""
    if not register.is_resolved(unit):
        return []
    labelers = dict.fromkeys(who for _, who in register.seats(unit))
    return [Turn(unit, number, "label", who, now) for number, who in enumerate(labelers, start=1)]


def turns_for_adjudicators(act: Writing, register: Register, *, now: float) -> list[Turn]:
    """One look by another person at every unit on which labelers disagree."""
    asked, known = act.adjudicated(), act.turns()
    ready: list[Turn] = []
    for unit in register.units():
        if unit not in asked and is_disputed(register, unit):
            seen = [] if unit in known else seen_elsewhere(register, unit, now=now)
            newest = known[unit].newest if unit in known else len(seen)
            ready += [*seen, Turn(unit, newest + 1, "adjudication")]
    return sorted(ready, key=lambda turn: _order(register.salt, f"{turn.unit}:{turn.number}"))


def is_disputed(register: Register, unit: str) -> bool:
    """Whether usable answers to a question about a unit differ and none is more frequent than all others."""
    for question in register.questions:
        said = Counter(label.answer for (q, _), label in register.seats(unit).items() if q == question and label.answer not in UNANSWERED)
        most = [count for _, count in said.most_common(2)]
        if len(most) == 2 and most[0] == most[1]:
            return True
    return False


def has_earned_check(register: Register, labeler: str, *, every: int) -> bool:
    """Whether a labeler has answered enough units since the last one with a known gold answer."""
    answered = register.labelers.get(labeler, 0)
    if answered < every:
        return False
    return answered >= every * (1 + sum(_has_answered(register, unit, labeler) for unit in register.gold_units if _is_gold(register, unit)))


def turns_for_checks(act: Writing, register: Register, labeler: str, *, every: int, now: float, barred: Collection[str] = ()) -> list[Turn]:
    """One look at a unit with a known gold answer that others have answered, if the labeler is due for a check and none waits.

    barred   units that are for others
    """
    if not has_earned_check(register, labeler, every=every) or act.checks(labeler) - set(barred):
        return []
    told = [unit for unit in register.gold_units if not _has_answered(register, unit, labeler) and _is_gold(register, unit)]
    told = [unit for unit in told if unit not in barred]
    ready = [unit for unit in told if _is_answered(register, unit)]  # so that the answer to a check never counts for the unit
    ready.sort(key=lambda unit: hashlib.md5(f"{register.salt}:check:{labeler}:{unit}".encode(), usedforsecurity=False).digest())
    if not ready:
        return []
    known = act.turns(ready[:1])
    seen = [] if ready[0] in known else seen_elsewhere(register, ready[0], now=now)
    return [*seen, Turn(ready[0], known.get(ready[0], UnitTurns(newest=len(seen))).newest + 1, "check", labeler)]


def _has_answered(register: Register, unit: str, labeler: str) -> bool:
    return any(who == labeler for _, who in register.seats(unit))


def _is_answered(register: Register, unit: str) -> bool:
    """Whether every question about a unit has a usable answer."""
    said = {question for (question, _), label in register.seats(unit).items() if label.answer not in UNANSWERED}
    return said >= set(register.questions)


def _is_gold(register: Register, unit: str) -> bool:
    """Whether a usable gold answer to every question about a unit is known."""
    told = {question for (question, _), label in register.gold_seats(unit).items() if label.answer not in UNANSWERED}
    return told >= set(register.questions)
