"""Files, as DuckDB opens them: paths, globs, folders, and what is refused."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from fewlabels.engines.duckdb import DuckDBEngine
from fewlabels.engines.files import find_files, footer, stamp
from fewlabels.errors import PopulationError
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.population import MEMORY, Population

GBM = (Classifier("gbm", score="s", threshold=0.3),)


def opened(source: Path | str, **how: Any) -> DuckDBEngine:
    return DuckDBEngine(Population(**{"source": str(source), "id": "id", "classifiers": GBM, **how}))


def write(path: Path, start: int = 0, N: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": range(start, start + N), "s": [i / N for i in range(N)]}), path)
    return path


@pytest.mark.parametrize("name", ["it's.parquet", 'a "b".parquet', "day [1]*?.parquet", "é 日本.pq", "no_suffix", "{x}%s.PARQUET"])
def test_any_file_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / "day 1.parquet", start=100)
    profile = opened(write(tmp_path / name)).profile()
    assert profile.N == 10
    assert [f.name for f in profile.files] == [name]


def test_a_file_s_version_is_its_footer(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet")
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    assert footer(path) == data[-8 - length :]
    (version,) = opened(path).profile().files
    assert version == ("a.parquet", len(data), hashlib.sha256(data[-8 - length :]).hexdigest(), stamp(path))


def test_a_csv_s_version_is_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,s\n1,0.5\n2,0.25\n")
    (version,) = opened(path).profile().files
    assert version == ("a.csv", path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest(), stamp(path))


def test_globs_and_folders_are_one_table(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet"), write(tmp_path / "deep" / "b.parquet", start=10)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden.parquet").write_text("no")
    assert opened(tmp_path / "*.parquet").profile().N == 10
    assert opened(tmp_path / "**" / "*.parquet").profile().N == 20
    profile = opened(tmp_path).profile()
    assert profile.N == 20
    assert [f.name for f in profile.files] == ["a.parquet", "b.parquet"]


def test_values_in_folder_names_are_text(tmp_path: Path) -> None:
    write(tmp_path / "day=01" / "a.parquet"), write(tmp_path / "day=1" / "a.parquet", start=10)
    profile = opened(tmp_path, slices=("day",)).profile()
    assert profile.slice_values == (("01",), ("1",))
    assert dict(profile.columns)["day"] == "text"


def test_partitioned_csv_is_read(tmp_path: Path) -> None:
    for day in ("01", "02"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.csv").write_text(f"id,s\n{day}1,0.5\n{day}2,0.25\n")
    profile = opened(tmp_path, slices=("day",)).profile()
    assert profile.slice_values == (("01",), ("02",))
    assert profile.smallest_id == "011"


def test_columns_of_several_files_meet_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,s\n1,0.5\n")
    (tmp_path / "b.csv").write_text("s,id\n0.25,2\n")
    engine = opened(tmp_path / "*.csv")
    assert engine.profile().N == 2
    assert engine.fetch(["2"], columns=["s"]) == [{"s": "0.25"}]


@pytest.mark.parametrize("odd", ["007", " 5", "0x10", "-0", "+5", "1e3", "2024-01-01", "1.50", "true"])
def test_csv_ids_and_slices_keep_the_text_that_was_written(tmp_path: Path, odd: str) -> None:
    (tmp_path / "a.csv").write_text(f"id,s,k,phone\n12,0.5,{odd},1\n{odd},0.25,3,{odd}\n")
    engine = opened(tmp_path / "a.csv", slices=("k",))
    profile = engine.profile()
    assert (odd,) in profile.slice_values
    assert dict(profile.columns)["id"] == "text"
    assert engine.fetch([odd], columns=["id", "phone"]) == [{"id": odd, "phone": odd}]


def test_csv_integers_are_numbers_whatever_the_file_begins_with(tmp_path: Path) -> None:
    lines = [f"{i};{i / 100000}" for i in range(30_000)]
    (tmp_path / "a.csv").write_text("id;s\n" + "\n".join(lines) + "\n")
    profile = opened(tmp_path / "a.csv").profile()
    assert (profile.smallest_id, profile.largest_id) == ("0", "29999")
    (tmp_path / "b.csv").write_text("id;s\n" + "\n".join([*lines, "last'one;0.5"]) + "\n")
    profile = opened(tmp_path / "b.csv").profile()
    assert dict(profile.columns) == {"id": "text", "s": "float64"}
    assert profile.largest_id == "last'one"


def test_types_are_in_fewlabels_own_words(tmp_path: Path) -> None:
    arrays = {
        "id": pa.array([1], pa.uint64()),
        "s": pa.array([0.5], pa.float32()),
        "double": pa.array([0.5], pa.float64()),
        "name": pa.array(["x"]),
        "kind": pa.array(["x"]).dictionary_encode(),
        "flag": pa.array([True]),
        "whole": pa.array([1], pa.decimal128(30, 0)),
        "money": pa.array([1], pa.decimal128(10, 2)),
        "day": pa.array([1], pa.date32()),
    }
    pq.write_table(pa.table(arrays), tmp_path / "a.parquet")
    assert dict(opened(tmp_path / "a.parquet").columns()) == {
        **{"id": "int", "s": "float32", "double": "float64", "name": "text", "kind": "text", "flag": "bool"},
        **{"whole": "decimal", "money": "decimal(10,2)", "day": "date"},
    }


def test_uuid_columns_are_read(tmp_path: Path) -> None:
    engine = opened(write(tmp_path / "a.parquet"))
    target = tmp_path / "u.parquet"
    text = "select cast('550E8400-E29B-41D4-A716-44665544000' || cast(id as varchar) as uuid) as id, s from"
    engine.query(f"copy ({text} {engine.source}) to '{target}' (format parquet)")
    profile = opened(target).profile()
    assert dict(profile.columns)["id"] == "uuid"
    assert (profile.smallest_id, profile.largest_id) == ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440009")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.parquet", None, "names none: check the path"),
        ("none*.csv", None, "names none: check the path"),
        ("a.parquet", b"hello, I am text that is long enough", "is not a complete Parquet file"),
        ("a.parquet", b"PAR1", "is not a complete Parquet file"),
        ("a.parquet", b"PAR1 damaged \x05\x00\x00\x00PAR1", "DuckDB cannot read"),
        ("a.csv", bytes(range(256)) * 20, "DuckDB cannot read|has no column"),
        ("a.csv", b"id,s\n", "the table is empty"),
        ("a.csv", b"", "the table is empty"),
        ("a.xlsx", b"PK", "is neither by its name: rename or convert it"),
    ],
)
def test_what_is_no_table_is_refused_in_fewlabels_own_words(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(PopulationError, match=message):
        opened(tmp_path / name).profile()


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    whole, cut = write(tmp_path / "whole.parquet"), tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(PopulationError, match=r"cut\.parquet' is not a complete Parquet file"):
        opened(tmp_path)


def test_two_kinds_of_files_are_not_one_table(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("id,s\n1,0.5\n")
    with pytest.raises(PopulationError, match="names both: narrow it with a glob"):
        find_files(str(tmp_path))


def test_an_arrow_dataset_is_read_where_it_lies(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path / "a.parquet")
    assert opened("memory", table=dataset).profile().N == 10


def test_two_engines_do_not_meet() -> None:
    first = opened("memory", table=pd.DataFrame({"id": [1], "s": [0.5]}))
    second = opened("memory", table=pd.DataFrame({"id": [1, 2], "s": [0.5, 0.5]}))
    assert (first.profile().N, second.profile().N, first.profile().N) == (1, 2, 1)


def test_rare_texts_in_a_pandas_column_of_objects_stay_what_they_are() -> None:
    ids = [str(i) for i in range(6_000)]
    codes: list[object] = [1] * 6_000
    for row in (1, 7, 13):
        codes[row] = "01"
    table = pd.DataFrame({"id": ids, "s": np.linspace(0, 1, 6_000), "k": pd.Series(codes, dtype=object)})
    found = opened(MEMORY, slices=("k",), table=table).profile()
    assert dict(zip(found.slice_values, np.bincount(found.slice, weights=found.count).tolist(), strict=True)) == {("01",): 3, ("1",): 5_997}
