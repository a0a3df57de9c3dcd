"""The atlas gets a new hash only from code that makes its numbers again."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import atlas, coverage, made, restamp
from benchmarks.tables import Bench
from fewlabels import read_population
from fewlabels.randomness import stream

OLD, NEW, SEED = "aaaa", "bbbb", 7


@pytest.fixture(scope="module")
def cells() -> dict[str, dict[str, Any]]:
    """Two sizes of one metric of a made-up population, as the atlas makes them."""
    at = made.calibrated(stream(atlas.SEED, 0)).known()
    wanted = [atlas.Task(at.name, "own", "prevalence", "simple", n, "placed", 0.95, atlas.FULL_REPS[n]) for n in (50, 100)]
    return {task.key: restamp.as_stored(atlas.run(at, task)) for task in wanted}


class Run:
    """A folder with an atlas, and the script run on it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.atlas, self.table, self.page, self.progress = (
            folder / name for name in ("atlas.json", "table.json", "atlas.md", "so_far.json")
        )
        self.patch = monkeypatch
        monkeypatch.setattr(atlas, "populations", lambda *_: iter([(made.calibrated(stream(atlas.SEED, 0)).known(), "own")]))
        monkeypatch.setattr("benchmarks.atlas.page", lambda cells, **known: f"{len(cells)} {known['code']} {len(known['restamped'])}")
        monkeypatch.setattr(restamp, "present_hash", lambda: NEW)

    def keep(self, cells: dict[str, dict[str, Any]]) -> None:
        self.atlas.write_text(json.dumps({"code": OLD, "seed": atlas.SEED, "cells": cells}))

    def __call__(self, *options: str) -> None:
        files = {"--atlas": self.atlas, "--table": self.table, "--progress": self.progress, "--data": "none", "--seed": SEED, "--cells": 2}
        self.patch.setattr("sys.argv", ["restamp", *(str(part) for pair in files.items() for part in pair), *options])
        restamp.main()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(tmp_path, monkeypatch)


def test_the_same_numbers_earn_the_new_hash(run: Run, cells: dict[str, dict[str, Any]]) -> None:
    run.keep(cells)
    run()
    held = json.loads(run.atlas.read_text())
    assert (held["code"], held["cells"]) == (NEW, cells)
    assert held["restamped"] == [{"from": OLD, "to": NEW, "seed": SEED, "tolerance": 1e-12, "cells": sorted(cells)}]
    assert json.loads(run.table.read_text())["code"] == NEW
    assert run.page.read_text() == f"2 {NEW} 1"
    assert not run.progress.exists()


def test_the_atlas_keeps_its_stamps_when_the_same_code_goes_on(run: Run, cells: dict[str, dict[str, Any]]) -> None:
    run.keep(cells)
    run()
    atlas.Atlas(run.atlas, NEW).save()
    assert len(json.loads(run.atlas.read_text())["restamped"]) == 1
    assert atlas.Atlas(run.atlas, "cccc").restamped == []


@pytest.mark.parametrize(("field", "by"), [("half_width", 1e-10), ("truth", -3e-12), ("hits", 1), ("errors", 1e-9)])
def test_one_changed_digit_is_refused_and_named(run: Run, cells: dict[str, dict[str, Any]], field: str, by: float) -> None:
    key = max(cells)
    was = cells[key][field]
    run.keep({**cells, key: {**cells[key], field: [*was[:-1], was[-1] + by] if isinstance(was, list) else was + by}})
    before = run.atlas.read_bytes()
    with pytest.raises(SystemExit, match=field) as told:
        run()
    assert key in str(told.value)
    assert run.atlas.read_bytes() == before
    assert not run.table.exists()


def test_a_cell_nobody_makes_any_more_is_refused(run: Run, cells: dict[str, dict[str, Any]]) -> None:
    run.keep({"calibrated|own|gone": {}, min(cells): cells[min(cells)]})
    with pytest.raises(SystemExit, match=r"calibrated\|own\|gone: the present code does not make this cell"):
        run()


def test_compare_alone_writes_no_hash(run: Run, cells: dict[str, dict[str, Any]]) -> None:
    run.keep(cells)
    run("--compare")
    assert json.loads(run.atlas.read_text())["code"] == OLD
    assert json.loads(run.progress.read_text())["same"] == sorted(cells)


def test_a_run_goes_on_where_it_was_for_the_same_code_and_seed_only(tmp_path: Path) -> None:
    path = tmp_path / "so_far.json"
    first = restamp.Progress(path, "code", None)
    first.add("a cell")
    assert restamp.Progress(path, "code", None).same == {"a cell"}
    assert restamp.Progress(path, "code", None).seed == first.seed
    assert restamp.Progress(path, "other", first.seed).same == set()
    assert restamp.Progress(path, "code", first.seed + 1).same == set()


def test_cells_known_to_be_the_same_are_not_made_again(run: Run, cells: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    run.keep(cells)
    run("--compare")
    monkeypatch.setattr(atlas, "run", lambda *_: pytest.fail("made again"))
    run()
    assert json.loads(run.atlas.read_text())["code"] == NEW


@pytest.mark.parametrize("by", [0.0, 1e-9])
def test_coverage_is_compared_table_by_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: float) -> None:
    cell = {"mode": "real", "table": "t", "classifier": "m", "reps": 10, "mean": 0.5, "rmse": None}
    table = read_population({"id": ["a", "b"], "score": [0.2, 0.9]}, score="score", threshold=0.5)
    monkeypatch.setattr(restamp, "all_benches", lambda *_, **__: iter([Bench("t", "m", "real", table)]))
    monkeypatch.setattr(coverage, "run", lambda *_, **__: [])
    monkeypatch.setattr(coverage, "as_cells", lambda _: [{**cell, "mean": 0.5 + by}])
    progress = restamp.Progress(tmp_path / "so_far.json", "code", 1)
    if by:
        with pytest.raises(restamp.DifferenceError, match=r"coverage real t m .*mean: stored 0\.5"):
            restamp.compare_coverage({"seed": 42, "cells": [cell]}, folder=tmp_path, progress=progress)
    else:
        restamp.compare_coverage({"seed": 42, "cells": [cell]}, folder=tmp_path, progress=progress)
        assert progress.same == {"coverage real t m"}


@pytest.mark.parametrize(
    ("stored", "now", "same"),
    [
        (0.1, 0.1 + 1e-14, True),
        (0.1, 0.1 + 2e-13, False),  # a number below one: 1e-12 of itself
        (100.0, 100.0 + 1e-12, True),
        (100.0, 100.0 + 5e-12, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 0.0, False),
        (0.0, 1e-300, False),
        (None, 0.0, False),
        (True, 1, False),
        ([1.0], [1.0, 1.0], False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_what_is_the_same(stored: object, now: object, same: bool) -> None:
    assert (restamp.difference(stored, now) is None) is same


def test_the_draw_of_cells_is_that_of_its_seed() -> None:
    keys = [f"cell {i}" for i in range(200)]
    first = restamp.chosen(keys, 50, 1)
    assert first == restamp.chosen(reversed(keys), 50, 1)
    assert first != restamp.chosen(keys, 50, 2)
    assert len(set(first)) == 50
