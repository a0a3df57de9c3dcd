"""A classifier that arrives late, and a goal that compares it with the one before, on fewer labels than the goal asks for."""

from pathlib import Path

import numpy as np

from fewlabels.nouns.classifier import Classifier
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from fewlabels.study.study import Study


def test_a_late_comparison_is_read_with_the_labels_there_are(seed: int, tmp_path: Path) -> None:
    rng, units = stream(seed, 5), 4_000
    y = rng.random(units) < 0.12
    scores = [1 / (1 + np.exp(-(a * (rng.normal(0, 1, units) + b * y) - c))) for a, b, c in ((2.2, 2.4, 4.2), (2.6, 2.9, 5.0))]
    table = {"id": np.arange(units), "v1": scores[0], "v2": scores[1]}
    population = read_population(table, score="v1", threshold=0.5)
    goals = ["precision >= 0.6", "recall >= 0.4"]
    study = Study.create("late", population, goals=goals, ledger=f"sqlite:///{tmp_path}/ledger.db")
    study.plan(200)
    says = {str(unit): "yes" if yes else "no" for unit, yes in zip(table["id"], y, strict=True)}
    while batch := study.ask(100):
        study.tell({unit: says[unit] for unit in batch.units})
    study.decide()
    study.extend(classifiers=[Classifier("late", score="v2", threshold=0.5)], goals=["f1 >= 0 for late over classifier"], budget=200)
    shown = study.estimate()
    [difference] = [one for one in shown.estimates if one.over is not None]
    assert difference.value is not None
    assert difference.low <= difference.value <= difference.high
    assert study.decide() is not None
