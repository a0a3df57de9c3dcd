"""Intervals about units like these keep their word where units come in clusters; the twins, units alone and the table, must fail there."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.estimand import METRICS, Like, cells_of
from fewlabels.nouns.policy import parse_policy
from fewlabels.randomness import stream
from fewlabels.study.decision.gate_self_test import self_test
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study

pytestmark = pytest.mark.statistics
REPS, FALSE_ALARM = 200, 1e-6
LEAST = int(binom.ppf(FALSE_ALARM, REPS, 0.95))


@pytest.mark.parametrize("like", [Like(150, 20, 0.1, 0.4, "census"), Like(150, 20, 0.3, 0.4, "bands", 400)], ids=str)
def test_clusters_are_covered_and_units_alone_are_not(like: Like, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.estimand.PROCESSES", (like,))
    cells = {cell.metric: cell for cell in cells_of(like, reps=REPS, seed=seed)}
    assert {*cells} == {*METRICS}
    for cell in cells.values():
        assert REPS - sum(cell.misses["process"]) >= LEAST, cell
    for twin in ("units", "table"):
        assert REPS - sum(cells["precision"].misses[twin]) < LEAST


POLICY = parse_policy('rule = [{metric = "recall", target = ">= 0.7"}]')


@pytest.mark.parametrize("labels", [500, 900])
def test_a_gate_about_units_like_these_seldom_passes_what_misses(labels: int, seed: int) -> None:
    """Its self-test draws a table from the process for every study."""
    rng = stream(seed, 79)
    score = rng.beta(0.3, 0.7, 1_000)
    table = {"id": [f"u{i}" for i in range(score.size)], "score": score}
    population = read_population(table, score="score", threshold=0.5)
    study = Study.create("s", population, goals=["recall >= 0.7"], ledger="sqlite:///:memory:", about="process")
    study.plan(labels)
    found = self_test(study.standing, POLICY, reps=60, seed=seed)
    passes = [one for one in found.tried if not one.keeps]
    assert passes
    for one in passes:
        assert one.ships.seen <= binom.ppf(1 - FALSE_ALARM, one.ships.reps, one.allowed)
    assert found.passed


def test_a_gate_about_the_table_passes_other_tables_too_often(seed: int) -> None:
    """The twin: all 900 units of a table labeled, the process at the target: the table is above it about half of the time."""
    rng = stream(seed, 80)
    score = rng.beta(0.3, 0.7, 900)
    reps, share, ships = 24, 0.7, 0
    for _ in range(reps):
        y = rng.random(900) < score
        flagged = np.where(y, rng.random(900) < share, rng.random(900) < 0.1)
        table = {"id": [f"u{i}" for i in range(900)], "flag": flagged}
        population = read_population(table, predicted="flag")
        study = Study.create("s", population, goals=["recall >= 0.7"], ledger="sqlite:///:memory:")
        study.plan(900)
        batch = study.ask(900)
        assert batch is not None
        study.tell({unit: bool(y[int(unit[1:])]) for unit in batch.units})
        decision = study.decide()
        assert decision is not None
        ships += decision.outcome == "ship"
    assert ships > binom.ppf(1 - 1e-3, reps, 0.05)
