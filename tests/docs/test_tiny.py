"""docs/tiny.py is the product in one file: it must draw the same units and print the same numbers."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest

import fewlabels
from fewlabels.nouns import ladder
from fewlabels.nouns.metrics import RECALL
from fewlabels.planning.mixing import mixture_for
from fewlabels.randomness import permanent_number, stream

TINY = Path(__file__).parents[2] / "docs" / "tiny.py"
LONGEST = 190  # lines, docstrings included


def load_tiny() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tiny", TINY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scored(seed: int, *, N: int, sureness: float) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Ids, scores and truth of a made-up population; sureness 1 is calibrated."""
    rng = stream(seed, 1)
    truth = rng.random(N) < 0.05
    log_odds = 3 * (rng.normal(0, 1, N) + 3 * truth) - 4.5 + np.log(0.05 / 0.95)
    return [f"u{i}" for i in range(N)], 1 / (1 + np.exp(-sureness * log_odds)), truth


@pytest.mark.parametrize(("seed", "N", "labels", "sureness"), [(1, 3_000, 200, 1.0), (2, 8_000, 500, 1.5), (3, 5_000, 900, -0.2)])
def test_tiny_draws_the_same_units_and_gives_the_same_numbers(seed: int, N: int, labels: int, sureness: float, tmp_path: Path) -> None:
    ids, score, truth = scored(seed, N=N, sureness=sureness)
    population = fewlabels.read_population({"id": ids, "score": score}, score="score", threshold=0.5)
    salt = f"{seed + 60:032x}"  # with it the labels do not contradict the scores; where they do, strict is read, which tiny has not
    with patch("fewlabels.study.create.new_salt", lambda: salt):
        real = fewlabels.Study.create("t", population, goals=["recall +-0.1"], ledger=f"sqlite:///{tmp_path / 'a.db'}")
    assert real.plan(labels, interval="rec").salt == salt
    batch = real.ask(labels)
    assert batch is not None

    tiny, profile = load_tiny(), real.standing.profile
    mixture = tiny.Mixture(*mixture_for(profile, [RECALL], labels=labels, classifier=0))
    study = tiny.Tiny(ids, score, 0.5, labels=labels, salt=salt, mixture=mixture)
    assert sorted(study.units) == sorted(batch.units)

    answers = {unit: bool(truth[int(unit[1:])]) for unit in batch.units}
    real.tell(answers)
    shown, small = real.estimate(), study.estimate(answers)
    for metric in ("precision", "recall"):
        found = shown[metric]
        assert (found.value, found.low, found.high) == pytest.approx(tuple(small[metric]), abs=1e-9)


def test_tiny_has_the_products_bins_and_numbers() -> None:
    rng = stream(4, 1)
    edges = 2.0 ** -np.arange(1, 40)
    score = np.concatenate([rng.random(5_000), 10 ** rng.uniform(-14, 0, 5_000), edges, 1 - edges, [0.0, 1.0, np.nextafter(0.5, 0)]])
    tiny = load_tiny()
    bins, middle = tiny.ladder(score)
    assert (bins == ladder.bin_of(score)).all()
    assert (middle == ladder.MIDDLES[bins]).all()
    assert tiny.number("salt", "é:1") == permanent_number("salt", "é:1")


def test_tiny_stays_tiny_and_runs() -> None:
    assert len(TINY.read_text().splitlines()) <= LONGEST
    shown = subprocess.run([sys.executable, str(TINY)], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in shown.splitlines()] == ["precision", "recall"]
