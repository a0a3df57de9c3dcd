"""Rows as other tools export them: what counts as an answer, what is blank, what is refused and why."""

import json
from pathlib import Path
from typing import Any

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Answerable
from fewlabels.labeling.formats import FORMATS, Batched, FileReading, guess_format, read_found, write_batch
from fewlabels.labeling.found import Found
from fewlabels.labeling.ground_truth import read_manifest
from fewlabels.labeling.tool_formats import PRESETS

ASKED = Answerable()
CLASSES = Answerable(classes=("cat", "dog"))
TWO = Answerable({"spam": ("spam",), "rude": ("rude",)})


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def told(found: Found) -> list[tuple[str, str, str, str | None]]:
    return [(label.unit, label.answer, label.labeler, label.at) for label in found.labels]


def read(folder: Path, name: str, *rows: Any, asked: Answerable = ASKED, **how: Any) -> Found:
    return read_found(lines(folder / "f.jsonl", *rows), FileReading(name, asked, **how))


# ---------------------------------------------------------------- tables


def test_mturk(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(
        "HITId,WorkerId,AssignmentStatus,SubmitTime,Input.unit,Input.text,Answer.answer\n"
        "h,w1,Approved,noon,u1,hello,yes\nh,w2,Submitted,,u1,hello,no\nh,w3,Rejected,noon,u1,hello,no\nh,w4,Approved,noon,u2,x,\n"
        "h,w5,Approved,noon,,x,yes\n"
    )
    found = read_found(path, FileReading("mturk", ASKED))
    assert told(found) == [("u1", "yes", "w1", "noon"), ("u1", "no", "w2", None)]
    assert [(one.unit, one.where) for one in found.refused] == [("u1", "row 3"), (None, "row 5")]
    assert found.blank == 1


def test_mturk_with_an_answer_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("Input.unit,Answer.category.label\nu1,positive\n")
    with pytest.raises(LabelError, match="--answer-column"):
        read_found(path, FileReading("mturk", ASKED))
    assert told(read_found(path, FileReading("mturk", ASKED, answer_column="Answer.category.label"))) == [("u1", "yes", "anonymous", None)]


def test_toloka(tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    rows = [("u1", "yes", "APPROVED"), ("u2", "no", "REJECTED"), ("u3", "", "SKIPPED"), ("u4", "yes", "EXPIRED"), ("u5", "no", "SUBMITTED")]
    head = "INPUT:unit\tOUTPUT:answer\tASSIGNMENT:status\tASSIGNMENT:worker_id\tASSIGNMENT:started\n"
    path.write_text(head + "".join(f"{u}\t{a}\t{s}\tw\tnoon\n\n" for u, a, s in rows))  # an empty line after each suite
    found = read_found(path, FileReading("toloka", ASKED))
    assert [(label.unit, label.answer) for label in found.labels] == [("u1", "yes"), ("u3", "skipped"), ("u5", "no")]
    assert ([one.unit for one in found.refused], found.blank) == (["u2"], 1)


def test_tables_with_a_column_a_question(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("Input.unit,Answer.spam,Answer.rude\nu1,yes,no\nu2,yes,\n")
    found = read_found(path, FileReading("mturk", TWO))
    assert [(label.unit, label.question, label.answer) for label in found.labels] == [
        ("u1", "spam", "yes"),
        ("u1", "rude", "no"),
        ("u2", "spam", "yes"),
    ]
    assert found.blank == 1


# ---------------------------------------------------------------- lines


@pytest.mark.parametrize(("said", "answer"), [("accept", "yes"), ("reject", "no"), ("ignore", "skipped")])
def test_prodigy_yes_or_no(said: str, answer: str, tmp_path: Path) -> None:
    row = {"text": "x", "meta": {"unit": "u1"}, "answer": said, "_annotator_id": "s-ada", "_timestamp": 0}
    assert told(read(tmp_path, "prodigy", row)) == [("u1", answer, "s-ada", "1970-01-01T00:00:00+00:00")]


def test_prodigy_with_options(tmp_path: Path) -> None:
    base = {"unit": "u1", "answer": "accept"}
    found = read(
        tmp_path, "prodigy", {**base, "accept": ["cat"]}, {**base, "accept": ["cat", "dog"]}, {**base, "accept": []}, asked=CLASSES
    )
    assert [label.answer for label in found.labels] == ["cat"]
    assert ["chosen" in one.why for one in found.refused] == [True, True]
    found = read(tmp_path, "prodigy", {**base, "answer": "reject", "accept": ["cat"]}, {**base, "answer": "ignore"}, asked=CLASSES)
    assert ([label.answer for label in found.labels], len(found.refused)) == (["skipped"], 1)
    assert read(tmp_path, "prodigy", base, asked=CLASSES).labels == []  # accepted, but no class is named


def test_doccano(tmp_path: Path) -> None:
    rows = [
        {"unit": "u1", "label": ["yes"]},
        {"unit": "u2", "label": []},
        {"unit": "u3", "label": ["yes", "no"]},
        {"unit": "u4", "label": "no"},
    ]
    found = read(tmp_path, "doccano", *rows, {"meta": {"unit": "u5"}, "labels": ["yes"], "username": "root"}, labeler=None)
    assert told(found) == [("u1", "yes", "anonymous", None), ("u4", "no", "anonymous", None), ("u5", "yes", "root", None)]
    assert ([one.unit for one in found.refused], found.blank) == (["u3"], 1)


def test_argilla(tmp_path: Path) -> None:
    row = {
        "id": "u1", "label.responses": ["yes", "no", "yes", "no"], "label.responses.users": ["a", "b", "c", "d"],
        "label.responses.status": ["submitted", "discarded", "draft", "odd"], "label.suggestion": "no",
    }  # fmt: skip
    found = read(tmp_path, "argilla", row, {"id": "u2", "label.suggestion": "yes"})
    assert told(found) == [("u1", "yes", "a", None), ("u1", "skipped", "b", None)]
    assert (len(found.refused), found.blank) == (1, 2)


def test_argilla_with_another_question(tmp_path: Path) -> None:
    row = {"id": "u1", "quality.responses": ["yes"], "quality.responses.users": ["a"], "quality.responses.status": ["submitted"]}
    with pytest.raises(LabelError, match="--answer-column"):
        read(tmp_path, "argilla", row)
    assert told(read(tmp_path, "argilla", row, answer_column="quality")) == [("u1", "yes", "a", None)]


@pytest.mark.parametrize("name", [one.name for one in PRESETS if one.endings[0] not in (".csv", ".tsv")])
def test_a_file_without_units_is_refused_and_a_row_without_one_is_listed(name: str, tmp_path: Path) -> None:
    wrong = {"text": "x", "answer": "accept", "label": ["yes"], "label.responses": ["yes"], "label.responses.users": ["a"]}
    wrong["label.responses.status"] = ["submitted"]
    with pytest.raises(LabelError, match="the unit is expected in"):
        read(tmp_path, name, wrong)
    found = read(tmp_path, name, {**wrong, "unit": "u1", "id": "u1"}, wrong)
    assert [(one.unit, one.where) for one in found.refused] == [(None, "row 2")]


@pytest.mark.parametrize("name", ["prodigy", "doccano", "argilla"])
@pytest.mark.parametrize("stamp", ["x", None, -1, 1e30, float("nan"), True])
def test_odd_times_do_no_harm(name: str, stamp: object, tmp_path: Path) -> None:
    row = {"unit": "u1", "id": "u1", "answer": "accept", "label": ["yes"], "_timestamp": stamp}
    read(tmp_path, name, row)


# ---------------------------------------------------------------- Ground Truth


def line(unit: object = "u1", **said: Any) -> dict[str, Any]:
    metadata = {"class-name": "yes", "human-annotated": "yes", "job-name": "labeling-job/j", "creation-date": "2026-01-01T00:00:00", **said}
    return {"source": "x", "unit": unit, "a": 0, "a-metadata": metadata}


def test_a_manifest(tmp_path: Path) -> None:
    path = lines(tmp_path / "o.manifest", line(), {"source": "x", "unit": "u2"})
    found = read_manifest(path, asked=ASKED)
    assert told(found) == [("u1", "yes", "ground-truth:labeling-job/j", "2026-01-01T00:00:00")]
    assert (found.refused, found.blank) == ([], 1)
    assert read_manifest(path, asked=ASKED, labeler="team").labels[0].labeler == "team"


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (line(**{"human-annotated": "no"}), "machine"),
        (line(**{"human-annotated": None}), "machine"),
        (line(**{"class-name": "banana"}), "banana"),
        (line(**{"failure-reason": "ClientError: timed out"}), "timed out"),
        (line(None), "no key 'unit'"),
        ({"unit": "u1", "a-metadata": {"human-annotated": "yes", "class-map": {"0": "yes"}}}, "no class-name"),
    ],
)
def test_what_a_manifest_does_not_say_by_people_is_refused(bad: Any, why: str, tmp_path: Path) -> None:
    found = read_manifest(lines(tmp_path / "o.manifest", bad), asked=ASKED)
    assert found.labels == []
    assert why in found.refused[0].why


def test_a_manifest_of_two_jobs_needs_the_attribute(tmp_path: Path) -> None:
    path = lines(tmp_path / "o.manifest", {**line(), "b": 1, "b-metadata": {"class-name": "no", "human-annotated": "yes"}})
    with pytest.raises(LabelError, match="--answer-column"):
        read_manifest(path, asked=ASKED)
    assert [label.answer for label in read_manifest(path, asked=ASKED, answer_column="b").labels] == ["no"]


# ---------------------------------------------------------------- out, and which format


@pytest.mark.parametrize("name", FORMATS.own)
def test_a_batch_may_not_show_a_column_named_unit(name: str) -> None:
    with pytest.raises(LabelError, match="of its own"):
        write_batch(Batched(["u1"], [{"unit": "x"}], ["unit"], ASKED), name, FORMATS.named(name).endings[0])


@pytest.mark.parametrize("name", ["ground-truth", "prodigy", "doccano"])
def test_one_answer_a_row_is_not_enough_for_two_questions(name: str, tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="spam, rude"):
        write_batch(Batched(["u1"], [{}], [], TWO), name, FORMATS.named(name).endings[0])
    with pytest.raises(LabelError, match="spam, rude"):
        read_found(lines(tmp_path / "f.jsonl", {}), FileReading(name, TWO))


def test_what_is_shown_becomes_one_text_where_a_tool_has_one() -> None:
    def text(columns: list[str], row: dict[str, str | None]) -> Any:
        return json.loads(write_batch(Batched(["u1"], [row], columns, CLASSES), "prodigy", ".jsonl"))

    assert text(["a"], {"a": "x"})["text"] == "x"
    assert text(["a", "b"], {"a": "x", "b": None})["text"] == "a: x\nb: "
    assert text([], {})["text"] == "u1"
    assert [one["id"] for one in text([], {})["options"]] == ["cat", "dog", "cannot_tell"]


def test_a_manifest_names_a_file_in_s3_by_reference() -> None:
    def manifest(value: str) -> Any:
        return json.loads(write_batch(Batched(["u1"], [{"a": value}], ["a"], ASKED), "ground-truth", ".manifest"))

    assert manifest("s3://b/x.png") == {"source-ref": "s3://b/x.png", "unit": "u1"}
    assert manifest("hello") == {"source": "hello", "unit": "u1"}


def test_nothing_is_guessed_from_what_several_formats_have(tmp_path: Path) -> None:
    rows: tuple[dict[str, Any], ...] = (
        {"unit": "u", "answer": "yes"},
        {"id": 1, "text": "x", "label": ["yes"]},
        {"data": {}, "predictions": []},
        {},
    )
    for row in rows:
        assert guess_format(lines(tmp_path / "f.jsonl", row)) == "flat"
    assert guess_format(tmp_path / "f.manifest") == "ground-truth"
    (tmp_path / "empty.csv").write_text("")
    assert guess_format(tmp_path / "empty.csv") == "flat"


def test_json_that_is_nested_too_deep_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text("[" * 100_000)
    with pytest.raises(LabelError, match="not valid JSON"):
        guess_format(tmp_path / "f.json")
