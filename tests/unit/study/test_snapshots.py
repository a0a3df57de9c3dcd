"""What is kept beside the record: never read unless it is what the entries say, and then it changes nothing but the time."""

import json
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fewlabels
from fewlabels.cli.main import cli
from fewlabels.ledgers.base import Entry
from fewlabels.ledgers.copying import copy
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.policy import parse_policy
from fewlabels.study.decision import requests
from fewlabels.study.estimate import kept
from fewlabels.study.kinds import KINDS
from fewlabels.study.state import snapshots
from fewlabels.study.state.pages import Page
from fewlabels.study.state.register import EntryList, Register
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study
from tests.unit.study.made import TABLE, create, finished, label_all, ledger_in, population, truth_of
from tests.unit.study.test_joint import TABLE as LABELED
from tests.unit.study.test_joint import all_units, of_labels
from tests.unit.study.test_register import of_register

MUTATIONS = 200 if "FEWLABELS_TEST_SEED" in os.environ else 60  # all of them in `make statistics`
Parts = dict[str, bytes]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pages, and a snapshot after every few entries."""
    monkeypatch.setattr("fewlabels.study.state.snapshots.EVERY", 5)
    for name in ("book", "register", "snapshots"):
        monkeypatch.setattr(f"fewlabels.study.state.{name}.PAGE", 8)


def loaded(folder: Path, name: str = "s") -> Study:
    return Study.load(name, ledger=ledger_in(folder), table=TABLE)


def parts_of(folder: Path, name: str = "s") -> Parts:
    with sqlite3.connect(folder / "ledger.db") as connection:
        return dict(connection.execute("select part, body from snapshot where study = ?", (name,)))


def put(folder: Path, parts: Parts, name: str = "s") -> None:
    """These parts and no others."""
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("delete from snapshot where study = ?", (name,))
        connection.executemany("insert into snapshot values (?, ?, ?)", [(name, part, body) for part, body in parts.items()])


def said(study: Study) -> Any:
    """All that a study says: its register, its status and its numbers."""
    study.followed.read(lambda register: register.load())
    register = study.followed.read(of_register)
    standing = study.standing
    drawn = None if standing.units is None else standing.units.as_json()
    answers = {unit: list(seats.values()) for unit, seats in standing.answers.items()}
    return register, drawn, answers, study.status().progress, study.status().warnings, study.estimate().as_json()


def folded(study: Study) -> Any:
    return of_register(Register().follow(EntryList(study.ledger.entries(study.name))))


@pytest.fixture
def two(tmp_path: Path) -> tuple[Parts, Parts, Parts]:
    """A labeled study with a snapshot; the snapshot as it is now, as it was before, and that of another study."""
    study = create(tmp_path)
    study.plan(60)
    batch = study.ask(60)
    assert batch is not None
    study.tell({unit: "no" for unit in batch.units[:25]})
    before = parts_of(tmp_path)
    study.tell(truth_of(batch.units[25:]))
    other = create(tmp_path, "other")
    other.plan(60)
    label_all(other)
    return parts_of(tmp_path), before, parts_of(tmp_path, "other")


def flipped(rng: random.Random, body: bytes) -> bytes:
    at = rng.randrange(len(body))
    return body[:at] + bytes((body[at] ^ 1 << rng.randrange(8),)) + body[at + 1 :]


def mutated(rng: random.Random, now: Parts, before: Parts, other: Parts) -> tuple[str, Parts]:
    """A snapshot changed in one of many ways."""
    name = rng.choice(sorted(now))
    ways: dict[str, Callable[[], Parts]] = {
        "bit": lambda: {**now, name: flipped(rng, now[name])},
        "another bit": lambda: {**now, name: flipped(rng, now[name])},
        "bit of the head": lambda: {**now, "head": flipped(rng, now["head"])},
        "cut": lambda: {**now, name: now[name][: rng.randrange(len(now[name]))]},
        "gone": lambda: {part: body for part, body in now.items() if part != name},
        "empty": lambda: {**now, name: b""},
        "older part": lambda: {**now, name: before.get(name, b"older")},
        "older head": lambda: {**now, "head": before["head"]},
        "all older but one": lambda: {**before, name: now[name]},
        "of another": lambda: {**now, name: other.get(name, b"another")},
        "all of another": lambda: dict(other),
        "mixed": lambda: {part: rng.choice([one[part] for one in (now, before, other) if part in one]) for part in now},
    }
    how = rng.choice(sorted(ways))
    return how, ways[how]()


def different(folder: Path, two: tuple[Parts, Parts, Parts]) -> Iterator[str]:
    """The mutations with which the study says something else, or fails."""
    loaded(folder).estimate()  # a look, once for all
    put(folder, {})
    wanted = said(loaded(folder))
    assert wanted[0] == folded(loaded(folder))
    rng = random.Random(19)
    for _ in range(MUTATIONS):
        how, parts = mutated(rng, *two)
        put(folder, parts)
        try:
            if said(loaded(folder)) != wanted:
                yield how
        except Exception as error:  # any: what a wrong state leads to is not foreseen
            yield f"{how}: {error!r}"


def test_no_mutated_snapshot_is_read_as_good(tmp_path: Path, two: tuple[Parts, Parts, Parts]) -> None:
    assert list(different(tmp_path, two)) == []


def test_without_digests_mutations_would_be_read(tmp_path: Path, two: tuple[Parts, Parts, Parts], monkeypatch: pytest.MonkeyPatch) -> None:
    def unchecked(self: snapshots.Snapshot, name: str, digest: str) -> bytes:
        return self._ahead.pop(name, None) or self._read([name])[name]

    monkeypatch.setattr(snapshots.Snapshot, "part", unchecked)
    assert len(list(different(tmp_path, two))) > MUTATIONS // 10


def test_a_whole_snapshot_is_read(tmp_path: Path, two: tuple[Parts, Parts, Parts], monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the tests above do not pass because none ever is."""
    study = loaded(tmp_path)
    taken: list[int] = []
    take = Register.take

    def seen(self: Register, entry: Entry) -> None:
        taken.append(entry.serial)
        take(self, entry)

    monkeypatch.setattr(Register, "take", seen)
    study.status()
    assert len(taken) < 5 < study.ledger.last("s")
    put(tmp_path, {})
    assert loaded(tmp_path).status().progress == study.status().progress
    assert len(taken) >= study.ledger.last("s")


