"""What the README promises, each as a test that can fail. Chance is judged by the exact binomial, at seed 42 unless told otherwise."""

import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import fewlabels
from fewlabels.engines.duckdb import write_parquet
from fewlabels.nouns.estimate import USUAL_INTERVAL, IntervalKind
from fewlabels.randomness import stream

SEED = int(os.environ.get("FEWLABELS_TEST_SEED", "42"))
REPS = 2_000
FALSE_ALARM = 1e-6
GOALS = ["precision +-0.05", "recall >= 0.5"]


def table(N: int = 4_000) -> dict[str, np.ndarray | list[str]]:
    """A made-up population: id, text, score, a reversed guide, and the truth."""
    rng = stream(1, 1)
    y = rng.random(N) < 0.05
    score = 1 / (1 + np.exp(-(3 * (rng.normal(0, 1, N) + 3 * y) - 4.5 + np.log(0.05 / 0.95))))
    wrong = np.empty(N)
    for side in (score >= 0.5, score < 0.5):
        order = np.argsort(score[side])
        wrong[np.flatnonzero(side)[order]] = score[side][order[::-1]]
    return {"id": [f"u{i}" for i in range(N)], "text": [f"t{i}" for i in range(N)], "score": score, "wrong": wrong, "y": y}


TABLE = table()
TRUTH = dict(zip(TABLE["id"], np.asarray(TABLE["y"]).tolist(), strict=True))


@pytest.fixture
def population(tmp_path: Path) -> fewlabels.Population:
    path = tmp_path / "scored.parquet"
    write_parquet(path, {"id": list(TABLE["id"]), "text": list(TABLE["text"]), "score": np.asarray(TABLE["score"])})
    return fewlabels.read_population(path, score="score", threshold=0.5)


@pytest.fixture
def study(population: fewlabels.Population, tmp_path: Path) -> fewlabels.Study:
    return fewlabels.Study.create("s", population, goals=GOALS, ledger=f"sqlite:///{tmp_path / 'fewlabels.db'}")


def label(study: fewlabels.Study, batches: int | None = None) -> None:
    """Answers `batches` batches of 50, or all that are left."""
    while batches != 0 and (batch := study.ask(50)):
        study.tell({unit: TRUTH[unit] for unit in batch.units})
        batches = None if batches is None else batches - 1


def hits(metric: str, labels: int, *, guide: str | None = None, interval: IntervalKind = USUAL_INTERVAL) -> int:
    """How many of REPS intervals hold the truth."""
    population = fewlabels.read_population(TABLE, score="score", threshold=0.5, guide=guide)
    (cell,) = fewlabels.simulate(
        population,
        truth="y",
        metrics=[metric],
        labels=[labels],
        designs=["bands"],
        reps=REPS,
        seed=SEED,
        interval=interval,
    )
    assert cell.coverage is not None
    return round(cell.coverage * REPS)


LIMIT = binom.ppf(FALSE_ALARM, REPS, 0.94)


@pytest.mark.statistics
@pytest.mark.parametrize(("metric", "labels"), [("precision", 60), ("recall", 300)])
def test_intervals_cover(metric: str, labels: int) -> None:
    assert hits(metric, labels) >= LIMIT


@pytest.mark.statistics
@pytest.mark.parametrize(("metric", "labels"), [("precision", 60), ("recall", 300)])
def test_a_reversed_guide_does_not_break_the_interval(metric: str, labels: int) -> None:
    assert hits(metric, labels, guide="wrong") >= LIMIT


@pytest.mark.statistics
def test_the_same_test_catches_wald() -> None:
    assert hits("recall", 200, guide="wrong", interval="wald") < LIMIT


def test_a_larger_budget_only_adds_units(study: fewlabels.Study) -> None:
    study.plan(200)
    label(study)
    before = study.standing
    study.plan(300)
    label(study)
    after = study.standing
    assert before.units is not None
    assert after.units is not None
    assert after.units.unit[:200] == before.units.unit
    assert len(after.units) == 300


def test_no_interval_before_the_look(study: fewlabels.Study) -> None:
    study.plan(200)
    label(study, batches=3)
    assert study.estimate().estimates == ()
    assert study.decide() is None
    assert study.status().looks == 0
    peek = study.estimate(peek=True)
    assert peek.estimates
    assert not peek.certified
    assert study.status().looks == 1
    label(study)
    assert study.estimate().certified


def test_a_thin_reading_does_not_ship(population: fewlabels.Population, tmp_path: Path) -> None:
    study = fewlabels.Study.create("thin", population, goals=["precision +-0.9"], ledger=f"sqlite:///{tmp_path / 'fewlabels.db'}")
    study.plan(12)
    label(study)
    decision = study.decide()
    assert decision is not None
    assert decision.goals[0].status == "met"
    assert decision.outcome == "label more"
    assert any("too thin" in reason for reason in decision.reasons)


def test_the_ledger_alone_reproduces_every_number(study: fewlabels.Study, population: fewlabels.Population, tmp_path: Path) -> None:
    study.plan(200)
    label(study)
    study.estimate()
    assert study.verify(population=True).passed
    Path(population.source).unlink()
    assert study.verify().passed
    assert not study.verify(population=True).passed
    with sqlite3.connect(tmp_path / "fewlabels.db") as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("""UPDATE entry SET body = replace(body, '"yes"', '"no"') WHERE kind = 'answer'""")
    db.close()
    assert any("was changed" in finding for finding in study.verify().findings)


def test_telling_twice_is_telling_once(study: fewlabels.Study) -> None:
    study.plan(200)
    batch = study.ask(50)
    assert batch is not None
    answers = {unit: TRUTH[unit] for unit in batch.units}
    assert study.tell(answers).recorded == 50
    entries = len(study.standing.answers)
    again = study.tell(answers)
    assert (again.recorded, again.known) == (0, 50)
    assert len(study.standing.answers) == entries


def test_labelers_are_blind(study: fewlabels.Study) -> None:
    study.plan(200)
    batch = study.ask(50)
    assert batch is not None
    assert study.fetch(batch.units, columns=["text"])[0].keys() == {"text"}
    with pytest.raises(fewlabels.FewlabelsError, match="labelers see no score"):
        study.fetch(batch.units, columns=["score"])
