"""A made-up scored population and the answers people would give, to walk the path with."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.engines.duckdb import write_parquet
from assay.labeling.flat import write_whole
from assay.nouns.arrays import FloatArray
from assay.randomness import stream

UNITS = 50_000
POSITIVE = 0.08
SEPARATION = 3.6  # standard deviations between the two kinds of unit
SEED = 2026


class Demo(NamedTuple):
    """Where the two files are, and how many units they hold."""

    population: Path
    answers: Path
    units: int


def write_demo(folder: Path) -> Demo:
    """Writes scored.parquet (id, text, country, score) and answers.csv (unit, answer): 8 % positive, scores a little too sure."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = stream(SEED)
    positive = rng.random(UNITS) < POSITIVE
    signal = rng.normal(0, 1, UNITS) + SEPARATION * positive
    log_odds = SEPARATION * signal - SEPARATION**2 / 2 + np.log(POSITIVE / (1 - POSITIVE))
    score = 1 / (1 + np.exp(-1.1 * log_odds))  # a little too sure
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
