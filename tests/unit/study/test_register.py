"""The register, followed entry by entry, is what it would be if it were built at once, and counts what the answers say."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewlabels.desk.desk import Desk
from fewlabels.errors import FewlabelsError, LedgerError, StudyError
from fewlabels.ledgers.base import Entry
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.label import UNANSWERED, Label
from fewlabels.study.labels.record import record
from fewlabels.study.state.progress import planned_labels, progress
from fewlabels.study.state.register import EntryList, Register
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
    """All that a register says, unit by unit."""
    units = list(register.units())
    apart = (
        "owned",
        "dirty",
        "pages",
        "blocks",
        "count",
        "reserve",
        "profiles",
        "plans",
        "kept",
        "saved",
        "listed",
        "redrawn",
        "reframed",
        "counted",
        "_restore",
    )
    told = {name: value for name, value in vars(register).items() if name not in apart}
    return {
        **told,
        "plans": [plan.hash for plan in register.plans],
        "counters": vars(register.count),
        "units": units,
        "seats": [list(register.seats(unit).items()) for unit in units],
        "gold": [list(register.gold_seats(unit).items()) for unit in units],
        "state": [page.coded() + page.counted() for page in map(register.page, range(len(register.pages)))],
        "counts": register.counts(),
    }


def of_standing(standing: Standing) -> dict[str, Any]:
    """What the answers of a standing say about its counts, worked out from the answers themselves."""
    units = standing.units.unit if standing.units is not None else ()
    told = {unit: list(standing.answers.get(unit, {}).values()) for unit in units}
    resolved = [unit for unit in units if {label.question for label in told[unit]} >= set(standing.questions)]
    usable = {
        unit: [[label.answer for label in told[unit] if label.question == q and label.answer not in UNANSWERED] for q in standing.questions]
        for unit in units
    }
    return {
        "labels": len(resolved),
        "second_looks": sum(max(0, max(map(len, usable[unit])) - 1) for unit in resolved),
        "disagreements": sum(any(len(set(said)) > 1 for said in usable[unit]) for unit in resolved),
        "asked": len(standing.asked),
        "unresolved": tuple(unit for unit in units if unit not in resolved),
        "answered": sum(all(standing.rule != "first" or said for said in usable[unit]) for unit in resolved),
    }


def of_progress(standing: Standing) -> dict[str, Any]:
    """The same as it is counted."""
    found = progress(standing)
    names = ("labels", "second_looks", "disagreements", "asked", "answered")
    return {**{name: getattr(found, name) for name in names}, "unresolved": standing.unresolved}


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
        record(act, labels, desk._state.register, correct=True, ignore_undrawn=True)
        desk._state.register.follow(act)
        raise LedgerError("stopped")


def tell_and_undo(study: Study, desk: Desk, rng: random.Random) -> object:
    with study.ledger.writing(study.name) as act:
        register = desk._state.register
        record(act, some_labels(study, rng, at="first"), register, correct=True, ignore_undrawn=True)
        kept = act.count
        record(act, some_labels(study, rng, at="undone"), register, correct=True, ignore_undrawn=True)
        register.follow(act)
        act.undo(kept)
        return record(act, some_labels(study, rng, at="instead"), register, correct=True, ignore_undrawn=True)


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


def loaded(register: Register) -> Register:
    register.load()
    return register


@pytest.mark.parametrize("every", [3, 128])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [yes_or_no, several_questions, online])
def test_following_is_building_at_once_is_what_replay_says(
    made: Callable[[Path], tuple[Study, tuple[Act, ...]]], seed: int, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a snapshot, by another process, and with pages so small that there are many."""
    monkeypatch.setattr("fewlabels.study.state.snapshots.EVERY", every)
    for name in ("register", "snapshots", "book"):
        monkeypatch.setattr(f"fewlabels.study.state.{name}.PAGE", 8)
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
        at_once = of_register(Register().follow(EntryList(entries)))
        assert of_register(followed.follow(EntryList(entries))) == at_once
        assert of_register(desk._state.read(loaded)) == at_once
        anew = Study.load(study.name, ledger=study.ledger).followed
        assert of_register(anew.read(loaded)) == at_once
        standing = replay(entries)
        assert of_standing(standing) == of_progress(standing)
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
        assert of_register(register.follow(EntryList(entries[:end]))) == of_register(Register().follow(EntryList(entries[:end])))


def test_another_entry_in_the_last_place_begins_anew(entries: list[Entry], tmp_path: Path) -> None:
    register = Register().follow(EntryList(entries))
    with ledger_in(tmp_path).writing("s") as act:
        act.append("batch", key="other", body={"number": 9, "plan": 1, "units": [entries[-1].body["unit"]]})
        other = act.entries()
    turned = [*entries[:-1], other[-1]]
    assert of_register(register.follow(EntryList(turned))) == of_register(Register().follow(EntryList(turned)))
    assert register.is_handed_again(entries[-1].body["unit"])


def test_a_study_that_was_not_created_completely_is_refused(entries: list[Entry]) -> None:
    with pytest.raises(StudyError, match="not created completely"):
        Register().follow(EntryList(entries[:1]))


def test_a_damaged_entry_is_named(entries: list[Entry]) -> None:
    spoiled = [*entries[:-1], entries[-1]._replace(body={"unreadable": "x"})]
    with pytest.raises(LedgerError, match=rf"entry {entries[-1].serial} .* was damaged"):
        Register().follow(EntryList(spoiled))
