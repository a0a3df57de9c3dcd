"""`fewlabels sql` and what it prints, taken back by `fewlabels plan` and `fewlabels draw`: the path, and every way it is refused."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest

from tests.end_to_end.commands import Result, fewlabels, ok

READ = ("--score", "score", "--threshold", "0.5", "--slice", "region")
GOAL = ("--goal", "precision +-0.1", "--budget", "60")
REGIONS = ("north", "it's", "a,b", "line\nbreak", "∅", None)
Rows = list[list[str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, *, scores: Sequence[float] = ()) -> None:
    """A warehouse: a DuckDB database that fewlabels does not open."""
    rng = np.random.default_rng(5)
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        connection.execute("create or replace table scored (id varchar, score double, region varchar)")
        made = [float(s) for s in rng.random(300) ** 3]
        rows = [(f"u{i}", s, REGIONS[i % len(REGIONS)]) for i, s in enumerate([*made, *scores])]
        connection.executemany("insert into scored values (?, ?, ?)", rows)


def run(query: str, out: str) -> None:
    with duckdb.connect("warehouse.duckdb") as connection:
        connection.execute(f"copy ({Path(query).read_text()}) to '{out}'")


def profiled(folder: Path, *, out: str = "profile.csv", scores: Sequence[float] = ()) -> None:
    make(folder, scores=scores)
    ok("sql", "duckdb:scored", *READ, "--out", "profile.sql")
    run("profile.sql", out)


def planned(folder: Path, *, out: str = "draw.csv") -> None:
    profiled(folder)
    ok("plan", "duckdb:scored", *READ, *GOAL, "--profile-file", "profile.csv", "--study", "s")
    ok("sql", "s", "--out", "draw.sql")
    run("draw.sql", out)


def edit(path: str, change: Callable[[Rows], Rows]) -> None:
    """The file with its rows, the names first, changed."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = change(list(csv.reader(file)))
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def put(rows: Rows, kind: str, column: str, value: str, *, at: int = 0) -> Rows:
    """The rows with one value changed: that of the at-th row of a kind."""
    chosen = [row for row in rows if row[0] == kind][at]
    chosen[rows[0].index(column)] = value
    return rows


def plan(*more: str, source: str = "duckdb:scored", file: str = "profile.csv") -> Result:
    return fewlabels("plan", source, *READ, *GOAL, "--profile-file", file, *more)


def refused(found: Result, kind: str, words: str) -> None:
    assert found.code == 5, found
    assert found.err.startswith(f"{kind}: "), found.err
    assert words in found.err, found.err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_whole_path(folder: Path, suffix: str) -> None:
    profiled(folder, out=f"profile.{suffix}")
    done = plan("--study", "s", file=f"profile.{suffix}")
    assert done.code == 0, done
    assert "ids were not checked for duplicates" in done.err
    assert "fewlabels sql s --out draw.sql" in done.err
    assert "fewlabels draw s --candidates-file FILE" in ok("sql", "s", "--out", "draw.sql").err
    run("draw.sql", f"draw.{suffix}")
    batch = ok("draw", "s", "--candidates-file", f"draw.{suffix}", "--units", "20", "--out", "batch.csv", "--json").json
    assert len(batch["units"]) == 20
    again = ok("draw", "s", "--units", "20", "--json").json  # it is drawn: no file is needed any more
    assert again["units"] == batch["units"]
    assert "no undrawn plan" in fewlabels("sql", "s").err


def test_a_study_is_that_of_a_connection(folder: Path) -> None:
    planned(folder)
    with duckdb.connect("warehouse.duckdb") as connection:
        connection.execute("copy scored to 'scored.parquet'")
    ok("draw", "s", "--candidates-file", "draw.csv")
    there = ok("plan", "scored.parquet", *READ, *GOAL, "--json").json
    here = json.loads(plan("--json").out)
    assert {**there, "study": None} == {**here, "study": None}


def test_parts_of_a_result_are_one_result(folder: Path) -> None:
    profiled(folder)
    rows = Path("profile.csv").read_bytes()
    edit("profile.csv", lambda rows: [rows[0], *rows[100:]])
    Path("parts").mkdir()
    Path("profile.csv").rename("parts/2.csv")
    Path("parts/1.csv").write_bytes(rows)
    edit("parts/1.csv", lambda rows: rows[:100])
    assert plan(file="parts").code == 0
    Path("parts/1.csv").unlink()
    refused(plan(file="parts"), "EngineError", "incomplete or mixed")