def test_a_standing_outlives_the_snapshot_it_was_made_from(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(60)
    batch = study.ask(60)
    assert batch is not None
    study.tell(truth_of(batch.units[:30]))
    reader, writer = loaded(tmp_path), loaded(tmp_path)
    before = reader.standing
    writer.tell(truth_of(batch.units[30:]))
    assert before.whole.resolved == 30
    assert before.resolved.sum() == 30
    assert set(before.answers) == set(batch.units[:30])
    after = writer.standing
    assert before.units is not None
    assert after.units is not None
    assert before.units.as_json() == after.units.as_json()


# ---------------- results


def several(folder: Path) -> Study:
    strict = Classifier("strict", score="score", threshold=0.8)
    study = create(
        folder,
        goals=["precision +-0.1", "recall >= 0.5 for strict"],
        classifiers=[Classifier("s", score="score", threshold=0.5), strict],
        score=None,
        threshold=None,
    )
    study.plan(80)
    label_all(study)
    return study


def labels(folder: Path) -> Study:
    study = of_labels(folder)
    units, questions = all_units(study), study.standing.questions
    study.tell({u: {q: "yes" if (i + 2 * j) % 5 < 2 else "no" for j, q in enumerate(questions)} for i, u in enumerate(units)})
    return study


def looks(folder: Path) -> Study:
    study = create(folder, goals=["accuracy >= 0.5"])
    study.plan(60, stopping="3 looks")
    label_all(study)
    return study


def online(folder: Path) -> Study:
    study = create(folder, goals=["accuracy >= 0.6"])
    study.plan(80, stopping="decision")
    label_all(study, batch=10)
    return study


def results(study: Study) -> list[Any]:
    found: list[Any] = [study.estimate(), study.decide(), study.convergence()]
    asked: list[Callable[[], Any]] = [study.curves, study.rank, study.confusion, lambda: study.find_threshold("precision", 0.5)]
    for ask in asked:
        try:
            found.append(ask())
        except Exception as error:  # refused for this kind of study
            found.append(str(error))
    return found


@pytest.mark.parametrize("made", [finished, several, labels, looks, online])
def test_a_kept_result_is_the_one_computed_anew(made: Callable[[Path], Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after the looks that showed it, by another process, and in every kind of study."""
    study = made(tmp_path)
    again = partial(Study.load, study.name, ledger=ledger_in(tmp_path), table=TABLE if study.name == "s" else LABELED)
    first = results(study)
    entries = study.ledger.last(study.name)
    computed: list[str] = []
    for kind in {type(one) for one in KINDS.values()}:
        for step in ("read", "decide", "converge"):
            monkeypatch.setattr(kind, step, counted(getattr(kind, step), step, computed))
    assert results(again()) == first
    assert computed == [], "nothing is computed again"
    parts = parts_of(tmp_path, study.name)
    put(tmp_path, {part: body for part, body in parts.items() if not part.startswith("r")}, study.name)
    assert results(again()) == first
    assert {"read", "decide"} <= set(computed)
    assert study.ledger.last(study.name) == entries, "the same numbers are one look"
    assert study.verify().passed


def counted(function: Callable[..., Any], name: str, seen: list[str]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        seen.append(name)
        return function(*args, **named)

    return call


def test_a_result_of_another_version_or_state_is_computed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = finished(tmp_path)
    shown = study.estimate()
    body = parts_of(tmp_path)["r/estimates"]
    basis = study.followed.read(lambda register: register.basis)
    assert kept.read(body, basis=basis) == shown
    assert kept.read(body, basis="another") is None
    assert kept.read(body[:-3], basis=basis) is None
    assert kept.read(None, basis=basis) is None
    monkeypatch.setattr(kept, "VERSION", "another")
    assert kept.read(body, basis=basis) is None
    unit = next(iter(study.standing.answers))
    told = study.standing.answer_of(unit)
    assert told is not None
    study.tell({unit: "yes" if told.answer == "no" else "no"}, correct=True)
    assert study.estimate() != shown
    assert study.estimate() == loaded(tmp_path).estimate()


def test_an_answer_deletes_what_was_kept_before(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate(), study.curves()
    assert len([part for part in parts_of(tmp_path) if part.startswith("r/")]) == 2
    unit = next(iter(study.standing.answers))
    study.tell([{"unit": unit, "answer": "yes", "labeler": "another"}])
    study.estimate()
    assert [part for part in parts_of(tmp_path) if part.startswith("r/")] == ["r/estimates"]


# ---------------- verify


def rewritten(folder: Path, change: Callable[[dict[str, Any], Parts], None]) -> None:
    """A snapshot that says something else, with digests that fit."""
    parts = parts_of(folder)
    head = json.loads(parts["head"].partition(b"\n")[2])
    change(head, parts)
    text = snapshots._written(head)
    parts["head"] = snapshots.digest_of(text).encode() + b"\n" + text
    put(folder, parts)


def fewlabels_command(*argv: str) -> str:
    done = CliRunner().invoke(cli, list(argv))
    assert done.exit_code == 0, done.output
    return done.output


def other_count(head: dict[str, Any], parts: Parts) -> None:
    head["count"]["told"] += 1


def other_code(head: dict[str, Any], parts: Parts) -> None:
    """Page 0 with another answer to its first unit."""
    body = bytearray(parts["c/0"])
    body[1] = 4 if body[1] == 5 else 5
    parts["c/0"] = bytes(body)
    at = snapshots.KINDS.index("c") * 2 * snapshots.DIGEST
    page = head["pages"][0]
    head["pages"][0] = page[:at] + snapshots.digest_of(parts["c/0"]) + page[at + 2 * snapshots.DIGEST :]


@pytest.mark.parametrize("change", [other_count, other_code])
def test_verify_finds_a_snapshot_that_was_rewritten(change: Callable[[dict[str, Any], Parts], None], tmp_path: Path) -> None:
    study = finished(tmp_path)
    rewritten(tmp_path, change)
    (finding,) = loaded(tmp_path).verify().findings
    assert "the snapshot beside the record does not say what the entries say" in finding
    assert "ledger rebuild" in finding
    done = fewlabels_command("ledger", "rebuild", "s", "--ledger", f"sqlite:///{tmp_path}/ledger.db")
    assert "folded s again from its" in done
    assert loaded(tmp_path).verify().passed
    assert loaded(tmp_path).estimate() == study.estimate()


def test_verify_finds_a_result_that_was_rewritten(tmp_path: Path) -> None:
    study = finished(tmp_path)
    shown = study.estimate()
    decision, curves = study.decide(), study.curves()
    assert decision is not None
    basis = study.followed.read(lambda register: register.basis)
    whole = parts_of(tmp_path)
    (asked,) = [part for part in whole if part.startswith("r/asked")]
    wrong = {
        "r/estimates": replace(shown, estimates=(replace(shown.estimates[0], high=1.0), *shown.estimates[1:])),
        "r/decision": replace(decision, outcome="ship" if decision.outcome != "ship" else "do not ship"),
        asked: replace(curves, labels=(1.0, *curves.labels[1:])),
    }
    for part, value in wrong.items():
        put(tmp_path, {**whole, part: kept.written(value, basis=basis)})
        (finding,) = loaded(tmp_path).verify().findings
        assert f"the result kept beside the record ({part[2:]}) is not what the entries say" in finding
    put(tmp_path, whole)
    assert loaded(tmp_path).verify().passed


def test_a_gate_accepts_a_result_whose_look_was_recorded_before(tmp_path: Path) -> None:
    """A correction taken back shows the numbers of an earlier look again: they are kept, and no look is added."""
    study = finished(tmp_path)
    study.curves()
    unit = next(iter(study.standing.answers))
    before = study.ledger.last("s")
    for _ in range(2):
        study.tell({unit: other_answer(study, unit)}, correct=True)
    study.curves()
    assert study.ledger.last("s") == before + 2
    assert any(part.startswith("r/asked") for part in parts_of(tmp_path))
    policy = parse_policy('rule = [{metric = "precision", target = ">= 0.01"}]')
    assert loaded(tmp_path).gate(policy).verdict != "invalid"
    assert loaded(tmp_path).verify().passed


CHANGED = """update entry set body = replace(body, '"answer":"no"', '"answer":"yes"') where study = 's' and serial = ?"""
REMOVED = "delete from entry where study = 's' and serial = ?"


@pytest.mark.parametrize("damage", [CHANGED, REMOVED])
def test_status_goes_on_from_the_snapshot_where_verify_finds_an_entry_changed_or_removed(damage: str, tmp_path: Path) -> None:
    """What docs/how-to/verify.md says other commands do not notice."""
    study = finished(tmp_path)
    before = study.status().progress
    old = next(entry.serial for entry in study.ledger.entries("s") if entry.kind == "answer" and entry.body["answer"] == "no")
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        assert connection.execute(damage, (old,)).rowcount == 1
    assert loaded(tmp_path).status().progress == before
    assert loaded(tmp_path).verify().findings


def test_a_copy_carries_no_snapshot_and_goes_on(tmp_path: Path) -> None:
    study = finished(tmp_path)
    study.estimate()
    there = SqliteLedger(f"sqlite:///{tmp_path}/copy.db")
    copy(ledger_in(tmp_path), there)
    again = Study.load("s", ledger=there, table=TABLE)
    assert again.estimate() == study.estimate()
    assert again.verify().passed


# ---------------- a report, which folds the study from its first entry


def counted_curves(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every time that ribbons are computed."""
    made: list[object] = []
    compute = requests.KINDS["curves"]

    def counting(standing: Standing, asked: Any) -> requests.Shown:
        made.append(asked)
        return compute(standing, asked)

    monkeypatch.setitem(requests.KINDS, "curves", counting)
    return made


def other_answer(study: Study, unit: str) -> str:
    (label,) = study.standing.answers[unit].values()
    return "yes" if label.answer == "no" else "no"


def test_a_report_computes_every_number_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(tmp_path)
    made = counted_curves(monkeypatch)
    first: dict[str, Any] = loaded(tmp_path).report()
    assert len(made) == 1
    again = loaded(tmp_path).report()  # what was shown is computed again, to verify it, and not a second time to show it
    assert len(made) == 2
    assert again == first
    verification = first["record"]["verification"]
    assert verification["passed"]
    assert f"hashes and seals of {len(loaded(tmp_path).ledger.entries('s')):,} entries" in verification["checked"]


def test_a_study_goes_on_after_a_report(tmp_path: Path) -> None:
    """What a report keeps beside the record says what the entries say."""
    study = finished(tmp_path)
    study.report()
    assert None in study.followed.register.pages  # a server would keep all of them
    units = list(study.standing.answers)
    for unit in units[:12]:
        study.tell({unit: other_answer(study, unit)}, correct=True)
    assert loaded(tmp_path).verify().passed
    study.estimate()  # recorded as a look; the same numbers seen again are none
    assert said(loaded(tmp_path)) == said(study)
    assert study.report() == loaded(tmp_path).report()


def test_an_answer_that_comes_while_a_report_is_made_is_verified_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(tmp_path)
    unit = next(iter(loaded(tmp_path).standing.answers))
    compute = requests.KINDS["curves"]

    def interrupted(standing: Standing, asked: Any) -> requests.Shown:
        monkeypatch.setitem(requests.KINDS, "curves", compute)
        other = loaded(tmp_path)
        other.tell({unit: other_answer(other, unit)}, correct=True)
        return compute(standing, asked)

    monkeypatch.setitem(requests.KINDS, "curves", interrupted)
    report: dict[str, Any] = loaded(tmp_path).report()
    record = report["record"]
    assert record["entries"] == len(loaded(tmp_path).ledger.entries("s"))
    assert record["verification"] == loaded(tmp_path).verify().as_json()


def test_a_report_of_a_snapshot_that_was_rewritten_says_so_and_leaves_it(tmp_path: Path) -> None:
    finished(tmp_path)
    rewritten(tmp_path, other_count)
    assert "does not say what the entries say" in str(loaded(tmp_path).report()["record"])
    assert not loaded(tmp_path).verify().passed


def test_a_large_draw_is_folded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draw is one entry, but costs as much as many."""
    monkeypatch.undo()
    units = snapshots.EVERY * snapshots.LISTED
    table = {"id": [f"u{i:05d}" for i in range(2 * units)], "score": [(i % 997) / 997 for i in range(2 * units)]}
    for name, planned, expected in (("large", units, True), ("small", units // 4, False)):
        study = Study.create(name, population(table), goals=["recall >= 0.5"], ledger=ledger_in(tmp_path))
        study.plan(planned)
        study.ask(1)
        assert ("head" in parts_of(tmp_path, name)) is expected


# ---------------- time


@pytest.mark.parametrize("act", ["draw", "tell", "status"])
def test_a_command_reads_few_pages(act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 25 pages, those of the units it is about."""
    table = tmp_path / "table.csv"
    table.write_text("id,score\n" + "".join(f"u{i:03d},{i / 400}\n" for i in range(400)))
    source = fewlabels.read_population(table, id="id", score="score", threshold=0.5)
    study = Study.create("s", source, goals=["recall >= 0.5"], ledger=ledger_in(tmp_path))
    study.plan(200)
    batch = study.ask(190)
    assert batch is not None
    study.tell(dict.fromkeys(batch.units[:-3], "yes"))
    (tmp_path / "told.csv").write_text(f"unit,answer\n{batch.units[-3]},no\n")
    read: set[int] = set()
    page = snapshots.Snapshot.page

    def counted(snapshot: snapshots.Snapshot, number: int) -> Page:
        read.add(number)
        return page(snapshot, number)

    monkeypatch.setattr(snapshots.Snapshot, "page", counted)
    of_act = {"draw": ["--out", str(tmp_path / "b.csv")], "tell": [str(tmp_path / "told.csv")], "status": []}[act]
    fewlabels_command(act, "s", *of_act, "--ledger", f"sqlite:///{tmp_path}/ledger.db")
    assert len(read) <= 3


def test_the_thousandth_answer_costs_what_the_hundredth_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU seconds of answers told one by one, in turn to a study with a thousand and to one with a hundred; `make growth` tells 5,000.

    In turn, since the speed of a shared machine changes by more than half from one second to the next.
    """
    monkeypatch.undo()
    table = {"id": [f"u{i:05d}" for i in range(3_000)], "score": [(i % 997) / 997 for i in range(3_000)]}
    waiting = {}
    for name, answers in {"young": 100, "old": 1_000}.items():
        (tmp_path / name).mkdir()
        study = Study.create(name, population(table), goals=["recall >= 0.5"], ledger=ledger_in(tmp_path / name))
        study.plan(1_500)
        batch = study.ask(1_500)
        assert batch is not None
        units = iter(batch.units)
        for unit in islice(units, answers):
            study.tell({unit: "yes"})
        waiting[name] = study, units
    took: dict[str, list[float]] = {name: [] for name in waiting}
    for _ in range(150):
        for name, (study, units) in waiting.items():
            start = time.process_time()
            study.tell({next(units): "yes"})
            took[name].append(time.process_time() - start)
    young, old = (sorted(took[name])[75] for name in ("young", "old"))
    assert old < 1.5 * young
