"""Made-up scored populations and the answers people would give: files to try the commands on, and a study of forty units for examples."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from fewlabels.engines.duckdb import write_parquet
from fewlabels.nouns.arrays import FloatArray
from fewlabels.nouns.classifier import Classifier
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study
from fewlabels.writing import write_whole

UNITS = 50_000
POSITIVE = 0.08
SEPARATION = 3.6  # standard deviations between the two kinds of unit
SEED = 2026
SMALL_POSITIVES = (1, 2, 3, 4, 5, 6, 7, 9, 10, 14, 20)  # among the units 1 to 40 of a small study


class Demo(NamedTuple):
    """Where the two files are, and how many units they hold."""

    population: Path
    answers: Path
    units: int


def write_demo(folder: Path) -> Demo:
    """Write scored.parquet (id, text, country, score) and answers.csv (unit, answer): 8 % positive, scores slightly overconfident."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = stream(SEED)
    positive = rng.random(UNITS) < POSITIVE
    signal = rng.normal(0, 1, UNITS) + SEPARATION * positive
    log_odds = SEPARATION * signal - SEPARATION**2 / 2 + np.log(POSITIVE / (1 - POSITIVE))
    score = 1 / (1 + np.exp(-1.1 * log_odds))  # slightly overconfident
    ids = [f"m{i:05d}" for i in range(UNITS)]
    demo = Demo(folder / "scored.parquet", folder / "answers.csv", UNITS)
    columns: dict[str, list[str] | FloatArray] = {
        "id": ids,
        "text": [f"made-up message number {i}" for i in range(UNITS)],
        "country": [str(c) for c in rng.choice(["BR", "DE", "IN", "US"], UNITS, p=[0.2, 0.1, 0.3, 0.4])],
        "score": score,
    }
    write_parquet(demo.population, columns)
    rows = (f"{unit},{'yes' if yes else 'no'}\n" for unit, yes in zip(ids, positive.tolist(), strict=True))
    write_whole(demo.answers, "unit,answer\n" + "".join(rows))
    return demo


def small_study(name: str = "small", *, labeled: bool = True) -> Study:
    """Return a study of forty made-up units in memory, all of them drawn: numbers are exact, and the same every time. For examples.

    There are 11 positive units. "new" flags 9 of them and 3 others, the units with the highest scores; "old" flags 5 and 7 others. With
    labeled=False, the study waits for answers.

    Examples:
        >>> from fewlabels.demo.study import small_study
        >>> small_study().estimate()["precision"].value
        0.75
    """
    number = range(1, 41)
    table = {
        "id": [f"{name}-{i}" for i in number],
        "text": [f"made-up message number {i}" for i in number],
        "country": ["BR" if i % 4 else "DE" for i in number],
        "score": [1 - i / 41 for i in number],
        "old": [i % 2 == 1 and i < 24 for i in number],
    }
    judged = [Classifier("new", score="score", threshold=0.7), Classifier("old", predicted="old")]
    population = read_population(table, classifiers=judged, slices=["country"])
    study = Study.create(name, population, goals=["precision >= 0.6", "f1 >= 0 for new over old"], ledger="sqlite:///:memory:")
    study.plan(40)
    if labeled:
        study.ask(40)
        study.tell({f"{name}-{i}": i in SMALL_POSITIVES for i in number})
    return study