def test_json_holds_every_text(folder: Path) -> None:
    make(folder)
    found = ok("sql", "bigquery:p.d.scored", *READ, "--json").json
    assert found["dialect"] == "bigquery"
    assert "from `p.d.scored` as fewlabels_table" in found["profile"]
    assert found["draw"] is None
    assert "broken0: all units need an id" in found["problems"]
    planned(folder)
    assert ok("sql", "s", "--json").json["dialect"] == "duckdb"
    assert "`elsewhere`" in ok("sql", "s", "--dialect", "bigquery", "--table", "elsewhere", "--json").json["draw"]


def test_problems_are_counted_by_rule(folder: Path) -> None:
    profiled(folder, scores=[1.5, 2.0])
    refused(plan(), "PopulationError", "0 have no id, and 2 an id or a value")
    assert "each broken rule is named" in ok("sql", "duckdb:scored", *READ, "--query", "problems", "--out", "problems.sql").err
    with duckdb.connect("warehouse.duckdb") as connection:
        found = connection.execute(Path("problems.sql").read_text())
        counts = dict(zip([c[0] for c in found.description or ()], found.fetchall()[0], strict=True))
    assert (counts["units"], counts["duplicates"], sorted(counts.values())[-2]) == (302, 0, 2)


def test_a_profile_that_cannot_be_trusted_is_refused(folder: Path) -> None:
    profiled(folder)
    whole = Path("profile.csv").read_bytes()

    def changed(change: Callable[[Rows], Rows]) -> Result:
        Path("profile.csv").write_bytes(whole)
        edit("profile.csv", change)
        return plan()

    assert changed(lambda rows: rows).code == 0
    refused(changed(lambda rows: [rows[0], *rows[2:]]), "EngineError", "incomplete or mixed")  # one cell less
    refused(changed(lambda rows: rows[:50]), "EngineError", "it is incomplete or mixed, export all of it")
    refused(changed(lambda rows: put(rows, "number", "value", "0")), "EngineError", "self-test number 0 is '0'")
    refused(changed(lambda rows: put(rows, "bin", "value", "7", at=3)), "EngineError", "self-test bin 3 is '7'")
    refused(changed(lambda rows: put(rows, "text", "value", "it?s")), "EngineError", "an export must leave texts as they are")
    refused(changed(lambda rows: put(rows, "cell", "units", "1.0")), "EngineError", "export every column as text")
    refused(changed(lambda rows: put(rows, "cell", "ids", "0")), "PopulationError", "have no id")
    refused(changed(lambda rows: put(rows, "about", "value", "x")), "EngineError", "answers another question")
    refused(changed(lambda rows: [row[1:] for row in rows]), "EngineError", "the column 'kind'")
    Path("profile.csv").write_bytes(whole[:-40])
    refused(plan(), "EngineError", "profile.csv")
    Path("profile.csv").write_text('kind,"n\n')
    refused(plan(), "EngineError", "cannot be read as CSV")
    refused(plan(file="nowhere.csv"), "EngineError", "names no such file")


def test_cells_made_alike_are_refused(folder: Path) -> None:
    profiled(folder)

    def alike(rows: Rows) -> Rows:
        cells = [row for row in rows if row[0] == "cell"]
        for name in ("pattern", "guide_bin", "t0"):
            cells[0][rows[0].index(name)] = cells[1][rows[0].index(name)]
        return rows

    edit("profile.csv", alike)
    refused(plan(), "EngineError", "has one twice")


def test_a_profile_of_another_question_is_refused(folder: Path) -> None:
    profiled(folder)
    other = fewlabels(
        "plan", "duckdb:scored", "--score", "score", "--threshold", "0.6", "--slice", "region", *GOAL, "--profile-file", "profile.csv"
    )
    refused(other, "EngineError", "answers another question")
    refused(plan(source="duckdb:other"), "EngineError", "answers another question")
    refused(plan("--type", "id=int"), "EngineError", "answers another question")
    refused(plan("--type", "other=int"), "PopulationError", "'other' is not")
    refused(plan("--type", "id=integer"), "PopulationError", "write id=int")
    refused(plan("--type", "score=text"), "PopulationError", "the score column must be one of")


