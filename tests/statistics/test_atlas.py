"""A fast part of the coverage atlas, with exact binomial limits; and the atlas's own files hold together."""

import json
from pathlib import Path

import pytest
from scipy.stats import binom

from benchmarks import atlas, made
from benchmarks.atlas_page import EIGHT, is_full, summary
from fewlabels.nouns.estimate import USUAL_INTERVAL
from fewlabels.randomness import stream

pytestmark = pytest.mark.statistics
ROOT = Path(__file__).parents[2]
REPS = 1_000
ATLAS = json.loads((ROOT / "docs/atlas.json").read_text())
TABLE = json.loads((ROOT / "src/fewlabels/study/estimate/atlas.json").read_text())


def enough_hits(reps: int) -> int:
    """The fewest hits a true coverage of 0.94 gives with probability 1 - 1e-6."""
    return int(binom.ppf(1e-6, reps, 0.94))


@pytest.mark.parametrize("guide", made.GUIDE_MODES)
@pytest.mark.parametrize("number", range(len(made.SYNTHETIC)), ids=lambda i: made.SYNTHETIC[i].__name__)
def test_rec_covers(number: int, guide: made.GuideMode, seed: int) -> None:
    at = made.SYNTHETIC[number](stream(seed, number)).known(guide, stream(seed, number, 1))
    for metric, labels in (("precision", 100), ("recall", 200), ("f1", 50), ("mcc", 500), ("kappa", 100), ("balanced_accuracy", 200)):
        task = atlas.Task(at.name, guide, metric, "bands", labels, USUAL_INTERVAL, 0.95, REPS)
        cell = atlas.run(at, task)
        assert cell["census"] or cell["hits"] >= enough_hits(REPS), (task.key, cell["hits"] / REPS)


def test_wald_does_not(seed: int) -> None:
    """The twin: with rare errors the usual interval falls far short under the same limits."""
    at = made.precise(stream(seed, 3)).known()
    cell = atlas.run(at, atlas.Task(at.name, "own", "precision", "bands", 100, "wald", 0.95, REPS))
    assert cell["hits"] < enough_hits(REPS)


def test_the_product_reads_what_the_atlas_saw() -> None:
    assert summary(list(ATLAS["cells"].values()), code=ATLAS["code"], seed=ATLAS["seed"]) == TABLE


def test_every_cell_that_must_be_there_is_there() -> None:
    """Three tables and four made-up populations, eight metrics, six sizes, the usual interval at 95 % with thousands of replicates."""
    full = {(c["population"], c["metric"], c["labels"]) for c in ATLAS["cells"].values() if is_full(c)}
    populations = [t for t, _ in atlas.TABLES] + [maker.__name__ for maker in made.SYNTHETIC]
    assert full == {(p, m, n) for p in populations for m in EIGHT for n in atlas.LABELS}


@pytest.mark.slow
def test_a_cell_made_again_is_the_cell_in_the_file() -> None:
    """The same seed gives the same hits. Code that rightly gives others needs another atlas: `make atlas`."""
    at = made.calibrated(stream(atlas.SEED, 0)).known()
    task = atlas.Task("calibrated", "own", "f1", "bands", 200, USUAL_INTERVAL, 0.95, atlas.FULL_REPS[200])
    assert atlas.run(at, task)["hits"] == ATLAS["cells"][task.key]["hits"]
