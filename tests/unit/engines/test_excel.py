"""Sheets of Excel files as Parquet: values as they are meant, names of columns, and files that are not what they say."""

import datetime as dt
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fewlabels.engines.duckdb import read_texts
from fewlabels.engines.encodings import encoding_of, write_utf8
from fewlabels.engines.excel import SheetOfFile, sheets_of, write_sheet
from fewlabels.errors import EngineError, PopulationError
from fewlabels.study.population.first_sight import open_table

AT = dt.datetime(2026, 1, 2, 3, 4)  # noqa: DTZ001 - a cell has no time zone


def book(folder: Path, *rows: Sequence[object], **more: Sequence[object]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    made: Any = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for name, first in more.items():
        made.create_sheet(name).append(first)
    made.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def written(folder: Path, *rows: Sequence[object]) -> tuple[list[str], list[tuple[Any, ...]]]:
    write_sheet(SheetOfFile(book(folder, *rows)), folder / "t.parquet")
    assert sorted(path.name for path in folder.iterdir()) == ["t.parquet", "t.xlsx"], "nothing else is left"
    return read_texts([folder / "t.parquet"])


def test_values_are_what_they_are_in_the_sheet(tmp_path: Path) -> None:
    text = 'two\nlines, "quoted", \\N and é'
    names, rows = written(
        tmp_path,
        ["id", "score", "text", "day", "time", "flag", "007", "mixed"],
        [1, 0.25, text, dt.date(2026, 1, 2), AT, True, "007", "x"],
        [2, 1, None, dt.date(2026, 1, 3), AT.replace(hour=0, minute=0), False, "", 5],
    )
    assert names == ["id", "score", "text", "day", "time", "flag", "007", "mixed"]
    assert rows[0] == ("1", "0.25", text, "2026-01-02", "2026-01-02T03:04:00", "true", "007", "x")
    assert rows[1][:4] == ("2", "1.0", None, "2026-01-03")
    types = [column.type for column in open_table(str(tmp_path / "t.parquet")).columns()]
    assert types == ["int", "float64", "text", "text", "text", "bool", "text", "text"]


def test_columns_without_a_name_or_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    names, rows = written(tmp_path, ["id", None, "ID", " text ", None], [1, "a", 2, "b"], [], [3, "c", 4, "d"])
    assert names == ["id", "column 2", "ID 2", "text"]
    assert len(rows) == 2, "empty rows are no units"


def test_a_value_beyond_the_named_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="needs a name in the first row"):
        written(tmp_path, ["id"], [1, "lost"])
    assert not (tmp_path / "t.parquet").exists()


def test_sheets_are_listed_and_chosen_by_name(tmp_path: Path) -> None:
    path = book(tmp_path, ["id"], [1], Second=["other"])
    assert sheets_of(path) == ("Sheet", "Second")
    with pytest.raises(PopulationError, match="it has 'Sheet', 'Second'"):
        write_sheet(SheetOfFile(path, "Third"), tmp_path / "t.parquet")


@pytest.mark.parametrize("rows", [[], [[None, None]]])
def test_an_empty_sheet_is_refused(tmp_path: Path, rows: list[list[object]]) -> None:
    with pytest.raises(PopulationError, match="names of its columns"):
        written(tmp_path, *rows)


def test_a_sheet_that_is_too_wide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="1,000 columns"):
        written(tmp_path, [f"c{i}" for i in range(1_001)], [1])


@pytest.mark.parametrize("limit", ["MOST_UNPACKED", "MOST_HELD", "MOST_PARTS"])
def test_what_a_file_unpacks_to_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    path = book(tmp_path, ["id"], ["text"])
    monkeypatch.setattr(f"fewlabels.engines.excel.{limit}", 5)
    with pytest.raises(PopulationError, match="may unpack to"):
        sheets_of(path)


def test_an_archive_that_lies_about_its_size_is_read_no_further(tmp_path: Path) -> None:
    """The twin of the bound: what is declared is all that is unpacked."""
    rows: list[list[object]] = [[f"text {i}"] for i in range(2_000)]
    path = book(tmp_path, ["id"], *rows)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        real = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    at = data.rindex(real.to_bytes(4, "little"))
    data[at : at + 4] = (50).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(PopulationError, match="cannot be read as an Excel file"):
        write_sheet(SheetOfFile(path), tmp_path / "t.parquet")


@pytest.mark.parametrize("body", [b"", b"id,score\n", b"PK\x03\x04rest", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_excel_file_is_refused(tmp_path: Path, body: bytes) -> None:
    pytest.importorskip("openpyxl")
    (tmp_path / "t.xlsx").write_bytes(body)
    with pytest.raises(PopulationError, match="Excel file"):
        sheets_of(tmp_path / "t.xlsx")


def test_without_the_package_the_way_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"reading Excel files needs openpyxl, which is not installed: .*\[excel\]"):
        sheets_of(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("id;é".encode(), "utf-8"),
        ("id;é".encode("utf-8-sig"), "utf-8-sig"),
        ("id;é".encode("utf-16"), "utf-16"),
        ("id;é".encode("utf-16-be"), "cp1252"),
        ("id;é €".encode("cp1252"), "cp1252"),
        (b"id;\xe9 \x81", "latin-1"),
        (b"", "utf-8"),
    ],
)
def test_an_encoding_is_found_and_rewritten(tmp_path: Path, body: bytes, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(body)
    assert encoding_of(path) == encoding
    write_utf8(path, tmp_path / "u.csv", encoding=encoding)
    assert (tmp_path / "u.csv").read_text(encoding="utf-8") == body.decode(encoding)


def test_a_character_across_two_parts_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewlabels.engines.encodings.CHUNK", 1)
    (tmp_path / "t.csv").write_bytes("grüße €".encode())
    assert encoding_of(tmp_path / "t.csv") == "utf-8"