def test_a_draw_that_cannot_be_trusted_is_refused(folder: Path) -> None:
    planned(folder)
    whole = Path("draw.csv").read_bytes()

    def changed(change: Callable[[Rows], Rows]) -> Result:
        Path("draw.csv").write_bytes(whole)
        edit("draw.csv", change)
        return fewlabels("draw", "s", "--candidates-file", "draw.csv")

    refused(changed(lambda rows: [rows[0], *rows[2:]]), "EngineError", "incomplete or mixed")
    refused(changed(lambda rows: put(rows, "unit", "number", "0" * 13)), "EngineError", "permanent number follows from its id, but 1 in")
    refused(changed(lambda rows: put(rows, "unit", "unit", "u9999")), "EngineError", "permanent number follows from its id")
    refused(changed(lambda rows: put(rows, "unit", "number", "?")), "EngineError", "id or number cannot be read")
    refused(changed(lambda rows: put(rows, "unit", "score0", "?")), "EngineError", "export every column as text")
    refused(changed(lambda rows: put(rows, "cell", "units", "99")), "PopulationError", "have no id")
    refused(changed(lambda rows: put(rows, "number", "value", "0")), "EngineError", "self-test number 0")
    refused(changed(lambda rows: put(rows, "about", "n", "2")), "EngineError", "was made for plan 2")
    refused(changed(lambda rows: put(rows, "about", "value", "x")), "EngineError", "another study, plan or salt")
    Path("draw.csv").write_bytes(whole)
    refused(fewlabels("draw", "s", "--candidates-file", "profile.csv"), "EngineError", "the draw query must have the column 'unit'")
    assert ok("sql", "s").out.startswith("-- fewlabels: the draw of plan 1")  # nothing was recorded
    ok("draw", "s", "--candidates-file", "draw.csv")


def test_a_table_that_changed_is_refused(folder: Path) -> None:
    planned(folder)
    make(folder, scores=[0.2])
    run("draw.sql", "draw.csv")
    refused(fewlabels("draw", "s", "--candidates-file", "draw.csv"), "FingerprintError", "")


def test_duplicates_among_candidates_are_refused(folder: Path) -> None:
    planned(folder)
    with duckdb.connect("warehouse.duckdb") as connection:
        connection.execute("update scored set id = 'u7' where score > 0.5")
    run("draw.sql", "draw.csv")
    found = fewlabels("draw", "s", "--candidates-file", "draw.csv")
    assert found.code == 5
    assert "DrawError" in found.err or "FingerprintError" in found.err


def test_a_draw_of_another_study_is_refused(folder: Path) -> None:
    planned(folder)
    assert plan("--study", "other").code == 0
    refused(fewlabels("draw", "other", "--candidates-file", "draw.csv"), "EngineError", "another study, plan or salt")


def test_what_needs_a_connection_says_so(folder: Path) -> None:
    planned(folder)
    ok("draw", "s", "--candidates-file", "draw.csv", "--units", "5")
    assert "join the batch to the table by its ids" in fewlabels("draw", "s", "--show", "region").err
    assert "opens no connection to 'duckdb:scored'" in fewlabels("verify", "s", "--population").out
    refused(fewlabels("doctor", "duckdb:scored", *READ), "EngineError", "print its queries with `fewlabels sql`")
    refused(fewlabels("plan", "duckdb:scored", *READ, *GOAL), "EngineError", "--profile-file")
    joint = ("--label", "a=score@0.5", "--label", "b=score@0.7")
    refused(fewlabels("sql", "duckdb:scored", *joint), "PopulationError", "profiled twice")


def test_wrong_calls_are_told(folder: Path) -> None:
    make(folder)
    refused(fewlabels("sql", "scored.parquet", *READ), "PopulationError", "name it with --table")
    refused(fewlabels("sql", "scored.parquet", *READ, "--table", "t"), "PopulationError", "name it with --dialect")
    refused(fewlabels("sql", "duckdb:scored", *READ, "--dialect", "trino"), "PopulationError", "name it with --table")
    assert "Say how the table is read" in fewlabels("sql", "duckdb:scored").err
    assert fewlabels("sql", "nobody").code == 5
    profiled(folder)
    assert plan("--study", "s").code == 0
    assert "How a study reads its table is in its ledger" in fewlabels("sql", "s", "--type", "id=int").err
    assert (
        "--profile-file and --type are for a population"
        in fewlabels("plan", "--study", "s", "--budget", "80", "--profile-file", "x.csv").err
    )
    assert "hand in its profile" in fewlabels("plan", "scored.parquet", *READ, *GOAL, "--type", "id=int").err
    refused(plan(source="scored.parquet"), "PopulationError", "name it with --table")
    assert "could not be written" in fewlabels("sql", "duckdb:scored", *READ, "--out", "no/folder.sql").err


def test_fast_numbers_are_of_ids_declared_as_integers(folder: Path) -> None:
    profiled(folder)
    refused(plan("--number", "fast", "--study", "f"), "StudyError", "is text")


def test_a_query_without_a_file_is_printed(folder: Path) -> None:
    make(folder)
    found = ok("sql", "duckdb:scored", *READ)
    assert found.out.startswith("-- fewlabels: the profile")
    assert "--profile-file FILE" in found.err
