"""A small made-up population with known truth, and studies on it."""

import csv
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.nouns.population import Population
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

UNITS = 400
GOALS = ("precision +-0.1", "recall >= 0.5")
FIXED_TIME = "2026-01-02T03:04:05.000006+00:00"


def columns(units: int = UNITS, *, seed: int = 7) -> dict[str, Any]:
    rng = stream(seed)
    score = rng.beta(0.4, 2.0, units)
    positive = rng.random(units) < score
    ids = [f"u{i:04d}" for i in range(units)]
    return {"id": ids, "text": [f"text of {i}" for i in ids], "score": score, "y": positive.astype(np.int64)}


TABLE = columns()
TRUTH = {unit: "yes" if y else "no" for unit, y in zip(TABLE["id"], TABLE["y"].tolist(), strict=True)}


def population(table: object = TABLE, **how: Any) -> Population:
    return read_population(table, **{"score": "score", "threshold": 0.5, **how})


def write_csv(path: Path, table: Mapping[str, Any] = TABLE) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(np.asarray(values).tolist() for values in table.values()), strict=True))
    return path


def ledger_in(folder: Path) -> SqliteLedger:
    return SqliteLedger(f"sqlite:///{folder}/ledger.db", clock=lambda: FIXED_TIME)


def create(folder: Path, name: str = "s", *, goals: Iterable[str] = GOALS, **how: Any) -> Study:
    return Study.create(name, population(**how), goals=list(goals), ledger=ledger_in(folder))


def batches_of(study: Study) -> list[tuple[str, ...]]:
    """The units of each batch handed out, in its order."""
    return [tuple(entry.body["units"]) for entry in study.ledger.entries(study.name) if entry.kind == "batch"]


def truth_of(units: Iterable[str]) -> dict[str, str]:
    return {unit: TRUTH[unit] for unit in units}


def label_all(study: Study, *, batch: int = 1_000) -> None:
    while found := study.ask(batch):
        study.tell(truth_of(found.units))


def finished(folder: Path, *, budget: int = 40, **how: Any) -> Study:
    study = create(folder, **how)
    study.plan(budget)
    label_all(study)
    return study


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """Everything the ledger's file holds."""
    with sqlite3.connect(folder / "ledger.db") as connection:
        found = connection.execute("select * from entry order by study, serial").fetchall()
    connection.close()
    return found


def kinds(study: Study, folder: Path) -> list[str]:
    return [entry.kind for entry in open_ledger(f"sqlite:///{folder}/ledger.db").entries(study.name)]
