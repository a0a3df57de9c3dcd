"""Reports of small real studies, one of each kind, and what hostile people would put into them."""

import copy
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.nouns.classifier import Classifier
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

UNITS = 1_200
KINDS = ("ship", "more", "early", "fail", "two", "online", "classes", "gold")
HOSTILE = (
    "<script>document.body.remove()</script>",
    "</script></style></title><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "a|b`c`[d](https://example.org) @everyone #12 www.example.org ![x](y) ~~z~~",
    "right\u202eto left\u2066\x1b[31m\x00\nnew line",
    "{{script}}{{data}}<!--",
    "long " * 2_000,
)
FIXED = frozenset({"format", "fewlabels", "outcome", "status", "kind", "interval", "metric", "at", "as_of", "rule", "reproduce"})


@cache
def table() -> dict[str, Any]:
    """Units with a score, the truth and a slice column."""
    rng = stream(11)
    positive = rng.random(UNITS) < 0.25
    log_odds = 5 * (rng.normal(0, 1, UNITS) + 2.4 * positive) - 7.2
    return {
        "id": [f"u{i:04d}" for i in range(UNITS)],
        "score": 1 / (1 + np.exp(-log_odds)),
        "country": [str(c) for c in rng.choice(["BR", "DE", "US"], UNITS)],
        "y": positive,
    }


def begun(
    goals: Sequence[str], budget: int, *, judged: Sequence[Classifier] | None = None, slices: Sequence[str] = (), **how: Any
) -> Study:
    """A planned study of the table."""
    named = judged or [Classifier("gbm", score="score", threshold=0.5)]
    population = read_population(table(), classifiers=named, slices=slices)
    study = Study.create("s", population, goals=list(goals), ledger="sqlite:///:memory:")
    study.plan(budget, **how)
    return study


def answer(study: Study, units: int) -> None:
    """Answers of two labelers, one in forty cannot be told."""
    batch, said = study.ask(units), np.asarray(table()["y"]).tolist()
    rows = []
    for i, unit in enumerate(batch.units if batch else ()):
        told = "cannot_tell" if i % 40 == 7 else "yes" if said[int(unit[1:])] else "no"
        rows.append({"unit": unit, "answer": told, "labeler": ("ada", "grace")[i % 2]})
    study.tell(rows)


def labeled(goals: Sequence[str], budget: int, *, labels: int | None = None, **how: Any) -> Study:
    """A study with so many answers; all of its budget, if not said."""
    study = begun(goals, budget, **how)
    answer(study, budget if labels is None else labels)
    return study


def _two() -> Study:
    judged = [Classifier("gbm", score="score", threshold=0.5), Classifier("bold", score="score", threshold=0.05)]
    return labeled(["precision +-0.15", "recall >= 0.4 for bold"], 100, judged=judged)


def _classes() -> Study:
    rng = stream(12)
    given = rng.choice(["cat", "dog", "elk"], 120).tolist()
    judged = [Classifier(name, predicted="given", value=name) for name in ("cat", "dog", "elk")]
    population = read_population({"id": [f"u{i}" for i in range(120)], "given": given}, classifiers=judged)
    study = Study.create("c", population, goals=["class_accuracy +-0.2"], ledger="sqlite:///:memory:")
    study.plan(40)
    batch = study.ask(40)
    study.tell({unit: given[int(unit[1:])] if i % 9 else "dog" for i, unit in enumerate(batch.units if batch else ())})
    return study


def _gold() -> Study:
    """Units that two answered, some of them otherwise, and gold answers."""
    study = begun(["precision +-0.2"], 80)
    gold = study.adjudicate(0.3)
    answer(study, 80)
    said = np.asarray(table()["y"]).tolist()
    study.tell([{"unit": unit, "answer": "yes" if i % 6 else "no", "labeler": "eve"} for i, unit in enumerate(gold)])
    study.tell_gold([{"unit": unit, "answer": "yes" if said[int(unit[1:])] else "no", "labeler": "judge"} for unit in gold])
    return study


MADE: dict[str, Callable[[], Study]] = {
    "ship": lambda: labeled(["precision +-0.15", "recall >= 0.4"], 150, slices=["country"]),
    "more": lambda: labeled(["precision +-0.03", "recall >= 0.4"], 60, grow_to=300),
    "early": lambda: labeled(["precision +-0.1", "recall >= 0.5"], 100, labels=40),
    "fail": lambda: labeled(["recall >= 0.99"], 80),
    "two": _two,
    "online": lambda: labeled(["recall >= 0.6"], 80, labels=40, stopping="decision"),
    "classes": _classes,
    "gold": _gold,
}


class Reports:
    """The report of each kind, made once; where several processes test, one of them makes it for all."""

    def __init__(self, base: Path) -> None:
        self.folder = base.parent / "reports" if "PYTEST_XDIST_WORKER" in os.environ else base / "reports"
        self.held: dict[str, dict[str, Any]] = {}

    def __getitem__(self, kind: str) -> dict[str, Any]:
        """A copy that a test may change."""
        path = self.folder / f"{kind}.json"
        if kind not in self.held and not path.exists():
            self.folder.mkdir(exist_ok=True)
            whole = path.with_suffix(f".{os.getpid()}")
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("fewlabels.study.create.new_salt", lambda: "5a17" * 8)  # the same units every time
                whole.write_text(json.dumps(MADE[kind]().report(), allow_nan=False))
            whole.replace(path)
        if kind not in self.held:
            self.held[kind] = json.loads(path.read_text())
        return copy.deepcopy(self.held[kind])


def poisoned(value: Any, with_: str, key: str = "") -> Any:
    """The report with hostile words at the end of every text that somebody else chooses."""
    if isinstance(value, dict):
        return {k: poisoned(held, with_, k) for k, held in value.items()}
    if isinstance(value, list):
        return [poisoned(held, with_, key) for held in value]
    return f"{value}{with_}" if isinstance(value, str) and key not in FIXED else value
