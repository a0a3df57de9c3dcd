"""The register, followed entry by entry, is what it would be if it were built at once, and what replay says."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewlabels.desk.desk import Desk
from fewlabels.errors import FewlabelsError, LedgerError, StudyError
from fewlabels.ledgers.base import Entry
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import GOLD, Label
from fewlabels.study.labels.record import record
from fewlabels.study.state.label_index import Register
from fewlabels.study.state.progress import planned_labels
from fewlabels.study.state.replay import replay
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study
from tests.unit.desk.made_desk import says, units_of
from tests.unit.study.made import create, ledger_in, truth_of
from tests.unit.study.test_joint import of_labels

ANSWERS = ("yes", "no", "cannot_tell", "skipped", "banana")
LABELERS = ("ada", "bob", "eve")
Act = Callable[[Study, Desk, random.Random], object]


def of_register(register: Register) -> dict[str, Any]:
    told = dict(vars(register))
    for name in ("_followed", "_last", "elsewhere"):
        told.pop(name)
    told["handed"] = list(register.handed)
    seats = {"answers": [(unit, list(seats.items())) for unit, seats in register.answers.items()], "drawn": list(register.drawn)}
    waits = {unit for unit in register.handed_again if register.waits(unit)}
    return {**told, **seats, "waits": waits}


def of_standing(standing: Standing) -> dict[str, Any]:
    """The same, as replay says it."""
    gold: dict[str, dict[tuple[str, str], Label]] = {}
    for (unit, question), label in standing.gold.items():
        gold.setdefault(unit, {})[question, GOLD] = label
    return {
        "questions": standing.questions,
        "classes": standing.classes,
        "drawn": list(standing.units.unit) if standing.units is not None else [],
        "gold_units": set(standing.gold_units),
        "double": standing.double_share,
        "answers": [(unit, list(seats.items())) for unit, seats in standing.answers.items()],
        "gold": gold,
        "voices": standing.voices,
        "handed": list(dict.fromkeys(unit for batch in standing.batches for unit in batch.units)),
        "hidden": standing.read_population().hidden_columns,
        "looks": len({(unit, who) for unit, seats in standing.answers.items() for _, who in seats}),
        "handed_again": standing.handed_again,
        "resolved": {unit for unit in standing.answers if standing.is_resolved(unit)},
        "planned": planned_labels(standing),
        "plans": len(standing.plans),
        "learns": bool(standing.plans) and standing.plan.learns,
        "told": sum(standing.voices.values()),
        "salt": standing.salt,
        "forms": list(standing.forms),
        "waits": {unit for unit in standing.handed_again if not standing.was_told_again(unit)},
    }


def some_units(study: Study, rng: random.Random) -> list[str]:
    asked = sorted(study.standing.asked)
    return rng.sample(asked, min(len(asked), rng.randint(1, 6)))


def some_labels(study: Study, rng: random.Random, **how: Any) -> list[Label]:
    who, questions = rng.choice(LABELERS), study.standing.questions
    return [
        Label(unit=unit, answer=rng.choice(ANSWERS[:4]), labeler=who, question=question, **how)
        for unit in some_units(study, rng)
        for question in questions
        if rng.random() < 0.8
    ]


def ask(study: Study, _: Desk, rng: random.Random) -> object:
    return study.ask(rng.randint(1, 8), more=rng.random() < 0.5)


def tell(study: Study, _: Desk, rng: random.Random) -> object:
    return study.tell(some_labels(study, rng), correct=rng.random() < 0.7)


def tell_at_the_desk(_: Study, desk: Desk, rng: random.Random) -> object:
    who = rng.choice(LABELERS)
    units = units_of(desk.take(who, rng.randint(1, 5)))
    return desk.tell(who, says(desk, {unit: rng.choice(ANSWERS) for unit in units}, correct=rng.random() < 0.5))


def tell_gold(study: Study, _: Desk, rng: random.Random) -> object:
    units = study.adjudicate(rng.choice((0.1, 0.3)))
    who = rng.choice(LABELERS)
    told = [Label(unit=unit, answer=rng.choice(ANSWERS[:3]), labeler=who, question=study.standing.questions[0]) for unit in units[:3]]
    return study.tell_gold(told, correct=True)


def tell_and_stop(study: Study, desk: Desk, rng: random.Random) -> object:
    """An act that the desk's register has followed, and that never was."""
    with study.ledger.writing(study.name) as act:
        labels = some_labels(study, rng, at=f"{rng.random()}")
        record(act, labels, correct=True, ignore_undrawn=True, register=desk._register)
        desk._register.follow(act.entries())
        raise LedgerError("stopped")


