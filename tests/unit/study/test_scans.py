"""A plan is one scan and a draw another; a table that changed in between is refused, told by its files or by the draw's own count."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fewlabels
from fewlabels.engines import sql_engine
from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.errors import FingerprintError, PopulationError, StudyError
from fewlabels.study.study import Study

N = 5_000


def columns(seed: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"id": np.arange(N), "score": rng.random(N) ** 4, "country": rng.choice(["US", "BR", "JP"], N)}


def written(folder: Path, table: dict[str, Any]) -> Path:
    path = folder / "scored.parquet"
    pq.write_table(pa.table(table), path)
    return path


def population(source: object) -> fewlabels.Population:
    return fewlabels.read_population(source, score="score", threshold=0.5, slices=["country"])


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that read the table, but for those its statistics answer."""
    seen: list[str] = []
    run = DuckDBEngine._run

    def watched(self: DuckDBEngine, text: str, *, lookup: Any = None) -> Any:
        if getattr(self, "source", "nothing yet") in text and not text.startswith(("describe", "select count(id), ")):
            seen.append(text)
        return run(self, text, lookup=lookup)

    monkeypatch.setattr(DuckDBEngine, "_run", watched)
    monkeypatch.setattr(sql_engine, "EXACT_DUPLICATES_UP_TO", 0)  # as for a large table
    return seen


@pytest.mark.parametrize("held", ["files", "frame"])
def test_plan_and_draw_are_one_scan_each(tmp_path: Path, scans: list[str], held: str) -> None:
    table = written(tmp_path, columns()) if held == "files" else pa.table(columns())
    study = Study.create("s", population(table), goals=["precision +-0.05"], ledger=f"sqlite:///{tmp_path / 'l.db'}")
    study.plan(200)
    assert len(scans) == 1
    assert study.ask(10) is not None
    assert len(scans) == 2
    study.ask(10, more=True)
    assert len(scans) == 2


def test_the_ends_of_ids_in_parquet_cost_no_scan(tmp_path: Path) -> None:
    engine = DuckDBEngine(population(written(tmp_path, columns())))
    explained = engine._connection.execute(f"explain {engine._queries(engine.columns()).ends()}").fetchall()
    assert "SCAN" not in explained[0][1].upper().replace("_", " ").replace("COLUMN DATA SCAN", "")


@pytest.mark.parametrize("held", ["files", "frame"])
def test_a_table_that_changed_before_the_draw_is_refused(tmp_path: Path, held: str) -> None:
    table = columns()
    changed = {**table, "score": np.where(np.arange(N) == 7, 0.9, table["score"])}
    source: object = written(tmp_path, table) if held == "files" else pa.table(table)
    study = Study.create("s", population(source), goals=["precision +-0.05"], ledger=f"sqlite:///{tmp_path / 'l.db'}")
    study.plan(200)
    if held == "files":
        written(tmp_path, changed)
    else:
        study = Study.load("s", ledger=f"sqlite:///{tmp_path / 'l.db'}", table=pa.table(changed))
    with pytest.raises(FingerprintError, match="the population must be the one the study was made on"):
        study.ask(10)
    assert study.standing.units is None


def make(folder: Path, path: Path) -> Study:
    study = Study.create("s", population(path), goals=["precision +-0.05"], ledger=f"sqlite:///{folder / 'l.db'}")
    study.plan(200)
    return study


def test_a_file_moved_to_another_partition_is_refused(tmp_path: Path) -> None:
    table = columns()
    del table["country"]
    for country, name, rows in (("a", "x", slice(0, 2_000)), ("a", "y", slice(2_000, 4_000)), ("b", "z", slice(4_000, N))):
        (tmp_path / "p" / f"country={country}").mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({k: v[rows] for k, v in table.items()}), tmp_path / "p" / f"country={country}" / f"{name}.parquet")
    study = make(tmp_path, tmp_path / "p")
    (tmp_path / "p" / "country=a" / "y.parquet").rename(tmp_path / "p" / "country=b" / "y.parquet")
    with pytest.raises(FingerprintError, match="the population must be the one the study was made on"):
        study.ask(10)


def test_a_copy_is_counted_and_drawn(tmp_path: Path) -> None:
    path = written(tmp_path, columns())
    study = make(tmp_path, path)
    held = path.read_bytes()
    path.unlink()
    path.write_bytes(held)
    assert study.ask(10) is not None


@pytest.mark.parametrize("when", ["profile", "draw"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    path, run = written(tmp_path, columns()), DuckDBEngine._run
    study = make(tmp_path, path) if when == "draw" else None

    def changing(self: DuckDBEngine, text: str, *, lookup: Any = None) -> Any:
        rows = run(self, text, lookup=lookup)
        if "group by" in text or "join" in text:
            written(tmp_path, columns(seed=4))
        return rows

    monkeypatch.setattr(DuckDBEngine, "_run", changing)
    with pytest.raises((FingerprintError, PopulationError), match=r"changed while it was read|the one the study was made on"):
        study.ask(10) if study else make(tmp_path, path)


def test_the_rule_of_an_existing_study_is_not_changed(tmp_path: Path) -> None:
    path, goals, ledger = written(tmp_path, columns()), ["precision +-0.05"], f"sqlite:///{tmp_path / 'l.db'}"
    Study.create("s", population(path), goals=goals, ledger=ledger)
    with pytest.raises(StudyError, match="numbers by md5"):
        Study.create("s", population(path), goals=goals, ledger=ledger, number_rule="fast")


def test_a_study_keeps_to_its_rule_of_numbers(tmp_path: Path) -> None:
    path, ledger = written(tmp_path, columns()), f"sqlite:///{tmp_path / 'l.db'}"
    goals = ["precision +-0.05"]
    fast = Study.create("fast", population(path), goals=goals, ledger=ledger, number_rule="fast")
    plan = fast.plan(200)
    assert plan.number_rule == "fast"
    assert plan.as_json()["number_rule"] == "fast"
    while batch := fast.ask(100):
        fast.tell(dict.fromkeys(batch.units, "yes"))
    assert fast.verify(population=True).passed
    units = fast.standing.units
    assert units is not None
    assert units.number.tolist() != [fewlabels.randomness.permanent_number(fast.standing.salt, u) for u in units.unit]
    follower = Study.create("next", population(path), goals=goals, ledger=ledger, follows="fast")
    assert follower.standing.number_rule == "fast"
    with pytest.raises(StudyError, match="by fast, got md5"):
        Study.create("other", population(path), goals=goals, ledger=ledger, follows="fast", number_rule="md5")


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([f"u{i}" for i in range(N)], "'id' is text: use md5"),
        (np.arange(N).astype(np.uint64) + np.uint64(2**63), f"holds {2**63}: use md5"),
    ],
)
def test_ids_that_are_no_64_bit_integers_are_refused_by_the_fast_rule(tmp_path: Path, ids: Any, message: str) -> None:
    path = written(tmp_path, {**columns(), "id": ids})
    with pytest.raises(StudyError, match=message):
        Study.create("s", population(path), goals=["precision +-0.05"], ledger=f"sqlite:///{tmp_path / 'l.db'}", number_rule="fast")


def test_an_unknown_rule_is_refused(tmp_path: Path) -> None:
    unknown: Any = "sha1"
    with pytest.raises(StudyError, match="by md5 or fast, got 'sha1'"):
        Study.create("s", population(columns()), goals=["f1 +-0.1"], ledger=f"sqlite:///{tmp_path / 'l.db'}", number_rule=unknown)
