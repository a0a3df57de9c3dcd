"""Sizes with the scores as a few answers make them: between their word and the worst, and right where the scores are wrong."""

from pathlib import Path

import numpy as np
import pytest

from fewlabels.engines.opening import open_engine
from fewlabels.nouns.goal import parse_goal
from fewlabels.randomness import stream
from fewlabels.study.plan.one_draw import PlanOptions
from fewlabels.study.plan.sizes import size_goals
from fewlabels.study.population.calibration import read_answered, recalibration
from fewlabels.study.population.read import read_population
from tests.end_to_end.commands import fewlabels, ok
from tests.unit.study.made import write_csv

N = 20_000


def made(seed: int) -> dict[str, np.ndarray]:
    """Scores whose log-odds are 2.5 times too large."""
    rng = stream(seed, 21)
    truth = rng.random(N) < 0.1
    signal = rng.normal(0, 1, N) + 2 * truth
    return {"id": np.arange(N), "score": 1 / (1 + np.exp(-2.5 * (2 * signal - 2 - np.log(9)))), "y": truth}


def test_recalibrated_sizes_are_near_those_of_the_truth(seed: int) -> None:
    """The twin: at their word the scores ask for far fewer labels than the truth does."""
    table = made(seed)
    population = read_population({"id": table["id"], "score": table["score"]}, score="score", threshold=0.5)
    right = read_population({"id": table["id"], "score": table["score"] ** 0.4 / (table["score"] ** 0.4 + (1 - table["score"]) ** 0.4),
                             "own": table["score"]}, score="own", threshold=0.5, guide="score")  # fmt: skip
    some = stream(seed, 22).choice(N, 1_500, replace=False)
    found = recalibration(read_answered(population, {str(i): bool(table["y"][i]) for i in some.tolist()}))
    goal = [parse_goal("precision +-0.03")]
    size = size_goals(open_engine(population).profile(), goal, ways=PlanOptions(recalibration=found)).goals[0]
    truth = size_goals(open_engine(right).profile(), goal).goals[0].labels
    assert size.recalibrated is not None
    assert truth is not None
    assert size.labels is not None
    assert found.answers == 1_500
    assert found.other[1] < 1, "the scores are too sure of themselves"
    assert 0.75 < size.recalibrated / truth < 1.33
    assert not 0.75 < size.labels / truth < 1.33


def test_the_command_shows_them_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.chdir(tmp_path)
    table = made(seed)
    write_csv(tmp_path / "t.csv", table)
    rows = [f"{i},{'yes' if table['y'][i] else 'no'}" for i in range(0, N, 100)]
    (tmp_path / "few.csv").write_text("\n".join(["unit,answer", *rows]))
    how = ("plan", "t.csv", "--score", "score", "--threshold", "0.5", "--goal", "f1 +-0.05")
    shown = ok(*how, "--answers", "few.csv")
    assert "recalibrated" in shown.out
    held = ok(*how, "--answers", "few.csv", "--json").json["goals"][0]
    assert isinstance(held["recalibrated"], int)
    assert ok(*how, "--json").json["goals"][0]["recalibrated"] is None
    (tmp_path / "few.csv").write_text("unit,answer\n1,skipped\n")
    refused = fewlabels(*how, "--answers", "few.csv")
    assert refused.code == 2
    assert "no answer that says yes or no" in refused.err
