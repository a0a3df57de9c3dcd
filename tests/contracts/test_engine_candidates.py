"""Candidates and missing scores: every engine reads the same steps and bins, and draws the same units."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from fewlabels.engines.base import take_smallest
from fewlabels.engines.opening import open_engine
from fewlabels.errors import PopulationError
from fewlabels.nouns import ladder
from fewlabels.nouns.metrics import metric_named
from fewlabels.nouns.population import Population
from fewlabels.planning.design_choice import choose_design
from fewlabels.randomness import stream
from fewlabels.study.population.read import read_population
from tests.contracts.engines_under_test import UnderTest

N = 3_000
EDGES = [0.0, 1.0, 0.5, 2.0**-33, 1 - 2.0**-33, 2.0**-4, 1 - 2.0**-4, 0.25, 1e-9]


def populations(seed: int, tmp_path: Path, *, nulls: bool) -> tuple[Population, Population]:
    """The same table in memory and as a Parquet file."""
    rng = stream(seed, 5)
    score: list[float | None] = (rng.random(N) ** 4).tolist()
    if nulls:
        score[::7] = [None] * len(score[::7])
    other = np.concatenate([EDGES, rng.random(N - len(EDGES)) ** 6])
    path = tmp_path / "t.parquet"
    with duckdb.connect() as connection:
        connection.execute("create table t (id bigint, score double, other double)")
        connection.executemany("insert into t values (?, ?, ?)", list(zip(range(N), score, other.tolist(), strict=True)))
        connection.execute(f"copy t to '{path}' (format parquet)")
    table = {"id": list(range(N)), "score": score, "other": other}
    one, two = (
        read_population(source, score="score", threshold=0.5, candidates=["other"], missing_scores=nulls) for source in (table, path)
    )
    return one, two


@pytest.mark.parametrize("nulls", [False, True])
def test_engines_agree_on_cells_and_units(under: UnderTest, nulls: bool, seed: int, tmp_path: Path) -> None:
    held = populations(seed, tmp_path, nulls=nulls)[0]
    assert isinstance(held.table, dict)
    how = {"id": held.id, "classifiers": held.classifiers, "candidates": held.candidates, "missing_scores": nulls}
    engines = [open_engine(held), under.build(held.table, tmp_path, **how)]
    one, two = (engine.profile() for engine in engines)
    for name in ("guide_bin", "pattern", "slice", "count"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert one.slice_values == two.slice_values
    design = choose_design(one, [metric_named("f1")], labels=200)
    take = np.minimum(design.N, 5)
    drawn = [take_smallest(e, p, band=design.band, take=take, salt="aa").units for e, p in zip(engines, (one, two), strict=True)]
    assert drawn[0].unit == drawn[1].unit
    assert np.array_equal(drawn[0].slice, drawn[1].slice)


def test_units_without_a_score_are_not_flagged_and_share_no_band(seed: int, tmp_path: Path) -> None:
    profile = open_engine(populations(seed, tmp_path, nulls=True)[0]).profile()
    assert int(profile.count[profile.unscored].sum()) == len(range(0, N, 7))
    assert not (profile.unscored & profile.predicted(0)).any()
    for name in ("bands", "proportional", "neyman"):
        band = choose_design(profile, [metric_named("recall")], labels=200, name=name).band
        assert not set(band[profile.unscored]) & set(band[~profile.unscored]), name


def test_missing_scores_are_refused_unless_allowed(seed: int, tmp_path: Path) -> None:
    held = populations(seed, tmp_path, nulls=True)[1]
    with pytest.raises(PopulationError, match="score"):
        open_engine(read_population(held.source, score="score", threshold=0.5)).profile()


def test_a_step_is_64_bins_and_its_middle_lies_inside() -> None:
    bins = np.arange(ladder.BINS)
    steps = ladder.step_of(bins)
    assert (np.diff(steps) >= 0).all()
    assert np.bincount(steps).max() == ladder.STEP
    assert (ladder.step_of(ladder.bin_of(ladder.step_middle(np.unique(steps)))) == np.unique(steps)).all()
