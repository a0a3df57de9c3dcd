"""Recording answers: once, all or none, only of drawn units, whatever the ids look like."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewlabels.errors import DrawError, LabelError, LedgerError
from fewlabels.labeling.flat import batch_text, read_answers
from fewlabels.nouns.label import Label
from fewlabels.study.study import Study
from fewlabels.writing import write_whole
from tests.unit.study.made import TRUTH, create, finished, ledger_in, rows, truth_of


@pytest.fixture
def study(tmp_path: Path) -> Study:
    made = create(tmp_path)
    made.plan(40)
    return made


@pytest.fixture
def units(study: Study) -> tuple[str, ...]:
    batch = study.ask(10)
    assert batch is not None
    return batch.units


def answer_of(study: Study, unit: str) -> str | None:
    label = study.standing.answer_of(unit)
    return None if label is None else label.answer


def test_telling_twice_is_telling_once(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    answers = truth_of(units)
    assert study.tell(answers) == (10, 0, 0, 0)
    before = rows(tmp_path)
    assert study.tell(answers) == (0, 10, 0, 0)
    assert rows(tmp_path) == before


def test_the_same_answers_in_another_order_are_known(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    told = [{"unit": u, "answer": TRUTH[u], "labeler": "ada"} for u in units]
    study.tell(told)
    before = rows(tmp_path)
    assert study.tell(told[::-1]) == (0, 10, 0, 0)
    assert study.tell([{**row, "at": "2026-01-01"} for row in told]) == (0, 10, 0, 0)
    assert study.tell([{**row, "answer": {"yes": "TRUE", "no": 0}[row["answer"]]} for row in told]) == (0, 10, 0, 0)
    assert rows(tmp_path) == before


def test_the_same_unit_twice_in_one_telling_is_known_the_second_time(study: Study, units: tuple[str, ...]) -> None:
    assert study.tell([{"unit": units[0], "answer": "yes"}] * 3) == (1, 2, 0, 0)


@pytest.mark.parametrize("answer", ["yes", "Y", "1", 1, 1.0, True, np.True_, np.int64(1), " true ", "Positive"])
def test_yes_in_many_words(study: Study, units: tuple[str, ...], answer: object) -> None:
    study.tell({units[0]: answer})
    assert answer_of(study, units[0]) == "yes"


@pytest.mark.parametrize("answer", ["", "  ", None, "maybe", 2, float("nan"), "yes!"])
def test_what_is_no_answer_is_refused_and_nothing_is_recorded(study: Study, units: tuple[str, ...], tmp_path: Path, answer: object) -> None:
    before = rows(tmp_path)
    with pytest.raises(LabelError, match="an answer must be yes or no"):
        study.tell({units[0]: "yes", units[1]: answer})
    assert rows(tmp_path) == before


def test_a_row_without_unit_or_answer_is_named(study: Study, units: tuple[str, ...]) -> None:
    with pytest.raises(LabelError, match="row 2 has"):
        study.tell([{"unit": units[0], "answer": "yes"}, {"key": units[1], "answer": "yes"}])


def test_a_different_answer_by_the_same_labeler_is_refused(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    study.tell({units[0]: "yes"})
    before = rows(tmp_path)
    with pytest.raises(LabelError, match=r"anonymous answered yes on unit .* before and now no: record it with correct=True"):
        study.tell({units[1]: "yes", units[0]: "no"})
    assert rows(tmp_path) == before


def test_two_answers_by_one_labeler_in_one_telling_are_refused(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    before = rows(tmp_path)
    with pytest.raises(LabelError, match="gave two answers to"):
        study.tell([{"unit": units[0], "answer": "yes"}, {"unit": units[0], "answer": "no"}])
    assert rows(tmp_path) == before


def test_a_correction_counts_and_both_stay_in_the_ledger(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    study.tell({units[0]: "yes"})
    assert study.tell({units[0]: "no"}, correct=True) == (0, 0, 1, 0)
    assert answer_of(study, units[0]) == "no"
    entries = [e for e in ledger_in(tmp_path).entries("s") if e.kind in ("answer", "correction")]
    assert [(e.kind, e.body["answer"]) for e in entries] == [("answer", "yes"), ("correction", "no")]
    before = rows(tmp_path)
    assert study.tell({units[0]: "no"}, correct=True) == (0, 1, 0, 0)
    assert study.tell({units[0]: "no"}) == (0, 1, 0, 0)
    assert rows(tmp_path) == before


def test_a_mind_may_change_again_and_again(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    study.tell({units[0]: "yes"})
    for i, answer in enumerate(["no", "yes", "no", "yes", "cannot_tell", "yes", "no"], start=1):
        assert study.tell({units[0]: answer}, correct=True) == (0, 0, 1, 0)
        assert answer_of(study, units[0]) == answer
        assert sum(row[2] == "correction" for row in rows(tmp_path)) == i
    assert study.verify().passed


def test_a_correction_by_one_labeler_leaves_the_others(study: Study, units: tuple[str, ...]) -> None:
    study.tell([Label(unit=units[0], answer="yes", labeler="ada"), Label(unit=units[0], answer="no", labeler="bob")])
    assert answer_of(study, units[0]) == "yes"  # the first who could tell
    study.tell([Label(unit=units[0], answer="no", labeler="ada")], correct=True)
    assert answer_of(study, units[0]) == "no"
    study.tell([Label(unit=units[0], answer="cannot_tell", labeler="ada")], correct=True)
    study.tell([Label(unit=units[0], answer="yes", labeler="bob")], correct=True)
    assert answer_of(study, units[0]) == "yes"


def test_two_labelers_are_a_second_look_and_a_disagreement_is_warned_of(study: Study, units: tuple[str, ...]) -> None:
    study.tell([Label(unit=u, answer="yes", labeler="ada") for u in units])
    study.tell([Label(unit=units[0], answer="no", labeler="bob"), Label(unit=units[1], answer="yes", labeler="bob")])
    progress = study.status().progress
    assert (progress.labels, progress.second_looks, progress.disagreements) == (10, 2, 1)
    assert any("labelers disagree on 1 units" in w for w in study.status().warnings)


@pytest.mark.parametrize("unit", ["nobody", "", "u0000 ", "U0000", "'u0000"])
def test_an_undrawn_unit_is_refused_with_the_whole_telling(study: Study, units: tuple[str, ...], tmp_path: Path, unit: str) -> None:
    before = rows(tmp_path)
    with pytest.raises(DrawError, match=r"is not among the 40 drawn: check the id column"):
        study.tell([*({"unit": u, "answer": "yes"} for u in units), {"unit": unit, "answer": "yes"}])
    assert rows(tmp_path) == before


def test_a_unit_of_the_population_that_was_not_drawn_is_refused(study: Study, units: tuple[str, ...]) -> None:
    assert study.standing.units is not None
    other = next(u for u in TRUTH if u not in study.standing.units.unit)
    with pytest.raises(DrawError, match="not among the 40 drawn"):
        study.tell({other: "yes"})


def test_nothing_can_be_told_before_the_draw(study: Study) -> None:
    with pytest.raises(DrawError, match="not among the 0 drawn"):
        study.tell({"u0000": "yes"})


def test_ignore_undrawn_leaves_the_others_out(study: Study, units: tuple[str, ...]) -> None:
    told = study.tell(TRUTH, ignore_undrawn=True)
    assert told == (40, 0, 0, 360)
    assert study.tell(TRUTH, ignore_undrawn=True) == (0, 40, 0, 360)
    assert study.status().progress.complete


def test_a_drawn_unit_may_be_told_before_it_is_handed_out(study: Study, units: tuple[str, ...]) -> None:
    assert study.standing.units is not None
    early = next(u for u in study.standing.units.unit if u not in units)
    study.tell({early: "no"})
    rest = study.ask(1_000, more=True)
    assert rest is not None
    assert early not in rest.units


def test_non_response_is_counted_and_warned_of(study: Study, units: tuple[str, ...]) -> None:
    study.tell({units[0]: "cannot_tell", units[1]: "skipped", units[2]: "unsure", units[3]: "yes"})
    progress = study.status().progress
    assert (progress.labels, progress.answered, progress.cannot_tell, progress.skipped, progress.unanswered) == (4, 1, 2, 1, 3)
    assert any("3 of 4 resolved units have no usable answer (2 cannot tell, 1 skipped, 0 never" in w for w in study.status().warnings)
    again = study.ask(10)
    assert again is not None
    assert set(again.units) == set(units[4:])  # a skipped unit stays drawn and is not asked again


def test_someone_else_may_answer_what_one_could_not_tell(study: Study, units: tuple[str, ...]) -> None:
    study.tell([Label(unit=units[0], answer="cannot_tell", labeler="ada")])
    study.tell([Label(unit=units[0], answer="no", labeler="bob")])
    assert answer_of(study, units[0]) == "no"
    assert study.status().progress.unanswered == 0


def test_non_response_is_left_out_of_the_labels(tmp_path: Path) -> None:
    study = create(tmp_path)
    study.plan(40)
    batch = study.ask(40)
    assert batch is not None
    study.tell({**truth_of(batch.units), batch.units[0]: "cannot_tell", batch.units[1]: "skipped"})
    shown = study.estimate()
    assert shown.certified
    assert shown["recall"].labels == 38
    assert any("2 of 40 resolved units have no usable answer" in w for w in shown.warnings)


def test_closing_records_the_rest_as_never_answered(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    study.tell(truth_of(units))
    assert study.close().recorded == 30
    progress = study.status().progress
    assert (progress.never_answered, progress.complete) == (30, True)
    before = rows(tmp_path)
    assert study.close().recorded == 0
    assert rows(tmp_path) == before
    assert study.ask(10) is None


def test_closing_a_study_that_was_never_drawn_draws_it(study: Study) -> None:
    assert study.close().recorded == 40


def test_text_that_utf8_cannot_write_is_refused(study: Study, units: tuple[str, ...], tmp_path: Path) -> None:
    before = rows(tmp_path)
    with pytest.raises(LedgerError, match="UTF-8"):
        study.tell([Label(unit=units[0], answer="yes", labeler="\ud800")])
    assert rows(tmp_path) == before


HOSTILE = [
    "=1+1",
    "'=1+1",
    "''=1+1",
    "+5",
    "-5",
    "@cmd",
    "'plain",
    "'",
    '"',
    '"quoted"',
    "a,b",
    "a\tb",
    "\tb",
    "\rb",
    "a\rb",
    "a\nb",
    "a\r\nb",
    "a\u2028b",
    "a\x85b",
    "a\x0bb\x0cc\x1cd",
    " space ",
    "\u4f60\u597d",
    "e\u0301",
    "\u00e9",
    "\ufeffbom",
    "\u202eabc",
    "\U0001f575",
    "NULL",
    "None",
    "nan",
    "1.0",
    "01",
    "1e5",
    "true",
    "'; drop table entry; --",
    "\\",
    "x" * 1_000,
]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".ndjson", ".json"])
def test_hostile_ids_come_back_from_a_file_as_they_went(tmp_path: Path, suffix: str) -> None:
    n = len(HOSTILE)
    score = np.linspace(0.01, 0.99, n)
    table: dict[str, Any] = {"id": HOSTILE, "score": score, "text": [f"=shown {u}" for u in HOSTILE]}
    study = create(tmp_path, table=table)
    study.plan(n)
    batch = study.ask(n)
    assert batch is not None
    assert sorted(batch.units) == sorted(HOSTILE)
    path = tmp_path / f"batch{suffix}"
    write_whole(path, batch_text(batch.units, study.fetch(batch.units, columns=["text"]), columns=["text"], suffix=suffix))
    assert read_answers(path, unit_columns=["unit"]) == ([], n)
    fill_in(path, {u: "yes" if i % 3 else "no" for i, u in enumerate(HOSTILE)}, batch.units)
    sheet = read_answers(path, unit_columns=["unit"])
    assert [label.unit for label in sheet.labels] == list(batch.units)
    assert study.tell(sheet.labels) == (n, 0, 0, 0)
    assert {u: answer_of(study, u) for u in HOSTILE} == {u: "yes" if i % 3 else "no" for i, u in enumerate(HOSTILE)}
    assert study.tell(sheet.labels) == (0, n, 0, 0)
    assert study.verify(population=True).passed
    assert len(study.estimate().estimates) > 0


def fill_in(path: Path, answers: dict[str, str], units: tuple[str, ...]) -> None:
    """What a person does with a batch: fill in the answers in the order of its rows, touching nothing else."""
    if path.suffix in (".csv", ".tsv"):
        delimiter = "\t" if path.suffix == ".tsv" else ","
        lines = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), delimiter=delimiter))
        assert all(not line[0].startswith(("=", "+", "-", "@", "\t", "\r")) for line in lines)
        assert all(line[1].startswith("'=") for line in lines[1:])
        for line, unit in zip(lines[1:], units, strict=True):
            line[-1] = answers[unit]
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(lines)
        path.write_bytes(out.getvalue().encode())
        return
    text = path.read_bytes().decode()
    objects = json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.split("\n") if line]
    for item, unit in zip(objects, units, strict=True):
        item["answer"] = answers[unit]
    path.write_text(json.dumps(objects) if path.suffix == ".json" else "\n".join(json.dumps(item) for item in objects), encoding="utf-8")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_negative_integer_ids_go_round(tmp_path: Path, suffix: str) -> None:
    ids = [*range(-15, 0), *range(15), -(2**63), 2**63 - 1]
    table = {"id": np.array(ids, dtype=np.int64), "score": np.linspace(0, 1, len(ids)), "text": ["t"] * len(ids)}
    study = create(tmp_path, table=table)
    study.plan(len(ids))
    batch = study.ask(100)
    assert batch is not None
    assert set(batch.units) == {str(i) for i in ids}
    path = tmp_path / f"batch{suffix}"
    shown: list[dict[str, str | None]] = [{"text": "=t"} for _ in batch.units]
    write_whole(path, batch_text(batch.units, shown, columns=["text"], suffix=suffix))
    fill_in(path, dict.fromkeys(batch.units, "no"), batch.units)
    assert study.tell(read_answers(path, unit_columns=["unit"]).labels) == (len(ids), 0, 0, 0)
    assert study.tell(dict.fromkeys(ids, "no")) == (0, len(ids), 0, 0)


def test_an_apostrophe_of_the_batch_file_is_taken_off_in_python_too(tmp_path: Path) -> None:
    table = {"id": ["-1", "-2", "a", "'b"], "score": [0.1, 0.9, 0.2, 0.8]}
    study = create(tmp_path, table=table)
    study.plan(4)
    study.ask(4)
    assert study.tell({"'-1": "yes", "'-2": "no", "'b": "no", "a": "yes"}) == (4, 0, 0, 0)
    assert answer_of(study, "-1") == "yes"
    assert answer_of(study, "'b") == "no"


def test_answers_told_by_a_finished_study_are_acknowledged_once(tmp_path: Path) -> None:
    study = finished(tmp_path)
    answers = [row for row in rows(tmp_path) if row[2] == "answer"]
    assert len(answers) == 40
    assert len({row[3] for row in answers}) == 40
    assert study.status().progress.complete
