"""Flat files: every format, the marks of spreadsheets and editors, and writing that is never seen half done."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fewlabels.errors import FileError, LabelError
from fewlabels.labeling.flat import Answerable, batch_text, defused, read_answers, refuse_untold, restored
from fewlabels.nouns.classifier import DEFAULT_QUESTION
from fewlabels.nouns.label import Label
from fewlabels.writing import write_whole

UNITS = ("b", "a", "-1")
SHOWN: list[dict[str, str | None]] = [{"text": "one"}, {"text": None}, {"text": '=HYPERLINK("x")'}]


def batch(suffix: str, columns: tuple[str, ...] = ("text",)) -> str:
    return batch_text(UNITS, SHOWN, columns=columns, suffix=suffix)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, **how: Any) -> list[Label]:
    return read_answers(path, unit_columns=["unit", "id"], **how).labels


def test_a_batch_as_csv() -> None:
    assert batch(".csv") == 'unit,text,answer\nb,one,\na,,\n\'-1,"\'=HYPERLINK(""x"")",\n'


def test_a_batch_as_tsv() -> None:
    assert batch(".tsv").splitlines()[:2] == ["unit\ttext\tanswer", "b\tone\t"]


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson"])
def test_a_batch_as_json_lines(suffix: str) -> None:
    rows = [json.loads(line) for line in batch(suffix).splitlines()]
    assert rows[0] == {"unit": "b", "text": "one", "answer": None}
    assert rows[2] == {"unit": "-1", "text": '=HYPERLINK("x")', "answer": None}  # no spreadsheet reads JSON


def test_a_batch_as_json() -> None:
    assert [row["unit"] for row in json.loads(batch(".json"))] == list(UNITS)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_batch_holds_ids_shown_columns_and_an_answer_and_nothing_else(suffix: str) -> None:
    text = batch(suffix, ())
    if suffix in (".csv", ".tsv"):
        assert next(csv.reader(io.StringIO(text), delimiter="\t" if suffix == ".tsv" else ",")) == ["unit", "answer"]
    else:
        rows = json.loads(text) if suffix == ".json" else [json.loads(line) for line in text.splitlines()]
        assert all(list(row) == ["unit", "answer"] for row in rows)


@pytest.mark.parametrize("suffix", ["", ".txt", ".xlsx", ".parquet", ".CSV"])
def test_another_kind_of_file_is_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(LabelError, match=r"written as .csv, .tsv, .jsonl or .json"):
        batch(suffix)
    with pytest.raises(LabelError, match=r"read from .csv, .tsv, .jsonl or .json"):
        read(written(tmp_path, f"answers{suffix}", "unit,answer\na,yes\n"))


@pytest.mark.parametrize("column", ["unit", "answer", "labeler", "at"])
@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_a_shown_column_cannot_take_the_place_of_the_batchs_own(suffix: str, column: str) -> None:
    with pytest.raises(LabelError, match=f"a batch has columns {column} of its own"):
        batch_text(["a"], [{column: "x"}], columns=[column], suffix=suffix)


def test_units_and_shown_rows_go_together() -> None:
    with pytest.raises(ValueError, match="zip"):
        batch_text(["a", "b"], [{}], columns=[], suffix=".csv")


CONTENTS = {
    "a.csv": "unit,answer\na,yes\nb,no\n",
    "a.tsv": "unit\tanswer\na\tyes\nb\tno\n",
    "a.jsonl": '{"unit": "a", "answer": true}\n{"unit": "b", "answer": 0}\n',
    "a.ndjson": '\n{"unit": "a", "answer": 1}\n\n{"unit": "b", "answer": 0.0}',
    "a.json": '[{"unit": "a", "answer": "yes"}, {"unit": "b", "answer": false}]',
}


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize("name", CONTENTS)
def test_answers_are_read_from_every_format(tmp_path: Path, name: str, mark: bytes) -> None:
    labels = read(written(tmp_path, name, mark + CONTENTS[name].encode()))
    assert [(label.unit, label.answer, label.labeler, label.row) for label in labels] == [
        ("a", "yes", "anonymous", 1),
        ("b", "no", "anonymous", 2),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_are_read(tmp_path: Path, end: str) -> None:
    for name in ("a.csv", "a.tsv"):
        assert len(read(written(tmp_path, name, CONTENTS[name].replace("\n", end)))) == 2
    if end != "\r":
        assert len(read(written(tmp_path, "a.jsonl", CONTENTS["a.jsonl"].replace("\n", end)))) == 2


@pytest.mark.parametrize("name", CONTENTS)
def test_bad_utf8_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(LabelError, match="must be UTF-8, but byte 3 is not: save it as UTF-8"):
        read(written(tmp_path, name, b"abc\xe9" + CONTENTS[name].encode()))


def test_utf16_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="must be UTF-8"):
        read(written(tmp_path, "a.csv", CONTENTS["a.csv"].encode("utf-16")))


def test_blank_answers_are_counted_and_left_for_later(tmp_path: Path) -> None:
    sheet = read_answers(written(tmp_path, "a.csv", "unit,answer\na,yes\nb,\nc,   \nd,no\n"), unit_columns=["unit"])
    assert [(label.unit, label.row) for label in sheet.labels] == [("a", 1), ("d", 4)]
    assert sheet.blank == 2


@pytest.mark.parametrize("value", ["null", '""', '" "'])
def test_blank_answers_in_json(tmp_path: Path, value: str) -> None:
    sheet = read_answers(written(tmp_path, "a.jsonl", f'{{"unit": "a", "answer": {value}}}'), unit_columns=["unit"])
    assert sheet == ([], 1)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".ndjson", ".json"])
def test_a_batch_nobody_filled_in_is_all_blank(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"b{suffix}"
    write_whole(path, batch(suffix))
    assert read_answers(path, unit_columns=["unit"]) == ([], 3)


def test_a_bad_answer_is_named_by_file_and_row(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"a.csv, row 2: an answer must be yes or no .* got 'perhaps'"):
        read(written(tmp_path, "a.csv", "unit,answer\na,yes\nb,perhaps\n"))


@pytest.mark.parametrize(
    ("content", "missing"),
    [("id2,answer\na,yes\n", "unit or id"), ("unit,verdict\na,yes\n", "answer or label"), ("just one line\na\n", "unit or id")],
)
def test_a_missing_column_is_named(tmp_path: Path, content: str, missing: str) -> None:
    with pytest.raises(LabelError, match=f"a column named {missing} is needed, but the row has"):
        read(written(tmp_path, "a.csv", content))


def test_an_empty_file_has_no_answers(tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv", "a.jsonl"):
        assert read(written(tmp_path, name, "")) == []
    assert read(written(tmp_path, "a.json", "[]")) == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", "", "not valid JSON"),
        ("a.json", "{", "not valid JSON"),
        ("a.jsonl", '{"unit": "a", "answer": "yes"}\n{"unit"', "not valid JSON"),
        ("a.json", '["a", "yes"]', "one object per row, but one is str"),
        ("a.json", "5", "one object per row, but one is int"),
        ("a.jsonl", "[1]", "one object per row, but one is list"),
        ("a.csv", 'unit,answer\n"a,yes\n', "not a readable table"),
        ("a.csv", 'unit,answer\n"a"b,yes\n', "not a readable table"),
    ],
)
def test_a_broken_file_is_refused_in_words(tmp_path: Path, name: str, content: str, words: str) -> None:
    with pytest.raises(LabelError, match=words):
        read(written(tmp_path, name, content))


def test_a_missing_file_is_refused_in_words(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(LabelError, match=r"cannot be read from|none of these"):
            read(path)


def test_labeler_and_time_come_from_the_file_unless_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "unit,answer,labeler,at\na,yes,ada,2026-01-01\nb,no,,\n")
    assert [(label.labeler, label.at) for label in read(path)] == [("ada", "2026-01-01"), ("anonymous", None)]
    assert [label.labeler for label in read(path, labeler="bob")] == ["bob", "bob"]


def test_the_first_named_column_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "id,unit,label,answer\nx,a,yes,yes\n")
    assert [(label.unit, label.answer) for label in read(path)] == [("a", "yes")]
    by_name = read_answers(path, unit_columns=["id"], asked=Answerable({DEFAULT_QUESTION: ["label"]})).labels
    assert [(label.unit, label.answer) for label in by_name] == [("x", "yes")]


def test_cells_beyond_the_heading_and_rows_cut_short_do_no_harm(tmp_path: Path) -> None:
    sheet = read_answers(written(tmp_path, "a.csv", "unit,answer\na,yes,stray,more\nb\n\n"), unit_columns=["unit"])
    assert [label.unit for label in sheet.labels] == ["a"]
    assert sheet.blank == 1


def test_a_very_long_shown_text_goes_round(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_whole(path, batch_text(["a"], [{"text": "long, " * 100_000}], columns=["text"], suffix=".csv").replace(",\n", ",yes\n"))
    assert [label.unit for label in read(path)] == ["a"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=", "-", "'=1", "''-1"])
def test_a_formula_is_defused_and_restored(text: str) -> None:
    assert defused(text) == f"'{text}"
    assert restored(defused(text)) == text


@pytest.mark.parametrize("text", ["", "a", "1", "'", "'a", "a=1", " =1", "''", "\u2212" + "1"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert defused(text) == restored(text) == text


def test_a_table_with_plain_negative_ids_is_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "unit,answer\n-1,yes\n'-2,no\n")
    assert [label.unit for label in read(path)] == ["-1", "'-2"]  # `tell` takes the apostrophe off if '-2 was drawn, not this
    assert [label.unit for label in read(written(tmp_path, "b.csv", "unit,answer\n'-1,yes\n"))] == ["-1"]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    write_whole(path, "old\n")
    write_whole(path, "new \u4f60\r\n")
    assert path.read_bytes() == "new \u4f60\r\n".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["b.csv"]


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_file_is_never_seen_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    path = tmp_path / "b.csv"
    write_whole(path, "old\n")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", die) if moment == "fsync" else monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new\n" * 100_000)
    assert path.read_text() == "old\n"


def test_what_is_replaced_is_on_the_disk_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_fsync(handle: int) -> None:
        done.append("fsync")
        fsync(handle)

    def note_replace(self: Path, target: Path) -> Path:
        done.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "replace", note_replace)
    write_whole(tmp_path / "b.csv", "x")
    assert done == ["fsync", "replace"]


def test_a_folder_that_is_missing_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none/b.csv cannot be written \(No such file or directory\): check its folder"):
        write_whole(tmp_path / "none" / "b.csv", "x")
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path, "x")
    assert not list(tmp_path.parent.glob(".*.part"))


def test_a_batch_with_untold_answers_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    refuse_untold(path, lambda *_: False)
    path.write_text("unit,answer\na,\nb,\n")
    refuse_untold(path, lambda *_: False)
    path.write_text("unit,answer\na,yes\nb,\n")
    refuse_untold(path, lambda unit, question: (unit, question) == ("a", "positive"))
    with pytest.raises(LabelError, match="1 answers that are not recorded"):
        refuse_untold(path, lambda *_: False)
    path.write_text("unit,answer\na,perhaps\n")
    with pytest.raises(LabelError, match="no batch"):
        refuse_untold(path, lambda *_: False)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_spreadsheets_own_separator_is_read(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "told.csv"
    path.write_text(f"unit{mark}answer\na{mark}yes\n")
    assert [(label.unit, label.answer) for label in read_answers(path, unit_columns=("unit",)).labels] == [("a", "yes")]
