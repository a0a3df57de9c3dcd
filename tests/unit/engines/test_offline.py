"""Results handed in: how they are read, and what an engine that was never opened refuses."""

import csv
import gzip
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from fewlabels.engines.offline import HandedEngine, Unopened, profile_from
from fewlabels.engines.offline_queries import expected_proof, profile_digest, written_for
from fewlabels.engines.warehouses import Place
from fewlabels.errors import EngineError, PopulationError
from fewlabels.nouns import profile as limits
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import Population
from fewlabels.nouns.profile import Column, Profile

PLACE = Place("duckdb", "scored")
POPULATION = Population(source="duckdb:scored", id="id", classifiers=(Classifier("gbm", score="s", threshold=0.5),), slices=("part",))
COLUMNS = (Column("id", "int"), Column("s", "float64"), Column("part", "text"))


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """The result of a profile query, as CSV."""
    written = written_for(POPULATION, COLUMNS, PLACE)
    with duckdb.connect() as connection:
        connection.execute("create table scored as select i as id, i / 100.0 as s, i % 3 as part from range(100) t(i)")
        text = written.profile_text(digest=profile_digest(POPULATION, written.types, PLACE.table))
        connection.execute(f"copy ({text}) to '{tmp_path / 'profile.csv'}'")
    return tmp_path / "profile.csv"


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def put(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def read(path: Path) -> Profile:
    return profile_from(str(path), POPULATION, COLUMNS, PLACE)


def test_a_result_is_read_packed_with_tabs_and_with_more_columns(result: Path) -> None:
    expected = read(result).fingerprint
    rows = rows_of(result)
    packed = result.with_name("profile.csv.gz")
    packed.write_bytes(gzip.compress(result.read_bytes()))
    tabs = result.with_name("profile.tsv")
    with tabs.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter="\t").writerows([["", *rows[0]], *([str(i), *row] for i, row in enumerate(rows[1:]))])
    assert {read(packed).fingerprint, read(tabs).fingerprint} == {expected}


def test_lines_that_were_saved_with_other_ends_are_no_difference(result: Path) -> None:
    rows = rows_of(result)
    changed = [[value.replace("\n", "\r\n") for value in row] for row in rows]
    put(result, changed)
    assert changed != rows
    read(result)


def test_rows_of_uneven_length_and_parts_of_two_results_are_refused(result: Path) -> None:
    whole = result.read_text()
    result.write_text(whole + "cell,1\n")
    with pytest.raises(EngineError, match="every row of"):
        read(result)
    result.write_text(whole)
    result.with_name("other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(EngineError, match="have the same columns"):
        read(result.parent)
    result.write_bytes(b"\xff\xfe" + whole.encode())
    with pytest.raises(EngineError, match="cannot be read as CSV in UTF-8"):
        read(result)
    result.with_name("x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(PopulationError, match="DuckDB cannot read"):
        read(result.with_name("x.parquet"))


def test_an_empty_table_is_refused(result: Path) -> None:
    rows = [row for row in rows_of(result) if row[0] != "cell"]
    put(result, [rows[0], *([*row[:-1], str(len(rows) - 1)] for row in rows[1:])])
    with pytest.raises(PopulationError, match="the table is empty"):
        read(result)


def test_too_many_cells_are_refused(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 50)
    with pytest.raises(PopulationError, match="drop slice column 'part', which has 3 distinct values"):
        read(result)


def test_every_row_of_the_self_test_counts(result: Path) -> None:
    rows = rows_of(result)
    proof = [row for row in rows if row[0] in ("number", "integer", "fast", "bin", "text")]
    assert len(proof) == len(expected_proof(integers=True)) > 300
    for kind in ("number", "integer", "fast", "bin"):
        chosen = next(row for row in proof if row[0] == kind)
        kept, chosen[2] = chosen[2], "off"
        put(result, rows)
        with pytest.raises(EngineError, match=f"self-test {kind} "):
            read(result)
        chosen[2] = kept


def test_fifteen_digits_and_the_rest_are_the_same_double() -> None:
    rng = np.random.default_rng(1)
    tiny = [2.0**-e * (1 + float(rng.random())) for e in range(0, 300, 7)]
    for x in [*rng.random(20_000).tolist(), *(rng.random(2_000) * 1e9).tolist(), *tiny, 0.0, 1.0, 1 / 3]:
        whole = f"{x:.15g}"
        assert float(whole) + float(f"{x - float(whole):.15g}") == x
    assert any(float(f"{x:.15g}") != x for x in rng.random(100).tolist())  # fifteen alone are not


def test_what_was_never_opened_answers_nothing(result: Path) -> None:
    profile, engine = read(result), Unopened(POPULATION)
    asked: dict[str, Any] = {"band": profile.count * 0, "bound": profile.count[:1], "salt": "s"}
    assert engine.unchanged(profile) is None
    for ask in (
        engine.inspect,
        engine.profile,
        lambda: engine.below(profile, **asked),
        lambda: engine.below_and_profile(profile, **asked),
        lambda: engine.positives(profile, truth="y"),
        lambda: engine.known(profile, truths=["y"]),
        lambda: engine.fetch(["u"], columns=["s"]),
    ):
        with pytest.raises(EngineError, match="duckdb:scored was not opened"):
            ask()
    with pytest.raises(EngineError, match="plan one label more"):
        HandedEngine(POPULATION, "x.csv", number=1, plan_hash="").below(profile, **asked)