def tell_and_undo(study: Study, desk: Desk, rng: random.Random) -> object:
    with study.ledger.writing(study.name) as act:
        record(act, some_labels(study, rng, at="first"), correct=True, ignore_undrawn=True, register=desk._register)
        kept = act.count
        record(act, some_labels(study, rng, at="undone"), correct=True, ignore_undrawn=True, register=desk._register)
        desk._register.follow(act.entries())
        act.undo(kept)
        return record(act, some_labels(study, rng, at="instead"), correct=True, ignore_undrawn=True, register=desk._register)


def grow(study: Study, _: Desk, rng: random.Random) -> object:
    return study.plan(planned_labels(study.standing) + rng.randint(1, 10))


def double(_: Study, desk: Desk, rng: random.Random) -> None:
    desk.double(rng.choice((0.1, 0.3, 0.5)))


def close(study: Study, _: Desk, rng: random.Random) -> object:
    return study.close() if rng.random() < 0.2 else None


def look(study: Study, _: Desk, rng: random.Random) -> object:
    return study.estimate(peek=rng.random() < 0.5)


def extend(study: Study, _: Desk, rng: random.Random) -> object:
    threshold = rng.choice((0.3, 0.4, 0.6))
    return study.extend(classifiers=[Classifier(f"at {threshold}", score="score", threshold=threshold)])


OFTEN: tuple[Act, ...] = (ask, tell, tell_at_the_desk, tell_at_the_desk, tell_and_stop, tell_and_undo, close, double)


def yes_or_no(folder: Path) -> tuple[Study, tuple[Act, ...]]:
    study = create(folder)
    study.plan(30)
    return study, (*OFTEN, tell_gold, grow, look, extend)


def several_questions(folder: Path) -> tuple[Study, tuple[Act, ...]]:
    return of_labels(folder, budget=40), (*OFTEN, grow)


def online(folder: Path) -> tuple[Study, tuple[Act, ...]]:
    study = create(folder, goals=["accuracy >= 0.8"])
    study.plan(60, stopping="decision")
    return study, OFTEN


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [yes_or_no, several_questions, online])
def test_following_is_building_at_once_is_what_replay_says(
    made: Callable[[Path], tuple[Study, tuple[Act, ...]]], seed: int, tmp_path: Path
) -> None:
    study, acts = made(tmp_path)
    rng, desk, followed = random.Random(seed), Desk(study), Register()
    done: set[str] = set()
    for act in (ask, *rng.sample(acts, len(acts)), *rng.choices(acts, k=18)):  # each at least once
        try:
            act(study, desk, rng)
            done.add(act.__name__)
        except FewlabelsError:
            done.add(f"{act.__name__} refused")
        entries = study.ledger.entries(study.name)
        at_once = of_register(Register().follow(entries))
        assert of_register(followed.follow(entries)) == at_once
        assert of_register(desk._register.follow(entries)) == at_once
        assert of_standing(replay(entries)) == at_once
    assert {"tell_at_the_desk", "tell_and_undo", "tell_and_stop refused"} <= done
    assert study.verify().findings == ()


@pytest.fixture
def entries(tmp_path: Path) -> list[Entry]:
    study = create(tmp_path)
    study.plan(20)
    batch = study.ask(20)
    assert batch is not None
    study.tell(truth_of(batch.units))
    return ledger_in(tmp_path).entries("s")


def test_every_prefix_followed_by_every_other_is_that_other(entries: list[Entry]) -> None:
    """Also backward: a ledger that was put back to an older state."""
    register = Register()
    for end in [*range(5, len(entries)), 7, len(entries), 2, 6]:
        if end < 3:
            continue
        assert of_register(register.follow(entries[:end])) == of_register(Register().follow(entries[:end]))


def test_another_entry_in_the_last_place_begins_anew(entries: list[Entry], tmp_path: Path) -> None:
    register = Register().follow(entries)
    with ledger_in(tmp_path).writing("s") as act:
        act.append("batch", key="other", body={"number": 9, "plan": 1, "units": ["elsewhere"]})
        other = act.entries()
    turned = [*entries[:-1], other[-1]]
    assert of_register(register.follow(turned)) == of_register(Register().follow(turned))
    assert "elsewhere" in register.handed


def test_a_study_that_was_not_created_completely_is_refused(entries: list[Entry]) -> None:
    with pytest.raises(StudyError, match="not created completely"):
        Register().follow(entries[:1])


def test_a_damaged_entry_is_named(entries: list[Entry]) -> None:
    from dataclasses import replace

    spoiled = [*entries[:-1], replace(entries[-1], body={"unreadable": "x"})]
    with pytest.raises(LedgerError, match=rf"entry {entries[-1].serial} .* was damaged"):
        Register().follow(spoiled)
