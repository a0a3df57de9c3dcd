"""Writes the ledgers of the newest schema to be kept: `python -m tests.recorded.ledgers.make FOLDER` makes a .sql and a .json for each
story.

Run once for a new version, before it is released; never for one that is.
"""

import itertools
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from fewlabels.desk.desk import Desk, Said
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.ledgers.tables import BELONGS, HEAD, LISTING, MEMBER, NOTE, PERSON, ROUTE, SECRET, SEEN
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

UNITS = 300
NAME = "recorded"
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def made(path: Path) -> Study:
    """A study that went through everything a ledger holds."""
    study, ledger, says = planned(path)
    ticks = itertools.count(int(START.timestamp()))
    desk = Desk(study, clock=lambda: float(next(ticks)))
    desk.set_sheet(Sheet(show=(FormColumn("text"),), instructions="Read it all.", ask="Is it?"))
    desk.double(0.3)
    label(desk, says)
    study.estimate()
    people(ledger)
    return study


def closed(path: Path) -> Study:
    """A study that was closed while some of its units had no answer: they are recorded as never answered, under a name ledgers depend
    on.
    """
    study, _, says = planned(path)
    batch = study.ask(30)
    assert batch is not None
    study.tell([{"unit": unit, "answer": says[unit], "labeler": "ada"} for unit in batch.units[:26]])
    study.close()
    study.estimate()
    return study


def grown(path: Path) -> Study:
    """A study that was seen and grew, twice as large."""
    study, _, says = planned(path)
    answer_all(study, says)
    study.estimate()
    study.plan(60)
    return answer_all(study, says)


def extended(path: Path) -> Study:
    """A study to which a classifier and a goal were added."""
    study, _, says = planned(path)
    answer_all(study, says)
    study.estimate()
    study.extend(classifiers=[Classifier("stricter", score="score", threshold=0.7)], goals=["precision +-0.2 for stricter"], budget=40)
    return answer_all(study, says)


def piloted(path: Path) -> Study:
    """A study whose second round followed a guide fitted to the first."""
    study, _, says = planned(path, budget=200, goals=["recall >= 0.4"], pilot=50)
    return answer_all(study, says)


def answer_all(study: Study, says: dict[str, str]) -> Study:
    """One labeler answers all that is asked."""
    while batch := study.ask(UNITS):
        study.tell([{"unit": unit, "answer": says[unit], "labeler": "ada"} for unit in batch.units])
    return study


def planned(
    path: Path, *, budget: int = 30, goals: Sequence[str] = ("precision +-0.2", "recall >= 0.4"), pilot: int | None = None
) -> tuple[Study, SqliteLedger, dict[str, str]]:
    """A study with its plan, and what the units truly are."""
    rng = np.random.default_rng(5)
    score = np.round(rng.beta(0.5, 1.5, UNITS), 4)
    ids = [f"u{i:03d}" for i in range(UNITS)]
    says = dict(zip(ids, np.where(rng.random(UNITS) < score, "yes", "no").tolist(), strict=True))
    table = {"id": ids, "score": score, "text": [f"made-up text {i} <b>'quoted'</b>" for i in range(UNITS)]}
    seconds = itertools.count()
    ledger = SqliteLedger(f"sqlite:///{path}", clock=lambda: (START + timedelta(seconds=next(seconds))).isoformat(timespec="microseconds"))
    study = Study.create(NAME, read_population(table, score="score", threshold=0.5), goals=list(goals), ledger=ledger)
    study.plan(budget, pilot=pilot)
    return study, ledger, says


def label(desk: Desk, says: dict[str, str]) -> None:
    """Two labelers, a correction, an answer that is none."""
    question = desk.questions[0]
    first = desk.take("ada", 12)
    desk.tell("ada", [Said(one.unit, {question: says[one.unit]}, at="2026-11-02T09:10:00", seconds=2.5) for one in first[:10]])
    other = "no" if says[first[4].unit] == "yes" else "yes"
    desk.tell("ada", [Said(first[4].unit, {question: other}, correct=True)])
    for labeler in ("bob", "ada"):
        while given := desk.take(labeler, 10):
            answers = {one.unit: "cannot_tell" if one.unit.endswith("7") else says[one.unit] for one in given}
            desk.tell(labeler, [Said(unit, {question: answer}, seconds=1.25) for unit, answer in answers.items()])


def people(ledger: SqliteLedger) -> None:
    """Who may enter, and a secret that opens nothing."""
    at = START.timestamp()
    with ledger.connection() as connection:
        owner, ada = ({"name": name, "is_owner": name == "owner", "at": at} for name in ("owner", "ada"))
        connection.execute(sa.insert(PERSON), [owner, ada])
        connection.execute(sa.insert(MEMBER), [{"person": "ada", "study": NAME, "role": "labeler"}])
        secret = {"hash": "00" * 32, "kind": "token", "person": "ada", "note": "opens nothing", "at": at, "until": at + 1}
        connection.execute(sa.insert(SECRET), [secret])
        connection.execute(sa.insert(BELONGS), [{"person": "ada", "name": "German"}])
        connection.execute(sa.insert(SEEN), [{"person": "ada", "at": at}])
        connection.execute(sa.insert(LISTING), [{"study": NAME, "owner": "owner", "archived": None}])
        connection.execute(sa.insert(ROUTE), [{"study": NAME, "unit": "u0001", "value": "DE"}])
        connection.execute(
            sa.insert(NOTE), [{"study": NAME, "unit": "u0001", "labeler": "ada", "kind": "comment", "text": "odd", "at": at}]
        )


STORIES: dict[str, Callable[[Path], Study]] = {
    HEAD: made,
    f"{HEAD}-closed": closed,
    f"{HEAD}-grown": grown,
    f"{HEAD}-extended": extended,
    f"{HEAD}-piloted": piloted,
}


def write(folder: Path, name: str) -> None:
    """The ledger of a story as text, and what it says."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ledger.db"
        study = STORIES[name](path)
        shown, decision, entries = study.estimate(), study.decide(), study.ledger.entries(NAME)
        assert decision is not None
        assert study.verify().passed
        told = {"version": HEAD, "study": NAME, "entries": len(entries), "hashes": [entry.hash for entry in entries]}
        said = {**told, "estimates": shown.as_json(), "outcome": decision.outcome}
        (folder / f"{name}.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        with sqlite3.connect(path) as connection:
            connection.execute("delete from snapshot")  # a cache: numbers that this version kept would not be computed by a later one
            (folder / f"{name}.sql").write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
        connection.close()


if __name__ == "__main__":
    for story in STORIES:
        write(Path(sys.argv[1]), story)
